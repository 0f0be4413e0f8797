/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-tracker.h"

#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnRoundTracker");

namespace
{

/** @return the senders of messages */
std::set<LearnerId>
GetSenders(const std::vector<MessageSource>& sources)
{
    std::set<LearnerId> senders;
    for (const auto& [sender, channel] : sources)
    {
        senders.insert(sender);
    }
    return senders;
}

} // namespace

RoundEstimate::RoundEstimate(uint32_t byzantine, std::set<LearnerId> neighbors)
    : m_byzantine(byzantine),
      m_neighbors(std::move(neighbors))
{
}

void
RoundEstimate::Note(LearnerId neighbor, uint32_t round)
{
    if (m_neighbors.count(neighbor) > 0)
    {
        uint32_t& newest = m_newest.try_emplace(neighbor, round).first->second;
        newest = std::max(newest, round);
    }
}

std::optional<uint32_t>
RoundEstimate::GetNewest(LearnerId neighbor) const
{
    const auto found = m_newest.find(neighbor);
    return found == m_newest.end() ? std::nullopt : std::make_optional(found->second);
}

std::optional<uint32_t>
RoundEstimate::Get(const std::function<bool(LearnerId)>& counts) const
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

RoundTracker::RoundTracker(const std::vector<MessageSource>& sources, const Settings& settings)
    : m_sources(sources),
      m_settings(settings),
      m_estimate(settings.byzantine, GetSenders(sources))
{
    if (settings.roundPolicy->IsAsynchronous())
    {
        m_table = std::make_unique<LatestTable>(sources);
    }
    else
    {
        m_table = std::make_unique<RoundTable>(sources, settings.ahead);
    }
}

uint32_t
RoundTracker::OpenNext()
{
    m_table->Open(m_next);
    return m_next++;
}

bool
RoundTracker::Observe(const MessageSource& source,
                      uint32_t round,
                      const std::optional<Arrival>& arrival)
{
    if (!arrival || !arrival->IsComplete())
    {
        return false;
    }
    const Disposition disposition = m_table->Classify(source, round);
    const auto newest = m_estimate.GetNewest(source.first);
    // The peer waits for a neighbour that falls behind, or it would do so for good; a copy shows no
    // progress.
    const bool progress = !newest || round > *newest;
    const bool alive = disposition == Disposition::ON_TIME || disposition == Disposition::EARLY ||
                       (disposition == Disposition::LATE && progress);
    if (round < m_settings.rounds)
    {
        m_estimate.Note(source.first, round);
    }
    return alive;
}

RoundTracker::Disposition
RoundTracker::Take(const MessageSource& source,
                   uint32_t round,
                   std::optional<Arrival> arrival,
                   bool alive)
{
    const bool whole = arrival && arrival->IsComplete();
    if (whole && m_table->Classify(source, round) == Disposition::LATE)
    {
        m_settings.missingPolicy->Remember(source, *arrival); // Close() does it for the others
    }
    const Disposition disposition = m_table->Offer(source, round, std::move(arrival));
    if (alive)
    {
        m_table->RecordActivity(source.first);
    }
    return disposition;
}

bool
RoundTracker::Hold(const MessageSource& source, uint32_t& round, std::optional<Arrival>& arrival)
{
    const bool whole = arrival && arrival->IsComplete();
    if (!whole || m_table->Classify(source, round) != Disposition::TOO_EARLY)
    {
        return false;
    }
    const auto [held, fresh] = m_held.try_emplace(source, *arrival);
    if (!fresh && held->second.round < round)
    {
        std::swap(held->second, *arrival);
        round = arrival->round;
    }
    return fresh;
}

std::optional<std::pair<MessageSource, Arrival>>
RoundTracker::TakeHeld()
{
    if (m_held.empty())
    {
        return std::nullopt;
    }
    const auto node = m_held.extract(m_held.begin());
    return std::make_pair(node.key(), std::move(node.mapped()));
}

bool
RoundTracker::FindJoinRound()
{
    // No neighbour is suspected after a restart; a silent one may be behind all others.
    const auto round = m_estimate.Get([](LearnerId) { return true; });
    if (!round || *round < m_next)
    {
        return false;
    }
    m_next = *round;
    return true;
}

void
RoundTracker::CatchUp()
{
    // A neighbour out of reach is alive, but no round can wait for its messages.
    const auto round = m_estimate.Get([this](LearnerId n) {
        return m_table->IsAlive(n) || IsOutOfReach(m_estimate.GetNewest(n).value_or(0));
    });
    if (round && IsOutOfReach(*round) && !m_settings.roundPolicy->IsAsynchronous())
    {
        NS_LOG_INFO("skips from round " << m_table->GetRound() << " to " << *round);
        m_next = *round;
    }
}

bool
RoundTracker::ShouldClose(Time elapsed) const
{
    RoundStatus status = m_table->GetStatus();
    status.elapsed = elapsed;
    const bool held = status.waitable > 0 && !m_settings.missingPolicy->MayClose();
    return !held && m_settings.roundPolicy->ShouldClose(status);
}

std::vector<std::pair<LearnerEvent::Kind, LearnerId>>
RoundTracker::RecordTimeouts(Time waited, bool timedOut, Time suspicionTimeout)
{
    using Kind = LearnerEvent::Kind;
    std::vector<std::pair<Kind, LearnerId>> events;
    for (const LearnerId neighbor : GetSenders(m_table->GetUnused()))
    {
        if (timedOut && m_table->IsAlive(neighbor))
        {
            events.emplace_back(Kind::TIMED_OUT, neighbor);
        }
        if (m_table->RecordTimeout(neighbor, waited, suspicionTimeout))
        {
            events.emplace_back(Kind::NEIGHBOR_SUSPECTED, neighbor);
        }
    }
    std::sort(events.begin(), events.end()); // suspicions first
    return events;
}

std::vector<MessageSource>
RoundTracker::TakePartials(MessageExchange& exchange)
{
    std::vector<MessageSource> used;
    if (!m_settings.usePartial)
    {
        return used;
    }
    const uint32_t round = m_table->GetRound();
    for (const MessageSource& source : m_table->GetMissing())
    {
        if (auto partial = exchange.TakePartial(source, round))
        {
            m_table->Offer(source, round, std::move(partial));
            used.push_back(source);
        }
    }
    return used;
}

Inbox
RoundTracker::Close(MessageExchange& exchange)
{
    Inbox inbox;
    inbox.transmitted = exchange.Settle(m_table->GetRound());
    inbox.arrivals = m_table->Close();
    for (const auto& [source, arrival] : inbox.arrivals)
    {
        if (arrival.IsComplete())
        {
            m_settings.missingPolicy->Remember(source, arrival);
        }
    }
    for (const MessageSource& source : m_sources)
    {
        const Arrival* standIn = m_settings.missingPolicy->GetStandIn(source);
        if (standIn && inbox.arrivals.count(source) == 0)
        {
            inbox.arrivals.emplace(source, *standIn);
        }
    }
    CatchUp();
    return inbox;
}

void
RoundTracker::Abandon()
{
    while (auto held = TakeHeld()) // to be counted
    {
        const uint32_t round = held->second.round;
        m_table->Offer(held->first, round, std::move(held->second));
    }
    m_table->Abandon();
}

void
RoundTracker::Reset()
{
    m_table->Trust();
    m_estimate.Reset();
}

} // namespace ns3::dlearn
