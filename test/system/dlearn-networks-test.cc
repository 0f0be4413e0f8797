/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The network changes time, not learning, as long as it delivers everything; and what it
 * loses is recorded.
 */

#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"
#include "support/dlearn-parameter-name.h"
#include "support/dlearn-test-networks.h"

#include "ns3/dlearn-erasure-code.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-results-summary.h"

#include <map>
#include <sstream>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** Every network and transport that delivers everything: same models, to the last bit. */
class LosslessNetwork : public testing::TestWithParam<std::pair<const char*, const char*>>
{
};

TEST_P(LosslessNetwork, LeadsToTheModelsOfTheIdealOneToTheLastBit)
{
    const Outcome ideal = RunToEnd(SmallRun("ideal"));
    RunSpec options = SmallRun(GetParam().first, GetParam().second);
    // Slow: on a link a model of 112 doubles takes 0.18 s. A bus that all share is stuck then.
    const bool bus = options.network == "csma";
    options.rate = bus ? "1Mbps" : "50kbps";
    options.delay = bus ? "1ms" : "30ms";
    if (options.network == "wifi-mesh")
    {
        options.responseTimeout = "10s"; // searches for paths collide with models and are repeated
    }
    const Outcome slow = RunToEnd(options);
    ASSERT_EQ(slow.models.size(), ideal.models.size());
    for (size_t k = 0; k < ideal.models.size(); ++k)
    {
        EXPECT_TRUE(slow.models[k] == ideal.models[k]) << "learner " << k;
        EXPECT_EQ(CountRows(slow.results, k), 20U);
    }
    EXPECT_GT(slow.results.simulatedSeconds, ideal.results.simulatedSeconds);
    for (const ResultRow& row : slow.results.rows)
    {
        EXPECT_EQ(row.record.received, row.record.expected);
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         LosslessNetwork,
                         testing::Values(std::make_pair("ideal", "tcp"),
                                         std::make_pair("p2p", "udp"),
                                         std::make_pair("p2p", "tcp"),
                                         std::make_pair("csma", "udp"),
                                         std::make_pair("csma", "broadcast"),
                                         std::make_pair("csma", "tcp"),
                                         std::make_pair("wifi-adhoc", "tcp"),
                                         std::make_pair("wifi-infra", "tcp"),
                                         std::make_pair("tree:2", "udp"),
                                         std::make_pair("tree:2", "tcp")),
                         [](const auto& info) { return test::MakeParameterName(info.param); });

#ifdef DLEARN_WITH_MESH
INSTANTIATE_TEST_SUITE_P(Mesh,
                         LosslessNetwork,
                         testing::Values(std::make_pair("wifi-mesh", "tcp")),
                         [](const auto& info) { return test::MakeParameterName(info.param); });
#endif

/** The same with a server. */
class LosslessFederation : public LosslessNetwork
{
};

TEST_P(LosslessFederation, HasTheModelsOfTheIdealOneInEveryRoundToTheLastBit)
{
    const FederatedOutcome ideal = RunFederation(SmallFederation("ideal"));
    RunSpec options = SmallFederation(GetParam().first, GetParam().second);
    options.rate = "500kbps";
    options.delay = "20ms";
    if (options.network == "csma")
    {
        options.delay = "1ms"; // the bus is taken until a frame has reached its end
    }
    const FederatedOutcome slow = RunFederation(options);
    ASSERT_EQ(ideal.models.size(), 12U);
    ASSERT_EQ(slow.models.size(), 12U);
    for (size_t round = 0; round < 12; ++round)
    {
        EXPECT_TRUE(slow.models[round] == ideal.models[round]) << "round " << round;
    }
    if (options.network != "ideal")
    {
        EXPECT_GT(slow.results.simulatedSeconds, ideal.results.simulatedSeconds);
    }
    for (const ResultRow& row : slow.results.rows)
    {
        EXPECT_EQ(row.record.received, row.record.expected);
    }
    EXPECT_EQ(slow.results.rows.size(), 12U * 5);
}

INSTANTIATE_TEST_SUITE_P(All,
                         LosslessFederation,
                         testing::Values(std::make_pair("ideal", "udp"),
                                         std::make_pair("p2p", "tcp"),
                                         std::make_pair("p2p", "udp"),
                                         std::make_pair("csma", "tcp"),
                                         std::make_pair("csma", "broadcast"),
                                         std::make_pair("wifi-adhoc", "tcp"),
                                         std::make_pair("wifi-infra", "tcp"),
                                         std::make_pair("tree:2", "tcp"),
                                         std::make_pair("tree:2", "udp")),
                         [](const auto& info) { return test::MakeParameterName(info.param); });

/** @return the networks of cells, over TCP */
std::vector<std::pair<const char*, const char*>>
ListCellsWithTcp()
{
    static const auto names = test::ListCells();
    std::vector<std::pair<const char*, const char*>> ways;
    for (const std::string& name : names)
    {
        ways.emplace_back(name.c_str(), "tcp");
    }
    return ways;
}

INSTANTIATE_TEST_SUITE_P(Cells,
                         LosslessFederation,
                         testing::ValuesIn(ListCellsWithTcp()),
                         [](const auto& info) { return test::MakeParameterName(info.param); });
#ifdef DLEARN_WITH_MESH
INSTANTIATE_TEST_SUITE_P(Mesh,
                         LosslessFederation,
                         testing::Values(std::make_pair("wifi-mesh", "tcp")),
                         [](const auto& info) { return test::MakeParameterName(info.param); });
#endif

/** A network on which others send, too, and whose queues have room for 20 packets. */
struct BusyWay
{
    const char* name;      //!< of the test
    const char* network;   //!< option network
    const char* transport; //!< option transport
    const char* traffic;   //!< option cross-traffic
    const char* routing;   //!< option routing
};

class BusyNetwork : public testing::TestWithParam<BusyWay>
{
};

TEST_P(BusyNetwork, LeadsToTheModelsOfTheIdealOneToTheLastBit)
{
    const BusyWay& way = GetParam();
    const Outcome ideal = RunToEnd(SmallRun("ideal"));
    RunSpec spec = SmallRun(way.network, way.transport);
    spec.reliable = way.transport == std::string("broadcast") ? "nack" : "none";
    spec.routing = way.routing;
    spec.queueSize = "20p";
    spec.rate = "1Mbps";
    spec.crossTraffic = way.traffic;
    const Outcome busy = RunToEnd(spec);
    ASSERT_EQ(busy.models.size(), ideal.models.size());
    for (size_t k = 0; k < ideal.models.size(); ++k)
    {
        EXPECT_TRUE(busy.models[k] == ideal.models[k]) << "learner " << k;
    }
    EXPECT_GT(busy.results.totals.at("cross_traffic_received_bytes"), 1000U);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BusyNetwork,
    testing::Values(
        BusyWay{"p2p", "p2p", "tcp", "onoff:500kbps:0to1,bulk:2to3", "none"},
        BusyWay{"csma", "csma", "tcp", "onoff:200kbps:0to1", "none"},
        BusyWay{"csma_repaired", "csma", "broadcast", "onoff:200kbps:0to1", "none"},
        BusyWay{"wifi_adhoc", "wifi-adhoc", "tcp", "onoff:4Mbps:0to1,bulk:2to3", "none"},
        BusyWay{"multi_hop", "wifi-adhoc", "tcp", "onoff:4Mbps:0to1", "static"},
        BusyWay{"wifi_infra", "wifi-infra", "tcp", "onoff:4Mbps:0to1", "none"},
        BusyWay{"tree", "tree:2", "tcp", "onoff:500kbps:0to1,bulk:2to3", "none"},
        BusyWay{"trunks", "tree:2", "tcp", "bulk:router1torouter2", "none"}),
    [](const auto& info) { return info.param.name; });

// Broadcasts are repaired, and no round closes before its message has left: five learners, models
// of 112 doubles, of whose frames 20 % are lost.
TEST(Networks, RepairedBroadcastsLeadToTheModelsOfTheIdealNetwork)
{
    const Outcome ideal = RunToEnd(SmallRun("ideal"));
    for (const char* reliable : {"nack", "both"})
    {
        if (reliable == std::string("both") && !ErasureCode::IsAvailable())
        {
            continue;
        }
        RunSpec options = SmallRun("wifi-adhoc", "broadcast");
        options.reliable = reliable;
        options.loss = 0.2;
        const Outcome lossy = RunToEnd(options);
        ASSERT_EQ(lossy.models.size(), ideal.models.size());
        for (size_t k = 0; k < ideal.models.size(); ++k)
        {
            EXPECT_TRUE(lossy.models[k] == ideal.models[k]) << reliable << ", learner " << k;
        }
        EXPECT_LT(lossy.results.simulatedSeconds, 20) << reliable; // none waited for its timeout
    }
}

// A frame takes 12 ms there: longer than the times that fit Wi-Fi.
TEST(Networks, BroadcastsAreRepairedOnASlowBus)
{
    RunSpec spec = SmallRun("csma", "broadcast");
    spec.reliable = "nack";
    spec.data = "glyphs"; // a model of 22 packets
    spec.rate = "1Mbps";
    spec.loss = 0.05;
    spec.rounds = 3;
    const RunResults results = RunToEnd(spec).results;
    for (const ResultRow& row : results.rows)
    {
        EXPECT_EQ(row.record.received, row.record.expected) << row.record.round;
    }
}

// Each of 22 frames of each message holds ns-3's bus for as long as it takes to the other end, too,
// and a TCP connection needs round trips until it is made and sends at full speed: automatic
// timeouts wait for that.
TEST(Networks, AutomaticTimeoutsKnowDelays)
{
    struct Row
    {
        const char* network;   //!< option network
        const char* transport; //!< option transport
        const char* reliable;  //!< option reliable
        const char* delay;     //!< option delay
    };

    for (const Row& row : {Row{"csma", "udp", "none", "10ms"},
                           Row{"csma", "tcp", "none", "100ms"},
                           Row{"csma", "broadcast", "nack", "3ms"},
                           Row{"p2p", "tcp", "none", "1s"},
                           Row{"tree:2", "tcp", "none", "100ms"}})
    {
        RunSpec spec = SmallRun(row.network, row.transport);
        spec.reliable = row.reliable;
        spec.data = "glyphs"; // a model of 22 packets
        spec.delay = row.delay;
        spec.rounds = 3;
        for (const ResultRow& result : RunToEnd(spec).results.rows)
        {
            EXPECT_EQ(result.record.received, result.record.expected)
                << row.network << " " << row.transport << " round " << result.record.round;
        }
    }
}

// Fragments come again for those who miss them. To the others they are no messages.
TEST(Networks, RepairsAreNoMessages)
{
    RunSpec spec = SmallRun("csma", "broadcast");
    spec.reliable = "nack";
    spec.loss = 0.2;
    const RunResults results = RunToEnd(spec).results;
    EXPECT_EQ(results.totals.at("duplicate"), 0U);
    EXPECT_GT(results.totals.at("unwanted_fragments"), 0U);
}

// Bytes with which a caller of TCP makes sure that its connection is alive are not counted, also
// not for the moment in which a message that came with them closes a round.
TEST(Networks, BytesOfTcpAreThoseOfMessages)
{
    RunSpec options = SmallRun("p2p");
    options.transport = "tcp";
    options.loss = 0.1;
    options.rounds = 100;
    const RunResults results = RunToEnd(options).results;
    uint64_t sent = 0;
    uint64_t received = 0;
    for (const ResultRow& row : results.rows)
    {
        sent += row.record.txBytes;
        received += row.record.rxBytes;
        EXPECT_LT(row.record.rxBytes, 1000000U) << row.record.round;
    }
    EXPECT_GT(received, 0U);
    EXPECT_LE(received, sent);
}

/** @return what the transports of all learners have sent and received in a run, and its results */
std::tuple<uint64_t, uint64_t, RunResults>
CountBytes(const RunSpec& spec)
{
    uint64_t sent = 0;
    uint64_t received = 0;
    dlearn::Run run(spec);
    std::vector<Ptr<LearnerApplication>> learners;
    if (spec.kind == RunKind::FEDERATION)
    {
        learners = run.GetFederation().GetLearners();
    }
    else
    {
        learners.assign(run.GetPeers().begin(), run.GetPeers().end());
    }
    run.SetFinishHook([&](dlearn::Run&) {
        for (const auto& learner : learners)
        {
            sent += learner->GetExchange()->GetTransport()->GetTxBytes();
            received += learner->GetExchange()->GetTransport()->GetRxBytes();
        }
    });
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    return {sent, received, results};
}

// Also those that leave after the last round has closed, or in a round that a crash ends.
TEST(Networks, AllBytesAreInTheTotals)
{
    RunSpec slow = SmallRun("p2p", "tcp");
    slow.data = "glyphs";
    slow.dataSamples = 500;
    slow.rounds = 3;
    slow.rate = "1Mbps";
    slow.deadline = "100ms";
    RunSpec crash = SmallRun("p2p");
    crash.churn = "crash:1@5ms,restart:1@40ms,crash:2@0.5ms";
    RunSpec server = FedAvgPreset("system-test");
    server.network = "p2p";
    server.transport = "udp";
    server.rounds = 12;
    server.responseTimeout = "10ms";
    server.churn = "crash:0@30ms,restart:0@50ms,crash:2@3ms";
    for (const RunSpec& spec : {slow, crash, server})
    {
        SCOPED_TRACE(spec.churn);
        const auto [sent, received, results] = CountBytes(spec);
        const ResultsSummary summary = Summarize(results);
        EXPECT_EQ(summary.txBytes, sent);
        EXPECT_EQ(summary.rxBytes, received);
        uint64_t rows = 0;
        for (const ResultRow& row : results.rows)
        {
            rows += row.record.txBytes;
        }
        const auto none = results.totals.find("tx_bytes_without_row");
        EXPECT_EQ(rows + (none == results.totals.end() ? 0 : none->second), sent);
    }
}

// Messages of 16 kB at 10 kbit/s, and answers that come after 2.4 s: TCP of ns-3 alone gives up.
TEST(Networks, TcpReachesFarAndOverSlowLinks)
{
    for (const auto& [rate, delay] :
         std::map<std::string, std::string>{{"10kbps", "1ms"}, {"10Mbps", "1200ms"}})
    {
        RunSpec spec = SmallRun("p2p");
        spec.transport = "tcp";
        spec.dimension = 2000;
        spec.rate = rate;
        spec.delay = delay;
        spec.rounds = 3;
        spec.responseTimeout = "100s";
        const RunResults results = RunToEnd(spec).results;
        EXPECT_EQ(results.totals.at("broken_connections"), 0U) << rate;
        for (const ResultRow& row : results.rows)
        {
            EXPECT_EQ(row.record.received, row.record.expected) << rate;
        }
    }
}

} // namespace
} // namespace ns3::dlearn
