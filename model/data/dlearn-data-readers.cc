/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-readers.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace ns3::dlearn
{

namespace
{

constexpr uint64_t MAX_INDEX = 10'000'000;                // far above any real data set's
constexpr uint64_t EXPANSION = 16;                        // bytes of a dense matrix for one of text
constexpr size_t MAX_CLASSES = 1000;                      // more means it is a regression
constexpr double MAX_CLASS_LABEL = 9'007'199'254'740'992; // 2^53: above, numbers coincide

/** Collects the samples line by line; dense only at the end, when the size is known. */
class LibsvmParser
{
  public:
    LibsvmParser(std::string path, LibsvmLabels kind, uint32_t minFeatures, uint64_t mostBytes)
        : m_path(std::move(path)),
          m_kind(kind),
          m_features(minFeatures),
          m_mostNumbers(EXPANSION * mostBytes / sizeof(double))
    {
    }

    void ParseLine(std::string_view line);
    Dataset Finish() const;

  private:
    /** One feature that is not 0. */
    struct Entry
    {
        uint32_t sample;
        uint32_t feature;
        double value;
    };

    [[noreturn]] void Refuse(std::string_view token,
                             const std::string& what,
                             const std::string& rule) const;
    std::string_view NextToken(std::string_view& rest) const;
    double ParseNumber(std::string_view token, const std::string& what) const;
    void ParseLabel(std::string_view token);
    uint64_t ParseFeature(std::string_view token, uint64_t lastIndex);

    std::string m_path;                      // for messages
    LibsvmLabels m_kind;                     // what labels are
    uint64_t m_features;                     // largest index so far, or the minimum
    std::string_view m_line;                 // the line being parsed, to compute columns
    uint64_t m_mostNumbers;                  // of the dense matrix
    size_t m_lineNumber{0};                  // of m_line, from 1
    std::vector<double> m_labels;            // of each sample
    std::vector<Entry> m_entries;            // of all samples
    std::map<double, std::string> m_classes; // spelling of each class, in increasing order
};

void
LibsvmParser::Refuse(std::string_view token, const std::string& what, const std::string& rule) const
{
    constexpr size_t shown = 40;
    std::string got(token.substr(0, shown));
    for (auto& c : got)
    {
        c = (c >= ' ' && c <= '~') ? c : '?'; // a binary file must not garble the terminal
    }
    got += token.size() > shown ? "..." : "";
    throw std::runtime_error(m_path + ":" + std::to_string(m_lineNumber) + ":" +
                             std::to_string(token.data() - m_line.data() + 1) + ": " + what +
                             ", got '" + got + "', " + rule);
}

/** Take the next run of non-blanks off the front; empty when there is none. */
std::string_view
LibsvmParser::NextToken(std::string_view& rest) const
{
    constexpr const char* blanks = " \t";
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    const std::string_view token = rest.substr(0, rest.find_first_of(blanks));
    rest.remove_prefix(token.size());
    return token;
}

double
LibsvmParser::ParseNumber(std::string_view token, const std::string& what) const
{
    const std::optional<double> value = dlearn::ParseNumber(token);
    if (!value)
    {
        Refuse(token, what, "must be a finite decimal number that fits a double");
    }
    return *value;
}

void
LibsvmParser::ParseLabel(std::string_view token)
{
    const double label = ParseNumber(token, "label");
    if (m_kind == LibsvmLabels::CLASSES)
    {
        if (label != std::floor(label) || std::abs(label) >= MAX_CLASS_LABEL)
        {
            Refuse(token, "label", "a class must be a whole number of less than 2^53");
        }
        m_classes.emplace(label, token); // keeps the first spelling
        if (m_classes.size() > MAX_CLASSES)
        {
            Refuse(token,
                   "label",
                   "there must be at most " + std::to_string(MAX_CLASSES) +
                       " different classes (targets of a regression?)");
        }
    }
    m_labels.push_back(label);
}

uint64_t
LibsvmParser::ParseFeature(std::string_view token, uint64_t lastIndex)
{
    const size_t colon = token.find(':');
    if (colon == std::string_view::npos)
    {
        Refuse(token, "feature", "must have the form index:value");
    }
    const std::string_view name = token.substr(0, colon);
    const uint64_t index = ParseWholeNumber(name).value_or(0);
    if (index < 1 || index > MAX_INDEX)
    {
        Refuse(name, "index", "must be a whole number from 1 to " + std::to_string(MAX_INDEX));
    }
    if (index <= lastIndex)
    {
        Refuse(name,
               "index",
               "must be greater than the one before it, " + std::to_string(lastIndex));
    }
    const double value = ParseNumber(token.substr(colon + 1), "value");
    if (value != 0)
    {
        m_entries.push_back(
            {static_cast<uint32_t>(m_labels.size() - 1), static_cast<uint32_t>(index - 1), value});
    }
    return index;
}

void
LibsvmParser::ParseLine(std::string_view line)
{
    m_line = line;
    ++m_lineNumber;
    std::string_view rest = line.substr(0, line.find('#'));
    std::string_view token = NextToken(rest);
    if (token.empty())
    {
        return;
    }
    ParseLabel(token);
    uint64_t index = 0;
    for (token = NextToken(rest); !token.empty(); token = NextToken(rest))
    {
        index = ParseFeature(token, index);
    }
    m_features = std::max(m_features, index);
    // After each line: a matrix too large is refused before its entries fill the memory.
    RequireDenseSize(m_path + ":" + std::to_string(m_lineNumber),
                     std::max<uint64_t>(m_features, 1),
                     m_labels.size());
    Require(m_features * m_labels.size() <= m_mostNumbers,
            "{}:{}: {} features x {} samples are too many for a file of its size, whose dense "
            "matrix must have at most {} numbers",
            m_path,
            m_lineNumber,
            m_features,
            m_labels.size(),
            m_mostNumbers);
}

Dataset
LibsvmParser::Finish() const
{
    if (m_labels.empty())
    {
        throw std::runtime_error(m_path + ": contains no sample");
    }
    if (m_features == 0)
    {
        throw std::runtime_error(m_path + ": none of its " + std::to_string(m_labels.size()) +
                                 " samples has a feature");
    }
    Dataset data;
    data.name = std::filesystem::path(m_path).filename().string();
    data.features = Eigen::MatrixXd::Zero(m_features, m_labels.size());
    for (const auto& entry : m_entries)
    {
        data.features(entry.feature, entry.sample) = entry.value;
    }
    data.labels = Eigen::Map<const Eigen::VectorXd>(m_labels.data(), m_labels.size());
    if (m_kind == LibsvmLabels::CLASSES)
    {
        std::map<double, uint32_t> numbers;
        for (const auto& [label, spelling] : m_classes)
        {
            numbers.emplace(label, data.classes++);
            data.labelNames.push_back(spelling);
        }
        for (auto& label : data.labels)
        {
            label = numbers.at(label);
        }
    }
    return data;
}

} // namespace

Dataset
ReadLibsvm(const std::string& path, LibsvmLabels labels, uint32_t minFeatures)
{
    LineReader reader(path);
    LibsvmParser parser(path, labels, minFeatures, reader.GetLimit());
    std::string line;
    while (reader.Next(line))
    {
        parser.ParseLine(line);
    }
    return parser.Finish();
}

namespace
{

constexpr uint32_t IMAGES_MAGIC = 2051; //!< bytes (8), three dimensions (3)
constexpr uint32_t LABELS_MAGIC = 2049; //!< bytes (8), one dimension (1)

/** A file of which every message begins with its name. */
class IdxFile
{
  public:
    explicit IdxFile(const std::string& path)
        : m_file(path)
    {
    }

    void Read(std::vector<uint8_t>& bytes, const std::string& what)
    {
        const size_t got = m_file.Read(reinterpret_cast<char*>(bytes.data()), bytes.size());
        if (got < bytes.size())
        {
            Refuse("ends too early: ", what, " should have ", bytes.size(), " bytes, got ", got);
        }
    }

    uint32_t ReadNumber(const std::string& what)
    {
        std::vector<uint8_t> bytes(4);
        Read(bytes, what);
        return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 |
               bytes[3];
    }

    /** @param wanted the magic number that the file must begin with */
    void CheckMagic(uint32_t wanted)
    {
        const uint32_t magic = ReadNumber("the magic number");
        if (magic != wanted)
        {
            Refuse("the magic number must be ", wanted, ", got ", magic);
        }
    }

    /** Refuse anything after the data. */
    void CheckEnd()
    {
        char more = 0;
        if (m_file.Read(&more, 1) > 0)
        {
            Refuse("has more bytes than its sizes say");
        }
    }

    void CheckFits(uint64_t bytes) const
    {
        if (bytes > m_file.GetLimit())
        {
            Refuse("should have ", bytes, " pixels, more than a file of its size unpacks to");
        }
    }

    template <typename... Parts>
    [[noreturn]] void Refuse(const Parts&... parts) const
    {
        std::ostringstream message;
        message << m_file.GetPath() << ": ";
        (message << ... << parts);
        throw std::runtime_error(message.str());
    }

  private:
    GzipFile m_file; //!< the bytes
};

} // namespace

Dataset
ReadIdx(const std::string& images, const std::string& labels, const std::string& name)
{
    IdxFile imageFile(images);
    imageFile.CheckMagic(IMAGES_MAGIC);
    const uint32_t count = imageFile.ReadNumber("the number of images");
    const uint32_t rows = imageFile.ReadNumber("the number of rows");
    const uint32_t columns = imageFile.ReadNumber("the number of columns");
    if (count == 0 || rows == 0 || columns == 0)
    {
        imageFile.Refuse("sizes must not be 0, got ", count, " x ", rows, " x ", columns);
    }
    IdxFile labelFile(labels);
    labelFile.CheckMagic(LABELS_MAGIC);
    const uint32_t labelCount = labelFile.ReadNumber("the number of labels");
    if (labelCount != count)
    {
        labelFile.Refuse("must have as many labels as ",
                         images,
                         " has images, ",
                         count,
                         "; got ",
                         labelCount);
    }
    const uint64_t pixels = uint64_t{rows} * columns;
    RequireDenseSize(images, pixels, count);
    imageFile.CheckFits(pixels * count);
    Dataset data;
    data.name = name;
    data.shape = {1, rows, columns};
    data.features.resize(static_cast<Eigen::Index>(pixels), count);
    data.labels.resize(count);
    std::vector<uint8_t> image(pixels);
    std::vector<uint8_t> label(1);
    uint32_t largest = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        imageFile.Read(image, "image " + std::to_string(k));
        labelFile.Read(label, "label " + std::to_string(k));
        for (uint64_t pixel = 0; pixel < pixels; ++pixel)
        {
            data.features(static_cast<Eigen::Index>(pixel), k) = image[pixel] / 255.0;
        }
        data.labels[k] = label[0];
        largest = std::max<uint32_t>(largest, label[0]);
    }
    imageFile.CheckEnd();
    labelFile.CheckEnd();
    data.classes = std::max(largest + 1, 2U);
    for (uint32_t k = 0; k < data.classes; ++k)
    {
        data.labelNames.push_back(std::to_string(k));
    }
    data.Validate();
    return data;
}

namespace
{

constexpr ImageShape SHAPE{3, 32, 32};
constexpr uint32_t PIXELS = 3 * 32 * 32;
constexpr uint32_t CLASSES = 10;

/** An image as it is in a file: the label, then the pixels. */
using Record = std::array<uint8_t, 1 + PIXELS>;

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
