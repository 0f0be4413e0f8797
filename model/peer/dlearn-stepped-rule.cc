/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-stepped-rule.h"

#include "ns3/dlearn-check.h"

#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(SteppedRule);

TypeId
SteppedRule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::SteppedRule").SetParent<UpdateRule>().SetGroupName("Dlearn");
    return tid;
}

void
SteppedRule::Setup(const LearnerContext& context)
{
    Require(m_stage == Stage::CREATED, GetName(), ": Setup() must be called once");
    CheckContext(GetName(), context);
    m_context = context;
    m_model = context.initialModel;
    if (m_model.size() == 0)
    {
        m_model = ModelVector::Zero(context.task->GetDimension());
    }
    m_gradient = ModelVector::Zero(m_model.size());
    DoSetup();
    m_warnings = FindWarnings();
    m_stage = Stage::IDLE;
}

void
SteppedRule::BeginRound(uint32_t round)
{
    Require(m_stage != Stage::CREATED, GetName(), ": Setup() must come before BeginRound()");
    Require(round >= m_nextRound,
            GetName(),
            ": round ",
            round,
            " must be larger than the last one, ",
            static_cast<double>(m_nextRound) - 1);
    // Nobody told what became of the messages of a round that never ended: they may have left.
    Abandon(true);
    m_round = round;
    m_nextRound = uint64_t{round} + 1;
    m_batch = DrawBatch(round);
    TakeBatch(m_batch);
    m_stage = Stage::BEGUN;
}

void
SteppedRule::Compute()
{
    // Not GetName(): this may run on another thread, which is to look nothing up in ns-3.
    Require(m_stage == Stage::BEGUN, "SteppedRule: BeginRound() must come before Compute()");
    ComputeGradient(m_gradient);
    m_stage = Stage::COMPUTED;
}

Outbox
SteppedRule::Send()
{
    Require(m_stage == Stage::COMPUTED, GetName(), ": Compute() must come before Send()");
    m_stage = Stage::SENT;
    NoteDraw(m_round, m_batch);
    return DoSend();
}

void
SteppedRule::EndRound(const Inbox& inbox)
{
    Require(m_stage == Stage::COMPUTED || m_stage == Stage::SENT,
            GetName(),
            ": Compute() must come before EndRound()");
    NoteDraw(m_round, m_batch);
    DoEndRound(inbox);
    m_stage = Stage::IDLE;
}

void
SteppedRule::Abandon(bool transmitted)
{
    DoAbandon(transmitted);
    m_stage = m_stage == Stage::CREATED ? Stage::CREATED : Stage::IDLE;
}

const ModelVector&
SteppedRule::GetModel() const
{
    return m_model;
}

std::vector<std::string>
SteppedRule::GetWarnings() const
{
    return m_warnings;
}

uint64_t
SteppedRule::GetWork() const
{
    return m_batch.size();
}

void
SteppedRule::TakeBatch(const SampleIndices& /* batch */)
{
}

void
SteppedRule::ComputeGradient(VectorRef gradient) const
{
    m_context.task->BatchGradient(m_model, m_batch, gradient);
}

bool
SteppedRule::HasSent() const
{
    return m_stage == Stage::SENT;
}

std::string
SteppedRule::GetName() const
{
    return GetInstanceTypeId().GetName();
}

Outgoing
SteppedRule::Address(ModelChannel channel, const Graph::Row& row, ModelVector values)
{
    Outgoing message;
    message.channel = channel;
    for (const auto& [neighbor, weight] : row)
    {
        message.recipients.push_back(neighbor);
    }
    message.values = std::move(values);
    return message;
}

} // namespace ns3::dlearn
