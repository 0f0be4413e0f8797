/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Joules and batteries of whole runs against calculation by hand. The transmission of a radio is
 * tested in dlearn-physics-test.cc.
 */

#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/basic-energy-source-helper.h"
#include "ns3/config.h"
#include "ns3/csma-helper.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-existing-network.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-address-helper.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** Restores defaults that a test changes. */
class EnergyTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Config::Reset();
        Ipv4AddressGenerator::Reset();
    }
};

/** @return peers on a network without delay whose computing takes 1 W, and nothing else any */
RunSpec
OneWatt()
{
    Config::SetDefault("ns3::dlearn::FlopsCompute::Flops", DoubleValue(1000));
    Config::SetDefault("ns3::dlearn::FlopsCompute::Overhead", TimeValue(Time(0)));
    RunSpec spec = SmallRun("ideal");
    spec.energy = true;
    spec.joulesPerOperation = "0.001";
    spec.txJoulesPerBit = "0";
    spec.rxJoulesPerBit = "0";
    return spec;
}

/** @return times of an event of all learners, which are the same; nothing when there is none */
std::optional<Time>
FindEvent(const RunResults& results, const std::string& name)
{
    std::optional<Time> time;
    std::set<LearnerId> learners;
    for (const RunEvent& event : results.timeline)
    {
        if (event.event == name)
        {
            EXPECT_EQ(time.value_or(event.time), event.time);
            time = event.time;
            learners.insert(*event.node);
        }
    }
    EXPECT_EQ(learners.size(), time ? 5U : 0U) << name;
    return time;
}

TEST_F(EnergyTest, ComputingSpendsItsOperations)
{
    const RunResults results = RunToEnd(OneWatt()).results;
    ASSERT_EQ(results.rows.size(), 100U);
    double total = 0;
    for (const ResultRow& row : results.rows)
    {
        // 1 W for as long as it computes; times are rounded to nanoseconds.
        EXPECT_NEAR(row.energy, row.record.compute.GetSeconds(), 1.1e-9);
        EXPECT_GT(row.energy, 0.1);
        EXPECT_TRUE(std::isnan(row.battery));
        total += row.energy;
    }
    EXPECT_NEAR(results.GetTotalEnergy(), total, 1e-9);
    EXPECT_TRUE(results.battery.empty());
}

TEST_F(EnergyTest, MeasuringChangesNothingElse)
{
    RunSpec spec = SmallRun("p2p");
    const std::string plain = *MakeResultsFiles(RunToEnd(spec).results).at("rounds.csv");
    EXPECT_EQ(plain.find("_j"), std::string::npos);
    spec.battery = "1000";
    spec.txJoulesPerBit = "1e-7";
    spec.rxJoulesPerBit = "1e-8";
    const std::string measured = *MakeResultsFiles(RunToEnd(spec).results).at("rounds.csv");
    std::istringstream lines(measured);
    std::string stripped;
    for (std::string line; std::getline(lines, line);)
    {
        size_t begin = 0;
        for (int column = 0; column < 20; ++column)
        {
            begin = line.find(',', begin) + 1;
        }
        line.erase(begin, line.find(',', line.find(',', begin) + 1) + 1 - begin);
        stripped += line + "\n";
    }
    EXPECT_EQ(stripped, plain);
    EXPECT_NE(measured.find("round_s,last_from,energy_j,battery_j,queue_s"), std::string::npos);
}

// Each learner sends 20 messages to each of its two neighbours, one packet each: 8 bytes of UDP, 20
// of IP and, on a link, 2 of PPP more than what dlearn hands to its socket.
TEST_F(EnergyTest, BitsSpendWhatTheySay)
{
    for (const auto& [network, header] : std::map<std::string, int>{{"ideal", 28}, {"p2p", 30}})
    {
        RunSpec spec = SmallRun(network);
        spec.energy = true;
        spec.joulesPerOperation = "0";
        spec.txJoulesPerBit = "3e-6";
        spec.rxJoulesPerBit = "1e-6";
        const RunResults results = RunToEnd(spec).results;
        uint64_t bytes = 0;
        for (const ResultRow& row : results.rows)
        {
            bytes += row.record.txBytes;
        }
        const double bits = 8.0 * (static_cast<double>(bytes) + 5 * 2 * 20 * header);
        EXPECT_NEAR(results.GetTotalEnergy() / (4e-6 * bits), 1, 1e-12) << network;
    }
}

