/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-losses.h"

#include "dlearn-gaussian-accounting.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-types.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/**
 * @param sensitivity at least 0
 * @param price of a sensitivity that is not 0
 * @return the prices; a vector that hides nothing costs nothing, even without noise
 */
template <typename Price>
Eigen::ArrayXd
PriceEach(const Eigen::ArrayXd& sensitivity, Price price)
{
    return sensitivity.unaryExpr(
        [&price](double value) { return value == 0 ? 0.0 : double(price(value)); });
}

} // namespace

PrivacyLosses::PrivacyLosses(uint32_t units)
    : m_epsilon(Eigen::ArrayXd::Zero(units)),
      m_rate(m_epsilon),
      m_delta(m_epsilon)
{
    Require(units >= 1, "PrivacyLosses: units must be at least 1, got ", units);
}

PrivacyLosses
PrivacyLosses::OfRelease(NoiseLaw law,
                         const Eigen::ArrayXd& sensitivity,
                         double scale,
                         uint32_t dimension)
{
    PrivacyLosses losses(static_cast<uint32_t>(sensitivity.size()));
    const double oneNorm = std::sqrt(static_cast<double>(dimension));
    const auto linear = [&](double value) {
        return scale == 0 ? INFINITE : oneNorm * value / scale;
    };
    switch (law)
    {
    case NoiseLaw::NONE:
        losses.m_epsilon = PriceEach(sensitivity, [](double) { return INFINITE; });
        break;
    case NoiseLaw::LAPLACE:
        losses.m_epsilon = PriceEach(sensitivity, linear);
        break;
    case NoiseLaw::GAUSSIAN:
        losses.m_rate = PriceEach(sensitivity, [&](double value) {
            return std::isinf(value) ? INFINITE : GaussianRate(value, scale);
        });
        break;
    case NoiseLaw::TERNARY:
        // Total variation distance of what an entry x and an entry x' become, both cut off at s:
        // |x - x'| / s when they have one sign, else max(|x|, |x'|) / s, so at most |x - x'| / s.
        // Distances of products add up over the entries. No epsilon above 0 buys a smaller delta:
        // next to x' = 0 the level s has probability x / s against none at all.
        losses.m_delta = PriceEach(sensitivity, linear);
        break;
    }
    return losses;
}

PrivacyLosses&
PrivacyLosses::operator+=(const PrivacyLosses& other)
{
    RequireSize("PrivacyLosses", "losses that are added", other.m_epsilon.size(), m_epsilon.size());
    m_epsilon += other.m_epsilon;
    m_rate += other.m_rate;
    m_delta += other.m_delta;
    return *this;
}

double
PrivacyLosses::GetEpsilon(double delta) const
{
    const double left = delta - m_delta.maxCoeff();
    if (left < 0)
    {
        return INFINITE;
    }
    // Where laws are mixed, the largest of each bounds every unit.
    const double rate = m_rate.maxCoeff();
    const double gaussian = rate == 0 ? 0 : left == 0 ? INFINITE : GaussianEpsilon(rate, left);
    return m_epsilon.maxCoeff() + gaussian;
}

Eigen::ArrayXd
Contract(double factor, const Eigen::ArrayXd& sensitivity)
{
    return factor == 0 ? Eigen::ArrayXd::Zero(sensitivity.size()).eval()
                       : (factor * sensitivity).eval();
}

} // namespace ns3::dlearn
