/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAIR_STATISTICS_H
#define DLEARN_PAIR_STATISTICS_H

#include "dlearn-pair-record.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * Counts the messages between each pair of learners, as they leave and arrive. It is about the
 * network: a vector that the receiver then rejects has arrived, and what a learner sends under the
 * name of another does not count.
 *
 * On several ranks (Ranks), where a message may leave on one and arrive on another, each only notes
 * what it sees, and rank 0 counts at the end (AddNotes()).
 */
class PairStatistics
{
  public:
    /** @param learners all, with their surroundings */
    explicit PairStatistics(const std::vector<Ptr<LearnerApplication>>& learners);

    PairStatistics(const PairStatistics&) = delete;
    PairStatistics& operator=(const PairStatistics&) = delete;

    /** @return one record for each pair with a message, by sender, then receiver */
    std::vector<PairRecord> GetRecords() const;

    /** @param archive saves what was noted, or loads what another rank has noted, besides */
    void AddNotes(StateArchive& archive);

    /** Count what was noted, in the order of time. */
    void CountNotes();

  private:
    using Reception = LearnerApplication::Reception;

    /** Of a message: sender, receiver, channel. */
    using Stream = std::tuple<LearnerId, LearnerId, ModelChannel>;

    /** Counters of a pair. */
    struct Counters
    {
        uint64_t expected{0}; //!< see PairRecord
        uint64_t received{0}; //!< see PairRecord
        uint64_t late{0};     //!< see PairRecord
        bool partly{false};   //!< see PairRecord
        Time latency;         //!< see PairRecord

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(expected, received, late, partly, latency);
        }
    };

    /** A message that has left, or arrived. */
    struct Note
    {
        Time time;             //!< when
        Stream stream;         //!< of the message
        uint32_t round{0};     //!< of the message
        bool arrived{false};   //!< whether it arrived
        Reception reception{}; //!< if it did

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(time, stream, round, arrived, reception);
        }
    };

    /** @param note to be counted now, or later on rank 0 */
    void Take(const Note& note);

    /** @param note to be counted; none that is later was counted before */
    void Count(const Note& note);

    /** @param note of a message that has left */
    void CountSent(const Note& note);

    void HandleTx(LearnerId from, const EncodedMessage& message, const std::vector<LearnerId>& to);
    void HandleRx(LearnerId to,
                  const MessageSource& source,
                  uint32_t round,
                  Reception reception);

    std::map<std::pair<LearnerId, LearnerId>, Counters> m_counters; //!< by sender and receiver
    std::map<Stream, std::deque<std::pair<uint32_t, Time>>> m_open; //!< round and departure
    std::vector<Note> m_notes; //!< with several ranks; not counted yet
    TraceConnections m_traces; //!< of the learners
};

} // namespace ns3::dlearn

#endif // DLEARN_PAIR_STATISTICS_H
