/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "dlearn-network-test-support.h"

#include "ns3/dlearn-network.h"
#include "ns3/dlearn-position-trace.h"
#include "ns3/mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/ns2-mobility-helper.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using test::TemporaryFile;

/** Reads traces and lets learners move as they say. */
class PositionTraceTest : public NetworkTest
{
  protected:
    /** @return where models are, from time to time */
    static std::vector<Vector> Follow(const std::vector<Ptr<MobilityModel>>& models, Time end)
    {
        std::vector<Vector> path;
        for (Time time; time <= end; time += MilliSeconds(130))
        {
            Simulator::Schedule(time, [&] {
                for (const auto& model : models)
                {
                    path.push_back(model->GetPosition());
                }
            });
        }
        Simulator::Run();
        return path;
    }

    /** Expect that the text of a file is refused. */
    static void Refused(PositionTrace (*read)(const std::string&),
                        const std::string& text,
                        const std::string& message)
    {
        const TemporaryFile file(text);
        ExpectRefused([&] { read(file.GetPath()); }, file.GetPath() + message);
    }
};

TEST_F(PositionTraceTest, ATableIsFollowedInStraightLines)
{
    const TemporaryFile file("time_s,node,x_m,y_m,z_m\n0,1,5,5,0\n2, 0, 10, 0, 0\r\n"
                             "4,0,20,0,0\n4.5,0,20,8,0\n",
                             true);
    const PositionTrace trace = ReadPositionTable(file.GetPath());
    EXPECT_TRUE(trace.Has(0) && trace.Has(1) && !trace.Has(2));
    EXPECT_EQ(trace.GetStart(0), std::make_pair(10.0, 0.0));
    const auto model = trace.CreateModel(0);
    const auto still = trace.CreateModel(1);
    const std::pair<double, Vector> expected[] = {{0, Vector(10, 0, 0)},
                                                  {2, Vector(10, 0, 0)},
                                                  {2.5, Vector(12.5, 0, 0)},
                                                  {4, Vector(20, 0, 0)},
                                                  {4.25, Vector(20, 4, 0)},
                                                  {4.5, Vector(20, 8, 0)},
                                                  {100, Vector(20, 8, 0)}};
    for (const auto& [seconds, position] : expected)
    {
        Simulator::Schedule(Seconds(seconds), [&, position = position] {
            EXPECT_NEAR(CalculateDistance(model->GetPosition(), position), 0, 1e-9);
            EXPECT_EQ(still->GetPosition(), Vector(5, 5, 0));
        });
    }
    Simulator::Run();
}

// The times of a run whose learners were ready after 3 s; in another network they are after 1 s.
TEST_F(PositionTraceTest, TimesMayCountFromALaterMoment)
{
    const TemporaryFile file("time_s,node,x_m,y_m\n-3,0,0,0\n1,0,8,0\n");
    const PositionTrace trace = ReadPositionTable(file.GetPath());
    const auto same = trace.CreateModel(0, Seconds(3));
    const auto sooner = trace.CreateModel(0, Seconds(1));
    const std::vector<std::array<double, 3>> expected{{0, 0, 4}, {1, 2, 6}, {2, 4, 8}, {4, 8, 8}};
    for (const auto& [seconds, at, other] : expected)
    {
        Simulator::Schedule(Seconds(seconds), [&, at = at, other = other] {
            EXPECT_NEAR(same->GetPosition().x, at, 1e-9);
            EXPECT_NEAR(sooner->GetPosition().x, other, 1e-9);
        });
    }
    Simulator::Run();
}

const std::string NS2_STARTS = "# made by hand\n"
                               "$node_(0) set X_ 10.5\n$node_(0) set Y_ 20\n"
                               "$node_(0) set Z_ 0.0\n"
                               "$node_(1) set X_ 1\n$node_(1) set Y_ 2\n"
                               "$node_(2) set X_ 3\n$node_(2) set Y_ 4\n\n"
                               "$god_ set-dist 0 1 2\n";

const std::string NS2_LATE = "$ns_ at 8.0 \"$node_(0) setdest 0 0 3.0\"\n";

