/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-event-effects.h"

namespace ns3::dlearn
{

void
EventEffects::Begin(Time time)
{
    m_times.push_back(time);
    m_left.push_back(0);
    m_replaced.reset();
}

bool
EventEffects::Set(const std::string& subject, const Link& link, const std::vector<double>& value)
{
    if (Get(subject, link) == value)
    {
        return false;
    }
    const size_t now = m_times.size() - 1;
    const auto [held, isNew] = m_held.try_emplace({subject, link});
    const size_t before = held->second.event;
    if (!isNew && before != now && m_times[before] == m_times[now] && --m_left[before] == 0)
    {
        m_replaced = before;
    }
    held->second = {value, now};
    ++m_left[now];
    return true;
}

std::vector<double>
EventEffects::Get(const std::string& subject, const Link& link) const
{
    const auto held = m_held.find({subject, link});
    return held == m_held.end() ? std::vector<double>() : held->second.value;
}

} // namespace ns3::dlearn
