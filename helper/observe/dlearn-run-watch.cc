/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-watch.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return why each learner that is down is so */
std::string
ExplainEnd(const std::map<LearnerId, LearnerEvent::Kind>& down)
{
    using Kind = LearnerEvent::Kind;
    std::map<Kind, std::set<LearnerId>> why;
    for (const auto& [learner, kind] : down)
    {
        why[kind].insert(learner);
    }
    std::string text;
    const auto add = [&](Kind kind, const std::string& before) {
        if (why.count(kind) > 0)
        {
            text += (text.empty() ? "" : "; ") + before + NameLearners(why[kind]);
        }
    };
    add(Kind::BUDGET_SPENT, "privacy budget spent: ");
    add(Kind::BATTERY_EMPTY, "battery empty: ");
    add(Kind::CRASHED, "crashed: ");
    add(Kind::LEFT, "left: ");
    add(Kind::STOPPED, "stop time: ");
    return text;
}

/** @return the learners, which must be those of one run, in order: they are found by number */
std::vector<Ptr<LearnerApplication>>
RequireOrder(std::vector<Ptr<LearnerApplication>> learners)
{
    RequireLearners("RunWatch", learners);
    for (LearnerId k = 0; k < learners.size(); ++k)
    {
        Require(learners[k]->GetLearnerId() == k,
                "RunWatch: learners must be all of one federation, or of one group of peers, once "
                "they are connected and in the order of their numbers; learner ",
                k,
                " has number ",
                learners[k]->GetLearnerId());
    }
    return learners;
}

} // namespace

RunWatch::RunWatch(std::vector<Ptr<LearnerApplication>> learners)
    : m_learners(RequireOrder(std::move(learners))),
      m_server(FindServer(m_learners)),
      m_isolation(m_learners, m_down, m_warnings, m_events)
{
    for (const auto& learner : m_learners)
    {
        m_traces.Add(learner, "Event", MakeCallback(&RunWatch::HandleEvent, this));
    }
}

void
RunWatch::ExpectRestart(Time time, LearnerId learner)
{
    Require(learner < m_learners.size(),
            "RunWatch: learner must be less than ",
            m_learners.size(),
            ", got ",
            learner);
    m_restarts.emplace(learner, time);
}

void
RunWatch::HandleEvent(const LearnerEvent& event)
{
    using Kind = LearnerEvent::Kind;
    RunEvent noted{Simulator::Now(), event.learner, event.round, ToString(event.kind), ""};
    if (event.other)
    {
        noted.detail = std::to_string(*event.other);
    }
    else if (event.kind == Kind::RESTARTED)
    {
        m_down.erase(event.learner);
        m_allDown = false; // it is still in this state
        m_deserted.reset();
        m_waiting = false;
    }
    else
    {
        m_down[event.learner] = event.kind;
        m_wereDown[event.learner] = event.kind;
    }
    if (event.kind == Kind::BUDGET_SPENT)
    {
        NoteBudget(event, noted);
    }
    if (event.kind == Kind::BATTERY_EMPTY)
    {
        m_warnings.Add("battery",
                       event.learner,
                       "the battery is empty, since round " +
                           std::to_string(event.round.value_or(0)) + " at " +
                           m_warnings.NameMoment(Simulator::Now()) + ", of ",
                       ": use larger batteries, harvest more, or ask for less");
    }
    Add(noted);
    if (Ranks::AreEnabled())
    {
        return; // Follow() knows the others
    }
    if (!event.other && event.kind != Kind::RESTARTED)
    {
        NoteAllDown();
    }
    UpdateDeserted(Simulator::Now());
}

void
RunWatch::NoteAllDown()
{
    const bool allDown = std::all_of(m_learners.begin(), m_learners.end(), [](const auto& learner) {
        return learner->GetState() == LearnerApplication::State::STOPPED;
    });
    if (allDown && !m_allDown)
    {
        Add({GetChange(), std::nullopt, std::nullopt, "all-down", ""});
    }
    m_allDown = allDown;
}

Time
RunWatch::GetChange() const
{
    return m_change.value_or(Simulator::Now());
}

