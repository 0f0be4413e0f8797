/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_ACCOUNT_H
#define DLEARN_PRIVACY_ACCOUNT_H

#include "dlearn-noise-mechanism.h"

#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The composed cost of releases for each unit of protection (see PrivacyUnit). A release of d
 * entries that hide a Euclidean sensitivity Phi under noise of scale s costs
 *
 * - LAPLACE:  epsilon += sqrt(d) Phi / s (the 1-norm is at most sqrt(d) times the Euclidean one);
 * - GAUSSIAN: rate += Phi^2 / (2 s^2), see GaussianRate(); the dimension plays no part;
 * - TERNARY: delta += sqrt(d) Phi / s: the total variation distance;
 * - NONE, or s = 0: everything, where Phi > 0.
 *
 * Releases may depend on earlier ones: basic composition adds up epsilons and deltas, and rates
 * also add up (Smith and Thakurta, "Fully Adaptive Composition for Gaussian Differential Privacy",
 * 2022). GetEpsilon() converts the three sums.
 */
class PrivacyLosses
{
  public:
    /** @param units of protection, at least 1, without losses */
    explicit PrivacyLosses(uint32_t units = 1);

    /**
     * @param law of the noise
     * @param sensitivity Phi of each unit, at least 0, may be infinite
     * @param scale of the noise, at least 0
     * @param dimension d, entries of the released vector; 1 where the sensitivity bounds the 1-norm
     * @return the cost of one release
     */
    static PrivacyLosses OfRelease(NoiseLaw law,
                                   const Eigen::ArrayXd& sensitivity,
                                   double scale,
                                   uint32_t dimension);

    /** @param other of the same number of units */
    PrivacyLosses& operator+=(const PrivacyLosses& other);

    uint32_t GetUnits() const { return static_cast<uint32_t>(m_epsilon.size()); }

    /** @return whether all losses are 0 */
    bool IsZero() const
    {
        return (m_epsilon == 0).all() && (m_rate == 0).all() && (m_delta == 0).all();
    }

    /**
     * @param delta in (0, 1)
     * @return largest epsilon of a unit: that of the Laplace releases plus the exact one of the
     *         Gaussian ones (GaussianEpsilon()) at delta less that of the ternary ones; infinity
     *         when that is below 0
     */
    double GetEpsilon(double delta) const;

    /** @return largest sum of the ternary releases' deltas of a unit, at most 1 */
    double GetTernaryDelta() const { return std::min(1.0, m_delta.maxCoeff()); }

  private:
    Eigen::ArrayXd m_epsilon; //!< of Laplace releases, by unit
    Eigen::ArrayXd m_rate;    //!< of Gaussian releases
    Eigen::ArrayXd m_delta;   //!< of ternary releases
};

/**
 * @ingroup dlearn
 * @param factor at least 0
 * @param sensitivity of each unit, may be infinite
 * @return factor times the sensitivity; 0 for the factor 0, also of infinity
 */
Eigen::ArrayXd Contract(double factor, const Eigen::ArrayXd& sensitivity);

/**
 * @ingroup dlearn
 * The privacy account of one learner: its spent epsilon and its budget. The events depend on the
 * algorithm: PrivacyLedger for peers that send their state, GradientTrackingLedger for those that
 * also send a tracker, GaussianLedger for clients of a server.
 *
 * There are two accounts:
 *
 * - nominal: as in the paper, every message is sent and every neighbour's message arrives in every
 *   round in which the learner takes part;
 * - realised: with the messages that left the node and were received. A release that the network
 *   has counts as sent until it is known that it never left.
 *
 * Epsilon is pure if all noise is Laplace noise; otherwise it holds with the attribute Delta.
 * Accounts see events only, not data, models or noise, and refuse with std::invalid_argument events
 * that they cannot account for.
 *
 * They are accounts of algorithms with ideal real-valued noise. This program's noise comes from a
 * reproducible generator and does not protect data.
 */
class PrivacyAccount : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return realised epsilon so far; may be infinite */
    virtual double GetEpsilon() const = 0;

    /** @return nominal epsilon so far; may be infinite */
    virtual double GetNominalEpsilon() const = 0;

    /** @return largest realised epsilon that the learner may spend; 0: no limit */
    double GetBudget() const { return m_budget; }

    /** @return the attribute Delta */
    double GetDelta() const { return m_delta; }

  protected:
    /** @return whether the attributes are fixed; false unless overridden */
    virtual bool HasBegun() const { return false; }

    /** Refuse another value of an attribute once the account has begun. */
    void RequireSame(const std::string& attribute, bool same) const;

    void CheckAttributes() const;

    /** @return whether a realised epsilon is within the budget, up to 1e-9 of it for rounding */
    bool IsWithinBudget(double epsilon) const
    {
        return m_budget == 0 || epsilon <= m_budget * (1 + 1e-9);
    }

    /** Refuse an event, named with its article, of an earlier round than the next one. */
    void RequireIncreasing(const char* event, uint32_t round, uint64_t next) const;

    /** @return the class name, for messages */
    std::string GetName() const;

  private:
    void SetDelta(double delta);

    double m_budget{0};   //!< attribute Budget
    double m_delta{1e-4}; //!< attribute Delta
};

