/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-test-support.h"

#include "ns3/dlearn-page.h"
#include "ns3/dlearn-types.h"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

/**
 * @file
 * The data of pages; what their scripts make of them is tested in a browser, see
 * test/system/dlearn-page-test.py.
 */

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

using Json = nlohmann::ordered_json;

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

/** @return the page of a run */
std::string
MakeOne(const RunResults& results)
{
    return MakePage({{"this run", results}});
}

/** @return the data of a page, found as a browser finds them: up to the next end tag */
Json
ReadPage(const std::string& html)
{
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const size_t at = html.find(begin) + begin.size();
    return Json::parse(html.substr(at, html.find("</script", at) - at), nullptr, false);
}

/** @return what a page has only of the run that it reports */
Json
ReadDetail(const RunResults& results)
{
    return ReadPage(MakeOne(results))["detail"];
}

/** @return how often a text is in another one */
size_t
CountOf(const std::string& text, const std::string& part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    {
        ++count;
    }
    return count;
}

/** @return a row of server 0 or of a client, with one message; times in milliseconds */
ResultRow
MakeServedRow(LearnerId node, uint32_t round, int opened, int closed)
{
    ResultRow row;
    row.role = node == 0 ? "server" : "client";
    row.record.node = node;
    row.record.round = round;
    row.record.closed = MilliSeconds(closed);
    row.record.duration = MilliSeconds(closed - opened);
    row.record.expected = row.record.received = row.record.used = 1;
    return row;
}

TEST(Page, NeedsNothingElseAndTellsNothingOfTheMachine)
{
    auto results = MakeResults(3, 5);
    const auto html = MakeOne(results);
    results.wallSeconds = 123.5;
    EXPECT_EQ(MakeOne(results), html);
    for (const std::string text :
         {"/tmp/", "http-equiv", " src=", " href=", "@import", "sourceMappingURL"})
    {
        EXPECT_EQ(html.find(text), std::string::npos) << text;
    }
}

TEST(Page, EscapesAllText)
{
    const std::string nasty = "</title></script><script>\"a\" & 'b'<!-- --></script> \xff";
    auto results = MakeResults(2, 2);
    const auto plain = MakeOne(results);
    results.program = results.command = results.reason = nasty;
    results.status = "failed";
    results.parameters = {{nasty, nasty}};
    results.attributes = {{nasty, nasty}};
    results.totals = {{nasty, 1}};
    results.warnings = {nasty};
    results.timeline = {{Seconds(1), 0, 1, "crashed", nasty}};
    results.roles = {nasty, "peer"};
    results.graph.names = {nasty, nasty};
    const auto html = MakeOne(results);
    for (const std::string tag : {"</script", "<script", "<!--", "</title>"})
    {
        EXPECT_EQ(CountOf(html, tag), CountOf(plain, tag)) << tag;
    }
    const Json page = ReadPage(html);
    ASSERT_TRUE(page.is_object());
    const std::string text = page["runs"][0]["summary"]["warnings"][0];
    EXPECT_EQ(text.substr(0, nasty.size() - 1), nasty.substr(0, nasty.size() - 1));
}

