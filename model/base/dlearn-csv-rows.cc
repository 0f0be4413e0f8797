/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-csv-rows.h"

#include "dlearn-check.h"
#include "dlearn-csv-fields.h"
#include "dlearn-line-reader.h"
#include "dlearn-number-parser.h"
#include "dlearn-types.h"

#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** @return the number that a text is */
std::optional<double>
ParseField(const std::string& text)
{
    static const std::map<std::string, double> special{
        {"nan", std::numeric_limits<double>::quiet_NaN()},
        {"inf", INFINITE},
        {"+inf", INFINITE},
        {"-inf", -INFINITE},
    };
    const auto found = special.find(text);
    return found == special.end() ? ParseNumber(text) : found->second;
}

/**
 * Read the numbers of a line.
 *
 * @param line not empty
 * @param place of it, for messages
 * @param numbers result: the numbers are added here
 * @return how many
 */
size_t
ParseLine(const std::string& line, const std::string& place, std::vector<double>& numbers)
{
    const auto fields = SplitCsvFields(line);
    for (const CsvField& field : fields)
    {
        const auto number = ParseField(field.text);
        Require(number.has_value(),
                place,
                ":",
                field.column,
                ": '",
                field.text,
                "' is not a number that a double can hold");
        numbers.push_back(*number);
    }
    return fields.size();
}

} // namespace

RowMatrix<double>
ReadCsvRows(const std::string& path)
{
    LineReader reader(path);
    std::vector<double> numbers;
    std::string line;
    size_t width = 0;
    while (reader.Next(line))
    {
        if (line.find_first_not_of(" \t") == std::string::npos)
        {
            continue;
        }
        const size_t count = ParseLine(line, reader.GetPlace(), numbers);
        width = width == 0 ? count : width;
        Require(count == width,
                reader.GetPlace(),
                ": vectors must be of one length, got ",
                count,
                " numbers after vectors of ",
                width);
    }
    Require(width > 0, path, ": contains no vector");
    return Eigen::Map<const RowMatrix<double>>(numbers.data(), numbers.size() / width, width);
}

} // namespace ns3::dlearn
