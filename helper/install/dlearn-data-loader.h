/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATA_LOADER_H
#define DLEARN_DATA_LOADER_H

#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-task.h"

#include <string>

namespace ns3::dlearn
{

/** The data that a user wants to learn from. @ingroup dlearn */
struct DataOptions
{
    std::string data{"generated"}; //!< see GetDataNames()
    std::string task{"auto"};      //!< what it is for: see CreateTask()
    std::string directory;         //!< where real data are; empty: see FindDataDirectory()
    uint32_t samples{0}; //!< of generated and glyphs; 0: as many as the generator's default
    /** Of a sample in a LIBSVM file, which may lack the last ones; 0: the largest index. */
    uint32_t features{0};
    /** Share of the samples kept back for scoring, [0, 1); for data without a test set. */
    double testFraction{0.2};
    bool unitNorm{true};   //!< divide features by the largest norm; not for normalize, sine
    bool normalize{false}; //!< images: see NormalizeChannels(), by the moments of train
    bool mirror{false};    //!< images: append the mirror images to train
    int64_t stream{0};     //!< first random stream (8 used): generation and split
};

/** Samples to learn from and to score on. @ingroup dlearn */
struct LoadedData
{
    DatasetPtr train; //!< to learn from
    DatasetPtr test;  //!< train itself when testFraction is 0 and the data have no test set
};

/** @return the possible values of DataOptions::data, for help and messages */
std::string GetDataNames();

/** @return whether it is the name of a data set whose files are in DataOptions::directory */
bool IsInDataDirectory(const std::string& data);

/** @return whether data of this name have a test set */
bool HasTestSet(const std::string& data);

/**
 * @return the directory of real data sets: the environment variable DLEARN_DATA, else
 *         ../shared/data when it exists, else empty
 */
std::string FindDataDirectory();

/**
 * @ingroup dlearn
 * Load or generate data. Sets of images may be compressed with gzip, then with .gz at the end of
 * the names of their files:
 * - mnist and fashion-mnist, in the folder of that name: train-images-idx3-ubyte,
 *   train-labels-idx1-ubyte and the same with t10k, which are for scoring;
 * - cifar10, in the folder cifar10 or, as it is published, cifar-10-batches-bin: all files
 *   data_batch_*.bin in the order of their names, and for scoring test_batch.bin, if it is
 *   there.
 *
 * @param options what the user wants
 * @return the data
 * @throw std::invalid_argument naming the file that is missing and where its public original
 *        comes from, or the option that does not fit the data
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
