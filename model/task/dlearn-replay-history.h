/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPLAY_HISTORY_H
#define DLEARN_REPLAY_HISTORY_H

#include "dlearn-gradient-history.h"
#include "dlearn-task.h"

#include <deque>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * The history of any task: keep the samples and evaluate them all again. Cost grows with the
 * history, unless a window keeps only the newest batches.
 *
 * All kept batches lie in one list of weighted samples, so that Gradient() is one call of the
 * task and copies nothing; Add() writes the weights anew, which is cheap beside one gradient.
 */
class ReplayHistory : public GradientHistory
{
  public:
    /**
     * @param task evaluates the gradients; must outlive this object
     * @param window batches to keep; 0 keeps all
     */
    ReplayHistory(const Task& task, uint32_t window);

    void Add(const SampleIndices& batch) override;
    void Gradient(ConstVectorRef theta, VectorRef gradient) const override;
    uint32_t GetBatches() const override;
    uint64_t GetCost() const override;

  private:
    const Task& m_task;         //!< evaluates the gradients
    uint32_t m_window;          //!< batches to keep; 0 for all
    std::deque<size_t> m_sizes; //!< samples in each kept batch, oldest first
    WeightedSamples m_samples;  //!< kept samples, oldest first, with their weights
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_REPLAY_HISTORY_H
