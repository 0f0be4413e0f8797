/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-paired-test.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/**
 * @param differences at least one
 * @param scale of what they come from
 * @return whether they are the same but for rounding: of numbers of that scale, which are means of
 *         many others, the twelfth digit says nothing
 */
bool
AreSame(const std::vector<double>& differences, double scale)
{
    const auto [low, high] = std::minmax_element(differences.begin(), differences.end());
    return *high - *low <= 1e-12 * scale;
}

} // namespace

std::optional<PairedTest>
TestPairs(const std::vector<double>& differences)
{
    const auto n = static_cast<double>(differences.size());
    if (differences.size() < 2)
    {
        return std::nullopt;
    }
    double sum = 0;
    double scale = 0;
    for (const double difference : differences)
    {
        sum += difference;
        scale = std::max(scale, std::abs(difference));
    }
    PairedTest test;
    test.pairs = static_cast<uint32_t>(differences.size());
    test.difference = sum / n;
    double squares = 0;
    for (const double difference : differences)
    {
        squares += (difference - test.difference) * (difference - test.difference);
    }
    if (AreSame(differences, scale) || !std::isfinite(squares))
    {
        return std::nullopt;
    }
    const double error = std::sqrt(squares / (n - 1) / n);
    const boost::math::students_t law(n - 1);
    const double width = boost::math::quantile(law, 0.975) * error;
    test.low = test.difference - width;
    test.high = test.difference + width;
    const double t = std::abs(test.difference) / error;
    test.p = 2 * boost::math::cdf(boost::math::complement(law, t));
    return test;
}

std::vector<double>
PairFinals(const RunGroup& base, const RunGroup& other, const std::string& metric)
{
    const auto a = GetFinals(base, metric);
    const auto b = GetFinals(other, metric);
    std::vector<double> differences;
    double scale = 0;
    for (size_t k = 0; k < base.members.size(); ++k)
    {
        for (size_t l = 0; l < other.members.size(); ++l)
        {
            const bool pair = base.members[k].seed == other.members[l].seed &&
                              base.members[k].run == other.members[l].run;
            if (pair && std::isfinite(a[k]) && std::isfinite(b[l]))
            {
                differences.push_back(b[l] - a[k]);
                scale = std::max({scale, std::abs(a[k]), std::abs(b[l])});
            }
        }
    }
    if (!differences.empty() && AreSame(differences, scale))
    {
        std::fill(differences.begin(), differences.end(), differences.front());
    }
    return differences;
}

} // namespace ns3::dlearn
