/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-host-cubic.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t SEGMENT = 1000; //!< bytes

/** A connection of which each window is acknowledged a round trip later. */
class HostCubicTest : public testing::Test
{
  protected:
    HostCubicTest()
    {
        Simulator::Destroy();
        m_state->m_segmentSize = SEGMENT;
    }

    ~HostCubicTest() override { Simulator::Destroy(); }

    /** Begin with a window, in segments, in slow start or not. */
    void Begin(uint32_t window, bool slow, Time rtt)
    {
        m_rtt = rtt;
        m_state->m_minRtt = rtt;
        m_state->m_cWnd = window * SEGMENT;
        m_state->m_ssThresh = slow ? 1U << 30 : m_state->m_cWnd.Get();
    }

    /** Let round trips pass in which all segments of the window arrive, two a time. */
    void Pass(uint32_t rounds)
    {
        for (uint32_t round = 0; round < rounds; ++round)
        {
            Simulator::Stop(m_rtt);
            Simulator::Run();
            for (double left = GetWindow(); left > 0; left -= 2)
            {
                m_cubic->IncreaseWindow(m_state, left > 1 ? 2 : 1);
            }
        }
    }

    /** @return segments */
    double GetWindow() const { return static_cast<double>(m_state->m_cWnd) / SEGMENT; }

    /** A segment is lost: the window is the threshold that this gives. */
    void Lose()
    {
        m_state->m_ssThresh = m_cubic->GetSsThresh(m_state, m_state->m_cWnd);
        m_state->m_cWnd = m_state->m_ssThresh.Get();
    }

    uint32_t m_rounds{0};                                        //!< that have passed
    Ptr<TcpSocketState> m_state{CreateObject<TcpSocketState>()}; //!< of the connection
    Ptr<HostCubic> m_cubic{CreateObject<HostCubic>()};           //!< under test
    Time m_rtt;                                                  //!< round trip
};

TEST_F(HostCubicTest, SlowStartDoublesUpToTheThreshold)
{
    Begin(10, true, MilliSeconds(10));
    m_state->m_ssThresh = 35 * SEGMENT;
    Pass(1);
    EXPECT_EQ(GetWindow(), 20);
    m_cubic->IncreaseWindow(m_state, 15);
    EXPECT_EQ(GetWindow(), 35);
}

TEST_F(HostCubicTest, ALossLeavesSevenTenthsAndAtLeastTwoSegments)
{
    Begin(20, false, MilliSeconds(10));
    EXPECT_EQ(m_cubic->GetSsThresh(m_state, 0), 14U * SEGMENT);
    m_state->m_cWnd = 2 * SEGMENT;
    EXPECT_EQ(m_cubic->GetSsThresh(m_state, 0), 2U * SEGMENT);
}

TEST_F(HostCubicTest, GrowsAsRenoOnAShortPath)
{
    // RFC 9438, section 4.3: 3 (1 - 0.7) / (1 + 0.7) = 0.529 segments each round trip; a growth of
    // one is computed each 1/32 s at the earliest, so that it lags by one or two segments.
    Begin(20, false, MilliSeconds(10));
    Lose();
    EXPECT_EQ(GetWindow(), 14);
    Pass(40);
    EXPECT_NEAR(GetWindow(), 14 + 40 * 0.529, 3);
}

TEST_F(HostCubicTest, FollowsItsCurveOnALongPath)
{
    // RFC 9438, figure 1: W(t) = 0.4 (t - K)^3 + 400, K = cbrt(0.3 * 400 / 0.4) = 6.69 s. Reno
    // grows by 0.529 segments in 0.5 s, which is less.
    Begin(400, false, MilliSeconds(500));
    Lose();
    EXPECT_EQ(GetWindow(), 280);
    const double k = std::cbrt(0.3 * 400 / 0.4);
    for (const uint32_t rounds : {4, 8, 14, 20})
    {
        Pass(rounds - m_rounds);
        m_rounds = rounds;
        const auto curve = [k](double time) { return 0.4 * std::pow(time - k, 3) + 400; };
        EXPECT_GT(GetWindow(), curve(0.5 * (rounds - 1)) - 1) << rounds << " round trips";
        EXPECT_LT(GetWindow(), curve(0.5 * (rounds + 1)) + 1) << rounds << " round trips";
    }
}

TEST_F(HostCubicTest, WantsLessThanBeforeWhenOthersTakeMore)
{
    // Section 4.7: of two losses in a row, the second is at 280 < 400, so W_max is 280 * 0.85.
    Begin(400, false, MilliSeconds(500));
    Lose();
    Lose();
    EXPECT_EQ(GetWindow(), 196);
    const double k = std::cbrt((238 - 196) / 0.4);
    Pass(static_cast<uint32_t>(std::lround(k / 0.5)));
    EXPECT_NEAR(GetWindow(), 238, 4);
}

TEST_F(HostCubicTest, ATimeoutForgetsTheLargestWindow)
{
    // Section 4.8: it begins where it is; hosts let it grow by 5 % each round trip at least.
    Begin(400, false, MilliSeconds(500));
    Lose();
    m_cubic->CongestionStateSet(m_state, TcpSocketState::CA_LOSS);
    Pass(10);
    EXPECT_NEAR(GetWindow(), 280 * std::pow(1.05, 10), 5);
}

TEST_F(HostCubicTest, TimeWithoutDataDoesNotCount)
{
    Begin(400, false, MilliSeconds(500));
    Lose();
    Pass(4);
    m_cubic->PktsAcked(m_state, 2, m_rtt);
    const double before = GetWindow();
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    m_cubic->CwndEvent(m_state, TcpSocketState::CA_EVENT_TX_START);
    Pass(1);
    EXPECT_LT(GetWindow(), before + 20); // without this 1.5 times
}

TEST_F(HostCubicTest, SlowStartEndsWhenTheDelayGrows)
{
    Begin(32, true, MilliSeconds(40));
    m_state->m_highTxMark = SequenceNumber32(32 * SEGMENT);
    const auto acknowledge = [this](uint32_t segment, Time rtt) {
        m_state->m_lastAckedSeq = SequenceNumber32(segment * SEGMENT);
        m_cubic->PktsAcked(m_state, 1, rtt);
    };
    for (uint32_t k = 1; k < 20; ++k)
    {
        acknowledge(k, MilliSeconds(44)); // the bound is 40 + max(4, 40 / 8) ms
    }
    EXPECT_GT(m_state->m_ssThresh, m_state->m_cWnd);
    m_state->m_highTxMark = SequenceNumber32(64 * SEGMENT);
    for (uint32_t k = 32; k < 39; ++k)
    {
        acknowledge(k, MilliSeconds(46));
        EXPECT_GT(m_state->m_ssThresh, m_state->m_cWnd) << "sample " << k - 31;
    }
    acknowledge(39, MilliSeconds(46)); // the eighth of the round
    EXPECT_EQ(m_state->m_ssThresh, m_state->m_cWnd);
}

} // namespace

} // namespace ns3::dlearn
