/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The knowledge of a coalition: all vectors for an omniscient one, those that the network brought
 * for a limited one.
 */

#include "app/dlearn-federation-fixture.h"
#include "app/dlearn-scripted-peers.h"

#include "ns3/config.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-vector-attacks.h"
#include "ns3/double.h"

#include <set>
#include <tuple>

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** Forges 7 everywhere, and keeps what it was shown and when. */
class PryingAttack : public Attack
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::PryingAttack")
                                .SetParent<Attack>()
                                .AddConstructor<PryingAttack>();
        return tid;
    }

    ModelVector Forge(const HonestView& view) override
    {
        for (const auto& row : view.vectors.rowwise())
        {
            shown.emplace_back(Simulator::Now(), row[0]);
            EXPECT_EQ(row.minCoeff(), row[0]);
            EXPECT_EQ(row.maxCoeff(), row[0]);
        }
        EXPECT_EQ(view.byzantine, 2U);
        rows.push_back(view.vectors.rows());
        return ModelVector::Constant(view.vectors.cols(), 7);
    }

    static std::vector<std::pair<Time, double>> shown; //!< when and what, of all rounds
    static std::vector<Eigen::Index> rows;             //!< how many at a time
};

NS_OBJECT_ENSURE_REGISTERED(PryingAttack);
std::vector<std::pair<Time, double>> PryingAttack::shown;
std::vector<Eigen::Index> PryingAttack::rows;

class PeerCoalition : public ScriptedPeers
{
  protected:
    using Heard = std::tuple<LearnerId, uint32_t, Time>; //!< the sender, the round, the time

    /** Peers 0 to 5; 4 and 5 are Byzantine. They exchange with all others except peer 0. */
    void Build(double loss)
    {
        PryingAttack::shown.clear();
        PryingAttack::rows.clear();
        Graph graph(6);
        for (LearnerId a = 1; a < 6; ++a)
        {
            for (LearnerId b = a + 1; b < 6; ++b)
            {
                graph.AddEdge(a, b);
            }
        }
        graph.AddEdge(0, 1);
        ScriptedPeers::Build(graph,
                             "ns3::dlearn::UdpTransport",
                             "p2p,loss=" + std::to_string(loss));
    }

    void Run(bool omniscient)
    {
        const LearnerAttack attack("test::Prying");
        EXPECT_EQ(attack.Install(m_peers, m_graph, 2, omniscient, nullptr, 1), 0);
        for (const LearnerId member : {4, 5})
        {
            m_peers[member]->TraceConnectWithoutContext("ModelRx",
                                                        MakeCallback(&PeerCoalition::Rx, this));
        }
        ScriptedPeers::Run();
        for (const auto& peer : m_peers)
        {
            EXPECT_EQ(peer->GetState(), State::FINISHED);
            EXPECT_EQ(peer->GetRole(), peer->GetLearnerId() < 4 ? "peer" : "byzantine");
        }
    }

    void Rx(LearnerId, LearnerId sender, uint32_t round, MessageDisposition, bool usable)
    {
        if (usable)
        {
            m_heard.insert({sender, round, Simulator::Now()});
        }
    }

    std::set<Heard> m_heard; //!< by a member
};

// No vector is in the view that did not come to a member before, as it came: in 32 bits.
TEST_F(PeerCoalition, LimitedKnowsWhatTheNetworkBrought)
{
    for (const double loss : {0.0, 0.05})
    {
        Build(loss);
        m_heard.clear();
        Run(false);
        for (const auto& [when, value] : PryingAttack::shown)
        {
            EXPECT_EQ(value, static_cast<float>(value)) << "out of band";
            const auto sender = static_cast<LearnerId>(value / 100);
            const auto round = static_cast<uint32_t>(value) % 100;
            EXPECT_GE(sender, 1U);
            EXPECT_LE(sender, 3U) << "neither out of reach nor one of them";
            const auto heard = m_heard.lower_bound({sender, round, Time(0)});
            ASSERT_NE(heard, m_heard.end());
            EXPECT_EQ(std::get<0>(*heard), sender);
            EXPECT_EQ(std::get<1>(*heard), round);
            EXPECT_LE(std::get<2>(*heard), when);
        }
        EXPECT_GE(PryingAttack::rows.size(), ROUNDS / 2); // once a round, except for losses
        if (loss == 0)
        {
            EXPECT_EQ(PryingAttack::rows, std::vector<Eigen::Index>(ROUNDS, 3));
            EXPECT_EQ((*Find(3, 5, ROUNDS - 1))[0], 7);
            EXPECT_EQ((*Find(1, 4, 0))[0], 7);
            ExpectUndisturbed({0, 1});
            ExpectUndisturbed({1, 2, 3});
        }
        Simulator::Destroy();
    }
}

TEST_F(PeerCoalition, OmniscientKnowsAllAtOnce)
{
    Build(0);
    Run(true);
    EXPECT_EQ(PryingAttack::rows, std::vector<Eigen::Index>(ROUNDS, 4));
    for (const auto& [when, value] : PryingAttack::shown)
    {
        EXPECT_NE(value, static_cast<float>(value)) << "as it was made, not as it was sent";
    }
    EXPECT_EQ((*Find(3, 5, ROUNDS - 1))[0], 7);
}

