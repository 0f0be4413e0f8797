/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wire-attacks.h"

#include "ns3/dlearn-encoded-message.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(MalformedBehavior);
NS_OBJECT_ENSURE_REGISTERED(WireBehavior);

std::vector<std::vector<uint8_t>>
ForgeFragments(LearnerId sender,
               uint32_t round,
               ModelChannel channel,
               const ModelVector& values,
               const Figures& figures)
{
    constexpr uint32_t FRAGMENT_SIZE = 1024; // bytes of payload
    EncodedMessage message(sender, round, channel, Encoding::FLOAT32, values, FRAGMENT_SIZE);
    message.Append(figures);
    return message.CopyFragments();
}

namespace
{

using Flaw = MalformedBehavior::Flaw;

/** @return the bytes of an intact fragment with a flaw */
std::vector<uint8_t>
Spoil(Flaw flaw, std::vector<uint8_t> honest)
{
    switch (flaw)
    {
    case Flaw::VERSION:
        honest[0] ^= 0x55;
        break;
    case Flaw::CHECKSUM:
        honest.back() ^= 1;
        break;
    case Flaw::TRUNCATED:
        honest.resize(honest.size() / 2);
        break;
    case Flaw::HUGE_LENGTHS:
        std::fill(honest.begin() + 12, honest.begin() + 28, 0xff); // see ModelHeader
        break;
    case Flaw::WRONG_LENGTH:
    case Flaw::NOT_FINITE:
        break; // Spoil() of the vector
    }
    return honest;
}

/** @return a vector with a flaw */
ModelVector
Spoil(Flaw flaw, const ModelVector& honest)
{
    if (flaw == Flaw::NOT_FINITE)
    {
        return ModelVector::Constant(honest.size(), std::numeric_limits<double>::quiet_NaN());
    }
    ModelVector vector = ModelVector::Zero(honest.size() + (flaw == Flaw::WRONG_LENGTH ? 1 : 0));
    vector.head(honest.size()) = honest;
    return vector;
}

/// A number of 32 bits that is finite.
const std::vector<uint8_t> NUMBER{0x41, 0, 0, 0};

/** @return header of a vector in 32-bit numbers */
ModelHeader
MakeHeader(LearnerId sender, uint32_t round, ModelChannel channel, uint32_t length)
{
    ModelHeader header;
    header.sender = sender;
    header.round = round;
    header.channel = channel;
    header.vectorLength = length;
    header.messageLength = 4 * length;
    return header;
}

/** @return the learner that the strangers of a client exchange with: its server */
LearnerId
GetServer(const Outbox& outbox)
{
    return outbox.front().recipients.front();
}

} // namespace

TypeId
MalformedBehavior::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<MalformedBehavior, ByzantineBehavior>("ns3::dlearn::MalformedBehavior")
            .AddAttribute("Copies",
                          "Malformed messages sent instead of one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&MalformedBehavior::m_copies),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
MalformedBehavior::Deliver(const AttackContext& context)
{
    for (uint32_t copy = 0; copy < m_copies; ++copy)
    {
        for (const Outgoing& outgoing : context.outbox)
        {
            const auto flaw = static_cast<Flaw>(m_sent++ % FLAWS);
            const ModelVector values = Spoil(flaw, outgoing.values);
            for (auto& bytes : ForgeFragments(context.learner,
                                              context.round,
                                              outgoing.channel,
                                              values,
                                              outgoing.figures))
            {
                context.port.sendBytes(outgoing.recipients, Spoil(flaw, std::move(bytes)));
            }
        }
    }
    context.port.done();
}

TypeId
WireBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::WireBehavior")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("Inner",
                                          "Behaviour under the attacker's own name, set by "
                                          "SetInner(); none: silent.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&WireBehavior::m_inner),
                                          MakePartChecker<ByzantineBehavior>());
    return tid;
}

void
WireBehavior::DoDispose()
{
    if (m_inner)
    {
        m_inner->Dispose();
    }
    m_inner = nullptr;
    ByzantineBehavior::DoDispose();
}

void
WireBehavior::SetStrangers(const std::map<LearnerId, Address>& strangers)
{
    m_strangers = strangers;
    if (const auto wire = DynamicCast<WireBehavior>(m_inner))
    {
        wire->SetStrangers(strangers);
    }
}

