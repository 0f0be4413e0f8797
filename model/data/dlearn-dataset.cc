/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dataset.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ns3::dlearn
{

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
    Require(features.cols() <= std::numeric_limits<uint32_t>::max(),
            where,
            ": samples must be numbered by 32 bits, got ",
            features.cols());
    RequireSize(where, "labels", labels.size(), features.cols());
    if (!features.allFinite())
    {
        for (Eigen::Index sample = 0; sample < features.cols(); ++sample)
        {
            for (Eigen::Index row = 0; row < features.rows(); ++row)
            {
                Require(std::isfinite(features(row, sample)),
                        where,
                        ": feature ",
                        row,
                        " of sample ",
                        sample,
                        " must be finite, got ",
                        features(row, sample));
            }
        }
    }
    for (Eigen::Index sample = 0; sample < labels.size(); ++sample)
    {
        const double label = labels(sample);
        Require(std::isfinite(label),
                where,
                ": label of sample ",
                sample,
                " must be finite, got ",
                label);
        Require(classes == 0 || (label >= 0 && label < classes && label == std::floor(label)),
                where,
                ": label of sample ",
                sample,
                " must be a whole number from 0 to ",
                int64_t(classes) - 1,
                ", got ",
                label);
    }
    if (!labelNames.empty())
    {
        RequireSize(where, "labelNames", labelNames.size(), classes);
    }
    Require(truth.allFinite(), where, ": truth must be finite");
    Require(shape.GetSize() == 0 || shape.GetSize() == GetFeatures(),
            where,
            ": an image of ",
            shape.channels,
            " x ",
            shape.height,
            " x ",
            shape.width,
            " must have as many features, got ",
            GetFeatures());
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
    Dataset subset;
    subset.name = data.name;
    subset.classes = data.classes;
    subset.labelNames = data.labelNames;
    subset.truth = data.truth;
    subset.shape = data.shape;
    subset.features.resize(data.features.rows(), static_cast<Eigen::Index>(indices.size()));
    subset.labels.resize(static_cast<Eigen::Index>(indices.size()));
    for (size_t k = 0; k < indices.size(); ++k)
    {
        Require(indices[k] < data.GetSize(),
                "Subset of '",
                data.name,
                "': index must be less than ",
                data.GetSize(),
                ", got ",
                indices[k]);
        subset.features.col(k) = data.features.col(indices[k]);
        subset.labels(k) = data.labels(indices[k]);
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
            where,
            ": ",
            features,
            " features x ",
            samples,
            " samples need ",
            bytes / gibibyte,
            " GiB as a dense matrix, must be at most ",
            limit / gibibyte,
            " GiB");
}

} // namespace ns3::dlearn
