/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-radio-powers.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"

namespace ns3::dlearn
{

std::vector<double>
DrawPowers(const std::string& text, uint32_t learners, int64_t stream)
{
    const size_t colon = text.find(':');
    const auto low = ParseNumber(text.substr(0, colon));
    const auto high = colon == std::string::npos ? low : ParseNumber(text.substr(colon + 1));
    Require(low && high && *low <= *high,
            "powers must be a number of dBm or a range of two, LOW:HIGH, got '",
            text,
            "'");
    if (*low == *high)
    {
        return std::vector<double>(learners, *low);
    }
    const auto random = CreateSeeded<UniformRandomVariable>(stream, 0);
    std::vector<double> powers(learners);
    for (double& power : powers)
    {
        power = random->GetValue(*low, *high);
    }
    return powers;
}

} // namespace ns3::dlearn
