/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SAMPLE_STREAM_H
#define DLEARN_SAMPLE_STREAM_H

#include "dlearn-data-drift.h"

#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <map>
#include <tuple>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The samples of one learner over time: in each round, BatchSize samples of its shard, drawn
 * independently and uniformly with replacement, or (attribute Replacement = false) in passes, each
 * sample once in random order before any is repeated; or, for rules that know their data from the
 * start, different samples of the shard (DrawDistinct()).
 *
 * The stream keeps a log of all samples that it has drawn, which gives an evaluator the data set
 * F_t of any round t.
 */
class SampleStream : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param shard positions in the data set that belong to this learner; not empty
     * @param batchSize samples per round, at least 1
     */
    void SetShard(SampleIndices shard, uint32_t batchSize);

    /**
     * After SetShard(): draw from the samples that the learner has in each round, with replacement.
     *
     * @param drift chooses them; set up
     * @param data of DataDrift::Prepare()
     */
    void SetDrift(Ptr<const DataDrift> drift, DatasetPtr data);

    /**
     * Draw the samples of a round. Rounds must be in increasing order; some may be left out.
     *
     * @param round the round
     * @return the samples that are new in this round
     */
    SampleIndices Draw(uint32_t round);

    /**
     * Draw different samples for a round, uniformly and without replacement in the round. The
     * learner has its whole shard from the start, so the log is the shard. Rounds must be in
     * increasing order. A learner draws in this way or with Draw(), not with both.
     *
     * @param round the round
     * @param count 1 to the size of the shard, which needs no random numbers
     * @return different samples of the shard
     */
    SampleIndices DrawDistinct(uint32_t round, uint32_t count);

    /** @return all samples drawn so far, oldest first; see DrawDistinct() */
    const SampleIndices& GetLog() const { return m_log; }

    /** @return number of entries of GetLog() that were drawn in rounds 0..round */
    size_t GetLogSize(uint32_t round) const;

    /** A part of the log. */
    struct Draws
    {
        SampleIndices samples;            //!< oldest first
        std::map<uint32_t, size_t> sizes; //!< size of the whole log after each round of the part

        /** @return the values that StateArchive passes between ranks */
        auto Tie() { return std::tie(samples, sizes); }
    };

    /** @return the log without its first entries */
    Draws GetDraws(size_t first) const;

    /** Append draws of the learner on another rank (Ranks) to the log. */
    void AddDraws(const Draws& draws);

    const SampleIndices& GetShard() const { return m_shard; }

    bool HasReplacement() const { return m_replacement; }

    bool HasDrift() const { return m_drift != nullptr; }

    uint32_t GetBatchSize() const { return m_batchSize; }

    /** Fix the random streams from a number on. @return number of streams used */
    int64_t AssignStreams(int64_t stream);

  private:
    void CheckRound(uint32_t round) const;

    uint32_t DrawOne();

    SampleIndices m_shard;
    Ptr<const DataDrift> m_drift;          //!< of the shard; null: none
    DatasetPtr m_data;                     //!< that change
    SampleIndices m_present;               //!< samples of the shard in the round
    bool m_replacement{true};              //!< attribute Replacement
    SampleIndices m_shuffled;              //!< the shard in the order of DrawDistinct()
    SampleIndices m_pass;                  //!< the shard in the order of the pass
    size_t m_passed{0};                    //!< number of samples drawn in the pass
    uint32_t m_batchSize{1};               //!< samples per round
    SampleIndices m_log;                   //!< all draws, oldest first
    std::map<uint32_t, size_t> m_logSizes; //!< size of the log after each drawn round
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3::dlearn

#endif // DLEARN_SAMPLE_STREAM_H
