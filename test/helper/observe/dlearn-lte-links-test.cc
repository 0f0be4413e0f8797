/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-short-runs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ns3::dlearn
{
namespace
{

#ifdef DLEARN_WITH_LTE

/** @return the records of LTE's radio of a run */
std::vector<LinkRecord>
SelectRadio(const RunResults& results)
{
    std::vector<LinkRecord> radio;
    std::copy_if(results.links.begin(),
                 results.links.end(),
                 std::back_inserter(radio),
                 [](const LinkRecord& link) { return link.link.rfind("lte-", 0) == 0; });
    return radio;
}

/** Three clients, of which each gets and sends 7840 numbers of 4 bytes in each of four rounds. */
RunSpec
ThreeClients()
{
    RunSpec spec = FedAvgPreset("lte");
    spec.network = "lte";
    spec.data = "glyphs";
    spec.dataSamples = 100;
    spec.task = "softmax";
    spec.learners = 3;
    spec.rounds = 4;
    return spec;
}

// Models are 22 datagrams each way with 40 bytes of TCP and IP, whose acknowledgements go the other
// way. Of RLC and PDCP each transport block has a few bytes, and TCP repeats nothing.
TEST(LteLinks, CountWhatTheRadioCarries)
{
    const RunResults results = test::Execute(ThreeClients());
    const std::vector<LinkRecord> radio = SelectRadio(results);
    ASSERT_EQ(radio.size(), 6U);
    const double model = 7840 * 4;
    std::map<std::string, double> sums;
    for (const LinkRecord& link : radio)
    {
        EXPECT_EQ(link.link, "lte-1");
        EXPECT_TRUE((link.from == "node 4") != (link.to == "node 4")) << link.from << link.to;
        EXPECT_GE(link.txBytes, 4 * model * 1.02);
        EXPECT_LE(link.txBytes, 4 * model * 1.2);
        EXPECT_EQ(link.queueDrops, 0U);
        EXPECT_FALSE(link.loss);
        EXPECT_FALSE(link.again);
        // ns-3's radio carries at most 4.6 kB in a subframe of 1 ms at 10 MHz (36.213, 50 blocks).
        EXPECT_GE(link.busy * test::GetEnd(results) * 1000, link.txBytes / 4587.0 * 0.95);
        EXPECT_LE(link.busy, 1);
        EXPECT_GE(link.queueMean, 1) << "a subframe at least";
        EXPECT_GE(link.queueWorst, link.queueMean);
        EXPECT_LT(link.queueWorst, results.simulatedSeconds * 1000);
        sums[link.from == "node 4" ? "down" : "up"] += static_cast<double>(link.txBytes);
    }
    // The wired link of the server carries the same packets, with 2 bytes of PPP.
    for (const LinkRecord& link : results.links)
    {
        if (link.link.rfind("p2p-", 0) == 0 && (link.from == "0" || link.to == "0"))
        {
            const double wired = sums[link.from == "0" ? "down" : "up"] / link.txBytes;
            EXPECT_NEAR(wired, 1, 0.1) << link.from;
        }
    }
}

TEST(LteLinks, AHandoverBeginsAnotherLink)
{
    RunSpec spec = ThreeClients();
    spec.baseStations = 2;
    spec.side = 1000;
    spec.mobility = "random-waypoint,speed=60";
    spec.rounds = 200; // long enough for a handover with whatever positions ns-3 draws
    std::set<std::string> cells;
    const RunResults results = test::Execute(spec);
    const std::vector<LinkRecord> radio = SelectRadio(results);
    for (const LinkRecord& link : radio)
    {
        cells.insert(link.link);
    }
    EXPECT_EQ(cells.size(), 2U);
    EXPECT_GT(radio.size(), 6U);
    std::map<std::string, size_t> events;
    std::set<std::pair<LearnerId, std::string>> moves;
    for (const RunEvent& event : results.timeline)
    {
        ++events[event.event];
        if (event.event == "handed-over")
        {
            moves.emplace(event.node.value(), event.detail);
        }
    }
    EXPECT_EQ(events["associated"], 3U);
    EXPECT_GE(events["handed-over"], (radio.size() - 6) / 2) << "links that three clients lack";
    for (const auto& [client, move] : moves)
    {
        EXPECT_TRUE(move == "node 4 to node 5" || move == "node 5 to node 4") << move;
    }
}

#endif

} // namespace
} // namespace ns3::dlearn
