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

    /** @return "channels x height x width" for messages */
    std::string Format() const;
};

/**
 * Labelled samples in a dense matrix, which does not change once it is shared.
 *
 * Invariants (Validate() refuses anything else): as many labels as feature columns, all
 * numbers finite; with classes > 0 every label is a whole number in [0, classes); a shape has
 * as many pixels as there are features.
 */
struct Dataset
{
    std::string name;                    //!< source of the samples, for reports
    Eigen::MatrixXd features;            //!< features x samples: one column per sample
    Eigen::VectorXd labels;              //!< class number, or target of a regression
    uint32_t classes{0};                 //!< number of classes; 0 for a regression
    std::vector<std::string> labelNames; //!< original label of each class, in class order
    ModelVector truth;                   //!< generating linear model of synthetic data; else empty
    ImageShape shape;                    //!< of a sample, when it is an image; else all 0
    std::vector<std::string> featureNames; //!< of the columns of a table; else empty
    bool text{false};             //!< whether features are numbers of characters, see ReadLeaf()
    std::vector<uint32_t> owners; //!< of each sample: number of who has it; empty: not known

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

/** What the labels of a file are. */
enum class LabelKind
{
    CLASSES, //!< names of classes, at most 1000 different ones
    TARGETS, //!< targets of a regression: any finite numbers
    EITHER   //!< targets if all are numbers, and some not whole; else classes
};

/**
 * Give samples their labels. Classes become 0..K-1 in the order of their numbers if all labels are
 * numbers, else in the order of their letters; labelNames[k] is class k as it is first spelled
 * ("-1", "+1").
 *
 * @param data gets labels, classes and labelNames
 * @param source name of the file, for messages
 * @param labels one for each sample
 * @param kind what they are
 * @throw std::invalid_argument for a target that is not a number, or too many classes
 */
void SetLabels(Dataset& data,
               const std::string& source,
               const std::vector<std::string>& labels,
               LabelKind kind);

/**
 * Number the classes of a test set as its training set does, by their names; equal numbers are
 * equal names. The test set may lack some of the classes.
 *
 * @throw std::invalid_argument naming a class that the training set lacks
 */
void AdoptClasses(Dataset& test, const Dataset& train);

/** Data sets are shared by all learners of a run and never copied. */
using DatasetPtr = std::shared_ptr<const Dataset>;

/** @return 0, 1, ..., count - 1 */
SampleIndices FirstSamples(size_t count);

/**
 * @param data the samples
 * @param indices positions of samples, in any order; repetitions are allowed
 * @return a data set of these samples alone; all but samples and labels is the same
 * @throw std::invalid_argument when an index is not the position of a sample
 */
Dataset Subset(const Dataset& data, const SampleIndices& indices);

/** Refuse a feature matrix of more than 4 GiB; @p where is the caller, for the message. */
void RequireDenseSize(const std::string& where, uint64_t features, uint64_t samples);

/** Positions of training and test samples, each sample once, in increasing order, for Subset(). */
struct TrainTestSplit
{
    SampleIndices train; //!< samples for training
    SampleIndices test;  //!< samples for the evaluation
};

/**
 * Split a data set at random, every choice of test samples equally likely.
 *
 * @param samples number of samples, at least 2
 * @param testFraction share of the test samples, inside (0, 1); their number is rounded to
 *        the nearest
 * @param stream random stream number (1 used); negative for an automatic one
 * @return the two lists
 * @throw std::invalid_argument when the fraction is not inside (0, 1) or one of the lists
 *        would be empty
 */
TrainTestSplit SplitTrainTest(uint32_t samples, double testFraction, int64_t stream);

/** Mean and standard deviation of the pixels of each channel. */
struct ChannelMoments
{
    Eigen::VectorXd means;      //!< one per channel
    Eigen::VectorXd deviations; //!< one per channel; 0 where all pixels are equal
};

/**
 * @param data images, at least one
 * @return the moments over all pixels of all samples; the variance is divided by their number
 * @throw std::invalid_argument when the data are not images, or empty
 */
ChannelMoments MeasureChannels(const Dataset& data);

/**
 * Replace each pixel v of channel k by (v - means_k) / deviations_k, or by v - means_k when the
 * deviation is 0. The images of the moments then have mean 0 and variance 1 in each channel. Test
 * images are shifted and scaled by the moments of the training images.
 *
 * @param data images without a truth, which would no longer be true
 * @param moments one per channel
 * @throw std::invalid_argument when the data are not images or have a truth, or the moments have
 *        another number of channels
 */
void NormalizeChannels(Dataset& data, const ChannelMoments& moments);

/**
 * Append the mirror image of every sample, each row from right to left, with its label.
 *
 * The usual alternative mirrors at random whenever a sample is drawn. With copies a gradient
 * remains a function of the model and the numbers of samples alone, and a uniform draw has the same
 * distribution. For privacy a copy is a separate sample: a ledger of one sample holds for an image
 * and for its copy each, not for both together.
 *
 * @param data images
 * @return twice as many samples
 * @throw std::invalid_argument when the data are not images, or need over 4 GiB
 */
Dataset AppendMirrored(const Dataset& data);

} // namespace ns3::dlearn

#endif // DLEARN_DATASET_H
