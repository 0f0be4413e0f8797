/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LOCAL_SGD_H
#define DLEARN_LOCAL_SGD_H

#include "dlearn-local-training.h"

#include "ns3/dlearn-step-schedule.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Local gradient steps over mini-batches, the client's half of FedAvg. The round's n samples are
 * cut into K batches, and
 *
 *   w <- w - lambda_t (g_k(w) + Proximal (w - w_received)),   k = 0..K-1,
 *
 * with g_k the average gradient over batch k and lambda_t the step of a StepSchedule, StepSize in
 * all rounds by default; t is the round as the client counts rounds. With BatchSize B the batches
 * are those of B samples, and a smaller last one, of each pass over the data
 * (ShardData::SetEpochs()): that is how the literature says local work. With BatchSize 0 there are
 * K = LocalSteps batches of floor(n / K) samples, and up to K - 1 samples at the end stay unused.
 * With Proximal 0 and a least-squares task that is Algorithm 1 of Zhang et al. with finite K; with
 * more it is FedProx (Li et al., MLSys 2020), whose term pulls the client to the model that it
 * was given. Regularization and clipping are the task's.
 */
class LocalSgd : public LocalTraining
{
  public:
    static TypeId GetTypeId();

    /** @return samples of all batches */
    uint64_t GetWork() const override;

  protected:
    void CheckAttributes() const override;
    void DoBeginRound() override;
    ModelVector Train(const ModelVector& start, const SampleIndices& samples) const override;

  private:
    /**
     * @param samples of the client's share
     * @return those of each step
     */
    std::vector<SampleIndices> GetBatches(const SampleIndices& samples) const;

    /** What a training depends on besides its data: attributes may change while a thread trains. */
    struct Training
    {
        uint32_t steps{1};  //!< LocalSteps
        uint32_t batch{0};  //!< BatchSize
        double proximal{0}; //!< Proximal
        double step{0};     //!< lambda_t
    };

    Training m_training;      //!< of the round
    uint32_t m_steps{1};      //!< attribute LocalSteps
    uint32_t m_batch{0};      //!< attribute BatchSize
    Ptr<StepSchedule> m_step; //!< attribute StepSchedule
    double m_proximal{0};     //!< attribute Proximal
};

} // namespace ns3::dlearn

#endif // DLEARN_LOCAL_SGD_H
