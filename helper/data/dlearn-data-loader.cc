/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-loader.h"

#include "dlearn-image-sets.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-data-readers.h"
#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-neural-network-task.h"
#include "ns3/dlearn-sine-task.h"
#include "ns3/dlearn-torch-task.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace ns3::dlearn
{

namespace
{

const std::string SINE = "sine";           //!< the task of MakeSineData()
const std::string MUSHROOMS = "mushrooms"; //!< a data set that is one file

/**
 * @param root directory of the data sets, or empty
 * @return path of the mushrooms file
 */
std::string
FindMushrooms(const std::filesystem::path& root)
{
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
 * @param features of a sample, or 0
 * @return its samples
 */
Dataset
ReadFile(const std::string& path, const std::string& task, uint32_t features)
{
    const bool either = task == "auto";
    const bool regression = either || task == "least-squares" || task == SINE;
    Dataset data =
        ReadLibsvm(path, regression ? LibsvmLabels::TARGETS : LibsvmLabels::CLASSES, features);
    if (either && data.labels.array().isApprox(data.labels.array().round(), 0))
    {
        data = ReadLibsvm(path, LibsvmLabels::CLASSES, features);
    }
    Require(features == 0 || data.GetFeatures() == features,
            "features must be at least ",
            data.GetFeatures(),
            ", the largest index in ",
            path,
            ", got ",
            features);
    return data;
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
 * @param options with the name of data that are generated
 * @return the samples
 */
Dataset
Generate(const DataOptions& options)
{
    const auto make = [&](auto generator, auto sizes) {
        sizes.samples = options.samples > 0 ? options.samples : sizes.samples;
        return generator(sizes, options.stream);
    };
    if (options.data == "glyphs")
    {
        return make(MakeGlyphs, GlyphOptions());
    }
    if (options.task == "least-squares")
    {
        return make(MakeLinearGaussian, LinearGaussianOptions());
    }
    if (options.task == SINE)
    {
        return make(MakeSineData, SineOptions());
    }
    return make(MakeCategorical, CategoricalOptions());
}

/**
 * @param options what the user wants
 * @return the samples as they are in the files, or generated
 */
RawData
ReadRawData(const DataOptions& options)
{
    if (options.data == "generated" || options.data == "glyphs")
    {
        return {Generate(options), std::nullopt};
    }
    Require(options.samples == 0,
            "data-samples is for generated and glyphs, got data ",
            options.data);
    const std::string directory =
        options.directory.empty() ? FindDataDirectory() : options.directory;
    if (IsImageSet(options.data))
    {
        return ReadImageSet(options.data, directory);
    }
    const bool mushrooms = options.data == MUSHROOMS;
    const bool named = options.data.find('/') == std::string::npos;
    Require(mushrooms || !named || std::filesystem::exists(options.data),
            "data must be ",
            GetDataNames(),
            "; got '",
            options.data,
            "', which is none of these and no file that is there");
    const std::string path = mushrooms ? FindMushrooms(directory) : options.data;
    return {ReadFile(path, options.task, options.features), std::nullopt};
}

/**
 * Keep samples back for scoring, unless there are some already.
 *
 * @param testFraction share of them
 * @param stream draws them
 * @param data its samples are split
 */
void
KeepBack(double testFraction, int64_t stream, RawData& data)
{
    if (data.test || testFraction == 0)
    {
        return;
    }
    const auto split = SplitTrainTest(data.train.GetSize(), testFraction, stream);
    data.test = Subset(data.train, split.test);
    data.train = Subset(data.train, split.train);
}

} // namespace

std::string
GetDataNames()
{
    return "generated, glyphs, mushrooms, mnist, fashion-mnist, cifar10 or the path of a LIBSVM "
           "file (may be .gz)";
}

bool
IsInDataDirectory(const std::string& data)
{
    return data == MUSHROOMS || IsImageSet(data);
}

bool
HasTestSet(const std::string& data)
{
    return IsImageSet(data);
}

LoadedData
LoadData(const DataOptions& options)
{
    Require(options.testFraction >= 0 && options.testFraction < 1,
            "test-fraction must be in [0, 1), got ",
            options.testFraction);
    RawData data = ReadRawData(options);
    for (const auto& [name, wanted] :
         {std::pair("normalize", options.normalize), std::pair("mirror", options.mirror)})
    {
        Require(!wanted || data.train.shape.GetSize() > 0,
                name,
                " is for images, got data ",
                options.data);
    }
    // The features of sine are no directions: scaled, they would be another problem.
    if (options.unitNorm && !options.normalize && options.task != SINE)
    {
        // One scale for both, or a model would not mean the same to them.
        const double norm = data.train.GetMaxNorm();
        data.train.ScaleToUnitNorm();
        if (data.test && norm > 0)
        {
            data.test->features /= norm;
        }
    }
    KeepBack(options.testFraction, options.stream + 7, data);
    if (options.normalize)
    {
        const ChannelMoments moments = MeasureChannels(data.train);
        NormalizeChannels(data.train, moments);
        if (data.test)
        {
            NormalizeChannels(*data.test, moments);
        }
    }
    if (options.mirror)
    {
        data.train = AppendMirrored(data.train);
    }
    LoadedData loaded;
    loaded.train = std::make_shared<const Dataset>(std::move(data.train));
    loaded.test = data.test ? std::make_shared<const Dataset>(std::move(*data.test)) : loaded.train;
    return loaded;
}

namespace
{

/**
 * @param name of a task
 * @param prefix what it may begin with
 * @return what follows the prefix; nothing when the name does not begin with it
 */
std::string
GetArgument(const std::string& name, const std::string& prefix)
{
    return name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : "";
}

/**
 * @param name of a task
 * @param classes of the data
 * @return the layers, when it is a neural network; else nothing
 */
std::string
GetLayers(const std::string& name, uint32_t classes)
{
    return name == "cnn" ? "conv20x5,relu,pool2,conv50x5,relu,pool2,fc500,relu,fc" +
                               std::to_string(std::max(classes, 1U))
                         : GetArgument(name, "net:");
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
    else if (const std::string file = GetArgument(name, "torch:"); !file.empty())
    {
        task = CreateObject<TorchTask>();
        task->SetAttribute("File", StringValue(file));
    }
    else if (name == SINE)
    {
        task = CreateObject<SineTask>();
    }
    else
    {
        Require(name == "softmax" || name == "auto",
                "task must be auto, least-squares, logistic, softmax, sine, cnn, net:LAYERS or "
                "torch:FILE, got '",
                name,
                "'");
        task = CreateObject<SoftmaxTask>();
    }
    task->SetAttribute("Regularization", DoubleValue(regularization));
    task->SetData(data.train, data.test);
    return task;
}

} // namespace ns3::dlearn
