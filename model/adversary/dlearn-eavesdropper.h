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

/** One whole vector that was overheard. */
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
 * Listens where frames pass and reads the vectors in them: the passive attacker that local
 * differential privacy is there for, "an adversary that can observe every message shared" (Chen
 * and Wang, "Locally Differentially Private Distributed Online Learning with Guaranteed
 * Optimality", section I). Nothing is encrypted; TLS below dlearn would end this.
 *
 * It can listen in several places at once, and it changes nothing there:
 *
 *  - Listen() at a device: of a point-to-point link, at that end of it (what arrives there and
 *    what leaves); of CSMA, on the whole bus; of Wi-Fi, in monitor mode, all frames that the radio
 *    decodes and those that it sends, whatever their destination. For a separate radio see
 *    WifiNetwork::AddListener().
 *  - ListenAt() a node, at its IP layer: a learner, router or host that the attacker controls, over
 *    all of its devices.
 *
 * Frames are taken apart (DissectFrame), TCP streams put in order (OverheardStream), messages
 * assembled (MessageAssembler) for each pair of addresses. The trace source Overheard reports every
 * vector once for each pair of addresses, however often it was sent or seen. The eavesdropper does
 * not get again what it missed, and GetCounters() says what it could not read. It cannot tell
 * whether a sender is who it claims to be.
 *
 * It keeps at most MaxBytes of what is unfinished, messages and streams, whatever headers announce;
 * when there is more it gives up the oldest. It does not read a larger vector.
 *
 * It lives as long as what it listens at, or until Dispose().
 */
class Eavesdropper : public Object
{
  public:
    /** All that passed by. */
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

    static TypeId GetTypeId();
    Eavesdropper();
    ~Eavesdropper() override;

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

    /** @return bytes of memory that unfinished messages and streams take, more or less */
    uint64_t GetBytes() const { return m_held; }

    /**
     * Signature of the trace source Overheard.
     *
     * @param overheard a whole vector
     */
    typedef void (*OverheardTracedCallback)(const Overheard& overheard);

  protected:
    void DoDispose() override;

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

    void ReadDatagram(const OverheardSegment& segment);

    void ReadSegment(const OverheardSegment& segment);

    void ReadFragment(const Flow& flow, const ModelHeader& header, const uint8_t* payload);

    void Finish(const Flow& flow, Traffic& traffic, const MessageAssembler::Key& key);

    void WithStream(const StreamKey& key, const std::function<void(OverheardStream&)>& action);

    /** Give up the oldest unfinished messages and streams while too many bytes are held. */
    void Shrink();

    void GiveUp(const Flow& flow, const MessageAssembler::Key& key);
    void GiveUp(const StreamKey& key);

    void HandlePpp(Ptr<const Packet> frame);
    void HandleEthernet(Ptr<const Packet> frame);
    void HandleWifiRx(Ptr<const Packet> frame,
                      uint16_t frequency,
                      WifiTxVector vector,
                      MpduInfo mpdu,
                      SignalNoiseDbm signal,
                      uint16_t station);
    void HandleWifiTx(Ptr<const Packet> frame,
                      uint16_t frequency,
                      WifiTxVector vector,
                      MpduInfo mpdu,
                      uint16_t station);
    template <typename Ip>
    void HandleIp(Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface);
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
    std::map<uint64_t, Unfinished> m_unfinished; //!< what is held, by age
    uint64_t m_age{0};                           //!< of what comes next
    uint64_t m_held{0};                          //!< see GetBytes()

    TracedCallback<const Overheard&> m_overheard;
};

} // namespace ns3::dlearn

#endif // DLEARN_EAVESDROPPER_H
