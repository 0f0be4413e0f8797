/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-update-rule.h"

#include "ns3/dlearn-part.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(UpdateRule, LearnerRule);

const Neighbors&
LearnerContext::GetNeighbors(ModelChannel channel) const
{
    static const Neighbors none;
    const auto found = neighbors.find(channel);
    return found == neighbors.end() ? none : found->second;
}

std::vector<std::pair<LearnerId, ModelChannel>>
UpdateRule::GetExpected() const
{
    std::vector<std::pair<LearnerId, ModelChannel>> expected;
    for (const RuleChannel& channel : GetChannels())
    {
        for (const auto& [neighbor, weight] : channel.neighbors.in)
        {
            expected.emplace_back(neighbor, channel.channel);
        }
    }
    std::sort(expected.begin(), expected.end());
    return expected;
}

uint32_t
UpdateRule::GetLength(ModelChannel channel) const
{
    const auto channels = GetChannels();
    const auto found = std::find_if(channels.begin(), channels.end(), [&](const RuleChannel& c) {
        return c.channel == channel;
    });
    Require(found != channels.end(),
            "{}: has no channel {}",
            GetInstanceTypeId().GetName(),
            ToString(channel));
    return found->length;
}

NS_LOG_COMPONENT_DEFINE("DlearnRoundRule");
DLEARN_TYPE_WITHOUT_ATTRIBUTES(RoundRule, UpdateRule);

TypeId
RoundRule::AddPrivacy(TypeId tid, TypeId account, TypeId unit)
{
    return tid
        .AddAttribute("PrivacyLedger",
                      "The privacy account; ns3::dlearn::PrivacyAccount or "
                      "ns3::dlearn::PrivacyLedger: none.",
                      TypeIdValue(account),
                      MakeOptionalPartAccessor(&RoundRule::m_account,
                                               &RoundRule::IsSetUp,
                                               {PrivacyLedger::GetTypeId()}),
                      MakePartChecker<PrivacyAccount>())
        .AddAttribute("PrivacyUnit",
                      "The unit that the privacy account protects.",
                      TypeIdValue(unit),
                      MakePartAccessor(&RoundRule::m_unit, &RoundRule::IsSetUp),
                      MakePartChecker<PrivacyUnit>());
}

void
RoundRule::Setup(const LearnerContext& context)
{
    NS_LOG_FUNCTION(this << context.id);
    Require(context.task != nullptr, "{}: a learner needs a task, got none", GetName());
    Require(context.stream != nullptr, "{}: a learner needs a sample stream, got none", GetName());
    ClaimPart(m_account, *this);
    ClaimPart(m_unit, *this);
    for (const auto& mechanism : GetMechanisms())
    {
        ClaimPart(mechanism, *this);
        mechanism->GetScale(0); // checks its attributes
    }
    m_context = context;
    m_model = context.initialModel;
    if (m_model.size() == 0)
    {
        m_model = ModelVector::Zero(context.task->GetDimension());
    }
    m_gradient = ModelVector::Zero(m_model.size());
    DoSetup();
    Require(!GetDistinctSamples(0) || context.stream->HasReplacement(),
            "{}: Replacement=false of the SampleStream has no effect, as the samples of a round "
            "are different ones anyway, and put back after it",
            GetName());
    Require(!GetDistinctSamples(0) || !context.stream->HasDrift(),
            "data-drift needs an algorithm that draws each sample from all of the round, not "
            "different ones");
    m_warnings = FindWarnings();
    m_setUp = true;
}

void
RoundRule::BeginRound(uint32_t round)
{
    NS_LOG_FUNCTION(this << round);
    // The messages of a round that never ended may have left the node.
    Abandon(true);
    m_round = round;
    const auto distinct = GetDistinctSamples(round);
    m_batch =
        distinct ? m_context.stream->DrawDistinct(round, *distinct) : m_context.stream->Draw(round);
    TakeBatch(m_batch);
}

Outbox
RoundRule::Send()
{
    NS_LOG_FUNCTION(this << m_round);
    m_sent = true;
    NoteDraw(m_round, m_batch);
    return DoSend();
}

void
RoundRule::EndRound(const Inbox& inbox)
{
    NS_LOG_FUNCTION(this << m_round << inbox.arrivals.size());
    NoteDraw(m_round, m_batch);
    DoEndRound(inbox);
    m_sent = false;
    NS_LOG_INFO("learner " << m_context.id << ", round " << m_round << ": " << m_batch.size()
                           << " samples and " << inbox.arrivals.size()
                           << " messages make a model of norm " << m_model.norm());
}

void
RoundRule::Abandon(bool transmitted)
{
    NS_LOG_FUNCTION(this << transmitted);
    DoAbandon(transmitted);
    m_sent = false;
}

int64_t
RoundRule::AssignStreams(int64_t stream)
{
    int64_t used = 0;
    for (const auto& mechanism : GetMechanisms())
    {
        used += mechanism->AssignStreams(stream + used);
    }
    return used;
}

uint64_t
RoundRule::GetWork() const
{
    if (!m_setUp)
    {
        return 0;
    }
    return m_batch.empty() ? GetFirstBatchSize() : m_batch.size();
}

uint64_t
RoundRule::GetFirstBatchSize() const
{
    return GetDistinctSamples(0).value_or(m_context.stream->GetBatchSize());
}

void
RoundRule::AddSmoothnessWarning(const std::string& attribute,
                                double smoothness,
                                std::vector<std::string>& warnings) const
{
    const double known = m_context.task->GetSmoothness();
    if (smoothness > 0 && !std::isfinite(known))
    {
        warnings.push_back("a privacy account that is a bound: " + attribute +
                           " is taken on trust, as " +
                           m_context.task->GetInstanceTypeId().GetName() +
                           " knows no Lipschitz constant of its gradient");
    }
    if (smoothness > 0 && smoothness < known && std::isfinite(known))
    {
        warnings.push_back("a privacy account that is a bound: " + attribute +
                           " is less than the Lipschitz constant of the gradient that " +
                           m_context.task->GetInstanceTypeId().GetName() + " knows, " +
                           FormatRounded(known) +
                           ", and two runs may be farther apart than it says");
    }
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
