/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OVERHEARD_TRAFFIC_H
#define DLEARN_OVERHEARD_TRAFFIC_H

#include "dlearn-frame-dissector.h"
#include "dlearn-overheard-stream.h"

#include "ns3/dlearn-message-receiver.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One whole vector that was overheard.
 */
struct Overheard
{
    Time time;                                 //!< when the last of its bytes was seen
    IpAddress source;                          //!< from where
    IpAddress destination;                     //!< to where
    LearnerId sender{0};                       //!< who made it, or says so
    ModelChannel channel{ModelChannel::STATE}; //!< what it is
    uint32_t round{0};                         //!< round in which it was made
    ModelVector values;                        //!< the vector
};

/**
 * @ingroup dlearn
 * What an Eavesdropper makes of the frames that it sees: vectors, with bounded memory.
 *
 * Frames are taken apart (DissectFrame), TCP streams put in order (OverheardStream), messages
 * assembled (MessageAssembler) for each pair of addresses.
 */
class OverheardTraffic
{
  public:
    /** How much is kept. */
    struct Limits
    {
        uint32_t unfinished{4};   //!< unfinished messages of each sender between two addresses
        uint32_t stream{1 << 22}; //!< bytes of a TCP stream that wait for missing ones
        uint64_t bytes{1 << 28};  //!< of memory in all, and of any one vector
    };

    /** What passed by. */
    struct Counters
    {
        uint64_t frames{0};      //!< frames, or packets at an IP layer
        uint64_t foreign{0};     //!< things in them that are not UDP or TCP over IP
        uint64_t unreadable{0};  //!< things in them cut short, encrypted, or fragments of IP
        uint64_t noFragment{0};  //!< UDP datagrams that are no intact fragment of a vector
        uint64_t fragments{0};   //!< fragments of vectors
        uint64_t repeated{0};    //!< of them, those that brought nothing new
        uint64_t contrary{0};    //!< of them, those that contradict earlier ones
        uint64_t tooLarge{0};    //!< of them, those of vectors larger than MaxBytes
        uint64_t messages{0};    //!< whole vectors
        uint64_t undecodable{0}; //!< messages whose bytes are no vector
        uint64_t unfinished{0};  //!< messages of which something is missing, given up or not
        uint64_t givenUp{0};     //!< messages and streams given up because of MaxBytes
        uint64_t lostBytes{0};   //!< bytes of TCP streams that cannot be read any more
    };

    /** @param visit called with each whole vector; may not read another frame */
    explicit OverheardTraffic(std::function<void(const Overheard&)> visit);

    /**
     * @param limits what holds from now on; messages and streams that have begun keep theirs
     * @param kind how the frame begins
     * @param bytes the frame
     * @param size how many bytes there are
     */
    void Read(const Limits& limits, FrameKind kind, const uint8_t* bytes, size_t size);

    /** Forget all that is unfinished or done, but not the counters. */
    void Clear();

    /** @return what passed by so far */
    Counters GetCounters() const;

    /** @return bytes of memory that unfinished messages and streams take, more or less */
    uint64_t GetBytes() const { return m_held; }

  private:
    /** From where to where. */
    using Flow = std::pair<IpAddress, IpAddress>;
    /** A direction of a connection: a flow and its ports. */
    using StreamKey = std::tuple<IpAddress, uint16_t, IpAddress, uint16_t>;

    /** Messages between two addresses. */
    struct Traffic
    {
        Traffic(uint32_t limit, uint64_t largest)
            : assembler(limit, largest)
        {
        }

        MessageAssembler assembler;                     //!< of the unfinished ones
        std::map<MessageAssembler::Key, uint64_t> open; //!< the unfinished ones, and their age
        std::set<MessageAssembler::Key> done;           //!< the finished ones
        std::deque<MessageAssembler::Key> doneOrder;    //!< the same, as they were
    };

    /** A direction of a connection. */
    struct Stream
    {
        explicit Stream(uint32_t limit)
            : stream(limit)
        {
        }

        OverheardStream stream; //!< its bytes
        uint64_t age{0};        //!< of the last segment
    };

    /** Something unfinished: a message of a flow, or a stream. */
    using Unfinished = std::variant<std::pair<Flow, MessageAssembler::Key>, StreamKey>;

    /** @param segment of UDP */
    void ReadDatagram(const OverheardSegment& segment);

    /** @param segment of TCP */
    void ReadSegment(const OverheardSegment& segment);

    /**
     * @param flow that it belongs to
     * @param header of the fragment
     * @param payload bytes after the header
     */
    void ReadFragment(const Flow& flow, const ModelHeader& header, const uint8_t* payload);

    /**
     * @param flow of a message
     * @param traffic of the flow
     * @param key of the message, which is whole
     */
    void Finish(const Flow& flow, Traffic& traffic, const MessageAssembler::Key& key);

    /**
     * @param key of a stream of TCP, made if it is new
     * @param action on the stream, after which its bytes are counted
     */
    void WithStream(const StreamKey& key, const std::function<void(OverheardStream&)>& action);

    /** Give up the oldest unfinished messages and streams while too many bytes are held. */
    void Shrink();

    void GiveUp(const Flow& flow, const MessageAssembler::Key& key);
    void GiveUp(const StreamKey& key);

    static constexpr size_t DONE_LIMIT = 1000; //!< messages of a flow remembered as done

    std::function<void(const Overheard&)> m_visit; //!< gets whole vectors
    Limits m_limits;                               //!< of the last call
    Counters m_counters;                           //!< except those that GetCounters() adds up
    std::map<Flow, Traffic> m_traffic;             //!< by flow
    std::map<StreamKey, Stream> m_streams;         //!< by direction of a connection
    std::map<uint64_t, Unfinished> m_unfinished;   //!< what is held, by age
    uint64_t m_age{0};                             //!< of what comes next
    uint64_t m_held{0};                            //!< see GetBytes()
};

} // namespace ns3::dlearn

#endif // DLEARN_OVERHEARD_TRAFFIC_H