TEST_F(PositionTraceTest, Ns2MovementsAreThoseOfNs3)
{
    // With a goal that is never reached, a stop, and two commands at one time.
    const TemporaryFile file(NS2_STARTS +
                             "$ns_ at 1.0 \"$node_(0) setdest 30 20 1.5\"\n"
                             "$ns_ at 3.25 \"$node_(0) setdest 30 50 2.5\"\n"
                             "$ns_ at 2.0 \"$god_ set-dist 0 1 1\"\n"
                             "$ns_ at 0.5 \"$node_(1) setdest 41.0 32.0 10\"\n"
                             "$ns_ at 2 \"$node_(1) setdest 9 9 0\"\n"
                             "$ns_ at 30 \"$node_(1) setdest 9 9 4\";\n" +
                             NS2_LATE);
    const PositionTrace trace = ReadNs2Movements(file.GetPath());
    NodeContainer nodes(3);
    Ns2MobilityHelper(file.GetPath()).Install(nodes.Begin(), nodes.End());
    std::vector<Ptr<MobilityModel>> models;
    for (uint32_t k = 0; k < 3; ++k)
    {
        models.push_back(trace.CreateModel(k));
        models.push_back(nodes.Get(k)->GetObject<MobilityModel>());
    }
    const auto path = Follow(models, Seconds(60));
    ASSERT_FALSE(path.empty());
    for (size_t k = 0; k + 1 < path.size(); k += 2)
    {
        EXPECT_NEAR(CalculateDistance(path[k], path[k + 1]), 0, 1e-6) << k;
    }
    EXPECT_NEAR(CalculateDistance(path.back(), Vector(3, 4, 0)), 0, 1e-9);
}

/** @return a time step of floating car data */
std::string
MakeStep(const std::string& time, const std::string& inside)
{
    return "<timestep time=\"" + time + "\">" + inside + "</timestep>\r\n";
}

std::string
MakeVehicle(const std::string& id, const std::string& place)
{
    return "<vehicle id=\"" + id + "\" " + place + " angle=\"90.00\" lane=\"a_0\"/>";
}

const std::string FCD_HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fcd-export>\n";

// The movements of two cars as SUMO writes them, and as ns-3 reads them from a file of ns-2; a
// person and a third car without a learner besides. The first time step is 100.5 s.
TEST_F(PositionTraceTest, FloatingCarDataMoveAsThoseOfNs2)
{
    const std::string person = "<person id=\"p\" x=\"1\" y=\"1\"/>";
    const TemporaryFile fcd(
        FCD_HEAD + MakeStep("100.50", person + MakeVehicle("west.1", "x=\"10\" y=\"20\"")) +
        MakeStep("104.50",
                 MakeVehicle("a&lt;b", "x='1' y='2' z='3'") +
                     MakeVehicle("west.1", "x=\"18\" y=\"20\"") + MakeVehicle("c", "x='1' y='1'")) +
        MakeStep("110.50",
                 MakeVehicle("west.1", "x=\"18\" y=\"26\"") +
                     MakeVehicle("a&lt;b", "x='7' y='2' z='3'")) +
        MakeStep("112.50", MakeVehicle("west.1", "x=\"18\" y=\"26\"")) + "</fcd-export>\n");
    const TemporaryFile ns2("$node_(0) set X_ 10\n$node_(0) set Y_ 20\n"
                            "$node_(1) set X_ 1\n$node_(1) set Y_ 2\n$node_(1) set Z_ 3\n"
                            "$ns_ at 0 \"$node_(0) setdest 18 20 2\"\n"
                            "$ns_ at 4 \"$node_(0) setdest 18 26 1\"\n"
                            "$ns_ at 4 \"$node_(1) setdest 7 2 1\"\n");
    const PositionTrace trace = ReadFloatingCarData(fcd.GetPath());
    NodeContainer nodes(2);
    Ns2MobilityHelper(ns2.GetPath()).Install(nodes.Begin(), nodes.End());
    const auto path = Follow({trace.CreateModel(0),
                              nodes.Get(0)->GetObject<MobilityModel>(),
                              trace.CreateModel(1),
                              nodes.Get(1)->GetObject<MobilityModel>()},
                             Seconds(15));
    for (size_t k = 0; k + 1 < path.size(); k += 2)
    {
        EXPECT_NEAR(CalculateDistance(path[k], path[k + 1]), 0, 1e-6) << k;
    }
    EXPECT_FALSE(trace.GetPresence(0).from || trace.GetPresence(0).until);
    EXPECT_EQ(trace.GetPresence(1).from, Seconds(4));
    EXPECT_EQ(trace.GetPresence(1).until, Seconds(10));
    EXPECT_EQ(trace.GetPresence(2).until, Seconds(4));
}

