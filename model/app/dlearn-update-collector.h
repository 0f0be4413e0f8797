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
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Collects the updates of a server's clients for a round:
 *
 *  1. Open() sets the model of the round, and asks the ServerSchedule for the RoundPlan.
 *     GiveAtOpening() sends the model to the clients of the plan, GiveAgain() to those of later
 *     plans. All models sent in one call have one number, their request.
 *  2. Offer(), for every update: an update to which the StalenessPolicy gives a weight waits in the
 *     buffer. A request without an answer within the response timeout is given up. The timeout may
 *     change with the answers (ResponseTimeouts).
 *     Where updates add up on the air, the requests of one number get one mean, OfferSum().
 *  3. ShouldClose() asks the schedule whether the round closes. Close() takes the updates. In
 *     synchronous rounds it gives up all open requests, and with usePartial also takes the
 *     entries that have arrived of other updates. If there are fewer updates than the plan's
 *     minimum, none is used.
 *  4. If rounds are synchronous, later steps of the round follow while the ServerRule asks for more
 *     (ServerRule::Ask(), channel REQUEST). Clients that have answered the step before may be asked
 *     and answer (ClientRule::Answer(), channel ANSWER); the first of these steps is for clients
 *     whose update is of the newest model. A step ends when all have answered, or after a deadline;
 *     a client that has not answered is left out of the rest of the round. The first later step has
 *     the number of the model, each further one the next number.
 *
 * The outcome of each request is in a RequestTable, of updates or of answers.
 */
class UpdateCollector
{
  public:
    /** The user's choices. */
    struct Settings
    {
        Ptr<ServerRule> rule;                    //!< makes models of updates
        Ptr<ServerSchedule> schedule;            //!< who takes part, and when a round closes
        Ptr<StalenessPolicy> staleness;          //!< the weight of an old update
        uint32_t stalenessLimit{0};              //!< versions that an update's model may be old
        bool usePartial{false};                  //!< whether parts of updates are used
        ResponseTimeouts timeouts;               //!< how long a client is waited for
        std::vector<std::string> figures{};      //!< names of those of updates, in order
        std::map<LearnerId, uint32_t> samples{}; //!< planned, of each client
    };

    /** The callbacks of the server. */
    struct Listener
    {
        std::function<void(LearnerId client)> expired; //!< the response timeout of a client is over
        std::function<void(LearnerId client)> suspected; //!< a client becomes suspected
        std::function<void(const MessageSource& source, uint32_t requestId)>
            partial; //!< an incomplete update is used
        std::function<void(const MessageSource& source, uint32_t requestId)>
            summed; //!< an update has come in a sum
        std::function<void(uint32_t requestId, const ModelVector& request)>
            asked; //!< some clients are asked once more
        std::function<void(std::vector<ClientUpdate> updates)>
            collected; //!< the updates of a round, in the order of the clients
    };

    UpdateCollector() = default;
    UpdateCollector(const UpdateCollector&) = delete;
    UpdateCollector& operator=(const UpdateCollector&) = delete;

    ~UpdateCollector() { Stop(); }

    /** Call once, with all clients in increasing order, and settings whose parts are set up. All
     *  are there until Dismiss(). */
    void Setup(const std::vector<LearnerId>& clients,
               Ptr<MessageExchange> exchange,
               const Settings& settings,
               const Listener& listener);

    /** A client comes, and takes part in later rounds. @return whether it was not there */
    bool Admit(LearnerId client);

    /** A client goes, and gets no model: no round waits for its update, which still counts if it
     *  comes in time. @return whether it was there */
    bool Dismiss(LearnerId client);

    /** @return whether any client is there */
    bool HasClients() const { return !m_view.clients.empty(); }

    /** A round opens, with a new version of the model. While no client is there, it lasts for a
     *  response timeout.
     *  @throw std::invalid_argument for a wrong plan */
    void Open(uint32_t round, const ModelVector& model);

    /** @return the plan of the round that was opened last */
    const RoundPlan& GetPlan() const { return m_plan; }

    /** Send the model to the clients of the plan. */
    void GiveAtOpening() { Give(m_plan); }

    /** In asynchronous rounds, send the model to idle clients. */
    void GiveAgain();

    /** @return the disposition of a message that Offer() gets */
    MessageDisposition Classify(const MessageSource& source, uint32_t requestId) const;

    /**
     * Take a message: an update, or an answer in a later step.
     *
     * @param arrival its values, to move from; nothing when it cannot be used
     * @param next version of the model whose round uses an update
     */
    MessageDisposition Offer(const MessageSource& source,
                             uint32_t requestId,
                             std::optional<Arrival>& arrival,
                             uint32_t next);

    /** Take the mean of several updates: one update with members. Clients that were truncated do
     * not answer this request any more. */
    void OfferSum(uint32_t requestId, const MultipleAccessChannel::Sum& sum);

    /** @return number of clients from which an update can still come in this round */
    size_t CountWaitable() const;

    /** @return whether the step of the round that is open ends now */
    bool ShouldClose(Time elapsed) const;

    /** End the step of the round that is open; the first one closes the record of the round. Calls
     *  Listener::collected, unless another step begins. */
    void Close(const LearnerClock& clock);

    /** @return whether the updates of the round have been taken, until Settle() or Drop() */
    bool HasClosed() const { return m_closed; }

    /** A model was made of the updates that were collected last: count them. */
    void Settle();

    /**
     * Give up all requests and updates, as in a crash; no client becomes suspected. Updates in no
     * model count as rejected.
     */
    void Drop();

