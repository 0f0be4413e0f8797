/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RENYI_ACCOUNTING_H
#define DLEARN_RENYI_ACCOUNTING_H

#include <vector>

/**
 * @file
 * Renyi differential privacy (RDP) of Gaussian noise, and its conversion to (epsilon, delta). These
 * are plain functions without state.
 *
 * A Gaussian release is described by one number, its rate e: at order a it is (a, a e)-RDP, and e =
 * sensitivity^2 / (2 sigma^2). Rates of successive releases add up, also when each depends on those
 * before; mu = sqrt(2 e) is the parameter of Gaussian differential privacy. No noise is an infinite
 * rate and an infinite epsilon; nothing here returns NaN. Wrong arguments are refused with
 * std::invalid_argument.
 *
 * The accounts are of ideal real-valued noise. This program's noise comes from a reproducible
 * generator and does not protect data.
 */

namespace ns3::dlearn
{

/**
 * @param sensitivity largest Euclidean distance of what two neighbouring inputs release
 * @param sigma standard deviation of the noise on each entry
 * @return e = sensitivity^2 / (2 sigma^2); infinity for no noise, 0 for no sensitivity
 */
double GaussianRate(double sensitivity, double sigma);

/**
 * @param rate e
 * @return sigma / sensitivity = 1 / sqrt(2 e): the noise multiplier that has this rate;
 *         infinity for the rate 0
 */
double NoiseMultiplier(double rate);

/**
 * @return the orders of Opacus: 1.1 to 10.9 in steps of 0.1, then 12 to 63
 */
const std::vector<double>& DefaultOrders();

/** An epsilon and the order that it comes from. */
struct EpsilonAtOrder
{
    double epsilon{0}; //!< infinity when every order's RDP is
    double order{0};   //!< a; infinity where only the limit reaches epsilon
};

/**
 * Classic conversion (Mironov, "Renyi Differential Privacy", 2017, proposition 3): smallest
 * RDP(a) + ln(1/delta)/(a-1).
 *
 * @param orders a, each greater than 1
 * @param rdp RDP at each order, at least 0, may be infinite
 * @param delta in (0, 1)
 * @return smallest epsilon and its order
 */
EpsilonAtOrder ClassicEpsilon(const std::vector<double>& orders,
                              const std::vector<double>& rdp,
                              double delta);

/**
 * Tight conversion (Balle, Barthe, Gaboardi, Hsu and Sato, "Hypothesis Testing Interpretations
 * and Renyi Differential Privacy", 2020, theorem 21): smallest
 * RDP(a) - (ln delta + ln a)/(a-1) + ln((a-1)/a), never less than 0. It is at most the classic
 * one.
 *
 * @param orders a, each greater than 1
 * @param rdp RDP at each order, at least 0, may be infinite
 * @param delta in (0, 1)
 * @return smallest epsilon and its order
 */
EpsilonAtOrder TightEpsilon(const std::vector<double>& orders,
                            const std::vector<double>& rdp,
                            double delta);

/**
 * Classic conversion of a Gaussian release, over all real orders: e + 2 sqrt(e ln(1/delta)),
 * at a = 1 + sqrt(ln(1/delta)/e).
 *
 * @param rate e, composed over all rounds; may be infinite
 * @param delta in (0, 1)
 * @return epsilon and its order
 */
EpsilonAtOrder ClassicGaussianEpsilon(double rate, double delta);

/**
 * Tight conversion of a Gaussian release, over all real orders. The best order is the only
 * root of e (a-1)^2 + ln a = ln(1/delta).
 *
 * @param rate e, composed over all rounds; may be infinite
 * @param delta in (0, 1)
 * @return epsilon and its order
 */
EpsilonAtOrder TightGaussianEpsilon(double rate, double delta);

/**
 * The exact epsilon of a Gaussian release, below which no correct conversion can be (Balle and
 * Wang, "Improving the Gaussian Mechanism for Differential Privacy", 2018, theorem 8): the root of
 * delta = Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu) with mu = sqrt(2 e),
 * evaluated so that neither term overflows.
 *
 * @param rate e, composed over all rounds; may be infinite
 * @param delta in (0, 1)
 * @return epsilon, 0 when even that meets delta
 */
double ExactGaussianEpsilon(double rate, double delta);

/**
 * @param epsilon at least 0, may be infinite
 * @param delta in (0, 1)
 * @return the rate whose ClassicGaussianEpsilon() is epsilon
 */
double ClassicGaussianRate(double epsilon, double delta);

} // namespace ns3::dlearn

#endif // DLEARN_RENYI_ACCOUNTING_H
