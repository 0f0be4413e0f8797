/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EAVESDROPPER_H
#define DLEARN_EAVESDROPPER_H

#include "dlearn-frame-dissector.h"

#include "ns3/dlearn-message-receiver.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"
#include "ns3/wifi-phy.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace ns3::dlearn
{

/** A whole vector that was overheard. */
struct Overheard
{
    Time time;                                 //!< when the last of its bytes was seen
    IpAddress source;                          //!< address of the sender
    IpAddress destination;                     //!< address of the receiver
    LearnerId sender{0};                       //!< the learner that the message names
    ModelChannel channel{ModelChannel::STATE}; //!< kind of the vector
    uint32_t round{0};                         //!< round in which it was made
    ModelVector values;                        //!< the vector
};

/**
 * @ingroup dlearn
 * Reads the vectors in the frames that pass by: the passive attacker of local differential privacy,
 * "an adversary that can observe every message shared" (Chen and Wang, "Locally Differentially
 * Private Distributed Online Learning with Guaranteed Optimality", section I). Messages are not
 * encrypted.
 *
 * An eavesdropper can listen in several places, and changes nothing there:
 *
 *  - Listen() at a device: a point-to-point device hears the frames that arrive and leave at its
 *    end; a CSMA device hears the whole bus; a Wi-Fi device (monitor mode) hears all frames that
 *    the radio decodes or sends. For a separate radio see WifiNetwork::AddListener().
 *  - ListenAt() a node: all packets at its IP layer, over all of its devices.
 *
 * The trace source Overheard reports every vector once for each pair of addresses, however often it
 * was sent or seen. The eavesdropper does not receive again what it missed; GetCounters() counts
 * what it could not read. It believes the sender that a message names.
 *
 * Unfinished messages and streams take at most MaxBytes: the eavesdropper gives up the oldest when
 * there are more, and does not read a larger vector.
 *
 * It exists as long as the objects it listens at, or until Dispose().
 */
class Eavesdropper : public Object
{
  public:
    /** Counts of all that passed by. */
    struct Counters
    {
        uint64_t frames{0};      //!< frames, or packets at an IP layer
        uint64_t foreign{0};     //!< packets in them that are not UDP or TCP over IP
        uint64_t unreadable{0};  //!< packets in them cut short, encrypted, or fragments of IP
        uint64_t noFragment{0};  //!< UDP datagrams that are not an intact fragment of a vector
        uint64_t fragments{0};   //!< fragments of vectors
        uint64_t repeated{0};    //!< fragments that are known already
        uint64_t contrary{0};    //!< fragments that contradict earlier ones
        uint64_t tooLarge{0};    //!< fragments of vectors larger than MaxBytes
        uint64_t messages{0};    //!< whole vectors
        uint64_t undecodable{0}; //!< messages whose bytes are not a vector
        uint64_t unfinished{0};  //!< incomplete messages, given up or not
        uint64_t givenUp{0};     //!< messages and streams given up because of MaxBytes
        uint64_t lostBytes{0};   //!< bytes of TCP streams that cannot be read any more
    };

    static TypeId GetTypeId();

    /**
     * Listen at a device from now on.
     *
     * @param device of point-to-point, CSMA or Wi-Fi
     * @throw std::invalid_argument naming the type of any other device
     */
    void Listen(Ptr<NetDevice> device);

    /**
     * Listen at the IP layer of a node from now on.
     *
     * @param node with an IPv4 stack
     * @throw std::invalid_argument when it has none
     */
    void ListenAt(Ptr<Node> node);

    /** @return the counters so far */
    Counters GetCounters() const;

    /** @return bytes of memory that unfinished messages and streams take, approximately */
    uint64_t GetBytes() const { return m_held; }

    /** Signature of the trace source Overheard. */
    typedef void (*OverheardTracedCallback)(const Overheard& overheard);

  protected:
    void DoDispose() override;

  private:
    using Flow = std::pair<IpAddress, IpAddress>;
    /** A direction of a connection: a flow and its ports. */
    using StreamKey = std::tuple<IpAddress, uint16_t, IpAddress, uint16_t>;

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

    struct Stream
    {
        explicit Stream(uint32_t limit)
            : stream(limit)
        {
        }

        OverheardStream stream; //!< its bytes
        uint64_t age{0};        //!< of the last segment
    };

    using Unfinished = std::variant<std::pair<Flow, MessageAssembler::Key>, StreamKey>;

    void ReadDatagram(const OverheardSegment& segment);

    void ReadSegment(const OverheardSegment& segment);

    void ReadFragment(const Flow& flow, const ModelHeader& header, const uint8_t* payload);

    void Finish(const Flow& flow, Traffic& traffic, const MessageAssembler::Key& key);

    void WithStream(const StreamKey& key, const std::function<void(OverheardStream&)>& action);

    /** Give up the oldest unfinished messages and streams while too many bytes are held. */
    void Shrink();

    void GiveUp(const Flow& flow, const MessageAssembler::Key& key);
    void GiveUp(const StreamKey& key);

    /** @return sink of a trace whose other arguments are not used */
    template <typename... Others>
    Callback<void, Ptr<const Packet>, Others...> MakeSink(FrameKind kind);

    void Read(FrameKind kind, Ptr<const Packet> frame);

    static constexpr size_t DONE_LIMIT = 1000; //!< messages of a flow remembered as done

    uint32_t m_unfinishedLimit{4}; //!< attribute UnfinishedLimit
    uint32_t m_streamLimit{0};     //!< attribute StreamLimit
    uint64_t m_maxBytes{0};        //!< attribute MaxBytes
    bool m_disposed{false};        //!< reads nothing any more
    std::vector<uint8_t> m_bytes;  //!< of the frame being read
    Counters m_counters;           //!< except those that GetCounters() adds up
    std::map<Flow, Traffic> m_traffic;
    std::map<StreamKey, Stream> m_streams;       //!< by direction of a connection
    std::map<uint64_t, Unfinished> m_unfinished; //!< messages and streams, by age
    uint64_t m_age{0};                           //!< of the next segment or message
    uint64_t m_held{0};                          //!< see GetBytes()

    TracedCallback<const Overheard&> m_overheard;
};

} // namespace ns3::dlearn

#endif // DLEARN_EAVESDROPPER_H
