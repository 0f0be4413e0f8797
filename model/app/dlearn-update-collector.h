/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UPDATE_COLLECTOR_H
#define DLEARN_UPDATE_COLLECTOR_H

#include "dlearn-learner-clock.h"
#include "dlearn-request-tracker.h"
#include "dlearn-response-timeouts.h"
#include "dlearn-second-phase.h"
#include "dlearn-server-schedule.h"

#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-server-rule.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Collects from a server's clients what a round makes a model of:
 *
 *  1. Open() says what the model of the round is. GiveAtOpening() sends it to the clients that the
 *     ServerSchedule chooses, GiveAgain() to those that it chooses later.
 *  2. Offer(), for every update: what the StalenessPolicy gives a weight waits in the UpdateBuffer.
 *     The RequestTracker waits for the others, for a limited time.
 *  3. ShouldClose() asks the schedule whether the round closes. Close() takes its updates; in
 *     lock-step nothing is waited for any more then, and what has arrived of updates that are not
 *     whole is among them if that is wanted.
 *  4. In lock-step and where the ServerRule has a request, Close() first asks the clients that
 *     answered once more (SecondPhase). ShouldClose() says when all of them have answered.
 *
 * It knows which clients work on which model, but not what is made of their updates.
 */
class UpdateCollector
{
  public:
    /** What a user chooses. */
    struct Settings
    {
        Ptr<ServerRule> rule;           //!< what is made of updates
        Ptr<ServerSchedule> schedule;   //!< who takes part, and when a round closes
        Ptr<StalenessPolicy> staleness; //!< what an old update is worth
        uint32_t stalenessLimit{0};     //!< versions that an update's model may be old
        bool usePartial{false};         //!< whether parts of updates are used
        ResponseTimeouts timeouts;      //!< how long a client is waited for
    };

    /** The callbacks of the server, all of them set. */
    struct Listener
    {
        std::function<void(LearnerId client)> expired;   //!< a client was waited for long enough
        std::function<void(LearnerId client)> suspected; //!< a client is suspected from now on
        std::function<void(const RoundWindow::Source& source, uint32_t requestId)>
            partial; //!< a part of an update is used
        std::function<void(uint32_t requestId, const ModelVector& request)>
            asked; //!< clients are asked once more
        std::function<void(std::vector<ClientUpdate> updates)>
            collected; //!< the updates of a round, in the order of the clients
    };

    UpdateCollector();

    /**
     * Call once, before anything else.
     *
     * @param clients all, in increasing order
     * @param exchange sends models, and has the parts of updates
     * @param settings what a user chose; rule and schedule were set up
     * @param listener the server
     */
    void Setup(const std::vector<LearnerId>& clients,
               Ptr<MessageExchange> exchange,
               const Settings& settings,
               const Listener& listener);

    /**
     * A round opens.
     *
     * @param round version of the model, larger than in any earlier call
     * @param model that clients get
     */
    void Open(uint32_t round, const ModelVector& model);

    /** Send the model to the clients that the schedule chooses at the opening. */
    void GiveAtOpening();

    /** Send the model to clients that are idle, where rounds are not in lock-step. */
    void GiveAgain();

    /**
     * What would become of a message.
     *
     * @param source sender and channel
     * @param requestId of the model that it answers
     * @return the disposition that Offer() would return
     */
    RoundWindow::Disposition Classify(const RoundWindow::Source& source, uint32_t requestId) const;

    /**
     * Take a message: an update, or an answer of the second phase.
     *
     * @param source sender and channel
     * @param requestId of the model that it answers
     * @param arrival its values, to move from; nothing when it cannot be used
     * @param next version of the model whose round would use an update
     * @return what became of it
     */
    RoundWindow::Disposition Offer(const RoundWindow::Source& source,
                                   uint32_t requestId,
                                   std::optional<Arrival>& arrival,
                                   uint32_t next);

    /** @return clients from which an update can still come in this round */
    size_t CountWaitable() const;

    /**
     * @param elapsed since the round opened
     * @return whether the round, or its second phase if that is open, closes now
     */
    bool ShouldClose(Time elapsed) const;

    /**
     * Close the round, or its second phase if that is open. Calls Listener::collected, unless a
     * second phase begins.
     *
     * @param clock measures how long a second phase may take
     */
    void Close(const LearnerClock& clock);

    /** @return whether a second phase is open: the record of the round is closed */
    bool IsAsking() const { return m_secondPhase.GetLog().IsOpen(); }

    /** A model was made of the updates that were collected last. */
    void Settle() { m_buffer.Settle(); }

    /**
     * Give up what clients work on and what they sent, as in a crash. Updates of which no model was
     * made count as rejected.
     */
    void Drop();

    /** Use no update of a model that was given out before now. */
    void Forget() { m_buffer.Forget(m_tracker.GetLastRequestId() + 1); }

    /** @return who has a model; the records of the rounds */
    RequestTracker& GetTracker() { return m_tracker; }

    /** @return the same, to read */
    const RequestTracker& GetTracker() const { return m_tracker; }

    /** @return how many updates of each staleness were used */
    const std::map<uint32_t, uint64_t>& GetStaleness() const
    {
        return m_buffer.GetCounters().staleness;
    }

    /** @param totals gets the numbers of updates and answers over the whole run */
    void Count(std::map<std::string, uint64_t>& totals) const;

    /** The end of the simulation: cancel all timers, and let go of the parts. */
    void Stop();

  private:
    /** @param clients that get the newest model; none for no message */
    void Give(const std::vector<LearnerId>& clients);

    /** Take an update, as Offer(). */
    RoundWindow::Disposition OfferUpdate(LearnerId client,
                                         uint32_t requestId,
                                         std::optional<Arrival>& arrival,
                                         uint32_t next);

    /**
     * Let what has arrived of an update answer the model, if any of it has.
     * @param client that has an open dispatch
     */
    void TakePartial(LearnerId client);

    /**
     * @param update what it is worth
     * @param arrival its values, to move from
     * @param late whether it was given up before
     */
    void Keep(ClientUpdate update, Arrival& arrival, bool late);

    /**
     * @param clock measures how long that may take
     * @return whether the rule has a request, which is sent to those that answered
     */
    bool Ask(const LearnerClock& clock);

    /** Give the answers of the second phase to the rule. */
    void UseAnswers();

    Settings m_settings;                 //!< what a user chose
    Listener m_listener;                 //!< the server
    Ptr<MessageExchange> m_exchange;     //!< sends models
    RequestTracker m_tracker;            //!< who has a model
    UpdateBuffer m_buffer;               //!< updates of the round
    SecondPhase m_secondPhase;           //!< of a round
    std::vector<ClientUpdate> m_updates; //!< of the round that is in its second phase
    uint32_t m_round{0};                 //!< version of the newest model
};

} // namespace ns3::dlearn

#endif // DLEARN_UPDATE_COLLECTOR_H