std::map<LearnerId, LearnerEvent::Kind>
RunWatch::GetDown() const
{
    auto down = m_down;
    for (const auto& learner : m_learners)
    {
        if (!IsOnThisRank(*learner->GetNode()))
        {
            down.erase(learner->GetLearnerId());
        }
    }
    return down;
}

void
RunWatch::Follow(const std::map<LearnerId, LearnerEvent::Kind>& down, bool closedAll, Time change)
{
    const auto before = std::exchange(m_down, GetDown());
    m_down.insert(down.begin(), down.end());
    m_wereDown.insert(m_down.begin(), m_down.end());
    if (std::any_of(before.begin(), before.end(), [this](const auto& learner) {
            return m_down.count(learner.first) == 0;
        }))
    {
        m_waiting = false; // it has restarted
    }
    m_closedElsewhere = closedAll;
    m_change = change;
    NoteAllDown();
    UpdateDeserted(change);
}

void
RunWatch::NoteBudget(const LearnerEvent& event, RunEvent& noted)
{
    const auto ledger = m_learners[event.learner]->GetLearnerRule()->GetLedger();
    const std::string budget = ledger ? FormatShortest(ledger->GetBudget()) : "";
    noted.detail =
        ledger ? "epsilon " + FormatShortest(ledger->GetEpsilon()) + " of " + budget : "";
    m_warnings.Add("budget " + budget,
                   event.learner,
                   "the privacy budget" + (ledger ? " of " + budget : "") +
                       " is spent, since round " + std::to_string(event.round.value_or(0)) +
                       " at " + m_warnings.NameMoment(Simulator::Now()) + ", for ",
                   ": no more training; raise budget, add noise, or ask for fewer rounds");
}

bool
RunWatch::IsComingBack(const LearnerApplication& learner) const
{
    if (learner.GetState() != LearnerApplication::State::STOPPED)
    {
        return false;
    }
    const auto [first, last] = m_restarts.equal_range(learner.GetLearnerId());
    return std::any_of(first, last, [](const auto& restart) {
        return restart.second >= Simulator::Now();
    });
}

bool
RunWatch::HasEnded(const LearnerApplication& learner) const
{
    const auto state = learner.GetState();
    return (state == LearnerApplication::State::FINISHED ||
            state == LearnerApplication::State::STOPPED) &&
           learner.IsDone() && !IsComingBack(learner);
}

bool
RunWatch::HasClosedAll() const
{
    return m_closedElsewhere ||
           std::any_of(m_learners.begin(), m_learners.end(), [](const auto& learner) {
               const auto& records = learner->GetRecords();
               return HasRounds(*learner) && !records.empty() &&
                      records.back().round + 1 >= learner->GetRounds();
           });
}

bool
RunWatch::IsOver()
{
    const bool done = std::all_of(m_learners.begin(), m_learners.end(), [](const auto& learner) {
        return learner->IsDone();
    });
    if (m_server)
    {
        if (done && IsComingBack(*m_server))
        {
            NoteWaiting(*m_server);
        }
        return done && !IsComingBack(*m_server);
    }
    for (const auto& learner : m_learners)
    {
        if (done && IsComingBack(*learner))
        {
            NoteWaiting(*learner);
            return false;
        }
    }
    // Byzantine peers teach nothing to those that have ended early; but when these have done all
    // their rounds, those of the others belong to the results.
    return done || (!HasClosedAll() &&
                    std::all_of(m_learners.begin(), m_learners.end(), [this](const auto& learner) {
                        return !HasRounds(*learner) || HasEnded(*learner);
                    }));
}

void
RunWatch::NoteWaiting(const LearnerApplication& learner)
{
    if (m_waiting)
    {
        return;
    }
    m_waiting = true;
    Time next = Time::Max();
    const auto [first, last] = m_restarts.equal_range(learner.GetLearnerId());
    for (auto restart = first; restart != last; ++restart)
    {
        next = restart->second >= Simulator::Now() ? Min(next, restart->second) : next;
    }
    const std::string who = std::to_string(learner.GetLearnerId());
    Add({GetChange(), std::nullopt, std::nullopt, "waiting", "restart of " + who});
    if (next - GetChange() < Seconds(LONG_WAIT))
    {
        return;
    }
    m_warnings.Add("all others are done or down at " + m_warnings.NameMoment(GetChange()) +
                   "; the run goes on for the restart of learner " + who + " at " +
                   m_warnings.NameMoment(next));
}

