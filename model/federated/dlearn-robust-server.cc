/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-robust-server.h"

#include "dlearn-cafcor-worker.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return the newest round of an update, as clients count rounds; 0 of none */
uint32_t
FindNewestRound(const std::vector<ClientUpdate>& updates)
{
    uint32_t newest = 0;
    for (const ClientUpdate& update : updates)
    {
        newest = std::max(newest, update.round);
    }
    return newest;
}

} // namespace

NS_LOG_COMPONENT_DEFINE("DlearnRobustServer");
NS_OBJECT_ENSURE_REGISTERED(RobustServer);

TypeId
RobustServer::GetTypeId()
{
    static TypeId tid = AddAttributes(
        MakeTypeId<RobustServer, ServerRule>("ns3::dlearn::RobustServer")
            .AddAttribute("Aggregator",
                          "The aggregation of the messages, a ns3::dlearn::Aggregator.",
                          TypeIdValue(CafAggregator::GetTypeId()),
                          MakePartAccessor(&RobustServer::m_aggregator, &RobustServer::IsSetUp),
                          MakePartChecker<Aggregator>())
            .AddAttribute("Byzantine",
                          "Most workers f that may be Byzantine, less than half of them.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RobustServer::m_byzantine),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MissingAreByzantine",
                          "Whether a worker without a message counts as one of the Byzantine ones, "
                          "so that fewer are assumed among the others.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RobustServer::m_missingAreByzantine),
                          MakeBooleanChecker())
            .AddAttribute("NoiseRecovery",
                          "Whether workers are asked for the noise that they share with those "
                          "whose messages are missing.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RobustServer::m_recovery),
                          MakeBooleanChecker()),
        "aggregate",
        0.1);
    return tid;
}

void
RobustServer::DoDispose()
{
    if (m_aggregator)
    {
        m_aggregator->Dispose();
    }
    m_aggregator = nullptr;
    SteppingServer::DoDispose();
}

std::vector<std::string>
RobustServer::GetWarnings() const
{
    std::vector<std::string> warnings;
    if (m_noise && !m_aggregator->IsMean())
    {
        warnings.push_back(
            "the account takes the aggregate for the mean of the messages, as the paper does; how "
            "far one worker can move a robust aggregate is not bounded by its share of the mean");
    }
    if (const auto weakness = m_aggregator->FindWeakness(m_byzantine, m_context.samples.size());
        !weakness.empty())
    {
        warnings.push_back(weakness);
    }
    return warnings;
}

void
RobustServer::CheckAttributes() const
{
    ClaimPart(m_aggregator, *this);
    SteppingServer::CheckAttributes();
    m_aggregator->RequireMinority("RobustServer: Byzantine",
                                  m_byzantine,
                                  m_context.samples.size(),
                                  "workers");
    if (m_noise)
    {
        Require(m_context.updates != UpdateKind::DIFFERENCE || m_aggregator->IsMean(),
                "RobustServer: how far a client moves {} is not bounded, so that no account holds "
                "with the server's noise; the aggregator must be the mean",
                m_aggregator->GetInstanceTypeId().GetName());
    }
}

double
RobustServer::GetFlops(size_t /* updates */) const
{
    // The inner products of all pairs, which most rules need, and the sum.
    const double workers = m_context.samples.size();
    return (workers * workers + 2 * workers) * m_model.size();
}

size_t
RobustServer::CountNeeded() const
{
    return m_aggregator->CountNeeded(m_byzantine,
                                     m_missingAreByzantine ? m_context.samples.size() : 0);
}

Outbox
RobustServer::Ask(uint32_t step, std::vector<ClientUpdate>& updates, const Replies& replies)
{
    const uint32_t round = FindNewestRound(updates);
    for (ClientUpdate& update : updates)
    {
        const auto found = replies.find(update.client);
        if (found != replies.end() && update.round == round)
        {
            update.values -= found->second.values;
        }
    }
    std::vector<LearnerId> clients;
    std::vector<LearnerId> dropouts;
    auto update = updates.begin();
    for (const auto& [client, samples] : m_context.samples)
    {
        clients.push_back(client);
        while (update != updates.end() && (update->client < client || update->round < round))
        {
            ++update; // an older one has other noise
        }
        if (update == updates.end() || update->client != client)
        {
            dropouts.push_back(client);
        }
    }
    if (!m_recovery || dropouts.empty() || step > 1)
    {
        return {};
    }
    return {{ModelChannel::REQUEST, clients, MakeDropoutRequest(clients, dropouts)}};
}

size_t
RobustServer::GetRow(const std::vector<ClientUpdate>& updates, size_t update) const
{
    const auto worker = m_context.samples.find(updates[update].client);
    return m_missingAreByzantine ? std::distance(m_context.samples.begin(), worker) : update;
}

RowMatrix<double>
RobustServer::GetRows(const std::vector<ClientUpdate>& updates) const
{
    // The row of a missing worker, which counts as Byzantine, stays NaN and is left out.
    RowMatrix<double> rows = RowMatrix<double>::Constant(
        m_missingAreByzantine ? m_context.samples.size() : updates.size(),
        m_model.size(),
        std::numeric_limits<double>::quiet_NaN());
    for (size_t k = 0; k < updates.size(); ++k)
    {
        rows.row(GetRow(updates, k)) = updates[k].values.head(m_model.size()).transpose();
    }
    return rows;
}

bool
RobustServer::AddNoise(const std::vector<ClientUpdate>& updates,
                       AggregationResult<double>& result) const
{
    if (!m_noise)
    {
        return true;
    }
    ReleasedMessages messages;
    for (size_t k = 0; k < updates.size(); ++k)
    {
        const bool used =
            !std::binary_search(result.excluded.begin(), result.excluded.end(), GetRow(updates, k));
        if (used)
        {
            messages.insert({updates[k].client, {updates[k].round, 1}});
        }
    }
    const size_t total = messages.size();
    return m_noise->Release(std::move(messages), total, result.vector);
}

ModelVector
RobustServer::Move(const std::vector<ClientUpdate>& updates)
{
    NS_LOG_FUNCTION(this << updates.size());
    if (m_state.steps == 0)
    {
        m_sampled = m_model;
    }
    auto result = m_aggregator->Aggregate(GetRows(updates), m_byzantine);
    if (!result.IsUsable())
    {
        ++m_tooFew;
        NS_LOG_INFO("round skipped: " << updates.size() << " messages came");
        return m_model;
    }
    if (!AddNoise(updates, result))
    {
        ++m_withheld;
        return m_model;
    }
    ModelVector model = Step(result.vector, m_context.updates == UpdateKind::DIFFERENCE ? 1 : -1);
    if (m_random->GetValue() * (m_state.steps + 1.0) < 1) // reservoir sampling of one
    {
        m_sampled = model;
    }
    return model;
}

int64_t
RobustServer::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1 + m_aggregator->AssignStreams(stream + 1);
}

std::function<void()>
RobustServer::RememberLearned()
{
    return [this, restore = SteppingServer::RememberLearned(), sampled = m_sampled] {
        restore();
        m_sampled = sampled;
    };
}

} // namespace ns3::dlearn
