/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GAUSSIAN_MECHANISM_H
#define DLEARN_GAUSSIAN_MECHANISM_H

#include "dlearn-noise-mechanism.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * Independent Gaussian noise of the same standard deviation in every round: the independent
 * noise of CafCor's workers, and that of a trusted server. What is added is a function of the
 * round (see NormalStream), so that rounds may come in any order.
 */
class GaussianMechanism : public NoiseMechanism
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    GaussianMechanism();
    ~GaussianMechanism() override;

    /**
     * @param round t
     * @return the standard deviation, attribute Scale
     * @throw std::invalid_argument when it is not finite and at least 0
     */
    double GetScale(uint32_t round) const override;
    void Perturb(uint32_t round, VectorRef vector) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    double m_scale{1};                   //!< attribute Scale
    Ptr<UniformRandomVariable> m_random; //!< where the key comes from
    bool m_drawn{false};                 //!< whether it was drawn
    uint64_t m_key{0};                   //!< the key
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_GAUSSIAN_MECHANISM_H
