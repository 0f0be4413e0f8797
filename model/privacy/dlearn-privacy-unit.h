/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_UNIT_H
#define DLEARN_PRIVACY_UNIT_H

#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <Eigen/Core>
#include <deque>
#include <unordered_map>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The unit of protection: what neighbouring data sets of a learner differ in. A privacy account
 * bounds what the run discloses about it; the smaller the unit, the smaller epsilon.
 *
 * A unit determines its share of a learner's gradient, a mean over batches of equal weight, each
 * the mean of its samples: the gradient differs by at most share C between neighbouring data sets,
 * C a bound on the distance of two samples' gradients. Which positions of its data a learner draws
 * depends on no data and counts as public: neighbours differ in the data at these positions.
 * Therefore the account can follow what was actually drawn.
 *
 * One object serves one learner: Setup() once, Take() in every round.
 */
class PrivacyUnit : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param shard positions of the learner's data
     * @param window newest batches that a gradient averages over; 0 for all
     */
    virtual void Setup(const SampleIndices& shard, uint32_t window) = 0;

    /** @param batch positions drawn in the round, a new part of the gradient */
    virtual void Take(const SampleIndices& batch) = 0;

    /** @return how many units the learner's data has, of which each is followed */
    virtual uint32_t GetUnits() const = 0;

    /**
     * @param samples of a round's batch
     * @return n of the share 1/n of a unit that is in every round's batch, as papers plan it
     */
    virtual uint32_t GetParts(size_t samples) const = 0;

    /** @return each unit's true share of the gradient after Take(), GetUnits() numbers */
    virtual Eigen::ArrayXd GetShares() const = 0;
};

/**
 * @ingroup dlearn
 * All data of a learner at once: its share is always 1.
 */
class LearnerUnit : public PrivacyUnit
{
  public:
    static TypeId GetTypeId();

    void Setup(const SampleIndices& shard, uint32_t window) override;
    void Take(const SampleIndices& batch) override;

    uint32_t GetUnits() const override { return 1; }

    uint32_t GetParts(size_t samples) const override;
    Eigen::ArrayXd GetShares() const override;
};

/**
 * @ingroup dlearn
 * All samples of one round, the "sample" of Chen and Wang's online learning: its share is that of
 * one batch among those that a gradient averages over. Where that is the newest batch alone, the
 * account lets each of them differ, as for LearnerUnit.
 */
class BatchUnit : public PrivacyUnit
{
  public:
    static TypeId GetTypeId();

    void Setup(const SampleIndices& shard, uint32_t window) override;
    void Take(const SampleIndices& batch) override;

    uint32_t GetUnits() const override { return 1; }

    uint32_t GetParts(size_t samples) const override;
    Eigen::ArrayXd GetShares() const override;

  private:
    uint32_t m_window{0};  //!< newest batches that count; 0 for all
    uint32_t m_batches{0}; //!< that count
};

/**
 * @ingroup dlearn
 * One record of a learner's data, in every round in which it is drawn and as often as it is drawn.
 * Each record is followed, and the account is that of the record with the highest cost. The nominal
 * share is that of a record which is drawn once in every round.
 */
class SampleUnit : public PrivacyUnit
{
  public:
    static TypeId GetTypeId();

    void Setup(const SampleIndices& shard, uint32_t window) override;
    void Take(const SampleIndices& batch) override;

    uint32_t GetUnits() const override { return static_cast<uint32_t>(m_places.size()); }

    uint32_t GetParts(size_t samples) const override { return static_cast<uint32_t>(samples); }

    Eigen::ArrayXd GetShares() const override { return m_sums / std::max(1U, m_batches); }

  private:
    /** @param batch whose samples get their part of the round's gradient */
    void Count(const SampleIndices& batch);

    uint32_t m_window{0};                            //!< newest batches that count; 0 for all
    uint32_t m_batches{0};                           //!< that count
    std::unordered_map<uint32_t, uint32_t> m_places; //!< unit of each position; looked up only
    std::deque<SampleIndices> m_kept;                //!< batches in the window, oldest first
    Eigen::ArrayXd m_sums;                           //!< sum over batches of their parts of each
};

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_UNIT_H
