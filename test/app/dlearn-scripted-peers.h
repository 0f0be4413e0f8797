/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SCRIPTED_PEERS_H
#define DLEARN_SCRIPTED_PEERS_H

/**
 * @file
 * Peers that do not learn but send known values, so that a test can tell the origin of each vector.
 */

#include "dlearn-net-test-support.h"
#include "peer/dlearn-rule-fixture.h"

#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-peer-helper.h"

namespace ns3::dlearn
{
namespace test
{

/** Entries of the peers' vectors: several fragments by UDP. */
constexpr uint32_t LONG = 1000;

/** @return what a scripted peer sends in a round, in all entries: 100 id + round, and a bit */
inline double
GetScript(LearnerId id, uint32_t round)
{
    return 100.0 * id + round + 1e-9; // the bit does not survive 32-bit numbers
}

/** Sends a vector that tells who and when, and keeps what it gets. */
class ScriptedPeer : public UpdateRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::ScriptedPeer")
                                .SetParent<UpdateRule>()
                                .AddConstructor<ScriptedPeer>();
        return tid;
    }

    void Setup(const LearnerContext& context) override
    {
        m_context = context;
        m_model = ModelVector::Zero(LONG);
    }

    void BeginRound(uint32_t round) override { m_round = round; }

    void Compute() override {}

    Outbox Send() override
    {
        Outgoing outgoing;
        for (const auto& [neighbor, weight] : m_context.GetNeighbors(ModelChannel::STATE).out)
        {
            outgoing.recipients.push_back(neighbor);
        }
        outgoing.values = ModelVector::Constant(LONG, GetScript(m_context.id, m_round));
        return {outgoing};
    }

    void EndRound(const Inbox& inbox) override { inboxes[m_round] = inbox; }

    const ModelVector& GetModel() const override { return m_model; }

    std::vector<RuleChannel> GetChannels() const override
    {
        return {{ModelChannel::STATE, LONG, m_context.GetNeighbors(ModelChannel::STATE)}};
    }

    uint64_t GetWork() const override { return 1; }

    std::map<uint32_t, Inbox> inboxes; //!< by round

  private:
    LearnerContext m_context;
    uint32_t m_round{0};
    ModelVector m_model;
};

/** Peers with a gradient of 10 ms, each of which hears all others. */
class ScriptedPeers : public testing::Test
{
  protected:
    using State = LearnerApplication::State;

    static constexpr uint32_t ROUNDS = 12; //!< of all peers

    void TearDown() override
    {
        Config::Reset();
        Simulator::Destroy();
    }

    /**
     * @param graph which peers hear each other
     * @param transport TypeId of the transport
     * @param network its name, with its attributes
     */
    void Build(const Graph& graph,
               const std::string& transport = "ns3::dlearn::UdpTransport",
               const std::string& network = "p2p")
    {
        m_graph = graph;
        m_network = CreateNetwork(network);
        m_network->Build(graph, {});
        m_network->AssignStreams(1);
        const auto task = CreateObject<BowlTask>();
        task->SetSamples(Eigen::MatrixXd::Zero(LONG, 1));
        PeerHelper helper;
        helper.SetAttribute("Rule", TypeIdValue(m_rule));
        helper.SetAttribute("ComputeModel", TypeIdValue(FixedCompute::GetTypeId()));
        helper.SetAttribute("Rounds", UintegerValue(ROUNDS));
        helper.SetAttribute("ResponseTimeout", TimeValue(MilliSeconds(100)));
        m_peers = helper.Create(*m_network);
        for (const auto& peer : m_peers)
        {
            peer->GetExchange()->SetAttribute("Transport",
                                              TypeIdValue(TypeId::LookupByName(transport)));
        }
        const std::vector<Ptr<SampleStream>> streams(graph.GetSize());
        PeerHelper::Connect(m_peers, *m_network, graph, task, streams);
    }

    /** Run, complete the records and check that they balance. */
    void Run()
    {
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        for (const auto& peer : m_peers)
        {
            peer->Finish(totals);
            EXPECT_NO_THROW(peer->CheckConservation());
        }
    }

    /** @return the vector that a peer had of another in a round; null when it had none */
    const ModelVector* Find(LearnerId peer, LearnerId sender, uint32_t round) const
    {
        const auto& inboxes = DynamicCast<ScriptedPeer>(m_peers[peer]->GetRule())->inboxes;
        const auto inbox = inboxes.find(round);
        const Arrival* arrival =
            inbox == inboxes.end() ? nullptr : inbox->second.Find(sender, ModelChannel::STATE);
        return arrival ? &arrival->values : nullptr;
    }

    /** Expect that peers had each other's vectors in all rounds. */
    void ExpectUndisturbed(const std::vector<LearnerId>& honest)
    {
        for (const LearnerId peer : honest)
        {
            EXPECT_EQ(m_peers[peer]->GetState(), State::FINISHED);
            EXPECT_EQ(m_peers[peer]->GetRole(), "peer");
            for (const LearnerId sender : honest)
            {
                for (uint32_t round = 0; round < ROUNDS && sender != peer; ++round)
                {
                    const ModelVector* vector = Find(peer, sender, round);
                    ASSERT_NE(vector, nullptr) << peer << " of " << sender << " in " << round;
                    EXPECT_FLOAT_EQ((*vector)[LONG - 1], GetScript(sender, round));
                }
            }
        }
    }

    TypeId m_rule{ScriptedPeer::GetTypeId()}; //!< of the peers
    Graph m_graph{1};
    Ptr<Network> m_network;
    std::vector<Ptr<PeerApplication>> m_peers;
    std::map<std::string, uint64_t> totals; //!< of all peers, after Run()
};

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_SCRIPTED_PEERS_H
