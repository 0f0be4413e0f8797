/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_IDLE_ATTRIBUTES_H
#define DLEARN_IDLE_ATTRIBUTES_H

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * An object some of whose attributes have no effect with the values of others. A run whose user has
 * set such an attribute is refused.
 */
class IdleAttributes
{
  public:
    virtual ~IdleAttributes() = default;

    /**
     * @param attribute of the object, by name
     * @return why its value has no effect in this run, in words; empty when it has one
     */
    virtual std::string ExplainIdle(const std::string& attribute) const = 0;
};

} // namespace ns3::dlearn

#endif // DLEARN_IDLE_ATTRIBUTES_H
