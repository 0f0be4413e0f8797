/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Asynchronous federations: apply on arrival, and buffers.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

namespace ns3::dlearn
{
namespace test
{
namespace
{

class FederatedAsync : public FederationTest
{
  protected:
    /** Clients of 10, 17 and 47 ms, and four models of two updates each, of any age. */
    void BuildThree()
    {
        Build(3);
        SetCompute(0, Time(0));
        SetCompute(2, MilliSeconds(17));
        SetCompute(3, MilliSeconds(47));
        SetBuffered(2);
        Set("Rounds", UintegerValue(4));
        Choose<ConstantStaleness>("Staleness");
    }
};

using Counts = std::map<uint32_t, uint64_t>;

// Client 1 takes 10 ms and client 2 takes 95. Nine updates of client 1 come, at 10, 20, ..., 90,
// each of the newest model; then at 95 that of client 2, of version 0 where 9 is the newest; at
// 100 that of client 1 of version 9 where 10 is the newest; then fresh ones.
TEST_F(FederatedAsync, AStragglerDelaysNoOtherClient)
{
    constexpr uint32_t ROUNDS = 18;
    Build(2);
    SetFloatBits(64);
    SetCompute(0, Time(0));
    SetCompute(2, MilliSeconds(95));
    SetBuffered(1);
    Set("Rounds", UintegerValue(ROUNDS));
    Choose<FedAsyncServer>("Rule");
    m_server->GetRule()->SetAttribute("Mixing", DoubleValue(0.5));
    Choose<PolynomialStaleness>("Staleness");
    Connect();
    Run();
    EXPECT_EQ(m_server->GetStaleness(), (Counts{{0, 16}, {1, 1}, {9, 1}}));
    ASSERT_EQ(Script(1).log.size(), 17U); // the last is the one that finished the run
    std::vector<double> versions{0};
    const auto mix = [&](double share, size_t base, double delta) {
        versions.push_back((1 - share) * versions.back() + share * (versions[base] + delta));
    };
    for (uint32_t k = 0; k < 9; ++k)
    {
        mix(0.5, k, 1);
    }
    mix(0.5 / std::sqrt(10), 0, 10);
    mix(0.5 / std::sqrt(2), 9, 1);
    for (uint32_t k = 11; k < ROUNDS; ++k)
    {
        mix(0.5, k, 1);
    }
    EXPECT_NEAR(GetModel(), versions.back(), 1e-13);
    for (uint32_t k = 0; k < 17; ++k)
    {
        std::ostringstream start;
        start << 10 * k << " #";
        EXPECT_EQ(Script(1).log[k].rfind(start.str(), 0), 0U) << Script(1).log[k];
    }
    ASSERT_EQ(Script(2).log.size(), 2U);
    EXPECT_EQ(Script(2).log[0], "0 #0 0");
    EXPECT_EQ(GetRounds().front(), "10 1/1 0 0");
    EXPECT_EQ(GetRounds()[9], "95 1/1 0 0");
    EXPECT_EQ(GetRounds().back(), "170 1/1 0 0");
    EXPECT_EQ(totals["staleness_9"], 1U);
}

// Clients of 10, 17 and 47 ms, two updates a model:
//
//   10 A of 0     17 B of 0 -> 1     20 A of 0     30 A of 1 -> 2     34 B of 1
//   40 A of 2 -> 3     47 C of 0     50 A of 3 -> 4
TEST_F(FederatedAsync, ABufferMakesAModelOfTheFirstToCome)
{
    BuildThree();
    Connect();
    Run();
    EXPECT_EQ(GetRounds(), (Lines{"17 2/2 0 0", "30 2/2 0 0", "40 2/2 0 0", "50 2/2 0 0"}));
    EXPECT_EQ(m_server->GetStaleness(), (Counts{{0, 5}, {1, 2}, {3, 1}}));
    EXPECT_DOUBLE_EQ(GetModel(), (1 + 10 + 1 + 1 + 10 + 1 + 100 + 1) / 2.0);
    EXPECT_EQ(totals["updates_superseded"], 0U) << "a client may be in a buffer twice";
}

// As above, but what is more than two versions old is not used: C at 47 is refused, and the model
// of 50 is made at 51 of A and B.
TEST_F(FederatedAsync, WhatIsTooOldIsDiscardedAndCounted)
{
    BuildThree();
    Set("StalenessLimit", UintegerValue(2));
    Connect();
    Run();
    EXPECT_EQ(GetRounds(), (Lines{"17 2/2 0 0", "30 2/2 0 0", "40 2/2 0 0", "51 2/3 0 0"}));
    EXPECT_EQ(m_server->GetRecords().back().rejected, 1U);
    EXPECT_EQ(totals["updates_discarded_stale"], 1U);
    EXPECT_EQ(m_server->GetStaleness(), (Counts{{0, 5}, {1, 3}}));
    EXPECT_DOUBLE_EQ(GetModel(), (1 + 10 + 1 + 1 + 10 + 1 + 1 + 10) / 2.0);
}

// The server takes 25 ms for a model, in which three more updates of 10 ms come in: they wait,
// one version old by then, and the next round closes with them at once.
TEST_F(FederatedAsync, UpdatesThatComeWhileTheServerComputesWait)
{
    Build(3);
    SetCompute(0, MilliSeconds(25));
    SetCompute(2, MilliSeconds(20));
    SetCompute(3, MilliSeconds(30));
    SetBuffered(1);
    Set("Rounds", UintegerValue(2));
    Choose<ConstantStaleness>("Staleness");
    Connect();
    Run();
    // Client 1's update closes round 0 at 10; 2's and 3's come at 20 and 30.
    EXPECT_EQ(GetRounds(), (Lines{"35 1/1 0 0", "60 2/2 0 0"}));
    EXPECT_EQ(m_server->GetStaleness(), (Counts{{0, 1}, {1, 2}}));
    EXPECT_DOUBLE_EQ(GetModel(), 1 + 55);
}

// One of two clients is absent. The server sends it a model every 45 ms, but does not wait: the
// other client fills the buffer alone.
TEST_F(FederatedAsync, AnAbsentClientIsGivenUp)
{
    Build(2);
    SetCompute(0, Time(0));
    SetBuffered(2);
    Set("Rounds", UintegerValue(20));
    Set("ResponseTimeout", TimeValue(MilliSeconds(45)));
    Set("SuspicionTimeout", TimeValue(MilliSeconds(90)));
    Choose<ConstantStaleness>("Staleness");
    m_federation.clients[1]->SetStartTime(Seconds(90));
    Connect();
    Run();
    ASSERT_EQ(GetRounds().size(), 20U);
    EXPECT_EQ(GetRounds().back(), "400 2/2 0 0");
    uint64_t lost = 0;
    for (const RoundRecord& record : m_server->GetRecords())
    {
        lost += record.lost;
    }
    EXPECT_EQ(lost, 8U); // at 45, 90, ..., 360
}

// All are given a model at 0 and 45; at 90 the first two, as there still is hope for the third.
// From then on every round costs ResponseTimeout.
TEST_F(FederatedAsync, EndsThoughAllHaveFailed)
{
    Build(3);
    SetBuffered(2);
    SetCompute(0, Time(0));
    Set("Rounds", UintegerValue(5));
    Set("ResponseTimeout", TimeValue(MilliSeconds(45)));
    Set("SuspicionTimeout", TimeValue(MilliSeconds(90)));
    Connect();
    At(MilliSeconds(5), [this] {
        for (const auto& client : m_federation.clients)
        {
            client->Crash();
        }
    });
    Run();
    EXPECT_EQ(GetRounds(),
              (Lines{"135 0/8 0 8", "180 0/3 0 3", "225 0/3 0 3", "270 0/3 0 3", "315 0/3 0 3"}));
    EXPECT_EQ(m_server->GetState(), State::FINISHED);
    EXPECT_EQ(GetModel(), 0);
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