// The evaluated rounds as in results.jsonl, by column.
TEST(Page, HasSummaryRoundsAndTimesOfEachRun)
{
    auto results = MakeResults(2, 3);
    results.run = (uint64_t{1} << 53) + 1; // which JavaScript has no number for
    for (ResultRow& row : results.rows)
    {
        row.evaluation->accuracy = row.record.node == 0 ? 1.0 / 3 : NOT_A_NUMBER;
        row.evaluation->loss = row.record.round == 2 ? INFINITE : 0.5;
    }
    results.rows[0].evaluation.reset();
    results.rows[1].evaluation.reset(); // round 0
    auto known = MakeResults(2, 1);
    for (ResultRow& row : known.rows)
    {
        row.phases = {0.5, 0.25, 0, 0.125 + row.record.node};
    }
    const Json page = ReadPage(MakePage({{"first", results}, {"second", known}}));
    const Json first = page["runs"][0];
    EXPECT_EQ(first["name"], "first");
    EXPECT_EQ(first["summary"]["run"], "9007199254740993");
    EXPECT_EQ(first["summary"]["final"]["loss"], "inf");
    EXPECT_FALSE(first["summary"].contains("wall_s"));
    EXPECT_EQ(first["rounds"]["round"], Json::parse("[1, 2]"));
    EXPECT_EQ(first["rounds"]["loss"], Json::parse("[0.5, \"inf\"]"));
    EXPECT_EQ(first["rounds"]["accuracy"][0], 1.0 / 3);
    EXPECT_EQ(first["rounds"]["accuracy_low"][0], 0.333333) << "is for a drawing";
    EXPECT_EQ(first["rounds"]["tx_bytes"], Json::parse("[800, 1200]"));
    // 10 ms of computing, and a round after 100 ms of which the phases are not known.
    EXPECT_NEAR(first["times"]["peer"][0], 0.01, 1e-12);
    EXPECT_TRUE(first["times"]["peer"][4].is_null());
    EXPECT_NEAR(first["times"]["peer"][5], 0.09, 1e-12);
    EXPECT_EQ(page["runs"][1]["times"]["peer"],
              Json::parse("[0.01, 0.5, 0.25, 0.0, 0.625, 1.375]"));
    EXPECT_EQ(page["detail"]["map"]["nodes"].size(), 2U) << "of the first run";
}

// All peers crash while messages are under way, which no closed round has waited for.
TEST(Page, CountsMessagesThatRoundsOfPeersWaitedFor)
{
    auto results = MakeResults(3, 4);
    results.pairs = {{0, 1, 5, 4, 0, 1, Time()}};
    const Json learners = ReadDetail(results)["learners"];
    EXPECT_EQ(learners[0]["expected"], 8);
    EXPECT_EQ(learners[1]["received"], 6);
    EXPECT_EQ(learners[1]["rounds"], 4);
    EXPECT_EQ(learners[2]["epsilon"], 2.5);
    EXPECT_EQ(learners[2]["loss"], 0.25);
}

// Of a federation those are updates. A client whose model was lost has no row, and the last row of
// one is no round when it tells only what was spent since.
TEST(Page, CountsUpdatesOfClientsAsTheirServerDoes)
{
    RunResults results;
    results.graph = Graph(3);
    results.roles = {"server", "client", "client"};
    results.rows = {MakeServedRow(0, 0, 0, 10), MakeServedRow(1, 0, 1, 9)};
    ResultRow later;
    later.role = "client";
    later.record.node = 1;
    later.record.closed = MilliSeconds(12);
    later.record.epsilon = 5;
    results.rows.push_back(later);
    results.pairs = {{0, 1, 1, 1, 0, 0, Time()},
                     {0, 2, 1, 0, 0, 1, Time()},
                     {1, 0, 1, 1, 0, 0, Time()}};
    const Json detail = ReadDetail(results);
    const Json client = Json::parse(
        R"({"node": 1, "role": "client", "rounds": 1, "accuracy": null, "loss": null, "epsilon": 5.0,
            "expected": 1, "received": 1, "client": true})");
    EXPECT_EQ(detail["servers"], 1);
    EXPECT_EQ(detail["learners"][0]["client"], false);
    EXPECT_EQ(detail["learners"][1], client);
    EXPECT_EQ(detail["learners"][2]["rounds"], 0);
    EXPECT_EQ(detail["learners"][2]["expected"], 0);
    EXPECT_EQ(detail["bins"]["roles"]["client"].size(), 1U);
}

