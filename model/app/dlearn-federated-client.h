/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_CLIENT_H
#define DLEARN_FEDERATED_CLIENT_H

#include "dlearn-message-table.h"
#include "dlearn-training-application.h"

#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-learner-rule.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A client of a FederatedServer. It waits for the server's model (state IDLE), trains on it for
 * as long as the ComputeModel says (TRAINING), returns its update, and waits again. The server
 * decides in which rounds a client takes part. A client may have several servers, such as edge
 * servers between which it moves: an update goes to the server of its model, and the client counts
 * the rounds of its rule.
 *
 * A model that arrives while the client trains waits; a newer one replaces it, so that a slow
 * client skips models. A model older than the newest one counts as late and is not used.
 *
 * There is a record for each round with an update. It is written when the message layer gets the
 * update, with the privacy spent so far, this update included, and completed when the client takes
 * up the next model. Later costs of privacy, such as noise that others reveal or a model that a
 * trusted server makes, are in the next record. After the last round one more record has these; it
 * counts no messages.
 *
 * Between its update and the next model the server may send the client requests, one for each later
 * step of the round (ClientRule::Answer()). The client answers them in order; the rule decides
 * whether to answer. An answer takes no simulated computing time.
 *
 * Figures ride with an update: those of the rule (ClientRule::GetFormat()), and behind them those
 * of the attribute Reports: samples, the client's number of samples; steps, the gradient steps of
 * the round; loss, the mean loss of the received model over the round's samples, and rms, the root
 * mean square of the losses of these samples, which take the time of a third of a gradient for
 * each; seconds, the time of the training; battery, rssi and others of AddReport().
 *
 * A Byzantine client (SetBehavior()) is in state EXCHANGING until its behaviour has finished.
 *
 * Life cycle: create, add to a node, SetContext(), then ns-3's start time, stop time and
 * Simulator::Run.
 */
