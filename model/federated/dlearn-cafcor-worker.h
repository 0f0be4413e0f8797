/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CAFCOR_WORKER_H
#define DLEARN_CAFCOR_WORKER_H

#include "dlearn-client-rule.h"

#include "ns3/dlearn-privacy-plans.h"
#include "ns3/dlearn-types.h"

#include <vector>

/**
 * @file
 * The request of a server that recovers from dropouts. Noise that clients share in pairs does not
 * cancel when the messages of some are missing. The server names those (channel REQUEST), the
 * others answer with the noise in their messages that they share with these (channel ANSWER), and
 * the server subtracts it: a second step of the round, see ServerRule::Ask().
 */

namespace ns3::dlearn
{

/** @return one entry for each client of the federation, both in order: 1 for a dropout, else 0 */
ModelVector MakeDropoutRequest(const std::vector<LearnerId>& clients,
                               const std::vector<LearnerId>& dropouts);

/**
 * @param request as received from the network
 * @return places of the dropouts among all clients, in increasing order; none for a request that
 *         names no client, or has an entry that is neither 0 nor 1
 */
std::vector<uint32_t> ReadDropoutRequest(const ModelVector& request);

/**
 * @ingroup dlearn
 * The worker's half of CafCor (Allouah, Guerraoui et al., "Towards trustworthy federated
 * learning with untrusted participants", Algorithm 1). In each round:
 *
 *  1. BeginRound(): the model theta_t is there; draws a batch of b samples without replacement.
 *  2. Compute(): the mean gradient over the batch, with the task's l2 regularization (weight
 *     decay), clipped to norm ClipNorm: Clip(g; C) = g min(1, C / ||g||). Clipping of each
 *     sample's gradient, for example-level privacy, is the task's (Task::ClipNorm).
 *  3. Send(): adds the noise of the round, correlated with that of the other workers, and
 *     returns the momentum m_t = Momentum m_{t-1} + (1 - Momentum) g~, m_{-1} = 0.
 *
 * The update is the momentum vector itself, for a RobustServer to aggregate.
 *
 * In the paper no worker misses a round. Here a worker whose model or gradient was lost or late
 * catches up in its next round: the momentum of a missed round is that of a zero gradient, with
 * noise. So all workers that have answered hold the noise of the same rounds with the same weights,
 * and it cancels among them.
 *
 * Answer() is the worker's part of the noise recovery that RobustServer describes; it answers if
 * the WorkerNoise has the attribute NoiseRecovery.
 *
 * Clipping, noise and privacy account are those of its ClientRelease; SetNoise(), SetServerNoise()
 * and SetLedger() configure that.
 */
class CafCorWorker : public ReleasingClient
{
  public:
    static TypeId GetTypeId();

    void Setup(Ptr<LocalData> data) override;
    void BeginRound(uint32_t round, const Message& message) override;
    void Compute() override;
    Message Send() override;
    Message Answer(uint32_t step, const Message& request) override;

    UpdateKind GetUpdateKind() const override { return UpdateKind::GRADIENT; }

    uint64_t GetWork() const override { return m_data->GetRoundSize(); }

    /** @return a warning if the plan's threat model leaves out messages */
    std::vector<std::string> GetWarnings() const override;

    /** @return the attribute Momentum */
    double GetMomentum() const { return m_momentum; }

    /** As ClientRelease::SetNoise(). */
    void SetNoise(Ptr<WorkerNoise> noise, uint32_t worker) { m_release->SetNoise(noise, worker); }

    /** As ClientRelease::SetServerNoise(). */
    void SetServerNoise(Ptr<ServerNoise> noise, LearnerId learner)
    {
        m_release->SetServerNoise(noise, learner);
    }

    /** Set the worker's account; the plan determines the cost of a round. */
    void SetLedger(Ptr<GaussianLedger> ledger, CafCorPlan plan);

  private:
    /** @return the norm of the privacy account */
    double GetClip() const;
    void CheckSampling(const LocalData& data) const;
    void CatchUp();

    double m_clipNorm{1};   //!< attribute ClipNorm
    double m_momentum{0.9}; //!< attribute Momentum
    CafCorPlan m_plan;      //!< the run, as far as it is accounted for
    double m_clip{0};       //!< C of the round
    ModelVector m_gradient; //!< clipped
    ModelVector m_velocity; //!< m_t
    uint32_t m_next{0};     //!< first round that the momentum does not hold
};

} // namespace ns3::dlearn

#endif // DLEARN_CAFCOR_WORKER_H
