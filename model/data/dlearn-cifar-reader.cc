/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cifar-reader.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gzip-file.h"

#include <array>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

constexpr ImageShape SHAPE{3, 32, 32};
constexpr uint32_t PIXELS = 3 * 32 * 32;
constexpr uint32_t CLASSES = 10;

/** An image as it is in a file: the label, then the pixels. */
using Record = std::array<uint8_t, 1 + PIXELS>;

/**
 * @param path a file
 * @param records gets its images at the end
 */
void
AppendRecords(const std::string& path, std::vector<Record>& records)
{
    GzipFile file(path);
    Record record;
    size_t images = 0;
    while (const size_t got = file.Read(reinterpret_cast<char*>(record.data()), record.size()))
    {
        const std::string image = "image " + std::to_string(images++);
        if (got < record.size())
        {
            throw std::runtime_error(path + ": ends too early: " + image + " should have " +
                                     std::to_string(record.size()) + " bytes, got " +
                                     std::to_string(got));
        }
        if (record[0] >= CLASSES)
        {
            throw std::runtime_error(path + ": the label of " + image + " must be from 0 to " +
                                     std::to_string(CLASSES - 1) + ", got " +
                                     std::to_string(record[0]));
        }
        records.push_back(record);
    }
    if (images == 0)
    {
        throw std::runtime_error(path + ": contains no image");
    }
}

} // namespace

Dataset
ReadCifar10(const std::vector<std::string>& files, const std::string& name)
{
    Require(!files.empty(), "ReadCifar10: files must not be empty");
    // As bytes first: only at the end of the last file is it known how many there are.
    std::vector<Record> records;
    for (const std::string& path : files)
    {
        AppendRecords(path, records);
    }
    RequireDenseSize("ReadCifar10", PIXELS, records.size());
    Dataset data;
    data.name = name;
    data.classes = CLASSES;
    data.labelNames =
        {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
    data.shape = SHAPE;
    data.features.resize(PIXELS, static_cast<Eigen::Index>(records.size()));
    data.labels.resize(static_cast<Eigen::Index>(records.size()));
    for (size_t k = 0; k < records.size(); ++k)
    {
        data.labels(k) = records[k][0];
        for (uint32_t pixel = 0; pixel < PIXELS; ++pixel)
        {
            data.features(pixel, k) = records[k][1 + pixel] / 255.0;
        }
    }
    return data;
}

} // namespace ns3::dlearn
