/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DEVICE_BITS_H
#define DLEARN_DEVICE_BITS_H

#include "dlearn-radio-energy.h"
#include "dlearn-wired-devices.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/packet.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The devices of a node of which no energy model of ns-3 says what they spend: the bits that they
 * send and receive, and their switch. Point-to-point and CSMA devices tell of frames; of other
 * devices the packets of IP are counted, and they have no switch.
 */
class DeviceBits
{
  public:
    /** Called with bits when they are sent, or received. */
    using Listener = std::function<void(uint64_t bits)>;

    /**
     * @param node with its devices
     * @param radio says which of them have a model
     */
    DeviceBits(Ptr<Node> node, const RadioEnergy& radio);

    DeviceBits(const DeviceBits&) = delete;
    DeviceBits& operator=(const DeviceBits&) = delete;

    /** @return the type of one of the devices; empty when there are none */
    std::string GetDeviceType() const;

    /**
     * Begin to count. To be called once at most.
     *
     * @param sent gets the bits that devices send
     * @param received gets those that they receive
     */
    void Watch(Listener sent, Listener received);

    /** The node loses its power. */
    void SwitchOff() { m_wired.SwitchOff(); }

    /** It has power again. */
    void SwitchOn() { m_wired.SwitchOn(); }

  private:
    /** @param device that sends and receives packets of IP only, as far as can be seen */
    void WatchPackets(const Ptr<NetDevice>& device);

    /** @param protocol Ipv4 or Ipv6 of the node, whose packets are counted; null for none */
    template <typename Ip>
    void WatchProtocol(const Ptr<Ip>& protocol);

    void HandleTx(Ptr<const Packet> packet); //!< a device has sent
    void HandleRx(Ptr<const Packet> packet); //!< a device has received
    /** Trace Tx of Ipv4 or Ipv6. */
    template <typename Ip>
    void HandleIpTx(Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface);
    /** Trace Rx of Ipv4 or Ipv6. */
    template <typename Ip>
    void HandleIpRx(Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface);

    std::vector<Ptr<NetDevice>> m_devices; //!< all
    WiredDevices m_wired;                  //!< whose frames are counted
    std::set<Ptr<NetDevice>> m_counted;    //!< whose packets of IP are counted
    Listener m_sent;                       //!< see Watch()
    Listener m_received;                   //!< see Watch()
};

} // namespace ns3::dlearn

#endif // DLEARN_DEVICE_BITS_H
