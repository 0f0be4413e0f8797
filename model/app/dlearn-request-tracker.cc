/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-request-tracker.h"

#include "ns3/dlearn-check.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

RequestTracker::~RequestTracker()
{
    Stop();
}

void
RequestTracker::Stop()
{
    for (auto& [client, event] : m_expiry)
    {
        event.Cancel();
    }
}

void
RequestTracker::Setup(std::vector<LearnerId> clients,
                      Time responseTimeout,
                      Time suspicionTimeout,
                      Listener listener)
{
    m_clients = std::move(clients);
    m_responseTimeout = responseTimeout;
    m_watch.emplace(suspicionTimeout);
    m_listener = std::move(listener);
}

uint32_t
RequestTracker::Give(const std::vector<LearnerId>& clients, uint32_t version)
{
    Require(!clients.empty(), "RequestTracker: a model must be given to somebody");
    const uint32_t requestId = m_ticket++;
    m_tickets[requestId] = clients.size();
    for (const LearnerId client : clients)
    {
        m_book.Add(client, {requestId, version, Simulator::Now()});
        m_expiry[client] =
            Simulator::Schedule(m_responseTimeout, &RequestTracker::Expire, this, client);
    }
    return requestId;
}

uint32_t
RequestTracker::GetLastTicket() const
{
    return m_ticket - 1;
}

RequestLog::Disposition
RequestTracker::Answer(LearnerId client, uint32_t requestId, bool usable)
{
    const auto disposition = m_book.Answer(client, requestId, usable);
    if (disposition == RequestLog::Disposition::ON_TIME)
    {
        End(client, requestId);
    }
    return disposition;
}

void
RequestTracker::RecordActivity(LearnerId client)
{
    m_watch->RecordActivity(client);
}

void
RequestTracker::RecordTimeout(LearnerId client, Time waited)
{
    m_watch->RecordTimeout(client, waited);
}

void
RequestTracker::Expire(LearnerId client)
{
    GiveUp(client);
    m_listener.expired();
}

void
RequestTracker::GiveUp(LearnerId client)
{
    const Dispatch dispatch = m_book.GetOpen().at(client);
    m_watch->RecordTimeout(client, Simulator::Now() - dispatch.sent);
    m_book.GiveUp(client);
    End(client, dispatch.requestId);
}

void
RequestTracker::GiveUpAll()
{
    while (!m_book.GetOpen().empty())
    {
        GiveUp(m_book.GetOpen().begin()->first);
    }
}

void
RequestTracker::End(LearnerId client, uint32_t requestId)
{
    m_expiry[client].Cancel();
    if (--m_tickets.at(requestId) == 0)
    {
        m_tickets.erase(requestId);
        m_listener.over(requestId);
    }
}

void
RequestTracker::Reset()
{
    m_watch->Reset();
}

const std::vector<LearnerId>&
RequestTracker::GetClients() const
{
    return m_clients;
}

std::vector<LearnerId>
RequestTracker::GetIdle() const
{
    std::vector<LearnerId> idle;
    for (const LearnerId client : m_clients)
    {
        if (!m_book.IsOpen(client))
        {
            idle.push_back(client);
        }
    }
    return idle;
}

size_t
RequestTracker::CountAlive() const
{
    return std::count_if(m_clients.begin(), m_clients.end(), [this](LearnerId client) {
        return m_watch->IsAlive(client);
    });
}

size_t
RequestTracker::CountAwaited() const
{
    const auto& open = m_book.GetOpen();
    return std::count_if(open.begin(), open.end(), [this](const auto& dispatch) {
        return m_watch->IsAlive(dispatch.first);
    });
}

void
RequestTracker::Close(uint32_t round)
{
    m_book.Close(round);
}

RoundRecord&
RequestTracker::GetLastRecord()
{
    return m_book.GetLastRecord();
}

const RequestLog&
RequestTracker::GetBook() const
{
    return m_book;
}

} // namespace ns3::dlearn
