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
    static TypeId GetTypeId();

    /** @return the law of the noise, which decides what GetScale() means and what it costs */
    virtual NoiseLaw GetLaw() const = 0;

    /**
     * @param round t, from 0
     * @return scale of the noise of that round, times the attribute Multiplier (what a ledger
     *         divides by); 0 means no noise
     * @throw std::invalid_argument when that is not finite and at least 0
     */
    double GetScale(uint32_t round) const;

    /** @return whether there is no noise in any round, as Multiplier is 0 */
    bool IsNone() const { return m_multiplier == 0; }

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

  private:
    /**
     * @param round t, from 0
     * @return scale of the noise of that round, without Multiplier
     */
    virtual double DoGetScale(uint32_t round) const = 0;

    double m_multiplier{1}; //!< attribute Multiplier
};

} // namespace ns3::dlearn

#endif // DLEARN_NOISE_MECHANISM_H
