/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAIRWISE_CORRELATED_NOISE_H
#define DLEARN_PAIRWISE_CORRELATED_NOISE_H

#include "dlearn-correlated-noise.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Correlated noise as in the protocol: each pair of workers has agreed once on a secret seed; v_ij
 * of a round is drawn from that seed and the round, the lower index adds it, the higher one
 * subtracts it (CafCor, section 3.1).
 *
 * The n (n-1)/2 seeds are drawn, in the order of the pairs, from one ns-3 stream when noise is
 * first needed. From then on nothing is drawn from ns-3's streams: a worker needs only its n-1
 * seeds. A message costs (n-1) d normal numbers, about 0.13 s for n = 100 and
 * d = 431080; JointCorrelatedNoise has the same law for less.
 */
class PairwiseCorrelatedNoise : public CorrelatedNoise
{
  public:
    static TypeId GetTypeId();
    PairwiseCorrelatedNoise();
    ~PairwiseCorrelatedNoise() override;

    bool HasPairs() const override { return true; }

    int64_t AssignStreams(int64_t stream) override;

    /**
     * @param one a worker
     * @param other another worker
     * @return the secret of the two, the same for both orders
     * @throw std::invalid_argument when they are not two workers
     */
    uint64_t GetSeed(LearnerId one, LearnerId other);

  private:
    void DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector) override;
    void DoAddSharedWith(const std::vector<WeightedRound>& rounds,
                         LearnerId worker,
                         const std::vector<LearnerId>& others,
                         VectorRef vector) override;

    /**
     * Add the noise that two workers share.
     *
     * @param round of the noise
     * @param worker whose vector it is
     * @param other worker, whose vector gets the same with the other sign
     * @param scale of the noise
     * @param vector gets it
     */
    void AddPair(uint32_t round, LearnerId worker, LearnerId other, double scale, VectorRef vector);

    Ptr<UniformRandomVariable> m_random; //!< where seeds come from
    std::vector<uint64_t> m_seeds;       //!< of pairs (0,1), (0,2), (1,2), (0,3), ...
};

} // namespace ns3::dlearn

#endif // DLEARN_PAIRWISE_CORRELATED_NOISE_H
