/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-loader.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-idx-reader.h"
#include "ns3/dlearn-least-squares-task.h"
#include "ns3/dlearn-libsvm-reader.h"
#include "ns3/dlearn-logistic-task.h"
#include "ns3/dlearn-neural-network-task.h"
#include "ns3/dlearn-softmax-task.h"
#include "ns3/dlearn-train-test-split.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace ns3
{
namespace dlearn
{

namespace
{

/**
 * @param directory the user's, or empty
 * @return path of the mushrooms file
 */
std::string
FindMushrooms(const std::string& directory)
{
    const std::filesystem::path root = directory.empty() ? FindDataDirectory() : directory;
    for (const auto& path : {root / "libsvm" / "mushrooms", root / "mushrooms"})
    {
        if (!root.empty() && std::filesystem::is_regular_file(path))
        {
            return path.string();
        }
    }
    Require(false,
            "data set mushrooms: no file libsvm/mushrooms or mushrooms in '",
            root.string(),
            "'; set --data-dir or DLEARN_DATA to a directory with the file 'mushrooms' of the "
            "LIBSVM collection of binary data sets (original: UCI Mushroom, "
            "doi:10.24432/C5959T)");
    return {};
}

/**
 * @param path a LIBSVM file
 * @param task what it is for: only then is clear whether labels are classes or targets
 * @return its samples
 */
Dataset
ReadFile(const std::string& path, const std::string& task)
{
    if (task != "auto" && task != "least-squares")
    {
        return ReadLibsvm(path, LibsvmLabels::CLASSES);
    }
    Dataset targets = ReadLibsvm(path, LibsvmLabels::TARGETS);
    const bool whole = targets.labels.array().isApprox(targets.labels.array().round(), 0);
    if (task == "least-squares" || !whole)
    {
        return targets;
    }
    return ReadLibsvm(path, LibsvmLabels::CLASSES);
}

} // namespace

std::string
FindDataDirectory()
{
    if (const char* directory = std::getenv("DLEARN_DATA"))
    {
        return directory;
    }
    const char* shared = "../shared/data";
    return std::filesystem::is_directory(shared) ? shared : "";
}

namespace
{

/**
 * Read a data set of images that has a training and a test part of its own.
 *
 * @param options with the name of the data set, mnist or fashion-mnist, and the directory
 * @return both parts
 */
LoadedData
LoadImages(const DataOptions& options)
{
    const std::filesystem::path root =
        options.directory.empty() ? FindDataDirectory() : options.directory;
    const auto read = [&](const std::string& part) {
        const std::string names[] = {part + "-images-idx3-ubyte", part + "-labels-idx1-ubyte"};
        std::string paths[2];
        for (size_t k = 0; k < 2; ++k)
        {
            for (const char* end : {"", ".gz"})
            {
                const auto path = root / options.data / (names[k] + end);
                paths[k] = std::filesystem::is_regular_file(path) ? path.string() : paths[k];
            }
            Require(!root.empty() && !paths[k].empty(),
                    "data set ",
                    options.data,
                    ": no file ",
                    options.data,
                    "/",
                    names[k],
                    "[.gz] in '",
                    root.string(),
                    "'; set --data-dir or DLEARN_DATA to a directory with the folder ",
                    options.data,
                    options.data == "mnist"
                        ? " (original: http://yann.lecun.com/exdb/mnist)"
                        : " (original: https://github.com/zalandoresearch/fashion-mnist)");
        }
        Dataset data = ReadIdx(paths[0], paths[1], options.data);
        if (options.unitNorm)
        {
            data.ScaleToUnitNorm();
        }
        return std::make_shared<const Dataset>(std::move(data));
    };
    LoadedData loaded;
    loaded.train = read("train");
    loaded.test = read("t10k");
    return loaded;
}

} // namespace

LoadedData
LoadData(const DataOptions& options)
{
    Require(options.testFraction >= 0 && options.testFraction < 1,
            "test-fraction must be in [0, 1), got ",
            options.testFraction);
    if (options.data == "mnist" || options.data == "fashion-mnist")
    {
        return LoadImages(options);
    }
    Dataset all;
    if (options.data == "generated" && options.task == "least-squares")
    {
        all = MakeLinearGaussian(LinearGaussianOptions(), options.stream);
    }
    else if (options.data == "generated")
    {
        all = MakeCategorical(CategoricalOptions(), options.stream);
    }
    else if (options.data == "mushrooms")
    {
        all = ReadFile(FindMushrooms(options.directory), options.task);
    }
    else
    {
        all = ReadFile(options.data, options.task);
    }
    if (options.unitNorm)
    {
        all.ScaleToUnitNorm();
    }
    LoadedData loaded;
    if (options.testFraction == 0)
    {
        loaded.train = std::make_shared<const Dataset>(std::move(all));
        loaded.test = loaded.train;
        return loaded;
    }
    const auto split = SplitTrainTest(all.GetSize(), options.testFraction, options.stream + 7);
    loaded.train = std::make_shared<const Dataset>(Subset(all, split.train));
    loaded.test = std::make_shared<const Dataset>(Subset(all, split.test));
    return loaded;
}

namespace
{

/**
 * @param name of a task
 * @param classes of the data
 * @return the layers, when it is a neural network; else nothing
 */
std::string
GetLayers(const std::string& name, uint32_t classes)
{
    const std::string prefix = "net:";
    if (name.rfind(prefix, 0) == 0)
    {
        return name.substr(prefix.size());
    }
    return name == "cnn" ? "conv20x5,relu,pool2,conv50x5,relu,pool2,fc500,relu,fc" +
                               std::to_string(std::max(classes, 1U))
                         : "";
}

} // namespace

Ptr<Task>
CreateTask(const std::string& name, const LoadedData& data, double regularization)
{
    RequireNonNegative("task", "regularization", regularization);
    const uint32_t classes = data.train->classes;
    Ptr<Task> task;
    if (name == "least-squares" || (name == "auto" && classes == 0))
    {
        task = CreateObject<LeastSquaresTask>();
    }
    else if (name == "logistic" || (name == "auto" && classes == 2))
    {
        task = CreateObject<LogisticTask>();
    }
    else if (const std::string layers = GetLayers(name, classes); !layers.empty())
    {
        task = CreateObject<NeuralNetworkTask>();
        task->SetAttribute("Layers", StringValue(layers));
    }
    else
    {
        Require(name == "softmax" || name == "auto",
                "task must be auto, least-squares, logistic, softmax, cnn or net:LAYERS, got '",
                name,
                "'");
        task = CreateObject<SoftmaxTask>();
    }
    task->SetAttribute("Regularization", DoubleValue(regularization));
    task->SetData(data.train, data.test);
    return task;
}

} // namespace dlearn
} // namespace ns3
