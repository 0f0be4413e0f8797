/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_JOINT_CORRELATED_NOISE_H
#define DLEARN_JOINT_CORRELATED_NOISE_H

#include "dlearn-correlated-noise.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * Correlated noise of the same law as PairwiseCorrelatedNoise, without the pairs: the u_i of a
 * round are jointly Gaussian with covariance s_cor^2 (n I - 1 1^T) on every entry, which is also
 * the law of u_i = s_cor sqrt(n) (z_i - z_bar) with z_i independent standard normal and z_bar their
 * mean. A round costs 2 n d normal numbers instead of n (n-1) d, and 2 d numbers of memory.
 *
 * There are no v_ij, so the part shared with a set L of others is drawn too, from its law given
 * all u_i: for i in S, the workers not in L,
 *
 *   c_i = s_cor / sqrt(n) (|L| z_i - sum_L z_j) + s_cor sqrt(|S| |L| / n) (y_i - y_bar),
 *
 * where y_i are independent standard normal numbers that belong to round and set, and y_bar is
 * their mean over S. (The mean of u_i over S is that of c_i; what is left of u_i, of variance
 * s_cor^2 n, is split |S| : |L| between the noise among S and c_i.) So any one recovery has
 * exactly the law that it has with PairwiseCorrelatedNoise, and the sum of u_i - c_i over S is 0.
 * Parts shared with different sets in the same round are not drawn jointly: c(L1) + c(L2) is not
 * c(L1 and L2 together), and recoveries with different sets lack the dependence that they should
 * have. Use PairwiseCorrelatedNoise where this matters.
 */
class JointCorrelatedNoise : public CorrelatedNoise
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    JointCorrelatedNoise();
    ~JointCorrelatedNoise() override;

    /** @param archive saves or loads what changes during a run */
    void VisitState(StateArchive& archive);

    int64_t AssignStreams(int64_t stream) override;

  private:
    void DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector) override;
    void DoAddSharedWith(const std::vector<WeightedRound>& rounds,
                         LearnerId worker,
                         const std::vector<LearnerId>& others,
                         VectorRef vector) override;

    /** @return the key of the random numbers of a round */
    uint64_t GetRoundKey(uint32_t round);

    /**
     * Compute the mean noise of a round, unless it is there.
     *
     * @param round of the noise
     * @param size of a vector
     */
    void PrepareMean(uint32_t round, Eigen::Index size);

    /**
     * Compute the sum of the noise that some workers share, unless it is there.
     *
     * @param rounds and their weights in the sum
     * @param others that share the noise
     * @param size of a vector
     */
    void PreparePart(const std::vector<WeightedRound>& rounds,
                     const std::vector<LearnerId>& others,
                     Eigen::Index size);

    /** What all workers subtract in AddSharedWith() for these arguments. */
    struct CommonPart
    {
        std::vector<WeightedRound> rounds; //!< argument
        std::vector<LearnerId> others;     //!< argument
        ModelVector value;                 //!< for a Scale of 1
    };

    Ptr<UniformRandomVariable> m_random; //!< where the key comes from
    bool m_drawn{false};                 //!< whether it was drawn
    uint64_t m_key{0};                   //!< the key
    uint32_t m_meanRound{0};             //!< round of m_mean
    ModelVector m_mean;                  //!< z_bar of the latest round; empty for none
    CommonPart m_part;                   //!< of the latest recovery
};

} // namespace ns3::dlearn

#endif // DLEARN_JOINT_CORRELATED_NOISE_H