TEST_F(EnergyTest, ABatteryEndsItsLearnerWhenItsJoulesAreSpent)
{
    RunSpec spec = OneWatt();
    spec.energy = false; // the battery says so
    spec.rounds = 1000;
    spec.battery = "20";
    const RunResults results = RunToEnd(spec).results;
    EXPECT_EQ(FindEvent(results, "battery-empty"), Seconds(20)); // 20 J / 1 W
    for (const ResultRow& row : results.rows)
    {
        EXPECT_NEAR(row.battery, 20 - row.record.closed.GetSeconds(), 1e-9);
    }
    for (LearnerId id = 0; id < 5; ++id)
    {
        EXPECT_NEAR(results.energy.at(id), 20, 1e-9);
        EXPECT_EQ(results.battery.at(id), 0);
    }
    const auto& warnings = results.warnings;
    const auto has = [&warnings](const std::string& text) {
        return std::any_of(warnings.begin(), warnings.end(), [&text](const auto& warning) {
            return warning.find(text) != std::string::npos;
        });
    };
    EXPECT_TRUE(has("the battery is empty, since round "));
    EXPECT_TRUE(has("at 20 s, of learners 0-4: use larger batteries"));
    EXPECT_TRUE(has("as nothing can change any more (battery empty: learners 0-4)"));
}

// All of the bus's bytes are paid for: who is without power sends nothing, and answers nobody.
TEST_F(EnergyTest, WithoutPowerNothingIsSent)
{
    for (const auto& [network, transport] :
         std::vector<std::pair<const char*, const char*>>{{"csma", "udp"},
                                                          {"csma", "tcp"},
                                                          {"p2p", "udp"},
                                                          {"p2p", "tcp"}})
    {
        RunSpec spec = SmallRun(network, transport);
        spec.dataSamples = 500;
        spec.rounds = 200;
        spec.rate = "1Mbps";
        spec.joulesPerOperation = "0";
        spec.txJoulesPerBit = "1e-6";
        spec.rxJoulesPerBit = "0";
        spec.battery = "uniform:0.1:0.5";
        const RunResults results = RunToEnd(spec).results;
        double bits = 0;
        for (const LinkRecord& link : results.links)
        {
            bits += 8.0 * static_cast<double>(link.txBytes);
        }
        ASSERT_GT(results.GetTotalEnergy(), 0);
        // At most one frame of each learner was on its way when the battery was empty.
        EXPECT_LE(bits * 1e-6, results.GetTotalEnergy() + 5 * 8 * 1518e-6) << network << transport;
    }
}

// 10 W of computing empty a battery of 10 mJ in a millisecond, long before a round is over.
TEST_F(EnergyTest, ALearnerThatNeverClosesARoundIsNotRestartedForEver)
{
    RunSpec spec = OneWatt();
    spec.rounds = 1000; // each restart uses one up
    spec.joulesPerOperation = "0.01";
    spec.battery = "0.01";
    spec.harvest = "0.1";
    spec.responseTimeout = "10ms";
    const RunResults results = RunToEnd(spec).results;
    EXPECT_TRUE(results.rows.empty());
    EXPECT_EQ(std::count_if(results.timeline.begin(),
                            results.timeline.end(),
                            [](const RunEvent& event) { return event.event == "restarted"; }),
              5 * 100);
    const auto& warnings = results.warnings;
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.rfind("restarts have ended of learners 0-4: ", 0) == 0;
    }));
}

TEST_F(EnergyTest, ANodesOwnSourceIsDrawnOn)
{
    RunSpec spec = OneWatt();
    spec.txJoulesPerBit = "2e-5";
    spec.rxJoulesPerBit = "1e-5";
    dlearn::Run run(spec, [](uint32_t learners) {
        const NodeContainer bus(learners);
        InternetStackHelper().Install(bus);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(CsmaHelper().Install(bus));
        BasicEnergySourceHelper battery;
        battery.Set("BasicEnergySourceInitialEnergyJ", DoubleValue(1000));
        battery.Install(bus.Get(2));
        return CreateObject<ExistingNetwork>(bus);
    });
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    ASSERT_EQ(results.battery.size(), 1U);
    EXPECT_GT(results.energy.at(2), 10);
    // BasicEnergySource rounds what is drawn to nanojoules, at each of some thousand changes.
    EXPECT_NEAR(results.battery.at(2), 1000 - results.energy.at(2), 1e-4);
    EXPECT_NEAR(results.energy.at(2), results.energy.at(1), 0.05 * results.energy.at(1));
}

