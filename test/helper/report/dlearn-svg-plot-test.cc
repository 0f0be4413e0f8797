/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-test-support.h"
#include "dlearn-xml-check.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-line-thinning.h"
#include "ns3/dlearn-plot-axis.h"
#include "ns3/dlearn-svg-plot.h"
#include "ns3/dlearn-svg-topology.h"

#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;
using Style = PlotSeries::Style;

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();

/**
 * @param axis an axis
 * @return its labels, joined by spaces
 */
std::string
LabelsOf(const PlotAxis& axis)
{
    std::string labels;
    for (const auto& tick : axis.GetTicks())
    {
        labels += tick.label.empty() ? "" : (labels.empty() ? "" : " ") + tick.label;
    }
    return labels;
}

TEST(PlotAxis, LinearTicksAreRoundNumbers)
{
    EXPECT_EQ(LabelsOf({0, 1, {}}), "0 0.2 0.4 0.6 0.8 1");
    EXPECT_EQ(LabelsOf({0.31, 0.93, {}}), "0 0.2 0.4 0.6 0.8 1"); // 0 is near: show it
    EXPECT_EQ(LabelsOf({-3, 7, {}}), "-4 -2 0 2 4 6 8");
    EXPECT_EQ(LabelsOf({0, 99, {false, true, true}}), "0 20 40 60 80");
    EXPECT_EQ(LabelsOf({0, 2, {false, true, true}}), "0 1 2");               // no round 0.5
    EXPECT_EQ(LabelsOf({5, 5, {}}), "2 3 4 5 6 7 8");                        // a constant
    EXPECT_EQ(LabelsOf({-0.5, 99.5, {false, true, true}}), "0 20 40 60 80"); // no -0
    const std::string power = "10<tspan dy=\"-0.45em\" font-size=\"80%\">";
    EXPECT_EQ(LabelsOf({0, 2e6, {}}),
              "0 5&#215;" + power + "5</tspan> " + power + "6</tspan> 1.5&#215;" + power +
                  "6</tspan> 2&#215;" + power + "6</tspan>");
}

TEST(PlotAxis, LogTicksArePowersOfTen)
{
    const std::string power = "10<tspan dy=\"-0.45em\" font-size=\"80%\">";
    EXPECT_EQ(LabelsOf({1e-2, 10, {true, false, false}}),
              power + "-2</tspan> " + power + "-1</tspan> " + power + "0</tspan> " + power +
                  "1</tspan>");
    EXPECT_EQ(LabelsOf({0.1, 0.9, {true, false, false}}), "0.1 0.2 0.5 1");
    // Not more labels than there is room for.
    const PlotAxis wide(1e-300, 1e300, {true, false, false});
    EXPECT_GE(CountOf(LabelsOf(wide), "tspan dy"), 4U);
    EXPECT_LE(CountOf(LabelsOf(wide), "tspan dy"), 9U);
}

TEST(PlotAxis, SharesAreProportional)
{
    const PlotAxis linear(-2, 8, {false, false, true});
    EXPECT_DOUBLE_EQ(linear.GetShare(-2), 0);
    EXPECT_DOUBLE_EQ(linear.GetShare(3), 0.5);
    EXPECT_DOUBLE_EQ(linear.GetShare(8), 1);
    EXPECT_DOUBLE_EQ(linear.GetShare(18), 2);
    const PlotAxis log(1, 1e4, {true, false, true});
    EXPECT_DOUBLE_EQ(log.GetShare(100), 0.5);
    EXPECT_DOUBLE_EQ(log.GetShare(0), 0); // below every power: at the foot
    EXPECT_FALSE(PlotAxis::CanShow(0, true));
    EXPECT_TRUE(PlotAxis::CanShow(0, false));
    EXPECT_FALSE(PlotAxis::CanShow(NOT_A_NUMBER, false));
    EXPECT_FALSE(PlotAxis::CanShow(-INFINITE, false));
    EXPECT_FALSE(PlotAxis::CanShow(INFINITE, true));
}