TEST(Page, HasRoundsByBin)
{
    // Learner 1 of round 1 needs longest: open from 0.05 s to 0.201 s, of which it computes 10 ms.
    auto results = MakeResults(2, 3);
    results.rows[3].record.duration = MilliSeconds(151);
    const Json detail = ReadDetail(results);
    const Json bins = detail["bins"];
    EXPECT_EQ(bins["size"], 1);
    EXPECT_EQ(bins["last"], 2);
    EXPECT_EQ(bins["roles"]["peer"][1],
              Json::parse("[1, [0.01, null, null, null, null, 0.09], [1, 0, 0, 3]]"))
        << "first round, seconds, and lost, late, rejected, used";
    EXPECT_EQ(detail["gantt"]["round"], 1);
    EXPECT_EQ(detail["gantt"]["bars"][1],
              Json::parse(R"({"node": 1, "role": "peer", "opened": 0.05, "closed": 0.201,
                              "begin": 0.05, "end": 0.06})"));
    // Expected, in time, late, lost.
    EXPECT_EQ(detail["heat"]["lines"][1]["cells"],
              Json::parse("[[2, 2, 0, 0], [2, 1, 0, 1], [2, 2, 0, 0]]"));
    EXPECT_TRUE(ReadDetail(RunResults())["gantt"].is_null());
}

// Clients that are not waited for count the models that they get, of which there are more than
// rounds.
TEST(Page, PutsRoundsOfClientsIntoThoseOfTheServer)
{
    RunResults results;
    const auto add = [&results](auto... of) { results.rows.push_back(MakeServedRow(of...)); };
    add(1, 0, 1, 9);
    add(0, 0, 0, 10);
    add(1, 2, 10, 13);
    add(2, 1, 1, 17);
    add(1, 3, 13, 18);
    add(0, 1, 10, 30);
    add(2, 4, 31, 40); // after the last round
    const Json detail = ReadDetail(results);
    std::vector<int> used;
    for (const Json& bin : detail["bins"]["roles"]["client"])
    {
        used.push_back(bin[2][3]);
    }
    EXPECT_EQ(used, (std::vector<int>{1, 3, 1}));
    EXPECT_EQ(detail["gantt"]["round"], 1);
    EXPECT_EQ(detail["gantt"]["all"], 4);

    results.rows.clear(); // a round that the server had not closed when the run was interrupted
    add(1, 0, 1, 9);
    add(0, 0, 0, 10);
    add(1, 1, 11, 19);
    EXPECT_EQ(ReadDetail(results)["bins"]["roles"]["client"][1][0], 1);
}

TEST(Page, HasTheMessagesOfEachLink)
{
    auto results = MakeResults(3, 3);
    EXPECT_TRUE(ReadDetail(results)["links"]["lines"].empty());
    results.pairs = {{0, 1, 10, 6, 1, 3, MilliSeconds(21)}, {2, 0, 4, 0, 0, 4, Time()}};
    const Json links = ReadDetail(results)["links"];
    EXPECT_EQ(links["columns"], Json::parse("[0, 1, 2]"));
    EXPECT_EQ(links["lines"][1]["node"], 1);
    // A line for each receiver, a column for each sender: 21 ms are of 7 messages that arrived.
    EXPECT_EQ(links["lines"][1]["cells"], Json::parse("[[10, 6, 1, 3, 3.0], null, null]"));
    EXPECT_EQ(links["lines"][0]["cells"], Json::parse("[null, null, [4, 0, 0, 4, null]]"));
}

TEST(Page, HasEventsAndLabels)
{
    auto results = MakeResults(2, 2);
    results.timeline = {{MilliSeconds(250), 1, 3, "crashed", "why"}};
    for (int k = 0; k < 400; ++k)
    {
        results.timeline.push_back({Seconds(1), 0, std::nullopt, "associated", ""});
    }
    results.timeline.push_back({Seconds(2), std::nullopt, std::nullopt, "isolated", ""});
    results.labels = {"cat", "dog"};
    results.samples = {{0, {3, 0}}, {1, {1, 2}}};
    const Json detail = ReadDetail(results);
    const Json events = detail["events"];
    EXPECT_EQ(events["all"], 402);
    EXPECT_EQ(events["counts"]["associated"], 400);
    EXPECT_EQ(events["list"].size(), 301U) << "of the table 300, and one more for the charts";
    EXPECT_EQ(events["list"][0], Json::parse(R"(["0.25", 1, 3, "crashed", "why"])"));
    EXPECT_EQ(events["list"].back(), Json::parse(R"(["2", null, null, "isolated", ""])"));
    EXPECT_EQ(detail["labels"], Json::parse(R"({"names": ["cat", "dog"], "all": 2,
                              "rows": [[0, [3, 0]], [1, [1, 2]]]})"));
}

