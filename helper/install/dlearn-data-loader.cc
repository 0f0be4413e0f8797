/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-loader.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-data-readers.h"
#include "ns3/dlearn-dataset.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-neural-network-task.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-sine-task.h"
#include "ns3/dlearn-table-readers.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-torch-task.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

using Path = std::filesystem::path;

const std::string SINE = "sine";           //!< the task of MakeSineData()
const std::string MUSHROOMS = "mushrooms"; //!< a data set that is one file

const std::string EMNIST_SOURCE = "https://www.nist.gov/itl/products-and-services/emnist-dataset";

/** Public sources of the sets of images. */
const std::map<std::string, std::string> IMAGE_SETS{
    {"cifar10", "https://www.cs.toronto.edu/~kriz/cifar.html"},
    {"emnist-balanced", EMNIST_SOURCE},
    {"emnist-byclass", EMNIST_SOURCE},
    {"emnist-bymerge", EMNIST_SOURCE},
    {"emnist-digits", EMNIST_SOURCE},
    {"emnist-letters", EMNIST_SOURCE},
    {"emnist-mnist", EMNIST_SOURCE},
    {"fashion-mnist", "https://github.com/zalandoresearch/fashion-mnist"},
    {"mnist", "http://yann.lecun.com/exdb/mnist"},
};

/** Samples of files, before a run changes them. */
struct RawData
{
    Dataset train;
    std::optional<Dataset> test; //!< if the data set has one
};

std::string
DescribeAbsent(const std::string& file, const std::string& directory)
{
    return directory.empty() ? "no directory with data is known"
                             : "no file " + file + " in '" + directory + "'";
}

/** @return whether a set of images is a split of EMNIST, which has one folder for all */
bool
IsOfEmnist(const std::string& name)
{
    return name.rfind("emnist-", 0) == 0;
}

/** Refuse a set of images without one of its files. */
[[noreturn]] void
RefuseAbsent(const std::string& name, const std::string& file, const std::string& directory)
{
    throw std::invalid_argument(
        "data set " + name + ": " + DescribeAbsent(file + "[.gz]", directory) +
        "; set --data-dir or DLEARN_DATA to a directory with the folder " +
        (IsOfEmnist(name) ? "emnist" : name) + " (original: " + IMAGE_SETS.at(name) + ")");
}

/** @return a path, or the same with .gz; empty: neither is a file */
std::string
FindPlainOrGzip(const Path& plain)
{
    for (const char* end : {"", ".gz"})
    {
        const std::string path = plain.string() + end;
        if (std::filesystem::is_regular_file(path))
        {
            return path;
        }
    }
    return {};
}

/** @return the part train, t10k or test of a data set in the format of MNIST */
Dataset
ReadIdxPart(const std::string& name, const std::string& directory, const std::string& part)
{
    std::vector<std::string> paths;
    for (const char* end : {"-images-idx3-ubyte", "-labels-idx1-ubyte"})
    {
        const std::string file =
            (IsOfEmnist(name) ? "emnist/" + name + "-" : name + "/") + part + end;
        paths.push_back(FindPlainOrGzip(Path(directory) / file));
        // Without a directory, a file in the current directory is not meant.
        if (directory.empty() || paths.back().empty())
        {
            RefuseAbsent(name, file, directory);
        }
    }
    return ReadIdx(paths[0], paths[1], name);
}

/** @return paths of the training files in a folder that may not exist, in the order of their names;
 *          the plain file rather than a compressed one */
std::vector<std::string>
FindCifarBatches(const Path& folder)
{
    std::map<std::string, std::string> paths; // by the name of the plain file
    if (std::filesystem::is_directory(folder))
    {
        for (const auto& entry : std::filesystem::directory_iterator(folder))
        {
            const auto file = entry.path().filename();
            const auto plain = file.extension() == ".gz" ? file.stem() : file;
            if (plain.string().rfind("data_batch_", 0) == 0 && plain.extension() == ".bin")
            {
                paths[plain.string()] = FindPlainOrGzip(folder / plain);
            }
        }
    }
    std::vector<std::string> sorted;
    for (const auto& [plain, path] : paths)
    {
        sorted.push_back(path);
    }
    return sorted;
}