class FederatedClient : public TrainingApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * Give the client, which is on a node, its surroundings.
     *
     * @param id the client's number
     * @param servers addresses of the servers, as this node sees them, by their numbers
     * @param data of the client; null if its rule trains elsewhere (LearnerRule::Begin())
     * @param clients number of all clients of a server
     * @throw std::invalid_argument naming the attribute that is wrong
     */
    void SetContext(LearnerId id,
                    const Transport::Peers& servers,
                    Ptr<LocalData> data,
                    uint32_t clients);

    Ptr<ClientRule> GetRule() const { return m_rule; }

    /** Before SetContext(): report a figure, too, unless the rule does, such as one that the
     * server's schedule needs. */
    void NeedReport(const std::string& name) { m_needed.push_back(name); }

    /** Before SetContext(). @param names of attributes of the rule that the last figures of each
     *  model set, see ServerSchedule::GetSettings() */
    void SetSettings(const std::vector<std::string>& names) { m_settings = names; }

    /** @param value of the figure @p name of Reports, whenever an update is made; does not depend
     * on data */
    void AddReport(const std::string& name, std::function<double()> value)
    {
        m_sources[name] = std::move(value);
    }

    /** @return the format of a channel, Reports included; after SetContext() */
    MessageFormat GetFormat(ModelChannel channel) const;

    bool IsDone() const override
    {
        return GetState() == State::IDLE || LearnerApplication::IsDone();
    }

    Time GetTrainingTime() const override;

    std::string GetRole() const override { return IsByzantine() ? "byzantine" : m_rule->GetRole(); }

    uint32_t GetRounds() const override { return 0; }

    Ptr<LearnerRule> GetLearnerRule() override { return m_rule; }

    const std::vector<RoundRecord>& GetRecords() const override { return m_records; }

    void CheckConservation() const override;

    void Finish(std::map<std::string, uint64_t>& totals) override;

    /** Signature of the trace Update. @param update made by the client's rule, noise included */
    using UpdateTracedCallback = void (*)(LearnerId client,
                                          uint32_t round,
                                          const ModelVector& update);

  protected:
    void DoDispose() override;

    void DoStart() override { SwitchToState(State::IDLE); }

    void DoRestart() override { DoStart(); }

    void DropRound() override;

    RoundRecord* GetLastRecord() override
    {
        return m_records.empty() ? nullptr : &m_records.back();
    }

    void FinishCompute() override;
    void OnPublished() override;
    MessageDisposition Classify(const MessageSource& source, uint32_t round) override;
    void Offer(const MessageSource& source,
               uint32_t round,
               std::optional<Arrival>& arrival) override;

  private:
    /** A model that came. */
    struct Model
    {
        LearnerId server;
        uint32_t round;
        Message message;
    };

    /** Read and check the attribute Reports. */
    void ReadReports();

    /** @return whether a figure is reported that is the loss of a model */
    bool ReportsLoss() const;

    /** Find the losses of a model, which are reported. */
    void FindLosses(const Task& task, const SampleIndices& samples, const ModelVector& model);

    /** @return samples whose gradient takes the time of the round's computation */
    uint64_t GetWork() const;

    bool IsReport(const std::string& name) const;

    double GetReport(const std::string& name) const;

    /** Set attributes of the rule by the last figures of a model, which it loses. */
    void TakeSettings(Figures& figures);

    /** Train on the model that waits. */
    void Train();

    /** Compute, for as long as the compute model says. */
    void TrainHere();

    /** @return whether a server's request is of the round whose update was sent last */
    bool IsOfLastRound(LearnerId server, uint32_t requestId) const
    {
        return GetState() == State::IDLE && m_recordOpen && server == m_server &&
               requestId >= m_round && requestId <= m_round + m_answers;
    }

    /** Send the rule's answer to a request, if any. @return whether there is one */
    bool AnswerRequest(const Message& request);

    /** @return whether the client takes messages in this state */
    bool IsListening() const;

    /** @param model the newest, to train on as soon as this round is over */
    void Take(Model model);

    /** Forget the model that waits. */
    void DropWaiting();

    /** End the round of the rule, and add bytes and epsilon to the last record. */
    void CompleteRecord();

    /** Models that are in no record, over the whole run. */
    struct Tally
    {
        uint64_t late{0};           //!< older than one that a copy of an earlier one
        uint64_t duplicate{0};      //!< a copy of an earlier one
        uint64_t superseded{0};     //!< replaced by a newer one, or dropped as the client stopped
        uint64_t unusable{0};       //!< not usable
        uint64_t dropped{0};        //!< without an update: a crash, or the budget
        uint64_t unexpected{0};     //!< neither model nor request, or not from the server
        uint64_t requests{0};       //!< answered
        uint64_t requestsMissed{0}; //!< unusable, not answered by the rule, late, or a copy
    };

    Ptr<ClientRule> m_rule;
    std::string m_reports;                                    //!< attribute Reports
    std::vector<std::string> m_reported;                      //!< its names
    Figures m_values;                                         //!< of the newest update
    std::vector<std::string> m_needed;                        //!< by the server
    std::vector<std::string> m_settings;                      //!< see SetSettings()
    std::map<std::string, std::function<double()>> m_sources; //!< of figures
    double m_loss{0};                                         //!< of the received model
    double m_rms{0};                                          //!< of the losses of its samples
    Time m_began;                                             //!< training
    bool m_hasServers{false};                                 //!< whether there are several
    uint32_t m_trained{0};                                    //!< rounds, then
    LearnerId m_server{0};                                    //!< of the round
    std::map<LearnerId, uint32_t> m_newest;   //!< round of the newest usable model of each server
    std::map<LearnerId, uint32_t> m_unusable; //!< round of the last unusable one
    uint32_t m_round{0};                      //!< the round in training, or trained last
    std::optional<Model> m_waiting;           //!< arrived while training
    uint32_t m_answers{0};                    //!< in later steps of the round trained last
    bool m_unsettled{false};                  //!< whether the rule's round is to be ended
    std::vector<RoundRecord> m_records;
    bool m_recordOpen{false}; //!< whether the newest record is not complete
    UnrecordedExposure m_exposure;
    Tally m_tally;

    /** Not a CountedTrace: a crash by its listeners comes before the update is sent. */
    TracedCallback<LearnerId, uint32_t, const ModelVector&> m_updateTrace;
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_CLIENT_H
