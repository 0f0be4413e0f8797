/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTRIBUTE_LOOKUP_H
#define DLEARN_ATTRIBUTE_LOOKUP_H

#include "ns3/object.h"
#include "ns3/type-id.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace ns3::dlearn
{

/** An attribute, and the type that declares it. */
struct NamedAttribute
{
    TypeId type;                       //!< the type that declares the attribute
    TypeId::AttributeInformation info; //!< info.name is the short name
};

/**
 * @param name full name of an attribute, "ns3::TYPE::ATTRIBUTE"
 * @return the attribute; nothing when there is none of that name
 */
std::optional<NamedAttribute> FindAttribute(const std::string& name);

/** @return whether the value of the attribute can be read */
bool IsGettable(const TypeId::AttributeInformation& info);

/** @return whether @p type is or derives from @p base; corrects the parent of ns-3's TcpCubic */
bool IsOfType(TypeId type, TypeId base);

/** @param names full names of attributes whose defaults the user chose, even equal to ns-3's */
void SetTypedDefaults(std::set<std::string> names);

/** @return the default of an attribute if a user has changed or chosen it; else null */
Ptr<const AttributeValue> FindChosenDefault(TypeId type, const std::string& name);

/** @return changed defaults of all registered types, by full name; of an object, its type */
std::map<std::string, std::string> GetChangedAttributes();

/**
 * Set an attribute of a new object, unless a user has changed or chosen its default.
 *
 * @param object just created
 * @param name short name of the attribute
 * @param value the value that dlearn prefers
 * @return the value that the object has now; null if it does not have the attribute
 */
Ptr<const AttributeValue> SetOwnDefault(const Ptr<Object>& object,
                                        const std::string& name,
                                        const AttributeValue& value);

/**
 * Call a function for each attribute of each registered type.
 *
 * @param function takes the type, the number of the attribute in the type, and its information
 */
template <typename Function>
void
ForEachAttribute(Function&& function)
{
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        for (size_t a = 0; a < type.GetAttributeN(); ++a)
        {
            function(type, a, type.GetAttribute(a));
        }
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_ATTRIBUTE_LOOKUP_H
