/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CAFCOR_WORKER_H
#define DLEARN_CAFCOR_WORKER_H

#include "dlearn-client-rule.h"

#include "ns3/dlearn-worker-noise.h"

namespace ns3
{
namespace dlearn
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
 */
class CafCorWorker : public ClientRule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    void Setup(Ptr<LocalData> data) override;
    void BeginRound(uint32_t round, const ModelVector& model) override;
    void Compute() override;
    ModelVector Send() override;
    Ptr<const LocalData> GetData() const override;
    const ModelVector& GetModel() const override;
    uint64_t GetWork() const override;

    /**
     * @param noise what is added to the clipped gradient; null, the default, for nothing
     * @param worker number of this worker within the noise, from 0
     */
    void SetNoise(Ptr<WorkerNoise> noise, uint32_t worker);

  protected:
    void DoDispose() override;

  private:
    double m_clipNorm{1};     //!< attribute ClipNorm
    double m_momentum{0.9};   //!< attribute Momentum
    Ptr<WorkerNoise> m_noise; //!< null for none
    uint32_t m_worker{0};     //!< number within the noise
    Ptr<LocalData> m_data;    //!< the worker's own
    uint32_t m_round{0};      //!< t
    ModelVector m_model;      //!< theta_t
    ModelVector m_gradient;   //!< clipped
    ModelVector m_velocity;   //!< m_t
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_CAFCOR_WORKER_H
