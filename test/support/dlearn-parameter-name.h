/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PARAMETER_NAME_H
#define DLEARN_PARAMETER_NAME_H

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::dlearn
{
namespace test
{

/** @return the name of a network as GoogleTest takes it: "wifi_adhoc", "tree_2" */
inline std::string
MakeParameterName(std::string network)
{
    std::replace(network.begin(), network.end(), '-', '_');
    std::replace(network.begin(), network.end(), ':', '_');
    return network;
}

/** @return that of a network and a transport: "tree_2_tcp" */
inline std::string
MakeParameterName(const std::pair<const char*, const char*>& path)
{
    return MakeParameterName(path.first + std::string("_") + path.second);
}

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_PARAMETER_NAME_H
