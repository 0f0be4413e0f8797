/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SAMPLED_GAUSSIAN_H
#define DLEARN_SAMPLED_GAUSSIAN_H

#include <vector>

/**
 * @file
 * Differential privacy of Gaussian noise on a secret random sample of the data.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Rounds of one kind.
 */
struct GaussianRounds
{
    double rate{0};     //!< e of a round in which the example takes part; see GaussianRate()
    double sampling{1}; //!< probability of that, in (0, 1]
    double rounds{1};   //!< how many
};

/**
 * Epsilon of rounds with Gaussian noise, each of which draws a new sample of a fixed size without
 * replacement. Neighbours differ in one example, which another one replaces.
 *
 * Where every example takes part in every round this is GaussianEpsilon(), exact. Else it is the
 * composition of the privacy profile of a round, an upper bound that holds also when rounds depend
 * on those before. For a share q of the data and q (a - 1) = exp(epsilon) - 1, the profile is q
 * times the base mechanism's delta at ln a (Balle, Barthe and Gaboardi, "Privacy Amplification by
 * Subsampling", 2018), and for epsilon < 0 what the symmetry of neighbours makes of that, as in
 * Dong, Roth and Su, "Gaussian Differential Privacy", 2022, section 4; every profile has a pair of
 * distributions, which compose (Zhu, Dong and Wang, "Optimal Accounting of Differential Privacy via
 * Characteristic Function", 2022). Here this is done on a grid of privacy losses that is never
 * below the profile (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the Dots", 2022); it
 * costs a few parts of 10000 of epsilon. Where the whole data in every round would cost more than
 * 1e5, sampling is not counted.
 *
 * @param releases kinds of rounds; rates at least 0, may be infinite
 * @param delta in (0, 1)
 * @return epsilon
 */
double ComposeGaussians(const std::vector<GaussianRounds>& releases, double delta);

} // namespace ns3::dlearn

#endif // DLEARN_SAMPLED_GAUSSIAN_H
