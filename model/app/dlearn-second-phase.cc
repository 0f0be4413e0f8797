/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-second-phase.h"

#include "ns3/dlearn-simulated-time.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnSecondPhase");

SecondPhase::SecondPhase(std::function<void()> over)
    : m_over(std::move(over))
{
}

std::vector<LearnerId>
SecondPhase::FindAnswered(const std::vector<ClientUpdate>& updates, uint32_t requestId)
{
    std::vector<LearnerId> answered;
    for (const ClientUpdate& update : updates)
    {
        if (update.round == requestId && (answered.empty() || answered.back() != update.client))
        {
            answered.push_back(update.client);
        }
    }
    return answered;
}

void
SecondPhase::Ask(MessageExchange& exchange,
                 uint32_t requestId,
                 const std::vector<LearnerId>& asked,
                 const ModelVector& request,
                 Time wait)
{
    NS_LOG_FUNCTION(this << requestId << asked.size() << wait);
    m_log.Open(requestId, asked);
    m_over.Set(CheckSpan("waiting for answers", Simulator::Now(), wait));
    exchange.Send(requestId, {ModelChannel::REQUEST, asked, request});
}

AnswerLog::Disposition
SecondPhase::Answer(LearnerId client, uint32_t requestId, const std::optional<Arrival>& arrival)
{
    return m_log.Answer(client, requestId, arrival ? &arrival->values : nullptr);
}

std::map<LearnerId, ModelVector>
SecondPhase::Close(MessageExchange& exchange)
{
    m_over.Cancel();
    auto answers = m_log.Close();
    NS_LOG_INFO("request " << m_log.GetRequestId() << " is over: " << answers.size() << " answers");
    exchange.Settle(m_log.GetRequestId());
    return answers;
}

void
SecondPhase::Drop()
{
    m_over.Cancel();
    m_log.Drop();
}

} // namespace ns3::dlearn
