/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-image-transforms.h"

#include "ns3/dlearn-check.h"

#include <cmath>

namespace ns3::dlearn
{

namespace
{

/**
 * @param where the caller, for the start of the message
 * @param data must be images
 */
void
RequireImages(const std::string& where, const Dataset& data)
{
    Require(data.shape.GetSize() > 0 && data.shape.GetSize() == data.GetFeatures(),
            where,
            ": data must be images, got '",
            data.name,
            "'");
}

/** @return number of pixels of a channel */
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
    Require(data.GetSize() >= 1, "MeasureChannels: '", data.name, "' must have a sample");
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
    Require(data.truth.size() == 0, where, ": '", data.name, "' must not have a truth");
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

Eigen::VectorXd
MirrorImage(ConstVectorRef image, const ImageShape& shape)
{
    RequireSize("MirrorImage", "image", image.size(), shape.GetSize());
    Eigen::VectorXd mirrored(image.size());
    const Eigen::Index width = shape.width;
    for (Eigen::Index row = 0; row < image.size(); row += width)
    {
        mirrored.segment(row, width) = image.segment(row, width).reverse();
    }
    return mirrored;
}

Dataset
AppendMirrored(const Dataset& data)
{
    RequireImages("AppendMirrored", data);
    const uint32_t samples = data.GetSize();
    RequireDenseSize("AppendMirrored", data.GetFeatures(), 2 * uint64_t{samples});
    Dataset both;
    both.name = data.name;
    both.classes = data.classes;
    both.labelNames = data.labelNames;
    both.shape = data.shape;
    both.features.resize(data.features.rows(), 2 * data.features.cols());
    both.labels.resize(2 * data.labels.size());
    both.labels << data.labels, data.labels;
    both.features.leftCols(samples) = data.features;
    for (uint32_t k = 0; k < samples; ++k)
    {
        both.features.col(samples + k) = MirrorImage(data.features.col(k), data.shape);
    }
    return both;
}

} // namespace ns3::dlearn
