/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wire-attacks.h"

#include "dlearn-forged-fragments.h"

#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ImpersonateBehavior);
NS_OBJECT_ENSURE_REGISTERED(RoundJumpBehavior);
NS_OBJECT_ENSURE_REGISTERED(HeaderFloodBehavior);
NS_OBJECT_ENSURE_REGISTERED(PoisonBehavior);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(WrongLengthBehavior, WireBehavior);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(RosterBehavior, WireBehavior);

namespace
{

/// A number of 32 bits that is finite.
const std::vector<uint8_t> NUMBER{0x41, 0, 0, 0};

/**
 * @param sender who it says sent it
 * @param round of the message
 * @param channel of the message
 * @param length entries of the whole vector
 * @return header of a vector in 32-bit numbers
 */
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
ImpersonateBehavior::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::ImpersonateBehavior")
            .SetParent<WireBehavior>()
            .SetGroupName("Dlearn")
            .AddConstructor<ImpersonateBehavior>()
            .AddAttribute(
                "Victim",
                "Number of the learner in whose name it speaks; one that is not Byzantine.",
                UintegerValue(0),
                MakeUintegerAccessor(&ImpersonateBehavior::m_victim),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("Scale",
                          "What its own vector is multiplied by.",
                          DoubleValue(-10),
                          MakeDoubleAccessor(&ImpersonateBehavior::m_scale),
                          MakeDoubleChecker<double>());
    return tid;
}

void
ImpersonateBehavior::Attack(const Occasion& occasion)
{
    for (const uint32_t round : {occasion.round, occasion.round + 1})
    {
        for (const Outgoing& outgoing : occasion.outbox)
        {
            const ModelVector forged = m_scale * outgoing.values;
            SendToNeighbors(occasion,
                            m_victim,
                            ForgeFragments(m_victim, round, outgoing.channel, forged));
            SendToStrangers(occasion, ForgeFragments(m_victim, round, ModelChannel::MODEL, forged));
        }
    }
}

TypeId
RoundJumpBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::RoundJumpBehavior")
                            .SetParent<WireBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<RoundJumpBehavior>()
                            .AddAttribute("Round",
                                          "The round in which it claims to be.",
                                          UintegerValue(1000),
                                          MakeUintegerAccessor(&RoundJumpBehavior::m_round),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
RoundJumpBehavior::Attack(const Occasion& occasion)
{
    for (const Outgoing& outgoing : occasion.outbox)
    {
        SendToNeighbors(
            occasion,
            occasion.learner,
            ForgeFragments(occasion.learner, m_round, outgoing.channel, outgoing.values));
    }
    const ModelHeader header =
        MakeHeader(GetServer(occasion.outbox), m_round, ModelChannel::MODEL, 1);
    SendToStrangers(occasion, {Seal(header, NUMBER)});
}

TypeId
HeaderFloodBehavior::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::HeaderFloodBehavior")
                            .SetParent<WireBehavior>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<HeaderFloodBehavior>()
                            .AddAttribute("Period",
                                          "Time between two beats, greater than 0.",
                                          TimeValue(MilliSeconds(300)),
                                          MakeTimeAccessor(&HeaderFloodBehavior::m_period),
                                          MakeTimeChecker(NanoSeconds(1)))
                            .AddAttribute("Duration",
                                          "How long it goes on after one of its rounds began.",
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
HeaderFloodBehavior::Attack(const Occasion& occasion)
{
    m_occasion = occasion;
    m_end = Simulator::Now() + m_duration;
    if (m_event.IsExpired())
    {
        Beat();
    }
}

void
HeaderFloodBehavior::Beat()
{
    for (const Outgoing& outgoing : m_occasion.outbox)
    {
        for (const ModelChannel channel : {outgoing.channel, ModelChannel::REQUEST})
        {
            const ModelHeader header = MakeHeader(m_occasion.learner,
                                                  m_occasion.round,
                                                  channel,
                                                  outgoing.values.size() + 1);
            SendToNeighbors(m_occasion, m_occasion.learner, {Seal(header, NUMBER)});
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
        TypeId("ns3::dlearn::PoisonBehavior")
            .SetParent<WireBehavior>()
            .SetGroupName("Dlearn")
            .AddConstructor<PoisonBehavior>()
            .AddAttribute("Rounds",
                          "Rounds to come whose messages it begins; the default fills the memory "
                          "for unfinished messages of a sender.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&PoisonBehavior::m_rounds),
                          MakeUintegerChecker<uint32_t>(0, 1000));
    return tid;
}

void
PoisonBehavior::Attack(const Occasion& occasion)
{
    const std::vector<uint8_t> number(8, 0); // of 64 bits
    for (const LearnerId name : GetNames(occasion))
    {
        for (const Outgoing& outgoing : occasion.outbox)
        {
            for (uint32_t ahead = 0; ahead <= m_rounds; ++ahead)
            {
                const uint32_t length = outgoing.values.size();
                ModelHeader header =
                    MakeHeader(name, occasion.round + ahead, outgoing.channel, length);
                header.encoding = Encoding::FLOAT64;
                header.messageLength = 8 * length;
                SendToNeighbors(occasion, name, {Seal(header, number)});
            }
        }
    }
}

void
WrongLengthBehavior::Attack(const Occasion& occasion)
{
    for (const LearnerId name : GetNames(occasion))
    {
        for (const Outgoing& outgoing : occasion.outbox)
        {
            for (const uint32_t round : {occasion.round, occasion.round + 1})
            {
                const ModelHeader header = MakeHeader(name, round, outgoing.channel, 1);
                SendToNeighbors(occasion, name, {Seal(header, NUMBER)});
            }
        }
    }
    const ModelHeader header =
        MakeHeader(GetServer(occasion.outbox), occasion.round + 1, ModelChannel::MODEL, 1);
    SendToStrangers(occasion, {Seal(header, NUMBER)});
}

void
RosterBehavior::Attack(const Occasion& occasion)
{
    const uint32_t clients = GetStrangers().size() + 1;
    const ModelVector all = ModelVector::Ones(clients);
    const auto make = [&](LearnerId sender, const ModelVector& roster) {
        return ForgeFragments(sender, occasion.round, ModelChannel::REQUEST, roster);
    };
    SendToNeighbors(occasion, occasion.learner, make(occasion.learner, all));
    const LearnerId server = GetServer(occasion.outbox);
    SendToStrangers(occasion, make(server, all));
    uint32_t place = 0;
    for (const auto& [stranger, address] : GetStrangers())
    {
        // Places are those among all clients, in order; the attacker is one of them.
        const uint32_t own = place++ + (stranger > occasion.learner ? 1 : 0);
        ModelVector others = all;
        others[own] = 0;
        for (const Bytes& fragment : make(server, others))
        {
            occasion.port.sendDatagram(address, fragment);
        }
    }
}

} // namespace ns3::dlearn
