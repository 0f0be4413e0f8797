/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_CLIENT_H
#define DLEARN_FEDERATED_CLIENT_H

#include "dlearn-message-table.h"
#include "dlearn-training-application.h"

#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-learner-rule.h"

#include <optional>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A client of a FederatedServer. It waits for the server's model (state IDLE), trains on it for
 * as long as the ComputeModel says (TRAINING), returns its update, and waits again. Which rounds
 * it takes part in is the server's affair.
 *
 * A model that comes while the client trains waits until it has finished; a newer one replaces
 * it, so that a slow client skips models rather than falling further and further behind. A
 * model older than the newest is not used, and counted as late.
 *
 * There is a record for each round in which an update was sent. It is made when the update is
 * handed to the message layer, with the privacy spent by then, the update on its way included, and
 * completed when the next model is taken up. Later costs of privacy, such as noise that others
 * reveal or a model that a trusted server makes, are in the next record. After the last one there
 * is one more in the end, which counts no messages.
 *
 * Between its update and the next model the server may ask the client once more, in the second
 * phase of a round (ClientRule::Answer()). That takes no simulated computing time. The rule decides
 * whether it answers.
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
     * Give the client its surroundings. Call after the application was added to its node.
     *
     * @param id the client's number
     * @param server the server's number
     * @param address of the server, as this node sees it
     * @param data the client's own
     * @param clients number of all clients of the server
     * @throw std::invalid_argument naming the attribute that is wrong
     */
    void SetContext(LearnerId id,
                    LearnerId server,
                    const Address& address,
                    Ptr<LocalData> data,
                    uint32_t clients);

    /** @return the update rule: the attribute Rule */
    Ptr<ClientRule> GetRule() const { return m_rule; }

    bool IsDone() const override
    {
        return GetState() == State::IDLE || LearnerApplication::IsDone();
    }

    Time GetTrainingTime() const override;

    std::string GetRole() const override { return IsByzantine() ? "byzantine" : "client"; }

    uint32_t GetRounds() const override { return 0; }

    Ptr<LearnerRule> GetLearnerRule() override { return m_rule; }

    const std::vector<RoundRecord>& GetRecords() const override { return m_records; }

    void CheckConservation() const override;

    void Finish(std::map<std::string, uint64_t>& totals) override;

    /**
     * Signature of the trace Update.
     * @param client the client
     * @param round the round
     * @param update what its rule made, noise included
     */
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
    using Model = std::pair<uint32_t, ModelVector>; //!< round and values

    void Train(Model model);

    /** @return whether a request of a round is about the update that was sent last */
    bool IsForLastUpdate(uint32_t round) const
    {
        return GetState() == State::IDLE && m_recordOpen && round == m_round;
    }

    /** Send the rule's answer to a request. @return whether the rule has one */
    bool AnswerRequest(const ModelVector& request);

    /** @return whether it is in a state in which it takes messages */
    bool IsListening() const;

    /** @param model the newest, to train on as soon as this round is over */
    void Take(Model model);

    /** Train on the model that waits. */
    void TrainWaiting();

    /** Forget the model that waits for the end of this round. */
    void DropWaiting();

    /** Tell the rule whether its update left, and add bytes and epsilon to the last record. */
    void CompleteRecord();

    /** Models that are in no record, over the whole run. */
    struct Tally
    {
        uint64_t late{0};           //!< older than one that came before
        uint64_t duplicate{0};      //!< came before
        uint64_t superseded{0};     //!< never taken up: a newer one came, or the client went
        uint64_t unusable{0};       //!< came but could not be used
        uint64_t dropped{0};        //!< taken up, but no update was sent: a crash, or the budget
        uint64_t unexpected{0};     //!< neither model nor request, or not from the server
        uint64_t requests{0};       //!< answered
        uint64_t requestsMissed{0}; //!< unusable, refused by the rule, late, or came twice
    };

    Ptr<ClientRule> m_rule;
    LearnerId m_server{0};
    std::optional<uint32_t> m_newest;   //!< round of the newest usable model that came
    std::optional<uint32_t> m_unusable; //!< round of the last one that was not usable
    uint32_t m_round{0};                //!< the round in training, or trained last
    std::optional<Model> m_waiting;     //!< came while training
    bool m_answered{false};             //!< whether it answered a request for the last update
    bool m_unsettled{false};            //!< whether the rule does not know yet if its update left
    std::vector<RoundRecord> m_records;
    bool m_recordOpen{false}; //!< whether the newest record is not complete
    UnrecordedExposure m_exposure;
    Tally m_tally;

    /** Update. Not counted: a crash that its listeners ask for comes before the update is sent. */
    TracedCallback<LearnerId, uint32_t, const ModelVector&> m_updateTrace;
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_CLIENT_H
