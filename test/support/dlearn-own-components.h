/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TEST_OWN_COMPONENTS_H
#define DLEARN_TEST_OWN_COMPONENTS_H

#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3::dlearn::test
{

/**
 * Tests that run what a family of components has must not run the components of other tests, which
 * are in the same process inside ns-3's tree.
 *
 * @param names of components, a list or a set
 * @return those of dlearn; the types of tests are in other namespaces, which their names show
 */
template <typename Names>
std::vector<std::string>
GetOwnComponents(const Names& names)
{
    std::vector<std::string> own;
    for (const std::string& name : names)
    {
        if (name.find("::") == std::string::npos)
        {
            own.push_back(name);
        }
    }
    return own;
}

/**
 * @param base a type
 * @return the types of dlearn below it that can be made; those of tests and audits are of another
 *         group
 */
inline std::vector<TypeId>
GetOwnTypes(TypeId base)
{
    std::vector<TypeId> types;
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        if (type.IsChildOf(base) && type.HasConstructor() && type.GetGroupName() == "Dlearn")
        {
            types.push_back(type);
        }
    }
    return types;
}

} // namespace ns3::dlearn::test

#endif // DLEARN_TEST_OWN_COMPONENTS_H
