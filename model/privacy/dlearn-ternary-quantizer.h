/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TERNARY_QUANTIZER_H
#define DLEARN_TERNARY_QUANTIZER_H

#include "dlearn-noise-mechanism.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Rounds every entry to three levels, at random, independently and without bias:
 *
 *   Q(x) = s sign(x) with probability |x| / s, else 0,   s_t = BaseScale (t+1)^GrowthExponent,
 *
 * as in Wang and Basar, "Quantization enabled privacy protection in decentralized stochastic
 * optimization", IEEE Trans. Autom. Control 68(7), 2023, and Wen et al., "TernGrad", NeurIPS
 * 2017. E Q(x) = x and Var Q(x) = |x| (s - |x|): unlike other noise it depends on the value that it
 * hides, and vanishes with it.
 *
 * s is fixed beforehand: the largest entry, which TernGrad takes for it, would disclose
 * data. An entry with |x| > s becomes s sign(x), which is biased; GetSaturated() counts them.
 * BaseScale 0 rounds nothing and draws nothing.
 */
class TernaryQuantizer : public NoiseMechanism
{
  public:
    static TypeId GetTypeId();
    TernaryQuantizer();
    ~TernaryQuantizer() override;

    /** @return TERNARY */
    NoiseLaw GetLaw() const override { return NoiseLaw::TERNARY; }

    void Perturb(uint32_t round, VectorRef vector) override;
    int64_t AssignStreams(int64_t stream) override;

    /** @return entries so far that were larger than s */
    uint64_t GetSaturated() const { return m_saturated; }

  private:
    double DoGetScale(uint32_t round) const override;

    double m_baseScale{10};              //!< attribute BaseScale
    double m_growthExponent{0};          //!< attribute GrowthExponent
    uint64_t m_saturated{0};             //!< entries larger than s
    Ptr<UniformRandomVariable> m_random; //!< rounds
};

} // namespace ns3::dlearn

#endif // DLEARN_TERNARY_QUANTIZER_H
