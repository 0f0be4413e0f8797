/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-believed-round.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

BelievedRound::BelievedRound(uint32_t byzantine, std::set<LearnerId> neighbors)
    : m_byzantine(byzantine),
      m_neighbors(std::move(neighbors))
{
}

void
BelievedRound::Note(LearnerId neighbor, uint32_t round)
{
    if (m_neighbors.count(neighbor) > 0)
    {
        uint32_t& newest = m_newest.try_emplace(neighbor, round).first->second;
        newest = std::max(newest, round);
    }
}

std::optional<uint32_t>
BelievedRound::GetNewest(LearnerId neighbor) const
{
    const auto found = m_newest.find(neighbor);
    return found == m_newest.end() ? std::nullopt : std::make_optional(found->second);
}

std::optional<uint32_t>
BelievedRound::Get(const std::function<bool(LearnerId)>& counts) const
{
    std::vector<std::optional<uint32_t>> rounds;
    for (const LearnerId neighbor : m_neighbors)
    {
        if (counts(neighbor))
        {
            rounds.push_back(GetNewest(neighbor));
        }
    }
    if (rounds.size() <= m_byzantine)
    {
        return std::nullopt;
    }
    std::sort(rounds.begin(), rounds.end()); // nothing is less than any round
    return m_byzantine > 0 ? rounds[rounds.size() - 1 - m_byzantine]
                           : rounds[(rounds.size() - 1) / 2];
}

} // namespace ns3::dlearn
