/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-check.h"
#include "dlearn-results-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-html-report.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-types.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

/** @return the titles of the sections of a page */
std::vector<std::string>
TitlesOf(const Json& page)
{
    std::vector<std::string> titles;
    for (const Json& section : page["sections"])
    {
        titles.push_back(section["title"]);
    }
    return titles;
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

TEST(HtmlReport, HasAllSectionsAndNeedsNothingElse)
{
    auto results = MakeResults(4, 20);
    results.command = "dlearn-demo --learners=4";
    results.warnings = {"the graph is not connected"};
    results.parameters = {{"loss", "0"}, {"learners", "4"}};
    results.given = {"learners"};
    results.attributes = {{"ns3::dlearn::X::Y", "17"}};
    const auto html = MakeHtmlReport(results);
    const Json page = ReadPage(html);
    EXPECT_EQ(page["title"], "dlearn-demo");
    EXPECT_EQ(page["command"], "dlearn-demo --learners=4");
    // Of 160 messages node 1 lost one in each of ten rounds.
    EXPECT_EQ(
        page["sentence"],
        "After 20 rounds and 2.003 s of simulated time: accuracy 0.5, loss 0.05, error 0.1, "
        "mean over 4 learners. The largest epsilon spent is 10.75. Of the messages that rounds "
        "waited for, 93.75 % arrived in time.");
    EXPECT_NE(std::find(page["tiles"].begin(),
                        page["tiles"].end(),
                        Json::array({"93.75 %", "delivered in all rounds"})),
              page["tiles"].end());
    EXPECT_EQ(TitlesOf(page),
              (std::vector<std::string>{"Learning",
                                        "Privacy",
                                        "Where the time goes",
                                        "Messages",
                                        "Learners",
                                        "Events",
                                        "Settings"}));
    EXPECT_EQ(page["warnings"][0]["text"], "the graph is not connected");
    EXPECT_EQ(FindPart(page, "Options that were given")["rows"],
              Json::parse(R"([["learners", "4"]])"));
    EXPECT_EQ(FindPart(page, "Other options")["rows"], Json::parse(R"([["loss", "0"]])"));
    EXPECT_EQ(FindPart(page, "Largest epsilon")["rows"],
              Json::parse(R"([["spent", "10.75"], ["planned until then", "10"]])"));
    EXPECT_EQ(FindPart(page, "Attributes")["rows"],
              Json::parse(R"([["ns3::dlearn::X::Y", "17"]])"));
    for (const std::string text : {"http-equiv", " src=", "href=", "@import", "sourceMappingURL"})
    {
        EXPECT_EQ(html.find(text), std::string::npos) << text;
    }
}

/** @return the cell of a table in a row that begins with some cells */
std::string
FindCell(const Json& table, const std::string& column, const Json& begin)
{
    const auto& columns = table["columns"];
    const auto k = std::find(columns.begin(), columns.end(), column) - columns.begin();
    for (const Json& row : table["rows"])
    {
        if (k < std::ptrdiff_t(row.size()) && std::equal(begin.begin(), begin.end(), row.begin()))
        {
            return row[k];
        }
    }
    return "none";
}

// All peers crash while messages are under way, which no closed round has waited for.
TEST(HtmlReport, CountsWhatRoundsOfPeersWaitedFor)
{
    auto results = MakeResults(3, 4);
    for (ResultRow& row : results.rows)
    {
        row.record.received = row.record.used = 2;
        row.record.lost = 0;
        row.evaluation.reset();
    }
    results.pairs = {{0, 1, 5, 4, 0, 1, Time()}};
    results.rows[1].role = "byzantine"; // its rounds are nobody's concern
    results.rows[1].record.expected = 52;
    results.rows[1].record.lost = 50;
    const Json page = ReadPage(MakeHtmlReport(results));
    EXPECT_EQ(page["tiles"][page["tiles"].size() - 2],
              (Json::array({"100 %", "delivered in all rounds"})));
    EXPECT_EQ(FindCell(FindPart(page, "Learners by"), "delivered", {"1"}), "100 %");
}

// Of a federation those are updates. A client whose model was lost has no row.
TEST(HtmlReport, CountsUpdatesOfClientsAsTheirServerDoes)
{
    RunResults results;
    results.graph = Graph(3);
    results.roles = {"server", "client", "client"};
    results.rows = {MakeServedRow(0, 0, 0, 10), MakeServedRow(1, 0, 1, 9)};
    results.rows[0].record.expected = 2;
    results.rows[0].record.lost = 1;
    results.pairs = {{0, 1, 1, 1, 0, 0, Time()},
                     {0, 2, 1, 0, 0, 1, Time()},
                     {1, 0, 1, 1, 0, 0, Time()}};
    auto files = MakeResultsFiles(results);
    EXPECT_EQ(Json::parse(*files["summary.json"])["final"]["delivered"], 0.5);
    const Json page = ReadPage(*files["report.html"]);
    EXPECT_EQ(page["tiles"].back(), (Json::array({"50 %", "delivered in all rounds"})));
    const Json learners = FindPart(page, "Learners by");
    EXPECT_EQ(FindCell(learners, "delivered", {"2", "0"}), "50 %");
    EXPECT_EQ(FindCell(learners, "its messages in time", {"1", "1"}), "1 of 1");
    EXPECT_EQ(FindCell(learners, "its messages in time", {"3", "2"}), "0 of 0");
}

TEST(HtmlReport, SaysWhichLabelsEachLearnerHas)
{
    auto results = MakeResults(2, 1);
    EXPECT_EQ(CountOf(MakeHtmlReport(results), "Samples by label"), 0U);
    results.labels = {"cat", "dog"};
    results.samples = {{0, {3, 0}}, {1, {1, 2}}};
    auto files = MakeResultsFiles(results);
    EXPECT_EQ(*files["labels.csv"], "node,label,samples\n0,cat,3\n0,dog,0\n1,cat,1\n1,dog,2\n");
    const Json table = FindPart(ReadPage(*files["report.html"]), "Samples by label");
    EXPECT_EQ(table["columns"], Json::parse(R"(["learner", "cat", "dog", "all"])"));
    EXPECT_EQ(table["rows"], Json::parse(R"([["0", "3", "0", "3"], ["1", "1", "2", "3"]])"));
}

TEST(HtmlReport, SaysTheSameNumbersAsTheOtherFiles)
{
    auto results = MakeResults(3, 7);
    results.rows.pop_back(); // the last learner did not close the last round
    for (size_t k = 0; k < results.rows.size(); ++k)
    {
        results.rows[k].evaluation->accuracy = 0.5 + 0.01 * static_cast<double>(k * k % 7);
    }
    auto files = MakeResultsFiles(results);
    const Json final = Json::parse(*files["summary.json"])["final"];
    const std::string lines = *files["results.jsonl"];
    const size_t lastLine = lines.rfind('\n', lines.size() - 2) + 1;
    const Json last = Json::parse(lines.substr(lastLine));
    EXPECT_EQ(final["learners"], 2);
    EXPECT_EQ(last["round"], 6);
    for (const std::string name : {"accuracy", "loss", "error", "time_s", "learners"})
    {
        EXPECT_EQ(final[name], last[name]) << name;
    }
    // Rows 18 and 19: 324 mod 7 = 2 and 361 mod 7 = 4.
    EXPECT_NEAR(final["accuracy"], 0.53, 1e-12);
    const Json page = ReadPage(*files["report.html"]);
    EXPECT_EQ(page["tiles"][0], (Json::array({"0.53", "final accuracy"})));
    const Json curve = FindPart(page, "Accuracy")["axes"]["rounds"]["curves"][0];
    EXPECT_EQ(curve[0].back(), 6);
    EXPECT_EQ(curve[1].back(), 0.53);
    EXPECT_EQ(curve[2].back(), 0.52);
    EXPECT_EQ(curve[3].back(), 0.54);
    const std::string sentence = page["sentence"];
    EXPECT_NE(sentence.find("mean over the 2 of 3 learners that closed this round; the others had "
                            "ended before, and do not count."),
              std::string::npos)
        << sentence;
}

// What is said of privacy is of what was spent, not of what can be drawn.
TEST(HtmlReport, SaysWhatTheEpsilonsAre)
{
    const auto note = [](RunResults results) {
        return MakeHtmlReport(results).find("No privacy budget was spent") != std::string::npos;
    };
    auto results = MakeResults(2, 3);
    for (auto& row : results.rows)
    {
        row.record.epsilon = row.record.round > 0 ? 3 : 0;
        if (row.record.round > 0)
        {
            row.evaluation.reset(); // so that the chart has the epsilon 0 alone
        }
    }
    EXPECT_FALSE(note(results));
    for (auto& row : results.rows)
    {
        row.record.epsilon = 0;
    }
    EXPECT_TRUE(note(results));
}

// The last row of a client is no round when it tells only what was spent since.
TEST(HtmlReport, CountsClosedRoundsOnly)
{
    RunResults results;
    results.graph = Graph(2);
    results.roles = {"server", "client"};
    for (const LearnerId node : {0, 1})
    {
        ResultRow row;
        row.role = results.roles[node];
        row.record.node = node;
        row.record.closed = MilliSeconds(10);
        row.record.duration = MilliSeconds(10);
        row.record.compute = MilliSeconds(4);
        row.record.expected = row.record.received = row.record.used = 1;
        row.phases = {0.001, 0.002, 0, 0.003};
        results.rows.push_back(row);
    }
    ResultRow later;
    later.role = "client";
    later.record.node = 1;
    later.record.closed = MilliSeconds(12);
    later.record.epsilon = 5;
    results.rows.push_back(later);
    const Json page = ReadPage(MakeHtmlReport(results));
    EXPECT_EQ(page["subtitle"], "1 client and a server, seed 0, run 0");
    EXPECT_EQ(FindPart(page, "A round of a client")["rows"],
              Json::parse("[[0, 0.004, 0.001, 0.002, 0.0, 0.003]]"));
    const Json learners = FindPart(page, "Learners by")["rows"];
    ASSERT_EQ(learners.size(), 2U);
    EXPECT_EQ(learners[0][3], "1");
    EXPECT_EQ(learners[1][3], "1");
}

// A round that the server had not closed when the run was interrupted comes after the last one.
TEST(HtmlReport, KeepsTheNumberOfARoundThatWasInterrupted)
{
    RunResults results;
    const auto add = [&results](auto... of) { results.rows.push_back(MakeServedRow(of...)); };
    add(1, 0, 1, 9);
    add(0, 0, 0, 10);
    add(1, 1, 11, 19);
    const Json messages =
        FindPart(ReadPage(MakeHtmlReport(results)), "Messages of a round, all learners");
    EXPECT_EQ(messages["rows"], Json::parse("[[0, 0.0, 0.0, 0.0, 2.0], [1, 0.0, 0.0, 0.0, 1.0]]"));
}

TEST(HtmlReport, EscapesAllText)
{
    const std::string nasty = "</title></script><script>\"a\" & 'b'<!-- --></script> \xff";
    auto results = MakeResults(2, 2);
    const auto plain = MakeHtmlReport(results);
    results.program = results.command = results.reason = nasty;
    results.status = "failed";
    results.parameters = {{nasty, nasty}};
    results.attributes = {{nasty, nasty}};
    results.totals = {{nasty, 1}};
    results.warnings = {nasty};
    results.timeline = {{Seconds(1), 0, 1, "crashed", nasty}};
    results.roles = {nasty, "peer"};
    results.graph.names = {nasty, nasty};
    const auto html = MakeHtmlReport(results);
    EXPECT_EQ(CountOf(html, "</script"), CountOf(plain, "</script"));
    EXPECT_EQ(CountOf(html, "<script"), CountOf(plain, "<script"));
    EXPECT_EQ(CountOf(html, "<!--"), CountOf(plain, "<!--"));
    EXPECT_EQ(CountOf(html, "</title>"), 1U);
    const Json page = ReadPage(html);
    ASSERT_TRUE(page.is_object());
    const std::string text = page["warnings"][0]["text"];
    EXPECT_EQ(text.substr(0, nasty.size() - 1), nasty.substr(0, nasty.size() - 1));
}

TEST(HtmlReport, TellsNothingOfTheMachine)
{
    auto results = MakeResults(3, 5);
    const auto html = MakeHtmlReport(results);
    results.wallSeconds = 123.5;
    EXPECT_EQ(MakeHtmlReport(results), html);
    EXPECT_EQ(html.find("/tmp/"), std::string::npos);
}

TEST(HtmlReport, LeavesOutWhatDoesNotApply)
{
    auto results = MakeResults(2, 3);
    for (auto& row : results.rows)
    {
        row.evaluation->accuracy = NOT_A_NUMBER;
        row.evaluation->loss = row.record.round == 1 ? INFINITE : 0.5;
        row.evaluation->consensus = 0;
        row.record.epsilon = INFINITE;
    }
    const Json page = ReadPage(MakeHtmlReport(results));
    std::vector<std::string> charts;
    for (const Json& part : FindParts(page, "curves"))
    {
        charts.push_back(part["title"]);
    }
    EXPECT_EQ(charts, (std::vector<std::string>{"Loss", "Error"}));
    EXPECT_EQ(FindPart(page, "Loss")["axes"]["rounds"]["curves"][0],
              (Json::array({{0, 2}, {0.5, 0.5}}))); // no band, and nothing that is infinite
    EXPECT_NE(page["sections"][1]["note"].get<std::string>().find("no privacy is guaranteed"),
              std::string::npos);

    for (auto& row : results.rows)
    {
        row.record.epsilon = NOT_A_NUMBER;
    }
    EXPECT_EQ(TitlesOf(ReadPage(MakeHtmlReport(results)))[1], "Where the time goes");
    EXPECT_EQ(ReadPage(MakeHtmlReport(RunResults()))["sentence"], "No round was evaluated.");
}

TEST(HtmlReport, ShowsWhereTheTimeGoes)
{
    // Learner 1 of round 1 needs longest: open from 0.05 s to 0.201 s, of which it computes 10 ms.
    auto results = MakeResults(2, 3);
    results.rows[3].record.duration = MilliSeconds(151);
    const Json page = ReadPage(MakeHtmlReport(results));
    const Json gantt = FindParts(page, "gantt").at(0);
    EXPECT_EQ(gantt["title"], "The slowest round: 1");
    EXPECT_EQ(gantt["bars"][1],
              (Json{{"node", 1},
                    {"role", "peer"},
                    {"opened", 0.05},
                    {"closed", 0.201},
                    {"begin", 0.05},
                    {"end", 0.06}}));
    const Json stack = FindPart(page, "A round of a peer");
    EXPECT_EQ(stack["rows"][0], (Json::array({0, 0.01, 0.09})));
    EXPECT_EQ(stack["rows"][1], (Json::array({1, 0.01, 0.09}))); // since the round before
    const Json heat = FindParts(page, "heat").at(0);
    EXPECT_EQ(heat["lines"][1]["cells"],
              (Json::array({{2, 2, 0, 0}, {2, 1, 0, 1}, {2, 2, 0, 0}}))); // expected, in time, ...
}

// Without lock-step a client counts the models that it gets, of which there are more than rounds.
TEST(HtmlReport, PutsRoundsOfClientsIntoThoseOfTheServer)
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
    const Json page = ReadPage(MakeHtmlReport(results));
    const Json messages = FindPart(page, "Messages of a round, all learners");
    EXPECT_EQ(messages["rows"],
              Json::parse("[[0, 0.0, 0.0, 0.0, 2.0], [1, 0.0, 0.0, 0.0, 4.0], [2, 0.0, 0.0, 0.0, "
                          "1.0]]"));
    const Json gantt = FindParts(page, "gantt").at(0);
    EXPECT_EQ(gantt["title"], "The slowest round: 1");
    EXPECT_EQ(gantt["bars"].size(), 4U);
}

