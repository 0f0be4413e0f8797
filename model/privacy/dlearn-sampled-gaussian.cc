/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sampled-gaussian.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-scaled-erfc.h"
#include "ns3/dlearn-types.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** ln C(order, 0), ln C(order, 1), ... of a real order, with their signs. */
class BinomialSeries
{
  public:
    /** @param order a */
    explicit BinomialSeries(double order)
        : m_order(order)
    {
    }

    /** Step from C(a, i) to C(a, i+1) = C(a, i) (a-i)/(i+1). */
    void Advance()
    {
        const double factor = (m_order - m_index) / (m_index + 1);
        m_logMagnitude += std::log(std::abs(factor));
        m_negative = m_negative != (factor < 0);
        m_index += 1;
    }

    double m_index{0};        //!< i
    double m_logMagnitude{0}; //!< ln |C(a, i)|
    bool m_negative{false};   //!< whether C(a, i) < 0

  private:
    double m_order; //!< a
};

/** A sum of terms given by sign and logarithm, none of which has to fit a double. */
class ScaledSum
{
  public:
    /**
     * @param logTerm logarithm of the term's magnitude
     * @param negative whether to subtract it
     */
    void Add(double logTerm, bool negative)
    {
        if (logTerm > m_logScale)
        {
            m_sum = m_sum * std::exp(m_logScale - logTerm);
            m_logScale = logTerm;
        }
        if (logTerm > -INFINITE)
        {
            const double term = std::exp(logTerm - m_logScale);
            m_sum += negative ? -term : term;
        }
    }

    /** @return ln of the sum; NaN when rounding made it negative, -infinity for no terms */
    double GetLog() const
    {
        return m_logScale + std::log(m_sum);
    }

  private:
    double m_logScale{-INFINITE}; //!< logarithm of the largest term
    double m_sum{0};              //!< sum over exp(m_logScale)
};

/**
 * ln E[(mixture/noise)^a] - that is (a-1) RDP - at an integer order: the binomial terms 0 and
 * 1 of the series are those of (1-q+q)^a = 1, so that 1 can be taken off every factor
 * exp((k^2-k)/(2 sigma^2)) and no digits are lost where the RDP is tiny.
 */
double
LogMomentOfInteger(double sampling, double precision, double order)
{
    const double logIn = std::log(sampling);
    const double logOut = std::log1p(-sampling);
    ScaledSum sum;
    BinomialSeries binomial(order);
    while (binomial.m_index < order)
    {
        binomial.Advance();
        const double k = binomial.m_index;
        const double exponent = (k * k - k) * precision / 2;
        // ln(exp(x) - 1), also for an x whose exponential overflows.
        const double excess = exponent > 30 ? exponent + std::log1p(-std::exp(-exponent))
                                            : std::log(std::expm1(exponent));
        sum.Add(binomial.m_logMagnitude + k * logIn + (order - k) * logOut + excess, false);
    }
    const double logExcess = sum.GetLog();
    return logExcess > 30 ? logExcess + std::log1p(std::exp(-logExcess))
                          : std::log1p(std::exp(logExcess));
}

/**
 * The same at a fractional order: the integral is split at z0, where both parts of the mixture
 * are equal, and the power is expanded on either side.
 *
 * With x = (i - z0)/(sqrt(2) sigma) or (z0 - (a-i))/(sqrt(2) sigma), a term is
 * C(a,i) q^.. (1-q)^.. exp(..) erfc(x)/2. For x > 0 all exponents add up to
 * (1-q)^a exp(-z0^2/(2 sigma^2)), which does not depend on i, times exp(x^2) erfc(x).
 */
