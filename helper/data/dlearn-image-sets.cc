/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-image-sets.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-readers.h"

#include <filesystem>
#include <map>
#include <stdexcept>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Where the originals are, by the name of the data set. */
const std::map<std::string, std::string> ORIGINALS{
    {"cifar10", "https://www.cs.toronto.edu/~kriz/cifar.html"},
    {"fashion-mnist", "https://github.com/zalandoresearch/fashion-mnist"},
    {"mnist", "http://yann.lecun.com/exdb/mnist"},
};

/**
 * @param name of the data set
 * @param file that is missing, within @p directory
 * @param directory where it was looked for
 */
[[noreturn]] void
RefuseAbsent(const std::string& name, const std::string& file, const std::string& directory)
{
    const std::string where = directory.empty()
                                  ? "no directory with data is known"
                                  : "no file " + file + "[.gz] in '" + directory + "'";
    throw std::invalid_argument("data set " + name + ": " + where +
                                "; set --data-dir or DLEARN_DATA to a directory with the folder " +
                                name + " (original: " + ORIGINALS.at(name) + ")");
}

/**
 * @param plain path of a file without .gz
 * @return that path, or the one with .gz; empty when there is neither
 */
std::string
FindPlainOrGzip(const std::filesystem::path& plain)
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

/**
 * @param name of the data set and its folder
 * @param directory where the folder is
 * @param part train or t10k
 * @return that part
 */
Dataset
ReadIdxPart(const std::string& name, const std::string& directory, const std::string& part)
{
    std::vector<std::string> paths;
    for (const char* end : {"-images-idx3-ubyte", "-labels-idx1-ubyte"})
    {
        const std::string file = name + "/" + part + end;
        paths.push_back(FindPlainOrGzip(std::filesystem::path(directory) / file));
        // Without a directory, nothing that happens to be in the current one is meant.
        if (directory.empty() || paths.back().empty())
        {
            RefuseAbsent(name, file, directory);
        }
    }
    return ReadIdx(paths[0], paths[1], name);
}

/**
 * @param folder may not be there
 * @return paths of the training files in it, in the order of their names, each once: the
 *         plain one when there is a compressed one, too
 */
std::vector<std::string>
FindCifarBatches(const std::filesystem::path& folder)
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

/**
 * @param directory where the folder of CIFAR-10 is
 * @return the samples
 */
RawData
ReadCifarFolder(const std::string& directory)
{
    const std::string name = "cifar10";
    for (const char* folder : {"cifar10", "cifar-10-batches-bin"})
    {
        const auto path = std::filesystem::path(directory) / folder;
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

} // namespace

bool
IsImageSet(const std::string& name)
{
    return ORIGINALS.count(name) > 0;
}

RawData
ReadImageSet(const std::string& name, const std::string& directory)
{
    Require(IsImageSet(name), "ReadImageSet: name must be that of a set of images, got ", name);
    RawData data = name == "cifar10" ? ReadCifarFolder(directory)
                                     : RawData{ReadIdxPart(name, directory, "train"),
                                               ReadIdxPart(name, directory, "t10k")};
    const auto& labels = data.train.labels;
    Require((labels.array() != labels[0]).any(),
            "data set ",
            name,
            ": the training images must have at least 2 classes, all have label ",
            labels[0]);
    if (data.test)
    {
        // Of either part, the last classes may be without images.
        const bool fewer = data.test->classes < data.train.classes;
        const Dataset& all = fewer ? data.train : *data.test;
        Dataset& part = fewer ? *data.test : data.train;
        part.classes = all.classes;
        part.labelNames = all.labelNames;
    }
    return data;
}

} // namespace ns3::dlearn
