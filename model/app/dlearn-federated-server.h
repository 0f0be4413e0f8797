/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_SERVER_H
#define DLEARN_FEDERATED_SERVER_H

#include "dlearn-alarm.h"
#include "dlearn-learner-application.h"
#include "dlearn-response-timeouts.h"
#include "dlearn-server-checkpoint.h"
#include "dlearn-server-schedule.h"
#include "dlearn-update-collector.h"

#include <map>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The server of a federation. A round is one version of its model:
 *
 *  1. OpenRound(): the ServerSchedule says to which clients the model goes; each such dispatch
 *     waits for one update (state EXCHANGING).
 *  2. Offer(), for every update: the StalenessPolicy says what it is worth, and it waits in the
 *     UpdateCollector; the schedule says who gets a model next.
 *  3. TryClose(), on every update and when a deadline passes: the schedule says whether the
 *     round closes. With UsePartial, what has arrived of updates that are not whole is taken now.
 *     Then the server computes the next model for as long as the ComputeModel says (state
 *     TRAINING).
 *     Before, in lock-step and where the ServerRule has a request, the clients that answered are
 *     asked once more (SecondPhase); they have as long as a round's deadline, or ResponseTimeout
 *     where there is none.
 *  4. FinishCompute(): the ServerRule makes the next model of the buffer; the round is
 *     recorded and the next one opens.
 *
 * No client is waited for without end. A dispatch without an answer is given up after
 * ResponseTimeout, which follows from the forecast and from the answers so far unless it is chosen
 * (ResponseTimeouts), and a client that was waited for without success for SuspicionTimeout in all,
 * since its last usable update, does not hold up a round any more until there is another, though it
 * still gets models. An update that comes after its dispatch was given up is late: it is used if
 * the StalenessPolicy gives it a weight and it is at most StalenessLimit versions old. Each
 * dispatch counts at most once.
 *
 * The round that a message has on the wire is the number of its dispatch (a requestId), which grows
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
     * Write a checkpoint of what the rule has learned, and from now on another whenever so many
     * rounds have passed, or the server leaves. A restarted server goes back to the last one, and
     * does not use updates of models that it gave out before. The numbers of rounds go on.
     *
     * @param rounds between two checkpoints; 1, as at the beginning, for one after every round
     * @throw std::invalid_argument for 0
     */
    void SetCheckpointInterval(uint32_t rounds);

    /**
     * Before SetContext(): what the response timeout follows from, unless it is chosen. See
     * ResponseTimeouts.
     *
     * @param forecast of the time from models to all clients to the last of their updates
     */
    void SetForecast(const ResponseTimeouts::Forecast& forecast) { m_forecast = forecast; }

    /**
     * @return longest wait for the answer to a model: chosen, or what it is at least, however fast
     *         clients answer
     */
    Time GetResponseTimeout() const { return MakeTimeouts(1).GetLeast(); }

    /** @return the algorithm: the attribute Rule */
    Ptr<ServerRule> GetRule() const { return m_rule; }

    /** @return who takes part and when a round closes: the attribute Schedule */
    Ptr<ServerSchedule> GetSchedule() const { return m_schedule; }

    /** @return how many updates of each staleness were aggregated */
    const std::map<uint32_t, uint64_t>& GetStaleness() const { return m_updates.GetStaleness(); }

    /** @return what became of the models that were given out */
    const RequestLog& GetLog() const { return m_updates.GetTracker().GetLog(); }

    /** @return all clients, in increasing order; none before SetContext() */
    const std::vector<LearnerId>& GetClients() const { return m_updates.GetTracker().GetClients(); }

    /**
     * Signature of the trace Request.
     * @param round number of the request on the wire
     * @param request what the clients that answered are asked
     */
    using RequestTracedCallback = void (*)(uint32_t round, const ModelVector& request);

    std::string GetRole() const override { return "server"; }

    uint32_t GetRounds() const override { return m_rounds; }

    Ptr<LearnerRule> GetLearnerRule() override { return m_rule; }

    const std::vector<RoundRecord>& GetRecords() const override { return GetLog().GetRecords(); }

    void CheckConservation() const override { GetLog().CheckConservation(); }

    void Finish(std::map<std::string, uint64_t>& totals) override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void DoDispose() override;
    void DoStart() override;
    void DoRestart() override;
    void DropRound() override;
    RoundRecord* GetLastRecord() override;
    void FinishCompute() override;

    RoundWindow::Disposition Classify(const RoundWindow::Source& source, uint32_t round) override
    {
        return m_updates.Classify(source, round);
    }

    void Offer(const RoundWindow::Source& source,
               uint32_t round,
               std::optional<Arrival>& arrival) override;

  private:
    /**
     * @param tid gets the attributes of how long the server waits for updates, and which it uses
     * @return the same
     */
    static TypeId AddWaiting(TypeId tid);

    /**
     * @param clients number of clients
     * @return how long it waits for them, before the first answer
     */
    ResponseTimeouts MakeTimeouts(size_t clients) const;

    /**
     * The round is over, which is closed for updates already: its record is what it is now.
     * @param computed whether it has computed, to the end or until now
     */
    void CompleteRecord(bool computed);

    /** @return whether SetContext() was called */
    bool HasContext() const { return m_hasContext; }

    /** Begin the next round, or end when all are done or the server leaves. */
    void OpenRound();

    /** @param client that was waited for as long as ResponseTimeout says */
    void Expired(LearnerId client);

    /** Send the model to clients that are idle, if a round is open and not in lock-step. */
    void GiveAgain();

    /** The deadline of the round has come, unless the schedule has a later one by now. */
    void PassDeadline();

    /** Close the round, or its second phase, if enough has come. */
    void TryClose();

    /** @param updates of which the next model is computed from now on */
    void StartAggregation(std::vector<ClientUpdate> updates);

    uint32_t m_rounds{0};                  //!< attribute Rounds
    Time m_responseTimeout;                //!< attribute ResponseTimeout
    Time m_suspicionTimeout;               //!< attribute SuspicionTimeout
    ResponseTimeouts::Forecast m_forecast; //!< see SetForecast()
    uint32_t m_stalenessLimit{0};          //!< attribute StalenessLimit
    bool m_usePartial{false};              //!< attribute UsePartial

    Ptr<ServerRule> m_rule;           //!< attribute Rule
    Ptr<ServerSchedule> m_schedule;   //!< attribute Schedule
    Ptr<StalenessPolicy> m_staleness; //!< attribute Staleness
    bool m_hasContext{false};         //!< whether SetContext() was called

    uint32_t m_round{0};                          //!< version of the model
    UpdateCollector m_updates;                    //!< of the clients
    std::vector<ClientUpdate> m_aggregating;      //!< that are being aggregated
    ServerCheckpoint m_checkpoint;                //!< what a restart goes back to
    Alarm m_opening{[this] { OpenRound(); }};     //!< of the first round
    Alarm m_deadline{[this] { PassDeadline(); }}; //!< of the schedule

    CountedTrace<uint32_t, const ModelVector&> m_requestTrace{m_tracing}; //!< Request
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_SERVER_H
