/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A federation over every network: one that delivers everything changes time, not learning;
 * loss, deadlines, stragglers and churn change learning, and are recorded.
 */

#include "dlearn-federated-fixture.h"

#include "ns3/config.h"
#include "ns3/dlearn-model-header.h"
#include "ns3/dlearn-rounds-csv.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/uinteger.h"

#include <numeric>

namespace ns3::dlearn
{
namespace
{

/** A network and a transport. */
using Way = std::pair<const char*, const char*>;

/** @return a name that GoogleTest takes */
std::string
NameOf(const testing::TestParamInfo<Way>& info)
{
    std::string name = std::string(info.param.first) + "_" + info.param.second;
    for (char& c : name)
    {
        c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return name;
}

class LosslessFederation : public testing::TestWithParam<Way>
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
#ifndef DLEARN_WITH_LTE
    if (options.network == "lte")
    {
        GTEST_SKIP() << "this ns-3 was built without its module lte";
    }
#endif
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
                         testing::Values(Way("ideal", "udp"),
                                         Way("p2p", "tcp"),
                                         Way("p2p", "udp"),
                                         Way("csma", "tcp"),
                                         Way("csma", "broadcast"),
                                         Way("wifi-adhoc", "tcp"),
                                         Way("wifi-infra", "tcp"),
                                         Way("tree:2", "tcp"),
                                         Way("tree:2", "udp"),
                                         Way("lte", "tcp")),
                         NameOf);
#ifdef DLEARN_WITH_MESH
INSTANTIATE_TEST_SUITE_P(Mesh,
                         LosslessFederation,
                         testing::Values(Way("wifi-mesh", "tcp")),
                         NameOf);
#endif

// Others send, too, through queues with room for 20 packets.
TEST_P(LosslessFederation, HasTheSameModelsBesideOtherTraffic)
{
    RunSpec options = SmallFederation(GetParam().first, GetParam().second);
    const bool reliable = options.transport != "udp" && options.network != "ideal";
    if (!reliable)
    {
        GTEST_SKIP() << "datagrams are lost in full queues, and the ideal network has none";
    }
    const FederatedOutcome ideal = RunFederation(SmallFederation("ideal"));
    options.reliable = options.transport == "broadcast" ? "nack" : "none";
    options.queueSize = options.network == "lte" ? "" : "20p";
    options.rate = "10Mbps";
    options.crossTraffic = "constant:1Mbps:1to0,constant:1Mbps:0to2";
    const FederatedOutcome busy = RunFederation(options);
    ASSERT_EQ(busy.models.size(), 12U);
    for (size_t round = 0; round < 12; ++round)
    {
        EXPECT_TRUE(busy.models[round] == ideal.models[round]) << "round " << round;
    }
    const double load = 2 * 1e6 / 8; // bytes a second; full queues lose a fifth at most
    const double busySeconds = busy.results.simulatedSeconds; // others begin within 0.1 s
    const auto received =
        static_cast<double>(busy.results.totals.at("cross_traffic_received_bytes"));
    EXPECT_GT(received, 0.75 * load * (busySeconds - 0.1));
    EXPECT_LT(received, load * busySeconds);
}

/** A network and what repairs a broadcast. */
class RepairedFederation : public testing::TestWithParam<Way>
{
  protected:
    void TearDown() override { Config::Reset(); }

