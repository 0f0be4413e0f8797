/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATA_DRIFT_H
#define DLEARN_DATA_DRIFT_H

#include "dlearn-dataset.h"

#include "ns3/object.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Data that change during a run: which samples a learner has in a round, and which ones test its
 * model. The kinds are those of Gama et al., "A survey on concept drift adaptation", ACM Computing
 * Surveys 46(4):44, 2014. Nothing is random, but the order of a shard may be.
 *
 * Each sample of a shard stands for a record, at most once in a round. An account that protects all
 * data of a learner, or those of a round, stays right: what it bounds does not depend on the
 * samples. One of single samples would not, as it takes each position in the data for a record.
 */
class DataDrift : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param rounds number of rounds of the run, at least 1
     * @throw std::invalid_argument when the attributes do not fit it
     */
    virtual void Setup(uint32_t rounds) = 0;

    /**
     * @param data of all learners, or for tests
     * @return the data, with other versions of the samples, if any, behind them
     * @throw std::invalid_argument unless data of this kind can change
     */
    virtual DatasetPtr Prepare(DatasetPtr data) const = 0;

    /** @return how many times as many samples Prepare() returns; 1 unless overridden */
    virtual uint32_t GetVersions() const { return 1; }

    /**
     * @param data of Prepare()
     * @param shard positions of samples in the data that Prepare() got; not empty
     * @param round from 0; rounds after the last are like it
     * @return positions in @p data of the round's samples; their number is the same in all rounds
     */
    virtual SampleIndices Choose(const Dataset& data,
                                 const SampleIndices& shard,
                                 uint32_t round) const = 0;
};

/**
 * @ingroup dlearn
 * Concept drift: each class becomes the next one, the last class the first. Sample k = 0, 1, ... of
 * a shard has its new class from round Round + (k mod Rounds) on: all at once or gradually, with
 * old and new concept side by side.
 */
class LabelDrift : public DataDrift
{
  public:
    static TypeId GetTypeId();

    void Setup(uint32_t rounds) override;
    DatasetPtr Prepare(DatasetPtr data) const override;

    uint32_t GetVersions() const override { return 2; }

    SampleIndices Choose(const Dataset& data,
                         const SampleIndices& shard,
                         uint32_t round) const override;

  private:
    uint32_t m_round{10}; //!< attribute Round
    uint32_t m_rounds{1}; //!< attribute Rounds
};

/**
 * @ingroup dlearn
 * Data that come and go: of n samples in their order, a learner has w = Share n in a round, rounded
 * to the nearest, at least one. The window moves evenly, from the first w samples in round 0 to the
 * last ones in the last round. With ByClass the samples have the order of their classes, so that
 * the mixture of classes changes gradually (drift of the prior probabilities); else that of the
 * data, for instance in time.
 */
class WindowDrift : public DataDrift
{
  public:
    static TypeId GetTypeId();

    void Setup(uint32_t rounds) override { m_last = rounds - 1; }

    DatasetPtr Prepare(DatasetPtr data) const override { return data; }

    SampleIndices Choose(const Dataset& data,
                         const SampleIndices& shard,
                         uint32_t round) const override;

  private:
    double m_share{0.5};   //!< attribute Share
    bool m_byClass{false}; //!< attribute ByClass
    uint32_t m_last{0};    //!< the last round
};

} // namespace ns3::dlearn

#endif // DLEARN_DATA_DRIFT_H
