/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FRAME_DISSECTOR_H
#define DLEARN_FRAME_DISSECTOR_H

#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-model-header.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace ns3::dlearn
{

/** How a frame begins. */
enum class FrameKind
{
    IP,           //!< with the header of IPv4 or IPv6
    PPP,          //!< two bytes of protocol, as PointToPointNetDevice sends it
    ETHERNET,     //!< IEEE 802.3, with a type (DIX) or with a length and LLC/SNAP
    WIFI,         //!< MAC header of IEEE 802.11, body, checksum
    WIFI_SUBFRAME //!< the same after the delimiter that it has in an A-MPDU
};

/** The payload of UDP or TCP in one packet. */
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

/** The contents of a frame. */
struct Dissection
{
    std::vector<OverheardSegment> segments; //!< usually one, several in an A-MSDU
    uint32_t foreign{0};                    //!< things that are not UDP or TCP over IP
    uint32_t unreadable{0};                 //!< things cut short, encrypted or fragments of IP
};

/**
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

/**
 * @ingroup dlearn
 * One direction of a TCP connection as an observer on the way sees it: puts segments in order by
 * their sequence numbers, and finds the fragments of messages in the stream.
 *
 * A receiver gets everything in the end, an observer does not: a segment that it missed is not
 * sent again once the receiver has it. The observer therefore gives up missing bytes when the
 * receiver has acknowledged them (Acknowledge()), or when more than a limit of later bytes waits
 * for them. After such a gap, or when it begins in the middle of a stream, the observer searches
 * every byte for a header with a valid checksum, and continues there.
 *
 * It knows neither time nor packets.
 */
class OverheardStream
{
  public:
    /** Called with header and payload of each intact fragment. */
    using Visitor = std::function<void(const ModelHeader&, const uint8_t*)>;

    /** Largest payload that the header of a fragment may claim, in bytes. */
    static constexpr uint32_t MAX_PAYLOAD = 1 << 20;

    /** @param limit most bytes that wait for missing ones; at least 1 */
    explicit OverheardStream(uint32_t limit)
        : m_limit(limit)
    {
    }

    /** The stream begins, again, with the byte of this number. */
    void Begin(uint32_t sequence);

    /** The sender is done; its last byte is before this number. */
    void End(uint32_t sequence);

    /**
     * Bytes of the stream. Before Begin() these are where it begins.
     *
     * @param sequence number of the first
     * @param bytes they
     * @param size how many
     * @param visitor gets the fragments that are now whole
     */
    void Add(uint32_t sequence, const uint8_t* bytes, uint32_t size, const Visitor& visitor);

    /**
     * The receiver has all bytes before one.
     *
     * @param sequence number of that byte
     * @param visitor gets the fragments that need not wait any more
     */
    void Acknowledge(uint32_t sequence, const Visitor& visitor);

    /** @return bytes that passed unseen, or that belong to a fragment of which others did */
    uint64_t GetLost() const { return m_lost; }

    /** @return bytes of memory that the stream takes, more or less */
    uint64_t GetBytes() const;

  private:
    static constexpr uint64_t STREAM_BYTES = 256; //!< of memory, besides the bytes
    static constexpr uint64_t PIECE_BYTES = 96;   //!< likewise, for each piece that waits

    uint64_t GetPosition(uint32_t sequence) const;

    void Append(uint64_t position, const uint8_t* bytes, uint64_t size);

    void Skip(uint64_t position);

    /** Take the bytes that were held until those before them came. */
    void TakeHeld();

    void FindFragments(const Visitor& visitor);

    uint32_t m_limit;                                //!< most bytes in m_held
    bool m_begun{false};                             //!< whether m_next means something
    bool m_aligned{false};                           //!< whether m_bytes begins between fragments
    uint32_t m_first{0};                             //!< number of the first byte
    uint64_t m_next{0};                              //!< position of the next byte
    uint64_t m_end{UINT64_MAX};                      //!< position after the last byte, if known
    std::vector<uint8_t> m_bytes;                    //!< those before m_next, not yet understood
    std::map<uint64_t, std::vector<uint8_t>> m_held; //!< later ones, by position
    uint64_t m_heldBytes{0};                         //!< how many
    uint64_t m_lost{0};                              //!< given up
};

} // namespace ns3::dlearn

#endif // DLEARN_FRAME_DISSECTOR_H
