/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-general-arguments.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <set>

namespace ns3::dlearn
{

namespace
{

/** @return the type that declares an attribute which a type has */
TypeId
FindOwner(TypeId type, const std::string& attribute)
{
    for (; type.HasParent(); type = type.GetParent())
    {
        for (size_t k = 0; k < type.GetAttributeN(); ++k)
        {
            if (type.GetAttribute(k).name == attribute)
            {
                return type;
            }
        }
    }
    return type;
}

} // namespace

std::string
CheckAttribute(const std::string& name, const std::string& value)
{
    const auto attribute = FindAttribute(name);
    Require(attribute.has_value(),
            "no attribute '",
            name,
            "': write --ns3::TYPE::ATTRIBUTE=VALUE; --PrintAttributes=TYPE lists those of a type");
    const std::string owner = FindOwner(attribute->type, attribute->info.name).GetName();
    Require(owner == attribute->type.GetName(),
            name,
            ": the attribute is one of ",
            owner,
            ": write --",
            owner,
            "::",
            attribute->info.name,
            "=",
            value);
    const AttributeChecker& checker = *attribute->info.checker;
    const AttributeValue& initial = *attribute->info.initialValue;
    Require(IsValid(value, checker, initial),
            "attribute ",
            name,
            " must be ",
            DescribeValues(checker, initial),
            ", got '",
            value,
            "'");
    return owner + "::" + attribute->info.name;
}

void
CheckGlobal(const std::string& name, const std::string& value)
{
    // Of the two moduli of the generator the smaller one, from which on ns-3 aborts.
    const double limit = 4294944443.0;
    Require(name != "RngSeed" || (IsWholeNumber(value, false) && ParseNumber(value) > 0 &&
                                  ParseNumber(value) < limit),
            "RngSeed must be a whole number from 1 to 4294944442, got '",
            value,
            "'");
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        if ((*global)->GetName() == name)
        {
            StringValue initial;
            (*global)->GetValue(initial);
            const AttributeChecker& checker = *(*global)->GetChecker();
            Require(IsValid(value, checker, initial),
                    name,
                    " must be ",
                    name == "RngRun" ? "a whole number from 0 to 18446744073709551615"
                                     : DescribeValues(checker, initial),
                    ", got '",
                    value,
                    "'");
        }
    }
    TypeId type;
    Require(name != "PrintAttributes" || TypeId::LookupByNameFailSafe(value, &type),
            name,
            " must name a type of ns-3, got '",
            value,
            "'");
}

bool
IsGlobal(const std::string& name)
{
    return std::any_of(GlobalValue::Begin(), GlobalValue::End(), [&name](const GlobalValue* value) {
        return value->GetName() == name;
    });
}

bool
IsQuery(const std::string& name)
{
    static const std::set<std::string> queries{"PrintGlobals",
                                               "PrintGroups",
                                               "PrintGroup",
                                               "PrintTypeIds",
                                               "PrintAttributes",
                                               "PrintVersion",
                                               "version"};
    return queries.count(name) > 0;
}

} // namespace ns3::dlearn
