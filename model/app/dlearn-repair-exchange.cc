/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-repair-exchange.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

RepairExchange::~RepairExchange()
{
    m_over.Cancel();
}

ModelVector
RepairExchange::MakeRoster(const std::vector<LearnerId>& clients,
                           const std::vector<LearnerId>& lost)
{
    ModelVector roster = ModelVector::Zero(clients.size());
    for (size_t place = 0; place < clients.size(); ++place)
    {
        roster[place] = std::binary_search(lost.begin(), lost.end(), clients[place]) ? 1 : 0;
    }
    return roster;
}

std::vector<uint32_t>
RepairExchange::ReadRoster(const ModelVector& roster)
{
    std::vector<uint32_t> lost;
    for (Eigen::Index place = 0; place < roster.size(); ++place)
    {
        if (roster[place] != 0 && roster[place] != 1) // which every encoding of numbers keeps
        {
            return {};
        }
        if (roster[place] == 1)
        {
            lost.push_back(place);
        }
    }
    return lost;
}

std::vector<LearnerId>
RepairExchange::FindAnswered(const std::vector<ClientUpdate>& updates)
{
    std::vector<LearnerId> answered;
    for (const ClientUpdate& update : updates)
    {
        if (update.staleness == 0 && (answered.empty() || answered.back() != update.client))
        {
            answered.push_back(update.client);
        }
    }
    return answered;
}

void
RepairExchange::Ask(MessageExchange& exchange,
                    uint32_t requestId,
                    const std::vector<LearnerId>& asked,
                    const ModelVector& roster,
                    Time wait,
                    std::function<void()> over)
{
    m_book.Open(requestId, asked);
    m_over = Simulator::Schedule(wait, std::move(over));
    exchange.Send(requestId, {ModelChannel::ROSTER, asked, roster});
}

RepairBook::Disposition
RepairExchange::Answer(LearnerId client, uint32_t requestId, const std::optional<Arrival>& arrival)
{
    return m_book.Answer(client, requestId, arrival ? &arrival->values : nullptr);
}

bool
RepairExchange::IsComplete() const
{
    return m_book.IsOpen() && m_book.IsComplete();
}

void
RepairExchange::Close(MessageExchange& exchange, std::vector<ClientUpdate>& updates)
{
    m_over.Cancel();
    m_book.Close(updates);
    exchange.Settle(m_book.GetTicket());
}

void
RepairExchange::Drop()
{
    m_over.Cancel();
    m_book.Drop();
}

const RepairBook&
RepairExchange::GetBook() const
{
    return m_book;
}

} // namespace ns3::dlearn
