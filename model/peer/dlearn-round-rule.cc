/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-rule.h"

#include "ns3/dlearn-check.h"

#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(RoundRule);

TypeId
RoundRule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::RoundRule").SetParent<UpdateRule>().SetGroupName("Dlearn");
    return tid;
}

void
RoundRule::Setup(const LearnerContext& context)
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
RoundRule::BeginRound(uint32_t round)
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
RoundRule::Compute()
{
    // Not GetName(): this may run on another thread, which is to look nothing up in ns-3.
    Require(m_stage == Stage::BEGUN, "RoundRule: BeginRound() must come before Compute()");
    ComputeGradient(m_gradient);
    m_stage = Stage::COMPUTED;
}

Outbox
RoundRule::Send()
{
    Require(m_stage == Stage::COMPUTED, GetName(), ": Compute() must come before Send()");
    m_stage = Stage::SENT;
    NoteDraw(m_round, m_batch);
    return DoSend();
}

void
RoundRule::EndRound(const Inbox& inbox)
{
    Require(m_stage == Stage::COMPUTED || m_stage == Stage::SENT,
            GetName(),
            ": Compute() must come before EndRound()");
    NoteDraw(m_round, m_batch);
    DoEndRound(inbox);
    m_stage = Stage::IDLE;
}

void
RoundRule::Abandon(bool transmitted)
{
    DoAbandon(transmitted);
    m_stage = m_stage == Stage::CREATED ? Stage::CREATED : Stage::IDLE;
}

const ModelVector&
RoundRule::GetModel() const
{
    return m_model;
}

std::vector<std::string>
RoundRule::GetWarnings() const
{
    return m_warnings;
}

uint64_t
RoundRule::GetWork() const
{
    return m_batch.size();
}

void
RoundRule::TakeBatch(const SampleIndices& /* batch */)
{
}

void
RoundRule::ComputeGradient(VectorRef gradient) const
{
    m_context.task->BatchGradient(m_model, m_batch, gradient);
}

bool
RoundRule::HasSent() const
{
    return m_stage == Stage::SENT;
}

std::string
RoundRule::GetName() const
{
    return GetInstanceTypeId().GetName();
}

Outgoing
RoundRule::Address(ModelChannel channel, const Graph::Row& row, ModelVector values)
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
