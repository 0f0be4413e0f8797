/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-generator.h"

#include "dlearn-seeded-random.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3
{
namespace dlearn
{

namespace
{

ModelVector
DrawSparse(uint32_t size, uint32_t nonZeros, int64_t stream)
{
    const auto places = CreateSeeded<UniformRandomVariable>(stream, 0);
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 1);
    const SampleIndices order = RandomOrder(size, *places);
    ModelVector result = ModelVector::Zero(size);
    for (uint32_t k = 0; k < nonZeros; ++k)
    {
        result(order[k]) = normal->GetValue(0, 1);
    }
    return result;
}

/** Probabilities of all columns, one attribute after the other. */
ModelVector
ColumnProbabilities(const CategoricalOptions& options, uint64_t columns)
{
    ModelVector probabilities(columns);
    Eigen::Index first = 0;
    for (const uint32_t count : options.categories)
    {
        auto attribute = probabilities.segment(first, count);
        for (uint32_t k = 0; k < count; ++k)
        {
            attribute(k) = std::pow(k + 1.0, -options.skew);
        }
        attribute /= attribute.sum();
        first += count;
    }
    return probabilities;
}

/** Weights whose logit has mean 0 and standard deviation margin. */
ModelVector
DrawLogit(const CategoricalOptions& options, const ModelVector& probabilities, int64_t stream)
{
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 0);
    ModelVector weights(probabilities.size());
    double variance = 0;
    Eigen::Index first = 0;
    for (const uint32_t count : options.categories)
    {
        auto attribute = weights.segment(first, count);
        for (auto& weight : attribute)
        {
            weight = normal->GetValue(0, 1);
        }
        const auto chances = probabilities.segment(first, count);
        attribute.array() -= chances.dot(attribute) / chances.sum();
        variance += chances.dot(attribute.cwiseAbs2());
        first += count;
    }
    // A variance of rounding errors alone would be blown up to the margin.
    Require(variance > 1e-12,
            "MakeCategorical: at least one attribute must have 2 categories of noticeable "
            "probability, got none (skew ",
            options.skew,
            ")");
    return weights * (options.margin / std::sqrt(variance));
}

} // namespace

Dataset
MakeLinearGaussian(const LinearGaussianOptions& options, int64_t stream)
{
    const std::string where = "MakeLinearGaussian";
    Require(options.samples >= 1, where, ": samples must be at least 1, got ", options.samples);
    Require(options.features >= 1, where, ": features must be at least 1, got ", options.features);
    RequireNonNegative(where, "noiseStd", options.noiseStd);
    RequireDenseSize(where, options.features, options.samples);
    const bool given = options.truth.size() > 0;
    const uint32_t most = given ? 0 : options.features;
    Require(options.nonZeros <= most,
            where,
            ": nonZeros must be at most ",
            most,
            given ? " when truth is given" : " (features)",
            ", got ",
            options.nonZeros);
    if (given)
    {
        RequireSize(where, "truth", options.truth.size(), options.features);
        Require(options.truth.allFinite(), where, ": truth must be finite");
    }

    Dataset data;
    data.name = "linear-gaussian";
    data.truth = given ? options.truth
                       : DrawSparse(options.features,
                                    options.nonZeros > 0 ? options.nonZeros : options.features,
                                    stream);
    data.features.resize(options.features, options.samples);
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 2);
    for (auto& feature : data.features.reshaped())
    {
        feature = normal->GetValue(0, 1);
    }
    data.labels.noalias() = data.features.transpose() * data.truth;
    const auto noise = CreateSeeded<NormalRandomVariable>(stream, 3);
    for (auto& target : data.labels)
    {
        target += options.noiseStd * noise->GetValue(0, 1);
    }
    return data;
}

Dataset
MakeCategorical(const CategoricalOptions& options, int64_t stream)
{
    const std::string where = "MakeCategorical";
    Require(options.samples >= 1, where, ": samples must be at least 1, got ", options.samples);
    RequireNonNegative(where, "skew", options.skew);
    RequireNonNegative(where, "margin", options.margin);
    Require(!options.categories.empty(), where, ": categories must list at least 1 attribute");
    uint64_t columns = 0;
    for (const uint32_t count : options.categories)
    {
        Require(count >= 1, where, ": categories of an attribute must be at least 1, got ", count);
        columns += count;
    }
    RequireDenseSize(where, columns, options.samples);

    Dataset data;
    data.name = "categorical";
    data.classes = 2;
    data.labelNames = {"0", "1"};
    const ModelVector probabilities = ColumnProbabilities(options, columns);
    data.truth = DrawLogit(options, probabilities, stream);
    data.features = Eigen::MatrixXd::Zero(columns, options.samples);
    data.labels.resize(options.samples);
    const auto categories = CreateSeeded<UniformRandomVariable>(stream, 1);
    const auto labels = CreateSeeded<UniformRandomVariable>(stream, 2);
    for (uint32_t sample = 0; sample < options.samples; ++sample)
    {
        double logit = 0;
        Eigen::Index first = 0;
        for (const uint32_t count : options.categories)
        {
            // Inverse distribution function; the last category takes what rounding leaves.
            Eigen::Index column = first;
            double left = categories->GetValue(0, 1) - probabilities(column);
            while (left >= 0 && column + 1 < first + Eigen::Index(count))
            {
                left -= probabilities(++column);
            }
            data.features(column, sample) = 1;
            logit += data.truth(column);
            first += count;
        }
        data.labels(sample) = labels->GetValue(0, 1) < 1 / (1 + std::exp(-logit)) ? 1 : 0;
    }
    return data;
}

} // namespace dlearn
} // namespace ns3