// Learner 0 stands at the roadside, and the car of learner 1 is there from 2 s to 5 s.
TEST_F(PositionTraceTest, ACarIsReachedWhileItIsThere)
{
    const std::string car = MakeVehicle("a", "x='5' y='5'");
    const TemporaryFile cars(FCD_HEAD + MakeStep("0", "") + MakeStep("2", car) +
                             MakeStep("5", car) + MakeStep("9", "") + "</fcd-export>");
    const TemporaryFile road("time_s,node,x_m,y_m\n0,0,5,0\n");
    const std::string both = "csv:" + road.GetPath() + "+fcd:" + cars.GetPath() + ",offset=1";
    const auto network = Make("wifi-adhoc,preset=p", Complete(2), {}, {{"Mobility", both}});
    UdpMesh mesh(*network);
    for (const double time : {1.0, 2.5, 4.5, 5.5})
    {
        mesh.Burst(0, network->GetAddress(0, 1), 1, 100, Seconds(time));
        mesh.Burst(1, network->GetAddress(1, 0), 1, 100, Seconds(time + 0.2));
    }
    Simulate(10);
    const std::map<std::pair<LearnerId, LearnerId>, uint32_t> expected{{{0, 1}, 2}, {{1, 0}, 2}};
    EXPECT_EQ(mesh.received, expected);
    ExpectRefused([&] { LearnerMobility::Parse(both + "+csv:" + road.GetPath()); },
                  "mobility: learner 0 must be in one file, is in ");
}

TEST_F(PositionTraceTest, RefusesWhatIsNoFloatingCarData)
{
    const auto refused = [](const std::string& text, const std::string& message) {
        Refused(&ReadFloatingCarData, text, message);
    };
    const auto whole = [](const std::string& steps) { return FCD_HEAD + steps + "</fcd-export>"; };
    const std::string car = MakeVehicle("a", "x='5' y='5'");
    refused("hello", ":1: is not XML: ");
    refused(FCD_HEAD + MakeStep("0", car), ":4: is not XML: ");
    refused("<net></net>", ":1: must begin with the element fcd-export");
    refused(whole(MakeStep("0", "")), ": must have at least one vehicle");
    refused(whole(MakeStep("now", car)), ":3: time must be a finite number, got 'now'");
    refused(whole(MakeStep("1", car) + MakeStep("1", car)),
            ":4: time must be more than the one before it");
    refused(whole(MakeStep("0", car + car)), ":3: vehicle 'a' is there twice in a time step");
    refused(whole(MakeStep("0", MakeVehicle("a", "x='5'"))), ":3: y must be a finite number");
    refused(whole(MakeStep("0", "<vehicle x='5' y='5'/>")), ":3: a vehicle must have an id");
}

