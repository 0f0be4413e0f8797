/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UDP_TRANSPORT_H
#define DLEARN_UDP_TRANSPORT_H

#include "dlearn-interface-line.h"
#include "dlearn-transport.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/socket.h"

#include <deque>
#include <memory>
#include <set>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One fragment a UDP datagram, to each recipient in turn. Lost datagrams stay lost.
 *
 * Datagrams are paced, one queue for each network interface, so that a long message does
 * not fill the queues below, and nothing grows old there: at PacingRate or, when that is 0, at the
 * rate of the device or its channel, with all headers, if it has one (point-to-point and CSMA do;
 * a radio does not); and in any case no faster than the device sends (InterfaceBacklog).
 */
class UdpTransport : public Transport
{
  public:
    static TypeId GetTypeId();

    void Open() override;
    void Close() override;
    void Send(const Message& message, const std::vector<LearnerId>& recipients) override;
    bool Settle(uint32_t round) override;
    uint32_t GetFragmentSize() const override;

  protected:
    void DoDispose() override;

    uint16_t GetPort() const override { return m_port; }

    void CheckAttributes() const override;

    /**
     * @param recipients peers
     * @return the addresses to which a fragment for them is sent
     */
    virtual std::vector<Endpoint> GetDestinations(const std::vector<LearnerId>& recipients) const;

    /**
     * Use a datagram that came.
     *
     * @param from the peer that it came from; nothing for a stranger
     * @param source where it came from
     * @param bytes its content
     * @param size number of bytes
     */
    virtual void Receive(std::optional<LearnerId> from,
                         const Endpoint& source,
                         const uint8_t* bytes,
                         uint32_t size);

    /**
     * Hand a part of a message to the socket, and count it. Listeners may close the transport.
     *
     * @param message whole message
     * @param packet a fragment, or what can be computed from fragments
     * @param destination of the datagram
     * @return bytes of the datagram
     */
    uint32_t SendPart(const Message& message, Ptr<Packet> packet, const Endpoint& destination);

    /** Send bytes that are part of no message; counted as GetTxBytes(). */
    void SendControl(const std::vector<uint8_t>& bytes, const Endpoint& destination);

    /** @return the socket, another one each time that the transport opens; null while closed */
    Ptr<Socket> GetSocket() const { return m_socket; }

  private:
    /** A message on its way to one address. */
    struct Waiting
    {
        Message message;      //!< the message
        Endpoint destination; //!< its address
        uint32_t next{0};     //!< its fragment that is sent next
    };

    /** What leaves by one interface. */
    struct Lane
    {
        DataRate rate;             //!< of the interface; 0 when it has none
        uint32_t headers{0};       //!< bytes of a datagram on the link besides those of dlearn
        uint32_t burst{1};         //!< datagrams handed over at a time
        std::deque<Waiting> queue; //!< in the order of sending
        Time free;                 //!< when the next datagram may be sent
        EventId event;             //!< sends it
        std::unique_ptr<InterfaceBacklog> backlog; //!< of the device
    };

    uint32_t ChoosePayloadSize() const;
    Lane& GetLane(const IpAddress& destination);
    void SendQueued(Lane* lane, bool patient);

    void HandleRead(Ptr<Socket> socket);

    uint16_t m_port{0};                //!< attribute Port
    uint32_t m_fragmentSize{0};        //!< attribute FragmentSize
    uint32_t m_payloadSize{0};         //!< of a datagram, at most; known once open
    DataRate m_pacingRate;             //!< attribute PacingRate
    Ptr<Socket> m_socket;              //!< sends and receives
    std::map<uint32_t, Lane> m_lanes;  //!< by interface; 0 for addresses of no interface
    std::set<uint32_t> m_left;         //!< rounds that have begun to leave, until settled
    std::vector<uint8_t> m_readBuffer; //!< reused for every datagram
};

} // namespace ns3::dlearn

#endif // DLEARN_UDP_TRANSPORT_H
