/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UPDATE_COLLECTOR_H
#define DLEARN_UPDATE_COLLECTOR_H

#include "dlearn-compute-model.h"
#include "dlearn-message-table.h"
#include "dlearn-schedule.h"

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
 * Collects the updates of a server's clients, of which a round makes a model:
 *
 *  1. Open() sets the model of the round. GiveAtOpening() sends it to the clients that the
 *     ServerSchedule chooses, GiveAgain() to those that it chooses later. All models that are given
 *     at once have one number, their request.
 *  2. Offer(), for every update: what the StalenessPolicy gives a weight waits in the UpdateBuffer.
 *     A request that is not answered within the response timeout, which may change with the answers
 *     (ResponseTimeouts), is given up.
 *  3. ShouldClose() asks the schedule whether the round closes. Close() takes its updates; where
 *     rounds are synchronous, nothing is waited for any more then, and what has arrived of updates
 *     that are not whole is among them if that is wanted.
 *  4. Where rounds are synchronous and the ServerRule has a request, Close() begins a second phase:
 *     every client whose update is of the newest model gets the request (ServerRule::GetRequest(),
 *     channel REQUEST) with the number of that model, and answers with a vector of the model's size
 *     (ClientRule::Answer(), channel ANSWER). It closes when all have answered, or their time is
 *     over.
 *
 * The outcome of each request is in a RequestTable.
 */
class UpdateCollector
{
  public:
    /** The choices of a user. */
    struct Settings
    {
        Ptr<ServerRule> rule;           //!< makes models of updates
        Ptr<ServerSchedule> schedule;   //!< who takes part, and when a round closes
        Ptr<StalenessPolicy> staleness; //!< the weight of an old update
        uint32_t stalenessLimit{0};     //!< versions that an update's model may be old
        bool usePartial{false};         //!< whether parts of updates are used
        ResponseTimeouts timeouts;      //!< how long a client is waited for
    };

    /** The callbacks of the server, all of them set. */
    struct Listener
    {
        std::function<void(LearnerId client)> expired;   //!< a client was waited for long enough
        std::function<void(LearnerId client)> suspected; //!< a client is suspected from now on
        std::function<void(const MessageSource& source, uint32_t requestId)>
            partial; //!< a part of an update is used
        std::function<void(uint32_t requestId, const ModelVector& request)>
            asked; //!< a second phase begins
        std::function<void(std::vector<ClientUpdate> updates)>
            collected; //!< the updates of a round, in the order of the clients
    };

    UpdateCollector() = default;
    UpdateCollector(const UpdateCollector&) = delete;
    UpdateCollector& operator=(const UpdateCollector&) = delete;

    ~UpdateCollector() { Stop(); }

    /**
     * Call once, before anything else.
     *
     * @param clients all, in increasing order
     * @param exchange sends models, and has the parts of updates
     * @param settings rule and schedule were set up
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
    void GiveAtOpening() { Give(m_settings.schedule->ChooseAtOpening(m_round, GetIdle())); }

    /** Send the model to clients that are idle, where rounds are not synchronous. */
    void GiveAgain();

    /** @return the disposition that Offer() would return */
    MessageDisposition Classify(const MessageSource& source, uint32_t requestId) const;

    /**
     * Take a message: an update, or an answer of the second phase.
     *
     * @param source sender and channel
     * @param requestId of the model that it answers
     * @param arrival its values, to move from; nothing when it cannot be used
     * @param next version of the model whose round would use an update
     * @return its disposition
     */
    MessageDisposition Offer(const MessageSource& source,
                             uint32_t requestId,
                             std::optional<Arrival>& arrival,
                             uint32_t next);

    /** @return number of clients from which an update can still come in this round */
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
    bool IsAsking() const { return m_asking; }

    /** A model was made of the updates that were collected last. */
    void Settle() { m_buffer.Settle(); }

    /**
     * Give up all requests and updates, as in a crash. That says nothing of the clients. Updates of
     * which no model was made count as rejected.
     */
    void Drop();

