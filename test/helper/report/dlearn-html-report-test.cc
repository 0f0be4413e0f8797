/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-test-support.h"
#include "dlearn-xml-check.h"

#include "ns3/dlearn-html-report.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();

TEST(HtmlReport, HasAllSectionsAndNeedsNothingElse)
{
    auto results = MakeResults(4, 20);
    results.warnings = {"the graph is not connected"};
    results.parameters = {{"learners", "4"}};
    results.attributes = {{"ns3::dlearn::X::Y", "17"}};
    const auto html = MakeHtmlReport(results);
    EXPECT_EQ(FindXmlFault(html), "");
    for (const std::string text : {"dlearn-demo",
                                   "seed 3",
                                   "<b>20</b><span>rounds closed",
                                   "<b>50 %</b><span>final accuracy",
                                   "<b>0.05</b><span>final loss",
                                   "<b>0.1</b><span>final error",
                                   "<b>10.75</b><span>largest epsilon",
                                   "Loss against simulated time",
                                   "Loss against round",
                                   "Accuracy against round",
                                   "Error against round",
                                   "Consensus against round",
                                   "Privacy spent",
                                   "Messages per round",
                                   "Bytes per round",
                                   "Round duration",
                                   "Topology: 4 learners, 4 links",
                                   "the graph is not connected",
                                   "<th scope=\"row\">learners</th><td>4</td>",
                                   "<th scope=\"row\">ns3::dlearn::X::Y</th><td>17</td>"})
    {
        EXPECT_NE(html.find(text), std::string::npos) << text;
    }
    // Of 160 messages node 1 lost one in each of ten rounds.
    EXPECT_NE(html.find("<b>93.75 %</b><span>delivered in time"), std::string::npos);
    for (const std::string text : {"<script", "http-equiv", "src=", "href=", "url(", "@import"})
    {
        EXPECT_EQ(html.find(text), std::string::npos) << text;
    }
    // The only addresses are names of the SVG language.
    EXPECT_EQ(CountOf(html, "http"), CountOf(html, "xmlns=\"http://www.w3.org/2000/svg\""));
}

TEST(HtmlReport, EscapesAllText)
{
    const std::string nasty = "</title><script>\"a\" & 'b'</script>";
    auto results = MakeResults(2, 2);
    results.program = nasty;
    results.parameters = {{nasty, nasty}};
    results.attributes = {{nasty, nasty}};
    results.totals = {{nasty, 1}};
    results.warnings = {nasty};
    results.roles = {nasty, "peer"};
    results.graph.names = {nasty, nasty};
    const auto html = MakeHtmlReport(results);
    EXPECT_EQ(FindXmlFault(html), "");
    EXPECT_EQ(html.find("<script"), std::string::npos);
}

TEST(HtmlReport, TellsNothingOfTheWallClock)
{
    auto results = MakeResults(3, 5);
    const auto html = MakeHtmlReport(results);
    results.wallSeconds = 123.5;
    EXPECT_EQ(MakeHtmlReport(results), html);
}

TEST(HtmlReport, LeavesOutWhatDoesNotApply)
{
    auto results = MakeResults(2, 3);
    for (auto& row : results.rows)
    {
        row.evaluation->accuracy = NOT_A_NUMBER;
        row.evaluation->loss = row.record.round == 1 ? INFINITE : 0.5;
        row.record.epsilon = INFINITE;
        row.record.epsilonNominal = INFINITE;
    }
    const auto html = MakeHtmlReport(results);
    EXPECT_EQ(FindXmlFault(html), "");
    EXPECT_EQ(html.find("ccuracy"), std::string::npos);
    EXPECT_EQ(html.find("Privacy spent"), std::string::npos);
    EXPECT_NE(html.find("<b>inf</b><span>largest epsilon"), std::string::npos);
    EXPECT_NE(html.find("no privacy is guaranteed"), std::string::npos);
    EXPECT_NE(html.find("Loss against round"), std::string::npos);
    EXPECT_EQ(html.find("nan"), std::string::npos);

    const auto empty = MakeHtmlReport(RunResults());
    EXPECT_EQ(FindXmlFault(empty), "");
    EXPECT_NE(empty.find("No round was evaluated."), std::string::npos);
    EXPECT_NE(empty.find("No round was closed."), std::string::npos);
}

TEST(HtmlReport, MarksNodesThatStopped)
{
    auto results = MakeResults(3, 4);
    EXPECT_EQ(MakeHtmlReport(results).find("hollow"), std::string::npos);
    results.rows.pop_back(); // node 2 did not close the last round
    const auto html = MakeHtmlReport(results);
    EXPECT_NE(html.find("hollow: closed fewer rounds than others"), std::string::npos);
    EXPECT_NE(html.find("learner 2, peer, last round 2"), std::string::npos);
    EXPECT_NE(html.find("learner 1, peer, last round 3"), std::string::npos);
}

TEST(HtmlReport, SaysWhenCountsDoNotAddUp)
{
    auto results = MakeResults(2, 2);
    EXPECT_EQ(MakeHtmlReport(results).find("do not add up"), std::string::npos);
    results.rows[1].record.late += 1;
    EXPECT_NE(MakeHtmlReport(results).find("do not add up"), std::string::npos);
}

TEST(HtmlReport, StaysSmallForLongRunsOfManyNodes)
{
    // 200 nodes x 300 rounds of restless curves on a complete graph; 1000 rounds give the
    // same size, because lines have a budget of points, but take this test longer.
    auto results = MakeResults(200, 300);
    for (auto& row : results.rows)
    {
        const double wave = 1 + 0.5 * std::sin(0.7 * row.record.round * row.record.round);
        row.evaluation->loss *= wave;
        row.evaluation->error *= wave;
        row.evaluation->consensus *= wave;
        row.evaluation->accuracy *= 0.5 * wave;
        row.record.epsilon *= wave; // no ledger does this
    }
    for (LearnerId a = 0; a < 200; ++a)
    {
        for (LearnerId b = 0; b < a; ++b)
        {
            results.graph.AddEdge(a, b);
        }
    }
    const auto html = MakeHtmlReport(results);
    EXPECT_LT(html.size(), 1000000U);
    EXPECT_NE(html.find("19900 links (4000 drawn)"), std::string::npos);
}

} // namespace
