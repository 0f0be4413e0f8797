/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LAPLACE_MECHANISM_H
#define DLEARN_LAPLACE_MECHANISM_H

#include "dlearn-noise-mechanism.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Add independent Laplace noise, density exp(-|x|/b)/(2b), to every entry of a vector.
 *
 * One uniform number per entry, through the inverse of the distribution function. Both tails
 * are computed by the same exact subtraction, so u and 1 - u give opposite noise.
 *
 * @param random uniform on (0, 1)
 * @param scale b; 0 adds nothing and draws nothing
 * @param vector gets the noise
 */
void AddLaplaceNoise(UniformRandomVariable& random, double scale, VectorRef vector);

/**
 * @ingroup dlearn
 * Laplace noise whose scale follows a power of the round (Assumption 4 of Chen and Wang,
 * "Locally Differentially Private Distributed Online Learning with Guaranteed Optimality"):
 *
 *   rho_t = BaseScale (t+1)^GrowthExponent.
 *
 * The paper writes BaseScale as sigma / sqrt(2) and GrowthExponent as s; it asks for growing
 * noise, 0 < s < 1/2. A negative exponent gives decaying noise; DOLA uses -1.
 */
class LaplaceMechanism : public NoiseMechanism
{
  public:
    static TypeId GetTypeId();
    LaplaceMechanism();
    ~LaplaceMechanism() override;

    /** @return LAPLACE */
    NoiseLaw GetLaw() const override { return NoiseLaw::LAPLACE; }

    void Perturb(uint32_t round, VectorRef vector) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    double DoGetScale(uint32_t round) const override;

    double m_baseScale{1};               //!< attribute BaseScale
    double m_growthExponent{0.1};        //!< attribute GrowthExponent
    Ptr<UniformRandomVariable> m_random; //!< makes the noise
};

} // namespace ns3::dlearn

#endif // DLEARN_LAPLACE_MECHANISM_H
