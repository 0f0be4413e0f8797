/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_SERVER_H
#define DLEARN_FEDERATED_SERVER_H

#include "dlearn-compute-model.h"
#include "dlearn-learner-application.h"
#include "dlearn-schedule.h"
#include "dlearn-update-collector.h"

#include "ns3/dlearn-server-rule.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The disk of a server, from which it restarts: the state of its rule at the last checkpoint
 * (ServerRule::RememberLearned()). By default there is a checkpoint after every round, so that
 * nothing is lost, and nothing is stored.
 *
 * A restart restores the learned state only. Numbers of rounds and of messages, privacy accounts
 * and random streams continue: no number is given twice, releases stay in the accounts, and no
 * noise is added twice.
 */
class ServerCheckpoint
{
  public:
    /** Write a checkpoint, and from now on another one every @p interval rounds.
     *  @throw std::invalid_argument for an interval of 0 */
    void SetInterval(uint32_t interval, ServerRule& rule);

    /** A round has made a model: write a checkpoint when one is due. */
    void Update(ServerRule& rule);

    void Write(ServerRule& rule);

    /** Restore the last checkpoint. @return whether models of later rounds are lost */
    bool Restore();

    /** @param totals gets the number of lost rounds, after SetInterval() */
    void Count(std::map<std::string, uint64_t>& totals) const;

  private:
    uint32_t m_interval{1};          //!< rounds between checkpoints
    uint32_t m_since{0};             //!< rounds since the last one
    std::function<void()> m_restore; //!< empty: a checkpoint after every round
    bool m_used{false};              //!< whether SetInterval() was called
    uint64_t m_lost{0};              //!< rounds
};

/**
 * @ingroup dlearn
 * The server of a federation. A round is one version of its model:
 *
 *  1. OpenRound(): the RoundPlan of the ServerSchedule says which clients get the model; each such
 *     request waits for one update (state EXCHANGING).
 *  2. Offer(), for every update: the UpdateCollector keeps it with the weight of the
 *     StalenessPolicy; in asynchronous operation the schedule chooses who gets a model next.
 *  3. TryClose(), on every update and after a deadline: the schedule decides whether the round
 *     closes. With UsePartial, the server uses the entries that have arrived of other updates. If
 *     rounds are synchronous and the ServerRule asks for more (ServerRule::Ask()), later steps of
 *     the round follow (UpdateCollector), each of which lasts at most a round's deadline, or
 *     ResponseTimeout without one. Then the server computes the next model for as long as the
 *     ComputeModel says (state TRAINING).
 *  4. FinishCompute(): the ServerRule makes the next model of the updates; the server records the
 *     round and opens the next one.
 *
 * Waiting is bounded. The server gives up a request after ResponseTimeout, which by default follows
 * from the forecast and the answers so far (ResponseTimeouts). A client for which the server has
 * waited SuspicionTimeout in all since its last usable update is suspected: it still gets models,
 * but no round waits for it until it sends a usable update. An update whose request was given up is
 * late: it is used if the StalenessPolicy gives it a weight and it is at most StalenessLimit
 * versions old. Each request counts at most once.
 *
 * The round of a message on the wire is the number of its request (a requestId), which grows with
 * every model sent. In synchronous operation it is the server's round, unless the server restarted
 * or rounds have more than two steps: step s > 0 of a round has the requestId of its model plus s
 * - 1.
 *
 * A server of a lower tier is idle (state IDLE) but for the rounds of Serve(), see ServeOnly().
 *
 * Life cycle: create, add to a node, SetContext(), then ns-3's start time, stop time and
 * Simulator::Run.
 */
