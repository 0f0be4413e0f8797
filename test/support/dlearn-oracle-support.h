/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ORACLE_SUPPORT_H
#define DLEARN_ORACLE_SUPPORT_H

/**
 * @file
 * Reference values that other tools computed, from JSON files: in the folder DLEARN_ORACLES, or
 * else in the folder oracles beside that of DLEARN_DATA.
 */

#include "ns3/dlearn-types.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace test
{

/** @return the files with reference values, in order; none when there is no such folder */
inline std::vector<std::filesystem::path>
FindOracles()
{
    std::filesystem::path folder;
    if (const char* oracles = std::getenv("DLEARN_ORACLES"))
    {
        folder = oracles;
    }
    else if (const char* data = std::getenv("DLEARN_DATA"))
    {
        folder = std::filesystem::path(data) / ".." / "oracles";
    }
    std::vector<std::filesystem::path> files;
    if (!folder.empty() && std::filesystem::is_directory(folder))
    {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        {
            if (entry.path().extension() == ".json")
            {
                files.push_back(entry.path());
            }
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/** @return what a file holds */
inline nlohmann::json
ReadJson(const std::filesystem::path& path)
{
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

/** @return a number; infinities and NaN are written as text */
inline double
ReadNumber(const nlohmann::json& value)
{
    if (!value.is_string())
    {
        return value.get<double>();
    }
    const double infinity = std::numeric_limits<double>::infinity();
    const auto text = value.get<std::string>();
    return text == "inf"    ? infinity
           : text == "-inf" ? -infinity
                            : std::numeric_limits<double>::quiet_NaN();
}

/** @return a list of numbers */
inline ModelVector
ReadVector(const nlohmann::json& list)
{
    ModelVector vector(list.size());
    for (size_t k = 0; k < list.size(); ++k)
    {
        vector(k) = ReadNumber(list[k]);
    }
    return vector;
}

/** @return a list of lists of numbers */
inline RowMatrix<double>
ReadRows(const nlohmann::json& list)
{
    RowMatrix<double> rows(list.size(), list.at(0).size());
    for (size_t i = 0; i < list.size(); ++i)
    {
        rows.row(i) = ReadVector(list[i]).transpose();
    }
    return rows;
}

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_ORACLE_SUPPORT_H
