/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-recorded-rule.h"

#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(RecordedRule);

TypeId
RecordedRule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::RecordedRule")
                            .SetParent<UpdateRule>()
                            .SetGroupName("DlearnAudit")
                            .AddConstructor<RecordedRule>()
                            .HideFromDocumentation();
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
RecordedRule::Setup(const LearnerContext& context)
{
    m_inner->Setup(context);
}

void
RecordedRule::BeginRound(uint32_t round)
{
    m_inner->BeginRound(round);
    m_round = round;
    Note(RuleCall::Kind::BEGIN);
}

void
RecordedRule::Compute()
{
    m_inner->Compute(); // perhaps on another thread: the call is noted by Send() or EndRound()
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

std::vector<RuleChannel>
RecordedRule::GetChannels() const
{
    return m_inner->GetChannels();
}

bool
RecordedRule::NeedsCommonRounds() const
{
    return m_inner->NeedsCommonRounds();
}

bool
RecordedRule::NeedsWholeVectors() const
{
    return m_inner->NeedsWholeVectors();
}

const ModelVector&
RecordedRule::GetModel() const
{
    return m_inner->GetModel();
}

uint64_t
RecordedRule::GetWork() const
{
    return m_inner->GetWork();
}

bool
RecordedRule::CanContinue() const
{
    return m_inner->CanContinue();
}

Ptr<const PrivacyAccount>
RecordedRule::GetLedger() const
{
    return m_inner->GetLedger();
}

std::vector<std::string>
RecordedRule::GetWarnings() const
{
    return m_inner->GetWarnings();
}

int64_t
RecordedRule::AssignStreams(int64_t stream)
{
    return m_inner->AssignStreams(stream);
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

} // namespace ns3::dlearn
