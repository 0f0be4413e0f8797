/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-scoreboard.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::dlearn
{

void
TcpScoreboard::Add(SequenceNumber32 seq, uint32_t size)
{
    m_segments.push_back({seq, size, Simulator::Now()});
}

TcpScoreboard::Delivery
TcpScoreboard::Update(SequenceNumber32 ack, const TcpOptionSack::SackList& sacks, Time minRtt)
{
    Delivery delivery;
    m_sampleOnce = m_sampleAgain = Time(-1);
    m_highestBefore = m_highest;
    for (const auto& [begin, end] : sacks)
    {
        auto segment =
            std::lower_bound(m_segments.begin(),
                             m_segments.end(),
                             begin,
                             [](const Segment& s, SequenceNumber32 seq) { return s.seq < seq; });
        for (; segment != m_segments.end() && segment->GetEnd() <= end; ++segment)
        {
            if (!segment->sacked)
            {
                Take(*segment, minRtt);
                segment->sacked = delivery.sacked = true;
                ++m_sacked;
                ++delivery.segments;
            }
        }
    }
    for (; !m_segments.empty() && m_segments.front().GetEnd() <= ack; ++delivery.acked)
    {
        if (m_segments.front().sacked)
        {
            --m_sacked;
        }
        else
        {
            Take(m_segments.front(), minRtt);
            ++delivery.segments;
        }
        m_segments.pop_front();
    }
    if (!m_segments.empty() && m_segments.front().seq < ack)
    {
        m_segments.front().size = m_segments.front().GetEnd() - ack;
        m_segments.front().seq = ack;
    }
    // A segment that was sent once can have arrived long before the acknowledgement that covers a
    // segment that was sent again, too. Hosts tell them apart by time stamps.
    const bool again = delivery.acked > 0 && !m_sampleAgain.IsStrictlyNegative();
    delivery.rtt = again ? m_sampleAgain : m_sampleOnce;
    return delivery;
}

void
TcpScoreboard::Take(Segment& segment, Time minRtt)
{
    const Time rtt = Simulator::Now() - segment.sent;
    if (!segment.again || rtt >= minRtt) // else it is an earlier copy that has arrived
    {
        Time& sample = segment.again ? m_sampleAgain : m_sampleOnce;
        sample = sample.IsStrictlyNegative() ? rtt : sample;
        m_rtt = rtt;
        if (segment.sent > m_sent || (segment.sent == m_sent && segment.GetEnd() > m_end))
        {
            m_sent = segment.sent;
            m_end = segment.GetEnd();
        }
    }
    m_reordering = m_reordering || (!segment.again && segment.GetEnd() < m_highestBefore);
    m_highest = std::max(m_highest, segment.GetEnd());
    m_resent -= segment.resent;
    m_lost -= segment.lost;
    segment.resent = segment.lost = false;
}

void
TcpScoreboard::MarkLost(Segment& segment)
{
    if (segment.sacked || (segment.lost && !segment.resent))
    {
        return;
    }
    ++m_losses;
    m_resent -= segment.resent;
    m_lost += !segment.lost;
    segment.resent = false;
    segment.lost = true;
}

Time
TcpScoreboard::DetectLosses(Time window)
{
    Time last(-1);
    for (Segment& segment : m_segments)
    {
        const bool waits = !segment.sacked && (!segment.lost || segment.resent);
        const bool before =
            segment.sent < m_sent || (segment.sent == m_sent && segment.GetEnd() < m_end);
        if (!waits || !before)
        {
            continue;
        }
        const Time end = segment.sent + m_rtt + window;
        if (end <= Simulator::Now())
        {
            MarkLost(segment);
        }
        else
        {
            last = Max(last, end);
        }
    }
    return last;
}

void
TcpScoreboard::MarkLost()
{
    MarkLost(m_segments.front());
    for (Segment& segment : m_segments)
    {
        if (Simulator::Now() - segment.sent >= m_rtt)
        {
            MarkLost(segment);
        }
    }
}

void
TcpScoreboard::MarkResent(Segment& segment)
{
    m_resent += !segment.resent;
    segment.resent = segment.again = true;
    segment.sent = Simulator::Now();
}

void
TcpScoreboard::ForEachLost(const std::function<bool(Segment&)>& function)
{
    for (size_t k = 0; k < m_segments.size() && m_lost > m_resent; ++k)
    {
        if (m_segments[k].lost && !m_segments[k].resent && !function(m_segments[k]))
        {
            return;
        }
    }
}

} // namespace ns3::dlearn
