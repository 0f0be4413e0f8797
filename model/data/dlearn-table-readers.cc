/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-table-readers.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** @return the fields of a line, without quotes around them */
std::vector<CsvField>
SplitTableRow(const std::string& line)
{
    auto fields = SplitCsvFields(line);
    for (auto& [text, column] : fields)
    {
        if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        {
            text = text.substr(1, text.size() - 2);
        }
    }
    return fields;
}

/** @return a data set without labels, of samples one after the other */
Dataset
MakeUnlabelled(const std::string& path, const std::vector<double>& values, size_t samples)
{
    Require(samples > 0, "{}: contains no sample", path);
    const size_t features = values.size() / samples;
    RequireDenseSize(path, features, samples);
    Dataset data;
    data.name = std::filesystem::path(path).filename().string();
    data.features = Eigen::Map<const Eigen::MatrixXd>(values.data(), features, samples);
    return data;
}

using Json = nlohmann::json;

Json
ReadJson(const std::string& path)
{
    GzipFile file(path);
    std::string text;
    std::vector<char> block(1 << 20);
    while (const size_t got = file.Read(block.data(), block.size()))
    {
        text.append(block.data(), got);
    }
    return Json::parse(text);
}

const std::string LEAF_ALPHABET =
    "\n !\"&'(),-.0123456789:;>?ABCDEFGHIJKLMNOPQRSTUVWXYZ[]abcdefghijklmnopqrstuvwxyz}";

/** @return positions in the alphabet */
std::vector<double>
NumberCharacters(const std::string& path, const std::string& text)
{
    std::vector<double> numbers;
    for (const char character : text)
    {
        const size_t number = LEAF_ALPHABET.find(character);
        Require(number != std::string::npos,
                "{}: text must have characters of LEAF's alphabet only, got '{}'",
                path,
                text);
        numbers.push_back(static_cast<double>(number));
    }
    return numbers;
}

/** Samples of LEAF's users, file by file. */
struct LeafSamples
{
    /** Append the samples of the users of a file, of at most so many users in all. */
    void Append(const std::string& path, uint32_t most)
    {
        const Json file = ReadJson(path);
        for (const std::string user : file.at("users"))
        {
            if (count == most)
            {
                return;
            }
            const Json& data = file.at("user_data").at(user);
            const Json& x = data.at("x");
            const Json& y = data.at("y");
            Require(x.size() == y.size(),
                    "{}: user '{}' must have as many y as x, {}; got {}",
                    path,
                    user,
                    x.size(),
                    y.size());
            for (size_t k = 0; k < x.size(); ++k)
            {
                text = text || (labels.empty() && x[k].is_string());
                Require(text ? x[k].is_string()
                             : x[k].is_array() && !x[k].empty() && x[k][0].is_number(),
                        "{}: x of user '{}' must be lists of numbers, or all texts",
                        path,
                        user);
                const auto sample = text ? NumberCharacters(path, x[k].get<std::string>())
                                         : x[k].get<std::vector<double>>();
                values.insert(values.end(), sample.begin(), sample.end());
                labels.push_back(y[k].is_string() ? y[k].get<std::string>() : y[k].dump());
                Require(!text || labels.back().size() == 1,
                        "{}: y of user '{}' must be the character after a text, got '{}'",
                        path,
                        user,
                        labels.back());
                owners.push_back(count);
                Require(values.size() == sample.size() * labels.size(),
                        "{}: the samples of user '{}' must be as long as those before, got {} "
                        "numbers",
                        path,
                        user,
                        sample.size());
            }
            ++count;
        }
    }

    bool text{false}; //!< whether samples are texts
    std::vector<double> values;
    std::vector<std::string> labels;
    std::vector<uint32_t> owners;
    uint32_t count{0}; //!< number of users
};

} // namespace

Dataset
ReadCsv(const std::string& path, LabelKind labels, const std::string& label)
{
    LineReader reader(path);
    std::string line;
    std::vector<std::string> names;
    if (reader.Next(line))
    {
        for (const CsvField& field : SplitTableRow(line))
        {
            names.push_back(field.text);
        }
    }
    Require(names.size() >= 2,
            "{}: the first line must name at least two columns, with commas between them, got '{}'",
            path,
            line);
    Require(!std::all_of(names.begin(), names.end(), ParseNumber),
            "{}: the first line must name the columns, got numbers only: '{}'",
            path,
            line.substr(0, 40));
    const auto found =
        label.empty() ? std::prev(names.end()) : std::find(names.begin(), names.end(), label);
    Require(found != names.end(),
            "{}: label must be one of its columns, {}; got '{}'",
            path,
            JoinNames(names),
            label);
    const size_t labelColumn = found - names.begin();
    std::vector<double> values;
    std::vector<std::string> texts;
    while (reader.Next(line))
    {
        if (line.find_first_not_of(" \t") == std::string::npos)
        {
            continue;
        }
        const auto fields = SplitTableRow(line);
        Require(fields.size() == names.size(),
                "{}: must have {} fields, as the first line has, got {}",
                reader.GetPlace(),
                names.size(),
                fields.size());
        for (size_t k = 0; k < fields.size(); ++k)
        {
            const auto& [text, column] = fields[k];
            const auto number = k == labelColumn ? 0.0 : ParseNumber(text);
            Require(number && !text.empty(),
                    "{}:{}: {} must be {}, got '{}'",
                    reader.GetPlace(),
                    column,
                    names[k],
                    k == labelColumn ? "a label" : "a finite decimal number",
                    text);
            if (k == labelColumn)
            {
                texts.push_back(text);
            }
            else
            {
                values.push_back(*number);
            }
        }
    }
    Dataset data = MakeUnlabelled(path, values, texts.size());
    SetLabels(data, path, texts, labels);
    names.erase(found);
    data.featureNames = std::move(names);
    return data;
}

Dataset
ReadLeaf(const std::string& path, LabelKind labels, uint32_t users)
{
    std::set<std::string> files;
    if (!std::filesystem::is_directory(path))
    {
        files.insert(path);
    }
    else
    {
        for (const auto& entry : std::filesystem::directory_iterator(path))
        {
            if (entry.path().filename().string().find(".json") != std::string::npos)
            {
                files.insert(entry.path().string());
            }
        }
    }
    LeafSamples samples;
    for (const std::string& file : files)
    {
        try
        {
            samples.Append(file, users > 0 ? users : UINT32_MAX);
        }
        catch (const Json::exception& error)
        {
            Require(false, "{}: must have the form of LEAF: {}", file, error.what());
        }
    }
    Dataset data = MakeUnlabelled(path, samples.values, samples.labels.size());
    data.text = samples.text;
    if (data.text)
    {
        data.classes = static_cast<uint32_t>(LEAF_ALPHABET.size());
        data.labels.resize(static_cast<Eigen::Index>(samples.labels.size()));
        for (size_t k = 0; k < samples.labels.size(); ++k)
        {
            data.labels[k] = NumberCharacters(path, samples.labels[k])[0];
        }
    }
    else
    {
        SetLabels(data, path, samples.labels, labels);
    }
    data.owners = std::move(samples.owners);
    return data;
}

} // namespace ns3::dlearn
