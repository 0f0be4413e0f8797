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
    TypeId type;                       //!< that has the attribute
    TypeId::AttributeInformation info; //!< what is known of it; info.name is its short name
};

/**
 * @param name full name of an attribute, "ns3::TYPE::ATTRIBUTE"
 * @return the attribute; nothing when there is none of that name
 */
std::optional<NamedAttribute> FindAttribute(const std::string& name);

/**
 * @param info of an attribute
 * @return whether objects tell their value of it
 */
bool IsGettable(const TypeId::AttributeInformation& info);

/**
 * @param type a type
 * @param base another
 * @return whether objects of @p type are of @p base, also where ns-3 does not say so: the
 *         congestion control that is its default, TcpCubic, calls itself a socket
 */
bool IsOfType(TypeId type, TypeId base);

/**
 * @param names full names of the attributes whose defaults a user has typed, which count as chosen
 *        also where they equal those of ns-3
 */
void SetTypedDefaults(std::set<std::string> names);

/**
 * @param type a type
 * @param name short name of an attribute of it
 * @return the default, where a user has changed or chosen it; else null, also where there is no
 *         such attribute
 */
Ptr<const AttributeValue> FindChosenDefault(TypeId type, const std::string& name);

/**
 * @return the default of every attribute of a registered type that is not the one it was built
 *         with, by full name; of an object, the name of its type
 */
std::map<std::string, std::string> GetChangedAttributes();

/**
 * Give an attribute of a new object a value that suits dlearn better than the default of ns-3.
 * Where a user has changed or chosen that default, it remains.
 *
 * @param object just created
 * @param name short name of an attribute; objects without it are left alone
 * @param value for it
 * @return the value that the object has now, also of an attribute that objects do not tell; null
 *         where there is no such attribute
 */
Ptr<const AttributeValue> SetOwnDefault(const Ptr<Object>& object,
                                        const std::string& name,
                                        const AttributeValue& value);

/**
 * Call a function with each attribute of each registered type.
 *
 * @tparam Function takes the type that declares the attribute, the number of the attribute in it,
 *         and what is known of it
 * @param function what to call
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
