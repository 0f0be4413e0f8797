/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-repair-progress.h"

namespace ns3::dlearn
{

RepairProgress::RepairProgress(uint32_t messageLength,
                               uint32_t fragmentSize,
                               const std::vector<LearnerId>& recipients,
                               const Limits& limits)
    : m_messageLength(messageLength),
      m_fragmentSize(fragmentSize),
      m_limits(limits)
{
    for (const LearnerId recipient : recipients)
    {
        m_open.try_emplace(recipient);
    }
    for (uint32_t k = 0; k <= (messageLength - 1) / fragmentSize; ++k)
    {
        m_wanted.insert(m_wanted.end(), k);
    }
}

uint32_t
RepairProgress::TakeFragment()
{
    const uint32_t fragment = *m_wanted.begin();
    m_wanted.erase(m_wanted.begin());
    return fragment;
}

std::vector<LearnerId>
RepairProgress::BeginPoll()
{
    m_asked.clear();
    if (m_polls == m_limits.polls)
    {
        m_open.clear();
    }
    ++m_polls;
    for (const auto& [recipient, state] : m_open)
    {
        m_asked.insert(m_asked.end(), recipient);
    }
    return {m_asked.begin(), m_asked.end()};
}

bool
RepairProgress::TakeReport(LearnerId from, const std::vector<ByteRange>& missing)
{
    if (m_asked.erase(from) == 0)
    {
        return false;
    }
    Recipient& recipient = m_open.at(from);
    recipient.silent = 0;
    std::set<uint32_t> fragments;
    for (const ByteRange& range : missing)
    {
        for (uint32_t k = range.begin / m_fragmentSize; k <= (range.end - 1) / m_fragmentSize; ++k)
        {
            fragments.insert(fragments.end(), k);
        }
    }
    recipient.requested += fragments.size() * uint64_t{m_fragmentSize};
    const uint64_t most = uint64_t{m_limits.requests} * (m_messageLength + m_fragmentSize);
    if (fragments.empty() || recipient.requested > most)
    {
        Release(from);
        return true;
    }
    m_wanted.insert(fragments.begin(), fragments.end());
    return true;
}

void
RepairProgress::EndPoll()
{
    for (const LearnerId silent : std::set<LearnerId>(std::move(m_asked)))
    {
        if (++m_open.at(silent).silent == m_limits.silent)
        {
            Release(silent);
        }
    }
    m_asked.clear();
}

void
RepairProgress::Release(LearnerId recipient)
{
    m_open.erase(recipient);
    m_asked.erase(recipient);
}

} // namespace ns3::dlearn
