/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-state-recursion.h"

namespace ns3::dlearn
{

const char*
ToString(StateRecursion recursion)
{
    switch (recursion)
    {
    case StateRecursion::COUPLED:
        return "release the state, mix it without noise, step at the state";
    case StateRecursion::HALF_STEP:
        return "step at the state, release and mix the result";
    case StateRecursion::OWN_NOISY:
        return "release the state, mix it with its noise, step at the state";
    case StateRecursion::STEP_BEHIND:
        return "release the state, mix it with its noise, step at the mixture";
    case StateRecursion::OTHER:
        break;
    }
    return "an update of its own";
}

} // namespace ns3::dlearn