TEST(ThinLine, KeepsThePictureAndDropsTheRest)
{
    // A sine with one spike, 5000 points on 600 pixels.
    std::vector<LinePoint> line;
    for (int k = 0; k < 5000; ++k)
    {
        line.push_back({0.12 * k, 100 + 50 * std::sin(0.004 * k)});
    }
    line[2345].y = 7;
    const auto thin = ThinLine(line, 1000);
    EXPECT_LT(thin.size(), 150U);
    size_t next = 0;
    bool spike = false;
    for (const auto& point : line)
    {
        while (next + 2 < thin.size() && thin[next + 1].x <= point.x)
        {
            ++next;
        }
        const auto& a = thin[next];
        const auto& b = thin[next + 1];
        const double y = a.y + (b.y - a.y) * (point.x - a.x) / (b.x - a.x);
        spike = spike || a.y == 7 || b.y == 7;
        // 0.2 pixels across the line are more upwards where it is steep.
        const double slope = (b.y - a.y) / (b.x - a.x);
        EXPECT_LE(std::abs(y - point.y), 0.2 * std::hypot(1, slope) + 1e-9);
    }
    EXPECT_TRUE(spike);
    EXPECT_LE(ThinLine(line, 20).size(), 20U);
}

TEST(ThinLine, KeepsGaps)
{
    const LinePoint gap{0, 0, true};
    const auto thin = ThinLine({{0, 0}, {1, 0}, {2, 0}, gap, gap, {5, 5}, gap, {7, 1}}, 100);
    ASSERT_EQ(thin.size(), 6U);
    EXPECT_EQ(thin[1].x, 2);
    EXPECT_TRUE(thin[2].gap);
    EXPECT_EQ(thin[3].x, 5);
    EXPECT_TRUE(thin[4].gap);
    EXPECT_EQ(thin[5].x, 7);
    EXPECT_TRUE(ThinLine({}, 10).empty());
}

TEST(SvgPlot, IsWellFormedWithAnyText)
{
    const std::string nasty = "</svg><script>alert(\"x\" & 'y')</script>";
    SvgPlot plot(nasty, nasty, nasty);
    plot.Add({nasty, {0, 1, 2}, {1, 2, 3}, {0, 1, 2}, {2, 3, 4}});
    plot.Add({nasty, {0, 1, 2}, {1, 2, 3}, {}, {}, Style::DASHED});
    plot.Add({nasty, {0, 1, 2}, {1, 2, 3}, {0, 1, 2}, {2, 3, 4}, Style::POINTS});
    plot.Add({nasty, {0, 1, 2}, {}, {0, 1, 2}, {2, 3, 4}, Style::AREA});
    plot.Add({"", {0, 1, 2}, {1, 2, 3}, {}, {}, Style::THIN});
    const auto svg = plot.Draw();
    EXPECT_EQ(FindXmlFault(svg), "");
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(CountOf(svg, "<style>"), 1U);
    EXPECT_EQ(CountOf(plot.Draw(false), "<style>"), 0U);
    EXPECT_EQ(plot.Draw(), svg);
}