/**
 * @ingroup dlearn
 * An account of peers that adds up the PrivacyLosses of successive releases. The derived account
 * determines the cost of a release from the distance of two runs on neighbouring data.
 *
 * The derived account calls Announce() when the network gets a release, and RecordRelease() when it
 * is known whether the release left the node.
 */
class ReleaseAccount : public PrivacyAccount
{
  public:
    static TypeId GetTypeId();

    double GetEpsilon() const override { return GetSpent().GetEpsilon(GetDelta()); }

    double GetNominalEpsilon() const override { return m_nominal.GetEpsilon(GetDelta()); }

    /** @return realised delta of releases by ternary rounding so far, see PrivacyLosses */
    double GetTernaryDelta() const { return GetSpent().GetTernaryDelta(); }

  protected:
    bool HasBegun() const override { return m_underWay || !m_nominal.IsZero(); }

    /** @param units of protection that the account follows; before the first release */
    void SetUnits(uint32_t units);

    uint32_t GetUnits() const { return m_realised.GetUnits(); }

    /** @return whether the budget allows a release of these realised losses */
    bool IsAffordable(const PrivacyLosses& losses) const;

    /** The network gets a release of these realised losses. */
    void Announce(const PrivacyLosses& losses) { m_underWay = losses; }

    /** Record a release, announced or not. @param transmitted whether any of it left the node; else
     *  it has no realised losses */
    void RecordRelease(const PrivacyLosses& nominal,
                       const PrivacyLosses& realised,
                       bool transmitted);

  private:
    /** @return realised losses, including those of an announced release */
    PrivacyLosses GetSpent() const;

    PrivacyLosses m_nominal;                 //!< of all releases, as planned
    PrivacyLosses m_realised;                //!< of all that left
    std::optional<PrivacyLosses> m_underWay; //!< of the announced release
};

/**
 * @ingroup dlearn
 * The unit of protection: the difference of neighbouring data sets of a learner. A privacy account
 * bounds its disclosure by the run; the smaller the unit, the smaller epsilon.
 *
 * A unit determines its share of a learner's gradient, a mean over batches of equal weight, each
 * the mean of its samples: the gradient differs by at most share C between neighbouring data sets,
 * C a bound on the distance of two samples' gradients. The positions that a learner draws
 * do not depend on data and count as public: neighbours differ in the data at these positions.
 * Therefore the account can follow the actual draws.
 *
 * One object serves one learner: Setup() once, Take() in every round.
 */
class PrivacyUnit : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param shard positions of the learner's data
     * @param window newest batches in a gradient; 0: all
     */
    virtual void Setup(const SampleIndices& shard, uint32_t window) = 0;

    /** @param batch positions drawn in the round, a new part of the gradient */
    virtual void Take(const SampleIndices& batch) = 0;

    /** @return number of units in the learner's data */
    virtual uint32_t GetUnits() const = 0;

    /** @return n of the planned share 1/n of a unit that is in each batch, of a size */
    virtual uint32_t GetParts(size_t samples) const = 0;

    /** @return each unit's actual share of the gradient after Take() */
    virtual Eigen::ArrayXd GetShares() const = 0;
};

/** @ingroup dlearn
 *  All data of a learner at once: its share is always 1. */
class LearnerUnit : public PrivacyUnit
{
  public:
    static TypeId GetTypeId();

    void Setup(const SampleIndices& /* shard */, uint32_t /* window */) override {}

    void Take(const SampleIndices& /* batch */) override {}

    uint32_t GetUnits() const override { return 1; }

    uint32_t GetParts(size_t /* samples */) const override { return 1; }

    Eigen::ArrayXd GetShares() const override { return Eigen::ArrayXd::Ones(1); }
};

/**
 * @ingroup dlearn
 * All samples of one round, the "sample" of Chen and Wang's online learning: its share is that of
 * one batch in the gradient. If that is the newest batch alone, each batch may differ, as for
 * LearnerUnit.
 */
class BatchUnit : public PrivacyUnit
{
  public:
    static TypeId GetTypeId();

    void Setup(const SampleIndices& /* shard */, uint32_t window) override { m_window = window; }

    void Take(const SampleIndices& batch) override;

    uint32_t GetUnits() const override { return 1; }

    uint32_t GetParts(size_t /* samples */) const override { return std::max(1U, m_batches); }

    Eigen::ArrayXd GetShares() const override
    {
        return Eigen::ArrayXd::Constant(1, 1.0 / std::max(1U, m_batches));
    }

  private:
    uint32_t m_window{0};  //!< newest batches that count; 0: all
    uint32_t m_batches{0}; //!< that count
};

/**
 * @ingroup dlearn
 * One record of a learner's data, with all its draws. The account is that of the record with the
 * highest cost. The nominal share is that of a record with one draw in every round.
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
    void Count(const SampleIndices& batch);

    uint32_t m_window{0};                            //!< newest batches that count; 0: all
    uint32_t m_batches{0};                           //!< that count
    std::unordered_map<uint32_t, uint32_t> m_places; //!< unit of each position; looked up only
    std::deque<SampleIndices> m_kept;                //!< batches in the window, oldest first
    Eigen::ArrayXd m_sums;                           //!< sum over batches of their parts of each
};

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_ACCOUNT_H
