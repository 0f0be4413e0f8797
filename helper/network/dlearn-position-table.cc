/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-position-table.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

const std::string FLAT = "time_s,node,x_m,y_m"; //!< first line of a table
const std::string WITH_HEIGHT = FLAT + ",z_m";  //!< likewise, with a height

/** @return the finite number of a field of a table */
double
ReadField(const LineReader& reader, const CsvField& field, const char* column)
{
    const auto number = ParseNumber(field.text);
    Require(number && std::isfinite(*number),
            reader.GetPlace(),
            ": ",
            column,
            " must be a finite number, got '",
            field.text.substr(0, 40),
            "'");
    return *number;
}

/** @return whether the first line of a table has a height; refuses other first lines */
bool
ReadHeader(LineReader& reader, const std::string& path)
{
    std::string line;
    reader.Next(line);
    Require(line == FLAT || line == WITH_HEIGHT,
            path,
            ": the first line must be '",
            FLAT,
            "' or '",
            WITH_HEIGHT,
            "', got '",
            line.substr(0, 40),
            "'");
    return line == WITH_HEIGHT;
}

} // namespace

PositionTrace
ReadPositionTable(const std::string& path)
{
    std::map<uint32_t, std::vector<Waypoint>> ways;
    LineReader reader(path);
    const bool high = ReadHeader(reader, path);
    for (std::string line; reader.Next(line);)
    {
        const auto fields = SplitCsvFields(line);
        Require(fields.size() == (high ? 5 : 4),
                reader.GetPlace(),
                ": must have ",
                high ? 5 : 4,
                " fields, got ",
                fields.size());
        const auto time = ParseNumber(fields[0].text);
        Require(time && std::abs(*time) < END_OF_TIME / 1e9,
                reader.GetPlace(),
                ": time_s must be between -4.6e9 and 4.6e9, got '",
                fields[0].text.substr(0, 40),
                "'");
        const auto node = ParseWholeNumber(fields[1].text);
        Require(node.has_value(),
                reader.GetPlace(),
                ": node must be a whole number of at least 0, got '",
                fields[1].text.substr(0, 40),
                "'");
        const Vector position(ReadField(reader, fields[2], "x_m"),
                              ReadField(reader, fields[3], "y_m"),
                              high ? ReadField(reader, fields[4], "z_m") : 0);
        std::vector<Waypoint>& way = ways[*node];
        Require(way.empty() || way.back().time < Seconds(*time),
                reader.GetPlace(),
                ": time_s of node ",
                *node,
                " must be more than the one before it, got ",
                fields[0].text.substr(0, 40));
        way.emplace_back(Seconds(*time), position);
    }
    Require(!ways.empty(), path, ": must have at least one position");
    return {path, std::move(ways)};
}

} // namespace ns3::dlearn
