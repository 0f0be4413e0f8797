/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-libsvm-reader.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-line-reader.h"
#include "ns3/dlearn-number-parser.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
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
            m_path,
            ":",
            m_lineNumber,
            ": ",
            m_features,
            " features x ",
            m_labels.size(),
            " samples are too many for a file of its size, whose dense matrix must have at most ",
            m_mostNumbers,
            " numbers");
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

} // namespace ns3::dlearn
