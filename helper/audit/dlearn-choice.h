/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CHOICE_H
#define DLEARN_CHOICE_H

#include "ns3/random-variable-stream.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @param random draws
 * @param values not empty
 * @return one of the values, each as likely as the others
 */
template <typename Value>
Value
Choose(UniformRandomVariable& random, const std::vector<Value>& values)
{
    return values[random.GetInteger(0, static_cast<uint32_t>(values.size() - 1))];
}

} // namespace ns3::dlearn

#endif // DLEARN_CHOICE_H