TEST(HtmlReport, ShowsWhatBecameOfTheMessagesOfEachLink)
{
    auto results = MakeResults(3, 3);
    EXPECT_EQ(FindParts(ReadPage(MakeHtmlReport(results)), "heat").size(), 1U); // by learner alone
    results.pairs = {{0, 1, 10, 6, 1, 3, MilliSeconds(21)}, {2, 0, 4, 0, 0, 4, Time()}};
    const Json heat = FindParts(ReadPage(MakeHtmlReport(results)), "heat").at(1);
    EXPECT_EQ(heat["columns"], (Json::array({0, 1, 2})));
    EXPECT_EQ(heat["lines"][1]["node"], 1);
    // A line for each receiver, a column for each sender: 21 ms are of 7 messages that arrived.
    EXPECT_EQ(heat["lines"][1]["cells"], Json::parse("[[10, 6, 1, 3, 3.0], null, null]"));
    EXPECT_EQ(heat["lines"][0]["cells"], Json::parse("[null, null, [4, 0, 0, 4, null]]"));
}

TEST(HtmlReport, MarksEventsAttackersAndLearnersThatStopped)
{
    auto results = MakeResults(3, 4);
    results.rows.pop_back(); // node 2 did not close the last round
    results.roles = {"peer", "byzantine", "peer"};
    results.timeline = {{MilliSeconds(250), 2, 3, "crashed", ""}};
    const Json page = ReadPage(MakeHtmlReport(results));
    const Json nodes = FindParts(page, "map").at(0)["nodes"];
    EXPECT_EQ(nodes[2]["stopped"], true);
    EXPECT_EQ(nodes[1]["stopped"], false);
    EXPECT_EQ(nodes[1]["tip"], "learner 1, attacker, last round 3, epsilon 2.25");
    EXPECT_EQ(page["events"][0]["text"], "0.25 s: learner 2 crashed");
}

