/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UDP_TRANSPORT_H
#define DLEARN_UDP_TRANSPORT_H

#include "dlearn-transport.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/socket.h"

#include <deque>
#include <set>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * One fragment a UDP datagram, to each recipient in turn. Lost datagrams stay lost.
 *
 * Without pacing a whole message is handed to the stack at once, which suits small models
 * and the wired networks of this module, whose queues hold it. Over real queues set
 * PacingRate to a rate that the bottleneck can carry.
 */
class UdpTransport : public Transport
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    void Open() override;
    void Close() override;
    void Send(const std::vector<Ptr<const Packet>>& fragments,
              uint32_t round,
              const std::vector<LearnerId>& recipients) override;
    bool Settle(uint32_t round) override;
    uint32_t GetFragmentSize() const override;

  protected:
    void DoDispose() override;

    /**
     * @param recipients peers
     * @return the addresses to which a fragment for them is sent
     */
    virtual std::vector<Ipv4Address> GetDestinations(
        const std::vector<LearnerId>& recipients) const;

  private:
    /** A datagram that waits for its turn. */
    struct Datagram
    {
        Ptr<const Packet> packet; //!< what
        Ipv4Address destination;  //!< where to
        uint32_t round;           //!< of which round
    };

    void SendQueued();
    void Transmit(const Datagram& datagram);
    void HandleRead(Ptr<Socket> socket);

    uint16_t m_port{0};                //!< attribute Port
    uint32_t m_fragmentSize{0};        //!< attribute FragmentSize
    DataRate m_pacingRate;             //!< attribute PacingRate
    Ptr<Socket> m_socket;              //!< sends and receives
    std::deque<Datagram> m_queue;      //!< waits for pacing
    EventId m_sendEvent;               //!< next datagram of the queue
    std::set<uint32_t> m_left;         //!< rounds of which something left, until settled
    std::vector<uint8_t> m_readBuffer; //!< reused for every datagram
};

/**
 * @ingroup dlearn
 * As UdpTransport, but every fragment is sent once, to the subnet's broadcast address: on a
 * shared medium one transmission reaches all neighbours. Radio broadcasts are not
 * acknowledged and not repeated by the MAC. Messages for nobody in reach are overheard by
 * all; receivers drop what does not come from a neighbour in their graph.
 */
class UdpBroadcastTransport : public UdpTransport
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    std::vector<Ipv4Address> GetDestinations(
        const std::vector<LearnerId>& recipients) const override;
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_UDP_TRANSPORT_H