TEST(SvgPlot, SkipsWhatCanNotBeShown)
{
    SvgPlot plot("title", "x", "y");
    plot.SetLogY();
    plot.Add({"line",
              {0, 1, 2, 3, 4, 5, NOT_A_NUMBER},
              {1, 10, NOT_A_NUMBER, INFINITE, 0, 100, 1e9},
              {0, 1, NOT_A_NUMBER, 1, -1, 10, 1e9},
              {10, 100, NOT_A_NUMBER, INFINITE, 0, 1000, 1e9}});
    const auto svg = plot.Draw(false);
    EXPECT_EQ(FindXmlFault(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    // The axis ends at the largest band, 1000, not at 1e9, whose x is missing.
    EXPECT_NE(svg.find("80%\">3</tspan>"), std::string::npos);
    EXPECT_EQ(svg.find("80%\">4</tspan>"), std::string::npos);
    // Three markers; the lone last point is a dot of the line, too.
    EXPECT_EQ(CountOf(svg, "a3.5 3.5 0 1 0 7 0"), 3U + 1U); // one in the legend
    EXPECT_EQ(CountOf(svg, "h0\""), 1U);
}

TEST(SvgPlot, DrawsPointsWhereTheyBelong)
{
    // The line of a plot from corner to corner touches both ends of both axes.
    SvgPlot plot("title", "x", "y");
    plot.Add({"", {0, 10}, {0, 5}, {}, {}, Style::DASHED});
    const auto svg = plot.Draw(false);
    const auto at = svg.find("class=\"l c0 d\" d=\"M");
    ASSERT_NE(at, std::string::npos);
    double x1 = 0;
    double y1 = 0;
    double x2 = 0;
    double y2 = 0;
    ASSERT_EQ(
        std::sscanf(svg.c_str() + at, "class=\"l c0 d\" d=\"M%lf %lfL%lf %lf", &x1, &y1, &x2, &y2),
        4);
    EXPECT_EQ(x2, 620);      // 20 pixels free on the right of 640
    EXPECT_EQ(y1 - y2, 270); // the height of the area
    EXPECT_LT(x1, 60);
}

TEST(SvgPlot, NothingToShowIsSaid)
{
    SvgPlot plot("title", "x", "y");
    EXPECT_TRUE(plot.IsEmpty());
    plot.SetLogY();
    plot.Add({"zero", {1, 2}, {0, 0}});
    EXPECT_TRUE(plot.IsEmpty());
    const auto svg = plot.Draw();
    EXPECT_EQ(FindXmlFault(svg), "");
    EXPECT_NE(svg.find("nothing to show"), std::string::npos);
    plot.Add({"one", {1}, {1}});
    EXPECT_FALSE(plot.IsEmpty());
    EXPECT_EQ(plot.Draw().find("nothing to show"), std::string::npos);
}

TEST(SvgPlot, RefusesWhatDoesNotFit)
{
    SvgPlot plot("title", "x", "y");
    ExpectRefused(
        [&] {
            plot.Add({"s", {1, 2}, {1}});
        },
        "SvgPlot: series 's': y must have 2 entries, got 1");
    ExpectRefused(
        [&] {
            plot.Add({"s", {1}, {1}, {1}, {}});
        },
        "SvgPlot: series 's': low and high differ in length");
    ExpectRefused(
        [&] {
            plot.Add({"s", {1, 2}, {1, 2}, {1}, {2}});
        },
        "SvgPlot: series 's': low must have 2 entries, got 1");
    ExpectRefused(
        [&] {
            plot.Add({"s", {1}, {1}, {}, {}, Style::AREA});
        },
        "SvgPlot: series 's': low must have 1 entries, got 0");
    ExpectRefused([&] { plot.SetYRange(2, 1); }, "got 2 to 1");
    ExpectRefused([&] { plot.SetYRange(0, INFINITE); }, "got 0 to inf");
    plot.SetLogY();
    ExpectRefused([&] { plot.SetYRange(0, 1); }, "above 0 on a logarithmic axis, got 0 to 1");
}

TEST(SvgPlot, WritesAFileOfItsOwn)
{
    TemporaryDirectory directory;
    SvgPlot plot("title", "x", "y");
    plot.Add({"a", {1, 2}, {3, 4}});
    plot.Write(directory.GetPath("plot.svg"));
    EXPECT_EQ(ReadFile(directory.GetPath("plot.svg")), plot.Draw(true));
}

TEST(SvgTopology, ShowsRolesArrowsAndStoppedNodes)
{
    Graph graph(4);
    graph.AddEdge(0, 1);
    graph.SetWeight(2, 3, 1); // 3 -> 2 only
    std::vector<TopologyNode> nodes(4);
    nodes[0].role = "server";
    nodes[3].stopped = true;
    nodes[3].tip = "<3>";
    const auto svg = DrawTopology(graph, {{0, 0}, {10, 0}, {10, 10}, {0, 10}}, nodes);
    EXPECT_EQ(FindXmlFault(svg), "");
    EXPECT_EQ(CountOf(svg, "class=\"off c0\""), 1U); // the stopped peer
    EXPECT_EQ(CountOf(svg, "class=\"m f0\""), 2U);   // the other peers
    EXPECT_EQ(CountOf(svg, "class=\"m f1\""), 1U);   // the server
    EXPECT_EQ(CountOf(svg, "&lt;3&gt;"), 1U);
    EXPECT_NE(svg.find("2 links"), std::string::npos);
    EXPECT_EQ(svg.find("circle<"), std::string::npos); // positions were given
    // One arrow head: a triangle.
    const auto arrow = svg.find("class=\"arrow\" d=\"M");
    ASSERT_NE(arrow, std::string::npos);
    EXPECT_EQ(CountOf(svg.substr(arrow, svg.find("/>", arrow) - arrow), "z"), 1U);

    EXPECT_NE(DrawTopology(graph, {}, nodes).find("drawn on a circle"), std::string::npos);
    EXPECT_EQ(FindXmlFault(DrawTopology(Graph(1), {}, {TopologyNode()})), "");
    ExpectRefused([&] { DrawTopology(graph, {}, {}); },
                  "DrawTopology: nodes must have 4 entries, got 0");
}

} // namespace
