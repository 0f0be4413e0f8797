/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BACKBONE_NETWORK_H
#define DLEARN_BACKBONE_NETWORK_H

#include "dlearn-routed-network.h"

#include "ns3/dlearn-graph-reader.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Learners at the nodes of a real topology, read from a GraphML file (ReadGraphml()) such as
 * those of the Internet Topology Zoo.
 *
 * The routers are the nodes, in the order of the file. A link has the speed that the file gives
 * (`LinkSpeedRaw`), else NetworkOptions::trunkRate; of parallel links only the fastest is built.
 * Its delay is that of light in fibre along the great circle between the coordinates of its
 * ends; where one of them is not known, NetworkOptions::delay.
 *
 * The server is attached to the node with most neighbours (the first of these in the file), and the
 * other learners to the other nodes in turn: the first learner to the first such node, and so on,
 * starting again when all nodes have one. Without a server, all learners are attached to all nodes
 * in turn. Access links are those of RoutedNetwork.
 */
class BackboneNetwork : public RoutedNetwork
{
  public:
    /**
     * @param path a GraphML file
     * @throw std::runtime_error when it cannot be read
     * @throw std::invalid_argument when it is not what ReadGraphml() understands, when its nodes
     *        are not all joined, for a latitude outside [-90, 90], and for a speed outside
     *        [1, 1e15] bit/s
     */
    explicit BackboneNetwork(const std::string& path);

    std::string GetName() const override { return "backbone:" + m_path; }

    /** @return the routers with the names and coordinates of the file */
    SiteMap GetSiteMap() const override;

    /**
     * The time that light takes in fibre, at two thirds of its speed in vacuum, along the great
     * circle on a sphere with the mean radius of the Earth, 6371.0088 km (haversine formula).
     *
     * @param from (longitude, latitude) in degrees
     * @param to (longitude, latitude) in degrees
     * @return the delay, to the nanosecond
     */
    static Time GetFibreDelay(const std::pair<double, double>& from,
                              const std::pair<double, double>& to);

  protected:
    RouterPlan MakePlan(uint32_t learners, const NetworkOptions& options) const override;

  private:
    /**
     * @param edge an edge
     * @param options what the user asked for
     * @return the same as a link between routers
     */
    Trunk MakeTrunk(const GraphmlEdge& edge, const NetworkOptions& options) const;

    /** @return the node with most neighbours, the first of these */
    uint32_t FindHub() const;

    std::string m_path;       //!< the file
    GraphmlContent m_content; //!< what it holds
};

} // namespace ns3::dlearn

#endif // DLEARN_BACKBONE_NETWORK_H
