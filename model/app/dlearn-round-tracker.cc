/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-tracker.h"

#include "dlearn-latest-window.h"
#include "dlearn-round-window.h"

#include "ns3/log.h"

#include <set>
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

RoundTracker::RoundTracker(const std::vector<Source>& sources, const Settings& settings)
    : m_sources(sources),
      m_settings(settings),
      m_barrier(settings.roundPolicy, settings.missingPolicy),
      m_believed(settings.byzantine, GetSenders(sources))
{
    if (settings.roundPolicy->IsAsynchronous())
    {
        m_window = std::make_unique<LatestWindow>(sources);
    }
    else
    {
        m_window = std::make_unique<RoundWindow>(sources, settings.ahead);
    }
}

uint32_t
RoundTracker::OpenNext()
{
    m_window->Open(m_next);
    return m_next++;
}

bool
RoundTracker::Observe(const Source& source, uint32_t round, const std::optional<Arrival>& arrival)
{
    if (!arrival || !arrival->IsComplete())
    {
        return false;
    }
    const Disposition disposition = m_window->Classify(source, round);
    const auto newest = m_believed.GetNewest(source.first);
    // A neighbour that falls behind must be waited for, or it would fall behind for good; what is
    // sent again tells nothing.
    const bool progress = !newest || round > *newest;
    const bool alive = disposition == Disposition::ON_TIME || disposition == Disposition::EARLY ||
                       (disposition == Disposition::LATE && progress);
    if (round < m_settings.rounds)
    {
        m_believed.Note(source.first, round);
    }
    return alive;
}

RoundTracker::Disposition
RoundTracker::Take(const Source& source, uint32_t round, std::optional<Arrival> arrival, bool alive)
{
    const bool whole = arrival && arrival->IsComplete();
    if (whole && m_window->Classify(source, round) == Disposition::LATE)
    {
        m_barrier.Remember(source, *arrival); // Close() does it for the others
    }
    const Disposition disposition = m_window->Offer(source, round, std::move(arrival));
    if (alive)
    {
        m_barrier.RecordActivity(source.first);
    }
    return disposition;
}

bool
RoundTracker::Hold(const Source& source, uint32_t& round, std::optional<Arrival>& arrival)
{
    const bool whole = arrival && arrival->IsComplete();
    if (!whole || m_window->Classify(source, round) != Disposition::TOO_EARLY)
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

std::optional<std::pair<RoundTracker::Source, Arrival>>
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
    // All neighbours seem alive after a restart; one from which nothing came may be behind all
    // others.
    const auto round = m_believed.Get([](LearnerId) { return true; });
    if (!round || *round < m_next)
    {
        return false;
    }
    m_next = *round;
    return true;
}

bool
RoundTracker::IsOutOfReach(uint32_t round) const
{
    return round > uint64_t{m_window->GetRound()} + m_settings.ahead;
}

void
RoundTracker::CatchUp()
{
    // A neighbour out of reach is alive, though nothing that it sends can be waited for.
    const auto round = m_believed.Get([this](LearnerId n) {
        return m_barrier.IsAlive(n) || IsOutOfReach(m_believed.GetNewest(n).value_or(0));
    });
    if (round && IsOutOfReach(*round) && !m_settings.roundPolicy->IsAsynchronous())
    {
        NS_LOG_INFO("skips from round " << m_window->GetRound() << " to " << *round);
        m_next = *round;
    }
}

std::vector<std::pair<LearnerEvent::Kind, LearnerId>>
RoundTracker::RecordTimeouts(Time waited, bool timedOut, Time suspicionTimeout)
{
    using Kind = LearnerEvent::Kind;
    std::set<std::pair<Kind, LearnerId>> events; // a neighbour once, whatever of it is missing
    for (const Source& source : m_window->GetUnused())
    {
        if (timedOut && m_barrier.IsAlive(source.first))
        {
            events.emplace(Kind::TIMED_OUT, source.first);
        }
    }
    for (const LearnerId neighbor : m_barrier.RecordTimeouts(*m_window, waited, suspicionTimeout))
    {
        events.emplace(Kind::NEIGHBOR_SUSPECTED, neighbor);
    }
    return {events.begin(), events.end()};
}

std::vector<RoundTracker::Source>
RoundTracker::TakePartials(MessageExchange& exchange)
{
    std::vector<Source> used;
    if (!m_settings.usePartial)
    {
        return used;
    }
    const uint32_t round = m_window->GetRound();
    for (const Source& source : m_window->GetMissing())
    {
        if (auto partial = exchange.TakePartial(source, round))
        {
            m_window->Offer(source, round, std::move(partial));
            used.push_back(source);
        }
    }
    return used;
}

Inbox
RoundTracker::Close(MessageExchange& exchange)
{
    Inbox inbox;
    inbox.transmitted = exchange.Settle(m_window->GetRound());
    inbox.arrivals = m_window->Close();
    m_barrier.Complete(inbox, m_sources);
    CatchUp();
    return inbox;
}

void
RoundTracker::Abandon()
{
    while (auto held = TakeHeld()) // to be counted
    {
        const uint32_t round = held->second.round;
        m_window->Offer(held->first, round, std::move(held->second));
    }
    m_window->Abandon();
}

void
RoundTracker::Reset()
{
    m_barrier.Reset();
    m_believed.Reset();
}

} // namespace ns3::dlearn
