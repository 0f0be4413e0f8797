/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-readers.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t CIFAR_CLASSES = 10;
constexpr ImageShape CIFAR_SHAPE{3, 32, 32};

/** @throw std::runtime_error with a text of FormatText() unless a condition holds */
template <typename... Parts>
void
RequireFile(bool condition, const Parts&... message)
{
    if (!condition)
    {
        throw std::runtime_error(FormatText(message...));
    }
}

/** Collects the samples line by line; makes the dense matrix at the end. */
class LibsvmParser
{
  public:
    LibsvmParser(const std::string& path, LabelKind kind, uint32_t minFeatures)
        : m_path(path),
          m_kind(kind),
          m_features(minFeatures)
    {
    }

    void ParseLine(std::string_view line)
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
        uint32_t index = 0;
        for (token = NextToken(rest); !token.empty(); token = NextToken(rest))
        {
            index = ParseFeature(token, index);
        }
        m_features = std::max(m_features, index);
    }

    Dataset Finish() const;

  private:
    struct Entry
    {
        uint32_t sample;
        uint32_t feature;
        double value;
    };

    template <typename... Parts>
    void Check(bool condition, std::string_view token, const char* what, const Parts&... rule) const
    {
        if (condition)
        {
            return;
        }
        constexpr size_t shown = 40;
        std::string got(token.substr(0, shown));
        for (auto& c : got)
        {
            c = (c >= ' ' && c <= '~') ? c : '?'; // a binary file would garble the terminal
        }
        RequireFile(false,
                    "{}:{}:{}: {}, got '{}{}', {}",
                    m_path,
                    m_lineNumber,
                    token.data() - m_line.data() + 1,
                    what,
                    got,
                    token.size() > shown ? "..." : "",
                    FormatText(rule...));
    }

    /** @return the next run of non-blanks, which is removed from the rest; empty: none */
    static std::string_view NextToken(std::string_view& rest)
    {
        constexpr const char* blanks = " \t";
        rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
        const std::string_view token = rest.substr(0, rest.find_first_of(blanks));
        rest.remove_prefix(token.size());
        return token;
    }

    double ReadNumber(std::string_view token, const char* what) const
    {
        const std::optional<double> value = ParseNumber(token);
        Check(value.has_value(), token, what, "must be a finite decimal number that fits a double");
        return *value;
    }

    void ParseLabel(std::string_view token)
    {
        const double label = ReadNumber(token, "label");
        Check(m_kind != LabelKind::CLASSES || label == std::floor(label),
              token,
              "label",
              "a class must be a whole number");
        m_labels.emplace_back(token);
    }

    uint32_t ParseFeature(std::string_view token, uint32_t lastIndex)
    {
        const size_t colon = token.find(':');
        Check(colon != std::string_view::npos, token, "feature", "must have the form index:value");
        const std::string_view name = token.substr(0, colon);
        const uint32_t index = ParseWholeNumber(name).value_or(0);
        Check(index >= 1, name, "index", "must be a whole number of at least 1");
        Check(index > lastIndex,
              name,
              "index",
              "must be greater than the one before it, ",
              lastIndex);
        const double value = ReadNumber(token.substr(colon + 1), "value");
        if (value != 0)
        {
            m_entries.push_back({static_cast<uint32_t>(m_labels.size() - 1), index - 1, value});
        }
        return index;
    }

    std::string m_path; // for messages
    LabelKind m_kind;
    uint32_t m_features;               // largest index so far, or the minimum
    std::string_view m_line;           // the line being parsed, to compute columns
    size_t m_lineNumber{0};            // of m_line, from 1
    std::vector<std::string> m_labels; // of each sample
    std::vector<Entry> m_entries;      // of all samples
};

Dataset
LibsvmParser::Finish() const
{
    RequireFile(!m_labels.empty(), "{}: contains no sample", m_path);
    RequireFile(m_features > 0,
                "{}: none of its {} samples has a feature",
                m_path,
                m_labels.size());
    RequireDenseSize(m_path, m_features, m_labels.size());
    Dataset data;
    data.name = std::filesystem::path(m_path).filename().string();
    data.features = Eigen::MatrixXd::Zero(m_features, m_labels.size());
    for (const auto& entry : m_entries)
    {
        data.features(entry.feature, entry.sample) = entry.value;
    }
    SetLabels(data, m_path, m_labels, m_kind);
    return data;
}

using Bytes = std::vector<uint8_t>;

/**
 * @return the next bytes of a file; @p what names them if the file ends before
 *
 * Memory grows with what the file has, not with what its header says.
 */
Bytes
ReadBytes(GzipFile& file, size_t size, const std::string& what)
{
    constexpr size_t BLOCK = 1 << 20;
    Bytes bytes;
    size_t got = 0;
    do
    {
        bytes.resize(std::min(size, got + BLOCK));
        got += file.Read(reinterpret_cast<char*>(bytes.data() + got), bytes.size() - got);
    } while (got == bytes.size() && got < size);
    RequireFile(got == size,
                "{}: ends too early: {} should have {} bytes, got {}",
                file.GetPath(),
                what,
                size,
                got);
    return bytes;
}

