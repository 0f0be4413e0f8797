/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Federations under random churn and loss: whatever happens, the run ends in bounded time and the
 * records balance.
 */

#include "dlearn-federation-fixture.h"

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** Number of the case, which seeds it. */
class FederatedSoak : public FederationTest, public testing::WithParamInterface<uint32_t>
{
};

INSTANTIATE_TEST_SUITE_P(Seeds, FederatedSoak, testing::Range(0U, 24U));

TEST_P(FederatedSoak, EndsWithBalancedRecords)
{
    constexpr uint32_t CLIENTS = 4;
    constexpr uint32_t ROUNDS = 20;
    std::mt19937 random(GetParam());
    const auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    const bool tcp = GetParam() % 2 == 1;
    Build(CLIENTS, draw(2) == 0 ? "p2p,rate=2Mbps" : "p2p,rate=2Mbps,loss=0.05");
    SetTransport(tcp ? "ns3::dlearn::TcpTransport" : "ns3::dlearn::UdpTransport");
    Set("Rounds", UintegerValue(ROUNDS));
    Set("ResponseTimeout", TimeValue(MilliSeconds(300)));
    Set("SuspicionTimeout", TimeValue(MilliSeconds(500)));
    Set("StalenessLimit", UintegerValue(draw(6)));
    switch (GetParam() / 2 % 4)
    {
    case 0:
        SetBuffered(1 + draw(5), draw(CLIENTS + 1));
        break;
    case 1:
        ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline",
                                                     TimeValue(MilliSeconds(20 + draw(200))));
        break;
    case 2:
        ChoosePolicy<QuorumPolicy>();
        break;
    default:
        break;
    }
    if (draw(2) == 0)
    {
        Choose<FedAsyncServer>("Rule");
    }
    if (draw(3) > 0)
    {
        Choose<PolynomialStaleness>("Staleness");
    }
    for (LearnerId id = 1; id <= CLIENTS; ++id)
    {
        SetCompute(id, MilliSeconds(1 + draw(100)));
    }
    Connect(1 + draw(20000)); // up to 0.3 s on the wire
    for (uint32_t event = 0; event < 40; ++event)
    {
        const auto learner = Get(draw(4) == 0 ? 0 : 1 + draw(CLIENTS));
        const uint32_t action = draw(3);
        At(MilliSeconds(draw(4000)), [learner, action] {
            action == 0 ? learner->Crash() : action == 1 ? learner->Leave() : learner->Restart();
        });
    }
    At(Seconds(4), [this] { // all learners are up again
        for (const auto& learner : m_federation.GetLearners())
        {
            learner->Restart();
        }
    });
    Run(Seconds(60));
    EXPECT_TRUE(m_server->IsDone());
    if (m_server->GetSchedule()->IsSynchronous())
    {
        // Each round lasts ResponseTimeout and computing at most; a buffer needs several updates.
        EXPECT_LT(m_server->GetRecords().back().closed, Seconds(4 + ROUNDS * 0.31));
    }
    EXPECT_LE(m_server->GetRecords().size(), ROUNDS);
    EXPECT_TRUE(m_server->GetRule()->GetModel().allFinite());
    uint64_t aggregated = 0;
    for (const auto& [staleness, count] : m_server->GetStaleness())
    {
        aggregated += count;
    }
    uint64_t sent = 0;
    uint64_t trained = 0;
    for (LearnerId id = 1; id <= CLIENTS; ++id)
    {
        sent += Get(id)->GetRecords().size();
        trained += Script(id).log.size();
        EXPECT_EQ(Script(id).ends.size(), Get(id)->GetRecords().size()) << "each once";
    }
    EXPECT_LE(aggregated, sent) << "nothing counts twice";
    EXPECT_EQ(trained, sent + totals["models_dropped"]);
    const auto& tally = m_server->GetRequests().GetTally();
    EXPECT_LE(tally.onTime + tally.late, sent);
    EXPECT_EQ(tally.unexpected, 0U);
    if (!tcp) // which sends again what it cannot know to have arrived when a connection breaks
    {
        EXPECT_EQ(tally.duplicate, 0U);
    }
    EXPECT_EQ(totals["malformed"], 0U) << "no half message was followed by another";
    EXPECT_EQ(totals["contradictory_fragments"], 0U);
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
