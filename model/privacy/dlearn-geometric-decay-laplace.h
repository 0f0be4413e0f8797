/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GEOMETRIC_DECAY_LAPLACE_H
#define DLEARN_GEOMETRIC_DECAY_LAPLACE_H

#include "dlearn-noise-mechanism.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Laplace noise that decays geometrically, rho_t = BaseScale Ratio^t (PDOP: Huang, Mitra and
 * Vaidya, "Differentially Private Distributed Optimization", 2015). The defaults are those of the
 * comparison in Chen and Wang, section VII-B: 0.5 * 0.98^t.
 */
class GeometricDecayLaplace : public NoiseMechanism
{
  public:
    static TypeId GetTypeId();
    GeometricDecayLaplace();
    ~GeometricDecayLaplace() override;

    /** @return LAPLACE */
    NoiseLaw GetLaw() const override { return NoiseLaw::LAPLACE; }

    void Perturb(uint32_t round, VectorRef vector) override;
    int64_t AssignStreams(int64_t stream) override;

    /** @return p, the attribute Ratio */
    double GetRatio() const { return m_ratio; }

  private:
    double DoGetScale(uint32_t round) const override;

    double m_baseScale{0.5};             //!< attribute BaseScale
    double m_ratio{0.98};                //!< attribute Ratio
    Ptr<UniformRandomVariable> m_random; //!< makes the noise
};

} // namespace ns3::dlearn

#endif // DLEARN_GEOMETRIC_DECAY_LAPLACE_H
