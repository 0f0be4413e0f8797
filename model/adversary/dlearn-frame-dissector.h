/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FRAME_DISSECTOR_H
#define DLEARN_FRAME_DISSECTOR_H

#include "ns3/dlearn-endpoint.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a frame begins.
 */
enum class FrameKind
{
    IP,           //!< with the header of IPv4 or IPv6
    PPP,          //!< two bytes of protocol, as PointToPointNetDevice sends it
    ETHERNET,     //!< IEEE 802.3, with a type (DIX) or with a length and LLC/SNAP
    WIFI,         //!< MAC header of IEEE 802.11, body, checksum
    WIFI_SUBFRAME //!< the same after the delimiter that it has in an A-MPDU
};

/**
 * @ingroup dlearn
 * What UDP or TCP carries in one packet.
 */
struct OverheardSegment
{
    static constexpr uint8_t FIN = 1;  //!< flag of TCP: the sender is done
    static constexpr uint8_t SYN = 2;  //!< flag of TCP: a stream begins
    static constexpr uint8_t ACK = 16; //!< flag of TCP: acknowledgement means something

    IpAddress source;                //!< who sent it
    IpAddress destination;           //!< the receiver
    uint16_t sourcePort{0};          //!< its port
    uint16_t destinationPort{0};     //!< its port
    bool tcp{false};                 //!< TCP rather than UDP
    uint32_t sequence{0};            //!< TCP: number of the first byte of the payload
    uint32_t acknowledgement{0};     //!< TCP: number of the byte expected from the other side
    uint8_t flags{0};                //!< TCP
    const uint8_t* payload{nullptr}; //!< inside the frame
    uint32_t size{0};                //!< bytes of payload
};

/**
 * @ingroup dlearn
 * What is in a frame.
 */
struct Dissection
{
    std::vector<OverheardSegment> segments; //!< usually one, several in an A-MSDU
    uint32_t foreign{0};                    //!< things that are not UDP or TCP over IP
    uint32_t unreadable{0};                 //!< things cut short, encrypted or fragments of IP
};

/**
 * @ingroup dlearn
 * Take a frame apart down to the payload of UDP and TCP. Works on bytes, because these, unlike
 * the classes for headers, are the same in all versions of ns-3, and nothing in them is trusted:
 * no field leads beyond the frame. Checksums are not verified (ns-3 does not compute them
 * by default; the reader of the payload verifies those of dlearn).
 *
 * @param kind how it begins
 * @param bytes the frame; the result points into it
 * @param size how many bytes there are
 * @return what is in it
 */
Dissection DissectFrame(FrameKind kind, const uint8_t* bytes, size_t size);

} // namespace ns3::dlearn

#endif // DLEARN_FRAME_DISSECTOR_H
