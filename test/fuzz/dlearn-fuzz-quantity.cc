/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {std::string(1, '\0') + "1.5ms",
            "\0015Mbps",
            "\002+1e-3",
            "\00328x28",
            "\x01"
            "1e17bps"};
}

void
Fuzz(Input& input)
{
    const uint8_t which = input.TakeByte();
    const std::string text = input.TakeRest();
    switch (which % 4)
    {
    case 0:
        Demand(ParseTime("time", text) >= Time(0), "a time is not negative");
        break;
    case 1:
        Demand(ParseDataRate("rate", text).GetBitRate() >= 1, "a rate is not 0");
        break;
    case 2:
        Demand(ParseNumber(text).value_or(0) - ParseNumber(text).value_or(0) == 0,
               "a number is finite");
        break;
    default:
        Demand(ParseWholeNumbers(text, 'x').value_or(std::vector<uint32_t>(1)).size() > 0,
               "there is a number");
    }
}

} // namespace ns3::dlearn::fuzz
