/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-placement.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

using Positions = std::vector<std::pair<double, double>>;

/** Positions in a square, from a fixed sequence that fills it evenly. */
Positions
FillSquare(uint32_t learners, double side)
{
    Positions positions;
    for (uint32_t k = 1; k <= learners; ++k)
    {
        positions.emplace_back(side * std::fmod(k * 0.7548776662466927, 1),
                               side * std::fmod(k * 0.5698402909980532, 1));
    }
    return positions;
}

/** Powers from 3 to 23 dBm. */
std::vector<double>
MakePowers(uint32_t learners)
{
    std::vector<double> powers;
    for (uint32_t k = 0; k < learners; ++k)
    {
        powers.push_back(3 + (7 * k) % 21);
    }
    return powers;
}

/** Expect an edge exactly from each sender to those not farther than its range in metres. */
void
ExpectRanges(const Graph& graph,
             const Positions& positions,
             const std::function<double(LearnerId)>& range)
{
    uint32_t oneWay = 0;
    ASSERT_EQ(graph.GetSize(), positions.size());
    EXPECT_EQ(graph.positions, positions);
    for (LearnerId i = 0; i < graph.GetSize(); ++i)
    {
        for (LearnerId j = 0; j < graph.GetSize(); ++j)
        {
            const double distance = std::hypot(positions[i].first - positions[j].first,
                                               positions[i].second - positions[j].second);
            // Else the rounding of decibels could decide.
            ASSERT_GT(std::abs(distance - range(j)), 1e-9);
            EXPECT_EQ(graph.GetWeight(i, j), i != j && distance <= range(j) ? 1 : 0)
                << j << " -> " << i << ", " << distance << " m";
            oneWay += graph.GetWeight(i, j) > 0 && graph.GetWeight(j, i) == 0;
        }
    }
    EXPECT_GE(oneWay, 10) << "the case that matters";
}

TEST(RadioGraph, EqualsTheRangesOfFriis)
{
    // P (lambda / (4 pi d))^2 >= P_min with lambda = c / f; solved for d.
    auto friis = CreateObject<FriisPropagationLossModel>();
    friis->SetFrequency(2.4e9);
    friis->SetSystemLoss(1);
    const Positions positions = FillSquare(40, 400);
    const auto powers = MakePowers(40);
    ExpectRanges(RadioGraph(positions, powers, friis, -70), positions, [&](LearnerId j) {
        return 299792458 / 2.4e9 / (4 * M_PI) * std::pow(10, (powers[j] + 70) / 20);
    });
}

TEST(RadioGraph, EqualsTheRangesOfTheWifiNetwork)
{
    // P - 46.6777 - 30 log10(d) >= -82, solved for d: 88 m for 23 dBm.
    const Positions positions = FillSquare(40, 120);
    const auto powers = MakePowers(40);
    ExpectRanges(RadioGraph(positions, powers), positions, [&](LearnerId j) {
        return std::pow(10, (powers[j] + 82 - 46.6777) / 30);
    });
    const Graph pair = RadioGraph(Positions{{0, 0}, {88.1, 0}}, {WIFI_POWER_DBM, 23.1});
    EXPECT_EQ(pair.GetWeight(1, 0), 0);
    EXPECT_EQ(pair.GetWeight(0, 1), 1);
}

TEST(RadioGraph, TakesAnyModelAndMobility)
{
    // Losses that differ by direction, which no position explains; the threshold itself is heard.
    // New versions of ns-3 know a place by its node.
    NodeContainer nodes(3);
    std::vector<Ptr<MobilityModel>> places;
    for (uint32_t k = 0; k < nodes.GetN(); ++k)
    {
        places.push_back(CreateObject<ConstantPositionMobilityModel>());
        places.back()->SetPosition(Vector(k, 10 * k, 5));
        nodes.Get(k)->AggregateObject(places.back());
    }
    auto losses = CreateObject<MatrixPropagationLossModel>();
    losses->SetDefaultLoss(100);
    losses->SetLoss(places[0], places[1], 90, false);
    losses->SetLoss(places[2], places[0], 90.5, false);
    const Graph graph = RadioGraph(places, {10, 10, 10}, losses, -80);
    EXPECT_EQ(graph.GetPairs(), (std::vector<std::pair<LearnerId, LearnerId>>{{0, 1}}));
    EXPECT_EQ(graph.GetWeight(1, 0), 1);
    EXPECT_EQ(graph.GetWeight(0, 1), 0);
    EXPECT_EQ(graph.positions, (Positions{{0, 0}, {1, 10}, {2, 20}}));
    Simulator::Destroy();
}

TEST(RadioGraph, RefusesWhatIsMissing)
{
    const Positions two{{0, 0}, {1, 0}};
    ExpectRefused([&] { RadioGraph(two, {1}); }, "RadioGraph: powers must have 2 entries, got 1");
    ExpectRefused(
        [&] {
            RadioGraph(two, {1, std::nan("")});
        },
        "RadioGraph: power of learner 1 must be finite, got nan");
    ExpectRefused(
        [&] {
            RadioGraph(two, {1, 1}, nullptr);
        },
        "RadioGraph: path loss must be a model, got none");
    ExpectRefused(
        [&] {
            RadioGraph(two, {1, 1}, CreateWifiPathLoss(), -HUGE_VAL);
        },
        "RadioGraph: threshold must be finite, got -inf");
    ExpectRefused(
        [&] {
            RadioGraph(Positions{{0, 0}, {HUGE_VAL, 2}}, {1, 1});
        },
        "RadioGraph: position of learner 1 must be finite, got (inf, 2)");
    ExpectRefused([&] { RadioGraph(std::vector<Ptr<MobilityModel>>{nullptr}, {1}); },
                  "RadioGraph: learner 0 must have a place, got none");
    ExpectRefused([] { RadioGraph(Positions{}, {}); }, "number of learners must be at least 1");
}

} // namespace