TEST(Page, HasTheMapOfLearnersAndTowns)
{
    auto results = MakeResults(3, 4);
    results.rows.pop_back(); // node 2 did not close the last round
    results.roles = {"peer", "byzantine", "peer"};
    results.timeline = {{MilliSeconds(250), 2, 3, "crashed", ""}};
    results.positions = {{1, 2}, {3, 4}, {5, 6}};
    results.motion = {{Seconds(0), 0, Vector(1, 2, 0)}, {Seconds(0), 1, Vector(3, 4, 0)}};
    for (int k = 0; k < 1000; ++k) // in the end at (1000, 0)
    {
        results.motion.push_back({Seconds(k + 4), 1, Vector(k + 1, 0, 0)});
    }
    results.sites.sites = {{"Quito", 7, {{-78.0, 0.0}}}, {"Ship", 9, std::nullopt}};
    results.sites.trunks = {{0, 1}};
    results.sites.siteOf = {0, 1, 1};
    LinkRecord link;
    link.from = "node 7";
    link.to = "node 9";
    link.busy = 0.25;
    link.txBytes = 1000;
    link.queueDrops = 3;
    link.loss = 2;
    results.links = {link};
    const Json map = ReadDetail(results)["map"];
    EXPECT_EQ(map["nodes"][1],
              Json::parse(R"({"role": "byzantine", "name": "", "last": 3, "epsilon": 2.25,
                              "stopped": false})"));
    EXPECT_EQ(map["nodes"][2]["stopped"], true);
    EXPECT_EQ(map["edges"]["all"], 3);
    EXPECT_EQ(map["edges"]["list"][0], Json::parse("[0, 1, 0]"));
    EXPECT_EQ(map["positions"][2], Json::parse("[5, 6]"));
    EXPECT_FALSE(map["tracks"].contains("0")) << "it stays where it is";
    EXPECT_LE(map["tracks"]["1"].size(), 201U);
    EXPECT_EQ(map["tracks"]["1"].back(), Json::parse("[1000, 0, 1003]"));
    EXPECT_EQ(map["towns"]["sites"], Json::parse(R"([{"name": "Quito", "place": [-78.0, 0.0]},
                              {"name": "Ship", "place": null}])"));
    EXPECT_EQ(map["towns"]["trunks"],
              Json::parse(R"([{"ends": [0, 1], "links": [[0.25, 1000, 5], null]}])"));
    results.positions[0].first = INFINITE;
    EXPECT_TRUE(ReadDetail(results)["map"]["positions"].is_null());
}

TEST(Page, StaysSmallForLongRunsOfManyNodes)
{
    auto results = MakeResults(100, 1200);
    for (auto& row : results.rows)
    {
        row.evaluation->loss /= 1 + row.record.node;
    }
    for (LearnerId a = 0; a < 100; ++a)
    {
        for (LearnerId b = 0; b < a; ++b)
        {
            results.graph.AddEdge(a, b);
        }
    }
    const auto html = MakeOne(results);
    EXPECT_LT(html.size(), 1500000U);
    const Json detail = ReadPage(html)["detail"];
    EXPECT_EQ(detail["map"]["edges"]["all"], 4950);
    EXPECT_EQ(detail["map"]["edges"]["list"].size(), 4000U);
    EXPECT_EQ(detail["bins"]["size"], 4);
    EXPECT_EQ(detail["heat"]["lines"].size(), 50U);
}

} // namespace
