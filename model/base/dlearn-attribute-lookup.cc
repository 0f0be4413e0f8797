/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-attribute-lookup.h"

#include "ns3/pointer.h"

namespace ns3::dlearn
{

namespace
{

std::set<std::string> g_typed; //!< see SetTypedDefaults()

bool
IsChanged(const TypeId::AttributeInformation& info)
{
    return info.initialValue->SerializeToString(info.checker) !=
           info.originalInitialValue->SerializeToString(info.checker);
}

} // namespace

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

void
SetTypedDefaults(std::set<std::string> names)
{
    g_typed = std::move(names);
}

Ptr<const AttributeValue>
FindChosenDefault(TypeId type, const std::string& name)
{
    TypeId::AttributeInformation info;
    if (!type.LookupAttributeByName(name, &info))
    {
        return nullptr;
    }
    bool chosen = IsChanged(info);
    for (; !g_typed.empty() && type.HasParent(); type = type.GetParent())
    {
        chosen = chosen || g_typed.count(type.GetName() + "::" + name) > 0;
    }
    return chosen ? info.initialValue : nullptr;
}

std::map<std::string, std::string>
GetChangedAttributes()
{
    std::map<std::string, std::string> changed;
    ForEachAttribute([&](TypeId type, size_t index, const TypeId::AttributeInformation& info) {
        if (IsChanged(info))
        {
            const auto pointer = dynamic_cast<const PointerValue*>(PeekPointer(info.initialValue));
            const auto object = pointer ? pointer->Get<Object>() : nullptr;
            changed[type.GetAttributeFullName(index)] =
                object    ? object->GetInstanceTypeId().GetName()
                : pointer ? ""
                          : info.initialValue->SerializeToString(info.checker);
        }
    });
    return changed;
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
