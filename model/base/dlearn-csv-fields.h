/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CSV_FIELDS_H
#define DLEARN_CSV_FIELDS_H

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** One field of a line of comma-separated values. */
struct CsvField
{
    std::string text; //!< without spaces and tabulators around it; may be empty
    size_t column;    //!< where it begins in the line, from 1 on; where it ends when empty
};

/**
 * Cut a line at its commas; there is no quoting.
 *
 * @param line without line feed
 * @return its fields, one more than it has commas
 */
std::vector<CsvField> SplitCsvFields(const std::string& line);

} // namespace ns3::dlearn

#endif // DLEARN_CSV_FIELDS_H
