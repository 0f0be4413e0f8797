/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-short-runs.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/dlearn-network-animation.h"
#include "ns3/simulator.h"
#include "ns3/waypoint-mobility-model.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>

namespace ns3::dlearn
{
namespace
{

#ifdef DLEARN_WITH_NETANIM

using boost::property_tree::ptree;

const std::string GREEN = "0 150 60";
const std::string BLUE = "40 90 220";
const std::string RED = "220 30 30";

/** Runs with a file for NetAnim, which is read back. */
class NetworkAnimationTest : public testing::Test
{
  protected:
    void TearDown() override { std::filesystem::remove(m_path); }

    /** @return the root of the file of a run */
    ptree Animate(RunSpec spec)
    {
        spec.netanim = m_path;
        m_results = test::Execute(spec);
        ptree file;
        read_xml(m_path, file);
        return file.get_child("anim");
    }

    /** @return the values that a node is given, one after the other: "c" colours, "d" texts */
    static std::vector<std::string> GetUpdates(const ptree& anim,
                                               const std::string& kind,
                                               const std::string& node)
    {
        std::vector<std::string> values;
        for (const auto& [name, element] : anim)
        {
            const auto get = [&element = element](const char* key) {
                return element.get<std::string>(std::string("<xmlattr>.") + key, "");
            };
            if (name == "nu" && get("p") == kind && get("id") == node)
            {
                values.push_back(kind == "c" ? get("r") + " " + get("g") + " " + get("b")
                                             : get("descr"));
            }
        }
        return values;
    }

    /** Folder of this test's own, as tests run side by side. */
    const std::string m_path{testing::TempDir() + "dlearn-animation-" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() +
                             ".xml"};
    RunResults m_results; //!< of the last run
};

TEST_F(NetworkAnimationTest, HasWhatLearnersDo)
{
    RunSpec spec = test::ThreePeers();
    spec.churn = "crash:1@5ms";
    const ptree anim = Animate(spec);
    const auto healthy = GetUpdates(anim, "c", "0");
    ASSERT_FALSE(healthy.empty());
    EXPECT_NE(std::find(healthy.begin(), healthy.end(), GREEN), healthy.end());
    EXPECT_EQ(healthy.back(), BLUE);
    EXPECT_EQ(GetUpdates(anim, "c", "1").back(), RED);
    const auto texts = GetUpdates(anim, "d", "2");
    EXPECT_EQ(texts.back(), "2: round 9");
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "2: peer"), 1);
    EXPECT_EQ(std::count_if(texts.begin(),
                            texts.end(),
                            [](const auto& text) { return text.find("round") < text.size(); }),
              10);
}

TEST_F(NetworkAnimationTest, ChangesNothing)
{
    for (const char* network : {"p2p", "wifi-infra", "csma"})
    {
        RunSpec spec = test::ThreePeers();
        spec.network = network;
        const ptree anim = Animate(spec);
        const auto with = m_results.rows;
        const auto without = test::Execute(spec).rows;
        ASSERT_EQ(with.size(), without.size());
        for (size_t k = 0; k < with.size(); ++k)
        {
            EXPECT_EQ(with[k].record.closed, without[k].record.closed) << network << k;
        }
        EXPECT_GT(anim.count("node"), 2U);
    }
}

TEST_F(NetworkAnimationTest, TheFolderOfTheResultsMayBeNew)
{
    RunSpec spec = test::ThreePeers();
    spec.out = testing::TempDir() + "dlearn-new-folder-of-an-animation";
    spec.netanim = spec.out + "/animation.xml";
    test::Execute(spec);
    EXPECT_EQ(std::filesystem::remove_all(spec.out), 2U); // with the file
}

#endif

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
