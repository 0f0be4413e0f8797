/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SHARD_DATA_H
#define DLEARN_SHARD_DATA_H

#include "dlearn-local-data.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A client's fixed share of a data set: in each round, samples drawn uniformly without
 * replacement from its shard, the first n of a new random order.
 */
class ShardData : public LocalData
{
  public:
    static TypeId GetTypeId();
    ShardData();
    ~ShardData() override;

    /**
     * @param task the objective, which all clients share; its data must have been set
     * @param shard positions in the task's training data that belong to this client; not
     *        empty, no position twice
     * @param samples n, samples a round; 0, or as many as the shard has or more, for all
     * @throw std::invalid_argument when the task is null or the shard breaks a rule, or a client
     * has been set up with these data
     */
    void SetShard(Ptr<const Task> task, SampleIndices shard, uint32_t samples);

    /**
     * Pass over a round's samples more than once, each time in another random order. GetSamples()
     * then contains all passes in sequence, and GetSampleCount() those of one pass.
     *
     * @param epochs passes, at least 1
     */
    void SetEpochs(uint32_t epochs);

    void BeginRound(uint32_t round) override;
    Ptr<const Task> GetTask() const override;
    const SampleIndices& GetSamples() const override;

    uint32_t GetSampleCount() const override { return m_count; }

    double GetSamplingShare() const override
    {
        return static_cast<double>(m_count) / static_cast<double>(m_order.size());
    }

    size_t GetRoundSize() const override { return static_cast<size_t>(m_count) * m_epochs; }

    int64_t AssignStreams(int64_t stream) override;

  private:
    /**
     * @param what is to change
     * @throw std::invalid_argument when a client has been set up with these data
     */
    void RequireUnused(const char* what) const;

    Ptr<const Task> m_task;              //!< the objective
    SampleIndices m_order;               //!< the shard, in the random order of the last round
    SampleIndices m_samples;             //!< of the round, pass after pass
    uint32_t m_count{0};                 //!< samples a round, at most those of the shard
    uint32_t m_epochs{1};                //!< passes over them
    Ptr<UniformRandomVariable> m_random; //!< shuffles
};

} // namespace ns3::dlearn

#endif // DLEARN_SHARD_DATA_H