// Peer 2 trains longer than the coalition waits, which is half of 100 ms.
// Peers 1 to 3 give weight 1 to each of the others, 2 to the coalition; peer 1 also hears peer 0.
// Each gets x - (sum of the others - their number x) / 2 from both members, members their own.
TEST_F(PeerCoalition, DissensusSendsEachReceiverItsOwnVector)
{
    Build(0);
    const LearnerAttack attack("Dissensus");
    attack.Install(m_peers, m_graph, 2, true, nullptr, 1);
    ScriptedPeers::Run();
    for (const LearnerId member : {4, 5})
    {
        const auto get = [&](LearnerId to) { return (*Find(to, member, 5))[0]; };
        EXPECT_NEAR(get(1), 105 - (5 - 105 + 205 - 105 + 305 - 105) / 2.0, 1e-4);
        EXPECT_NEAR(get(2), 205 - (105 - 205 + 305 - 205) / 2.0, 1e-4);
        EXPECT_NEAR(get(3), 305 - (105 - 305 + 205 - 305) / 2.0, 1e-4);
        EXPECT_NEAR(get(9 - member), 100.0 * member + 5, 1e-4);
    }
}

TEST_F(PeerCoalition, DoesNotWaitWithoutEnd)
{
    Build(0);
    m_peers[2]->GetComputeModel()->SetAttribute("Duration", TimeValue(MilliSeconds(70)));
    Run(false);
    EXPECT_EQ(PryingAttack::rows, std::vector<Eigen::Index>(ROUNDS, 2));
    EXPECT_EQ(PryingAttack::shown.front().first.RoundTo(Time::MS), MilliSeconds(60));
    EXPECT_EQ((*Find(3, 5, ROUNDS - 1))[0], 7);
}

// Members send minus three times the mean of what peers 1 to 3 sent, of rounds 100 id + round.
TEST_F(PeerCoalition, ItsAttackIsReachedByThePathOfAMember)
{
    Build(0);
    LearnerAttack("InnerProduct:tau=1").Install(m_peers, m_graph, 2, false, nullptr, 1);
    const std::string behavior = "/NodeList/*/ApplicationList/*/Behavior/";
    Config::Set(behavior + "Coalition/Attack/$ns3::dlearn::InnerProductAttack/Tau", DoubleValue(3));
    ScriptedPeers::Run();
    EXPECT_FLOAT_EQ((*Find(1, 4, 0))[0], -3 * 200);
    EXPECT_FLOAT_EQ((*Find(2, 5, ROUNDS - 1))[0], -3 * (200.0 + ROUNDS - 1));
}

// Clients hear only the server, so a limited coalition knows only its members' updates.
TEST_F(FederationTest, ClientsKnowTheirOwnUpdatesOrAll)
{
    for (const bool omniscient : {false, true})
    {
        PryingAttack::shown.clear();
        PryingAttack::rows.clear();
        Build(5, "p2p");
        Connect();
        LearnerAttack("test::Prying").Install(m_federation, 2, omniscient, nullptr, 1);
        Run();
        std::set<double> values;
        for (const auto& [when, value] : PryingAttack::shown)
        {
            values.insert(value);
        }
        EXPECT_EQ(values,
                  omniscient ? (std::set<double>{1, 10, 100}) : (std::set<double>{1000, 10000}));
        EXPECT_EQ(PryingAttack::rows.size(), 3U);
        EXPECT_FLOAT_EQ(GetModel(), 3 * (111 + 2 * 7) / 5.0);
        Simulator::Destroy();
    }
}

// Clients of 50 ms, and members of 10 ms, which send 7 as soon as they are ready once they have
// seen one vector of each of the others. Their own updates are 1000 and 10000.
TEST_F(FederationTest, OutOfLockStepACoalitionForgesFromTheNewestVectors)
{
    for (const bool omniscient : {false, true})
    {
        PryingAttack::shown.clear();
        PryingAttack::rows.clear();
        Build(5);
        for (const LearnerId honest : {1, 2, 3})
        {
            SetCompute(honest, MilliSeconds(50));
        }
        SetBuffered(4);
        Set("Rounds", UintegerValue(6));
        Connect();
        LearnerAttack("test::Prying").Install(m_federation, 2, omniscient, nullptr, 1);
        Run();
        EXPECT_LT(GetModel(), 6 * 111 / 4.0 + 6 * 7) << "no member sends its own update";
        ASSERT_GT(PryingAttack::rows.size(), 4U);
        EXPECT_EQ(PryingAttack::rows,
                  std::vector<Eigen::Index>(PryingAttack::rows.size(), omniscient ? 3 : 2));
        const Time first = omniscient ? MilliSeconds(50) : MilliSeconds(10);
        EXPECT_EQ(PryingAttack::shown.front().first.RoundTo(Time::MS), first);
        EXPECT_LT(m_server->GetRecords().back().closed, MilliSeconds(400));
        Simulator::Destroy();
    }
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
