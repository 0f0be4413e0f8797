/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TEST_OWN_COMPONENTS_H
#define DLEARN_TEST_OWN_COMPONENTS_H

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

} // namespace ns3::dlearn::test

#endif // DLEARN_TEST_OWN_COMPONENTS_H
