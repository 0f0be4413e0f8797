/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LDP_ONLINE_CONDITIONS_H
#define DLEARN_LDP_ONLINE_CONDITIONS_H

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the convergence theory of LDP-OL looks at (Chen and Wang, Assumption 4, Theorems 1
 * and 2), as far as one learner knows it.
 */
struct LdpOnlineConditions
{
    bool noisy{true};           //!< whether any noise is added
    double noiseExponent{0};    //!< s, growth of the noise; of no meaning without noise
    double stepSize{0};         //!< lambda_0
    double stepExponent{0};     //!< v
    double coupling{0};         //!< gamma_0
    double couplingExponent{0}; //!< u
    bool convex{true};          //!< whether the loss is known to be convex
    double curvature{0};        //!< mu; 0 for a merely convex loss
    double smoothness{0};       //!< L
    double inWeight{0};         //!< sum_j w_ij
};

/**
 * @param c a configuration
 * @return the conditions that it violates, each with its name in the paper and the values
 */
std::vector<std::string> FindViolations(const LdpOnlineConditions& c);

} // namespace ns3::dlearn

#endif // DLEARN_LDP_ONLINE_CONDITIONS_H
