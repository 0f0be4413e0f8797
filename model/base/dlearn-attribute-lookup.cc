/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attribute-lookup.h"

namespace ns3::dlearn
{

std::optional<NamedAttribute>
FindAttribute(const std::string& name)
{
    NamedAttribute found;
    const size_t colons = name.rfind("::");
    if (colons == std::string::npos ||
        !TypeId::LookupByNameFailSafe(name.substr(0, colons), &found.type) ||
        !found.type.LookupAttributeByName(name.substr(colons + 2), &found.info))
    {
        return std::nullopt;
    }
    return found;
}

bool
IsGettable(const TypeId::AttributeInformation& info)
{
    return (info.flags & TypeId::ATTR_GET) != 0 && info.accessor->HasGetter();
}

bool
IsOfType(TypeId type, TypeId base)
{
    return type == base || type.IsChildOf(base) ||
           (type.GetName() == "ns3::TcpCubic" && base.GetName() == "ns3::TcpCongestionOps");
}

Ptr<const AttributeValue>
FindChosenDefault(TypeId type, const std::string& name)
{
    TypeId::AttributeInformation info;
    const bool chosen = type.LookupAttributeByName(name, &info) &&
                        (dynamic_cast<const ChosenDefault*>(PeekPointer(info.initialValue)) ||
                         info.initialValue->SerializeToString(info.checker) !=
                             info.originalInitialValue->SerializeToString(info.checker));
    return chosen ? info.initialValue : nullptr;
}

Ptr<const AttributeValue>
SetOwnDefault(const Ptr<Object>& object, const std::string& name, const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    if (!object->GetInstanceTypeId().LookupAttributeByName(name, &info))
    {
        return nullptr;
    }
    if (const auto chosen = FindChosenDefault(object->GetInstanceTypeId(), name))
    {
        return chosen;
    }
    object->SetAttribute(name, value);
    return value.Copy();
}

} // namespace ns3::dlearn
