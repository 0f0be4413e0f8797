/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-watch.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <set>

namespace ns3::dlearn
{

namespace
{

/** @return whether a learner trains or serves, and is honest */
bool
HasRounds(const LearnerApplication& learner)
{
    return learner.GetRounds() > 0 && !learner.IsByzantine();
}

/** @return whether messages should come in the rounds of a learner */
bool
ExpectsMessages(LearnerApplication& learner)
{
    const auto peer = dynamic_cast<PeerApplication*>(&learner);
    return HasRounds(learner) && (!peer || !peer->GetRule()->GetExpected().empty());
}

/** @return whether a message of a learner came late */
bool
HasLate(const LearnerApplication& learner)
{
    const auto& records = learner.GetRecords();
    return std::any_of(records.begin(), records.end(), [](const RoundRecord& record) {
        return record.late > 0;
    });
}

/** @return whether any byte has arrived at a learner */
bool
HasHeard(const LearnerApplication& learner)
{
    return learner.GetExchange()->GetTransport()->GetRxBytes() > 0;
}

/** Why peers that broadcast may hear nothing, and what to do. */
const char* const BROADCASTS_COLLIDE =
    "with transport broadcast each packet is sent once, without an acknowledgement, and lost when "
    "learners send at the same time: set reliable, such as --reliable=nack; or learners may be out "
    "of range of their radio, or timeouts too short";

/** @return whether a learner broadcasts, and nothing is done about what is lost */
bool
BroadcastsOnce(const LearnerApplication& learner)
{
    const auto transport = PeekPointer(learner.GetExchange()->GetTransport());
    const auto broadcast = dynamic_cast<const UdpBroadcastTransport*>(transport);
    return broadcast && !broadcast->RepeatsFragments();
}

/** @return the learners that a peer, or a server, expects messages from */
std::set<LearnerId>
GetSenders(const LearnerApplication& learner, const std::vector<Ptr<LearnerApplication>>& all)
{
    std::set<LearnerId> senders;
    if (const auto peer = dynamic_cast<const PeerApplication*>(&learner))
    {
        for (const auto& [sender, channel] : peer->GetRule()->GetExpected())
        {
            senders.insert(sender);
        }
        return senders;
    }
    for (const auto& other : all)
    {
        senders.insert(other->GetLearnerId());
    }
    senders.erase(learner.GetLearnerId());
    return senders;
}

/** @return whether a learner has never sent anything, as its budget did not allow it; @p down says
 *          why learners are down */
bool
HasWithheld(const LearnerApplication& learner, const std::map<LearnerId, LearnerEvent::Kind>& down)
{
    const auto why = down.find(learner.GetLearnerId());
    return why != down.end() && why->second == LearnerEvent::Kind::BUDGET_SPENT &&
           learner.GetRecords().empty();
}

} // namespace

RunWatch::RunWatch(std::vector<Ptr<LearnerApplication>> learners)
    : m_learners(std::move(learners)),
      m_hearing(m_learners.size())
{
    for (const auto& learner : m_learners)
    {
        learner->TraceConnectWithoutContext("Event", MakeCallback(&RunWatch::HandleEvent, this));
        learner->TraceConnectWithoutContext("RoundEnd",
                                            MakeCallback(&RunWatch::HandleRoundEnd, this));
        m_server = learner->GetRole() == "server" ? learner : m_server;
    }
}

RunWarnings&
RunWatch::GetWarnings()
{
    return m_warnings;
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
RunWatch::Add(RunEvent event)
{
    m_events.push_back(std::move(event));
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
        m_deserted.reset();
        m_waiting = false;
    }
    else
    {
        m_down[event.learner] = event.kind;
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
                           NameTime(Simulator::Now()) + ", of ",
                       ": use larger batteries, harvest more, or ask for less");
    }
    Add(noted);
    const bool allDown = std::all_of(m_learners.begin(), m_learners.end(), [](const auto& learner) {
        return learner->GetState() == LearnerApplication::State::STOPPED;
    });
    // One that restarts is still in this state, but not down.
    if (allDown && !event.other && event.kind != Kind::RESTARTED)
    {
        Add({Simulator::Now(), std::nullopt, std::nullopt, "all-down", ""});
    }
    UpdateDeserted();
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
                       " at " + NameTime(Simulator::Now()) + ", for ",
                   ": no more training; raise budget, add noise, or ask for fewer rounds");
}

void
RunWatch::HandleRoundEnd(const RoundRecord& record)
{
    Hearing& hearing = m_hearing[record.node];
    LearnerApplication& learner = *m_learners[record.node];
    if (hearing.settled || !ExpectsMessages(learner) ||
        (m_server == &learner && record.expected == 0))
    {
        return;
    }
    hearing.settled = record.received > 0;
    hearing.rounds += hearing.settled ? 0 : 1;
    if (hearing.rounds == SILENT_ROUNDS)
    {
        NoteIsolated(record.node);
    }
}

