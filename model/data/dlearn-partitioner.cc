/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-partitioner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <map>

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

/** Cut each group of samples by shares of its own. */
Shards
CutByDirichlet(const std::string& where,
               std::vector<SampleIndices> groups,
               uint32_t learners,
               double alpha,
               int64_t stream)
{
    Require(alpha >= 1e-6 && alpha <= 1e6,
            "{}: alpha must be from 1e-6 to 1e6, got {}",
            where,
            alpha);
    const auto order = CreateSeeded<UniformRandomVariable>(stream, 0);
    for (auto& members : groups)
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
        for (const auto& members : groups)
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
    return CutByDirichlet(where, SamplesByClass(where, data), learners, alpha, stream);
}

std::vector<SampleIndices>
PartitionQuantity(const Dataset& data, uint32_t learners, double alpha, int64_t stream)
{
    const std::string where = "partition quantity";
    RequireEnoughSamples(where, data, learners);
    return CutByDirichlet(where, {FirstSamples(data.GetSize())}, learners, alpha, stream);
}

std::vector<SampleIndices>
PartitionClasses(const Dataset& data, uint32_t learners, uint32_t classes, int64_t stream)
{
    const std::string where = "partition classes";
    RequireEnoughSamples(where, data, learners);
    auto samples = SamplesByClass(where, data);
    const auto isEmpty = [](const SampleIndices& members) { return members.empty(); };
    samples.erase(std::remove_if(samples.begin(), samples.end(), isEmpty), samples.end());
    const size_t present = samples.size();
    Require(classes >= 1 && classes <= present,
            "{}: K must be from 1 to the number of classes in '{}', {}; got {}",
            where,
            data.name,
            present,
            classes);
    Require(uint64_t{learners} * classes >= present,
            "{}: {} learners of {} classes must have all {} classes of '{}'",
            where,
            learners,
            classes,
            present,
            data.name);
    const auto random = CreateSeeded<UniformRandomVariable>(stream, 0);
    std::vector<std::vector<LearnerId>> holders(present);
    SampleIndices pack;
    for (LearnerId learner = 0; learner < learners; ++learner)
    {
        for (uint32_t k = 0; k < classes; ++k)
        {
            if (pack.empty())
            {
                pack = RandomOrder(static_cast<uint32_t>(present), *random);
            }
            const auto card = std::find_if(pack.begin(), pack.end(), [&](uint32_t c) {
                return holders[c].empty() || holders[c].back() != learner;
            });
            holders[*card].push_back(learner);
            pack.erase(card);
        }
    }
    Shards shards(learners);
    for (size_t c = 0; c < present; ++c)
    {
        Require(samples[c].size() >= holders[c].size(),
                "{}: a class of '{}' must have a sample for each of its {} learners, got {}",
                where,
                data.name,
                holders[c].size(),
                samples[c].size());
        Shuffle(samples[c], *random);
        const Shards parts = CutEvenly(samples[c], static_cast<uint32_t>(holders[c].size()));
        for (size_t k = 0; k < parts.size(); ++k)
        {
            auto& shard = shards[holders[c][k]];
            shard.insert(shard.end(), parts[k].begin(), parts[k].end());
        }
    }
    SortEach(shards);
    return shards;
}

std::vector<SampleIndices>
PartitionByOwner(const Dataset& data, uint32_t learners)
{
    Require(!data.owners.empty(),
            "partition users: needs data with users, as LEAF's files have, got '{}'",
            data.name);
    std::map<uint32_t, SampleIndices> samples;
    for (uint32_t k = 0; k < data.GetSize(); ++k)
    {
        samples[data.owners[k]].push_back(k);
    }
    Require(samples.size() == learners,
            "partition: users of '{}' must be as many as the learners that share it, {}; got {}",
            data.name,
            learners,
            samples.size());
    Shards shards;
    for (const auto& [owner, shard] : samples)
    {
        shards.push_back(shard);
    }
    return shards;
}

std::vector<uint32_t>
ReadOwners(const std::string& path, uint32_t samples)
{
    const RowMatrix<double> rows = ReadCsvRows(path);
    Require(rows.cols() == 1 && rows.rows() == samples,
            "{}: must have one number for each of {} samples, got {} lines of {}",
            path,
            samples,
            rows.rows(),
            rows.cols());
    std::vector<uint32_t> owners;
    for (uint32_t k = 0; k < samples; ++k)
    {
        const double number = rows(k, 0);
        Require(number >= 0 && number <= UINT32_MAX && number == std::floor(number),
                "{}: the number of a client must be a whole number of 32 bits, got {}",
                path,
                number);
        owners.push_back(static_cast<uint32_t>(number));
    }
    return owners;
}

