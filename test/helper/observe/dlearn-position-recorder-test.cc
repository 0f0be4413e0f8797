/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/constant-position-mobility-model.h"
#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/dlearn-network-animation.h"
#include "ns3/simulator.h"
#include "ns3/waypoint-mobility-model.h"

#include <gtest/gtest.h>
#include <memory>

namespace ns3::dlearn
{
namespace
{

/** Nodes that stand, go, and have no place. */
class PositionRecorderTest : public testing::Test
{
  protected:
    PositionRecorderTest()
    {
        nodes.Create(4);
        const auto stands = CreateObject<ConstantPositionMobilityModel>();
        stands->SetPosition(Vector(1, 2, 3));
        nodes.Get(0)->AggregateObject(stands);
        goes = CreateObject<ConstantVelocityMobilityModel>();
        nodes.Get(2)->AggregateObject(goes);
        goes->SetVelocity(Vector(2, 0, 0));
        walks = CreateObject<WaypointMobilityModel>();
        nodes.Get(3)->AggregateObject(walks);
        walks->AddWaypoint(Waypoint(Seconds(0), Vector(0, 0, 0)));
        walks->AddWaypoint(Waypoint(Seconds(2), Vector(4, 0, 0)));
        walks->AddWaypoint(Waypoint(Seconds(5), Vector(4, 6, 0)));
    }

    ~PositionRecorderTest() override
    {
        recorder.reset();
        Simulator::Destroy();
    }

    /** @return the records of a node of a run of six seconds */
    std::vector<PositionRecord> Run(LearnerId node)
    {
        recorder = std::make_unique<PositionRecorder>(nodes);
        // ns-3's waypoint model announces a waypoint only when it is asked for its position.
        for (int second = 1; second <= 6; ++second)
        {
            Simulator::Schedule(Seconds(second), [this] { walks->GetPosition(); });
        }
        Simulator::Schedule(Seconds(4), [this] { goes->SetVelocity(Vector(0, 1, 0)); });
        Simulator::Stop(Seconds(6));
        Simulator::Run();
        std::vector<PositionRecord> own;
        for (const PositionRecord& record : recorder->GetRecords())
        {
            if (record.node == node)
            {
                own.push_back(record);
            }
        }
        return own;
    }

    NodeContainer nodes;                        //!< of learners
    Ptr<ConstantVelocityMobilityModel> goes;    //!< of learner 2
    Ptr<WaypointMobilityModel> walks;           //!< of learner 3
    std::unique_ptr<PositionRecorder> recorder; //!< once Run() was called
};

TEST_F(PositionRecorderTest, ANodeThatStandsHasOneRecord)
{
    const auto records = Run(0);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].time, Seconds(0));
    EXPECT_EQ(records[0].position, Vector(1, 2, 3));
}

TEST_F(PositionRecorderTest, ANodeWithoutAPlaceHasNone)
{
    EXPECT_TRUE(Run(1).empty());
}

TEST_F(PositionRecorderTest, ANodeThatGoesHasItsTurnsAndItsEnd)
{
    const auto records = Run(2);
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[0].position, Vector(0, 0, 0));
    EXPECT_EQ(records[1].time, Seconds(4));
    EXPECT_EQ(records[1].position, Vector(8, 0, 0));
    EXPECT_EQ(records[2].time, Seconds(6));
    EXPECT_EQ(records[2].position, Vector(8, 2, 0));
}

TEST_F(PositionRecorderTest, WaypointsAreRecorded)
{
    const auto records = Run(3);
    ASSERT_GE(records.size(), 3U);
    EXPECT_EQ(records.front().position, Vector(0, 0, 0));
    EXPECT_EQ(records.back().time, Seconds(6));
    EXPECT_EQ(records.back().position, Vector(4, 6, 0));
    const bool turned = std::any_of(records.begin(), records.end(), [](const auto& record) {
        return record.time == Seconds(2) && record.position == Vector(4, 0, 0);
    });
    EXPECT_TRUE(turned);
}

} // namespace
} // namespace ns3::dlearn
