/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPLAY_HISTORY_H
#define DLEARN_REPLAY_HISTORY_H

#include "dlearn-gradient-history.h"
#include "dlearn-task.h"

#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The history of any task: keeps the samples and evaluates all of them again.
 *
 * A stream that draws with replacement yields the same samples repeatedly; each is kept once, with
 * a weight that counts its draws. The cost therefore grows with the history until every sample of
 * the learner's shard was drawn, and a window, which keeps only the newest batches, bounds it
 * further. The sum runs in the order of the samples in the data set.
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

    uint32_t GetBatches() const override { return m_count; }

    uint64_t GetCost() const override { return m_samples.indices.size(); }

    uint64_t GetLargestCost(uint64_t samples, uint64_t batch) const override
    {
        return std::min(samples, m_count * batch);
    }

  private:
    /** @param batch that leaves the history */
    void Forget(const SampleIndices& batch);

    const Task& m_task;                  //!< evaluates the gradients
    uint32_t m_window;                   //!< batches to keep; 0 for all
    uint32_t m_count{0};                 //!< batches that the average covers
    std::deque<SampleIndices> m_batches; //!< kept batches, oldest first; empty without window
    /** How often a sample came in a batch of a size: by sample, then size. */
    std::map<std::pair<uint32_t, size_t>, uint32_t> m_draws;
    WeightedSamples m_samples; //!< m_draws as weights, one entry each
};

/**
 * @ingroup dlearn
 * @param task evaluates the gradients; must outlive the history
 * @param window batches to keep; 0 keeps all
 * @return an empty history: the task's own (Task::CreateShortHistory) or else a ReplayHistory
 */
std::unique_ptr<GradientHistory> CreateHistory(const Task& task, uint32_t window);

} // namespace ns3::dlearn

#endif // DLEARN_REPLAY_HISTORY_H
