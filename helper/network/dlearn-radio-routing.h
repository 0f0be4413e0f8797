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
 * How packets reach learners that are several radio hops away. Without it, learners reach those
 * only whose radios they hear.
 */
class RadioRouting : public Object
{
  public:
    static TypeId GetTypeId();

    /** Give nodes without one a protocol stack that routes so. */
    virtual void InstallStack(const NodeContainer& nodes) const = 0;

    /** @return whether routes are found when learners move, too */
    virtual bool FollowsMotion() const = 0;

    /**
     * Set up what is known from the beginning, once nodes have addresses.
     *
     * @param nodes with the stack of InstallStack()
     * @param reach which nodes receive which others
     * @throw std::invalid_argument when there is no way from one node to another
     */
    virtual void SetUp(const NodeContainer& /* nodes */, const Graph& /* reach */) const {}

    /**
     * @param nodes how many there are
     * @return simulated time until all know their routes: the attribute ReadyTime or, when that is
     *         0, what was measured for nodes in a line
     */
    Time GetReadyTime(uint32_t nodes) const;

    /**
     * Fix the random streams of the protocol.
     *
     * @param nodes with the stack of InstallStack()
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(const NodeContainer& nodes, int64_t stream) const;

  protected:
    /** @return simulated time until as many nodes in a line know their routes */
    virtual Time MeasureReadyTime(uint32_t /* nodes */) const { return Time(0); }

  private:
    Time m_readyTime;
};

/**
 * @ingroup dlearn
 * @return the ways there are: static and, where ns-3 was built with them, aodv, dsdv, olsr
 */
const ComponentFamily& GetRadioRoutingFamily();

} // namespace ns3::dlearn

#endif // DLEARN_RADIO_ROUTING_H
