/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UDP_BROADCAST_TRANSPORT_H
#define DLEARN_UDP_BROADCAST_TRANSPORT_H

#include "dlearn-medium-turn.h"
#include "dlearn-parity-decoder.h"
#include "dlearn-repair-datagram.h"
#include "dlearn-repair-progress.h"
#include "dlearn-udp-transport.h"

#include <list>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * As UdpTransport, but every fragment is sent once, to the subnet's broadcast address: on a
 * shared medium one transmission reaches all neighbours. Messages for receivers out of reach are
 * overheard by all; receivers drop what does not come from a neighbour in their graph.
 *
 * Radio broadcasts are not acknowledged and not repeated by the MAC, and collide often. With the
 * attribute Reliability other than `none` this class does what the MAC does not. With `nack`:
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
 * the older one no longer: it could not have let the sender go on without it. Reports count only
 * from the address of a peer that was asked. A repair is the same message again, not a new one. A
 * message waits until the repair of older ones of its channel has ended, or receivers would take
 * the sender to be in a later round.
 *
 * With `fec:RATE`, learners take turns, too, but there are no polls: a sender adds RATE pieces of
 * parity to each fragment (ErasureCode, ParityDatagram), in blocks of at most 255 together. A
 * receiver computes as many fragments of a block as parity of it has come (ParityDecoder). With
 * `both` there are polls, and parity is what repairs: one piece makes good any one fragment of each
 * receiver. `both:RATE` adds parity from the beginning, too.
 */
class UdpBroadcastTransport : public UdpTransport
{
  public:
    UdpBroadcastTransport();

    /** @return the TypeId */
    static TypeId GetTypeId();

    void Close() override;
    void Send(const Message& message, const std::vector<LearnerId>& recipients) override;
    bool Settle(uint32_t round) override;
    bool IsWaitingForTurn(uint32_t round) const override;
    int64_t AssignStreams(int64_t stream) override;
    bool IsReliable() const override;

  protected:
    void CheckAttributes() const override;
    std::vector<InetSocketAddress> GetDestinations(
        const std::vector<LearnerId>& recipients) const override;
    void Receive(std::optional<LearnerId> from,
                 const InetSocketAddress& source,
                 const uint8_t* bytes,
                 uint32_t size) override;

  private:
    /** A message on its way. */
    struct Sending
    {
        Message message;                             //!< what
        std::vector<InetSocketAddress> destinations; //!< where to
        RepairProgress progress;                     //!< what is to be sent
        std::map<LearnerId, uint32_t> newer;         //!< messages after it, by recipient
        EventId reports;                             //!< ends the wait for reports
        std::vector<ErasureCode::Piece> pieces;      //!< fragments of a block, for its parity
        uint32_t block{0};                           //!< which block, if there are any pieces
        bool begun{false};                           //!< whether anything of it was sent
    };

    using Sendings = std::list<Sending>; //!< places in it stay

    /** @return whether anything is done about lost fragments */
    bool IsRepairing() const;

    /** What Reliability says. */
    struct Method
    {
        bool polls{false};  //!< whether receivers report what they miss
        bool parity{false}; //!< whether there is parity
        double share{0};    //!< pieces of parity sent with each fragment
    };

    /** @return what Reliability says; nothing when it says nothing that is known */
    std::optional<Method> FindMethod() const;

    /** @return how a message of so many fragments is cut into blocks */
    RepairProgress::Code GetCode(uint32_t fragments) const;

    /** @return a datagram with a part of a message */
    static Ptr<Packet> CreatePart(Sending& sending, const RepairProgress::Part& part);

    /** Use parity. */
    void HandleParity(std::optional<LearnerId> from, const uint8_t* bytes, uint32_t size);

    /** Pass on fragments that were computed from parity. */
    void DeliverAll(LearnerId from, const ParityDecoder::Fragments& fragments);

    /**
     * Get to know the medium that leads to an address.
     * @throw std::invalid_argument when it is another one than before
     */
    void PrepareMedium(Ipv4Address destination);

    /** A newer message of the channel goes to @p recipients: see to the end of older ones. */
    void ReleaseOlder(ModelChannel channel, const std::vector<LearnerId>& recipients);

    /** @return the message after this one, of which nothing more is sent */
    Sendings::iterator Erase(Sendings::iterator sending);

    /** Forget a message. */
    void Erase(const Sending* sending);

    /** @return the oldest message that can be sent; the end when there is none */
    Sendings::iterator FindReady();

    /** Ask for a turn when there is something to send and none in progress. */
    void RequestTurn();

    /** The turn has come: send the oldest message that does not wait for reports. */
    void BeginTurn();

    /** Send what the device has room for. @param patient whether it has waited long enough */
    void ContinueTurn(bool patient);

    /** Poll the recipients; where there are none to poll, the message is done. */
    void EndTurn();

    /** All reports are here, or none are awaited any longer. */
    void EndReports(Sending* sending);

    /** Use bytes that are no fragment. */
    void HandleRepair(std::optional<LearnerId> from, const uint8_t* bytes, uint32_t size);

    /** Leave the medium to those who report, and report when it is this learner's turn among them.
     */
    void HandlePoll(std::optional<LearnerId> from, const RepairDatagram& poll);

    /** Note what a recipient misses. */
    void HandleReport(LearnerId from, const RepairDatagram& report);

    /** Tell the sender of a message of @p length bytes what is missing of it. */
    void SendReport(LearnerId to, ModelChannel channel, uint32_t round, uint32_t length);

    /** Another learner was overheard: wait until it has ended, if it goes first. */
    void YieldTo(Ipv4Address other);

    std::string m_reliability;  //!< attribute Reliability
    Time m_turnSpread;          //!< attribute TurnSpread
    Time m_turnGap;             //!< attribute TurnGap
    Time m_reportSlot;          //!< attribute ReportSlot
    uint32_t m_pollLimit{0};    //!< attribute PollLimit
    uint32_t m_silenceLimit{0}; //!< attribute SilenceLimit
    uint32_t m_requestLimit{0}; //!< attribute RequestLimit

    std::set<LearnerId> m_silent;                //!< given up, and not heard since
    ParityDecoder m_decoder;                     //!< of what came
    MediumTurn m_turn;                           //!< when this learner may send
    std::unique_ptr<InterfaceBacklog> m_backlog; //!< of the medium's device
    Ipv4Address m_own;                           //!< on the medium
    Sendings m_sendings;                         //!< oldest first
    Sending* m_current{nullptr};                 //!< being sent in this turn
    std::map<std::pair<LearnerId, ModelChannel>, EventId> m_reports; //!< to be sent, to whom
};

} // namespace ns3::dlearn

#endif // DLEARN_UDP_BROADCAST_TRANSPORT_H
