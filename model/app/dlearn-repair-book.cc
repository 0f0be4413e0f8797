/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-repair-book.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

void
RepairBook::Open(uint32_t requestId, const std::vector<LearnerId>& asked)
{
    Require(!m_open, "RepairBook: exchange ", m_ticket, " is still open");
    Require(!asked.empty(), "RepairBook: nobody is asked");
    m_ticket = requestId;
    m_open = true;
    m_asked = {asked.begin(), asked.end()};
    m_pending = m_asked;
    m_expected += m_asked.size();
}

bool
RepairBook::IsOpen() const
{
    return m_open;
}

bool
RepairBook::IsComplete() const
{
    return m_pending.empty();
}

uint32_t
RepairBook::GetTicket() const
{
    return m_ticket;
}

RepairBook::Disposition
RepairBook::Classify(LearnerId client, uint32_t requestId) const
{
    if (requestId != m_ticket || m_asked.count(client) == 0)
    {
        return Disposition::UNEXPECTED; // an old one, or nobody asked
    }
    if (m_pending.count(client) == 0)
    {
        return Disposition::DUPLICATE;
    }
    return m_open ? Disposition::ON_TIME : Disposition::LATE;
}

RepairBook::Disposition
RepairBook::Answer(LearnerId client, uint32_t requestId, const ModelVector* correction)
{
    const Disposition disposition = Classify(client, requestId);
    if (disposition == Disposition::UNEXPECTED || disposition == Disposition::DUPLICATE)
    {
        return disposition;
    }
    m_pending.erase(client);
    if (disposition == Disposition::LATE)
    {
        ++m_late;
    }
    else if (correction)
    {
        ++m_used;
        m_corrections[client] = *correction;
    }
    else
    {
        ++m_unusable;
    }
    return disposition;
}

void
RepairBook::Close(std::vector<ClientUpdate>& updates)
{
    for (ClientUpdate& update : updates)
    {
        const auto found = m_corrections.find(update.client);
        if (found != m_corrections.end() && update.staleness == 0)
        {
            update.values -= found->second;
        }
    }
    Drop();
}

void
RepairBook::Drop()
{
    m_open = false;
    m_corrections.clear();
}

void
RepairBook::Count(std::map<std::string, uint64_t>& totals) const
{
    if (m_expected == 0)
    {
        return; // not a run with repairs
    }
    totals["corrections_asked"] += m_expected;
    totals["corrections_used"] += m_used;
    totals["corrections_unusable"] += m_unusable;
    totals["corrections_late"] += m_late;
    totals["corrections_lost"] += m_expected - m_used - m_unusable - m_late;
}

} // namespace ns3::dlearn