// Two towns on the equator and one without coordinates between them, which is drawn there.
TEST(HtmlReport, DrawsRoutersInTheirTownsAndWhatTheirLinksCarried)
{
    auto results = MakeResults(2, 2);
    results.sites.sites = {{"Quito", 7, {{-78.0, 0.0}}},
                           {"Libreville", 8, {{9.0, 0.0}}},
                           {"Ship", 9, std::nullopt}};
    results.sites.trunks = {{0, 2}, {1, 2}};
    results.sites.siteOf = {0, 1};
    LinkRecord link;
    link.from = "node 7";
    link.to = "node 9";
    link.busy = 0.25;
    link.txBytes = 1000;
    link.queueDrops = 3;
    link.loss = 2;
    results.links = {link};
    const Json map = FindParts(ReadPage(MakeHtmlReport(results)), "map").at(0);
    EXPECT_EQ(map["sites"].size(), 3U);
    EXPECT_EQ(map["sites"][2],
              Json::parse(R"({"name":"Ship","router":2,"x":-34.5,"y":0,"known":false})"));
    EXPECT_EQ(map["nodes"][1]["x"], 9);
    EXPECT_EQ(map["nodes"][1]["site"], 1);
    EXPECT_EQ(map["trunks"][0]["busy"], 0.25);
    EXPECT_EQ(map["trunks"][0]["drops"], 5);
    EXPECT_EQ(map["trunks"][0]["tip"],
              "Quito - Ship, to Ship busy 25 % of the time, 1000 bytes, 5 packets dropped");
    EXPECT_EQ(map["trunks"][1]["drops"], 0);
    const auto title = map["title"].get<std::string>();
    EXPECT_NE(title.find(", at 3 towns joined by 2 trunks"), std::string::npos) << title;
}

