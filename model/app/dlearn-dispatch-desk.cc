/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dispatch-desk.h"

#include "ns3/dlearn-check.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

DispatchDesk::~DispatchDesk()
{
    Stop();
}

void
DispatchDesk::Stop()
{
    for (auto& [client, event] : m_expiry)
    {
        event.Cancel();
    }
}

void
DispatchDesk::Setup(std::vector<LearnerId> clients,
                    Time patience,
                    Time tolerance,
                    Listener listener)
{
    m_clients = std::move(clients);
    m_patience = patience;
    m_watch.emplace(tolerance);
    m_listener = std::move(listener);
}

uint32_t
DispatchDesk::Give(const std::vector<LearnerId>& clients, uint32_t version)
{
    Require(!clients.empty(), "DispatchDesk: a model must be given to somebody");
    const uint32_t ticket = m_ticket++;
    m_tickets[ticket] = clients.size();
    for (const LearnerId client : clients)
    {
        m_book.Add(client, {ticket, version, Simulator::Now()});
        m_expiry[client] = Simulator::Schedule(m_patience, &DispatchDesk::Expire, this, client);
    }
    return ticket;
}

uint32_t
DispatchDesk::GetLastTicket() const
{
    return m_ticket - 1;
}

DispatchBook::Verdict
DispatchDesk::Answer(LearnerId client, uint32_t ticket, bool usable)
{
    const auto verdict = m_book.Answer(client, ticket, usable);
    if (verdict == DispatchBook::Verdict::ON_TIME)
    {
        End(client, ticket);
    }
    return verdict;
}

void
DispatchDesk::Heard(LearnerId client)
{
    m_watch->Heard(client);
}

void
DispatchDesk::Missed(LearnerId client, Time waited)
{
    m_watch->Missed(client, waited);
}

void
DispatchDesk::Expire(LearnerId client)
{
    GiveUp(client);
    m_listener.expired();
}

void
DispatchDesk::GiveUp(LearnerId client)
{
    const Dispatch dispatch = m_book.GetOpen().at(client);
    m_watch->Missed(client, Simulator::Now() - dispatch.sent);
    m_book.GiveUp(client);
    End(client, dispatch.ticket);
}

void
DispatchDesk::GiveUpAll()
{
    while (!m_book.GetOpen().empty())
    {
        GiveUp(m_book.GetOpen().begin()->first);
    }
}

void
DispatchDesk::End(LearnerId client, uint32_t ticket)
{
    m_expiry[client].Cancel();
    if (--m_tickets.at(ticket) == 0)
    {
        m_tickets.erase(ticket);
        m_listener.over(ticket);
    }
}

void
DispatchDesk::Reset()
{
    m_watch->Reset();
}

const std::vector<LearnerId>&
DispatchDesk::GetClients() const
{
    return m_clients;
}

std::vector<LearnerId>
DispatchDesk::GetIdle() const
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
DispatchDesk::CountAlive() const
{
    return std::count_if(m_clients.begin(), m_clients.end(), [this](LearnerId client) {
        return m_watch->IsAlive(client);
    });
}

size_t
DispatchDesk::CountAwaited() const
{
    const auto& open = m_book.GetOpen();
    return std::count_if(open.begin(), open.end(), [this](const auto& dispatch) {
        return m_watch->IsAlive(dispatch.first);
    });
}

void
DispatchDesk::Close(uint32_t round)
{
    m_book.Close(round);
}

RoundRecord&
DispatchDesk::GetLastRecord()
{
    return m_book.GetLastRecord();
}

const DispatchBook&
DispatchDesk::GetBook() const
{
    return m_book;
}

} // namespace ns3::dlearn
