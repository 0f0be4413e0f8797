/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CAFCOR_WORKER_H
#define DLEARN_CAFCOR_WORKER_H

#include "dlearn-client-rule.h"

#include "ns3/dlearn-cafcor-privacy.h"

namespace ns3::dlearn
{

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
 * The paper has no worker that misses a round, because a model or a gradient was lost or late.
 * Here it catches up in its next one: the momentum of a missed round is that of a zero gradient,
 * noise included. So all workers that have answered hold the noise of the same rounds with the
 * same weights, it cancels among them, and a missed round matters no longer than it lasts.
 *
 * Answer() is the worker's part of the noise recovery that RobustServer describes; it answers where
 * the WorkerNoise has the attribute NoiseRecovery.
 *
 * Clipping, noise and privacy account are those of its ClientRelease; SetNoise(), SetServerNoise()
 * and SetLedger() configure that.
 */
class CafCorWorker : public ClientRule
{
  public:
    static TypeId GetTypeId();

    void Setup(Ptr<LocalData> data) override;
    void BeginRound(uint32_t round, const ModelVector& model) override;
    void Compute() override;
    ModelVector Send() override;
    void EndRound(bool transmitted) override;
    ModelVector Answer(const ModelVector& request) override;

    UpdateKind GetUpdateKind() const override { return UpdateKind::GRADIENT; }

    Ptr<ClientRelease> GetRelease() const override { return m_release; }

    bool CanContinue() const override;
    Ptr<const PrivacyAccount> GetLedger() const override;

    Ptr<const LocalData> GetData() const override { return m_data; }

    const ModelVector& GetModel() const override { return m_model; }

    uint64_t GetWork() const override;

    /** @return that the plan's threat model leaves messages out, where it does */
    std::vector<std::string> GetWarnings() const override;

    /** @return the attribute Momentum */
    double GetMomentum() const { return m_momentum; }

    /**
     * @param noise what is added to the clipped gradient; null, the default, for nothing
     * @param worker number of this worker within the noise, from 0
     */
    void SetNoise(Ptr<WorkerNoise> noise, uint32_t worker);

    /**
     * @param noise that the trusted server adds; null, the default, for none
     * @param learner number of this worker, as the server knows it
     */
    void SetServerNoise(Ptr<ServerNoise> noise, LearnerId learner);

    /**
     * @param ledger the worker's own privacy account
     * @param plan the run, from which what a round costs follows
     */
    void SetLedger(Ptr<GaussianLedger> ledger, CafCorPlan plan);

  protected:
    void DoDispose() override;

  private:
    /** @return the norm that the privacy account counts on */
    double GetClip() const;

    /** @throw std::invalid_argument when data are sampled otherwise than the account counts on */
    void CheckSampling(const LocalData& data) const;

    void CatchUp();

    double m_clipNorm{1};                                        //!< attribute ClipNorm
    double m_momentum{0.9};                                      //!< attribute Momentum
    Ptr<ClientRelease> m_release{CreateObject<ClientRelease>()}; //!< attribute Release
    CafCorPlan m_plan;      //!< the run, as far as it is accounted for
    Ptr<LocalData> m_data;  //!< the worker's own
    uint32_t m_round{0};    //!< t
    Ptr<const Task> m_task; //!< what it learns
    ModelVector m_model;    //!< theta_t
    double m_clip{0};       //!< C of the round
    ModelVector m_gradient; //!< clipped
    ModelVector m_velocity; //!< m_t
    uint32_t m_next{0};     //!< first round that the momentum does not hold
};

} // namespace ns3::dlearn

#endif // DLEARN_CAFCOR_WORKER_H