// Node 0 goes 3 m/s from x = 0, is put at (50, 20) at 2 s, and goes on 1 m/s at 4 s. Node 1 begins
// where it is put first. Both are at a height, and lines end in semicolons, CR and LF.
TEST_F(PositionTraceTest, ANodeMayBePutElsewhere)
{
    const TemporaryFile file("$node_(0) set X_ 0;\r\n$node_(0) set Y_ 5;\r\n"
                             "$node_(0) set Z_ 1.5;\r\n"
                             "$ns_ at 1.0 \"$node_(0) setdest 30 5 3\";\r\n"
                             "$ns_ at 2.0 \"$node_(0) set X_ 50\"\r\n"
                             "$ns_ at 2.0 \"$node_(0) set Y_ 20\"\r\n"
                             "$ns_ at 4.0 \"$node_(0) setdest 50 30 1\"\r\n"
                             "$ns_ at 3.0 \"$node_(1) set Z_ 9\"\n"
                             "$ns_ at 1.0 \"$node_(1) set X_ 7\"\n"
                             "$ns_ at 1.0 \"$node_(1) set Y_ 8\"\n"
                             "$ns_ at 2.0 \"$node_(1) set X_ 10\"\n"
                             "$node_(1) set Z_ 3\n");
    const PositionTrace trace = ReadNs2Movements(file.GetPath());
    const Ptr<MobilityModel> nodes[]{trace.CreateModel(0), trace.CreateModel(1)};
    const std::tuple<double, Vector, Vector> expected[]{
        {0, Vector(0, 5, 1.5), Vector(7, 8, 3)},
        {1.5, Vector(1.5, 5, 1.5), Vector(7, 8, 3)},
        {1.999, Vector(2.997, 5, 1.5), Vector(7, 8, 3)},
        {2, Vector(50, 20, 1.5), Vector(10, 8, 3)},
        {3.999, Vector(50, 20, 1.5), Vector(10, 8, 9)},
        {6, Vector(50, 22, 1.5), Vector(10, 8, 9)}};
    for (const auto& [seconds, first, second] : expected)
    {
        Simulator::Schedule(Seconds(seconds), [&nodes, at = std::pair(first, second)] {
            EXPECT_NEAR(CalculateDistance(nodes[0]->GetPosition(), at.first), 0, 1e-6);
            EXPECT_NEAR(CalculateDistance(nodes[1]->GetPosition(), at.second), 0, 1e-6);
        });
    }
    Simulator::Run();
}

TEST_F(PositionTraceTest, AMovementMayTakeLessThanANanosecond)
{
    const TemporaryFile file(NS2_STARTS + "$ns_ at 5.0 \"$node_(2) setdest 13 4 1e12\"\n" +
                             "$ns_ at 7.0 \"$node_(2) setdest 13 8 1\"\n");
    const auto path = Follow({ReadNs2Movements(file.GetPath()).CreateModel(2)}, Seconds(20));
    EXPECT_EQ(path.front(), Vector(3, 4, 0));
    EXPECT_NE(std::find(path.begin(), path.end(), Vector(13, 4, 0)), path.end());
    EXPECT_EQ(path.back(), Vector(13, 8, 0));
}

TEST_F(PositionTraceTest, LearnersOfANetworkMoveAsTheTraceSays)
{
    const TemporaryFile file("time_s,node,x_m,y_m\n0,0,0,0\n0,1,10,0\n4,1,10,8\n0,7,9,9\n");
    NetworkSetup setup;
    const Attributes moving{{"Mobility", "csv:" + file.GetPath()}};
    const auto network = Make("wifi-adhoc", Graph(2), setup, moving);
    const std::vector<std::pair<double, double>> starts{{0, 0}, {10, 0}};
    EXPECT_EQ(network->GetPositions(), starts);
    Simulator::Stop(Seconds(3));
    Simulator::Run();
    const auto at = network->GetNodes().Get(1)->GetObject<MobilityModel>()->GetPosition();
    EXPECT_NEAR(CalculateDistance(at, Vector(10, 6, 0)), 0, 1e-9);

    ExpectBuildRefused("wifi-adhoc", Graph(3), setup, " has no position of learner 2", moving);
    setup.positions = {{1, 1}, {2, 2}};
    ExpectBuildRefused("wifi-adhoc",
                       Graph(2),
                       setup,
                       "learners are where the file of mobility says",
                       moving);
    ExpectBuildRefused("wifi-adhoc,side=7",
                       Graph(2),
                       {},
                       ": position (10, 0) of learner 1 lies outside the square of side 7",
                       moving);
}

