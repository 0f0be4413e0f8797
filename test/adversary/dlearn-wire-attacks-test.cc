/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Five peers, of which the last attacks the protocol: the others receive everything that they sent
 * each other, and lose no more time than with a silent neighbour.
 */

#include "app/dlearn-scripted-peers.h"

#include "ns3/dlearn-message-behaviors.h"
#include "ns3/dlearn-wire-attacks.h"

#include <functional>
#include <limits>

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** Network, transport, and the number of Byzantine neighbours that the peers assume. */
using Setting = std::tuple<const char*, const char*, uint32_t>;

/** Five peers, of which the last attacks. */
class WireAttacks : public ScriptedPeers, public testing::WithParamInterface<Setting>
{
  protected:
    static constexpr LearnerId ATTACKER = 4;

    static const Time TIMEOUT;

    void SetUp() override
    {
        Config::SetDefault("ns3::dlearn::PeerApplication::Byzantine",
                           UintegerValue(std::get<2>(GetParam())));
        Config::SetDefault("ns3::dlearn::PeerApplication::SuspicionTimeout",
                           TimeValue(3 * TIMEOUT));
    }

    /** @return when the last honest peer closed its last round */
    Time Run(Ptr<ByzantineBehavior> behavior)
    {
        const auto [network, transport, byzantine] = GetParam();
        totals.clear();
        Build(Complete(5), std::string("ns3::dlearn::") + transport, network);
        m_peers[ATTACKER]->SetBehavior(behavior);
        ScriptedPeers::Run();
        EXPECT_EQ(m_peers[ATTACKER]->GetRole(), "byzantine");
        ExpectUndisturbed({0, 1, 2, 3});
        Time end;
        for (const LearnerId peer : {0, 1, 2, 3})
        {
            EXPECT_EQ(m_peers[peer]->GetRecords().size(), ROUNDS);
            end = Max(end, m_peers[peer]->GetRecords().back().closed);
        }
        return end;
    }

    /** Expect that an attack costs at most one timeout more than silence. */
    void ExpectHarmless(Ptr<ByzantineBehavior> behavior)
    {
        const Time silent = Run(CreateObject<SilentBehavior>());
        Simulator::Destroy();
        EXPECT_LE(Run(behavior), silent + TIMEOUT);
    }
};

const Time WireAttacks::TIMEOUT = MilliSeconds(100); // as ScriptedPeers has it

INSTANTIATE_TEST_SUITE_P(Settings,
                         WireAttacks,
                         testing::Values(Setting("p2p", "UdpTransport", 1),
                                         Setting("p2p", "UdpTransport", 0),
                                         Setting("p2p", "TcpTransport", 1),
                                         Setting("csma", "UdpBroadcastTransport", 1)),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)) + std::get<1>(info.param) +
                                    std::to_string(std::get<2>(info.param));
                         });

TEST_P(WireAttacks, NoPeerSpeaksForAnother)
{
    ExpectHarmless(CreateObjectWithAttributes<ImpersonateBehavior>("Victim", UintegerValue(1)));
    // 4000 bytes are four fragments, for two rounds at a time and two or more recipients; those of
    // the last round may arrive when no learner listens any more.
    EXPECT_GE(totals["wrong_sender"], (ROUNDS - 1) * 4U * 2 * 2);
}

TEST_P(WireAttacks, NoPeerJumpsToAFalseRound)
{
    for (const uint32_t round : {ROUNDS - 1, ROUNDS, std::numeric_limits<uint32_t>::max()})
    {
        ExpectHarmless(
            CreateObjectWithAttributes<RoundJumpBehavior>("Round", UintegerValue(round)));
        Simulator::Destroy();
    }
}

TEST_P(WireAttacks, HeadersAreNoSignOfLife)
{
    ExpectHarmless(
        CreateObjectWithAttributes<HeaderFloodBehavior>("Period", TimeValue(MilliSeconds(30))));
    EXPECT_GT(totals["wrong_length_fragments"] + totals["unwanted_fragments"], 4U * 3);
}

TEST_P(WireAttacks, PoisonHurtsThePoisonerOnly)
{
    ExpectHarmless(CreateObject<PoisonBehavior>());
    EXPECT_EQ(totals["contradictory_fragments"], 0U);
    EXPECT_GT(totals["wrong_sender"], 0U);
    EXPECT_GT(totals["evicted"], 0U) << "of the poisoner's own";
}

