/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-part.h"

#include <sstream>

namespace ns3::dlearn
{

namespace
{

/**
 * ns-3 aborts on a description of a factory that it can not read.
 *
 * @param text name of a type, or "TYPE[Attribute=value|...]"
 * @return whether the type and its attributes exist, and the values fit them
 */
bool
IsReadable(const std::string& text)
{
    const size_t bracket = text.find('[');
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(text.substr(0, bracket), &type))
    {
        return false;
    }
    if (bracket == std::string::npos)
    {
        return true;
    }
    if (text.back() != ']')
    {
        return false;
    }
    std::istringstream list(text.substr(bracket + 1, text.size() - bracket - 2));
    for (std::string item; std::getline(list, item, '|');)
    {
        const size_t equal = item.find('=');
        TypeId::AttributeInformation info;
        if (equal == std::string::npos ||
            !type.LookupAttributeByName(item.substr(0, equal), &info) ||
            !info.checker->CreateValidValue(StringValue(item.substr(equal + 1))))
        {
            return false;
        }
    }
    return true;
}

} // namespace

bool
ReadPartFactory(const AttributeValue& value, ObjectFactory& factory)
{
    if (const auto made = dynamic_cast<const ObjectFactoryValue*>(&value))
    {
        factory = made->Get();
        return factory.IsTypeIdSet();
    }
    if (const auto type = dynamic_cast<const TypeIdValue*>(&value))
    {
        factory.SetTypeId(type->Get());
        return true;
    }
    const auto text = dynamic_cast<const StringValue*>(&value);
    if (!text || text->Get().empty())
    {
        return text != nullptr;
    }
    if (!IsReadable(text->Get()))
    {
        return false;
    }
    std::istringstream stream(text->Get());
    stream >> factory;
    return factory.IsTypeIdSet();
}

} // namespace ns3::dlearn