void
WireBehavior::Deliver(const AttackContext& context)
{
    if (!context.outbox.empty() && !context.outbox.front().recipients.empty())
    {
        Attack(context);
    }
    m_inner ? m_inner->Deliver(context) : context.port.done();
}

void
WireBehavior::Cancel()
{
    if (m_inner)
    {
        m_inner->Cancel();
    }
}

void
WireBehavior::Receive(const std::pair<LearnerId, ModelChannel>& source,
                      uint32_t round,
                      const Arrival& arrival)
{
    if (m_inner)
    {
        m_inner->Receive(source, round, arrival);
    }
}

int64_t
WireBehavior::AssignStreams(int64_t stream)
{
    return m_inner ? m_inner->AssignStreams(stream) : 0;
}

std::vector<LearnerId>
WireBehavior::GetNames(const AttackContext& context) const
{
    std::vector<LearnerId> names = context.outbox.front().recipients;
    for (const auto& [stranger, address] : m_strangers)
    {
        names.push_back(stranger);
    }
    names.push_back(context.learner);
    return names;
}

void
WireBehavior::SendToNeighbors(const AttackContext& context,
                              LearnerId sender,
                              const std::vector<Bytes>& fragments)
{
    std::vector<LearnerId> recipients = context.outbox.front().recipients;
    recipients.erase(std::remove(recipients.begin(), recipients.end(), sender), recipients.end());
    for (const Bytes& fragment : fragments)
    {
        if (!recipients.empty())
        {
            context.port.sendBytes(recipients, fragment);
        }
    }
}

void
WireBehavior::SendToStrangers(const AttackContext& context,
                              const std::vector<Bytes>& fragments) const
{
    for (const auto& [stranger, address] : m_strangers)
    {
        for (const Bytes& fragment : fragments)
        {
            context.port.sendDatagram(address, fragment);
        }
    }
}

WireBehavior::Bytes
WireBehavior::Seal(ModelHeader header, const Bytes& payload)
{
    header.payloadLength = payload.size();
    header.Seal(payload.data());
    Bytes bytes(ModelHeader::SIZE);
    header.Write(bytes.data());
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

NS_OBJECT_ENSURE_REGISTERED(ImpersonateBehavior);
NS_OBJECT_ENSURE_REGISTERED(RoundJumpBehavior);
NS_OBJECT_ENSURE_REGISTERED(HeaderFloodBehavior);
NS_OBJECT_ENSURE_REGISTERED(PoisonBehavior);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(WrongLengthBehavior, WireBehavior);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(RosterBehavior, WireBehavior);

TypeId
ImpersonateBehavior::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ImpersonateBehavior, WireBehavior>("ns3::dlearn::ImpersonateBehavior")
            .AddAttribute("Victim",
                          "Number of an honest learner, in whose name the attacker sends.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ImpersonateBehavior::m_victim),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Scale",
                          "Factor on the attacker's own vector.",
                          DoubleValue(-10),
                          MakeDoubleAccessor(&ImpersonateBehavior::m_scale),
                          MakeDoubleChecker<double>());
    return tid;
}

void
ImpersonateBehavior::Attack(const AttackContext& context)
{
    for (const uint32_t round : {context.round, context.round + 1})
    {
        for (const Outgoing& outgoing : context.outbox)
        {
            const ModelVector forged = m_scale * outgoing.values;
            SendToNeighbors(
                context,
                m_victim,
                ForgeFragments(m_victim, round, outgoing.channel, forged, outgoing.figures));
            SendToStrangers(context, ForgeFragments(m_victim, round, ModelChannel::MODEL, forged));
        }
    }
}

TypeId
RoundJumpBehavior::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<RoundJumpBehavior, WireBehavior>("ns3::dlearn::RoundJumpBehavior")
            .AddAttribute("Round",
                          "Round of the forged messages.",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RoundJumpBehavior::m_round),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
RoundJumpBehavior::Attack(const AttackContext& context)
{
    for (const Outgoing& outgoing : context.outbox)
    {
        SendToNeighbors(context,
                        context.learner,
                        ForgeFragments(context.learner,
                                       m_round,
                                       outgoing.channel,
                                       outgoing.values,
                                       outgoing.figures));
    }
    const ModelHeader header =
        MakeHeader(GetServer(context.outbox), m_round, ModelChannel::MODEL, 1);
    SendToStrangers(context, {Seal(header, NUMBER)});
}