TEST_F(PositionTraceTest, AnAccessPointWithoutAPlaceIsInTheCentre)
{
    const TemporaryFile file("time_s,node,x_m,y_m,z_m\n0,0,10,0,4\n0,1,10,5,0\n");
    NetworkSetup setup;
    setup.server = 0;
    ExpectBuildRefused("wifi-infra",
                       Star(3),
                       setup,
                       "wifi-infra: " + file.GetPath() +
                           " has no position of learner 2; learner 0 is the server, and "
                           "',offset=1' behind the name of the file makes learner k + 1 of node k",
                       {{"Mobility", "csv:" + file.GetPath()}});
    const auto network =
        Make("wifi-infra", Star(3), setup, {{"Mobility", "csv:" + file.GetPath() + ",offset=1"}});
    const std::vector<std::pair<double, double>> places{{30, 30}, {10, 0}, {10, 5}};
    EXPECT_EQ(network->GetPositions(), places);
    EXPECT_EQ(network->GetNodes().Get(1)->GetObject<MobilityModel>()->GetPosition(),
              Vector(10, 0, 4));
    ExpectRefused([&] { LearnerMobility::Parse("csv:" + file.GetPath() + ",offset=-1"); },
                  "mobility: offset must be a whole number from 0 to 4294967295, got '-1'");
    ExpectRefused([] { LearnerMobility::Parse("csv:,offset=1"); }, "mobility must name a file");
}

TEST_F(PositionTraceTest, RefusesWhatIsNoTable)
{
    const auto refused = [](const std::string& text, const std::string& message) {
        Refused(&ReadPositionTable, text, message);
    };
    const std::string head = "time_s,node,x_m,y_m\n";
    refused("", ": the first line must be 'time_s,node,x_m,y_m' or ");
    refused(head, ": must have at least one position");
    refused(head + "1,0,1\n", ":2: must have 4 fields, got 3");
    refused(head + "-5e9,0,1,1\n", ":2: time_s must be between -4.6e9 and 4.6e9, got '-5e9'");
    refused(head + "0,-1,1,1\n", ":2: node must be a whole number of at least 0, got '-1'");
    refused(head + "0,0,inf,1\n", ":2: x_m must be a finite number, got 'inf'");
    refused(head + "1,0,1,1\n1,0,2,2\n",
            ":3: time_s of node 0 must be more than the one before it, got 1");
    refused("time_s,node,x_m,y_m,z_m\n0,0,1,1,inf\n", ":2: z_m must be a finite number");
}

TEST_F(PositionTraceTest, RefusesWhatIsNoNs2Movement)
{
    const auto refused = [](const std::string& text, const std::string& message) {
        Refused(&ReadNs2Movements, text, message);
    };
    const std::string head = "$node_(0) set X_ 1\n$node_(0) set Y_ 1\n";
    const std::string at = "$ns_ at 1 ";
    refused("", ": must have at least one node");
    refused("hello\n", ":1: must be '$node_(N) set X_ VALUE', '$ns_ at TIME ");
    refused("$node_(0) set X_ 1\n", ": node 0 must have both X_ and Y_ set");
    refused("$node_(0) set X_ one\n", ":1: X_ must be a finite number, got 'one'");
    refused("$node_(0) set X_ 1\n$node_(0) set X_ 2\n", ":2: X_ is set twice");
    refused("$node_(0) set W_ 3\n", ":1: can set X_, Y_ and Z_, got W_");
    refused("$node_(0) set X_ 1\n" + at + "\"$node_(0) set Z_ 1\"\n",
            ": node 0 must have both X_ and Y_ set");
    refused("$node_(-1) set X_ 3\n", ":1: a node must be written as $node_(N), got '$node_(-1)'");
    refused(head + at + "\"$node_(0) setdest 5 nan 1\"\n", ":3: y must be a finite number");
    refused(head + at + "\"$node_(0) setdest 5 5 -1\"\n", ":3: speed must be at least 0, got -1");
    refused(head + "$ns_ at -1 \"$node_(0) setdest 5 5 1\"\n",
            ":3: time must be from 0 to below 4.6e9, got -1");
    refused(head + at + "\"$node_(0) setdest 5 5 1e-12\"\n",
            ": node 0 must arrive at (5, 5) before 4.6e9 s, but its speed is 1e-12");
}

} // namespace
} // namespace ns3::dlearn
