/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CORRELATED_NOISE_H
#define DLEARN_CORRELATED_NOISE_H

#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The noise of one round, times a factor.
 */
struct WeightedRound
{
    uint32_t round{0}; //!< t
    double weight{1};  //!< factor
};

/**
 * @ingroup dlearn
 * Noise that workers share: in round t worker i adds u_i = sum_j v_ij to its message, where
 * v_ij = -v_ji has standard deviation s_cor (attribute Scale) on every entry. The sum over all
 * workers is zero, to rounding; the mean over a set S of them keeps noise of variance
 * s_cor^2 (n-|S|)/|S| on every entry.
 *
 * One object serves all workers of a simulation. What it adds is a function of round and worker
 * (and of the vector's size): calls may come in any order and any number of times. Noise comes
 * from ns-3's random streams: suitable for simulation, not for the protection of data.
 *
 * Implementations: PairwiseCorrelatedNoise, JointCorrelatedNoise.
 */
class CorrelatedNoise : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Set once, before anything is added.
     *
     * @param workers n, Byzantine ones included
     * @throw std::invalid_argument when 0, or when called twice
     */
    void SetWorkers(uint32_t workers);

    /** @return n; 0 before SetWorkers() */
    uint32_t GetWorkers() const { return m_workers; }

    /**
     * @return s_cor, the attribute Scale, for rounds of which no worker has its noise yet
     * @throw std::invalid_argument when it is not finite and at least 0
     */
    double GetScale() const;

    /**
     * All workers have the same scale in a round, as the account of each counts on the noise of the
     * others: a new Scale holds from the next round on.
     *
     * @param round t
     * @return the Scale at the first call for that round, of this or of what adds its noise
     */
    double GetScaleOf(uint32_t round);

    /**
     * What worker i adds to its message.
     *
     * @param round t
     * @param worker i, less than n
     * @param weight factor of the noise; -1 takes it away again
     * @param vector gets weight u_i added
     * @throw std::invalid_argument when the worker is none, or SetWorkers() was not called
     */
    void AddTo(uint32_t round, LearnerId worker, double weight, VectorRef vector);

    /**
     * The part of the noise that worker i shares with others, which noise recovery removes when
     * their messages are lost: sum_{j in others} v_ij, summed over rounds, because a message with
     * momentum holds the noise of all rounds so far: (1-beta) beta^k of the one k rounds ago.
     *
     * @param rounds whose noise is meant, and how much of it
     * @param worker i, less than n
     * @param others workers other than i, in increasing order
     * @param vector gets the weighted sum of that part added
     * @throw std::invalid_argument when a worker is none, the others are not in increasing
     *        order or hold i, a weight is not finite, SetWorkers() was not called, or the noise
     *        has no such parts (HasPairs())
     */
    void AddSharedWith(const std::vector<WeightedRound>& rounds,
                       LearnerId worker,
                       const std::vector<LearnerId>& others,
                       VectorRef vector);

    /** @return whether there are v_ij, of which AddSharedWith() knows each */
    virtual bool HasPairs() const { return false; }

    /**
     * Fix the random streams; to be called before anything is added.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

  private:
    /** As AddTo(), whose arguments are checked, with scale = weight s_cor, not 0. */
    virtual void DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector) = 0;

    /**
     * As AddSharedWith(), whose arguments are checked, with the scales in the weights: there are
     * others, and no weight is 0. Called only with HasPairs().
     */
    virtual void DoAddSharedWith(const std::vector<WeightedRound>& rounds,
                                 LearnerId worker,
                                 const std::vector<LearnerId>& others,
                                 VectorRef vector);

    /**
     * @throw std::invalid_argument for a worker that there is not, or a weight that is not finite
     */
    void CheckTerms(LearnerId worker, double weight) const;

    double m_scale{1};                   //!< attribute Scale
    uint32_t m_workers{0};               //!< n
    std::map<uint32_t, double> m_scales; //!< by round
};

} // namespace ns3::dlearn

#endif // DLEARN_CORRELATED_NOISE_H