// At 60 degrees a degree of longitude is half as long as one of latitude.
TEST(HtmlReport, DrawsTownsWithTrueProportions)
{
    auto results = MakeResults(2, 2);
    results.sites.sites = {{"a", 7, {{10.0, 59.0}}}, {"b", 8, {{20.0, 61.0}}}};
    results.sites.trunks = {{0, 1}};
    results.sites.siteOf = {0, 1};
    const Json sites = FindParts(ReadPage(MakeHtmlReport(results)), "map").at(0)["sites"];
    EXPECT_NEAR(sites[1]["x"].get<double>() - sites[0]["x"].get<double>(), 5, 1e-3);
    EXPECT_NEAR(sites[1]["y"].get<double>() - sites[0]["y"].get<double>(), 2, 1e-3);
}

TEST(HtmlReport, DrawsTheWaysOfLearnersThatMoved)
{
    auto results = MakeResults(2, 2);
    results.positions = {{1, 2}, {3, 4}};
    results.motion = {{Seconds(0), 0, Vector(1, 2, 0)},
                      {Seconds(0), 1, Vector(3, 4, 0)},
                      {Seconds(2), 1, Vector(5, 4, 9)},
                      {Seconds(3), 1, Vector(5, 6, 9)}};
    const Json nodes = FindParts(ReadPage(MakeHtmlReport(results)), "map").at(0)["nodes"];
    EXPECT_FALSE(nodes[0].contains("track"));
    EXPECT_EQ(nodes[1]["track"], Json::parse("[[3, 4], [5, 4], [5, 6]]"));
    for (int k = 0; k < 1000; ++k) // in the end at (1000, 0)
    {
        results.motion.push_back({Seconds(k + 4), 1, Vector(k + 1, 0, 0)});
    }
    const Json track =
        FindParts(ReadPage(MakeHtmlReport(results)), "map").at(0)["nodes"][1]["track"];
    EXPECT_LE(track.size(), 201U);
    EXPECT_EQ(track.front(), Json::parse("[3, 4]"));
    EXPECT_EQ(track.back(), Json::parse("[1000, 0]"));
}

