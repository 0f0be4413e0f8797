/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SAMPLED_GAUSSIAN_H
#define DLEARN_SAMPLED_GAUSSIAN_H

/**
 * @file
 * Renyi differential privacy (RDP) of Gaussian noise on a random sample of the data.
 */

namespace ns3::dlearn
{

/**
 * RDP of one release of the Poisson-subsampled Gaussian mechanism: every example takes part
 * independently with the same probability, neighbours differ by one example added or removed, whose
 * contribution has norm 1 (Mironov, Talwar and Zhang, "Renyi Differential Privacy of the
 * Sampled Gaussian Mechanism", 2019, section 3.3).
 *
 * Integer orders sum a binomial series of positive terms and are exact to rounding. Fractional
 * orders sum two alternating series until both terms fall below exp(-30), as Opacus does, but
 * arranged so that no huge exponents cancel; where the sum leaves few digits (a small RDP)
 * the integral is summed directly instead. Relative error below 1e-10 throughout.
 *
 * @param sampling probability that an example takes part, in [0, 1]
 * @param multiplier sigma, standard deviation of the noise over the sensitivity
 * @param order a, in (1, 10000]
 * @return the RDP; order / (2 sigma^2) when every example takes part, 0 when none does,
 *         infinity without noise
 */
double SampledGaussianRdp(double sampling, double multiplier, double order);

} // namespace ns3::dlearn

#endif // DLEARN_SAMPLED_GAUSSIAN_H
