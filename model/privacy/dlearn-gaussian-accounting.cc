/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gaussian-accounting.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-types.h"

#include <cmath>

namespace ns3::dlearn
{

namespace
{

/**
 * The scaled complementary error function, which neither over- nor underflows.
 *
 * @param x at least -1
 * @return exp(x^2) erfc(x), with a relative error below 1e-14
 */
double
ScaledErfc(double x)
{
    if (x < 5)
    {
        return std::exp(x * x) * std::erfc(x);
    }
    // Laplace's continued fraction 1/sqrt(pi) 1/(x + (1/2)/(x + (2/2)/(x + ...))), which needs
    // the fewer terms the larger x is; 40 are enough from 5 on.
    double denominator = x;
    for (int k = 40; k > 0; --k)
    {
        denominator = x + 0.5 * k / denominator;
    }
    return 1 / (std::sqrt(M_PI) * denominator);
}

/** Refuse a rate or epsilon that is negative or NaN; infinity is fine. */
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

/**
 * @param low at least -1
 * @param width at least 0
 * @return ScaledErfc(low) - ScaledErfc(low + width)
 */
double
GetScaledErfcDrop(double low, double width)
{
    if (width > 1e-4)
    {
        return ScaledErfc(low) - ScaledErfc(low + width);
    }
    // Less cancels in the slope 2 x ScaledErfc(x) - 2/sqrt(pi); the cubic term is below 1e-9.
    const double middle = low + width / 2;
    return width * (M_2_SQRTPI - 2 * middle * ScaledErfc(middle));
}

/**
 * @param accepts whether a number is small enough; taken to be true of 0
 * @param high a number, finite
 * @return the largest number up to it that is, to the last bit
 */
template <typename Accepts>
double
FindLargest(const Accepts& accepts, double high)
{
    if (accepts(high))
    {
        return high;
    }
    double low = 0;
    for (double middle = high / 2; middle > low && middle < high; middle = (low + high) / 2)
    {
        (accepts(middle) ? low : high) = middle;
    }
    return low;
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
GaussianDelta(double rate, double epsilon)
{
    RequireCost("GaussianDelta", "rate", rate);
    RequireCost("GaussianDelta", "epsilon", epsilon);
    const double mu = M_SQRT2 * std::sqrt(rate);
    if (std::isinf(mu))
    {
        return 1;
    }
    if (mu == 0 || std::isinf(epsilon))
    {
        return 0;
    }
    // Phi(-x sqrt(2)) = erfc(x)/2, and exp(epsilon) takes exp(-(high^2 - low^2)) away.
    const double low = (epsilon / mu - mu / 2) * M_SQRT1_2;
    const double width = mu * M_SQRT1_2;
    const double scale = std::exp(-low * low) / 2;
    return low < -1 ? std::erfc(low) / 2 - scale * ScaledErfc(low + width)
                    : scale * GetScaledErfcDrop(low, width);
}

double
GaussianEpsilon(double rate, double delta)
{
    const double bound = ClassicGaussianEpsilon(rate, delta); // refuses wrong arguments
    if (!std::isfinite(bound))
    {
        return INFINITE;
    }
    if (GaussianDelta(rate, 0) <= delta)
    {
        return 0;
    }
    const auto exceeds = [&](double epsilon) { return GaussianDelta(rate, epsilon) > delta; };
    return std::nextafter(FindLargest(exceeds, bound), INFINITE);
}

double
GaussianRateOf(double epsilon, double delta)
{
    RequireCost("GaussianRateOf", "epsilon", epsilon);
    RequireDelta("GaussianRateOf", delta);
    if (std::isinf(epsilon))
    {
        return INFINITE;
    }
    const auto accepts = [&](double rate) { return GaussianDelta(rate, epsilon) <= delta; };
    double high = 1;
    while (accepts(high) && high < 1e300)
    {
        high *= 2;
    }
    return FindLargest(accepts, high);
}

double
ClassicGaussianEpsilon(double rate, double delta)
{
    RequireCost("ClassicGaussianEpsilon", "rate", rate);
    RequireDelta("ClassicGaussianEpsilon", delta);
    return rate + 2 * std::sqrt(rate * -std::log(delta));
}

} // namespace ns3::dlearn
