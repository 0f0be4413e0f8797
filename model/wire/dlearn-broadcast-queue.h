/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BROADCAST_QUEUE_H
#define DLEARN_BROADCAST_QUEUE_H

#include "dlearn-encoded-message.h"
#include "dlearn-erasure-code.h"
#include "dlearn-interface-line.h"
#include "dlearn-repair-progress.h"

#include "ns3/dlearn-endpoint.h"
#include "ns3/event-id.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Times by which learners share a medium that they broadcast on.
 */
struct MediumTimes
{
    Time turnSpread;                     //!< random time before a turn, at most
    Time turnGap;                        //!< after a fragment, until the medium counts as quiet
    Time reportSlot;                     //!< between two reports
    Time reportMargin{MilliSeconds(20)}; //!< that reports may take besides their slots

    /** @return these times, longer where a frame of the device of the medium takes long */
    MediumTimes StretchFor(const NetDevice& device) const;
};

/**
 * @ingroup dlearn
 * Decides when a learner may send on a medium that it shares with others that it overhears.
 *
 * A broadcast frame is sent once, with the smallest contention window of IEEE 802.11: of eight
 * stations that always have one to send, more than half of the frames collide, and no sender
 * detects it. So learners take turns of whole messages, as the stations of IEEE 802.11 do with
 * frames: a learner that wants a turn draws a random time and counts it down while the medium is
 * quiet; when it overhears another learner, the count stops until that one has been silent for a
 * while, or has ended its turn. Learners out of each other's reach do not hear each other; their
 * losses have to be repaired.
 */
class MediumTurn
{
  public:
    /** @param granted called in a separate event when a requested turn begins */
    explicit MediumTurn(std::function<void()> granted);

    ~MediumTurn() { Cancel(); }

    MediumTurn(const MediumTurn&) = delete;
    MediumTurn& operator=(const MediumTurn&) = delete;

    /** @param spread the random times are uniform below this; more than 0 */
    void SetSpread(Time spread) { m_spread = spread; }

    /** Fix the stream of the random times. @return number of streams used */
    int64_t AssignStreams(int64_t stream);

    /** Request a turn, unless one is requested. */
    void Request();

    /** Withdraw the request. */
    void Cancel();

    /** @param span the medium is taken from now on for this long, and no longer */
    void SetBusy(Time span);

  private:
    void Watch();
    /** Begin the turn, or continue to wait when the medium was taken meanwhile. */
    void Check();

    std::function<void()> m_granted;     //!< see constructor
    Time m_spread{MilliSeconds(16)};     //!< see SetSpread()
    Ptr<UniformRandomVariable> m_random; //!< of the times
    bool m_waiting{false};               //!< whether a turn is requested
    Time m_left;                         //!< of quiet, until the turn
    Time m_counted;                      //!< quiet was counted until then
    Time m_busyUntil;                    //!< the medium is taken until then
    EventId m_event;                     //!< Check()
};

/**
 * @ingroup dlearn
 * Messages that a learner broadcasts, and repairs: the sender's part of UdpBroadcastTransport.
 *
 * It sends when it is the learner's turn (MediumTurn), one message in a turn, and polls its
 * recipients at the end. A message waits until the repair of older ones of its channel has ended.
 */
class BroadcastQueue
{
  public:
    using Message = std::shared_ptr<const EncodedMessage>; //!< as Transport::Message

    /** Datagrams that keep a device busy; few, so that a turn can be given up. */
    static constexpr uint32_t QUEUED = 2;

    /** Sends datagrams. Both functions may end in Clear(). */
    struct Outlet
    {
        /** Sends a part of a message. */
        std::function<void(const Message&, Ptr<Packet>, const Endpoint&)> sendPart;
        /** Sends a poll. */
        std::function<void(const std::vector<uint8_t>&, const Endpoint&)> sendControl;
    };

