/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wire-replay.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(DepartureScript);
NS_OBJECT_ENSURE_REGISTERED(ScriptedTransport);

WireRecorder::WireRecorder(MessageExchange& exchange)
{
    exchange.TraceConnectWithoutContext("MessageTx", MakeCallback(&WireRecorder::Take, this));
}

bool
WireRecorder::HasLeft(uint32_t round) const
{
    return std::any_of(m_contents.begin(), m_contents.end(), [round](const auto& entry) {
        return entry.first.first == round;
    });
}

std::set<MessageId>
WireRecorder::GetIds() const
{
    std::set<MessageId> ids;
    for (const auto& [id, values] : m_contents)
    {
        ids.insert(id);
    }
    return ids;
}

void
WireRecorder::Take(const EncodedMessage& message, const std::vector<LearnerId>& /* recipients */)
{
    if (const auto channel = message.GetChannel())
    {
        m_contents[{message.GetRound(), *channel}] = message.Decode();
    }
}

TypeId
DepartureScript::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::DepartureScript")
                            .SetParent<Object>()
                            .SetGroupName("DlearnAudit")
                            .AddConstructor<DepartureScript>();
    return tid;
}

TypeId
ScriptedTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::ScriptedTransport")
                            .SetParent<Transport>()
                            .SetGroupName("DlearnAudit")
                            .AddConstructor<ScriptedTransport>();
    return tid;
}

void
ScriptedTransport::Open()
{
}

void
ScriptedTransport::Close()
{
}

void
ScriptedTransport::Send(const Message& message, const std::vector<LearnerId>& /* recipients */)
{
    const auto& left = m_node->GetObject<DepartureScript>()->left;
    const auto channel = message->GetChannel();
    if (channel && left.count({message->GetRound(), *channel}) > 0)
    {
        CountSent(*message, 1);
    }
}

bool
ScriptedTransport::Settle(uint32_t round)
{
    const auto& left = m_node->GetObject<DepartureScript>()->left;
    return std::any_of(left.begin(), left.end(), [round](const MessageId& id) {
        return id.first == round;
    });
}

uint16_t
ScriptedTransport::GetPort() const
{
    return 0; // never called
}

WireReplay::WireReplay(Configure configure, uint32_t dimension, std::set<MessageId> left)
    : m_configure(std::move(configure)),
      m_dimension(dimension),
      m_left(std::move(left))
{
}

WireContents
WireReplay::Run(const std::vector<RuleCall>& calls, UpdateRule& rule) const
{
    const auto node = CreateObject<Node>();
    const auto script = CreateObject<DepartureScript>();
    script->left = m_left;
    node->AggregateObject(script);
    const auto exchange = CreateObject<MessageExchange>();
    m_configure(*exchange);
    exchange->SetAttribute("Transport", TypeIdValue(ScriptedTransport::GetTypeId()));
    exchange->Setup(node, 0, {}, m_dimension);
    for (const RuleChannel& channel : rule.GetChannels())
    {
        if (channel.length != m_dimension)
        {
            exchange->SetLength(channel.channel, channel.length);
        }
    }
    const WireRecorder recorder(*exchange);
    exchange->Open();
    Replay(calls, rule, [&](const RuleCall& call, Outbox outbox) {
        if (call.kind == RuleCall::Kind::SEND)
        {
            for (Outgoing& outgoing : outbox)
            {
                exchange->Send(call.round, std::move(outgoing));
            }
            return;
        }
        exchange->Settle(call.round);
        if (call.kind == RuleCall::Kind::ABANDON)
        {
            exchange->Close(); // a crash, or the end of a run
            exchange->Open();
        }
    });
    exchange->Dispose();
    return recorder.GetContents();
}

} // namespace ns3::dlearn