TEST(HtmlReport, GroupsWarningsThatDifferInNumbersOnly)
{
    auto results = MakeResults(2, 2);
    results.warnings = {"learner 1: s = 0.25", "another", "learners 2, 3: s = 0.5"};
    results.rows[1].record.late += 1;
    const Json warnings = ReadPage(MakeHtmlReport(results))["warnings"];
    ASSERT_EQ(warnings.size(), 4U); // learner and learners are two
    EXPECT_NE(warnings[3]["text"].get<std::string>().find("do not add up"), std::string::npos);
    results.warnings = {"learner 1: s = 0.25", "another", "learner 12: s = 3"};
    results.rows[1].record.late -= 1;
    EXPECT_EQ(ReadPage(MakeHtmlReport(results))["warnings"],
              Json::parse(R"([{"text": "learner 1: s = 0.25", "more": ["learner 12: s = 3"]},
                              {"text": "another", "more": []}])"));
}

TEST(HtmlReport, ComparesRuns)
{
    auto other = MakeResults(3, 6);
    for (auto& row : other.rows)
    {
        row.evaluation->accuracy = 0.75;
    }
    const auto html = MakeHtmlReport(MakeResults(3, 5), "Wi-Fi", {{"ideal", other}});
    const Json page = ReadPage(html);
    EXPECT_EQ(TitlesOf(page),
              (std::vector<std::string>{"Learning",
                                        "Comparison",
                                        "Privacy",
                                        "Where the time goes: Wi-Fi",
                                        "Messages: Wi-Fi",
                                        "Learners: Wi-Fi",
                                        "Events: Wi-Fi",
                                        "Settings: Wi-Fi"}));
    EXPECT_EQ(page["sentence"].get<std::string>().rfind("Wi-Fi: After 5 rounds", 0), 0U);
    const Json accuracy = FindPart(page, "Accuracy");
    EXPECT_EQ(accuracy["names"], (Json::array({"Wi-Fi", "ideal"})));
    EXPECT_EQ(accuracy["axes"]["rounds"]["curves"][1][0], (Json::array({0, 1, 2, 3, 4, 5})));
    EXPECT_EQ(accuracy["axes"]["bytes"]["curves"][0][0][1], 1200); // 2 rounds of 3 x 200
    ExpectRefused(
        [&] {
            MakeHtmlReport(other, "a", {{"a", other}});
        },
        "a run is there twice: a, RngSeed 3, RngRun 4");
    EXPECT_EQ(page["warnings"], Json::array());
    other.warnings = {"learner 1 is down"};
    const Json warned = ReadPage(MakeHtmlReport(MakeResults(3, 5), "Wi-Fi", {{"ideal", other}}));
    EXPECT_EQ(warned["warnings"][0]["text"], "ideal: learner 1 is down");
    other.warnings.clear();
    other.status = "interrupted";
    const Json cut = ReadPage(MakeHtmlReport(MakeResults(3, 5), "Wi-Fi", {{"ideal", other}}));
    EXPECT_EQ(cut["warnings"][0]["text"],
              "1 of 2 runs is not complete and left out of means, costs and tests");
}

