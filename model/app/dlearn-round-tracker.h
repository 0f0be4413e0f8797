/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_TRACKER_H
#define DLEARN_ROUND_TRACKER_H

#include "dlearn-life-cycle.h"
#include "dlearn-message-table.h"
#include "dlearn-schedule.h"

#include "ns3/dlearn-message-exchange.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Estimates which round the neighbours of a peer are in, although up to f of them may be Byzantine.
 * It takes the newest round of which each of them sent a whole vector, and estimates:
 *
 *  - f > 0: the (f + 1)-th highest, since at least one of the f + 1 neighbours in it is honest;
 *  - f = 0: the lower median, so that one neighbour alone does not move a learner that has three.
 *
 * Neighbours that have sent nothing count as behind all others.
 */
class RoundEstimate
{
  public:
    /** @param byzantine f */
    RoundEstimate(uint32_t byzantine, std::set<LearnerId> neighbors);

    /** A neighbour has sent a whole vector of a round. */
    void Note(LearnerId neighbor, uint32_t round);

    /** Forget the rounds of all neighbours. */
    void Reset() { m_newest.clear(); }

    /** @return the newest round of which the neighbour sent a vector, if any */
    std::optional<uint32_t> GetNewest(LearnerId neighbor) const;

    /** @return the estimate of the neighbours that count, if there are enough */
    std::optional<uint32_t> Get(const std::function<bool(LearnerId)>& counts) const;

  private:
    uint32_t m_byzantine;
    std::set<LearnerId> m_neighbors;
    std::map<LearnerId, uint32_t> m_newest; //!< of each that has sent
};

/**
 * @ingroup dlearn
 * The rounds of a peer: the next one, the messages that the open one may use (RoundTable or
 * LatestTable), when it closes, and the round of the neighbours (RoundEstimate). While the peer
 * joins the others after a restart, the tracker holds messages of rounds that are too far ahead.
 *
 *  1. ShouldClose(), asked after every change: the RoundPolicy decides, but the MissingPolicy may
 *     insist on messages that can still arrive.
 *  2. RecordTimeouts(), when the round closes: the peer has waited without success for each
 *     neighbour whose message is missing or unusable.
 *  3. Close(): the MissingPolicy remembers the messages that arrived, and adds stand-ins for the
 *     others.
 *
 * It does not know the clock.
 */
class RoundTracker
{
  public:
    using Disposition = MessageDisposition;

    /** The user's choices. */
    struct Settings
    {
        Ptr<const RoundPolicy> roundPolicy; //!< when a round closes
        Ptr<MissingPolicy> missingPolicy;   //!< the meaning of a missing message
        uint32_t rounds{0};                 //!< planned number
        uint32_t ahead{0};                  //!< how many rounds a message may be early
        uint32_t byzantine{0};              //!< neighbours whose round may be false
        bool usePartial{false};             //!< whether incomplete messages are used
    };

    /** @param sources all messages of a round */
    RoundTracker(const std::vector<MessageSource>& sources, const Settings& settings);

    RoundTable& GetTable() { return *m_table; }

    const RoundTable& GetTable() const { return *m_table; }

    /** @return whether another round can be opened */
    bool HasNext() const { return m_next < m_settings.rounds; }

    /** Open the next round. @return its number */
    uint32_t OpenNext();

    /** Note the round of a message, without a vector if it cannot be used.
     *  @return whether it shows that the sender is alive */
    bool Observe(const MessageSource& source,
                 uint32_t round,
                 const std::optional<Arrival>& arrival);

    /** Take a message. @param alive the result of Observe() */
    Disposition Take(const MessageSource& source,
                     uint32_t round,
                     std::optional<Arrival> arrival,
                     bool alive);

    /**
     * Keep a message that is too early for all rounds, instead of Take(), while the peer joins. Of
     * two messages of a source it keeps the newer one.
     *
     * @param round of the message; then of the older one where there are two
     * @param arrival the vector; then that of the older one
     * @return whether it is kept, and nothing is left to Take()
     */
    bool Hold(const MessageSource& source, uint32_t& round, std::optional<Arrival>& arrival);

    /** @return the next message that was held; nothing at the end */
    std::optional<std::pair<MessageSource, Arrival>> TakeHeld();

    /** While the peer listens. @return whether the round to join, then the next one, is known */
    bool FindJoinRound();

    /** @return whether the round closes now */
    bool ShouldClose(Time elapsed) const;

    /**
     * Record the neighbours whose messages are missing or unusable when the round closes.
     *
     * @param waited time since the peer has sent
     * @param timedOut whether the response timeout is over
     * @return events of neighbours: timed out, and suspected
     */
    std::vector<std::pair<LearnerEvent::Kind, LearnerId>> RecordTimeouts(Time waited,
                                                                         bool timedOut,
                                                                         Time suspicionTimeout);

    /** With usePartial, use the incomplete messages of the open round. @return their sources */
    std::vector<MessageSource> TakePartials(MessageExchange& exchange);

    /** Close the round, and stop sending its messages. If the others are out of reach, the next
     * round is theirs. @return the messages that arrived, and stand-ins for the others */
    Inbox Close(MessageExchange& exchange);

    /** Give up the open round and the held messages. */
    void Abandon();

    /** Suspect no neighbour any more, and forget their rounds. */
    void Reset();

  private:
    /** @return whether a round is further ahead than a message may be */
    bool IsOutOfReach(uint32_t round) const
    {
        return round > uint64_t{m_table->GetRound()} + m_settings.ahead;
    }

    /** Skip to the round of the others when they are out of reach. */
    void CatchUp();

    std::vector<MessageSource> m_sources; //!< of the messages of a round
    Settings m_settings;
    std::unique_ptr<RoundTable> m_table;
    RoundEstimate m_estimate;
    std::map<MessageSource, Arrival> m_held; //!< newest of each source, too far ahead
    uint32_t m_next{0};                      //!< round to open next
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_TRACKER_H
