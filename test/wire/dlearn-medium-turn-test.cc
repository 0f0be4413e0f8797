/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-broadcast-queue.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** Notes when a turn begins. */
class MediumTurnTest : public testing::Test
{
  protected:
    MediumTurnTest()
        : m_turn([this] { m_begun.push_back(Simulator::Now()); })
    {
        m_turn.AssignStreams(7);
        m_turn.SetSpread(MilliSeconds(16));
    }

    ~MediumTurnTest() override { Simulator::Destroy(); }

    /** @return what the turn waits for when all is quiet, the first time */
    Time GetDraw()
    {
        const auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(7);
        return MilliSeconds(16) * int64x64_t(random->GetValue(0, 1));
    }

    std::vector<Time> m_begun;
    MediumTurn m_turn;
};

TEST_F(MediumTurnTest, BeginsAfterTheDrawnTime)
{
    m_turn.Request();
    m_turn.Request(); // no second one
    Simulator::Run();
    EXPECT_EQ(m_begun, std::vector<Time>{GetDraw()});
}

TEST_F(MediumTurnTest, DrawsUniformly)
{
    Time sum;
    Time most;
    for (uint32_t k = 0; k < 1000; ++k)
    {
        const Time before = Simulator::Now();
        m_turn.Request();
        Simulator::Run();
        sum += Simulator::Now() - before;
        most = Max(most, Simulator::Now() - before);
    }
    // Mean 8 ms, standard deviation 16/sqrt(12 * 1000) = 0.146 ms: six of them.
    EXPECT_NEAR(sum.GetSeconds(), 8, 0.9);
    EXPECT_LT(most, MilliSeconds(16));
}

// The count stands still from a millionth of it on for 50 ms, and for 10 more.
TEST_F(MediumTurnTest, CountsOnlyWhileTheMediumIsQuiet)
{
    const Time part = NanoSeconds(GetDraw().GetNanoSeconds() / 4);
    m_turn.Request();
    Simulator::Schedule(part, &MediumTurn::SetBusy, &m_turn, MilliSeconds(50));
    Simulator::Schedule(part + MilliSeconds(30), &MediumTurn::SetBusy, &m_turn, MilliSeconds(40));
    Simulator::Schedule(part * 2 + MilliSeconds(70),
                        &MediumTurn::SetBusy,
                        &m_turn,
                        MilliSeconds(5));
    Simulator::Run();
    EXPECT_EQ(m_begun, std::vector<Time>{GetDraw() + MilliSeconds(75)});
}

TEST_F(MediumTurnTest, IsToldWhenAnotherTurnIsOver)
{
    m_turn.SetBusy(Seconds(1));
    m_turn.Request();
    Simulator::Schedule(MilliSeconds(100), &MediumTurn::SetBusy, &m_turn, Time(0));
    Simulator::Run();
    EXPECT_EQ(m_begun, std::vector<Time>{GetDraw() + MilliSeconds(100)});
}

TEST_F(MediumTurnTest, CanBeCancelled)
{
    m_turn.Request();
    m_turn.Cancel();
    Simulator::Run();
    EXPECT_TRUE(m_begun.empty());
}

} // namespace
} // namespace ns3::dlearn
