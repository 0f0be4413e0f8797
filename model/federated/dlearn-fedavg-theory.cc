/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fedavg-theory.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

const char* const NAME = "FedAvgTheory"; //!< for messages

/** @return 1 + r + ... + r^(n-1), accurate also where r is almost 1 */
double
SumPowers(double ratio, uint32_t count)
{
    if (count == 0 || ratio == 1)
    {
        return count;
    }
    // (r^n - 1) / (r - 1) would lose all digits that r and 1 share.
    return std::expm1(count * std::log1p(ratio - 1)) / (ratio - 1);
}

/** The effect of local training on u: E[u'] = c u and E||u'||^2 = q ||u||^2 + v. */
struct FedAvgLocalMap
{
    double meanFactor{0};   //!< c
    double squareFactor{0}; //!< q, at least c^2
    double noise{0};        //!< v, at least 0; may be infinite
};

/** @return c, q and v of a client and p parameters */
FedAvgLocalMap
GetLocalMap(const FedAvgTheoryClient& client, uint32_t dimension)
{
    Require(client.samples >= 1, "{}: samples must be at least 1, got {}", NAME, client.samples);
    Require(client.localSteps <= client.samples,
            "{}: localSteps must be at most {} (samples), got {}",
            NAME,
            client.samples,
            client.localSteps);
    const double p = dimension;
    const double variance = client.noiseStd * client.noiseStd;
    FedAvgLocalMap map;
    if (client.localSteps > 0)
    {
        const double batch = client.samples / client.localSteps; // whole samples: rounds down
        const double step = client.stepSize;
        const double factor = (1 - step) * (1 - step) + step * step * (p + 1) / batch;
        map.meanFactor = std::pow(1 - step, client.localSteps);
        map.squareFactor = std::pow(factor, client.localSteps);
        map.noise = p * step * step * variance / batch * SumPowers(factor, client.localSteps);
        return map;
    }
    const double n = client.samples;
    map.meanFactor = p > n ? 1 - n / p : 0;
    map.squareFactor = map.meanFactor;
    if (variance > 0)
    {
        // Mean of an inverse Wishart matrix, which has none so near to p = n.
        const double freedom = std::abs(p - n) - 1;
        map.noise = freedom > 0 ? std::min(n, p) * variance / freedom : INFINITE;
    }
    return map;
}

} // namespace

std::vector<double>
FedAvgErrorCurve(const FedAvgSetting& setting, uint32_t rounds)
{
    for (const auto& client : setting.clients)
    {
        RequireSize(NAME, "gamma", client.gamma.size(), setting.initialOffset.size());
    }
    const auto dimension = static_cast<uint32_t>(setting.initialOffset.size());
    double samples = 0;
    for (const auto& client : setting.clients)
    {
        samples += client.samples;
    }
    std::vector<FedAvgLocalMap> maps;
    double meanFactor = 0;                                // c_
    ModelVector meanShift = ModelVector::Zero(dimension); // b
    for (const auto& client : setting.clients)
    {
        maps.push_back(GetLocalMap(client, dimension));
        const double weight = client.samples / samples;
        meanFactor += weight * maps.back().meanFactor;
        meanShift += weight * (1 - maps.back().meanFactor) * client.gamma;
    }

    std::vector<double> curve{setting.initialOffset.squaredNorm()};
    ModelVector mean = setting.initialOffset; // g
    while (curve.size() <= rounds)
    {
        const double error = curve.back();
        double next = meanFactor * meanFactor * error + 2 * meanFactor * meanShift.dot(mean) +
                      meanShift.squaredNorm() + setting.drift * setting.drift;
        for (size_t i = 0; i < maps.size(); ++i)
        {
            const auto& client = setting.clients[i];
            const double weight = client.samples / samples;
            const double spread = maps[i].squareFactor - maps[i].meanFactor * maps[i].meanFactor;
            const double distance = error - 2 * client.gamma.dot(mean) + client.gamma.squaredNorm();
            next += weight * weight * (spread * distance + maps[i].noise);
        }
        if (!std::isfinite(next))
        {
            // Noise without an expectation comes again in every round; overflow grows.
            curve.resize(size_t(rounds) + 1, INFINITE);
            break;
        }
        curve.push_back(next);
        mean = meanFactor * mean + meanShift;
    }
    return curve;
}

double
FedAvgBalancedError(const FedAvgBalancedSetting& setting, uint32_t localSteps, uint32_t rounds)
{
    FedAvgTheoryClient client;
    client.samples = setting.samples;
    client.localSteps = localSteps;
    client.stepSize = setting.stepSize;
    client.noiseStd = setting.noiseStd;
    const FedAvgLocalMap map = GetLocalMap(client, setting.dimension);
    const double square = map.meanFactor * map.meanFactor;
    const double spread = map.squareFactor - square;
    const double factor = square + spread / setting.clients; // J
    const double source = (spread * setting.meanSquaredGamma + map.noise) / setting.clients;
    const double error = rounds == 0 ? setting.initialError
                                     : std::pow(factor, rounds) * setting.initialError +
                                           SumPowers(factor, rounds) * source;
    return std::isfinite(error) ? error : INFINITE;
}

uint32_t
FedAvgBestLocalSteps(const FedAvgBalancedSetting& setting, uint32_t rounds)
{
    uint32_t best = 1;
    double least = FedAvgBalancedError(setting, best, rounds);
    for (uint32_t steps = 2; steps <= setting.samples; ++steps)
    {
        const double error = FedAvgBalancedError(setting, steps, rounds);
        if (error < least)
        {
            best = steps;
            least = error;
        }
    }
    return best;
}

} // namespace ns3::dlearn
