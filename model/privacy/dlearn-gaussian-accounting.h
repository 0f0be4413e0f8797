/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GAUSSIAN_ACCOUNTING_H
#define DLEARN_GAUSSIAN_ACCOUNTING_H

#include <optional>
#include <vector>

/**
 * @file
 * Differential privacy of Gaussian noise. These are plain functions without state.
 *
 * A Gaussian release is described by one number, its rate e = sensitivity^2 / (2 sigma^2). Rates of
 * successive releases add up, also when each depends on earlier ones: releases with the parameters
 * mu_i = sqrt(2 e_i) of Gaussian differential privacy compose exactly to one with mu = sqrt(sum
 * mu_i^2) (Dong, Roth and Su, "Gaussian Differential Privacy", 2022, corollary 3.3; Smith and
 * Thakurta, "Fully Adaptive Composition for Gaussian Differential Privacy", 2022, where the next
 * noise depends on earlier releases). No noise is an infinite rate and an infinite epsilon;
 * nothing here returns NaN. A delta out of range is refused with std::invalid_argument.
 *
 * The accounts are of ideal real-valued noise. This program's noise comes from a reproducible
 * generator and does not protect data.
 */

/** @file
 *  Differential privacy of Gaussian noise on a secret random sample of the data. */

namespace ns3::dlearn
{

/**
 * @param sensitivity largest Euclidean distance of the releases of two neighbouring inputs
 * @param sigma standard deviation of the noise on each entry
 * @return e = sensitivity^2 / (2 sigma^2); infinity for no noise, 0 for no sensitivity
 */
double GaussianRate(double sensitivity, double sigma);

/**
 * The exact curve of a Gaussian release (Balle and Wang, "Improving the Gaussian Mechanism for
 * Differential Privacy", 2018, theorem 8): Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 -
 * epsilon/mu) with mu = sqrt(2 e), evaluated so that neither term overflows and none cancels.
 *
 * @param rate e, composed over all rounds; at least 0, may be infinite
 * @param epsilon at least 0
 * @return the least delta with which the release is (epsilon, delta)-differentially private
 */
double GaussianDelta(double rate, double epsilon);

/**
 * @param rate e, composed over all rounds; may be infinite
 * @param delta in (0, 1)
 * @return the least epsilon, 0 when even that meets delta: GaussianDelta() is at most delta there
 */
double GaussianEpsilon(double rate, double delta);

/**
 * @param epsilon at least 0, may be infinite
 * @param delta in (0, 1)
 * @return the largest rate that costs no more: its GaussianDelta() at epsilon is at most delta
 */
double GaussianRateOf(double epsilon, double delta);

/**
 * The epsilon that a paper may print for the same release: that of Renyi differential privacy by
 * the classic conversion, over all real orders (Mironov, "Renyi Differential Privacy", 2017,
 * proposition 3). It is never below GaussianEpsilon(), and no account uses it.
 *
 * @param rate e, composed over all rounds; may be infinite
 * @param delta in (0, 1)
 * @return e + 2 sqrt(e ln(1/delta))
 */
double ClassicGaussianEpsilon(double rate, double delta);

/** @ingroup dlearn
 *  The difference of neighbouring data. */
enum class Adjacency
{
    REPLACE,   //!< another example, or the data of a client, replaces one
    ADD_REMOVE //!< one is there or not: without it, its part of a sum is 0
};

/** @ingroup dlearn
 *  Rounds of one kind. */
struct GaussianRounds
{
    double rate{0};     //!< e of a round in which the example takes part; see GaussianRate()
    double sampling{1}; //!< probability of that, in (0, 1]
    double rounds{1};   //!< how many
};

/**
 * Epsilon of rounds with Gaussian noise, each of which draws a new secret sample: of a fixed size
 * without replacement, or each example independently of the others (Poisson sampling).
 *
 * Where every example takes part in every round this is GaussianEpsilon(), exact. Else it is the
 * composition of the privacy profile of a round, an upper bound also when rounds depend on
 * earlier ones. For a share q of the data and q (a - 1) = exp(epsilon) - 1, the profile is q
 * times the base mechanism's delta at ln a (Balle, Barthe and Gaboardi, "Privacy Amplification by
 * Subsampling", 2018), and for epsilon < 0 it follows from the symmetry of neighbours, as in
 * Dong, Roth and Su, "Gaussian Differential Privacy", 2022, section 4; every profile has a pair of
 * distributions, which compose (Zhu, Dong and Wang, "Optimal Accounting of Differential Privacy via
 * Characteristic Function", 2022). Here this is done on a grid of privacy losses that is never
 * below the profile (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the Dots", 2022); it
 * costs a few parts of 10000 of epsilon. Where the whole data in every round would cost more than
 * 1e5, sampling is not counted.
 *
 * That is the profile of samples of a fixed size, one example of which another one replaces.
 * Poisson sampling has those of pairs of densities:
 *
 * ADD_REMOVE: (1-q) N(0) + q N(mu) with the example and N(0) without it (Mironov, Talwar and
 * Zhang, "Renyi Differential Privacy of the Sampled Gaussian Mechanism", 2019). These are composed
 * in both directions, and the larger epsilon counts.
 *
 * REPLACE: (1-q) N(0) + q N(mu/2) and (1-q) N(0) + q N(-mu/2), for parts of a sum whose norms are
 * at most half of the sensitivity. No other parts v and v' have a larger profile. With N(v) moved
 * to the origin it is q E[max(0, 1 - c_1 X_1 - c_2 X_2)], where X_i is the ratio of N(w_i) to N(0)
 * at z ~ N(0), w_1 = -v, w_2 = v' - v, and c_i depends on epsilon and q only. For given lengths of
 * w_i this mean of a convex function of a sum is the largest where X_1 and X_2 increase together,
 * both w_i in one direction (Tchen, "Inequalities for Distributions with Given Marginals", 1980).
 * It then grows with both lengths, as the X_i do in convex order; these are at most mu/2 and mu.
 *
 * @param releases kinds of rounds; rates at least 0, may be infinite
 * @param delta in (0, 1)
 * @param poisson adjacency of Poisson sampling; none: samples have a fixed size
 * @return epsilon
 */
double ComposeGaussians(const std::vector<GaussianRounds>& releases,
                        double delta,
                        std::optional<Adjacency> poisson = {});

} // namespace ns3::dlearn

#endif // DLEARN_GAUSSIAN_ACCOUNTING_H
