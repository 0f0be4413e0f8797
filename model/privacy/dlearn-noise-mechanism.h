/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NOISE_MECHANISM_H
#define DLEARN_NOISE_MECHANISM_H

#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The distribution of the noise on every entry of a released vector, independent between entries,
 * as far as the cost of a release depends on it. The meaning of the scale depends on the law:
 *
 * | law      | scale                                        | privacy of one release     |
 * |----------|----------------------------------------------|----------------------------|
 * | NONE     | -                                            | none                       |
 * | LAPLACE  | b of the density exp(-abs(x)/b)/(2b)         | pure epsilon               |
 * | GAUSSIAN | standard deviation                           | (epsilon, delta)           |
 * | TERNARY  | s: entries become -s, 0 or s, without bias   | delta alone                |
 */
enum class NoiseLaw : uint8_t
{
    NONE,
    LAPLACE,
    GAUSSIAN,
    TERNARY
};

/** @return the name of a law in lower case, for messages and results */
const char* ToString(NoiseLaw law);

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

    /** @return the law of the noise, which decides on the meaning of GetScale() and the cost */
    virtual NoiseLaw GetLaw() const = 0;

    /**
     * @param round t, from 0
     * @return scale of the noise of that round, times the attribute Multiplier; 0: no noise
     * @throw std::invalid_argument when that is not finite and at least 0
     */
    double GetScale(uint32_t round) const;

    /** @return whether Multiplier is 0: no noise in any round */
    bool IsNone() const { return m_multiplier == 0; }

    /**
     * @param round t, from 0
     * @param vector gets independent noise of scale GetScale(round) added to each entry
     */
    virtual void Perturb(uint32_t round, VectorRef vector) = 0;

    /** Fix the random streams, from @p stream on. @return number of streams used */
    virtual int64_t AssignStreams(int64_t stream) = 0;

  private:
    /** @return scale of the noise of round t, without Multiplier */
    virtual double DoGetScale(uint32_t round) const = 0;

    double m_multiplier{1}; //!< attribute Multiplier
};

/**
 * @ingroup dlearn
 * Add independent Laplace noise, density exp(-|x|/b)/(2b), to every entry of a vector.
 *
 * It takes one uniform number per entry, through the inverse of the distribution function. Both
 * tails use the same exact subtraction, so that u and 1 - u give opposite noise.
 *
 * @param random uniform on (0, 1)
 * @param scale b; 0 adds nothing and draws nothing
 * @param vector gets the noise
 */
void AddLaplaceNoise(UniformRandomVariable& random, double scale, VectorRef vector);

/**
 * @ingroup dlearn
 * Noise from one random stream, whose scale is BaseScale (t+1)^GrowthExponent unless overridden.
 * Derived types declare these attributes with their own defaults.
 */
class ScaledNoise : public NoiseMechanism
{
  public:
    int64_t AssignStreams(int64_t stream) override;

  protected:
    double DoGetScale(uint32_t round) const override
    {
        return PowerLaw(m_baseScale, m_growthExponent, round);
    }

    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< on (0, 1)
    double m_baseScale{1};      //!< attribute BaseScale
    double m_growthExponent{0}; //!< attribute GrowthExponent
};

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
class LaplaceMechanism : public ScaledNoise
{
  public:
    static TypeId GetTypeId();

    NoiseLaw GetLaw() const override { return NoiseLaw::LAPLACE; }

    void Perturb(uint32_t round, VectorRef vector) override;
};

/**
 * @ingroup dlearn
 * Laplace noise that decays geometrically, rho_t = BaseScale Ratio^t (PDOP: Huang, Mitra and
 * Vaidya, "Differentially Private Distributed Optimization", 2015). The defaults are those of the
 * comparison in Chen and Wang, section VII-B: 0.5 * 0.98^t.
 */
class GeometricDecayLaplace : public ScaledNoise
{
  public:
    static TypeId GetTypeId();

    NoiseLaw GetLaw() const override { return NoiseLaw::LAPLACE; }

    void Perturb(uint32_t round, VectorRef vector) override;

    /** @return p, the attribute Ratio */
    double GetRatio() const { return m_ratio; }

  private:
    double DoGetScale(uint32_t round) const override;

    double m_ratio{0.98}; //!< attribute Ratio
};

/**
 * @ingroup dlearn
 * Independent Gaussian noise of standard deviation s_t = BaseScale (t+1)^GrowthExponent. It is a
 * function of the round (see NormalStream): rounds may come in any order.
 */
class GaussianMechanism : public ScaledNoise
{
  public:
    static TypeId GetTypeId();

    NoiseLaw GetLaw() const override { return NoiseLaw::GAUSSIAN; }

    void Perturb(uint32_t round, VectorRef vector) override;

  private:
    bool m_drawn{false}; //!< whether the key was drawn
    uint64_t m_key{0};   //!< of all rounds
};

/**
 * @ingroup dlearn
 * Rounds every entry to three levels, at random, independently and without bias:
 *
 *   Q(x) = s sign(x) with probability |x| / s, else 0,   s_t = BaseScale (t+1)^GrowthExponent,
 *
 * as in Wang and Basar, "Quantization enabled privacy protection in decentralized stochastic
 * optimization", IEEE Trans. Autom. Control 68(7), 2023, and Wen et al., "TernGrad", NeurIPS
 * 2017. E Q(x) = x and Var Q(x) = |x| (s - |x|): unlike other noise it depends on the
 * hidden value, and vanishes with it.
 *
 * s is fixed beforehand: the largest entry, as in TernGrad, would disclose data. An entry with |x|
 * > s becomes s sign(x), which is biased. BaseScale 0 rounds nothing and draws nothing.
 */
class TernaryQuantizer : public ScaledNoise
{
  public:
    static TypeId GetTypeId();

    NoiseLaw GetLaw() const override { return NoiseLaw::TERNARY; }

    void Perturb(uint32_t round, VectorRef vector) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_NOISE_MECHANISM_H