RawData
ReadCifarFolder(const std::string& directory)
{
    const std::string name = "cifar10";
    for (const char* folder : {"cifar10", "cifar-10-batches-bin"})
    {
        const auto path = Path(directory) / folder;
        const auto batches = FindCifarBatches(path);
        if (!directory.empty() && !batches.empty())
        {
            RawData data{ReadCifar10(batches, name), std::nullopt};
            const std::string test = FindPlainOrGzip(path / "test_batch.bin");
            if (!test.empty())
            {
                data.test = ReadCifar10({test}, name);
            }
            return data;
        }
    }
    RefuseAbsent(name, "cifar10/data_batch_*.bin", directory);
}

bool
IsImageSet(const std::string& data)
{
    return IMAGE_SETS.count(data) > 0;
}

RawData
ReadImageSet(const std::string& name, const std::string& directory)
{
    RawData data = name == "cifar10"
                       ? ReadCifarFolder(directory)
                       : RawData{ReadIdxPart(name, directory, "train"),
                                 ReadIdxPart(name, directory, IsOfEmnist(name) ? "test" : "t10k")};
    const auto& labels = data.train.labels;
    Require((labels.array() != labels[0]).any(),
            "data set {}: the training images must have at least 2 classes, all have label {}",
            name,
            labels[0]);
    if (data.test)
    {
        // The last classes may be without images in either part.
        const bool fewer = data.test->classes < data.train.classes;
        const Dataset& all = fewer ? data.train : *data.test;
        Dataset& part = fewer ? *data.test : data.train;
        part.classes = all.classes;
        part.labelNames = all.labelNames;
    }
    return data;
}

std::string
FindMushrooms(const Path& root)
{
    for (const auto& path : {root / "libsvm" / "mushrooms", root / "mushrooms"})
    {
        if (!root.empty() && std::filesystem::is_regular_file(path))
        {
            return path.string();
        }
    }
    Require(false,
            "data set mushrooms: {}; set --data-dir or DLEARN_DATA to a directory with the file "
            "'mushrooms' of the LIBSVM collection of binary data sets (original: UCI Mushroom, "
            "doi:10.24432/C5959T)",
            DescribeAbsent("libsvm/mushrooms or mushrooms", root.string()));
    return {};
}

/** @return the samples of a file */
Dataset
ReadFile(const DataOptions& options, const std::string& path, LabelKind labels)
{
    if (GetDataFormat(path) == DataFormat::CSV)
    {
        return ReadCsv(path, labels, options.label);
    }
    if (GetDataFormat(path) == DataFormat::LEAF)
    {
        return ReadLeaf(path, labels, options.users);
    }
    Dataset data = ReadLibsvm(path, labels, options.features);
    Require(options.features == 0 || data.GetFeatures() == options.features,
            "features must be at least {}, the largest index in {}, got {}",
            data.GetFeatures(),
            path,
            options.features);
    return data;
}

/** @return the training samples of a file, and the test samples of another, if there is one */
RawData
ReadFiles(const DataOptions& options, const std::string& path)
{
    const bool regression = options.task == "least-squares" || options.task == SINE;
    RawData data{ReadFile(options,
                          path,
                          options.task == "auto" ? LabelKind::EITHER
                          : regression           ? LabelKind::TARGETS
                                                 : LabelKind::CLASSES),
                 std::nullopt};
    Dataset& train = data.train;
    if (options.testData.empty())
    {
        return data;
    }
    data.test = ReadFile(options,
                         options.testData,
                         train.classes > 0 ? LabelKind::CLASSES : LabelKind::TARGETS);
    Require(data.test->featureNames == train.featureNames,
            "test-data must have the columns of the data in the same order, {}; {} has {}",
            JoinNames(train.featureNames),
            options.testData,
            JoinNames(data.test->featureNames));
    const uint32_t features = std::max(train.GetFeatures(), data.test->GetFeatures());
    for (Dataset* part : {&train, &*data.test})
    {
        part->features.conservativeResizeLike(Eigen::MatrixXd::Zero(features, part->GetSize()));
    }
    AdoptClasses(*data.test, train);
    return data;
}