TypeId
HeaderFloodBehavior::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<HeaderFloodBehavior, WireBehavior>("ns3::dlearn::HeaderFloodBehavior")
            .AddAttribute("Period",
                          "Time between two beats, greater than 0.",
                          TimeValue(MilliSeconds(300)),
                          MakeTimeAccessor(&HeaderFloodBehavior::m_period),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Duration",
                          "Time for which beats continue after a round began.",
                          TimeValue(Seconds(60)),
                          MakeTimeAccessor(&HeaderFloodBehavior::m_duration),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
HeaderFloodBehavior::DoDispose()
{
    m_event.Cancel();
    WireBehavior::DoDispose();
}

void
HeaderFloodBehavior::Attack(const AttackContext& context)
{
    m_context = context;
    m_end = Simulator::Now() + m_duration;
    if (m_event.IsExpired())
    {
        Beat();
    }
}

void
HeaderFloodBehavior::Beat()
{
    for (const Outgoing& outgoing : m_context.outbox)
    {
        for (const ModelChannel channel : {outgoing.channel, ModelChannel::REQUEST})
        {
            const ModelHeader header =
                MakeHeader(m_context.learner, m_context.round, channel, outgoing.values.size() + 1);
            SendToNeighbors(m_context, m_context.learner, {Seal(header, NUMBER)});
        }
    }
    if (Simulator::Now() + m_period <= m_end)
    {
        m_event = Simulator::Schedule(m_period, &HeaderFloodBehavior::Beat, this);
    }
}

TypeId
PoisonBehavior::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<PoisonBehavior, WireBehavior>("ns3::dlearn::PoisonBehavior")
            .AddAttribute("Rounds",
                          "Later rounds whose messages it begins; the default fills the memory "
                          "for unfinished messages of a sender.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&PoisonBehavior::m_rounds),
                          MakeUintegerChecker<uint32_t>(0, 1000));
    return tid;
}

void
PoisonBehavior::Attack(const AttackContext& context)
{
    const std::vector<uint8_t> number(8, 0); // of 64 bits
    for (const LearnerId name : GetNames(context))
    {
        for (const Outgoing& outgoing : context.outbox)
        {
            for (uint32_t ahead = 0; ahead <= m_rounds; ++ahead)
            {
                const uint32_t length = outgoing.values.size();
                ModelHeader header =
                    MakeHeader(name, context.round + ahead, outgoing.channel, length);
                header.encoding = Encoding::FLOAT64;
                header.figures = static_cast<uint8_t>(outgoing.figures.size());
                header.messageLength = 8 * (length + header.figures);
                SendToNeighbors(context, name, {Seal(header, number)});
            }
        }
    }
}

void
WrongLengthBehavior::Attack(const AttackContext& context)
{
    for (const LearnerId name : GetNames(context))
    {
        for (const Outgoing& outgoing : context.outbox)
        {
            for (const uint32_t round : {context.round, context.round + 1})
            {
                const ModelHeader header = MakeHeader(name, round, outgoing.channel, 1);
                SendToNeighbors(context, name, {Seal(header, NUMBER)});
            }
        }
    }
    const ModelHeader header =
        MakeHeader(GetServer(context.outbox), context.round + 1, ModelChannel::MODEL, 1);
    SendToStrangers(context, {Seal(header, NUMBER)});
}

void
RosterBehavior::Attack(const AttackContext& context)
{
    const uint32_t clients = GetStrangers().size() + 1;
    const ModelVector all = ModelVector::Ones(clients);
    const auto make = [&](LearnerId sender, const ModelVector& roster) {
        return ForgeFragments(sender, context.round, ModelChannel::REQUEST, roster);
    };
    SendToNeighbors(context, context.learner, make(context.learner, all));
    const LearnerId server = GetServer(context.outbox);
    SendToStrangers(context, make(server, all));
    uint32_t place = 0;
    for (const auto& [stranger, address] : GetStrangers())
    {
        // Places are those among all clients, in order; the attacker is one of them.
        const uint32_t own = place++ + (stranger > context.learner ? 1 : 0);
        ModelVector others = all;
        others[own] = 0;
        for (const Bytes& fragment : make(server, others))
        {
            context.port.sendDatagram(address, fragment);
        }
    }
}

} // namespace ns3::dlearn
