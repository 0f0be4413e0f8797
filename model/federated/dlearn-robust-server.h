/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROBUST_SERVER_H
#define DLEARN_ROBUST_SERVER_H

#include "dlearn-server-rule.h"

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/type-id.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The server's half of CafCor (Algorithm 1), and of any robust distributed gradient descent:
 *
 *   theta_{t+1} = theta_t - gamma_t R(m_1, ..., m_n; f),
 *
 * where the m_i are the messages of n workers (CafCorWorker: momenta), f = Byzantine, and R is an
 * Aggregator; gamma_t is by default LearningRate for all t, and another Optimizer makes other
 * steps along R. With clients that return differences of models (LocalTraining) it is robust
 * FedAvg, whose Optimizer takes -R(Delta_1, ..., Delta_n; f) for a gradient.
 *
 * All messages have the same weight, whatever their staleness and their clients' numbers of
 * samples, which a Byzantine client may forge.
 *
 * A message that is missing, or not finite, is left out, and up to f of those that arrived may be
 * forged. With fewer than 2f + 1 of them the round is skipped: the model stays the same, and
 * GetSkipped() counts it. With MissingAreByzantine a missing message counts as one of the f
 * Byzantine ones, and f is lowered by their number: on a network that loses messages by chance,
 * that makes any rule a plain mean.
 *
 * A trusted server (CDP) adds noise to the aggregate: attribute Noise. If a worker's
 * budget forbids the release, the round is skipped.
 *
 * Noise that workers share does not cancel when the messages of some are missing. With the
 * attribute NoiseRecovery the server names those dropouts in a second step of the round, the
 * others answer with the noise in their messages that they share with these
 * (CafCorWorker::Answer()), and the server subtracts it. The aggregate is then that of the
 * remaining workers alone. This is not in the paper, and it costs privacy: see ClientRelease.
 * Workers answer if the attribute NoiseRecovery of their WorkerNoise is also set.
 *
 * The paper's output is an iterate drawn uniformly from all: GetSampledModel().
 */
class RobustServer : public SteppingServer
{
  public:
    static TypeId GetTypeId();

    std::function<void()> RememberLearned() override;

    /** @return R */
    Ptr<Aggregator> GetAggregator() const { return m_aggregator; }

    /** @param aggregator R, with its parts: the attribute Aggregator */
    void SetAggregator(Ptr<Aggregator> aggregator)
    {
        SetAttribute("Aggregator", PointerValue(aggregator));
    }

    /** @param noise the attribute Noise */
    void SetNoise(Ptr<ServerNoise> noise) { SetAttribute("Noise", PointerValue(noise)); }

    /** @return one of theta_0, theta_1, ... so far, each with the same probability */
    const ModelVector& GetSampledModel() const { return m_state.steps == 0 ? m_model : m_sampled; }

    double GetFlops(size_t updates) const override;

    /** @return true: a worker must not have several of the n rows */
    bool CountsClientsOnce() const override { return true; }

    bool UsesWeights() const override { return false; }

    uint32_t GetPlannedWeight(uint32_t /* samples */) const override { return 1; }

    size_t CountNeeded() const override;

    /** With NoiseRecovery, name the clients without an update of the newest round, if any, and
     *  subtract the answers from the updates. */
    Outbox Ask(uint32_t step, std::vector<ClientUpdate>& updates, const Replies& replies) override;
    std::vector<std::string> GetWarnings() const override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void DoDispose() override;
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

  private:
    /** @return the row of GetRows() in which an update is */
    size_t GetRow(const std::vector<ClientUpdate>& updates, size_t update) const;

    /** @return the updates, one a row; with missing ones where these count as Byzantine */
    RowMatrix<double> GetRows(const std::vector<ClientUpdate>& updates) const;

    /** @return false when a budget forbids the release of the result */
    bool AddNoise(const std::vector<ClientUpdate>& updates,
                  AggregationResult<double>& result) const;

    uint32_t m_byzantine{0};           //!< attribute Byzantine
    bool m_recovery{false};            //!< attribute NoiseRecovery
    bool m_missingAreByzantine{false}; //!< attribute MissingAreByzantine
    Ptr<Aggregator> m_aggregator;      //!< attribute Aggregator, R
    ModelVector m_sampled;             //!< drawn from all so far
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< draws
};

} // namespace ns3::dlearn

#endif // DLEARN_ROBUST_SERVER_H
