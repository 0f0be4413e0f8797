/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dataset.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace ns3::dlearn
{

std::string
ImageShape::Format() const
{
    return std::to_string(channels) + " x " + std::to_string(height) + " x " +
           std::to_string(width);
}

double
Dataset::GetMaxNorm() const
{
    double largest = 0;
    for (Eigen::Index sample = 0; sample < features.cols(); ++sample)
    {
        // stableNorm: the squares of unscaled features may overflow.
        largest = std::max(largest, features.col(sample).stableNorm());
    }
    return largest;
}

void
Dataset::ScaleToUnitNorm()
{
    const double norm = GetMaxNorm();
    if (norm > 0)
    {
        features /= norm;
        truth *= norm;
    }
}

void
Dataset::Validate() const
{
    const std::string where = "Dataset '" + name + "'";
    RequireSize(where, "labels", labels.size(), features.cols());
    const bool damaged = !features.allFinite();
    for (Eigen::Index k = 0; damaged && k < features.size(); ++k)
    {
        Require(std::isfinite(features(k)),
                "{}: feature {} of sample {} must be finite, got {}",
                where,
                k % features.rows(),
                k / features.rows(),
                features(k));
    }
    for (Eigen::Index sample = 0; sample < labels.size(); ++sample)
    {
        const double label = labels(sample);
        Require(std::isfinite(label),
                "{}: label of sample {} must be finite, got {}",
                where,
                sample,
                label);
        Require(classes == 0 || (label >= 0 && label < classes && label == std::floor(label)),
                "{}: label of sample {} must be a whole number from 0 to {}, got {}",
                where,
                sample,
                int64_t(classes) - 1,
                label);
    }
    if (!labelNames.empty())
    {
        RequireSize(where, "labelNames", labelNames.size(), classes);
    }
    Require(truth.allFinite(), where, ": truth must be finite");
    Require(shape.GetSize() == 0 || shape.GetSize() == GetFeatures(),
            "{}: an image of {} must have as many features, got {}",
            where,
            shape.Format(),
            GetFeatures());
}

void
SetLabels(Dataset& data,
          const std::string& source,
          const std::vector<std::string>& labels,
          LabelKind kind)
{
    constexpr size_t MAX_CLASSES = 1000; // more means it is a regression
    const bool targets = kind == LabelKind::TARGETS;
    std::vector<std::optional<double>> numbers;
    bool numeric = true;
    bool whole = true;
    for (const std::string& label : labels)
    {
        const auto number = ParseNumber(label);
        Require(!targets || number,
                "{}: label of sample {} must be a finite number, as the task is a regression, got "
                "'{}'",
                source,
                numbers.size() + 1,
                label);
        numeric = numeric && number;
        whole = whole && number && *number == std::floor(*number);
        numbers.push_back(number);
    }
    data.labels.resize(static_cast<Eigen::Index>(labels.size()));
    if (targets || (kind == LabelKind::EITHER && numeric && !whole))
    {
        std::transform(numbers.begin(), numbers.end(), data.labels.begin(), [](const auto& n) {
            return *n;
        });
        return;
    }
    using Key = std::pair<double, std::string>;
    const auto getKey = [&](size_t k) {
        return numeric ? Key(*numbers[k], "") : Key(0, labels[k]);
    };
    std::map<Key, size_t> classes; // the first sample of each, then its number
    for (size_t k = 0; k < labels.size(); ++k)
    {
        classes.emplace(getKey(k), k);
        Require(classes.size() <= MAX_CLASSES,
                "{}: there must be at most {} different classes (targets of a regression?)",
                source,
                MAX_CLASSES);
    }
    for (auto& [key, number] : classes)
    {
        data.labelNames.push_back(labels[number]);
        number = data.classes++;
    }
    for (size_t k = 0; k < labels.size(); ++k)
    {
        data.labels[k] = static_cast<double>(classes.at(getKey(k)));
    }
}

void
AdoptClasses(Dataset& test, const Dataset& train)
{
    std::vector<double> numbers;
    for (const std::string& name : test.labelNames)
    {
        const auto& names = train.labelNames;
        const auto same = std::find_if(names.begin(), names.end(), [&](const std::string& other) {
            const auto number = ParseNumber(name);
            return other == name || (number && number == ParseNumber(other));
        });
        Require(same != names.end(),
                "{}: class '{}' must be one of the training data, {}",
                test.name,
                name,
                JoinNames(names));
        numbers.push_back(static_cast<double>(same - names.begin()));
    }
    for (Eigen::Index k = 0; !numbers.empty() && k < test.labels.size(); ++k)
    {
        test.labels[k] = numbers[static_cast<size_t>(test.labels[k])];
    }
    test.classes = train.classes;
    test.labelNames = train.labelNames;
}

SampleIndices
FirstSamples(size_t count)
{
    SampleIndices indices(count);
    std::iota(indices.begin(), indices.end(), 0U);
    return indices;
}

Dataset
Subset(const Dataset& data, const SampleIndices& indices)
{
    Dataset subset{data.name,
                   {},
                   {},
                   data.classes,
                   data.labelNames,
                   data.truth,
                   data.shape,
                   data.featureNames,
                   data.text,
                   {}};
    subset.features.resize(data.features.rows(), static_cast<Eigen::Index>(indices.size()));
    subset.labels.resize(static_cast<Eigen::Index>(indices.size()));
    for (size_t k = 0; k < indices.size(); ++k)
    {
        Require(indices[k] < data.GetSize(),
                "Subset of '{}': index must be less than {}, got {}",
                data.name,
                data.GetSize(),
                indices[k]);
        subset.features.col(k) = data.features.col(indices[k]);
        subset.labels(k) = data.labels(indices[k]);
        if (!data.owners.empty())
        {
            subset.owners.push_back(data.owners[indices[k]]);
        }
    }
    return subset;
}

void
RequireDenseSize(const std::string& where, uint64_t features, uint64_t samples)
{
    constexpr uint64_t gibibyte = uint64_t(1) << 30;
    constexpr uint64_t limit = 4 * gibibyte;
    // Floating point, because the product of two 64-bit counts may wrap around.
    const double bytes = double(features) * double(samples) * sizeof(double);
    Require(bytes <= double(limit),
            "{}: {} features x {} samples need {} GiB as a dense matrix, must be at most {} GiB",
            where,
            features,
            samples,
            bytes / gibibyte,
            limit / gibibyte);
}

TrainTestSplit
SplitTrainTest(uint32_t samples, double testFraction, int64_t stream)
{
    Require(testFraction > 0 && testFraction < 1,
            "test fraction must be greater than 0 and less than 1, got ",
            testFraction);
    const auto tests = static_cast<uint32_t>(std::llround(testFraction * samples));
    Require(tests >= 1 && tests < samples,
            "test fraction {}: both parts must have a sample, got {} of {} samples for the test",
            testFraction,
            tests,
            samples);

    const auto random = CreateSeeded<UniformRandomVariable>(stream, 0);
    const SampleIndices order = RandomOrder(samples, *random);
    TrainTestSplit split;
    split.test.assign(order.begin(), order.begin() + tests);
    split.train.assign(order.begin() + tests, order.end());
    std::sort(split.test.begin(), split.test.end());
    std::sort(split.train.begin(), split.train.end());
    return split;
}

namespace
{

void
RequireImages(const std::string& where, const Dataset& data)
{
    Require(data.shape.GetSize() > 0 && data.shape.GetSize() == data.GetFeatures(),
            "{}: data must be images, got '{}'",
            where,
            data.name);
}

Eigen::Index
GetPlane(const ImageShape& shape)
{
    return Eigen::Index(shape.height) * shape.width;
}

} // namespace

ChannelMoments
MeasureChannels(const Dataset& data)
{
    RequireImages("MeasureChannels", data);
    Require(data.GetSize() >= 1, "MeasureChannels: '{}' must have a sample", data.name);
    const Eigen::Index plane = GetPlane(data.shape);
    ChannelMoments moments{Eigen::VectorXd(data.shape.channels),
                           Eigen::VectorXd(data.shape.channels)};
    for (Eigen::Index k = 0; k < moments.means.size(); ++k)
    {
        const auto channel = data.features.middleRows(k * plane, plane).array();
        // Not the mean of the squares less the square of the mean, which cancels.
        moments.means(k) = channel.mean();
        // The mean of equal numbers is rounded, so their deviation would not be 0.
        const bool flat = channel.minCoeff() == channel.maxCoeff();
        moments.deviations(k) = flat ? 0 : std::sqrt((channel - moments.means(k)).square().mean());
    }
    return moments;
}

void
NormalizeChannels(Dataset& data, const ChannelMoments& moments)
{
    const std::string where = "NormalizeChannels";
    RequireImages(where, data);
    Require(data.truth.size() == 0, "{}: '{}' must not have a truth", where, data.name);
    RequireSize(where, "means", moments.means.size(), data.shape.channels);
    RequireSize(where, "deviations", moments.deviations.size(), data.shape.channels);
    const Eigen::Index plane = GetPlane(data.shape);
    for (Eigen::Index k = 0; k < moments.means.size(); ++k)
    {
        const double deviation = moments.deviations(k);
        RequireNonNegative(where, "deviation", deviation);
        auto channel = data.features.middleRows(k * plane, plane).array();
        channel = (channel - moments.means(k)) / (deviation > 0 ? deviation : 1.0);
    }
}

Dataset
AppendMirrored(const Dataset& data)
{
    RequireImages("AppendMirrored", data);
    const uint32_t samples = data.GetSize();
    RequireDenseSize("AppendMirrored", data.GetFeatures(), 2 * uint64_t{samples});
    SampleIndices twice = FirstSamples(2 * size_t{samples});
    std::iota(twice.begin() + samples, twice.end(), 0U);
    Dataset both = Subset(data, twice);
    const Eigen::Index width = data.shape.width;
    for (uint32_t k = samples; k < 2 * samples; ++k)
    {
        for (Eigen::Index row = 0; row < both.features.rows(); row += width)
        {
            both.features.col(k).segment(row, width).reverseInPlace();
        }
    }
    return both;
}

} // namespace ns3::dlearn