    /** Attributes of UdpBroadcastTransport. */
    struct Settings
    {
        RepairMethod method;           //!< against lost fragments
        RepairProgress::Limits limits; //!< of the effort
        MediumTimes times;             //!< of the medium
        uint32_t newer{2};       //!< messages to a recipient that end the repair of older ones
        uint32_t queued{QUEUED}; //!< datagrams in the queue of the device, at most
    };

    /** @return the blocks of a message of some fragments */
    static RepairProgress::Code GetCode(const RepairMethod& method, uint32_t fragments);

    /** @param outlet for datagrams */
    explicit BroadcastQueue(Outlet outlet);

    /** @copydoc MediumTurn::AssignStreams() */
    int64_t AssignStreams(int64_t stream) { return m_turn.AssignStreams(stream); }

    /**
     * Set the medium; before the first message.
     *
     * @param settings attributes
     * @param device of the medium
     * @param own address on the medium
     */
    void UseMedium(const Settings& settings, Ptr<NetDevice> device, IpAddress own);

    /** Forget all messages, and the medium. */
    void Clear();

    /**
     * @param message to be sent
     * @param recipients peers that need it
     * @param destinations of each part
     */
    void Add(const Message& message,
             const std::vector<LearnerId>& recipients,
             std::vector<Endpoint> destinations);

    /** Send nothing more of a round. */
    void Withdraw(uint32_t round);

    /** @return whether a message of a round waits of which nothing has left */
    bool IsWaitingForTurn(uint32_t round) const;

    /** @param span for which others need the medium from now on */
    void SetBusy(Time span) { m_turn.SetBusy(span); }

    /** @param other that was overheard: wait until it has ended, and pause if it goes first */
    void YieldTo(IpAddress other);

    /** @param peer that was heard: it may answer polls again */
    void NoteHeard(LearnerId peer) { m_silent.erase(peer); }

    /** @param from the peer that reports @param report its missing ranges */
    void HandleReport(LearnerId from, const RepairDatagram& report);

  private:
    /** A message on its way. */
    struct Sending
    {
        Message message;                        //!< the message
        std::vector<Endpoint> destinations;     //!< of each part
        RepairProgress progress;                //!< the parts to be sent
        std::map<LearnerId, uint32_t> newer;    //!< messages after it, by recipient
        EventId reports;                        //!< ends the wait for reports
        std::vector<ErasureCode::Piece> pieces; //!< fragments of a block, for its parity
        uint32_t block;                         //!< number of the block, if there are any pieces
        bool begun;                             //!< whether anything of it was sent
    };

    using Sendings = std::list<Sending>; //!< places in it stay

    static Ptr<Packet> CreatePart(Sending& sending, const RepairProgress::Part& part);

    /** Release recipients of older messages of a channel, to which a newer one goes. */
    void ReleaseOlder(ModelChannel channel, const std::vector<LearnerId>& recipients);

    /** @return the message after the erased one */
    Sendings::iterator Erase(Sendings::iterator sending);
    void Erase(const Sending* sending);
    Sendings::iterator FindReady();
    void RequestTurn();
    void BeginTurn();

    /** Send parts while the device has room. @param patient whether the longest wait is over */
    void ContinueTurn(bool patient);

    /** Poll the recipients; without recipients to poll, the message is done. */
    void EndTurn();
    void EndReports(Sending* sending);

    Outlet m_outlet;                             //!< see constructor
    Settings m_settings;                         //!< see UseMedium()
    IpAddress m_own;                             //!< see UseMedium()
    MediumTurn m_turn;                           //!< of this learner
    std::unique_ptr<InterfaceBacklog> m_backlog; //!< of the medium's device
    std::set<LearnerId> m_silent;                //!< given up, and not heard since
    Sendings m_sendings;                         //!< oldest first
    Sending* m_current{nullptr};                 //!< being sent in this turn
};

} // namespace ns3::dlearn

#endif // DLEARN_BROADCAST_QUEUE_H
