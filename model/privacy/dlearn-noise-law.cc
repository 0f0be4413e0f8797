/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-noise-law.h"

namespace ns3::dlearn
{

const char*
ToString(NoiseLaw law)
{
    switch (law)
    {
    case NoiseLaw::NONE:
        return "none";
    case NoiseLaw::LAPLACE:
        return "laplace";
    case NoiseLaw::GAUSSIAN:
        return "gaussian";
    case NoiseLaw::TERNARY:
        return "ternary";
    }
    return "unknown";
}

} // namespace ns3::dlearn
