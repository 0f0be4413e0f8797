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

/** The first header of a frame. */
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
    static constexpr uint8_t FIN = 1;  //!< TCP flag: the stream ends
    static constexpr uint8_t SYN = 2;  //!< TCP flag: the stream begins
    static constexpr uint8_t ACK = 16; //!< TCP flag: acknowledgement is valid

    IpAddress source;                //!< the sender
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
    uint32_t foreign{0};                    //!< packets that are not UDP or TCP over IP
    uint32_t unreadable{0};                 //!< packets cut short, encrypted, or fragments of IP
};

/**
 * Find the payloads of UDP and TCP in a frame. The function reads bytes, which unlike the header
 * classes are the same in all versions of ns-3, and checks all lengths. It does not verify
 * checksums, which ns-3 does not compute by default; the reader of the payload verifies those of
 * dlearn.
 *
 * @param kind first header of the frame
 * @param bytes the frame; the result points into it
 * @param size number of bytes
 * @return the payloads
 */
Dissection DissectFrame(FrameKind kind, const uint8_t* bytes, size_t size);

/**
 * @ingroup dlearn
 * One direction of a TCP connection as an observer sees it: puts segments in order by their
 * sequence numbers, and finds the fragments of messages in the stream.
 *
 * A segment that the observer missed is not sent again once the receiver has it. The observer
 * therefore gives up missing bytes when the receiver has acknowledged them (Acknowledge()), or when
 * more than a limit of later bytes waits for them. After such a gap, or when it begins in the
 * middle of a stream, it searches for a header with a valid checksum, and continues there.
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

    /** The stream begins, perhaps again, with the byte of this number. */
    void Begin(uint32_t sequence);

    /** The stream ends before the byte of this number. */
    void End(uint32_t sequence);

    /**
     * Add bytes of the stream. Without Begin(), the stream begins with them.
     *
     * @param sequence number of the first byte
     * @param bytes the bytes
     * @param size number of bytes
     * @param visitor gets the fragments that are now complete
     */
    void Add(uint32_t sequence, const uint8_t* bytes, uint32_t size, const Visitor& visitor);

    /**
     * The receiver has acknowledged bytes.
     *
     * @param sequence number of the first byte that it has not acknowledged
     * @param visitor gets the fragments that are now complete
     */
    void Acknowledge(uint32_t sequence, const Visitor& visitor);

    /** @return bytes that were missed, or belong to a fragment with missed bytes */
    uint64_t GetLost() const { return m_lost; }

    /** @return bytes of memory that the stream takes, approximately */
    uint64_t GetBytes() const;

  private:
    static constexpr uint64_t STREAM_BYTES = 256; //!< of memory, besides the bytes
    static constexpr uint64_t PIECE_BYTES = 96;   //!< of memory for each piece that waits

    uint64_t GetPosition(uint32_t sequence) const;

    void Append(uint64_t position, const uint8_t* bytes, uint64_t size);

    void Skip(uint64_t position);

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
