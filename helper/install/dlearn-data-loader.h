/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATA_LOADER_H
#define DLEARN_DATA_LOADER_H

#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-task.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/** The data that a user wants to learn from. @ingroup dlearn */
struct DataOptions
{
    std::string data{"generated"}; //!< see GetDataNames()
    std::string task{"auto"};      //!< see CreateTask()
    std::string directory;         //!< of real data; empty: see FindDataDirectory()
    uint32_t samples{0};           //!< of generated and glyphs; 0: the generator's default
    uint32_t features{0};          //!< of a sample in a LIBSVM file; 0: the largest index
    std::string label;             //!< of CSV files: column of the labels; empty: the last
    uint32_t users{0};             //!< of LEAF files: read the first so many; 0: all
    std::string partition;         //!< file:FILE gives the samples owners, see PartitionByName()
    std::string testData;          //!< file of test samples, beside a file; empty: testFraction
    double testFraction{0.2};      //!< share of test samples, [0, 1); for data without a test set
    bool unitNorm{true};           //!< divide features by the largest norm; not for normalize, sine
    bool normalize{false};         //!< images: see NormalizeChannels(), by the moments of train
    bool mirror{false};            //!< images: append the mirror images to train
    int64_t stream{0};             //!< first random stream (8 used): generation and split
};

/** Samples to learn from and to score on. @ingroup dlearn */
struct LoadedData
{
    DatasetPtr train;
    DatasetPtr test; //!< train itself when testFraction is 0 and the data have no test set
    std::vector<SampleIndices> shards{}; //!< of each learner, where the data are divided already
    bool split{false};                   //!< test was split off by testFraction
};

/** @return the possible values of DataOptions::data, for help and messages */
std::string GetDataNames();

/** @return whether a data set has its files in DataOptions::directory */
bool IsInDataDirectory(const std::string& data);

/** Formats of files of samples, by their names. @ingroup dlearn */
enum class DataFormat
{
    NONE,   //!< no file that a user names
    LIBSVM, //!< also mushrooms
    CSV,    //!< ends in .csv or .csv.gz
    LEAF    //!< ends in .json or .json.gz, or a folder
};

/** @return the format of a value of DataOptions::data */
DataFormat GetDataFormat(const std::string& data);

/** @return the directory of data sets: DLEARN_DATA of the environment, else ../shared/data when it
 *          exists, else empty */
std::string FindDataDirectory();

/**
 * @ingroup dlearn
 * Load or generate data. Files of images may be compressed with gzip, with .gz after their names:
 * - mnist and fashion-mnist, in the folder of that name: train-images-idx3-ubyte,
 *   train-labels-idx1-ubyte and, for the test, the same with t10k;
 * - emnist-balanced, -byclass, -bymerge, -digits, -letters and -mnist, in the folder emnist: the
 *   same files with the name and a hyphen before them, and test in place of t10k;
 * - cifar10, in the folder cifar10 or cifar-10-batches-bin: all files data_batch_*.bin in the order
 *   of their names and, for the test, test_batch.bin, if it exists.
 *
 * A file of test samples must have the columns of the training data, and no other classes
 * (AdoptClasses()); columns that one of two LIBSVM files lacks are 0.
 *
 * The lines of a partition file:FILE are for all training samples of the data, with those that are
 * held out.
 *
 * @throw std::invalid_argument naming the missing file and its public source, or the option that
 *        does not fit the data
 * @throw std::runtime_error naming the mistake in a file
 */
LoadedData LoadData(const DataOptions& options);

/**
 * @ingroup dlearn
 * @param name least-squares, logistic, softmax, sine (SineTask) or auto: logistic for two classes,
 *        softmax for more, least squares for a regression; cnn: a neural network of two
 *        convolutions, two pools and a hidden layer, with 431,080 parameters for 28 x 28 images and
 *        10 classes; net:LAYERS: a neural network of other layers, see ParseNetworkPlan();
 *        torch:FILE: one in a TorchScript file, see TorchTask
 * @param data to learn from
 * @param regularization its attribute Regularization
 * @return the task, with its data
 */
Ptr<Task> CreateTask(const std::string& name, const LoadedData& data, double regularization);

} // namespace ns3::dlearn

#endif // DLEARN_DATA_LOADER_H
