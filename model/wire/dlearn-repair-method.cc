/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-repair-method.h"

#include "ns3/dlearn-text-format.h"

namespace ns3::dlearn
{

std::optional<RepairMethod>
RepairMethod::Parse(const std::string& text)
{
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    RepairMethod method;
    method.polls = name == "nack" || name == "both";
    method.parity = name == "fec" || name == "both";
    if (colon != std::string::npos)
    {
        method.share = ParseNumber(text.substr(colon + 1)).value_or(0);
        const bool fits = method.parity && method.share >= 0.001 && method.share <= 4;
        return fits ? std::make_optional(method) : std::nullopt;
    }
    const bool known = name == "none" || method.polls;
    return known ? std::make_optional(method) : std::nullopt;
}

} // namespace ns3::dlearn