/** @return the big-endian sizes of an IDX file of bytes, one for each dimension */
std::vector<uint32_t>
ReadIdxSizes(GzipFile& file, uint32_t dimensions)
{
    std::vector<uint32_t> numbers;
    for (uint32_t k = 0; k <= dimensions; ++k)
    {
        const Bytes bytes =
            ReadBytes(file, 4, k == 0 ? "the magic number" : "size " + std::to_string(k));
        numbers.push_back(
            std::accumulate(bytes.begin(), bytes.end(), 0U, [](uint32_t high, uint8_t low) {
                return high << 8 | low;
            }));
    }
    const uint32_t magic = 8 << 8 | dimensions; // of bytes
    RequireFile(numbers[0] == magic,
                "{}: the magic number must be {}, got {}",
                file.GetPath(),
                magic,
                numbers[0]);
    numbers.erase(numbers.begin());
    RequireFile(std::count(numbers.begin(), numbers.end(), 0U) == 0,
                "{}: sizes must not be 0",
                file.GetPath());
    return numbers;
}

void
SetImage(Dataset& data, Eigen::Index column, const uint8_t* pixels)
{
    const Eigen::Map<const Eigen::Array<uint8_t, Eigen::Dynamic, 1>> image(pixels,
                                                                           data.features.rows());
    data.features.col(column) = image.cast<double>() / 255.0;
}

void
CheckEnd(GzipFile& file)
{
    char more = 0;
    RequireFile(file.Read(&more, 1) == 0, "{}: has more bytes than its sizes say", file.GetPath());
}

} // namespace

Dataset
ReadLibsvm(const std::string& path, LabelKind labels, uint32_t minFeatures)
{
    LineReader reader(path);
    LibsvmParser parser(path, labels, minFeatures);
    std::string line;
    while (reader.Next(line))
    {
        parser.ParseLine(line);
    }
    return parser.Finish();
}

Dataset
ReadIdx(const std::string& images, const std::string& labels, const std::string& name)
{
    GzipFile imageFile(images);
    GzipFile labelFile(labels);
    const auto sizes = ReadIdxSizes(imageFile, 3);
    const uint32_t count = sizes[0];
    const uint32_t labelCount = ReadIdxSizes(labelFile, 1)[0];
    RequireFile(labelCount == count,
                "{}: must have as many labels as {} has images, {}; got {}",
                labels,
                images,
                count,
                labelCount);
    Dataset data;
    data.name = name;
    data.shape = {1, sizes[1], sizes[2]};
    const uint64_t pixels = data.shape.GetSize();
    RequireDenseSize(images, pixels, count);
    const Bytes classes = ReadBytes(labelFile, count, "the labels");
    data.labels = Eigen::Map<const Eigen::Array<uint8_t, Eigen::Dynamic, 1>>(classes.data(), count)
                      .cast<double>();
    std::vector<Bytes> bytes;
    for (uint32_t k = 0; k < count; ++k)
    {
        bytes.push_back(ReadBytes(imageFile, pixels, "image " + std::to_string(k)));
    }
    CheckEnd(imageFile);
    CheckEnd(labelFile);
    data.features.resize(static_cast<Eigen::Index>(pixels), count);
    for (uint32_t k = 0; k < count; ++k)
    {
        SetImage(data, k, bytes[k].data());
    }
    data.classes = std::max<uint32_t>(*std::max_element(classes.begin(), classes.end()) + 1, 2);
    for (uint32_t k = 0; k < data.classes; ++k)
    {
        data.labelNames.push_back(std::to_string(k));
    }
    return data;
}

Dataset
ReadCifar10(const std::vector<std::string>& files, const std::string& name)
{
    // As bytes first: the number of images is not known before the end of the last file.
    const size_t record = 1 + CIFAR_SHAPE.GetSize();
    std::vector<Bytes> images;
    for (const std::string& path : files)
    {
        GzipFile file(path);
        const size_t before = images.size();
        Bytes bytes(record);
        while (const size_t got = file.Read(reinterpret_cast<char*>(bytes.data()), record))
        {
            const size_t number = images.size() - before;
            RequireFile(got == record,
                        "{}: ends too early: image {} should have {} bytes, got {}",
                        path,
                        number,
                        record,
                        got);
            RequireFile(bytes[0] < CIFAR_CLASSES,
                        "{}: the label of image {} must be from 0 to {}, got {}",
                        path,
                        number,
                        CIFAR_CLASSES - 1,
                        static_cast<uint32_t>(bytes[0]));
            images.push_back(bytes);
        }
        RequireFile(images.size() > before, "{}: contains no image", path);
    }
    RequireDenseSize("ReadCifar10", CIFAR_SHAPE.GetSize(), images.size());
    Dataset data;
    data.name = name;
    data.classes = CIFAR_CLASSES;
    data.labelNames =
        {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
    data.shape = CIFAR_SHAPE;
    data.features.resize(CIFAR_SHAPE.GetSize(), static_cast<Eigen::Index>(images.size()));
    data.labels.resize(static_cast<Eigen::Index>(images.size()));
    for (size_t k = 0; k < images.size(); ++k)
    {
        data.labels(k) = images[k][0];
        SetImage(data, k, images[k].data() + 1);
    }
    return data;
}

} // namespace ns3::dlearn
