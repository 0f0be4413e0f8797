/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-renyi-accounting.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-scaled-erfc.h"
#include "ns3/dlearn-types.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** Refuse a rate, RDP or epsilon that is negative or NaN; infinity is fine. */
void
RequireCost(const char* where, const char* name, double value)
{
    Require(value >= 0, where, ": ", name, " must be at least 0, got ", value);
}

void
RequireDelta(const char* where, double delta)
{
    Require(delta > 0 && delta < 1, where, ": delta must be in (0, 1), got ", delta);
}

/** Smallest of convert(rdp, order) over the orders. */
template <typename Convert>
EpsilonAtOrder
SmallestEpsilon(const char* where,
                const std::vector<double>& orders,
                const std::vector<double>& rdp,
                double delta,
                const Convert& convert)
{
    RequireDelta(where, delta);
    Require(!orders.empty(), where, ": at least one order is needed, got none");
    RequireSize(where, "rdp", rdp.size(), orders.size());
    EpsilonAtOrder best{INFINITE, orders.front()};
    for (size_t i = 0; i < orders.size(); ++i)
    {
        Require(std::isfinite(orders[i]) && orders[i] > 1,
                where,
                ": an order must be finite and greater than 1, got ",
                orders[i]);
        RequireCost(where, "rdp", rdp[i]);
        const double epsilon = convert(rdp[i], orders[i]);
        if (epsilon < best.epsilon)
        {
            best = {epsilon, orders[i]};
        }
    }
    return best;
}

/** RDP a of the tight conversion; never negative. */
double
ConvertTightly(double rdp, double order, double logInverse)
{
    const double saved = std::log(order) / (order - 1) - std::log1p(-1 / order);
    return std::max(0.0, rdp + logInverse / (order - 1) - saved);
}

/** delta of a Gaussian with parameter mu at epsilon. */
double
GaussianDelta(double mu, double epsilon)
{
    // Phi(-x sqrt(2)) = erfc(x)/2, and exp(epsilon) takes exp(-(high^2 - low^2)) away.
    const double low = (epsilon / mu - mu / 2) * M_SQRT1_2;
    const double high = (epsilon / mu + mu / 2) * M_SQRT1_2;
    const double scale = std::exp(-low * low) / 2;
    if (low < 0)
    {
        return std::erfc(low) / 2 - scale * ScaledErfc(high);
    }
    return scale * (ScaledErfc(low) - ScaledErfc(high));
}

} // namespace

double
GaussianRate(double sensitivity, double sigma)
{
    RequireNonNegative("GaussianRate", "sensitivity", sensitivity);
    RequireNonNegative("GaussianRate", "sigma", sigma);
    if (sensitivity == 0)
    {
        return 0;
    }
    const double ratio = sensitivity / sigma;
    return ratio * ratio / 2;
}

double
NoiseMultiplier(double rate)
{
    RequireCost("NoiseMultiplier", "rate", rate);
    return 1 / std::sqrt(2 * rate);
}

const std::vector<double>&
DefaultOrders()
{
    static const std::vector<double> orders = [] {
        std::vector<double> list;
        for (int tenths = 1; tenths < 100; ++tenths)
        {
            list.push_back(1 + tenths / 10.0);
        }
        for (int whole = 12; whole < 64; ++whole)
        {
            list.push_back(whole);
        }
        return list;
    }();
    return orders;
}

EpsilonAtOrder
ClassicEpsilon(const std::vector<double>& orders, const std::vector<double>& rdp, double delta)
{
    const double logInverse = -std::log(delta);
    return SmallestEpsilon("ClassicEpsilon", orders, rdp, delta, [&](double cost, double order) {
        return cost + logInverse / (order - 1);
    });
}

EpsilonAtOrder
TightEpsilon(const std::vector<double>& orders, const std::vector<double>& rdp, double delta)
{
    const double logInverse = -std::log(delta);
    return SmallestEpsilon("TightEpsilon", orders, rdp, delta, [&](double cost, double order) {
        return ConvertTightly(cost, order, logInverse);
    });
}

EpsilonAtOrder
ClassicGaussianEpsilon(double rate, double delta)
{
    RequireCost("ClassicGaussianEpsilon", "rate", rate);
    RequireDelta("ClassicGaussianEpsilon", delta);
    const double logInverse = -std::log(delta);
    return {rate + 2 * std::sqrt(rate * logInverse), 1 + std::sqrt(logInverse / rate)};
}

EpsilonAtOrder
TightGaussianEpsilon(double rate, double delta)
{
    RequireCost("TightGaussianEpsilon", "rate", rate);
    RequireDelta("TightGaussianEpsilon", delta);
    if (rate == 0)
    {
        return {0, INFINITE};
    }
    if (std::isinf(rate))
    {
        return {INFINITE, 1};
    }
    // e s^2 + ln(1+s) = ln(1/delta) in s = a - 1. The left side increases but is neither convex
    // nor concave, so the root is bisected, to the last bit.
    const double logInverse = -std::log(delta);
    double low = 0;
    double high = std::sqrt(logInverse / rate);
    for (double middle = high / 2; middle > low && middle < high; middle = (low + high) / 2)
    {
        const bool below = rate * middle * middle + std::log1p(middle) < logInverse;
        (below ? low : high) = middle;
    }
    const double excess = high; // a - 1
    const double order = 1 + excess;
    // e a + (ln(1/delta) - ln a)/(a-1) + ln((a-1)/a), where the fraction is e (a-1).
    const double epsilon = rate * (order + excess) + std::log(excess) - std::log1p(excess);
    return {std::max(0.0, epsilon), order};
}

double
ExactGaussianEpsilon(double rate, double delta)
{
    RequireCost("ExactGaussianEpsilon", "rate", rate);
    RequireDelta("ExactGaussianEpsilon", delta);
    const double mu = M_SQRT2 * std::sqrt(rate);
    if (mu == 0 || std::erf(mu * M_SQRT1_2 / 2) <= delta)
    {
        return 0;
    }
    // The classic conversion is an upper bound, and delta falls with epsilon.
    double low = 0;
    double high = ClassicGaussianEpsilon(rate, delta).epsilon;
    if (!std::isfinite(high))
    {
        return INFINITE;
    }
    for (double middle = high / 2; middle > low && middle < high; middle = (low + high) / 2)
    {
        (GaussianDelta(mu, middle) > delta ? low : high) = middle;
    }
    return high;
}

double
ClassicGaussianRate(double epsilon, double delta)
{
    RequireCost("ClassicGaussianRate", "epsilon", epsilon);
    RequireDelta("ClassicGaussianRate", delta);
    if (std::isinf(epsilon))
    {
        return INFINITE;
    }
    // (sqrt(L + epsilon) - sqrt(L))^2 without its cancellation.
    const double logInverse = -std::log(delta);
    const double root = epsilon / (std::sqrt(logInverse + epsilon) + std::sqrt(logInverse));
    return root * root;
}

} // namespace ns3::dlearn
