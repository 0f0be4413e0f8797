/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DP_SGD_GROWING_H
#define DLEARN_DP_SGD_GROWING_H

#include "dlearn-peer-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Private stochastic gradient descent with growing samples: the update of MixAndDescend(), whose
 * gradient is the mean over
 *
 *   m_t = min( floor(a t^p) + 1, D )
 *
 * different samples of the learner's D, drawn uniformly and put back after the round; a is
 * SampleFactor, p SampleExponent, and the stream's batch size plays no part. One sample moves the
 * gradient by C / m_t, so what a round tells falls while the noise stays: less noise does.
 *
 * Authority: the "time-varying sample sizes" of Wang and Zhang, IEEE Trans. Autom. Control 69(9),
 * 2024, in their form with perturbed output, which the paper on gradient tracking cites as [43]
 * and compares with. Only its abstract was at hand. The form of the update is that of the
 * comparison paper's other baselines and of LDP-OL; m_t is what gradient tracking uses in its
 * scheme S1, with the round t in place of the planned number of rounds K.
 *
 * Privacy: LdpOnlineRefinedLedger (or LdpOnlineConvexLedger) with SampleUnit, which protects one
 * sample of the learner over the whole run. Nominal, for a sample that is drawn in every round:
 *
 *   Phi_{t+1} = (|1 - c_t| + lambda_t L) Phi_t + lambda_t C / m_t.
 *
 * With lambda_t ~ t^-v, gamma_t ~ t^-u, u < v, and noise ~ t^s, the terms go as t^-(v-u+p+s)
 * while m_t < D, and as t^-(v-u+s) afterwards: samples that keep growing make the sum finite from
 * v-u+p+s > 1 on, but no data set is infinite.
 */
class DpSgdGrowing : public PeerRule
{
  public:
    static TypeId GetTypeId();

    /**
     * @param round t
     * @return m_t; after Setup()
     */
    uint32_t GetSampleCount(uint32_t round) const;

  protected:
    StateRecursion GetRecursion() const override { return StateRecursion::COUPLED; }

    ModelVector Move(const Inbox& inbox) const override;
    std::optional<uint32_t> GetDistinctSamples(uint32_t round) const override;

  private:
    double m_sampleFactor{1};   //!< attribute SampleFactor
    double m_sampleExponent{1}; //!< attribute SampleExponent
};

} // namespace ns3::dlearn

#endif // DLEARN_DP_SGD_GROWING_H
