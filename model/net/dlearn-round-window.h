/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_WINDOW_H
#define DLEARN_ROUND_WINDOW_H

#include "dlearn-round-record.h"

#include "ns3/dlearn-message.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * Sorts the messages of one learner by round: what belongs to the open round, what came early
 * and has to wait, what came late, what came twice. It keeps the books that the conservation
 * laws of RoundRecord are checked on.
 *
 * The window knows neither time nor sockets. Rounds open in increasing order; rounds that are
 * never opened (skipped after a restart) expect nothing.
 */
class RoundWindow
{
  public:
    /** A message that a round awaits: sender and channel. */
    using Source = std::pair<LearnerId, ModelChannel>;

    /** What became of a message. */
    enum class Verdict
    {
        ON_TIME,   //!< for the open round, first of its kind
        EARLY,     //!< for a coming round; waits
        LATE,      //!< for a closed round that missed it
        DUPLICATE, //!< came before
        TOO_EARLY, //!< beyond the waiting room
        UNEXPECTED //!< from no neighbour, on no channel or for no round that awaits it
    };

    /** Numbers of messages, over the whole run. */
    struct Tally
    {
        uint64_t onTime{0};     //!< for the round that was open, usable or not
        uint64_t early{0};      //!< waited for their round
        uint64_t late{0};       //!< for a closed round
        uint64_t duplicate{0};  //!< came before
        uint64_t tooEarly{0};   //!< beyond the waiting room
        uint64_t unexpected{0}; //!< not awaited
    };

    /**
     * @param sources every message that a round may await
     * @param ahead how many rounds ahead of the open one a message may be, at least 1
     */
    RoundWindow(std::vector<Source> sources, uint32_t ahead);

    /**
     * Open a round; what came early for it is there at once.
     * @param round larger than that of any earlier call
     */
    void Open(uint32_t round);

    /**
     * What would become of a message, without giving it.
     *
     * @param source sender and channel
     * @param round the message's round
     * @return the verdict that Offer() would return
     */
    Verdict Judge(const Source& source, uint32_t round) const;

    /**
     * Give a message.
     *
     * @param source sender and channel
     * @param round the message's round
     * @param arrival the vector; nothing for a message that came but can not be used
     * @return what became of it
     */
    Verdict Offer(const Source& source, uint32_t round, std::optional<Arrival> arrival);

    /** @return messages that the open round still misses, in order */
    std::vector<Source> GetMissing() const;

    /**
     * @param source sender and channel
     * @return whether a usable message of a coming round waits from it: that of the open
     *         round is lost then, or was overtaken
     */
    bool HasPassed(const Source& source) const;

    /** @return number of messages that the open round has, usable or not */
    uint32_t GetReceived() const;

    /** @return number of messages that the open round awaits */
    uint32_t GetExpected() const;

    /** @return whether a round is open */
    bool IsOpen() const;

    /** @return the open round, or the one opened last */
    uint32_t GetRound() const;

    /**
     * Close the open round.
     *
     * @return the usable messages; the counts are in the newest of GetRecords()
     */
    std::map<Source, Arrival> Close();

    /** Give up the open round without a record, as a crash does. */
    void Abandon();

    /** @return one record a closed round, late messages booked as they come */
    std::vector<RoundRecord>& GetRecords();

    /** @return one record a closed round, late messages booked as they come */
    const std::vector<RoundRecord>& GetRecords() const;

    /** @return numbers of messages over the whole run */
    const Tally& GetTally() const;

    /**
     * Check the laws of RoundRecord on every record, and that every message given is in
     * exactly one record or one count of the tally.
     *
     * @throw std::logic_error naming the law, the round and the numbers
     */
    void CheckConservation() const;

  private:
    using Waiting = std::map<Source, std::optional<Arrival>>;

    std::set<Source> m_sources;                             //!< what a round awaits
    uint32_t m_ahead;                                       //!< size of the waiting room
    bool m_open{false};                                     //!< whether a round is open
    bool m_started{false};                                  //!< whether any round was opened
    uint32_t m_round{0};                                    //!< open, or opened last
    Waiting m_current;                                      //!< of the open round
    std::map<uint32_t, Waiting> m_early;                    //!< of coming rounds
    std::vector<RoundRecord> m_records;                     //!< of closed rounds
    std::map<std::pair<uint32_t, Source>, size_t> m_missed; //!< not arrived -> its record
    Tally m_tally;                                          //!< over the whole run
    uint64_t m_abandoned{0}; //!< messages of rounds that were given up
};

/** @return the verdict's name for traces and reports */
const char* ToString(RoundWindow::Verdict verdict);

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_ROUND_WINDOW_H