    /** Use no update of a model that was given before now. */
    void Forget() { m_buffer.Forget(m_given.size()); }

    /** @return all clients, in increasing order */
    const std::vector<LearnerId>& GetClients() const { return m_clients; }

    /** @return number of the models given last */
    uint32_t GetLastRequestId() const { return m_given.size() - 1; }

    /** @return the outcome of the models that were given, and the records of the rounds */
    RequestTable& GetRequests() { return m_requests; }

    const RequestTable& GetRequests() const { return m_requests; }

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
    /** Models that were given at once. */
    struct Given
    {
        uint32_t version{0}; //!< the server's round
        Time sent;           //!< when
        size_t open{0};      //!< requests that have not ended
    };

    /** @param clients that get the newest model; none for no message */
    void Give(const std::vector<LearnerId>& clients);

    /** @return time since the client's open request was sent */
    Time GetWaited(LearnerId client) const;

    /** @return how long the client is still waited for, as the response timeout is now */
    Time GetLeft(LearnerId client) const
    {
        return m_settings.timeouts.GetResponse() - GetWaited(client);
    }

    /** @param client whose open request expires when nothing is left to wait */
    void Await(LearnerId client);

    void Expire(LearnerId client);

    /** @param client that was waited for without success */
    void GiveUp(LearnerId client);

    /** @param client that is not waited for any longer */
    void DropRequest(LearnerId client);

    /** A client's request has ended. If it was the last one of its number, the models need not be
     *  sent any more. */
    void End(LearnerId client, uint32_t requestId);

    MessageDisposition OfferUpdate(LearnerId client,
                                   uint32_t requestId,
                                   std::optional<Arrival>& arrival,
                                   uint32_t next);

    MessageDisposition OfferAnswer(LearnerId client,
                                   uint32_t requestId,
                                   const std::optional<Arrival>& arrival);

    /**
     * Take an answer into account: a client works that sends a usable one, in time or late. To wait
     * for one that is in time but not usable counts as waiting without success.
     *
     * @param waited how long it was waited for; 0 when that says nothing
     */
    void RecordAnswer(LearnerId client, MessageDisposition disposition, bool usable, Time waited);

    void RecordTimeout(LearnerId client, Time waited);

    /** @param client whose open request is answered by a part of its update, if any has arrived */
    void TakePartial(LearnerId client);

    /** @param late whether it was given up before */
    void Keep(ClientUpdate update, Arrival& arrival, bool late);

    /** @return clients without an open request, in increasing order */
    std::vector<LearnerId> GetIdle() const;

    /** @return whether the rule has a request, which is sent to those that answered */
    bool Ask(const LearnerClock& clock);

    /** End the second phase. @return the usable answers */
    std::map<LearnerId, ModelVector> EndSecondPhase();

    /** Give the answers of the second phase to the rule. */
    void UseAnswers();

    Settings m_settings;
    Listener m_listener;
    Ptr<MessageExchange> m_exchange;
    std::vector<LearnerId> m_clients;
    uint32_t m_round{0}; //!< version of the newest model

    std::vector<Given> m_given; //!< by requestId
    uint32_t m_kept{0};         //!< first requestId since the last Drop()
    RequestTable m_requests{ModelChannel::UPDATE};
    RoundRecord m_ended; //!< requests that had ended when the round opened, in a crash
    std::map<LearnerId, EventId> m_expiry; //!< ends of open requests
    UpdateBuffer m_buffer;

    RequestTable m_answers{ModelChannel::ANSWER}; //!< of second phases; never closes a record
    bool m_asking{false};
    std::map<LearnerId, ModelVector> m_replies; //!< usable, of the second phase that is open
    std::vector<ClientUpdate> m_updates;        //!< of the round that is in its second phase
    Alarm m_over{[this] { UseAnswers(); }};     //!< end of the time for answers
};

} // namespace ns3::dlearn

#endif // DLEARN_UPDATE_COLLECTOR_H