class FederatedServer : public LearnerApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * Give the server, which is on a node, its surroundings. This fixes its parts.
     *
     * @param context id, clients and initial model
     * @param addresses of the clients, as this node sees them
     * @throw std::invalid_argument naming the attribute that is wrong
     */
    void SetContext(const ServerContext& context, const Transport::Peers& addresses);

    /**
     * Write a checkpoint of the rule's state now, another one every @p rounds rounds, and when the
     * server leaves. A restarted server restores the last one, and uses no update of a model that
     * it sent before.
     *
     * @param rounds between two checkpoints, by default 1
     * @throw std::invalid_argument for 0
     */
    void SetCheckpointInterval(uint32_t rounds);

    /** Before SetContext(): set the forecast (ResponseTimeouts) of the time from sending models to
     *  all clients to receiving the last update. */
    void SetForecast(const ResponseTimeouts::Forecast& forecast) { m_forecast = forecast; }

    /** Before the start: the server is idle until Serve(), and its attribute Rounds has no effect.
     */
    void ServeOnly() { m_servesOnly = true; }

    /**
     * After ServeOnly(), while it is idle: begin a number of rounds from a model, at the start if
     * that is to come. A crash drops them.
     *
     * @param model from which the first of these rounds begins
     * @param rounds at least 1
     * @param done called at the end of the last one; the rule has the model
     * @throw std::invalid_argument when the server is not idle
     */
    void Serve(const ModelVector& model, uint32_t rounds, std::function<void()> done);

    /**
     * After SetContext(): a client comes, such as from another edge server. It gets a model in the
     * next round, in asynchronous operation at once. A round in which no client was there ends. No
     * effect if it is there, as all clients are at first unless the server starts without.
     */
    void Admit(LearnerId client);

    /**
     * A client goes: it gets no model any more. The round that is open does not wait for its
     * update, but uses it if it comes in time. No effect if it is not there.
     */
    void Dismiss(LearnerId client);

    /** Before SetContext(): no client is there before Admit(). */
    void StartWithout() { m_startsWithout = true; }

    /** @return whether any client is there */
    bool HasClients() const { return m_updates.HasClients(); }

    /** @return samples behind the updates that were used, the mean of the rounds since Serve() */
    double GetServedSamples() const { return m_samples / m_served; }

    /** @return the response timeout: the attribute, or its default when clients are fast */
    Time GetResponseTimeout() const { return MakeTimeouts(1).GetLeast(); }

    Ptr<ServerRule> GetRule() const { return m_rule; }

    /** @return the format of a channel; after SetContext() */
    MessageFormat GetFormat(ModelChannel channel) const;

    Ptr<ServerSchedule> GetSchedule() const { return m_schedule; }

    /** @return the plan of the round that was opened last */
    const RoundPlan& GetPlan() const { return m_updates.GetPlan(); }

    /** @return how many updates of each staleness were aggregated */
    const std::map<uint32_t, uint64_t>& GetStaleness() const { return m_updates.GetStaleness(); }

    /** @return the outcome of all models sent */
    const RequestTable& GetRequests() const { return m_updates.GetRequests(); }

    /** @return all clients, in increasing order; none before SetContext() */
    const std::vector<LearnerId>& GetClients() const { return m_updates.GetClients(); }

    /**
     * Signature of the trace Request.
     * @param round number of the request on the wire
     * @param request sent to the clients that answered
     */
    using RequestTracedCallback = void (*)(uint32_t round, const ModelVector& request);

    bool IsDone() const override
    {
        return GetState() == State::IDLE || LearnerApplication::IsDone();
    }

    std::string GetRole() const override { return m_servesOnly ? "edge-server" : "server"; }

    uint32_t GetRounds() const override { return m_servesOnly ? 0 : m_rounds; }

    Ptr<LearnerRule> GetLearnerRule() override { return m_rule; }

    const std::vector<RoundRecord>& GetRecords() const override
    {
        return GetRequests().GetRecords();
    }

    void CheckConservation() const override { GetRequests().CheckConservation(); }

    void Finish(std::map<std::string, uint64_t>& totals) override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void DoDispose() override;
    void DoStart() override;
    void DoRestart() override;
    void DropRound() override;
    RoundRecord* GetLastRecord() override;
    void FinishCompute() override;

    MessageDisposition Classify(const MessageSource& source, uint32_t round) override
    {
        return m_updates.Classify(source, round);
    }

    void Offer(const MessageSource& source,
               uint32_t round,
               std::optional<Arrival>& arrival) override;

  private:
    ResponseTimeouts MakeTimeouts(size_t clients) const;

    /** Get the updates of a context's clients as sums, if they add up on the air. */
    void ReceiveSums(const ServerContext& context);

    /** Complete the record of a closed round. @param computed whether the server has computed */
    void CompleteRecord(bool computed);

    /** Begin the next round, or end after the last one or when the server leaves. */
    void OpenRound();

    /** The response timeout of a client is over. */
    void Expired(LearnerId client);

    /** In asynchronous rounds, send the model to idle clients if a round is open. */
    void GiveAgain();

    /** The deadline has passed, unless the clock has changed. */
    void PassDeadline();

    /** Close the step of the round that is open, if the schedule says so. */
    void TryClose();

    /** Compute the next model of the updates. */
    void StartAggregation(std::vector<ClientUpdate> updates);

    uint32_t m_rounds{0};
    Time m_responseTimeout;
    Time m_suspicionTimeout;
    ResponseTimeouts::Forecast m_forecast;
    uint32_t m_stalenessLimit{0};
    bool m_usePartial{false};

    Ptr<ServerRule> m_rule;
    std::vector<std::string> m_figures; //!< of updates
    Ptr<ServerSchedule> m_schedule;
    Ptr<StalenessPolicy> m_staleness;

    bool m_startsWithout{false};  //!< see StartWithout()
    bool m_servesOnly{false};     //!< see ServeOnly()
    uint32_t m_served{1};         //!< rounds of the last Serve()
    uint32_t m_end{0};            //!< round that ends them
    double m_samples{0};          //!< behind the updates of these rounds
    std::function<void()> m_done; //!< of Serve(); empty: none is open

    uint32_t m_round{0}; //!< version of the model
    UpdateCollector m_updates;
    std::vector<ClientUpdate> m_aggregating; //!< for the next model
    ServerCheckpoint m_checkpoint;
    EventId m_opening;  //!< of the first round
    EventId m_deadline; //!< of the schedule

    CountedTrace<uint32_t, const ModelVector&> m_requestTrace{m_tracing};
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_SERVER_H
