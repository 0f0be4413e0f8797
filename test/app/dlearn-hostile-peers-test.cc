/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Four peers, of which the last is Byzantine: what the others receive, over UDP and over TCP.
 */

#include "dlearn-scripted-peers.h"

#include "ns3/dlearn-message-behaviors.h"
#include "ns3/dlearn-wire-attacks.h"
#include "ns3/double.h"

namespace ns3::dlearn
{
namespace test
{
namespace
{

class HostilePeers : public ScriptedPeers, public testing::WithParamInterface<const char*>
{
  protected:
    static constexpr LearnerId ATTACKER = 3;

    bool IsTcp() const { return GetParam() == std::string("ns3::dlearn::TcpTransport"); }

    void Run(Ptr<ByzantineBehavior> behavior)
    {
        Build(Complete(4), GetParam());
        behavior->AssignStreams(5);
        m_peers[ATTACKER]->SetBehavior(behavior);
        ScriptedPeers::Run();
        EXPECT_EQ(m_peers[ATTACKER]->GetRole(), "byzantine");
        EXPECT_EQ(m_peers[ATTACKER]->GetState(), State::FINISHED);
        ExpectUndisturbed({0, 1, 2});
    }

    /** @return how many of the attacker's vectors a peer had */
    uint32_t Count(LearnerId peer) const
    {
        uint32_t count = 0;
        for (uint32_t round = 0; round < ROUNDS; ++round)
        {
            count += Find(peer, ATTACKER, round) ? 1 : 0;
        }
        return count;
    }

    /** @return the last round's end of an honest peer */
    Time GetEnd() const { return m_peers[0]->GetRecords().back().closed; }
};

INSTANTIATE_TEST_SUITE_P(Transports,
                         HostilePeers,
                         testing::Values("ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"));

TEST_P(HostilePeers, SilenceCostsABoundedTime)
{
    Run(CreateObject<SilentBehavior>());
    EXPECT_EQ(Count(0), 0U);
    // The others wait 2 s in all, 100 ms in each round, so in each of the twelve.
    EXPECT_LT(GetEnd(), MilliSeconds(ROUNDS * 115));
    EXPECT_GE(GetEnd(), MilliSeconds(ROUNDS * 110));
}

// Its own timeout ends first, too: it sends nothing at all.
TEST_P(HostilePeers, LongerDelaysAreSilence)
{
    Run(CreateObjectWithAttributes<DelayBehavior>("Delay", TimeValue(MilliSeconds(150))));
    EXPECT_EQ(Count(0), 0U);
    EXPECT_EQ(m_peers[ATTACKER]->GetExchange()->GetTransport()->GetTxBytes(), 0U);
}

TEST_P(HostilePeers, DelaysBeyondTheOthersDeadlineAreLate)
{
    Config::SetDefault("ns3::dlearn::PeerApplication::RoundPolicy",
                       TypeIdValue(DeadlinePolicy::GetTypeId()));
    Config::SetDefault("ns3::dlearn::DeadlinePolicy::Deadline", TimeValue(MilliSeconds(30)));
    Run(CreateObjectWithAttributes<DelayBehavior>("Delay", TimeValue(MilliSeconds(60))));
    EXPECT_EQ(Count(0), 0U);
    uint32_t late = 0;
    for (const RoundRecord& record : m_peers[0]->GetRecords())
    {
        late += record.late;
    }
    EXPECT_GE(late, 5U); // it needs 70 ms a round, the others 30
}

TEST_P(HostilePeers, AnOldVectorComesUnderANewNumber)
{
    Run(CreateObjectWithAttributes<ReplayBehavior>("Age", UintegerValue(2)));
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        const ModelVector* vector = Find(1, ATTACKER, round);
        ASSERT_NE(vector, nullptr);
        EXPECT_FLOAT_EQ((*vector)[0], GetScript(ATTACKER, round < 2 ? round : round - 2));
    }
}

TEST_P(HostilePeers, AVectorMayBeLonger)
{
    Run(CreateObjectWithAttributes<ScaleBehavior>("Factor", DoubleValue(-2.5)));
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        ASSERT_NE(Find(1, ATTACKER, round), nullptr);
        EXPECT_FLOAT_EQ((*Find(1, ATTACKER, round))[0], -2.5 * GetScript(ATTACKER, round));
    }
}

TEST_P(HostilePeers, OfAFloodTheFirstCounts)
{
    Run(CreateObjectWithAttributes<FloodBehavior>("Copies", UintegerValue(3)));
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        ASSERT_NE(Find(1, ATTACKER, round), nullptr);
        EXPECT_FLOAT_EQ((*Find(1, ATTACKER, round))[0], GetScript(ATTACKER, round));
    }
    // Some messages of the last round arrive when no learner listens any more.
    EXPECT_GE(totals["duplicate"], (ROUNDS - 1) * 3U * 2);
}

