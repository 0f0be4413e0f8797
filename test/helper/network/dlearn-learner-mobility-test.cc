/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-network.h"
#include "ns3/mobility-model.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t LEARNERS = 12;
constexpr double SIDE = 20; // small, so that all of them meet its borders

/** Where learners are, from second to second. */
using Path = std::vector<Vector>;

/** Lets learners move on a radio network. */
class LearnerMobilityTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Config::Reset();
        Simulator::Destroy();
    }

    /** @return the paths of all learners in a simulation of as many seconds */
    static std::vector<Path> Follow(const std::string& mobility, uint32_t seconds)
    {
        NetworkOptions options;
        options.side = SIDE;
        options.mobility = LearnerMobility::Parse(mobility);
        options.positions.assign(LEARNERS, {7, 9});
        options.positions[0] = {0, 0}; // borders belong to the square
        options.positions[1] = {SIDE, 3};
        auto network = CreateNetwork("wifi-adhoc");
        network->Build(Graph(LEARNERS), options);
        network->AssignStreams(100);
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
        network.reset();
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
                         [](const auto& info) {
                             std::string name;
                             for (const char c : info.param)
                             {
                                 name += c == '-' ? '_' : c;
                             }
                             return name;
                         });

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

TEST_F(LearnerMobilityTest, RefusesWhatItDoesNotKnow)
{
    ExpectRefused([] { LearnerMobility::Parse("teleport"); },
                  "mobility must be none, csv:FILE, ns2:FILE or one of gauss-markov, ");
    ExpectRefused([] { LearnerMobility::Parse("csv:"); },
                  "mobility must name a file, csv:FILE; got 'csv:'");
    ExpectRefused([] { LearnerMobility::Parse("ns2:"); },
                  "mobility must name a file, ns2:FILE; got 'ns2:'");
    ExpectRefused([] { LearnerMobility::Parse("random-walk,pace=3"); },
                  "mobility random-walk has the parameters ");
    ExpectRefused([] { LearnerMobility::Parse("gauss-markov,bounds=1"); }, "mobility");
    ExpectRefused([] { LearnerMobility::Parse(""); }, "mobility must be none, ");
}

} // namespace
} // namespace ns3::dlearn
