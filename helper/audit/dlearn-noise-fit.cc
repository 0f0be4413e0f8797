/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-noise-fit.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** @return probability that noise of scale 1 is at most x */
double
GetProbability(NoiseLaw law, double x)
{
    if (law == NoiseLaw::GAUSSIAN)
    {
        return std::erfc(-x / std::sqrt(2.0)) / 2;
    }
    return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2;
}

} // namespace

void
NoiseFit::Add(NoiseLaw law, double scale, ConstVectorRef before, ConstVectorRef after)
{
    constexpr double LARGEST = 1e9; // leaves six digits of the noise
    if (scale == 0 || (law != NoiseLaw::LAPLACE && law != NoiseLaw::GAUSSIAN))
    {
        return;
    }
    for (Eigen::Index k = 0; k < before.size(); ++k)
    {
        if (std::abs(before[k]) < LARGEST * scale)
        {
            m_entries[law].push_back((after[k] - before[k]) / scale);
        }
    }
}

bool
NoiseFit::IsPlausible() const
{
    for (const auto& [law, entries] : m_entries)
    {
        std::vector<double> sorted = entries;
        std::sort(sorted.begin(), sorted.end());
        const auto n = static_cast<double>(sorted.size());
        double distance = 0;
        for (size_t k = 0; k < sorted.size(); ++k)
        {
            const double probability = GetProbability(law, sorted[k]);
            distance = std::max({distance,
                                 std::abs(probability - static_cast<double>(k) / n),
                                 std::abs(probability - static_cast<double>(k + 1) / n)});
        }
        if (distance > std::sqrt(std::log(2 / FAILURE) / (2 * n)))
        {
            return false;
        }
    }
    return true;
}

} // namespace ns3::dlearn