TEST(HtmlReport, StaysSmallForLongRunsOfManyNodes)
{
    auto results = MakeResults(200, 1500);
    for (auto& row : results.rows)
    {
        const double wave = 1 + 0.5 * std::sin(0.7 * row.record.round * row.record.round);
        row.evaluation->loss *= wave;
        row.evaluation->error *= wave;
        row.evaluation->consensus *= wave;
        row.evaluation->accuracy *= 0.5 * wave;
    }
    for (LearnerId a = 0; a < 200; ++a)
    {
        for (LearnerId b = 0; b < a; ++b)
        {
            results.graph.AddEdge(a, b);
        }
    }
    const auto html = MakeHtmlReport(results);
    EXPECT_LT(html.size(), 1500000U);
    const Json page = ReadPage(html);
    EXPECT_EQ(FindParts(page, "map").at(0)["title"],
              "200 learners, 19900 links (4000 drawn), drawn on a circle");
    EXPECT_NE(page["sections"][0]["note"].get<std::string>().find(
                  "Of 1500 evaluated rounds at most 600 points are drawn; each band takes in the "
                  "rounds left out."),
              std::string::npos);
    EXPECT_EQ(FindPart(page, "Every 8th evaluated round")["rows"].size(), 189U); // with the last
}

} // namespace
