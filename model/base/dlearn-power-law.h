/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_POWER_LAW_H
#define DLEARN_POWER_LAW_H

#include <cmath>
#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The sequence that steps, couplings and noise scales share: base (t+1)^exponent.
 *
 * @param base value of round 0
 * @param exponent of (t+1); negative for a decaying sequence
 * @param round t, from 0
 * @return value of round t
 */
inline double
PowerLaw(double base, double exponent, uint32_t round)
{
    return base * std::pow(round + 1.0, exponent);
}

} // namespace ns3::dlearn

#endif // DLEARN_POWER_LAW_H
