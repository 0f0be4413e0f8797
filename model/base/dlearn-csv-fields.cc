/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-csv-fields.h"

#include <algorithm>

namespace ns3::dlearn
{

std::vector<CsvField>
SplitCsvFields(const std::string& line)
{
    constexpr const char* BLANKS = " \t";
    std::vector<CsvField> fields;
    for (size_t begin = 0; begin <= line.size();)
    {
        const size_t end = std::min(line.find(',', begin), line.size());
        const size_t first = std::min(line.find_first_not_of(BLANKS, begin), end);
        size_t last = end;
        while (last > first && std::string(BLANKS).find(line[last - 1]) != std::string::npos)
        {
            --last;
        }
        fields.push_back({line.substr(first, last - first), first + 1});
        begin = end + 1;
    }
    return fields;
}

} // namespace ns3::dlearn