Dataset
Generate(const DataOptions& options)
{
    const auto make = [&](auto generator, auto sizes) {
        sizes.samples = options.samples > 0 ? options.samples : sizes.samples;
        return generator(sizes, options.stream);
    };
    return options.data == "glyphs"          ? make(MakeGlyphs, GlyphOptions())
           : options.task == "least-squares" ? make(MakeLinearGaussian, LinearGaussianOptions())
           : options.task == SINE            ? make(MakeSineData, SineOptions())
                                             : make(MakeCategorical, CategoricalOptions());
}

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
            "data must be {}; got '{}', which is none of these and not a file",
            GetDataNames(),
            options.data);
    const std::string path = mushrooms ? FindMushrooms(directory) : options.data;
    return ReadFiles(options, path);
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

std::string
GetDataNames()
{
    return "generated, glyphs, mushrooms, mnist, fashion-mnist, emnist-SPLIT, cifar10 or the path "
           "of a LIBSVM "
           "file, or of FILE.csv, whose first line names the columns, or of FILE.json of LEAF (all "
           "may be .gz), or of a folder of the latter";
}

bool
IsInDataDirectory(const std::string& data)
{
    return data == MUSHROOMS || IsImageSet(data);
}

DataFormat
GetDataFormat(const std::string& data)
{
    if (data == "generated" || data == "glyphs" || IsImageSet(data))
    {
        return DataFormat::NONE;
    }
    const Path path(data);
    const Path plain = path.extension() == ".gz" ? path.stem() : path;
    const bool leaf = plain.extension() == ".json" || std::filesystem::is_directory(path);
    return leaf                          ? DataFormat::LEAF
           : plain.extension() == ".csv" ? DataFormat::CSV
                                         : DataFormat::LIBSVM;
}

LoadedData
LoadData(const DataOptions& options)
{
    Require(options.testFraction >= 0 && options.testFraction < 1,
            "test-fraction must be in [0, 1), got ",
            options.testFraction);
    RawData data = ReadRawData(options);
    const std::string file = "file:";
    if (options.partition.rfind(file, 0) == 0)
    {
        data.train.owners = ReadOwners(options.partition.substr(file.size()), data.train.GetSize());
    }
    for (const auto& [name, wanted] :
         {std::pair("normalize", options.normalize), std::pair("mirror", options.mirror)})
    {
        Require(!wanted || data.train.shape.GetSize() > 0,
                "{} is for images, got data {}",
                name,
                options.data);
    }
    // Scaled features of sine would be another problem; those of text are no quantities.
    if (options.unitNorm && !options.normalize && options.task != SINE && !data.train.text)
    {
        // A model needs one scale for both.
        const double norm = data.train.GetMaxNorm();
        data.train.ScaleToUnitNorm();
        if (data.test && norm > 0)
        {
            data.test->features /= norm;
        }
    }
    const bool split = !data.test && options.testFraction > 0;
    if (split)
    {
        const auto parts =
            SplitTrainTest(data.train.GetSize(), options.testFraction, options.stream + 7);
        data.test = Subset(data.train, parts.test);
        data.train = Subset(data.train, parts.train);
    }
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
    loaded.split = split;
    return loaded;
}

Ptr<Task>
CreateTask(const std::string& name, const LoadedData& data, double regularization)
{
    RequireNonNegative("task", "regularization", regularization);
    const uint32_t classes = data.train->classes;
    const auto argument = [&name](const std::string& prefix) {
        return name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : "";
    };
    const std::string layers = name == "cnn"
                                   ? "conv20x5,relu,pool2,conv50x5,relu,pool2,fc500,relu,fc" +
                                         std::to_string(std::max(classes, 1U))
                                   : argument("net:");
    Ptr<Task> task;
    if (name == "least-squares" || (name == "auto" && classes == 0))
    {
        task = CreateObject<LeastSquaresTask>();
    }
    else if (name == "logistic" || (name == "auto" && classes == 2))
    {
        task = CreateObject<LogisticTask>();
    }
    else if (!layers.empty())
    {
        task = CreateObject<NeuralNetworkTask>();
        task->SetAttribute("Layers", StringValue(layers));
    }
    else if (const std::string file = argument("torch:"); !file.empty())
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
                "torch:FILE, got '{}'",
                name);
        task = CreateObject<SoftmaxTask>();
    }
    task->SetAttribute("Regularization", DoubleValue(regularization));
    task->SetData(data.train, data.test);
    return task;
}

} // namespace ns3::dlearn
