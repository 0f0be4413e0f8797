/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAIR_STATISTICS_H
#define DLEARN_PAIR_STATISTICS_H

#include "dlearn-pair-record.h"

#include "ns3/dlearn-learner-application.h"
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
 */
class PairStatistics
{
  public:
    /** @param learners all, with their surroundings; they must not outlive this object */
    explicit PairStatistics(const std::vector<Ptr<LearnerApplication>>& learners);

    PairStatistics(const PairStatistics&) = delete;
    PairStatistics& operator=(const PairStatistics&) = delete;

    /** @return one record for each pair with a message, by sender, then receiver */
    std::vector<PairRecord> GetRecords() const;

    /** @param archive saves or loads what changes during a run */
    void VisitState(StateArchive& archive);

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
        Time latency;         //!< see PairRecord

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(expected, received, late, latency);
        }
    };

    void HandleTx(LearnerId from, const EncodedMessage& message, const std::vector<LearnerId>& to);
    void HandleRx(LearnerId to,
                  const RoundWindow::Source& source,
                  uint32_t round,
                  Reception reception);

    std::map<std::pair<LearnerId, LearnerId>, Counters> m_counters; //!< by sender and receiver
    std::map<Stream, std::deque<std::pair<uint32_t, Time>>> m_open; //!< round and departure
};

} // namespace ns3::dlearn

#endif // DLEARN_PAIR_STATISTICS_H
