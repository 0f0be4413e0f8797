/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-text.h"

#include <algorithm>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** @return a table as MakePageTable() makes it, for a terminal */
std::string
MakeTableText(const PageJson& table)
{
    std::vector<std::vector<std::string>> rows = table["rows"];
    rows.insert(rows.begin(), table["columns"].get<std::vector<std::string>>());
    std::vector<size_t> widths(rows.back().size());
    for (const auto& row : rows)
    {
        for (size_t k = 0; k < row.size(); ++k)
        {
            widths[k] = std::max(widths[k], row[k].size());
        }
    }
    std::string text = table["title"].get<std::string>() + "\n";
    for (const auto& row : rows)
    {
        std::string line;
        for (size_t k = 0; k < row.size(); ++k)
        {
            line += "  " + row[k] + std::string(widths[k] - row[k].size(), ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

} // namespace

std::string
MakeSectionText(const PageJson& section)
{
    std::string text;
    for (const PageJson& part : section["parts"])
    {
        if (part["type"] == "table")
        {
            text += (text.empty() ? "" : "\n") + MakeTableText(part);
        }
    }
    const std::string note = section["note"];
    return text + (note.empty() ? "" : "\n" + note + "\n");
}

} // namespace ns3::dlearn
