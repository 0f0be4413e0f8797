/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-audited-loss.h"

#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-types.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** Losses below this may be rounding alone. */
constexpr double NOTHING = 1e-11;

/** Probabilities of -1, 0 and 1. */
using Levels = std::array<double, 3>;

/** @return what ternary rounding makes of an entry */
Levels
GetLevels(double entry, double scale)
{
    const double share = std::min(1.0, std::abs(entry) / scale);
    return {entry < 0 ? share : 0, 1 - share, entry > 0 ? share : 0};
}

/**
 * Total variation distance of two vectors of independent ternary entries: half the sum of the
 * differences of all 3^d probabilities, and of long vectors, where these cannot be added up, the
 * largest of one entry, which is less.
 */
double
GetTernaryVariation(const ModelVector& first, const ModelVector& second, double scale)
{
    constexpr Eigen::Index LONGEST = 8;
    std::vector<std::pair<double, double>> joint{{1, 1}};
    double largest = 0;
    for (Eigen::Index k = 0; k < first.size(); ++k)
    {
        const Levels one = GetLevels(first[k], scale);
        const Levels other = GetLevels(second[k], scale);
        std::vector<std::pair<double, double>> next;
        double variation = 0;
        for (size_t level = 0; level < one.size(); ++level)
        {
            variation += std::abs(one[level] - other[level]) / 2;
            for (const auto& [p, q] : joint)
            {
                next.emplace_back(p * one[level], q * other[level]);
            }
        }
        largest = std::max(largest, variation);
        if (first.size() <= LONGEST)
        {
            joint = std::move(next);
        }
    }
    double distance = 0;
    for (const auto& [p, q] : joint)
    {
        distance += std::abs(p - q) / 2;
    }
    return std::max(distance, largest);
}

/** @return ln Phi(-x); from 25 on by the asymptotic series, as Phi has no digits then */
double
GetLogTail(double x)
{
    if (x < 25)
    {
        return std::log(std::erfc(x * M_SQRT1_2) / 2);
    }
    const double inverse = 1 / (x * x);
    const double series =
        -inverse * (1 - 3 * inverse * (1 - 5 * inverse * (1 - 7 * inverse * (1 - 9 * inverse))));
    return -x * x / 2 - std::log(x * std::sqrt(2 * M_PI)) + std::log1p(series);
}

} // namespace

double
SolveGaussianEpsilon(double rate, double delta)
{
    if (rate == 0 || std::isinf(rate))
    {
        return rate;
    }
    const double mu = std::sqrt(2 * rate);
    double low = 0;
    double high = rate + 2 * std::sqrt(-rate * std::log(delta));
    for (int halving = 0; halving < 200; ++halving)
    {
        const double middle = (low + high) / 2;
        const double spent = std::exp(GetLogTail(middle / mu - mu / 2)) -
                             std::exp(middle + GetLogTail(middle / mu + mu / 2));
        (spent > delta ? low : high) = middle;
    }
    return high;
}

Spent
GetSpent(const PrivacyAccount& account)
{
    const auto releases = dynamic_cast<const ReleaseAccount*>(&account);
    return {account.GetEpsilon(), releases ? releases->GetTernaryDelta() : 0};
}

double
Least(double one, double other)
{
    return std::isnan(one) || one < other ? one : other; // also when other is NaN
}

void
AuditedLoss::Add(NoiseLaw law, double scale, const ModelVector& first, const ModelVector& second)
{
    const ModelVector distance = first - second;
    if (distance.isZero(0))
    {
        return;
    }
    if (law == NoiseLaw::NONE || scale == 0)
    {
        m_epsilon = INFINITE;
    }
    else if (law == NoiseLaw::LAPLACE)
    {
        m_epsilon += distance.lpNorm<1>() / scale;
    }
    else if (law == NoiseLaw::GAUSSIAN)
    {
        m_rate += distance.squaredNorm() / (2 * scale * scale);
    }
    else
    {
        m_variation += GetTernaryVariation(first, second, scale);
    }
}

Spent
AuditedLoss::GetTruth(double delta) const
{
    Spent truth;
    truth.delta = std::min(1.0, m_variation);
    truth.epsilon = m_epsilon;
    if (m_rate > 0)
    {
        truth.epsilon += SolveGaussianEpsilon(m_rate, delta);
    }
    return truth;
}

double
GetAccountRatio(const Spent& account, const Spent& truth)
{
    const auto divide = [](double said, double real) {
        if (std::isnan(said))
        {
            return said;
        }
        if (real <= NOTHING)
        {
            return INFINITE; // nothing to compare with
        }
        return std::isinf(real) ? (std::isinf(said) ? 1 : 0) : said / real;
    };
    return Least(divide(account.epsilon, truth.epsilon), divide(account.delta, truth.delta));
}

} // namespace ns3::dlearn
