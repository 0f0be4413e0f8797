/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-server-checkpoint.h"

#include "ns3/dlearn-check.h"

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
    m_restore = m_interval > 1 ? rule.RememberLearned() : nullptr;
}

bool
ServerCheckpoint::Restore()
{
    if (m_since == 0)
    {
        return false;
    }
    m_restore();
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

} // namespace ns3::dlearn
