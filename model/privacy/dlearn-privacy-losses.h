/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_LOSSES_H
#define DLEARN_PRIVACY_LOSSES_H

#include "dlearn-noise-law.h"

#include <Eigen/Core>
#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The cost of releases for each unit of protection (see PrivacyUnit), composed over any number of
 * them. A release of d entries that hide a Euclidean sensitivity Phi under noise of scale s costs
 *
 * - LAPLACE:  epsilon += sqrt(d) Phi / s (the 1-norm is at most sqrt(d) times the Euclidean one);
 * - GAUSSIAN: rate += Phi^2 / (2 s^2), see GaussianRate(); the dimension plays no part;
 * - TERNARY: delta += sqrt(d) Phi / s: the total variation distance;
 * - NONE, or s = 0: everything, where Phi > 0.
 *
 * Releases may be chosen after those before them were seen: basic composition adds up epsilons
 * and deltas, and rates add up, too (Smith and Thakurta, "Fully Adaptive Composition for Gaussian
 * Differential Privacy", 2022). The three sums are converted to one epsilon at the end.
 */
class PrivacyLosses
{
  public:
    /** Nothing spent.
     * @param units of protection, at least 1
     */
    explicit PrivacyLosses(uint32_t units = 1);

    /**
     * @param law of the noise
     * @param sensitivity Phi of each unit, at least 0, may be infinite
     * @param scale of the noise, at least 0
     * @param dimension d, entries of the released vector; 1 where the sensitivity bounds the 1-norm
     * @return what one release costs
     */
    static PrivacyLosses OfRelease(NoiseLaw law,
                                   const Eigen::ArrayXd& sensitivity,
                                   double scale,
                                   uint32_t dimension);

    /** @param other of as many units; is added */
    PrivacyLosses& operator+=(const PrivacyLosses& other);

    /** @return units of protection */
    uint32_t GetUnits() const { return static_cast<uint32_t>(m_epsilon.size()); }

    /** @return whether no unit has lost anything */
    bool IsZero() const
    {
        return (m_epsilon == 0).all() && (m_rate == 0).all() && (m_delta == 0).all();
    }

    /**
     * @param delta in (0, 1)
     * @return epsilon of the unit that lost most: that of the Laplace releases plus the exact one
     *         of the Gaussian ones (GaussianEpsilon()) at what the ternary ones leave of delta;
     *         infinity when they leave nothing
     */
    double GetEpsilon(double delta) const;

    /** @return sum of the ternary releases' deltas of the unit that lost most, at most 1 */
    double GetTernaryDelta() const { return std::min(1.0, m_delta.maxCoeff()); }

  private:
    Eigen::ArrayXd m_epsilon; //!< of Laplace releases, by unit
    Eigen::ArrayXd m_rate;    //!< of Gaussian releases
    Eigen::ArrayXd m_delta;   //!< of ternary releases
};

/**
 * @ingroup dlearn
 * @param factor at least 0
 * @param sensitivity of each unit, may be infinite where a bound has overflown
 * @return factor times the sensitivity; 0 for the factor 0, also of infinity
 */
Eigen::ArrayXd Contract(double factor, const Eigen::ArrayXd& sensitivity);

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_LOSSES_H
