/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-invocation.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

void
RefuseWithoutEffect(const Invocation& invocation,
                    const std::string& option,
                    const std::string& missing)
{
    Require(missing.empty() || !invocation.strict || invocation.options.count(option) == 0,
            "option ",
            option,
            " has no effect: it needs ",
            missing);
}

} // namespace ns3::dlearn
