/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_KNOWN_NOISE_H
#define DLEARN_KNOWN_NOISE_H

#include "ns3/dlearn-noise-mechanism.h"

#include <cmath>

namespace ns3::dlearn
{

/** Noise that can be written down anywhere. */
class KnownNoise : public NoiseMechanism
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::KnownNoise")
                                .SetParent<NoiseMechanism>()
                                .AddConstructor<KnownNoise>();
        return tid;
    }

    /** @return the noise of a phase in a round on an entry */
    static double Wave(double phase, uint32_t round, Eigen::Index entry)
    {
        return 0.3 * std::sin(phase + 3.0 * round + 0.7 * static_cast<double>(entry));
    }

    NoiseLaw GetLaw() const override { return NoiseLaw::LAPLACE; }

    void Perturb(uint32_t round, VectorRef vector) override
    {
        for (Eigen::Index k = 0; k < vector.size(); ++k)
        {
            vector[k] += Wave(phase, round, k);
        }
    }

    int64_t AssignStreams(int64_t) override { return 0; }

    double phase{0}; //!< tells noises apart

  private:
    double DoGetScale(uint32_t) const override { return 1; }
};

NS_OBJECT_ENSURE_REGISTERED(KnownNoise);

} // namespace ns3::dlearn

#endif // DLEARN_KNOWN_NOISE_H
