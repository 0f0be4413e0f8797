/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STATE_RECURSION_H
#define DLEARN_STATE_RECURSION_H

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a peer's next state depends on its own state and gradient, which decides how far apart two
 * runs on neighbouring data can be, given what they released and received. A rule states its own; a
 * privacy account states which ones it bounds. y~ is a vector with the noise that was released on
 * it, g the gradient, and M mixes a vector with what came from neighbours.
 */
enum class StateRecursion : uint8_t
{
    COUPLED,     //!< releases theta;             theta' = M(theta) - step g(theta)
    HALF_STEP,   //!< releases h = theta - step g(theta);    theta' = M(h)
    OWN_NOISY,   //!< releases theta;             theta' = M(y~) - step g(theta)
    STEP_BEHIND, //!< releases theta;             theta' = z - step g(z), z = M(y~)
    OTHER        //!< none of these
};

/**
 * @ingroup dlearn
 * @param recursion a recursion
 * @return it in words, for messages
 */
const char* ToString(StateRecursion recursion);

} // namespace ns3::dlearn

#endif // DLEARN_STATE_RECURSION_H
