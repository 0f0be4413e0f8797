/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"
#include "support/dlearn-parameter-name.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-placement.h"
#include "ns3/mobility-model.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t LEARNERS = 12;
constexpr double SIDE = 20; // small, so that all of them meet its borders

/** Where learners are, from second to second. */
using Path = std::vector<Vector>;

/** Lets learners move on a radio network. */
class LearnerMobilityTest : public NetworkTest
{
  protected:
    /** @return the paths of all learners in a simulation of as many seconds */
    static std::vector<Path> Follow(const std::string& mobility, uint32_t seconds)
    {
        NetworkSetup setup;
        setup.positions.assign(LEARNERS, {7, 9});
        setup.positions[0] = {0, 0}; // borders belong to the square
        setup.positions[1] = {SIDE, 3};
        auto network = Make("wifi-adhoc,side=20", Graph(LEARNERS), setup, {{"Mobility", mobility}});
        std::vector<Path> paths(LEARNERS);
        for (uint32_t second = 0; second <= seconds; ++second)
        {
            Simulator::Schedule(Seconds(second), [&] {
                for (LearnerId id = 0; id < LEARNERS; ++id)
                {
                    const auto node = network->GetNodes().Get(id);
                    paths[id].push_back(node->GetObject<MobilityModel>()->GetPosition());
                }
            });
        }
        Simulator::Stop(Seconds(seconds + 0.5));
        Simulator::Run();
        network = nullptr;
        Simulator::Destroy();
        return paths;
    }
};

/** All models that there are. */
class EveryMobility : public LearnerMobilityTest, public testing::WithParamInterface<std::string>
{
};

TEST_P(EveryMobility, StaysInTheSquareFromItsStartOnAndRepeats)
{
    const auto paths = Follow(GetParam(), 500);
    EXPECT_NEAR(CalculateDistance(paths[0][0], Vector(0, 0, 0)), 0, 1e-4);
    EXPECT_NEAR(CalculateDistance(paths[1][0], Vector(SIDE, 3, 0)), 0, 1e-4);
    for (const Path& path : paths)
    {
        double way = 0;
        for (size_t k = 0; k < path.size(); ++k)
        {
            const Vector& at = path[k];
            EXPECT_TRUE(at.x >= 0 && at.x <= SIDE && at.y >= 0 && at.y <= SIDE && at.z == 0) << at;
            way += k > 0 ? CalculateDistance(at, path[k - 1]) : 0;
        }
        // At 1.5 m/s 750 m, less pauses and what is cut at corners within a second.
        EXPECT_GT(way, 150);
        EXPECT_LT(way, 2500);
    }
    EXPECT_NE(paths[2], paths[3]); // from the same place, with random variables of their own
    EXPECT_EQ(paths, Follow(GetParam(), 500));
    RngSeedManager::SetRun(2);
    EXPECT_NE(paths, Follow(GetParam(), 500));
    RngSeedManager::SetRun(1);
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryMobility,
                         testing::ValuesIn(GetComponentNames(GetMobilityFamily())),
                         [](const auto& info) { return test::MakeParameterName(info.param); });

TEST_F(LearnerMobilityTest, AttributesAreThoseOfNs3)
{
    const auto paths = Follow("random-waypoint,speed=0.25,pause=0", 100);
    double fastest = 0;
    double way = 0;
    for (size_t k = 1; k < paths[2].size(); ++k)
    {
        const double step = CalculateDistance(paths[2][k], paths[2][k - 1]);
        fastest = std::max(fastest, step);
        way += step;
    }
    EXPECT_NEAR(fastest, 0.25, 1e-9);
    EXPECT_GT(way, 22); // without pauses 25 m, but for the corners
    const auto uniform = "random-waypoint,speed=ns3::UniformRandomVariable[Min=3|Max=4]";
    EXPECT_NE(Follow(uniform, 100), paths);
    Config::SetDefault("ns3::RandomWaypointMobilityModel::Speed",
                       StringValue("ns3::ConstantRandomVariable[Constant=0.25]"));
    EXPECT_EQ(Follow("random-waypoint,pause=0", 100), paths);
    // What is described goes before what is the default.
    EXPECT_NE(Follow("random-waypoint,pause=0,speed=2", 100), paths);
}

// The shortest time that is allowed.
TEST_F(LearnerMobilityTest, StepsMayTakeAMicrosecond)
{
    const auto paths = Follow("gauss-markov,time-step=1us", 1);
    EXPECT_NE(paths[0].front(), paths[0].back());
}

TEST_F(LearnerMobilityTest, LearnersWithoutItStandStill)
{
    for (const Path& path : Follow("none", 10))
    {
        EXPECT_EQ(path.front(), path.back());
    }
    EXPECT_FALSE(LearnerMobility::Parse("none").IsOn());
    EXPECT_FALSE(LearnerMobility::Parse("false").IsOn());
    EXPECT_EQ(Follow("true", 50), Follow("random-waypoint", 50));
}

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

TEST(RadioGraph, RefusesPowersThatAreMissing)
{
    ExpectRefused(
        [] {
            RadioGraph(Positions{{0, 0}, {1, 0}}, {1});
        },
        "RadioGraph: powers must have 2 entries, got 1");
}

TEST(RadioPowers, AreTheSameForAllOrDrawnFromARange)
{
    EXPECT_EQ(DrawPowers("17.5", 3, 1), std::vector<double>(3, 17.5));
    EXPECT_EQ(DrawPowers("-3:-3", 2, 1), std::vector<double>(2, -3));
    const auto powers = DrawPowers("10:20", 1000, 1);
    EXPECT_EQ(DrawPowers("10:20", 1000, 1), powers) << "the stream decides";
    EXPECT_NE(DrawPowers("10:20", 1000, 2), powers);
    const auto [least, most] = std::minmax_element(powers.begin(), powers.end());
    // Missing the outer 2 percent at either end has probability 2 * 0.98^1000 < 4e-9.
    EXPECT_GE(*least, 10);
    EXPECT_LT(*least, 10.2);
    EXPECT_LE(*most, 20);
    EXPECT_GT(*most, 19.8);
}

TEST(RadioPowers, RefuseWhatIsNoRange)
{
    for (const std::string text : {"", "x", "20:10", "1:2:3", ":", "5:", "nan", "1:inf"})
    {
        ExpectRefused([&] { DrawPowers(text, 2, 1); },
                      "powers must be a number of dBm or a range of two, LOW:HIGH, got '" + text +
                          "'");
    }
}

} // namespace
} // namespace ns3::dlearn
