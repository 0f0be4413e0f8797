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
 * How learners share a medium that they broadcast on, in time.
 */
struct MediumTimes
{
    Time turnSpread;                     //!< random time before a turn, at most
    Time turnGap;                        //!< after a fragment, until the medium counts as quiet
    Time reportSlot;                     //!< between two reports
    Time reportMargin{MilliSeconds(20)}; //!< that reports may take besides their slots

    /**
     * @param device of the medium
     * @return these times, longer where a frame of the device takes long
     */
    MediumTimes StretchFor(const NetDevice& device) const;
};

/**
 * @ingroup dlearn
 * Decides when it is a learner's turn on a medium that it shares with others that it overhears.
 *
 * A broadcast frame is sent once, with the smallest contention window of IEEE 802.11: of eight
 * stations that always have one to send, more than half of the frames collide, and no sender
 * notices. So learners take turns of whole messages, as the stations of IEEE 802.11 do with frames:
 * who wants one draws a random time and counts it down while the medium is quiet; when another is
 * overheard, the count stands still until that one has not been heard for a while, or says that its
 * turn is over. Learners out of each other's reach do not notice each other; what they lose has to
 * be repaired.
 */
class MediumTurn
{
  public:
    /** @param granted called in an event of its own when a requested turn begins */
    explicit MediumTurn(std::function<void()> granted);
    ~MediumTurn();

    MediumTurn(const MediumTurn&) = delete;
    MediumTurn& operator=(const MediumTurn&) = delete;

    /** @param spread the random times are uniform below this; more than 0 */
    void SetSpread(Time spread) { m_spread = spread; }

    /**
     * @param stream of the random times
     * @return how many streams are used
     */
    int64_t AssignStreams(int64_t stream);

    /** Ask for a turn, unless one is asked for. */
    void Request();

    /** Ask no longer. */
    void Cancel();

    /** @param span the medium is taken from now on for this long, and no longer */
    void SetBusy(Time span);

  private:
    /** Schedule Check() for when the count would end. */
    void Watch();
    /** Begin the turn, or wait on when the medium was taken meanwhile. */
    void Check();

    std::function<void()> m_granted;     //!< see constructor
    Time m_spread{MilliSeconds(16)};     //!< see SetSpread()
    Ptr<UniformRandomVariable> m_random; //!< of the times
    bool m_waiting{false};               //!< whether a turn is asked for
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

    /** Datagrams that keep a device busy, and so few that a turn can be given up. */
    static constexpr uint32_t QUEUED = 2;

    /** How datagrams leave. Both may end in Clear(). */
    struct Outlet
    {
        /** Sends a part of a message. */
        std::function<void(const Message&, Ptr<Packet>, const Endpoint&)> sendPart;
        /** Sends a poll. */
        std::function<void(const std::vector<uint8_t>&, const Endpoint&)> sendControl;
    };

    /** As the attributes of UdpBroadcastTransport say. */
    struct Settings
    {
        RepairMethod method;           //!< what is done about lost fragments
        RepairProgress::Limits limits; //!< of the effort
        MediumTimes times;             //!< of the medium
        uint32_t newer{2};       //!< messages to a recipient that end the repair of older ones
        uint32_t queued{QUEUED}; //!< datagrams in the queue of the device, at most
    };

    /** @return how a message of so many fragments is cut into blocks */
    static RepairProgress::Code GetCode(const RepairMethod& method, uint32_t fragments);

    /** @param outlet for datagrams */
    explicit BroadcastQueue(Outlet outlet);

    /**
     * @param stream of the random times before turns
     * @return how many streams are used
     */
    int64_t AssignStreams(int64_t stream) { return m_turn.AssignStreams(stream); }

    /**
     * Say where to send; before the first message.
     *
     * @param settings how
     * @param device of the medium
     * @param own address on the medium
     */
    void UseMedium(const Settings& settings, Ptr<NetDevice> device, IpAddress own);

    /** Forget all messages, and the medium. */
    void Clear();

    /**
     * @param message to be sent
     * @param recipients who needs it
     * @param destinations where each part goes
     */
    void Add(const Message& message,
             const std::vector<LearnerId>& recipients,
             std::vector<Endpoint> destinations);

    /** @param round of which nothing may leave any more */
    void Withdraw(uint32_t round);

    /** @return whether nothing has left yet of a message of a round */
    bool IsWaitingForTurn(uint32_t round) const;

    /** @param span for which others need the medium from now on */
    void SetBusy(Time span) { m_turn.SetBusy(span); }

    /** @param other that was overheard: wait until it has ended, and pause if it goes first */
    void YieldTo(IpAddress other);

    /** @param peer that is there: it answers polls again */
    void NoteHeard(LearnerId peer) { m_silent.erase(peer); }

    /**
     * @param from the peer that reports
     * @param report what it misses
     */
    void HandleReport(LearnerId from, const RepairDatagram& report);

  private:
    /** A message on its way. */
    struct Sending
    {
        Message message;                        //!< what
        std::vector<Endpoint> destinations;     //!< where to
        RepairProgress progress;                //!< what is to be sent
        std::map<LearnerId, uint32_t> newer;    //!< messages after it, by recipient
        EventId reports;                        //!< ends the wait for reports
        std::vector<ErasureCode::Piece> pieces; //!< fragments of a block, for its parity
        uint32_t block;                         //!< which block, if there are any pieces
        bool begun;                             //!< whether anything of it was sent
    };

    using Sendings = std::list<Sending>; //!< places in it stay

    /** @return a datagram with a part of a message */
    static Ptr<Packet> CreatePart(Sending& sending, const RepairProgress::Part& part);

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

    /** The turn has come. */
    void BeginTurn();

    /** Send what the device has room for. @param patient whether it has waited long enough */
    void ContinueTurn(bool patient);

    /** Poll the recipients; where there are none to poll, the message is done. */
    void EndTurn();

    /** All reports are here, or none are awaited any longer. */
    void EndReports(Sending* sending);

    Outlet m_outlet;                             //!< see constructor
    Settings m_settings;                         //!< see UseMedium()
    IpAddress m_own;                             //!< see UseMedium()
    MediumTurn m_turn;                           //!< when this learner may send
    std::unique_ptr<InterfaceBacklog> m_backlog; //!< of the medium's device
    std::set<LearnerId> m_silent;                //!< given up, and not heard since
    Sendings m_sendings;                         //!< oldest first
    Sending* m_current{nullptr};                 //!< being sent in this turn
};

} // namespace ns3::dlearn

#endif // DLEARN_BROADCAST_QUEUE_H
