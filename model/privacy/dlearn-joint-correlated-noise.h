/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_JOINT_CORRELATED_NOISE_H
#define DLEARN_JOINT_CORRELATED_NOISE_H

#include "dlearn-correlated-noise.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Correlated noise of the same law as PairwiseCorrelatedNoise, without the pairs: the u_i of a
 * round are jointly Gaussian with covariance s_cor^2 (n I - 1 1^T) on every entry, which is also
 * the law of u_i = s_cor sqrt(n) (z_i - z_bar) with z_i independent standard normal and z_bar their
 * mean. A round costs 2 n d normal numbers instead of n (n-1) d, and 2 d numbers of memory.
 *
 * There are no v_ij, so there is nothing to reveal: noise recovery needs PairwiseCorrelatedNoise.
 * (Parts could be drawn from their law given all u_i, but for several sets of lost workers that
 * dependence takes as long as the pairs.)
 */
class JointCorrelatedNoise : public CorrelatedNoise
{
  public:
    static TypeId GetTypeId();
    JointCorrelatedNoise();
    ~JointCorrelatedNoise() override;

    int64_t AssignStreams(int64_t stream) override;

  private:
    void DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector) override;

    /** @return the key of the random numbers of a round */
    uint64_t GetRoundKey(uint32_t round);

    /**
     * Compute the mean noise of a round, unless it is there.
     *
     * @param round of the noise
     * @param size of a vector
     */
    void PrepareMean(uint32_t round, Eigen::Index size);

    Ptr<UniformRandomVariable> m_random; //!< where the key comes from
    bool m_drawn{false};                 //!< whether it was drawn
    uint64_t m_key{0};                   //!< the key
    uint32_t m_meanRound{0};             //!< round of m_mean
    ModelVector m_mean;                  //!< z_bar of the latest round; empty for none
};

} // namespace ns3::dlearn

#endif // DLEARN_JOINT_CORRELATED_NOISE_H