    /** @return models of ten packets, of which every tenth is lost */
    static RunSpec MakeSpec(const std::string& reliable)
    {
        Config::SetDefault("ns3::dlearn::UdpTransport::FragmentSize", UintegerValue(80));
        RunSpec spec = SmallFederation(GetParam().first, "broadcast");
        spec.dimension = 100;
        spec.learners = 8;
        spec.reliable = reliable;
        spec.loss = 0.1;
        spec.responseTimeout = "1s";
        return spec;
    }
};

// The server's model is sent once to all and repaired, clients answer by unicast, which Wi-Fi
// repeats. All get it in every round, and what is learned is that of the ideal network.
TEST_P(RepairedFederation, HasTheModelsOfTheIdealOne)
{
    RunSpec ideal = SmallFederation("ideal");
    ideal.learners = 8;
    ideal.dimension = 100;
    const FederatedOutcome expected = RunFederation(ideal);
    const FederatedOutcome repaired = RunFederation(MakeSpec(GetParam().second));
    ASSERT_EQ(repaired.models.size(), 12U);
    for (size_t round = 0; round < 12; ++round)
    {
        EXPECT_TRUE(repaired.models[round] == expected.models[round]) << "round " << round;
    }
    const uint64_t message = 10 * (80 + ModelHeader::SIZE);
    for (const RoundRecord& row : GetRows(repaired.results, 0))
    {
        EXPECT_EQ(row.used, 8U);
        EXPECT_GT(row.txBytes, message);
        EXPECT_LT(row.txBytes, 8 * message / 2) << "less than half of eight models by unicast";
    }
    uint64_t lost = 0; // of 96, as one model of three arrives whole
    for (const RoundRecord& row : GetRows(RunFederation(MakeSpec("none")).results, 0))
    {
        lost += row.lost;
    }
    EXPECT_GT(lost, 30U);
}

INSTANTIATE_TEST_SUITE_P(All,
                         RepairedFederation,
                         testing::Values(Way("wifi-infra", "nack"), Way("wifi-adhoc", "nack")),
                         NameOf);

TEST(Federation, SameSeedGivesTheSameBytesAndAnotherOneOthers)
{
    const auto rounds = [](const std::string& network, const std::string& mode, uint64_t run) {
        RngSeedManager::SetRun(run);
        RunSpec options = SmallFederation(network, "udp");
        options.mode = mode;
        options.loss = 0.1;
        options.responseTimeout = "200ms";
        options.clientFlops = "lognormal:1e5:1";
        options.compress = "randk:5";
        const std::string text = MakeRoundsCsv(RunFederation(options).results.rows);
        RngSeedManager::SetRun(1);
        return text;
    };
    for (const auto& [network, mode] : {std::make_pair("p2p", "sync"),
                                        std::make_pair("p2p", "buffered"),
                                        std::make_pair("wifi-infra", "async"),
                                        std::make_pair("tree:2", "async")})
    {
        const std::string once = rounds(network, mode, 1);
        EXPECT_GT(once.size(), 1000U);
        EXPECT_EQ(once, rounds(network, mode, 1)) << network << " " << mode;
        EXPECT_NE(once, rounds(network, mode, 2)) << network << " " << mode;
    }
}

TEST(Federation, LossAndADeadlineChangeWhatIsLearned)
{
    RunSpec options = SmallFederation("p2p", "udp");
    options.learners = 10;
    options.samples = 30;
    options.rounds = 40;
    options.stepSize = 0.2;
    options.heterogeneity = 0;
    const double without = RunFederation(options).errors.back();
    options.loss = 0.4;
    options.deadline = "20ms";
    const FederatedOutcome lossy = RunFederation(options);
    uint64_t expected = 0;
    uint64_t lost = 0;
    for (const RoundRecord& row : GetRows(lossy.results, 0))
    {
        expected += row.expected;
        lost += row.lost;
        EXPECT_LE(row.duration, MilliSeconds(25)); // the deadline, then the new model
    }
    // An answer comes if the model and the update do, one packet each: probability 0.6^2. 400
    // trials, 6 standard errors: fails with probability 2e-9.
    EXPECT_EQ(expected, 400U);
    EXPECT_NEAR(lost / 400.0, 1 - 0.36, 6 * std::sqrt(0.36 * 0.64 / 400));
    // Fewer updates a round are averaged: the noise floor is higher, by about 1 / 0.36.
    EXPECT_GT(lossy.errors.back(), 1.3 * without);
    EXPECT_LT(lossy.errors.back(), 0.5); // but it does learn
}

TEST(Federation, AStragglerSetsThePaceOfSynchronousRoundsOnly)
{
    const std::string devices = testing::TempDir() + "dlearn-straggler.csv";
    std::ofstream(devices) << "client,flops\n1,1e5\n";
    RunSpec options = SmallFederation("p2p");
    options.learners = 8;
    options.rounds = 40;
    options.clientFlops = "1e6";
    const auto seconds = [](const RunSpec& o) {
        return GetRows(RunFederation(o).results, 0).back().closed.GetSeconds();
    };
    const double even = seconds(options);
    options.clientFlops = "";
    options.devices = devices;
    std::ofstream(devices) << "client,flops\n1,1e5\n2,1e6\n3,1e6\n4,1e6\n5,1e6\n6,1e6\n7,1e6\n"
                              "8,1e6\n";
    EXPECT_GT(seconds(options), 1.5 * even);

    // As many updates as 40 rounds of 8: now the seven others do not wait.
    options.mode = "buffered";
    options.bufferSize = 8;
    const FederatedOutcome buffered = RunFederation(options);
    EXPECT_LT(GetRows(buffered.results, 0).back().closed.GetSeconds(), 1.25 * even);
    uint64_t updates = 0;
    for (const auto& [staleness, count] : buffered.results.staleness)
    {
        updates += count;
    }
    EXPECT_EQ(updates, 40U * 8);
    EXPECT_GT(buffered.results.staleness.rbegin()->first, 1U); // the straggler's
    std::remove(devices.c_str());
}

TEST(Federation, ComesThroughChurn)
{
    for (const char* transport : {"tcp", "udp"})
    {
        RunSpec options = SmallFederation("p2p", transport);
        options.rounds = 60;
        options.rate = "100kbps"; // an update is on its way for 16 ms
        options.responseTimeout = "1s";
        options.churn = "crash:1@0.1s,restart:1@3s,leave:2@0.2s,crash:3@1s,restart:3@1.05s";
        const FederatedOutcome outcome = RunFederation(options);
        const auto rounds = GetRows(outcome.results, 0);
        ASSERT_EQ(rounds.size(), 60U) << transport;
        EXPECT_EQ(rounds.front().received, 4U);
        EXPECT_EQ(rounds.back().received, 3U) << transport; // all but the one that left
        for (const RoundRecord& row : rounds)
        {
            EXPECT_LE(row.received, 4U);
            EXPECT_EQ(row.expected, 4U);
        }
        // Waiting for clients that have failed: each costs at most the SuspicionTimeout, two
        // response timeouts.
        EXPECT_LT(rounds.back().closed, Seconds(60 * 0.12 + 3 * 2));
        EXPECT_LT(outcome.errors.back(), outcome.errors.front());
    }
}

TEST(Federation, CompressionShrinksWhatClientsSend)
{
    RunSpec options = SmallFederation("ideal", "udp");
    options.floatBits = 32;
    options.dimension = 100;
    options.rounds = 5;
    const auto bytes = [&](const std::string& compress) {
        options.compress = compress;
        uint64_t sent = 0;
        for (const RoundRecord& row : GetRows(RunFederation(options).results, 1))
        {
            sent += row.txBytes;
        }
        return sent / 5;
    };
    // One fragment each, whose header has 32 bytes.
    EXPECT_EQ(bytes("none"), 32U + 100 * 4);
    EXPECT_EQ(bytes("fp16"), 32U + 100 * 2);
    EXPECT_EQ(bytes("qsgd:7"), 32U + 8 + 100 * 4 / 8); // 15 values: 4 bits an entry
    EXPECT_EQ(bytes("topk:10"), 32U + 10 * 8);
    EXPECT_EQ(bytes("randk:10"), 32U + 10 * 8);
}

TEST(Federation, LearnsAClassifierOverATree)
{
    RunSpec options = FedAvgPreset("system-test");
    options.data = "generated";
    options.network = "tree:8";
    options.learners = 40;
    options.samples = 0;
    options.localSteps = "5";
    options.stepSize = 2;
    options.regularization = 0.001;
    options.rounds = 15;
    const FederatedOutcome outcome = RunFederation(options);
    for (const ResultRow& row : outcome.results.rows)
    {
        EXPECT_EQ(row.evaluation.has_value(), row.role == "server");
        EXPECT_TRUE(std::isnan(row.record.epsilon)); // no account is kept
    }
    EXPECT_GT(outcome.results.rows.back().record.received, 0U);
    const auto last = std::find_if(outcome.results.rows.rbegin(),
                                   outcome.results.rows.rend(),
                                   [](const auto& row) { return row.role == "server"; });
    EXPECT_GT(last->evaluation->accuracy, 0.85);
}

} // namespace
} // namespace ns3::dlearn
