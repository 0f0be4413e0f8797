/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SAMPLE_BLOCKS_H
#define DLEARN_SAMPLE_BLOCKS_H

#include "dlearn-task.h"

#include <algorithm>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Some of a data set's samples, next to each other.
 */
struct SampleBlock
{
    const Eigen::Ref<const Eigen::MatrixXd>& features; //!< one column per sample
    Eigen::ArrayXd labels;                             //!< one label per sample
    Eigen::ArrayXd weights;                            //!< one weight per sample
};

/**
 * @ingroup dlearn
 * Visit weighted samples in blocks, in the order given.
 *
 * A block is small enough to stay in a core's second-level cache while the visitor multiplies with
 * it, forwards and backwards, and large enough for matrix products to pay off. Samples that are
 * adjacent in the data set are used in place; others are copied together.
 *
 * @param data the samples; holds all of the indices
 * @param samples which of them, and their weights
 * @param visit called with each block, which lives until it returns
 */
template <typename Visitor>
void
ForEachBlock(const Dataset& data, const WeightedSamples& samples, const Visitor& visit)
{
    using Matrix = Eigen::Ref<const Eigen::MatrixXd>;
    constexpr Eigen::Index NUMBERS = 8192;
    const auto size = static_cast<Eigen::Index>(samples.indices.size());
    const Eigen::Index rows = data.features.rows();
    const Eigen::Index most =
        std::clamp<Eigen::Index>(NUMBERS / std::max<Eigen::Index>(rows, 1), 8, 512);
    Eigen::MatrixXd gathered;
    for (Eigen::Index first = 0; first < size; first += most)
    {
        const Eigen::Index width = std::min(most, size - first);
        const uint32_t* indices = samples.indices.data() + first;
        bool neighbors = true;
        Eigen::ArrayXd labels(width);
        for (Eigen::Index i = 0; i < width; ++i)
        {
            labels[i] = data.labels[indices[i]];
            neighbors = neighbors && indices[i] == indices[0] + i;
        }
        if (!neighbors)
        {
            gathered.resize(rows, width);
            for (Eigen::Index i = 0; i < width; ++i)
            {
                gathered.col(i) = data.features.col(indices[i]);
            }
        }
        const Matrix features =
            neighbors ? Matrix(data.features.middleCols(indices[0], width)) : Matrix(gathered);
        visit(SampleBlock{features, labels, samples.weights.segment(first, width).array()});
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_SAMPLE_BLOCKS_H
