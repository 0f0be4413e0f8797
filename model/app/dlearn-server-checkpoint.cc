/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-server-checkpoint.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"

namespace ns3::dlearn
{

void
ServerCheckpoint::SetInterval(uint32_t interval, ServerRule& rule)
{
    Require(interval >= 1, "ServerCheckpoint: the interval must be at least 1 round, got 0");
    m_interval = interval;
    m_used = true;
    Write(rule);
}

void
ServerCheckpoint::Update(ServerRule& rule)
{
    ++m_since;
    if (m_since >= m_interval)
    {
        Write(rule);
    }
}

void
ServerCheckpoint::Write(ServerRule& rule)
{
    m_since = 0;
    m_learned.clear();
    if (m_interval > 1)
    {
        StateArchive archive;
        rule.VisitLearned(archive);
        m_learned = archive.GetBytes();
    }
}

bool
ServerCheckpoint::Restore(ServerRule& rule)
{
    if (m_since == 0)
    {
        return false;
    }
    StateArchive archive(m_learned);
    rule.VisitLearned(archive);
    m_lost += m_since;
    m_since = 0;
    return true;
}

void
ServerCheckpoint::Count(std::map<std::string, uint64_t>& totals) const
{
    if (m_used)
    {
        totals["server_rounds_lost"] += m_lost;
    }
}

void
ServerCheckpoint::VisitState(StateArchive& archive)
{
    archive(m_interval, m_since, m_learned, m_used, m_lost);
}

} // namespace ns3::dlearn
