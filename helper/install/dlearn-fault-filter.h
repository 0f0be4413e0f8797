/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FAULT_FILTER_H
#define DLEARN_FAULT_FILTER_H

#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-types.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace ns3::dlearn
{

/** Losses of a channel with memory, after Gilbert (1960) and Elliott (1963): the channel is good or
 *  bad, and may change before each packet. In the long run it is bad for a share goodToBad /
 *  (goodToBad + badToGood) of the packets, for 1 / badToGood packets in a row. @ingroup dlearn */
struct BurstLoss
{
    double good{0};      //!< probability that a packet is lost while the channel is good
    double bad{1};       //!< the same while the channel is bad
    double goodToBad{0}; //!< probability that a good channel is bad for the next packet
    double badToGood{1}; //!< probability that a bad channel is good for the next one, more than 0

    /** @return share of the packets for which the channel is bad */
    double GetShareBad() const { return goodToBad / (goodToBad + badToGood); }
};

/** What happens to IP packets that one learner sends to another. @ingroup dlearn */
struct LinkFaults
{
    bool up{true};           //!< whether packets arrive at all
    bool cut{false};         //!< whether a partition of the network is in between
    double loss{0};          //!< probability that a packet is lost, independent of others
    BurstLoss burst;         //!< losses in bursts
    double corrupt{0};       //!< probability that a bit of the data of a packet is flipped
    double duplicate{0};     //!< probability that a packet arrives twice
    double reorder{0};       //!< probability that a packet is held back
    Time reorderDelay;       //!< time for which it is held back
    std::optional<bool> bad; //!< state of the channel of the burst losses; absent: none yet
};

/**
 * @ingroup dlearn
 * Damages IP packets that reach a node, by the learner that sent them. It stands between the
 * devices and IP of the node, so it works in every network and above the checks of the link layer.
 * Packets under way to another learner, packets of nodes without a learner, and those of ARP and of
 * neighbour discovery pass.
 *
 * A corrupted packet has one bit flipped behind the header of UDP or TCP, drawn uniformly. The
 * checksums of UDP and TCP, which ns-3 computes only when its global value ChecksumEnabled is true,
 * would reject such packets. Packets without data pass.
 *
 * A packet may suffer several faults, in the order of LinkFaults. Random numbers are drawn only for
 * probabilities that are neither 0 nor 1.
 */
class FaultFilter : public Object
{
  public:
    /** Numbers of packets. */
    struct Counters
    {
        uint64_t cut{0};        //!< stopped by a link down or a partition
        uint64_t lost{0};       //!< lost at random
        uint64_t corrupted{0};  //!< with a flipped bit
        uint64_t duplicated{0}; //!< arrived twice
        uint64_t reordered{0};  //!< held back

        /** Add those of other packets. */
        void Add(const Counters& other);

        /** @return the values that StateArchive passes between ranks */
        auto Tie() { return std::tie(cut, lost, corrupted, duplicated, reordered); }
    };

    static TypeId GetTypeId();

    /** Install the filter on the receiving node, once, when the node has all its interfaces. */
    void Install(Ptr<Node> node);

    /** Add an address of a learner. */
    void AddSender(const IpAddress& address, LearnerId sender)
    {
        m_senders.insert_or_assign(address, sender);
    }

    /** @return the faults of a learner's packets from now on, to change */
    LinkFaults& GetFaults(LearnerId sender) { return m_faults[sender]; }

    /** @return packets so far */
    const Counters& GetCounters() const { return m_counters; }

    /** Fix the random stream to a number; returns how many are used. */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);
    LinkFaults* FindFaults(Ptr<const Packet> packet, uint16_t protocol);
    bool IsLost(LinkFaults& faults);
    Ptr<const Packet> Corrupt(Ptr<const Packet> packet, uint16_t protocol);
    bool Draw(double probability);

    Ptr<Node> m_node;
    std::map<IpAddress, LearnerId> m_senders;
    std::map<LearnerId, LinkFaults> m_faults;
    Counters m_counters;
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3::dlearn

#endif // DLEARN_FAULT_FILTER_H
