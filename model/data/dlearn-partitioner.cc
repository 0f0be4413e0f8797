/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-partitioner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

using Shards = std::vector<SampleIndices>;

void
RequireEnoughSamples(const std::string& where, const Dataset& data, uint32_t learners)
{
    Require(learners >= 1, "{}: learners must be at least 1, got {}", where, learners);
    Require(data.GetSize() >= learners,
            "{}: '{}' must have a sample for each of {} learners, got {}",
            where,
            data.name,
            learners,
            data.GetSize());
}

std::vector<SampleIndices>
SamplesByClass(const std::string& where, const Dataset& data)
{
    Require(data.classes > 0,
            "{}: needs samples with classes, got '{}', which is a regression (use iid or sorted)",
            where,
            data.name);
    std::vector<SampleIndices> samples(data.classes);
    for (uint32_t k = 0; k < data.GetSize(); ++k)
    {
        samples[static_cast<uint32_t>(data.labels(k))].push_back(k);
    }
    return samples;
}

void
SortEach(Shards& shards)
{
    for (auto& shard : shards)
    {
        std::sort(shard.begin(), shard.end());
    }
}

/** Contiguous pieces whose sizes differ by at most one. */
Shards
CutEvenly(const SampleIndices& order, uint32_t learners)
{
    Shards shards(learners);
    for (uint64_t i = 0; i < learners; ++i)
    {
        shards[i].assign(order.begin() + i * order.size() / learners,
                         order.begin() + (i + 1) * order.size() / learners);
    }
    SortEach(shards);
    return shards;
}

/** One draw from the symmetric Dirichlet distribution. */
std::vector<double>
DrawDirichlet(uint32_t size,
              double alpha,
              GammaRandomVariable& gamma,
              UniformRandomVariable& uniform)
{
    // Normalised Gamma(alpha) draws. For small alpha these underflow to 0, so take them as
    // Gamma(alpha + 1) U^(1/alpha) and stay with logarithms until they are normalised.
    std::vector<double> shares(size);
    for (auto& share : shares)
    {
        share = std::log(gamma.GetValue(alpha + 1, 1)) + std::log(uniform.GetValue(0, 1)) / alpha;
    }
    const double largest = *std::max_element(shares.begin(), shares.end());
    double sum = 0;
    for (auto& share : shares)
    {
        share = std::exp(share - largest);
        sum += share;
    }
    for (auto& share : shares)
    {
        share /= sum;
    }
    return shares;
}

/** Append to each shard its share of a class, cumulative shares rounded to whole samples. */
void
CutByShares(const SampleIndices& samples, const std::vector<double>& shares, Shards& shards)
{
    double cumulative = 0;
    size_t begin = 0;
    for (size_t i = 0; i < shares.size(); ++i)
    {
        cumulative += shares[i];
        const auto cut = static_cast<size_t>(std::llround(cumulative * samples.size()));
        // The last learner takes what rounding leaves, so that no sample is lost.
        const size_t end = i + 1 == shares.size() ? samples.size() : std::min(cut, samples.size());
        shards[i].insert(shards[i].end(), samples.begin() + begin, samples.begin() + end);
        begin = end;
    }
}

/** Give every empty shard the last sample of the largest one; there are enough samples. */
void
FillEmpty(Shards& shards)
{
    for (auto& shard : shards)
    {
        if (shard.empty())
        {
            auto largest =
                std::max_element(shards.begin(), shards.end(), [](const auto& a, const auto& b) {
                    return a.size() < b.size();
                });
            shard.push_back(largest->back());
            largest->pop_back();
        }
    }
}

} // namespace

std::vector<SampleIndices>
PartitionIid(const Dataset& data, uint32_t learners, int64_t stream)
{
    RequireEnoughSamples("partition iid", data, learners);
    const auto random = CreateSeeded<UniformRandomVariable>(stream, 0);
    return CutEvenly(RandomOrder(data.GetSize(), *random), learners);
}