std::string
RunWatch::ExplainSilence(const LearnerApplication& learner) const
{
    const bool server = m_server == &learner;
    const auto any = [&](const auto& holds) {
        return server && std::any_of(m_learners.begin(), m_learners.end(), [&](const auto& other) {
                   return other != m_server && holds(*other);
               });
    };
    if (HasLate(learner))
    {
        return ": messages come, but after the rounds have closed; raise deadline or timeout";
    }
    if (any([](const LearnerApplication& client) {
            return client.GetState() == LearnerApplication::State::TRAINING;
        }))
    {
        return ": clients still train when its rounds close; raise deadline or timeout";
    }
    const auto up = [this](const LearnerApplication& client) {
        return client.GetState() != LearnerApplication::State::STOPPED &&
               !HasWithheld(client, m_down);
    };
    if (server && !any(up))
    {
        return ": all clients have crashed, left, or spent their budgets or batteries";
    }
    const bool trained = any([](const auto& client) { return !client.GetRecords().empty(); });
    const bool heard = HasHeard(learner) || (!trained && any(HasHeard));
    const std::string what = heard ? ": packets come, but no whole message in time; "
                                   : ": not one packet comes in time; ";
    if (!server && BroadcastsOnce(learner))
    {
        return what + BROADCASTS_COLLIDE;
    }
    return what + (heard ? "raise deadline or timeout, lower loss, or use transport tcp"
                         : "learners may be out of range of their radio, links down, nodes "
                           "without a route, too many packets lost, or timeouts too short");
}

void
RunWatch::NoteIsolated(LearnerId learner)
{
    Hearing& hearing = m_hearing[learner];
    hearing.settled = true;
    const auto senders = GetSenders(*m_learners[learner], m_learners);
    if (std::all_of(senders.begin(), senders.end(), [this](LearnerId sender) {
            return HasWithheld(*m_learners[sender], m_down);
        }))
    {
        return; // NoteBudget() has said why nothing comes
    }
    const std::string reason = ExplainSilence(*m_learners[learner]);
    const std::string rounds = hearing.rounds == 1
                                   ? "the first round"
                                   : "the first " + std::to_string(hearing.rounds) + " rounds";
    m_warnings.Add("isolated" + reason,
                   learner,
                   "no message has arrived in time in " + rounds + " of ",
                   reason);
    const auto& records = m_learners[learner]->GetRecords();
    Add({Simulator::Now(), learner, records.back().round, "isolated", reason.substr(2)});
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
           !IsComingBack(learner);
}

bool
RunWatch::HasClosedAll() const
{
    return std::any_of(m_learners.begin(), m_learners.end(), [](const auto& learner) {
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
    Add({Simulator::Now(), std::nullopt, std::nullopt, "waiting", "restart of " + who});
    if (next - Simulator::Now() < Seconds(LONG_WAIT))
    {
        return;
    }
    m_warnings.Add("all others are done or down at " + NameTime(Simulator::Now()) +
                   "; the run goes on for the restart of learner " + who + " at " + NameTime(next));
}

void
RunWatch::UpdateDeserted()
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
        m_deserted = Simulator::Now();
    }
}

bool
RunWatch::IsDeserted(const RoundRecord& record, Time grace)
{
    if (!m_server || record.node != m_server->GetLearnerId())
    {
        return false;
    }
    UpdateDeserted(); // the time of a restart may have passed without effect
    if (!m_deserted)
    {
        return false;
    }
    const Time opened = record.closed - record.duration;
    return opened >= *m_deserted + grace ||
           (record.used == 0 && record.closed >= *m_deserted + grace);
}

std::string
RunWatch::ExplainEnd() const
{
    using Kind = LearnerEvent::Kind;
    std::map<Kind, std::set<LearnerId>> why;
    for (const auto& [learner, kind] : m_down)
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

void
RunWatch::NoteEnd()
{
    if (HasClosedAll())
    {
        return;
    }
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
    const std::string reason = ExplainEnd();
    Add({Simulator::Now(), std::nullopt, std::nullopt, "ended-early", reason});
    m_warnings.Add("the run ends early at " + NameTime(Simulator::Now()) + ", after " +
                   std::to_string(closed) + " of " + std::to_string(rounds) +
                   " rounds, as nothing can change any more (" + reason + ")");
}

std::vector<RunEvent>
RunWatch::Finish()
{
    for (LearnerId learner = 0; learner < m_hearing.size(); ++learner)
    {
        if (!m_hearing[learner].settled && m_hearing[learner].rounds > 0)
        {
            NoteIsolated(learner);
        }
    }
    const auto future = [](const RunEvent& event) { return event.time > Simulator::Now(); };
    m_events.erase(std::remove_if(m_events.begin(), m_events.end(), future), m_events.end());
    std::stable_sort(m_events.begin(), m_events.end(), [](const auto& a, const auto& b) {
        return a.time < b.time;
    });
    return m_events;
}

void
RunWatch::VisitState(StateArchive& archive)
{
    archive(m_down, m_hearing, m_deserted, m_waiting, m_events, m_warnings);
}

} // namespace ns3::dlearn
