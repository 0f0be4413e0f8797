/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-factory.h"

#include "ns3/dlearn-check.h"

#include <map>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

/** How to make one kind of network. */
struct NetworkKind
{
    std::string argument;            //!< what follows the name, for people; empty for nothing
    NetworkRegistration::Maker make; //!< makes one
};

/** @return all registered networks, by their name before the colon */
std::map<std::string, NetworkKind>&
GetKinds()
{
    static std::map<std::string, NetworkKind> kinds; // here, as registrations are static, too
    return kinds;
}

/**
 * @param network name of a network
 * @param module of ns-3, without which dlearn was built
 * @return what refuses the network
 */
[[maybe_unused]] NetworkRegistration::Maker
RefuseWithout(const std::string& network, const std::string& module)
{
    return [network, module](const std::string&) -> std::unique_ptr<Network> {
        throw std::invalid_argument("network " + network + " needs ns-3's module " + module +
                                    ", without which this ns-3 was built; configure ns-3 with "
                                    "it, build ns-3, then build dlearn again");
    };
}

#ifndef DLEARN_WITH_LTE
const NetworkRegistration g_noLte("lte", RefuseWithout("lte", "lte"));
#endif

#ifndef DLEARN_WITH_MESH
const NetworkRegistration g_noMesh("wifi-mesh", RefuseWithout("wifi-mesh", "mesh"));
#endif

} // namespace

NetworkRegistration::NetworkRegistration(const std::string& name, Maker make)
{
    const size_t colon = name.find(':');
    const std::string argument = colon == std::string::npos ? "" : name.substr(colon);
    const bool isNew = GetKinds().insert({name.substr(0, colon), {argument, make}}).second;
    Require(isNew, "network ", name, " is registered already");
}

std::string
GetNetworkNames()
{
    std::string names;
    for (const auto& [name, kind] : GetKinds())
    {
        names += (names.empty() ? "" : ", ") + name + kind.argument;
    }
    return names;
}

std::unique_ptr<Network>
CreateNetwork(const std::string& name)
{
    const size_t colon = name.find(':');
    const auto kind = GetKinds().find(name.substr(0, colon));
    Require(kind != GetKinds().end() &&
                kind->second.argument.empty() == (colon == std::string::npos),
            "network must be one of ",
            GetNetworkNames(),
            "; got '",
            name,
            "'");
    Require(colon + 1 != name.size(),
            "network must be ",
            kind->first + kind->second.argument,
            ", got '",
            name,
            "'");
    auto network = kind->second.make(colon == std::string::npos ? "" : name.substr(colon + 1));
    Require(network != nullptr, "network ", name, ": what it was registered with makes none");
    return network;
}

} // namespace ns3::dlearn
