/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-generator.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3::dlearn
{

namespace
{

/** What MakeCategorical() draws from; one entry per column. */
struct CategoricalModel
{
    Eigen::MatrixX2d chances; //!< of the categories (rows) given the label (columns)
    ModelVector truth;        //!< w*, the log of the ratio of the chances
};

CategoricalModel
DrawCategoricalModel(const CategoricalOptions& options, uint64_t columns, int64_t stream)
{
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 0);
    CategoricalModel model{Eigen::MatrixX2d(columns, 2), ModelVector(columns)};
    Eigen::Index first = 0;
    double deviation = options.separation;
    for (const uint32_t count : options.categories)
    {
        Eigen::ArrayXd tilts(count);
        Eigen::ArrayXd priors(count);
        for (uint32_t k = 0; k < count; ++k)
        {
            tilts(k) = deviation * normal->GetValue(0, 1);
            priors(k) = -options.skew * std::log(k + 1.0);
        }
        double logRatio = 0; // log(Z_1a / Z_0a)
        for (const int label : {0, 1})
        {
            const double sign = 2 * label - 1;
            const Eigen::ArrayXd logs = priors + sign / 2 * tilts;
            // Without taking off the largest, exp() overflows for tilts of many hundreds.
            const double top = logs.maxCoeff();
            const Eigen::ArrayXd weights = (logs - top).exp();
            model.chances.col(label).segment(first, count) = weights / weights.sum();
            logRatio += sign * (top + std::log(weights.sum()));
        }
        model.truth.segment(first, count) = tilts - logRatio;
        first += count;
        deviation *= options.decay;
    }
    Require(model.truth.allFinite(),
            "categorical data: separation must be small enough for finite weights, got ",
            options.separation);
    return model;
}

} // namespace

ModelVector
DrawSparse(uint32_t size,
           uint32_t nonZeros,
           UniformRandomVariable& places,
           NormalRandomVariable& normal)
{
    Require(nonZeros <= size,
            "DrawSparse: nonZeros must be at most ",
            size,
            " (size), got ",
            nonZeros);
    const SampleIndices order = RandomOrder(size, places);
    ModelVector result = ModelVector::Zero(size);
    for (uint32_t k = 0; k < nonZeros; ++k)
    {
        result(order[k]) = normal.GetValue(0, 1);
    }
    return result;
}

void
DrawLinearGaussian(Dataset& data,
                   double noiseStd,
                   NormalRandomVariable& features,
                   NormalRandomVariable& noise)
{
    RequireSize("DrawLinearGaussian", "truth", data.truth.size(), data.features.rows());
    for (auto& feature : data.features.reshaped())
    {
        feature = features.GetValue();
    }
    data.labels.noalias() = data.features.transpose() * data.truth;
    for (auto& target : data.labels)
    {
        target += noiseStd * noise.GetValue();
    }
}

Dataset
MakeLinearGaussian(const LinearGaussianOptions& options, int64_t stream)
{
    const std::string where = "linear Gaussian data";
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
    if (given)
    {
        data.truth = options.truth;
    }
    else
    {
        const auto places = CreateSeeded<UniformRandomVariable>(stream, 0);
        const auto values = CreateSeeded<NormalRandomVariable>(stream, 1);
        const uint32_t nonZeros = options.nonZeros > 0 ? options.nonZeros : options.features;
        data.truth = DrawSparse(options.features, nonZeros, *places, *values);
    }
    data.features.resize(options.features, options.samples);
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 2);
    const auto noise = CreateSeeded<NormalRandomVariable>(stream, 3);
    DrawLinearGaussian(data, options.noiseStd, *normal, *noise);
    return data;
}

Dataset
MakeCategorical(const CategoricalOptions& options, int64_t stream)
{
    const std::string where = "categorical data";
    Require(options.samples >= 1, where, ": samples must be at least 1, got ", options.samples);
    RequireNonNegative(where, "skew", options.skew);
    RequireNonNegative(where, "separation", options.separation);
    Require(options.decay >= 0 && options.decay <= 1,
            where,
            ": decay must be from 0 to 1, got ",
            options.decay);
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
    const CategoricalModel model = DrawCategoricalModel(options, columns, stream);
    data.truth = model.truth;
    data.features = Eigen::MatrixXd::Zero(columns, options.samples);
    data.labels.resize(options.samples);
    const auto categories = CreateSeeded<UniformRandomVariable>(stream, 1);
    const auto labels = CreateSeeded<UniformRandomVariable>(stream, 2);
    for (uint32_t sample = 0; sample < options.samples; ++sample)
    {
        const int label = labels->GetValue(0, 1) < 0.5 ? 0 : 1;
        data.labels(sample) = label;
        Eigen::Index first = 0;
        for (const uint32_t count : options.categories)
        {
            // Inverse distribution function; the last category takes what rounding leaves.
            Eigen::Index column = first;
            double left = categories->GetValue(0, 1) - model.chances(column, label);
            while (left >= 0 && column + 1 < first + Eigen::Index(count))
            {
                left -= model.chances(++column, label);
            }
            data.features(column, sample) = 1;
            first += count;
        }
    }
    return data;
}

} // namespace ns3::dlearn
