/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WAITING_QUEUES_H
#define DLEARN_WAITING_QUEUES_H

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Let packets wait, however many there are, while ARP or neighbour discovery looks for a hardware
 * address or a routing protocol for a route: on all nodes that exist, and wherever the size of such
 * a queue is the default of ns-3. Those sizes suit single packets: ARP and neighbour discovery keep
 * three, DSDV five a destination, AODV
 * 64. A model comes in one burst, and the first packets of each would be all that arrives.
 */
void OpenWaitingQueues();

} // namespace ns3::dlearn

#endif // DLEARN_WAITING_QUEUES_H
