/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TEST_NETWORKS_H
#define DLEARN_TEST_NETWORKS_H

#include "ns3/dlearn-cellular-network.h"

#include <string>
#include <vector>

namespace ns3::dlearn::test
{

/** @return a network as text, with those of the attributes, NAME=VALUE, that its kind has */
inline std::string
WithAttributes(std::string text, const std::vector<std::string>& attributes)
{
    const TypeId type = CreateNetwork(text)->GetInstanceTypeId();
    TypeId::AttributeInformation info;
    for (const std::string& attribute : attributes)
    {
        if (type.LookupAttributeByName(attribute.substr(0, attribute.find('=')), &info))
        {
            text += "," + attribute;
        }
    }
    return text;
}

/** @return the names of the networks of cells that this ns-3 has the modules for */
inline std::vector<std::string>
ListCells()
{
    std::vector<std::string> cells;
    for (const std::string& name : GetComponentNames(GetNetworkFamily()))
    {
        if (IsComponentOf(GetNetworkFamily(), name, CellularNetwork::GetTypeId()))
        {
            cells.push_back(name);
        }
    }
    return cells;
}

} // namespace ns3::dlearn::test

#endif // DLEARN_TEST_NETWORKS_H
