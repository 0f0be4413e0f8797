/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-files.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {"1,2,3\n4,5,6\n", "nan, inf\n-inf,1e308\r\n", "\n\n0\n"};
}

void
Fuzz(Input& input)
{
    const auto rows = ReadCsvRows(WriteFile(input.TakeRest()));
    Demand(rows.rows() > 0 && rows.cols() > 0, "there is a number");
}

} // namespace ns3::dlearn::fuzz
