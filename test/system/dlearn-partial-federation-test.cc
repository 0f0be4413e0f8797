/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What a server makes of updates that lose fragments on the way, against the fragments that its
 * device received.
 */

#include "dlearn-federated-fixture.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/dlearn-encoding.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-model-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t ENTRIES = 20; //!< of a model of SmallFederation()
constexpr uint32_t CLIENTS = 4;  //!< of it, all with as many samples

/** Adds up what the devices of a server receive, entry by entry, until a round closes. */
class WireMeans
{
  public:
    /** @param federation whose server to watch; its devices are point-to-point ones */
    explicit WireMeans(const Federation& federation)
    {
        const Ptr<Node> node = federation.server->GetNode();
        for (uint32_t k = 0; k < node->GetNDevices(); ++k)
        {
            node->GetDevice(k)->TraceConnectWithoutContext("MacRx",
                                                           MakeCallback(&WireMeans::Receive, this));
        }
        federation.server->TraceConnectWithoutContext("Compute",
                                                      MakeCallback(&WireMeans::Close, this));
    }

    std::vector<ModelVector> steps;      //!< of each round, 0 where no entry arrived
    uint64_t partial{0};                 //!< updates that arrived in part
    std::map<LearnerId, double> squares; //!< of each client's largest share of an entry of a step,
                                         //!< summed over the rounds
    uint64_t whole{0};                   //!< updates that arrived whole

  private:
    /** A packet came, with the headers of the link, of IP and of UDP. */
    void Receive(Ptr<const Packet> packet)
    {
        constexpr uint32_t LOWER = 2 + 20 + 8;
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), bytes.size());
        ModelHeader header;
        if (bytes.size() < LOWER + ModelHeader::SIZE)
        {
            return;
        }
        header.Read(bytes.data() + LOWER);
        if (!header.IsValid() || header.channel != ModelChannel::UPDATE ||
            header.round != steps.size())
        {
            return;
        }
        ModelVector numbers(header.payloadLength / 8);
        DecodeVector(bytes.data() + LOWER + ModelHeader::SIZE, Encoding::FLOAT64, numbers);
        for (uint32_t k = 0; k < numbers.size(); ++k)
        {
            m_entries[header.sender][header.fragmentOffset / 8 + k] = numbers[k];
        }
    }

    /** The server has closed its round. */
    void Close(Time /* time */, double /* operations */)
    {
        ModelVector sum = ModelVector::Zero(ENTRIES);
        ModelVector count = ModelVector::Zero(ENTRIES);
        for (const auto& [client, entries] : m_entries)
        {
            ++(entries.size() < ENTRIES ? partial : whole);
            for (const auto& [entry, number] : entries)
            {
                sum[entry] += number;
                ++count[entry];
            }
        }
        for (const auto& [client, entries] : m_entries)
        {
            double share = 0;
            for (const auto& [entry, number] : entries)
            {
                share = std::max(share, 1 / count[entry]);
            }
            squares[client] += share * share;
        }
        steps.push_back(sum.cwiseQuotient(count.cwiseMax(1)));
        m_entries.clear();
    }

    std::map<LearnerId, std::map<uint32_t, double>> m_entries; //!< that came, by client
};

class FederatedPartialRun : public testing::TestWithParam<bool>
{
  protected:
    void TearDown() override { Config::Reset(); }

    /** @return a run whose models are ten packets each, of which some are lost */
    static RunSpec MakeSpec(bool use)
    {
        Config::SetDefault("ns3::dlearn::UdpTransport::FragmentSize", UintegerValue(16));
        Config::SetDefault("ns3::dlearn::FederatedServer::UsePartial", BooleanValue(use));
        RunSpec spec = SmallFederation("p2p", "udp");
        spec.loss = 0.08;
        spec.deadline = "50ms";
        spec.rounds = 60;
        return spec;
    }
};

TEST_F(FederatedPartialRun, ModelsAreMeansOfTheEntriesThatArrived)
{
    std::unique_ptr<WireMeans> means;
    ModelVector initial;
    const FederatedOutcome outcome = RunFederation(MakeSpec(true), [&](dlearn::Run& run) {
        means = std::make_unique<WireMeans>(run.GetFederation());
        initial = run.GetFederation().server->GetRule()->GetModel();
    });
    ASSERT_EQ(outcome.models.size(), 60U);
    ASSERT_EQ(means->steps.size(), 60U);
    ModelVector model = initial;
    for (size_t round = 0; round < 60; ++round)
    {
        model += means->steps[round];
        // Rounding of additions of numbers of order 1.
        EXPECT_LT((outcome.models[round] - model).cwiseAbs().maxCoeff(), 1e-12) << round;
    }
    EXPECT_GT(means->partial, 20U);
    EXPECT_GT(means->whole, 10U);
    EXPECT_EQ(outcome.results.totals.at("updates_partial"), means->partial);
    uint64_t used = 0;
    for (const RoundRecord& row : GetRows(outcome.results, 0))
    {
        used += row.used;
        EXPECT_EQ(row.expected, CLIENTS);
    }
    EXPECT_EQ(used, means->partial + means->whole);
}

// A trusted server: each client pays for every model as its largest share of an entry tells, which
// is more than as if whole updates were in the mean. Without parts, fewer updates are in a mean.
TEST_F(FederatedPartialRun, ClientsOfATrustedServerPayForTheirLargestShares)
{
    RunSpec spec = MakeSpec(true);
    spec.threatModel = "cdp";
    spec.targetEpsilon = 100;
    spec.delta = 1e-5;
    spec.clip = 0.5;
    std::unique_ptr<WireMeans> means;
    double noise = 0;
    const FederatedOutcome outcome = RunFederation(spec, [&](dlearn::Run& run) {
        means = std::make_unique<WireMeans>(run.GetFederation());
        noise = run.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().independent;
    });
    ASSERT_GT(noise, 0);
    EXPECT_GT(means->partial, 20U);
    for (LearnerId client = 1; client <= CLIENTS; ++client)
    {
        const double rate = std::pow(2 * spec.clip / noise, 2) / 2 * means->squares[client];
        const double epsilon = GaussianEpsilon(rate, spec.delta);
        EXPECT_NEAR(GetRows(outcome.results, client).back().epsilon, epsilon, 1e-9 * epsilon);
    }
}

// With the same packets lost, more of the updates are used, and the model is nearer to the truth:
// noise of the clients' samples is averaged over more of them.
TEST_F(FederatedPartialRun, PartsAreBetterThanNothing)
{
    const auto run = [](bool use) {
        RunSpec spec = MakeSpec(use);
        spec.samples = 30;
        spec.heterogeneity = 0;
        spec.rounds = 300;
        return RunFederation(spec);
    };
    const auto mean = [](const std::vector<double>& errors) {
        double sum = 0;
        for (size_t k = errors.size() / 2; k < errors.size(); ++k)
        {
            sum += errors[k];
        }
        return sum / static_cast<double>(errors.size() - errors.size() / 2);
    };
    const FederatedOutcome dropped = run(false);
    const FederatedOutcome used = run(true);
    EXPECT_EQ(dropped.results.totals.count("updates_partial"), 0U);
    EXPECT_GT(used.results.totals.at("updates_partial"), 100U);
    EXPECT_LT(mean(used.errors), 0.9 * mean(dropped.errors));
}

} // namespace
} // namespace ns3::dlearn
