/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-recorders.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return a TypeId of a group that no plan of an audit draws from, and that no manual lists */
template <typename Type, typename Parent>
TypeId
MakeHiddenTypeId(const char* name)
{
    return TypeId(name)
        .SetParent<Parent>()
        .SetGroupName("DlearnAudit")
        .template AddConstructor<Type>()
        .HideFromDocumentation();
}

/** The messages that left in the run that is audited; aggregated to the node of a replay. */
class DepartureScript : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid =
            MakeHiddenTypeId<DepartureScript, Object>("ns3::dlearn::DepartureScript");
        return tid;
    }

    std::set<MessageId> left; //!< all others never left
};

/** A transport without a network: the messages of the node's DepartureScript leave, and nothing
 * ever comes. */
class ScriptedTransport : public Transport
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid =
            MakeHiddenTypeId<ScriptedTransport, Transport>("ns3::dlearn::ScriptedTransport");
        return tid;
    }

    void Open() override {}

    void Close() override {}

    void Send(const Message& message, const std::vector<LearnerId>& /* recipients */) override
    {
        const auto channel = message->GetChannel();
        if (channel && GetLeft().count({message->GetRound(), *channel}) > 0)
        {
            CountSent(*message, 1);
        }
    }

    bool Settle(uint32_t round) override
    {
        return std::any_of(GetLeft().begin(), GetLeft().end(), [round](const MessageId& id) {
            return id.first == round;
        });
    }

    uint32_t GetFragmentSize() const override { return 1440; }

  protected:
    uint16_t GetPort() const override { return 0; } // never called

  private:
    const std::set<MessageId>& GetLeft() const
    {
        return m_node->GetObject<DepartureScript>()->left;
    }
};

NS_OBJECT_ENSURE_REGISTERED(DepartureScript);
NS_OBJECT_ENSURE_REGISTERED(ScriptedTransport);

} // namespace

NS_OBJECT_ENSURE_REGISTERED(RecordedNoise);
NS_OBJECT_ENSURE_REGISTERED(RecordedRule);

TypeId
RecordedNoise::GetTypeId()
{
    static const TypeId tid =
        MakeHiddenTypeId<RecordedNoise, NoiseMechanism>("ns3::dlearn::RecordedNoise");
    return tid;
}

void
RecordedNoise::DoDispose()
{
    m_inner = nullptr;
    NoiseMechanism::DoDispose();
}

void
RecordedNoise::Perturb(uint32_t round, VectorRef vector)
{
    NoiseRecord record{round, vector, {}};
    if (!m_absorbs)
    {
        m_inner->Perturb(round, vector);
    }
    else
    {
        if (m_records.size() >= m_targets.size() ||
            m_targets[m_records.size()].record.round != round)
        {
            throw std::logic_error("RecordedNoise: the audited run released nothing in round " +
                                   std::to_string(round));
        }
        const Target& target = m_targets[m_records.size()];
        const NoiseRecord& first = target.record;
        vector =
            target.told
                ? first.after
                : ModelVector((record.before + first.after - first.before).array() + target.shift);
    }
    record.after = vector;
    m_records.push_back(std::move(record));
}

void
RecordedNoise::Absorb(std::vector<Target> targets)
{
    m_absorbs = true;
    m_targets = std::move(targets);
}

TypeId
RecordedRule::GetTypeId()
{
    static const TypeId tid =
        MakeHiddenTypeId<RecordedRule, UpdateRule>("ns3::dlearn::RecordedRule");
    return tid;
}

void
RecordedRule::DoDispose()
{
    m_inner = nullptr;
    UpdateRule::DoDispose();
}

void
RecordedRule::Note(RuleCall::Kind kind, const Inbox& inbox)
{
    const auto account = m_inner->GetLedger();
    m_calls.push_back({kind, m_round, inbox, account ? GetSpent(*account) : Spent{}});
}

void
RecordedRule::BeginRound(uint32_t round)
{
    m_inner->BeginRound(round);
    m_round = round;
    Note(RuleCall::Kind::BEGIN);
}

Outbox
RecordedRule::Send()
{
    Outbox outbox = m_inner->Send();
    Note(RuleCall::Kind::COMPUTE);
    Note(RuleCall::Kind::SEND);
    return outbox;
}

void
RecordedRule::EndRound(const Inbox& inbox)
{
    m_inner->EndRound(inbox);
    Note(RuleCall::Kind::END, inbox);
}

void
RecordedRule::Abandon(bool transmitted)
{
    m_inner->Abandon(transmitted);
    Inbox inbox;
    inbox.transmitted = transmitted;
    Note(RuleCall::Kind::ABANDON, inbox);
}

void
Replay(const std::vector<RuleCall>& calls,
       UpdateRule& rule,
       const std::function<void(const RuleCall&, Outbox)>& sent)
{
    for (const RuleCall& call : calls)
    {
        Outbox outbox;
        switch (call.kind)
        {
        case RuleCall::Kind::BEGIN:
            rule.BeginRound(call.round);
            continue;
        case RuleCall::Kind::COMPUTE:
            rule.Compute();
            continue;
        case RuleCall::Kind::SEND:
            outbox = rule.Send();
            break;
        case RuleCall::Kind::END:
            rule.EndRound(call.inbox);
            break;
        case RuleCall::Kind::ABANDON:
            rule.Abandon(call.inbox.transmitted);
            break;
        }
        if (sent)
        {
            sent(call, std::move(outbox));
        }
    }
}

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

WireContents
ReplayWire(const std::function<void(MessageExchange&)>& configure,
           uint32_t dimension,
           const std::set<MessageId>& left,
           const std::vector<RuleCall>& calls,
           UpdateRule& rule)
{
    const auto node = CreateObject<Node>();
    const auto script = CreateObject<DepartureScript>();
    script->left = left;
    node->AggregateObject(script);
    const auto exchange = CreateObject<MessageExchange>();
    configure(*exchange);
    exchange->SetAttribute("Transport", TypeIdValue(ScriptedTransport::GetTypeId()));
    exchange->Setup(node, 0, {}, dimension);
    for (const RuleChannel& channel : rule.GetChannels())
    {
        exchange->SetFormat(channel.channel, {channel.length, channel.figures});
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
