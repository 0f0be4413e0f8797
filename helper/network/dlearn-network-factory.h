/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_FACTORY_H
#define DLEARN_NETWORK_FACTORY_H

#include "dlearn-network.h"

#include <functional>
#include <memory>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @return the names that CreateNetwork() knows, for messages: "backbone:FILE.graphml, csma, ..."
 */
std::string GetNetworkNames();

/**
 * @ingroup dlearn
 * @param name one of GetNetworkNames(), with an argument in place of its capitals: "tree:32"
 * @return a network still to be built
 * @throw std::invalid_argument naming the networks there are, or for an argument that the network
 *        does not understand
 * @throw std::runtime_error for a file that cannot be read
 */
std::unique_ptr<Network> CreateNetwork(const std::string& name);

/**
 * @ingroup dlearn
 * Make a network known to CreateNetwork() by a static object of this class, beside the network's
 * definition or in a script:
 *
 * @code
 *   static NetworkRegistration g_mine("mine", [](const std::string&) {
 *       return std::make_unique<MyNetwork>();
 *   });
 * @endcode
 */
class NetworkRegistration
{
  public:
    /** Makes a network of the text after the colon of its name, which is empty without one. */
    using Maker = std::function<std::unique_ptr<Network>(const std::string& argument)>;

    /**
     * @param name what a user writes, for example "tree:FANOUT": after the colon, in capitals, what
     *        the argument is. A name without a colon takes no argument.
     * @param make makes a network
     * @throw std::invalid_argument when a network of this name is known already
     */
    NetworkRegistration(const std::string& name, Maker make);
};

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_FACTORY_H
