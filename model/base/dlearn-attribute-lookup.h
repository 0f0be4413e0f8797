/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTRIBUTE_LOOKUP_H
#define DLEARN_ATTRIBUTE_LOOKUP_H

#include "ns3/type-id.h"

#include <optional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * An attribute, and the type that declares it.
 */
struct NamedAttribute
{
    TypeId type;                       //!< that has the attribute
    TypeId::AttributeInformation info; //!< what is known of it; info.name is its short name
};

/**
 * @ingroup dlearn
 * @param name full name of an attribute, "ns3::TYPE::ATTRIBUTE"
 * @return the attribute; nothing when there is none of that name
 */
std::optional<NamedAttribute> FindAttribute(const std::string& name);

/**
 * @ingroup dlearn
 * @param info of an attribute
 * @return whether objects tell their value of it
 */
bool IsGettable(const TypeId::AttributeInformation& info);

} // namespace ns3::dlearn

#endif // DLEARN_ATTRIBUTE_LOOKUP_H