std::string
GetPartitionNames()
{
    return "iid, label, sorted, dirichlet:ALPHA, quantity:ALPHA, classes:K, users, file:FILE";
}

std::vector<SampleIndices>
PartitionByName(const std::string& spec, const Dataset& data, uint32_t learners, int64_t stream)
{
    const auto colon = spec.find(':');
    const std::string name = spec.substr(0, colon);
    const bool bare = colon == std::string::npos;
    const std::string argument = bare ? "" : spec.substr(colon + 1);
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
    if (spec == "users" || (name == "file" && !bare))
    {
        return PartitionByOwner(data, learners);
    }
    Require(!bare && (name == "dirichlet" || name == "quantity" || name == "classes"),
            "partition must be one of {}, got '{}'",
            GetPartitionNames(),
            spec);
    if (name == "classes")
    {
        const auto classes = ParseWholeNumber(argument);
        Require(classes.has_value(),
                "partition: K of classes:K must be a whole number, got '{}'",
                spec);
        return PartitionClasses(data, learners, *classes, stream);
    }
    const auto alpha = ParseNumber(argument);
    Require(alpha.has_value(),
            "partition: ALPHA of {}:ALPHA must be a finite number, got '{}'",
            name,
            spec);
    return name == "dirichlet" ? PartitionDirichlet(data, learners, *alpha, stream)
                               : PartitionQuantity(data, learners, *alpha, stream);
}

void
AddFeatureNoise(Dataset& data,
                const std::vector<SampleIndices>& shards,
                double sigma,
                int64_t stream)
{
    RequireNonNegative("feature noise", "sigma", sigma);
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 0);
    for (size_t i = 0; i < shards.size(); ++i)
    {
        const double share = static_cast<double>(i + 1) / static_cast<double>(shards.size());
        const double deviation = std::sqrt(sigma * share);
        for (const uint32_t sample : shards[i])
        {
            for (double& feature : data.features.col(sample))
            {
                feature += deviation * normal->GetValue();
            }
        }
    }
}

void
RotateImages(Dataset& data, const std::vector<SampleIndices>& shards, double degrees)
{
    if (degrees == 0)
    {
        return;
    }
    const ImageShape& shape = data.shape;
    Require(shape.GetSize() > 0, "feature rotation: data must be images, got '{}'", data.name);
    const Eigen::Index height = shape.height;
    const Eigen::Index width = shape.width;
    const Eigen::Array2d middle(0.5 * (shape.height - 1), 0.5 * (shape.width - 1));
    // In a frame of one pixel, so that a place between the edge and outside is a mixture.
    const Eigen::Array2d last(shape.height + 1 - 1e-9, shape.width + 1 - 1e-9);
    for (uint32_t channel = 0; channel < shape.channels; ++channel)
    {
        auto plane = data.features.middleRows(channel * height * width, height * width);
        Eigen::MatrixXd framed = Eigen::MatrixXd::Constant(height + 2, width + 2, plane.minCoeff());
        for (size_t i = 1; i < shards.size(); ++i)
        {
            const double angle = std::fmod(degrees * static_cast<double>(i), 360) * M_PI / 180;
            Eigen::Matrix2d back; // of row, which grows downwards, and column
            back << std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle);
            for (const uint32_t sample : shards[i])
            {
                Eigen::Map<RowMatrix<double>> image(plane.col(sample).data(), height, width);
                framed.block(1, 1, height, width) = image;
                for (Eigen::Index k = 0; k < image.size(); ++k)
                {
                    const Eigen::Array2d there = Eigen::Array2d(k / width, k % width) - middle;
                    const Eigen::Array2d here =
                        ((back * there.matrix()).array() + middle + 1).max(0).min(last);
                    const Eigen::Array2d corner = here.floor();
                    const Eigen::Array2d part = here - corner;
                    const auto pixels = framed.block<2, 2>(static_cast<Eigen::Index>(corner[0]),
                                                           static_cast<Eigen::Index>(corner[1]));
                    image.data()[k] = Eigen::RowVector2d(1 - part[0], part[0]) * pixels *
                                      Eigen::Vector2d(1 - part[1], part[1]);
                }
            }
        }
    }
}

} // namespace ns3::dlearn