std::vector<SampleIndices>
PartitionByLabel(const Dataset& data, uint32_t learners)
{
    const std::string where = "partition label";
    RequireEnoughSamples(where, data, learners);
    const auto samples = SamplesByClass(where, data);
    const uint64_t classes = samples.size();
    Shards shards(learners);
    if (learners < classes)
    {
        for (uint64_t c = 0; c < classes; ++c)
        {
            auto& shard = shards[c * learners / classes];
            shard.insert(shard.end(), samples[c].begin(), samples[c].end());
        }
        SortEach(shards);
    }
    else
    {
        std::vector<std::vector<LearnerId>> holders(classes);
        for (uint64_t i = 0; i < learners; ++i)
        {
            holders[i * classes / learners].push_back(static_cast<LearnerId>(i));
        }
        for (uint64_t c = 0; c < classes; ++c)
        {
            for (size_t k = 0; k < samples[c].size(); ++k)
            {
                shards[holders[c][k % holders[c].size()]].push_back(samples[c][k]);
            }
        }
    }
    for (size_t i = 0; i < shards.size(); ++i)
    {
        Require(!shards[i].empty(),
                "{}: '{}' must have a sample for each of {} learners in its class, got none for "
                "learner {}",
                where,
                data.name,
                learners,
                i);
    }
    return shards;
}

std::vector<SampleIndices>
PartitionSorted(const Dataset& data, uint32_t learners)
{
    RequireEnoughSamples("partition sorted", data, learners);
    SampleIndices order = FirstSamples(data.GetSize());
    std::stable_sort(order.begin(), order.end(), [&data](uint32_t a, uint32_t b) {
        return data.labels(a) < data.labels(b);
    });
    return CutEvenly(order, learners);
}

std::vector<SampleIndices>
PartitionDirichlet(const Dataset& data, uint32_t learners, double alpha, int64_t stream)
{
    const std::string where = "partition dirichlet";
    RequireEnoughSamples(where, data, learners);
    Require(alpha >= 1e-6 && alpha <= 1e6,
            "{}: alpha must be from 1e-6 to 1e6, got {}",
            where,
            alpha);
    auto samples = SamplesByClass(where, data);
    const auto order = CreateSeeded<UniformRandomVariable>(stream, 0);
    for (auto& members : samples)
    {
        Shuffle(members, *order);
    }

    const auto gamma = CreateSeeded<GammaRandomVariable>(stream, 1);
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 2);
    constexpr int mostDraws = 100;
    Shards shards;
    const auto isEmpty = [](const SampleIndices& shard) { return shard.empty(); };
    for (int draw = 0; draw < mostDraws; ++draw)
    {
        shards.assign(learners, {});
        for (const auto& members : samples)
        {
            CutByShares(members, DrawDirichlet(learners, alpha, *gamma, *uniform), shards);
        }
        if (std::none_of(shards.begin(), shards.end(), isEmpty))
        {
            break;
        }
    }
    SortEach(shards);
    FillEmpty(shards);
    return shards;
}

std::string
GetPartitionNames()
{
    return "iid, label, sorted, dirichlet:ALPHA";
}

std::vector<SampleIndices>
PartitionByName(const std::string& spec, const Dataset& data, uint32_t learners, int64_t stream)
{
    if (spec == "iid")
    {
        return PartitionIid(data, learners, stream);
    }
    if (spec == "label")
    {
        return PartitionByLabel(data, learners);
    }
    if (spec == "sorted")
    {
        return PartitionSorted(data, learners);
    }
    const std::string name = "dirichlet:";
    Require(spec.rfind(name, 0) == 0,
            "partition must be one of {}, got '{}'",
            GetPartitionNames(),
            spec);
    const auto alpha = ParseNumber(std::string_view(spec).substr(name.size()));
    Require(alpha.has_value(),
            "partition: ALPHA of {}ALPHA must be a finite number, got '{}'",
            name,
            spec);
    return PartitionDirichlet(data, learners, *alpha, stream);
}

} // namespace ns3::dlearn