TEST_P(WireAttacks, PoisonMakesThePoisonersOwnVectorsContradictory)
{
    const auto poison = CreateObject<PoisonBehavior>();
    poison->SetInner(CreateObject<HonestBehavior>());
    ExpectHarmless(poison);
    EXPECT_GT(totals["contradictory_fragments"], 0U);
    EXPECT_EQ(Find(0, ATTACKER, ROUNDS - 1), nullptr);
}

TEST_P(WireAttacks, AWrongLengthSpoilsNoOtherVector)
{
    ExpectHarmless(CreateObject<WrongLengthBehavior>());
    EXPECT_GT(totals["wrong_length_fragments"], 0U) << "under its own name";
    EXPECT_GT(totals["wrong_sender"], 0U) << "under those of others";
}

/** Sends a number that is no vector of its own round 80 ms after it could send that. */
class SlowGarbage : public WireBehavior
{
  protected:
    void Attack(const AttackContext& context) override
    {
        ModelHeader header;
        header.sender = context.learner;
        header.round = context.round;
        header.vectorLength = 1;
        header.messageLength = 4;
        const Bytes garbage = Seal(header, {0, 0, 0, 0});
        Simulator::Schedule(MilliSeconds(80), [context, garbage] {
            SendToNeighbors(context, context.learner, {garbage});
        });
    }
};

TEST_P(WireAttacks, GarbageIsNotWorthWaitingFor)
{
    const auto garbage = CreateObject<SlowGarbage>();
    garbage->SetInner(CreateObjectWithAttributes<DelayBehavior>("Delay", TimeValue(Seconds(9))));
    ExpectHarmless(garbage);
}

TEST_P(WireAttacks, RostersAreNoneOfAPeersConcern)
{
    ExpectHarmless(CreateObject<RosterBehavior>());
    EXPECT_GE(totals["unexpected"], 4U * (ROUNDS - 1));
}

TEST_P(WireAttacks, AnotherAttackMayGoWithIt)
{
    const auto wire = CreateObjectWithAttributes<ImpersonateBehavior>("Victim", UintegerValue(1));
    const auto inner = CreateObject<RosterBehavior>();
    inner->SetInner(CreateObject<HonestBehavior>());
    wire->SetInner(inner);
    Run(wire);
    EXPECT_NE(Find(0, ATTACKER, ROUNDS - 1), nullptr);
    EXPECT_GT(totals["wrong_sender"], 0U);
    EXPECT_GT(totals["unexpected"], 0U);
}

// Peer 3 is down from 130 to 350 ms. It comes back into the round of the others, not into the one
// that the attacker claims, and closes at least half of the rounds that are left.
TEST_P(WireAttacks, ARestartingPeerJoinsTheOthers)
{
    const auto [network, transport, byzantine] = GetParam();
    Build(Complete(5), std::string("ns3::dlearn::") + transport, network);
    m_peers[ATTACKER]->SetBehavior(
        CreateObjectWithAttributes<RoundJumpBehavior>("Round", UintegerValue(ROUNDS - 1)));
    for (const auto& peer : m_peers)
    {
        peer->GetComputeModel()->SetAttribute("Duration", TimeValue(MilliSeconds(40)));
    }
    Simulator::Schedule(MilliSeconds(150), &PeerApplication::Crash, m_peers[3]);
    Simulator::Schedule(MilliSeconds(350), &PeerApplication::Restart, m_peers[3]);
    ScriptedPeers::Run();
    ExpectUndisturbed({0, 1, 2});
    std::vector<uint32_t> rounds;
    for (const RoundRecord& record : m_peers[3]->GetRecords())
    {
        rounds.push_back(record.round);
    }
    ASSERT_GE(rounds.size(), 6U);
    EXPECT_EQ(rounds.back(), ROUNDS - 1);
    const auto joined =
        std::find_if(rounds.begin(), rounds.end(), [](uint32_t round) { return round > 1; });
    EXPECT_LT(*joined, ROUNDS - 4);
    EXPECT_NE(Find(0, 3, ROUNDS - 1), nullptr) << "back in step";
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
