/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NOISE_FIT_H
#define DLEARN_NOISE_FIT_H

#include "dlearn-audited-loss.h"

#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Whether the noise that was seen is of the law and scale that its mechanism claims, by the test
 * of Kolmogorov and Smirnov on all entries of a whole audit. By the inequality of Dvoretzky,
 * Kiefer, Wolfowitz and Massart the right noise fails with a probability of at most 2 exp(-2 n D^2)
 * < 1e-12, D the largest distance of the two distribution functions.
 */
class NoiseFit
{
  public:
    /**
     * Entries that are so large that rounding changes their noise are left out.
     *
     * @param law that the mechanism claims; only LAPLACE and GAUSSIAN are tested
     * @param scale of the noise; nothing is done for 0
     * @param before a vector without noise
     * @param after the same with noise
     */
    void Add(NoiseLaw law, double scale, ConstVectorRef before, ConstVectorRef after);

    /** @return whether all noise may be of its law */
    bool IsPlausible() const;

  private:
    static constexpr double FAILURE = 1e-12; //!< probability that the right noise fails

    std::map<NoiseLaw, std::vector<double>> m_entries; //!< of scale 1
};

} // namespace ns3::dlearn

#endif // DLEARN_NOISE_FIT_H