double
LogMomentOfFraction(double sampling, double precision, double order)
{
    constexpr double LOG_HALF = -0.69314718055994530942;
    constexpr double LOG_SMALL = -30;
    const double logIn = std::log(sampling);
    const double logOut = std::log1p(-sampling);
    const double z0 = (logOut - logIn) / precision + 0.5;
    const double perRoot = std::sqrt(precision / 2);
    const double logTail = order * logOut - z0 * z0 * precision / 2 + LOG_HALF;
    const auto logTerm = [&](double x, double power) {
        return x > 0 ? logTail + std::log(ScaledErfc(x))
                     : power * logIn + (order - power) * logOut +
                           (power * power - power) * precision / 2 + std::log(std::erfc(x)) +
                           LOG_HALF;
    };
    ScaledSum sum;
    BinomialSeries binomial(order);
    while (true)
    {
        const double i = binomial.m_index;
        const double low = binomial.m_logMagnitude + logTerm((i - z0) * perRoot, i);
        const double high =
            binomial.m_logMagnitude + logTerm((z0 - (order - i)) * perRoot, order - i);
        sum.Add(low, binomial.m_negative);
        sum.Add(high, binomial.m_negative);
        if (std::max(low, high) < LOG_SMALL && i > order)
        {
            return sum.GetLog();
        }
        binomial.Advance();
    }
}

/**
 * exp(-z^2/(2 sigma^2)) ((1+y)^a - 1 - a y) for y = q (exp((2z-1)/(2 sigma^2)) - 1); never
 * negative.
 */
double
MomentIntegrand(double sampling, double precision, double order, double z)
{
    const double shift = (z - 0.5) * precision;
    const double decay = z * z * precision / 2;
    const double y = sampling * std::expm1(shift);
    if (std::abs(y) * order < 0.1)
    {
        // The power series of what is left: 12 terms are below 1e-14 of the first one.
        double term = order * y;
        double sum = 0;
        for (int k = 2; k < 14; ++k)
        {
            term *= (order - k + 1) / k * y;
            sum += term;
        }
        return sum * std::exp(-decay);
    }
    const double logPower = order * (shift > 600 ? std::log(sampling) + shift : std::log1p(y));
    const double weight = std::exp(-decay);
    return std::exp(logPower - decay) - weight -
           order * sampling * (std::exp(shift - decay) - weight);
}

/**
 * The same where it is so small that the series, whose terms add up to 1 plus what is sought,
 * has few digits left: E[(1+y)^a - 1 - a y], E[y] being 0, by the trapezoidal rule. The
 * integrand is analytic up to a distance of pi sigma^2 from the real line, so that the rule
 * with this step errs by less than exp(-39).
 */
double
LogMomentByQuadrature(double sampling, double precision, double order)
{
    const double sigma = 1 / std::sqrt(precision);
    const double step = std::min(sigma / 16, sigma * sigma / 2);
    const double last = order + 10 * sigma;
    double sum = 0;
    for (double z = -10 * sigma; z < last; z += step)
    {
        sum += MomentIntegrand(sampling, precision, order, z);
    }
    return std::log1p(sum * step / (sigma * std::sqrt(2 * M_PI)));
}

/** The same, by the method that keeps most digits. */
double
LogMoment(double sampling, double precision, double order)
{
    if (order == std::floor(order))
    {
        return LogMomentOfInteger(sampling, precision, order);
    }
    const double logMoment = LogMomentOfFraction(sampling, precision, order);
    const bool few = !(logMoment > 0.01);
    // Where sigma is tiny the rule would need too many points, and the moment is not small.
    return few && precision < 400 ? LogMomentByQuadrature(sampling, precision, order) : logMoment;
}

} // namespace

double
SampledGaussianRdp(double sampling, double multiplier, double order)
{
    const char* where = "SampledGaussianRdp";
    Require(sampling >= 0 && sampling <= 1, where, ": sampling must be in [0, 1], got ", sampling);
    Require(multiplier >= 0, where, ": multiplier must be at least 0, got ", multiplier);
    // The sum has as many terms as the order; larger orders are slow and not needed.
    Require(order > 1 && order <= 10000, where, ": order must be in (1, 10000], got ", order);
    const double precision = 1 / (multiplier * multiplier);
    if (sampling == 0 || precision == 0)
    {
        return 0;
    }
    if (!std::isfinite(precision * order * order))
    {
        return INFINITE;
    }
    if (sampling == 1)
    {
        return order * precision / 2;
    }
    const double logMoment = LogMoment(sampling, precision, order);
    // Below 1e-16 the sign is a rounding error; a moment is never below 1.
    return std::isnan(logMoment) ? 0 : std::max(0.0, logMoment) / (order - 1);
}

} // namespace ns3::dlearn
