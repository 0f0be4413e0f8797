/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RADIO_ROUTING_H
#define DLEARN_RADIO_ROUTING_H

#include "ns3/dlearn-component.h"
#include "ns3/dlearn-graph.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Routing over several radio hops. Without it, learners reach only those whose radios they receive.
 */
class RadioRouting : public Object
{
  public:
    static TypeId GetTypeId();

    /** Install a protocol stack with this routing on nodes without one. */
    virtual void InstallStack(const NodeContainer& nodes) const = 0;

    /** @return whether it also finds routes while learners move */
    virtual bool FollowsMotion() const = 0;

    /**
     * Set up initial routes, when nodes have addresses.
     *
     * @param nodes nodes with the stack of InstallStack()
     * @param reach which nodes receive which others
     * @throw std::invalid_argument when a node cannot reach another one
     */
    virtual void SetUp(const NodeContainer& /* nodes */, const Graph& /* reach */) const {}

    /**
     * @param nodes number of nodes
     * @return simulated time until all nodes know their routes: the attribute ReadyTime or, if that
     *         is 0, the time measured for nodes in a line
     */
    Time GetReadyTime(uint32_t nodes) const;

    /**
     * Assign the random streams of the protocol.
     *
     * @param nodes nodes with the stack of InstallStack()
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(const NodeContainer& nodes, int64_t stream) const;

  protected:
    /** @return simulated time until this number of nodes in a line know their routes */
    virtual Time MeasureReadyTime(uint32_t /* nodes */) const { return Time(0); }

  private:
    Time m_readyTime;
};

/**
 * @ingroup dlearn
 * @return the kinds of routing: static and, if ns-3 was built with them, aodv, dsdv, olsr
 */
const ComponentFamily& GetRadioRoutingFamily();

} // namespace ns3::dlearn

#endif // DLEARN_RADIO_ROUTING_H