    /** Use no update of a model that was sent before now. */
    void Forget();

    const std::vector<LearnerId>& GetClients() const { return m_clients; }

    /** @return number of the models sent last */
    uint32_t GetLastRequestId() const { return m_given.size() - 1; }

    /** @return the outcome of all models sent, and the records of the rounds */
    RequestTable& GetRequests() { return m_requests; }

    const RequestTable& GetRequests() const { return m_requests; }

    /** @return how many updates of each staleness were used */
    const std::map<uint32_t, uint64_t>& GetStaleness() const { return m_counters.staleness; }

    /** @param totals gets the numbers of updates and answers over the whole run */
    void Count(std::map<std::string, uint64_t>& totals) const;

    /** The end of the simulation: cancel all timers, and release the parts. */
    void Stop();

  private:
    /** The models of one request. */
    struct Given
    {
        uint32_t version{0}; //!< the server's round
        Time sent;           //!< when
        size_t open{0};      //!< requests that have not ended
    };

    /** An update in the buffer. */
    struct Entry
    {
        ClientUpdate update;
        bool late; //!< whether its request had been given up
    };

    /** Numbers of updates, over the whole run. */
    struct Counters
    {
        uint64_t discarded{0};                  //!< too old
        uint64_t superseded{0};                 //!< replaced by a newer one of the same client
        uint64_t lateUsed{0};                   //!< used, late
        uint64_t partial{0};                    //!< used, incomplete
        uint64_t lost{0};                       //!< dropped, as in a crash of the server
        uint64_t roundsGivenUp{0};              //!< for lack of updates
        std::map<uint32_t, uint64_t> staleness; //!< used, by staleness
    };

    /** @return what is known of a client, also of one that is not there */
    ClientView& GetView(LearnerId client)
    {
        const auto absent = m_absent.find(client);
        return absent == m_absent.end() ? m_view.clients.at(client) : absent->second;
    }

    /** Send the newest model. */
    void Give(const RoundPlan& plan);

    /** @return number of open requests of clients that are there */
    size_t CountOpen() const;

    /** @return time since the client's open request was sent */
    Time GetWaited(LearnerId client) const;

    /** @return remaining part of the current response timeout */
    Time GetLeft(LearnerId client) const
    {
        return m_settings.timeouts.GetResponse() - GetWaited(client);
    }

    /** Schedule the end of the client's open request. */
    void Await(LearnerId client);

    void Expire(LearnerId client);

    void GiveUp(LearnerId client);

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

    /** Note a usable answer as activity, and an unusable answer on time as a timeout.
     *  @param waited since the request; 0: unknown */
    void RecordAnswer(LearnerId client, MessageDisposition disposition, bool usable, Time waited);

    void RecordTimeout(LearnerId client, Time waited);

    /** Take the sum of the updates to which a client's belongs, if they add up on the air. */
    void TakeSum(LearnerId client);

    /** Use the entries of a client's update that have arrived, if any, as its answer. */
    void TakePartial(LearnerId client);

    /** @return the update that answers a request, without values; nothing when it is too old */
    std::optional<ClientUpdate> Assess(LearnerId client, uint32_t requestId, uint32_t next);

    /** Put an update into the buffer. @param late whether its request was given up before */
    void Keep(ClientUpdate update, Arrival& arrival, bool late);

    /** @return a plan of the schedule, which knows all answers */
    RoundPlan MakePlan();

    /** The schedule learns from an answer. */
    void Learn(LearnerId client, uint32_t requestId, const Arrival& arrival, Time waited);

    /** @return the number of clients */
    static size_t CountOnTime(const std::vector<Entry>& entries);

    /** The updates that were taken count as rejected. */
    void TakeBackTaken();

    /** Close the round for updates, and take them. */
    void TakeUpdates();

    /** Begin the next later step, if the rule has one. @return whether it has */
    bool Ask(const LearnerClock& clock);

    /** End the later step that is open. @return the usable answers */
    ServerRule::Replies EndStep();

    Settings m_settings;
    Listener m_listener;
    Ptr<MessageExchange> m_exchange;
    std::vector<LearnerId> m_clients;
    uint32_t m_round{0}; //!< version of the newest model
    RoundView m_view;
    std::map<LearnerId, ClientView> m_absent; //!< of clients that are not there
    RoundPlan m_plan;

    std::vector<Given> m_given; //!< by requestId
    uint32_t m_kept{0};         //!< first requestId since the last Drop()
    uint32_t m_oldest{0};       //!< first requestId since the last Forget()
    RequestTable m_requests{ModelChannel::UPDATE};
    RoundRecord m_ended; //!< requests that had ended when the round opened, in a crash
    std::map<LearnerId, EventId> m_expiry;                           //!< ends of open requests
    std::map<uint32_t, std::shared_ptr<const ModelVector>> m_models; //!< newest, by version
    std::vector<Entry> m_buffer;                                     //!< in the order of arrival
    std::vector<Entry> m_taken; //!< by the last Close(), until Settle(); without values
    Counters m_counters;

    RequestTable m_answers{ModelChannel::ANSWER}; //!< of later steps; never closes a record
    bool m_closed{false};
    uint32_t m_step{0};                  //!< of the round: that is open
    Time m_asked;                        //!< when the later step began
    ServerRule::Replies m_replies;       //!< usable, of the later step that is open
    std::vector<ClientUpdate> m_updates; //!< of the round that is in a later step
    EventId m_over;                      //!< end of the time for answers
};

} // namespace ns3::dlearn

#endif // DLEARN_UPDATE_COLLECTOR_H
