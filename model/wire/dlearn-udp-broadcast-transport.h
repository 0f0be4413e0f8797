/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UDP_BROADCAST_TRANSPORT_H
#define DLEARN_UDP_BROADCAST_TRANSPORT_H

#include "dlearn-broadcast-queue.h"
#include "dlearn-parity-decoder.h"
#include "dlearn-repair-progress.h"
#include "dlearn-udp-transport.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * As UdpTransport, but every fragment is sent once, to the subnet's broadcast address: on a
 * shared medium one transmission reaches all neighbours. Messages for receivers out of reach are
 * overheard by all; receivers drop what does not come from a neighbour in their graph.
 *
 * Radio broadcasts are not acknowledged and not repeated by the MAC, and collide often. With the
 * attribute Reliability other than `none` this class does so. With `nack`:
 *
 *  -# learners take turns of whole messages (MediumTurn); of two that have begun together, the one
 *     with the higher address pauses. Only a few datagrams are in the queue of the device;
 *  -# at the end of its turn, a sender polls those who may not have all of the message
 *     (RepairDatagram). Each of them reports the ranges of bytes that it misses, by unicast, one
 *     after the other in the order of the poll, while others leave the medium to them;
 *  -# in its next turn the sender broadcasts the union of what is missing, and polls again those
 *     that missed something and those that were silent (RepairProgress).
 *
 * It ends when all have reported that nothing is missing, or do not answer, or have asked for too
 * much, or after PollLimit polls. A recipient that is sent two newer messages of a channel needs
 * the older one no longer: the sender could not have continued without it. With NewerLimit 1, one
 * ends it, as the model of a server's next round does. Reports count only from the address of a
 * peer that was asked. A repair is the same message again, not a new one. A
 * message waits until the repair of older ones of its channel has ended, or receivers would take
 * the sender to be in a later round.
 *
 * With `fec:RATE`, learners take turns, too, but there are no polls: a sender adds RATE pieces of
 * parity to each fragment (ErasureCode, ParityDatagram), in blocks of at most 255 together. A
 * receiver computes as many fragments of a block as parity of it has come (ParityDecoder). With
 * `both` there are polls, and parity is what repairs: one piece makes good any one fragment of each
 * receiver. `both:RATE` adds parity from the beginning, too.
 *
 * With the attribute Unicast, messages go to each recipient by unicast, and are repaired in the
 * same way. That suits clients, whose messages are for their server alone, and who need to report
 * what they miss of its broadcasts. The MAC repeats these frames, but not without end. Clients do
 * not overhear each other, so they wait only for the turns of the server.
 */
class UdpBroadcastTransport : public UdpTransport
{
  public:
    UdpBroadcastTransport();

    static TypeId GetTypeId();

    void Open() override;
    void Close() override;
    void Send(const Message& message, const std::vector<LearnerId>& recipients) override;
    bool Settle(uint32_t round) override;

    bool IsWaitingForTurn(uint32_t round) const override { return m_queue.IsWaitingForTurn(round); }

    int64_t AssignStreams(int64_t stream) override;
    bool IsReliable() const override;
    double GetWholeShare(uint64_t packets, double loss) const override;

    bool RepeatsFragments() const override { return IsRepairing(); }

  protected:
    void CheckAttributes() const override;
    std::vector<Endpoint> GetDestinations(const std::vector<LearnerId>& recipients) const override;
    void Receive(std::optional<LearnerId> from,
                 const Endpoint& source,
                 const uint8_t* bytes,
                 uint32_t size) override;

  private:
    bool IsRepairing() const { return m_reliability != "none"; }

    void DeliverAll(LearnerId from, const ParityDecoder::Fragments& fragments);

    /**
     * Set up the medium that leads to an address.
     * @throw std::invalid_argument when it is another one than before
     */
    void PrepareMedium(const IpAddress& destination);

    /** @return the times of the medium of an address: as the attributes set them, or longer */
    MediumTimes GetTimes(const IpAddress& address) const;
    Ptr<NetDevice> FindDevice(const IpAddress& address) const;
    void HandleRepair(std::optional<LearnerId> from, const uint8_t* bytes, uint32_t size);
    void SendReport(LearnerId to, RepairDatagram report);

    std::string m_reliability;  //!< attribute Reliability
    bool m_unicast{false};      //!< attribute Unicast
    uint32_t m_newerLimit{0};   //!< attribute NewerLimit
    Time m_turnSpread;          //!< attribute TurnSpread
    Time m_turnGap;             //!< attribute TurnGap
    Time m_reportSlot;          //!< attribute ReportSlot
    uint32_t m_pollLimit{0};    //!< attribute PollLimit
    uint32_t m_silenceLimit{0}; //!< attribute SilenceLimit
    uint32_t m_requestLimit{0}; //!< attribute RequestLimit

    ParityDecoder m_decoder;          //!< of what comes
    BroadcastQueue m_queue;           //!< of what is sent
    RepairReports m_reports;          //!< that others have asked for
    std::optional<Ipv4Address> m_own; //!< on the medium, once it is known
};

} // namespace ns3::dlearn

#endif // DLEARN_UDP_BROADCAST_TRANSPORT_H
