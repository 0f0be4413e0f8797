/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-tcp-scoreboard.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Segments of 100 bytes from sequence number 1 on, on a path of 10 ms. */
class TcpScoreboardTest : public testing::Test
{
  protected:
    TcpScoreboardTest() { Simulator::Destroy(); }

    ~TcpScoreboardTest() override { Simulator::Destroy(); }

    /** Do something at a time in ms. */
    template <typename Function>
    static void At(double ms, Function function)
    {
        Simulator::Schedule(MicroSeconds(static_cast<int64_t>(1000 * ms)) - Simulator::Now(),
                            function);
    }

    /** Send segments now. */
    void Send(uint32_t count)
    {
        for (uint32_t k = 0; k < count; ++k)
        {
            m_board.Add(SequenceNumber32(1 + 100 * m_sent++), 100);
        }
    }

    /**
     * @param ack segments that are acknowledged cumulatively
     * @param blocks numbers of the first and behind the last segment of each block
     */
    TcpScoreboard::Delivery Acknowledge(uint32_t ack,
                                        std::vector<std::pair<uint32_t, uint32_t>> blocks = {})
    {
        TcpOptionSack::SackList list;
        for (const auto& [first, last] : blocks)
        {
            list.emplace_back(SequenceNumber32(1 + 100 * first), SequenceNumber32(1 + 100 * last));
        }
        return m_board.Update(SequenceNumber32(1 + 100 * ack), list, MilliSeconds(10));
    }

    TcpScoreboard m_board; //!< under test
    uint32_t m_sent{0};    //!< segments
};

TEST_F(TcpScoreboardTest, CountsWhatIsUnderWay)
{
    Send(6);
    At(10, [this] {
        const auto delivery = Acknowledge(1, {{2, 4}, {5, 6}});
        EXPECT_EQ(delivery.segments, 4U);
        EXPECT_EQ(delivery.acked, 1U);
        EXPECT_TRUE(delivery.sacked);
        EXPECT_EQ(delivery.rtt, MilliSeconds(10));
        EXPECT_EQ(m_board.GetOut(), 5U);
        EXPECT_EQ(m_board.GetSacked(), 3U);
        EXPECT_EQ(m_board.GetPipe(), 2U); // segments 1 and 4
        // The same again says nothing new.
        EXPECT_EQ(Acknowledge(1, {{2, 4}, {5, 6}}).segments, 0U);
        EXPECT_EQ(m_board.DetectLosses(Time(0)), Time(-1));
        EXPECT_EQ(m_board.GetLost(), 2U);
        EXPECT_EQ(m_board.GetPipe(), 0U);
        m_board.MarkResent(m_board.GetFirst());
        EXPECT_EQ(m_board.GetPipe(), 1U);
    });
    At(20, [this] {
        const auto delivery = Acknowledge(4, {{5, 6}});
        EXPECT_EQ(delivery.segments, 1U);
        EXPECT_EQ(delivery.acked, 3U);
        EXPECT_EQ(m_board.GetOut(), 2U);
        EXPECT_EQ(m_board.GetPipe(), 0U);
        Acknowledge(6);
        EXPECT_TRUE(m_board.IsEmpty());
        EXPECT_EQ(m_board.GetPipe() + m_board.GetLost() + m_board.GetResent(), 0U);
    });
    Simulator::Run();
}

TEST_F(TcpScoreboardTest, ASegmentIsLostWhenTheReorderingWindowIsOver)
{
    Send(1);
    At(1, [this] { Send(1); });
    At(11, [this] {
        Acknowledge(0, {{1, 2}});
        // Segment 0 was sent at 0; the later one took 10 ms, and the window is 2.5 ms.
        EXPECT_EQ(m_board.DetectLosses(MicroSeconds(2500)), MicroSeconds(12500));
        EXPECT_EQ(m_board.GetLost(), 0U);
        EXPECT_EQ(m_board.DetectLosses(MicroSeconds(1000)), Time(-1));
        EXPECT_EQ(m_board.GetLost(), 1U);
    });
    Simulator::Run();
}

TEST_F(TcpScoreboardTest, FindsARetransmissionThatIsLost)
{
    Send(2);
    At(10, [this] {
        Acknowledge(0, {{1, 2}});
        m_board.DetectLosses(Time(0));
        m_board.MarkResent(m_board.GetFirst());
    });
    At(11, [this] { Send(1); });
    At(21, [this] {
        Acknowledge(0, {{1, 3}}); // what was sent after it has arrived
        EXPECT_EQ(m_board.GetPipe(), 1U);
        m_board.DetectLosses(Time(0));
        EXPECT_EQ(m_board.GetPipe(), 0U);
        EXPECT_EQ(m_board.GetLosses(), 2U);
    });
    Simulator::Run();
}

TEST_F(TcpScoreboardTest, ASegmentSentAgainThatArrivesTooSoonWasTheFirstCopy)
{
    Send(3);
    At(10, [this] {
        Acknowledge(0, {{2, 3}});
        m_board.MarkResent(m_board.GetFirst());
    });
    At(15, [this] {
        // 5 ms after it was sent again, where a round trip takes 10: no sample
        EXPECT_TRUE(Acknowledge(1, {{2, 3}}).rtt.IsStrictlyNegative());
        EXPECT_FALSE(m_board.HasReordering());
        m_board.DetectLosses(Time(0));
        EXPECT_EQ(m_board.GetLost(), 1U); // segment 1, because of segment 2
    });
    At(17, [this] {
        Acknowledge(3);
        EXPECT_TRUE(m_board.HasReordering()); // it came late
    });
    Simulator::Run();
}

TEST_F(TcpScoreboardTest, ATimeoutKeepsWhatWasSentWithinARoundTrip)
{
    Send(1);
    At(10, [this] {
        Acknowledge(1);
        Send(2);
    });
    At(200, [this] { Send(1); });
    At(205, [this] {
        m_board.MarkLost();
        EXPECT_EQ(m_board.GetLost(), 2U);
        EXPECT_EQ(m_board.GetPipe(), 1U);
        std::vector<SequenceNumber32> lost;
        m_board.ForEachLost([&](TcpScoreboard::Segment& segment) {
            lost.push_back(segment.seq);
            return true;
        });
        EXPECT_EQ(lost, (std::vector{SequenceNumber32(101), SequenceNumber32(201)}));
    });
    Simulator::Run();
}

TEST_F(TcpScoreboardTest, AnAcknowledgementWithinASegmentLeavesItsRest)
{
    Send(1);
    m_board.Update(SequenceNumber32(41), {}, MilliSeconds(10));
    EXPECT_EQ(m_board.GetFirst().seq, SequenceNumber32(41));
    EXPECT_EQ(m_board.GetFirst().size, 60U);
}

} // namespace

} // namespace ns3::dlearn