TEST_F(EnergyTest, RefusesWhatHasNoEffect)
{
    RunSpec spec = SmallRun("csma");
    spec.energy = true;
    const std::string missing = "needs tx-joules-per-bit and rx-joules-per-bit, as ns-3 has no "
                                "energy model of ns3::CsmaNetDevice";
    ExpectRefused([&] { dlearn::Run run(spec); }, "option energy has no effect: it " + missing);
    spec.battery = "3";
    ExpectRefused([&] { dlearn::Run run(spec); }, "battery of learner 0 " + missing);
    spec.battery.clear();
    spec.txJoulesPerBit = spec.rxJoulesPerBit = "1e-6";
    const auto shared = [](uint32_t learners) {
        const NodeContainer bus(learners - 1);
        InternetStackHelper().Install(bus);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(CsmaHelper().Install(bus));
        return CreateObject<ExistingNetwork>(NodeContainer(bus, bus.Get(0)));
    };
    ExpectRefused([&] { dlearn::Run run(spec, shared); },
                  "energy needs a node for each learner, as it is that of nodes; learners 0 and 4 "
                  "share one");
}

/** What a node has spent in all is never less than its rows say together. */
void
ExpectTotalsCoverRows(const RunResults& results)
{
    std::map<LearnerId, double> rows;
    for (const ResultRow& row : results.rows)
    {
        rows[row.record.node] += row.energy;
    }
    ASSERT_FALSE(rows.empty());
    for (const auto& [node, joules] : rows)
    {
        EXPECT_GE(results.energy.at(node), joules * (1 - 1e-12)) << "learner " << node;
    }
}

// Clients still have models to train on when the server has closed its last round.
TEST_F(EnergyTest, CountsClientsThatEndAfterTheirServer)
{
    RunSpec spec = FedAvgPreset("energy-test");
    spec.network = "p2p";
    spec.transport = "udp";
    spec.delay = "50ms";
    spec.data = "generated";
    spec.dataSamples = 1000;
    spec.learners = 6;
    spec.rounds = 6;
    spec.mode = "buffered";
    spec.bufferSize = 3;
    spec.energy = true;
    spec.txJoulesPerBit = "1e-7";
    spec.rxJoulesPerBit = "5e-8";
    const RunResults results = RunFederation(spec).results;
    Time server;
    Time client;
    for (const ResultRow& row : results.rows)
    {
        Time& last = row.role == "server" ? server : client;
        last = Max(last, row.record.closed);
    }
    EXPECT_GT(client, server) << "the test must have a client that goes on";
    ExpectTotalsCoverRows(results);
}

// Before the stations of a cell are ready, their radios are idle but for some frames: 0.273 A x 3
// V.
TEST_F(EnergyTest, JoulesCountFromTheTimeFromWhichAllTimesDo)
{
    RunSpec spec = FedAvgPreset("energy-test");
    spec.network = "wifi-infra";
    spec.data = "generated";
    spec.dataSamples = 1000;
    spec.learners = 3;
    spec.rounds = 2;
    spec.battery = "1.5"; // too little for the time before
    const RunResults results = RunFederation(spec).results;
    const double before = 0.273 * 3 * results.readySeconds;
    ASSERT_GT(before, 1.5);
    EXPECT_EQ(FindEvent(results, "battery-empty"), std::nullopt);
    for (const auto& [node, charge] : results.battery)
    {
        EXPECT_NEAR(charge, 1.5 - results.energy.at(node), 1e-6) << node;
    }
    spec.battery.clear();
    spec.energy = true;
    spec.timeFrom = "start";
    for (const auto& [node, joules] : RunFederation(spec).results.energy)
    {
        EXPECT_NEAR((joules - results.energy.at(node)) / before, 1, 0.05) << node;
    }
}

// The second that a simulation goes on for packets under way empties no battery.
TEST_F(EnergyTest, BatteriesOutliveTheRunThatTheyLastFor)
{
    RunSpec spec = FedAvgPreset("energy-test");
    spec.network = "wifi-infra";
    spec.data = "generated";
    spec.dataSamples = 1000;
    spec.learners = 3;
    spec.rounds = 5;
    spec.energy = true;
    const RunResults unlimited = RunFederation(spec).results;
    double most = 0;
    for (const auto& [node, joules] : unlimited.energy)
    {
        most = std::max(most, joules);
    }
    spec.battery = std::to_string(most + 0.01);
    const RunResults limited = RunFederation(spec).results;
    EXPECT_EQ(FindEvent(limited, "battery-empty"), std::nullopt);
    for (const auto& [node, joules] : limited.energy)
    {
        EXPECT_EQ(joules, unlimited.energy.at(node)) << node;
        if (node > 0)
        {
            EXPECT_NEAR(limited.battery.at(node), most + 0.01 - joules, 1e-6) << node;
        }
    }
}

} // namespace
} // namespace ns3::dlearn
