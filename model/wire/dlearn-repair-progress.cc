/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-repair-progress.h"

#include "dlearn-erasure-code.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ns3::dlearn
{

RepairProgress::RepairProgress(uint32_t messageLength,
                               uint32_t fragmentSize,
                               const std::vector<LearnerId>& recipients,
                               const Limits& limits,
                               const Code& code)
    : m_messageLength(messageLength),
      m_fragmentSize(fragmentSize),
      m_limits(limits),
      m_code(code)
{
    for (const LearnerId recipient : recipients)
    {
        m_open.try_emplace(recipient);
    }
    for (uint32_t k = 0; k < CountFragments(); ++k)
    {
        m_wanted.insert(m_wanted.end(), k);
        if (m_code.share > 0)
        {
            ++m_parity[k / m_code.blockFragments]; // fragments, first
        }
    }
    for (auto& [block, parity] : m_parity)
    {
        const auto pieces = static_cast<uint32_t>(std::ceil(m_code.share * parity));
        parity = std::min(pieces, ErasureCode::LARGEST_BLOCK - parity);
    }
}

uint32_t
RepairProgress::CountSpareRows(uint32_t block) const
{
    // Receivers take the rows of a whole block, also of the last one, which may be shorter.
    const auto rows = m_rows.find(block);
    return ErasureCode::LARGEST_BLOCK - m_code.blockFragments -
           (rows == m_rows.end() ? 0 : rows->second);
}

RepairProgress::Part
RepairProgress::TakePart()
{
    const auto parity = m_parity.begin();
    if (parity != m_parity.end() &&
        (m_wanted.empty() || parity->first < *m_wanted.begin() / m_code.blockFragments))
    {
        const uint32_t block = parity->first;
        if (--parity->second == 0)
        {
            m_parity.erase(parity);
        }
        return {true, block, m_rows[block]++};
    }
    const uint32_t fragment = *m_wanted.begin();
    m_wanted.erase(m_wanted.begin());
    return {false, fragment, 0};
}

void
RepairProgress::Want(const std::set<uint32_t>& fragments)
{
    if (!m_code.repairs)
    {
        m_wanted.insert(fragments.begin(), fragments.end());
        return;
    }
    for (auto first = fragments.begin(); first != fragments.end();)
    {
        const uint32_t block = *first / m_code.blockFragments;
        const auto end = fragments.lower_bound((block + 1) * m_code.blockFragments);
        const auto count = static_cast<uint32_t>(std::distance(first, end));
        if (count <= CountSpareRows(block))
        {
            uint32_t& parity = m_parity[block];
            parity = std::max(parity, count);
        }
        else
        {
            m_wanted.insert(first, end);
        }
        first = end;
    }
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
    Want(fragments);
    return true;
}

std::vector<LearnerId>
RepairProgress::EndPoll()
{
    std::vector<LearnerId> givenUp;
    for (const LearnerId silent : std::set<LearnerId>(std::move(m_asked)))
    {
        if (++m_open.at(silent).silent == m_limits.silent)
        {
            Release(silent);
            givenUp.push_back(silent);
        }
    }
    m_asked.clear();
    return givenUp;
}

void
RepairProgress::Doubt(LearnerId recipient)
{
    const auto found = m_open.find(recipient);
    if (found != m_open.end())
    {
        found->second.silent = m_limits.silent - 1;
    }
}

void
RepairProgress::Release(LearnerId recipient)
{
    m_open.erase(recipient);
    m_asked.erase(recipient);
}

} // namespace ns3::dlearn