void
RunWatch::UpdateDeserted(Time time)
{
    bool clients = false;
    bool left = false;
    for (const auto& learner : m_learners)
    {
        const bool client = learner != m_server && !learner->IsByzantine();
        clients = clients || client;
        left = left || (client && !HasEnded(*learner));
    }
    if (!clients || left)
    {
        m_deserted.reset();
    }
    else if (!m_deserted)
    {
        m_deserted = time;
    }
}

bool
RunWatch::IsDeserted(const RoundRecord& record, Time grace)
{
    if (!m_server || record.node != m_server->GetLearnerId())
    {
        return false;
    }
    UpdateDeserted(Simulator::Now()); // the time of a restart may have passed without effect
    if (!m_deserted)
    {
        return false;
    }
    const Time opened = record.closed - record.duration;
    return opened >= *m_deserted + grace ||
           (record.used == 0 && record.closed >= *m_deserted + grace);
}

std::string
RunWatch::ExplainStop() const
{
    using State = LearnerApplication::State;
    std::array<std::set<LearnerId>, 2> going; // before their start, and after it
    for (const auto& learner : m_learners)
    {
        if (HasRounds(*learner) && !HasEnded(*learner))
        {
            going[learner->GetState() == State::NOT_STARTED ? 0 : 1].insert(
                learner->GetLearnerId());
        }
    }
    std::string text = ExplainEnd(m_down);
    for (const size_t k : {0, 1})
    {
        if (!going[k].empty())
        {
            text += (text.empty() ? "" : "; ") +
                    std::string(k == 0 ? "never started: " : "not finished: ") +
                    NameLearners(going[k]);
        }
    }
    return text;
}

void
RunWatch::NoteEnd(Time time)
{
    const std::string lost = "all have begun their last rounds, and lost others while down; ";
    const std::string reason =
        m_down.empty() && !m_wereDown.empty() ? lost + ExplainEnd(m_wereDown) : ExplainEnd(m_down);
    AddEarlyEnd(time, "ends early", "as nothing can change any more", reason);
}

void
RunWatch::AddEarlyEnd(Time time,
                      const std::string& what,
                      const std::string& why,
                      const std::string& reason)
{
    m_ended = true;
    uint32_t rounds = 0;
    size_t closed = 0;
    for (const auto& learner : m_learners)
    {
        if (HasRounds(*learner))
        {
            rounds = std::max(rounds, learner->GetRounds());
            closed = std::max(closed, learner->GetRecords().size());
        }
    }
    if (rounds == 0 || HasClosedAll())
    {
        return;
    }
    Add({time, std::nullopt, std::nullopt, "ended-early", reason});
    m_warnings.Add("the run " + what + " at " + m_warnings.NameMoment(time) + ", after " +
                   std::to_string(closed) + " of " + std::to_string(rounds) + " rounds, " + why +
                   (reason.empty() ? "" : " (" + reason + ")"));
}

std::vector<RunEvent>
RunWatch::Finish()
{
    m_isolation.Finish();
    if (!m_ended && !Ranks::AreEnabled()) // a rank alone does not know what the others did
    {
        AddEarlyEnd(Simulator::Now(),
                    "ended",
                    "before any learner had closed all of its rounds",
                    ExplainStop());
    }
    const auto future = [](const RunEvent& event) { return event.time > Simulator::Now(); };
    m_events.erase(std::remove_if(m_events.begin(), m_events.end(), future), m_events.end());
    // Of one time by learner, those of none last: the same on any number of ranks.
    const auto order = [](const RunEvent& event) {
        return std::make_pair(event.time,
                              event.node.value_or(std::numeric_limits<LearnerId>::max()));
    };
    std::stable_sort(m_events.begin(), m_events.end(), [&order](const auto& a, const auto& b) {
        return order(a) < order(b);
    });
    return m_events;
}

} // namespace ns3::dlearn
