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
 * (ServerRule::RememberLearned()). By default there is one after every round, so that nothing is
 * lost, and nothing is kept here.
 *
 * Only the learned state goes back. Numbers of rounds and of messages, privacy accounts and the
 * position of every random stream do not: no number is given twice, what was released stays in the
 * accounts, and no noise is added a second time.
 */
class ServerCheckpoint
{
  public:
    /**
     * Write a checkpoint, and from now on another one every @p interval rounds.
     * @throw std::invalid_argument for an interval of 0
     */
    void SetInterval(uint32_t interval, ServerRule& rule);

    /** A round has made a model: write a checkpoint when it is time for one. */
    void Update(ServerRule& rule);

    /** Write a checkpoint, as a server does that leaves in order. */
    void Write(ServerRule& rule);

    /** Go back to the last checkpoint.
     *  @return whether rounds have made models since, which are lost */
    bool Restore();

    /** @param totals gets the number of rounds that were lost so, if checkpoints were asked for */
    void Count(std::map<std::string, uint64_t>& totals) const;

  private:
    uint32_t m_interval{1};          //!< rounds between checkpoints
    uint32_t m_since{0};             //!< rounds since the last one
    std::function<void()> m_restore; //!< goes back to the last one; empty: one after every round
    bool m_used{false};              //!< whether SetInterval() was called
    uint64_t m_lost{0};              //!< rounds
};

/**
 * @ingroup dlearn
 * The server of a federation. A round is one version of its model:
 *
 *  1. OpenRound(): the ServerSchedule says to which clients the model goes; each such request
 *     waits for one update (state EXCHANGING).
 *  2. Offer(), for every update: the StalenessPolicy gives it a weight, and it waits in the
 *     UpdateCollector; the schedule says which clients get a model next.
 *  3. TryClose(), on every update and when a deadline passes: the schedule says whether the
 *     round closes. With UsePartial, the arrived parts of other updates are taken now. Where rounds
 *     are synchronous and the ServerRule has a request, the clients that answered are asked once
 *     more (UpdateCollector); they have as long as a round's deadline, or ResponseTimeout where
 *     there is none. Then the server computes the next model for as long as the ComputeModel says
 *     (state TRAINING).
 *  4. FinishCompute(): the ServerRule makes the next model of the buffer; the round is
 *     recorded and the next one opens.
 *
 * No client is waited for without end. A request without an answer is given up after
 * ResponseTimeout, which follows from the forecast and from the answers so far unless it is chosen
 * (ResponseTimeouts), and a client that was waited for without success for SuspicionTimeout in all,
 * since its last usable update, does not hold up a round any more until there is another, though it
 * still gets models. An update that comes after its request was given up is late: it is used if
 * the StalenessPolicy gives it a weight and it is at most StalenessLimit versions old. Each
 * request counts at most once.
 *
 * The round that a message has on the wire is the number of its request (a requestId), which grows
 * with every model given out. In synchronous operation it is the server's round, unless the
 * server restarted.
 *
 * Life cycle: create, add to a node, SetContext(), then ns-3's start time, stop time and
 * Simulator::Run.
 */
class FederatedServer : public LearnerApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * Give the server its surroundings. Its parts are fixed from then on. Call after the
     * application was added to its node.
     *
     * @param context id, clients and initial model
     * @param addresses of the clients, as this node sees them
     * @throw std::invalid_argument naming the attribute that is wrong
     */
    void SetContext(const ServerContext& context, const Transport::Peers& addresses);

    /**
     * Write a checkpoint of the rule's state now, another one every @p rounds rounds, and when the
     * server leaves. A restarted server goes back to the last one, and does not use updates of
     * models that it gave before. The numbers of rounds continue.
     *
     * @param rounds between two checkpoints; 1, as at the beginning, for one after every round
     * @throw std::invalid_argument for 0
     */
    void SetCheckpointInterval(uint32_t rounds);

    /**
     * Before SetContext(): give the forecast for the response timeout, see ResponseTimeouts.
     * @param forecast of the time from models to all clients to the last of their updates
     */
    void SetForecast(const ResponseTimeouts::Forecast& forecast) { m_forecast = forecast; }

    /** @return longest wait for the answer to a model: chosen, or the least, however fast clients
     *          answer */
    Time GetResponseTimeout() const { return MakeTimeouts(1).GetLeast(); }

    Ptr<ServerRule> GetRule() const { return m_rule; }

    Ptr<ServerSchedule> GetSchedule() const { return m_schedule; }

    /** @return how many updates of each staleness were aggregated */
    const std::map<uint32_t, uint64_t>& GetStaleness() const { return m_updates.GetStaleness(); }

    /** @return the outcome of the models that were given */
    const RequestTable& GetRequests() const { return m_updates.GetRequests(); }

    /** @return all clients, in increasing order; none before SetContext() */
    const std::vector<LearnerId>& GetClients() const { return m_updates.GetClients(); }

    /**
     * Signature of the trace Request.
     * @param round number of the request on the wire
     * @param request sent to the clients that answered
     */
    using RequestTracedCallback = void (*)(uint32_t round, const ModelVector& request);

    std::string GetRole() const override { return "server"; }

    uint32_t GetRounds() const override { return m_rounds; }

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
    /** @return how long it waits for clients, before the first answer */
    ResponseTimeouts MakeTimeouts(size_t clients) const;

    /** Complete the record of a round that was closed for updates already.
     *  @param computed whether it has computed, to the end or until now */
    void CompleteRecord(bool computed);

    /** Begin the next round, or end when all are done or the server leaves. */
    void OpenRound();

    /** @param client that was waited for as long as ResponseTimeout says */
    void Expired(LearnerId client);

    /** Send the model to clients that are idle, if a round is open and not synchronous. */
    void GiveAgain();

    /** The deadline of the round has come, unless the schedule has a later one by now. */
    void PassDeadline();

    /** Close the round, or its second phase, if enough has come. */
    void TryClose();

    /** @param updates of which the next model is computed from now on */
    void StartAggregation(std::vector<ClientUpdate> updates);

    uint32_t m_rounds{0};
    Time m_responseTimeout;
    Time m_suspicionTimeout;
    ResponseTimeouts::Forecast m_forecast;
    uint32_t m_stalenessLimit{0};
    bool m_usePartial{false};

    Ptr<ServerRule> m_rule;
    Ptr<ServerSchedule> m_schedule;
    Ptr<StalenessPolicy> m_staleness;

    uint32_t m_round{0}; //!< version of the model
    UpdateCollector m_updates;
    std::vector<ClientUpdate> m_aggregating; //!< of which the next model is computed
    ServerCheckpoint m_checkpoint;
    Alarm m_opening{[this] { OpenRound(); }};     //!< of the first round
    Alarm m_deadline{[this] { PassDeadline(); }}; //!< of the schedule

    CountedTrace<uint32_t, const ModelVector&> m_requestTrace{m_tracing};
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_SERVER_H
