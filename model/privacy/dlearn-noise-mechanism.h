/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NOISE_MECHANISM_H
#define DLEARN_NOISE_MECHANISM_H

#include "dlearn-noise-law.h"

#include "ns3/dlearn-types.h"
#include "ns3/object.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Adds privacy noise to a vector before it leaves a learner.
 *
 * Noise comes from ns-3 random streams. It is reproducible, therefore suitable for simulation and
 * not for the protection of data.
 */
class NoiseMechanism : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @return the law of the noise, which decides what GetScale() means and what it costs */
    virtual NoiseLaw GetLaw() const = 0;

    /**
     * @param round t, from 0
     * @return scale of the noise of that round (what a ledger divides by); 0 means no noise
     */
    virtual double GetScale(uint32_t round) const = 0;

    /**
     * @param round t, from 0
     * @param vector gets independent noise of scale GetScale(round) added to each entry
     */
    virtual void Perturb(uint32_t round, VectorRef vector) = 0;

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

  protected:
    /**
     * The scale of mechanisms with the attributes BaseScale and GrowthExponent.
     *
     * @param name of the mechanism, for the message
     * @param base BaseScale
     * @param exponent GrowthExponent
     * @param round t, from 0
     * @return base (t+1)^exponent
     * @throw std::invalid_argument when that is not finite and at least 0
     */
    static double GetPowerScale(const char* name, double base, double exponent, uint32_t round);
};

} // namespace ns3::dlearn

#endif // DLEARN_NOISE_MECHANISM_H
