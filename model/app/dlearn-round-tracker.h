/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_TRACKER_H
#define DLEARN_ROUND_TRACKER_H

#include "dlearn-believed-round.h"
#include "dlearn-learner-event.h"
#include "dlearn-message-window.h"
#include "dlearn-round-barrier.h"

#include "ns3/dlearn-message-exchange.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a peer knows of rounds: which one comes next, the messages that the open one may use
 * (MessageWindow), what it waits for (RoundBarrier), and which rounds the neighbours are in
 * (BelievedRound). While the peer joins the others after a restart, it holds messages that no round
 * has room for yet.
 *
 * It knows no clock.
 */
class RoundTracker
{
  public:
    using Source = MessageSource;           //!< sender and channel of a message
    using Disposition = MessageDisposition; //!< what became of a message

    /** What a user chooses. */
    struct Settings
    {
        Ptr<const RoundPolicy> roundPolicy; //!< when a round closes
        Ptr<MissingPolicy> missingPolicy;   //!< what a missing message means
        uint32_t rounds{0};                 //!< that there are
        uint32_t ahead{0};                  //!< rounds that a message may be early
        uint32_t byzantine{0};              //!< neighbours whose round may be false
        bool usePartial{false};             //!< whether parts of messages are used
    };

    /**
     * @param sources every message that a round should bring
     * @param settings what a user chose
     */
    RoundTracker(const std::vector<Source>& sources, const Settings& settings);

    /** @return the messages of the rounds, and their records */
    MessageWindow& GetWindow() { return *m_window; }

    /** @return the messages of the rounds, and their records */
    const MessageWindow& GetWindow() const { return *m_window; }

    /** @return whether there is a round that was not opened */
    bool HasNext() const { return m_next < m_settings.rounds; }

    /**
     * Open the next round.
     * @return its number
     */
    uint32_t OpenNext();

    /**
     * Learn from a message which round its sender is in.
     *
     * @param source sender and channel
     * @param round of the message
     * @param arrival the vector; nothing when it cannot be used
     * @return whether it shows that the sender is alive
     */
    bool Observe(const Source& source, uint32_t round, const std::optional<Arrival>& arrival);

    /**
     * Take a message that was observed.
     *
     * @param source sender and channel
     * @param round of the message
     * @param arrival the vector; nothing when it cannot be used
     * @param alive what Observe() said
     * @return what became of it
     */
    Disposition Take(const Source& source,
                     uint32_t round,
                     std::optional<Arrival> arrival,
                     bool alive);

    /**
     * Keep a message that is too early for all rounds, instead of Take(), while the peer joins. Of
     * two messages of a source it keeps the newer one.
     *
     * @param source sender and channel
     * @param round of the message; then of the older one where there are two
     * @param arrival the vector; then that of the older one
     * @return whether it is kept, and nothing is left to Take()
     */
    bool Hold(const Source& source, uint32_t& round, std::optional<Arrival>& arrival);

    /** @return the next message that was held, sender and channel first; nothing at the end */
    std::optional<std::pair<Source, Arrival>> TakeHeld();

    /**
     * The peer listens: find out which round it joins.
     * @return whether that is known; it is the next one then
     */
    bool FindJoinRound();

    /**
     * @param elapsed since the round opened
     * @return whether the round closes now
     */
    bool ShouldClose(Time elapsed) const { return m_barrier.ShouldClose(*m_window, elapsed); }

    /**
     * The round closes as it is.
     * @param waited how long for what is missing, since the peer itself had sent
     * @param timedOut whether it closes for that alone
     * @param suspicionTimeout total time waited after which a neighbour is suspected, more than 0
     * @return the neighbours that it waited for then, and those that are suspected from now on
     */
    std::vector<std::pair<LearnerEvent::Kind, LearnerId>> RecordTimeouts(Time waited,
                                                                         bool timedOut,
                                                                         Time suspicionTimeout);

    /**
     * Use what has arrived of messages of the open round that are not whole, if that is wanted.
     *
     * @param exchange has it
     * @return sender and channel of those that are used
     */
    std::vector<Source> TakePartials(MessageExchange& exchange);

    /**
     * Close the round. When the others are out of reach, the next one is theirs.
     *
     * @param exchange need not send the messages of the round any more
     * @return the messages that arrived, and what stands in for the others
     */
    Inbox Close(MessageExchange& exchange);

    /** Give up the open round and what was held. */
    void Abandon();

    /** Believe that all neighbours are alive again, and know of none which round it is in. */
    void Reset();

  private:
    /** @return whether a round is further ahead than a message may be */
    bool IsOutOfReach(uint32_t round) const;

    /** Go on with the round of the others when they are out of reach. */
    void CatchUp();

    std::vector<Source> m_sources;           //!< what a round should bring
    Settings m_settings;                     //!< what a user chose
    std::unique_ptr<MessageWindow> m_window; //!< messages that rounds may use
    RoundBarrier m_barrier;                  //!< what a round waits for
    BelievedRound m_believed;                //!< where the neighbours are
    std::map<Source, Arrival> m_held;        //!< newest of each source that no round has room for
    uint32_t m_next{0};                      //!< round to open next
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_TRACKER_H
