/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GAUSSIAN_MECHANISM_H
#define DLEARN_GAUSSIAN_MECHANISM_H

#include "dlearn-noise-mechanism.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Independent Gaussian noise whose standard deviation follows a power of the round, as that of
 * LaplaceMechanism:
 *
 *   s_t = BaseScale (t+1)^GrowthExponent.
 *
 * What is added is a function of the round (see NormalStream), so that rounds may come in any
 * order.
 */
class GaussianMechanism : public NoiseMechanism
{
  public:
    static TypeId GetTypeId();
    GaussianMechanism();
    ~GaussianMechanism() override;

    /** @return GAUSSIAN */
    NoiseLaw GetLaw() const override { return NoiseLaw::GAUSSIAN; }

    void Perturb(uint32_t round, VectorRef vector) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    double DoGetScale(uint32_t round) const override;

    double m_baseScale{1};               //!< attribute BaseScale
    double m_growthExponent{0};          //!< attribute GrowthExponent
    Ptr<UniformRandomVariable> m_random; //!< where the key comes from
    bool m_drawn{false};                 //!< whether it was drawn
    uint64_t m_key{0};                   //!< the key
};

} // namespace ns3::dlearn

#endif // DLEARN_GAUSSIAN_MECHANISM_H
