/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATASET_H
#define DLEARN_DATASET_H

#include "ns3/dlearn-types.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How the features of a sample make an image: channel after channel, each row by row, so that
 * the pixel in row r and column c of channel k is feature (k height + r) width + c.
 */
struct ImageShape
{
    uint32_t channels{0}; //!< 1 for grey, 3 for red, green and blue; 0: no image
    uint32_t height{0};   //!< number of rows
    uint32_t width{0};    //!< number of columns

    /** @return number of features of an image; 0 when there is none */
    uint64_t GetSize() const { return uint64_t{channels} * height * width; }
};

/**
 * @ingroup dlearn
 * Labelled samples, held densely and never changed once shared.
 *
 * Invariants (Validate() refuses anything else): as many labels as feature columns, all
 * numbers finite; with classes > 0 every label is a whole number in [0, classes); a shape has
 * as many pixels as there are features.
 */
struct Dataset
{
    std::string name;                    //!< where the samples come from, for reports
    Eigen::MatrixXd features;            //!< features x samples: one column per sample
    Eigen::VectorXd labels;              //!< class number, or target of a regression
    uint32_t classes{0};                 //!< number of classes; 0 for a regression
    std::vector<std::string> labelNames; //!< original label of each class, in class order
    ModelVector truth;                   //!< generating linear model of synthetic data; else empty
    ImageShape shape;                    //!< of a sample, when it is an image; else all 0

    /** @return number of samples */
    uint32_t GetSize() const { return static_cast<uint32_t>(features.cols()); }

    /** @return number of features of a sample */
    uint32_t GetFeatures() const { return static_cast<uint32_t>(features.rows()); }

    /** @return the largest Euclidean norm of a sample's features; 0 when empty */
    double GetMaxNorm() const;

    /**
     * Divide all features by GetMaxNorm(), so that every sample has norm at most 1 (up to
     * rounding). A truth is multiplied by the same number, so that its inner product with a
     * sample does not change. Without a non-zero feature there is nothing to do.
     */
    void ScaleToUnitNorm();

    /** @throw std::invalid_argument naming the broken invariant */
    void Validate() const;
};

/** Data sets are shared by all learners of a run and never copied. */
using DatasetPtr = std::shared_ptr<const Dataset>;

/**
 * @param count how many
 * @return 0, 1, ..., count - 1
 */
SampleIndices FirstSamples(size_t count);

/**
 * Copy chosen samples, in the order given; repetitions are allowed.
 *
 * @param data the samples
 * @param indices which of them, in which order
 * @return a data set of those samples alone; all but samples and labels is kept
 * @throw std::invalid_argument when an index is not the position of a sample
 */
Dataset Subset(const Dataset& data, const SampleIndices& indices);

/**
 * Refuse a feature matrix that would not sensibly fit into memory: more than 4 GiB.
 *
 * @param where the caller, for the start of the message
 * @param features number of rows
 * @param samples number of columns
 * @throw std::invalid_argument when features x samples doubles exceed the limit
 */
void RequireDenseSize(const std::string& where, uint64_t features, uint64_t samples);

} // namespace ns3::dlearn

#endif // DLEARN_DATASET_H
