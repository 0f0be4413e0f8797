/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_SCOREBOARD_H
#define DLEARN_TCP_SCOREBOARD_H

#include "ns3/nstime.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-option-sack.h"

#include <cstdint>
#include <deque>
#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The segments of a TCP sender that are sent and not acknowledged, and their fate:
 * the scoreboard of RFC 6675, with losses found by RACK (RFC 8985, section 6): a segment is lost
 * when one that was sent later has arrived and a reordering window has passed. So the loss of a
 * segment that was sent again is found, too. Segments are counted, not bytes.
 */
class TcpScoreboard
{
  public:
    /** A segment that was sent and that no cumulative acknowledgement covers. */
    struct Segment
    {
        SequenceNumber32 seq; //!< of its first byte
        uint32_t size;        //!< bytes
        Time sent;            //!< the last time
        bool sacked{false};   //!< it has arrived
        bool lost{false};     //!< a copy of it was lost
        bool resent{false};   //!< a later copy of it may be under way
        bool again{false};    //!< it was sent more than once

        /** @return the sequence number after it */
        SequenceNumber32 GetEnd() const { return seq + size; }
    };

    /** The content of an acknowledgement. */
    struct Delivery
    {
        uint32_t segments{0}; //!< that have newly arrived
        uint32_t acked{0};    //!< that it covers cumulatively
        bool sacked{false};   //!< whether any of them came out of order
        Time rtt{-1};         //!< a sample; negative: there is none
    };

    /** @return whether everything was acknowledged */
    bool IsEmpty() const { return m_segments.empty(); }

    /** @return segments that were sent and not acknowledged */
    uint32_t GetOut() const { return static_cast<uint32_t>(m_segments.size()); }

    /** @return those of them that may be under way: the pipe of RFC 6675 */
    uint32_t GetPipe() const { return GetOut() - m_sacked - m_lost + m_resent; }

    /** @return those of them that have arrived */
    uint32_t GetSacked() const { return m_sacked; }

    /** @return those of them that were lost at least once */
    uint32_t GetLost() const { return m_lost; }

    /** @return those of them that were sent again and may be under way */
    uint32_t GetResent() const { return m_resent; }

    /** @return how often a segment was lost since the beginning */
    uint32_t GetLosses() const { return m_losses; }

    /** @return whether segments came out of order without being lost, RFC 8985, section 6.2 */
    bool HasReordering() const { return m_reordering; }

    /** @return the first segment; there is one */
    Segment& GetFirst() { return m_segments.front(); }

    /** @return the last segment; there is one */
    Segment& GetLast() { return m_segments.back(); }

    /** Append a segment that is sent now. */
    void Add(SequenceNumber32 seq, uint32_t size);

    /**
     * Use an acknowledgement.
     *
     * @param ack sequence number of the next byte that the peer waits for
     * @param sacks blocks of bytes that it has behind that
     * @param minRtt the least round trip so far; negative: none is known
     */
    Delivery Update(SequenceNumber32 ack, const TcpOptionSack::SackList& sacks, Time minRtt);

    /**
     * Find lost segments by the times when they were sent, RFC 8985, section 6.2.
     *
     * @param window time that a segment may come late
     * @return time of the next check; negative: none
     */
    Time DetectLosses(Time window);

    /** A timeout: the first segment is lost, and all that were not sent within a round trip. */
    void MarkLost();

    /** A segment is sent again now. */
    void MarkResent(Segment& segment);

    /** Call a function with the lost segments that were not sent again, while it returns true. */
    void ForEachLost(const std::function<bool(Segment&)>& function);

  private:
    void Take(Segment& segment, Time minRtt);

    /** The last copy of a segment counts as lost. */
    void MarkLost(Segment& segment);

    std::deque<Segment> m_segments;      //!< in the order of their bytes
    uint32_t m_sacked{0};                //!< see GetSacked()
    uint32_t m_lost{0};                  //!< see GetLost()
    uint32_t m_resent{0};                //!< see GetResent()
    uint32_t m_losses{0};                //!< see GetLosses()
    bool m_reordering{false};            //!< see HasReordering()
    SequenceNumber32 m_highest{0};       //!< the highest that has arrived
    SequenceNumber32 m_highestBefore{0}; //!< the same before this acknowledgement
    Time m_rtt;                //!< of the segment that was sent last of those that arrived
    Time m_sent;               //!< when that one was sent
    SequenceNumber32 m_end{0}; //!< the sequence number after it
    Time m_sampleOnce;         //!< of this acknowledgement: of a segment sent once
    Time m_sampleAgain;        //!< of this acknowledgement: of one that was sent again
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_SCOREBOARD_H