TEST_P(HostilePeers, DifferentNeighboursAreToldDifferentThings)
{
    Run(CreateObjectWithAttributes<EquivocateBehavior>("Scale", DoubleValue(4)));
    ModelVector first;
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        for (const LearnerId peer : {0, 1, 2})
        {
            ASSERT_NE(Find(peer, ATTACKER, round), nullptr);
        }
        EXPECT_EQ(*Find(0, ATTACKER, round), *Find(2, ATTACKER, round));
        const ModelVector half = (*Find(0, ATTACKER, round) - *Find(1, ATTACKER, round)) / 2;
        const ModelVector mean = (*Find(0, ATTACKER, round) + *Find(1, ATTACKER, round)) / 2;
        // 32-bit numbers of up to 400 are exact to 2e-5.
        const ModelVector truth = ModelVector::Constant(LONG, GetScript(ATTACKER, round));
        EXPECT_LT((mean - truth).cwiseAbs().maxCoeff(), 5e-5);
        if (round == 0)
        {
            first = half;
            // 1000 draws of N(0, 16): 5 standard deviations, fails with probability 6e-7.
            EXPECT_NEAR(half.squaredNorm() / LONG / 16, 1, 5 * std::sqrt(2.0 / LONG));
        }
        EXPECT_LT((half - first).cwiseAbs().maxCoeff(), 1e-4) << "always the same pull";
    }
}

TEST_P(HostilePeers, GarbageIsRefusedAndCounted)
{
    constexpr uint32_t COPIES = MalformedBehavior::FLAWS;
    Run(CreateObjectWithAttributes<MalformedBehavior>("Copies", UintegerValue(COPIES)));
    for (const LearnerId peer : {0, 1, 2})
    {
        EXPECT_EQ(Count(peer), 0U);
        const auto counters = m_peers[peer]->GetExchange()->GetCounters();
        if (IsTcp()) // all else goes down with the connection, which comes back in 500 ms
        {
            EXPECT_GE(counters.malformed, 2U);
            continue;
        }
        // A vector of 1000 32-bit numbers has 4 fragments of at most 1024 bytes, and so has one
        // of 1001, which is the message of the round when all of them have come. The 4 of NaN are
        // not wanted then. Some of the last round arrive when no learner listens any more.
        EXPECT_GE(counters.malformed, 4U * 4 * (ROUNDS - 1));
        EXPECT_LE(counters.malformed, 4U * 4 * ROUNDS);
        EXPECT_EQ(counters.wrongLength, 4 * ROUNDS);
        EXPECT_GE(counters.unwanted, 4 * (ROUNDS - 1));
        for (const RoundRecord& record : m_peers[peer]->GetRecords())
        {
            EXPECT_EQ(record.received, 3U);
            EXPECT_EQ(record.rejected, 1U);
        }
    }
}

// One at a time, so that with TCP each of them is the first on a connection that is whole.
TEST_P(HostilePeers, EachFlawAloneIsRefused)
{
    Config::SetDefault("ns3::dlearn::PeerApplication::SuspicionTimeout", TimeValue(Seconds(100)));
    Config::SetDefault("ns3::dlearn::TcpTransport::RetryInterval", TimeValue(MilliSeconds(20)));
    Run(CreateObject<MalformedBehavior>());
    for (const LearnerId peer : {0, 1, 2})
    {
        EXPECT_EQ(Count(peer), 0U);
        const auto counters = m_peers[peer]->GetExchange()->GetCounters();
        EXPECT_GE(counters.malformed, 4U);
        EXPECT_GE(counters.wrongLength, 1U);
        EXPECT_GE(counters.notFinite, 1U);
    }
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
