/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-watch.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace ns3::dlearn
{

namespace
{

constexpr int64_t LONG_WAIT = 60;     //!< seconds of waiting for a restart with a warning
constexpr uint32_t SILENT_ROUNDS = 5; //!< without a usable message: the learner is isolated

bool
HasHeard(const LearnerApplication& learner)
{
    return learner.GetExchange()->GetTransport()->GetRxBytes() > 0;
}

/** @return number of refused messages, and why, such as "240 not finite"; empty: none */
std::string
ListRefused(const std::vector<Ptr<LearnerApplication>>& learners)
{
    using Counters = MessageReceiver::Counters;
    std::string list;
    const auto add = [&](uint64_t Counters::*counter, const std::string& why) {
        uint64_t count = 0;
        for (const auto& learner : learners)
        {
            count += learner->GetExchange()->GetCounters().*counter;
        }
        if (count > 0)
        {
            list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + why;
        }
    };
    add(&Counters::notFinite, "not finite");
    add(&Counters::undecodable, "that cannot be decoded");
    add(&Counters::wrongLength, "fragments of vectors of another length");
    return list;
}

const char* const BROADCASTS_COLLIDE =
    "with transport broadcast each packet is sent once, without an acknowledgement, and lost when "
    "learners send at the same time: set reliable, such as --reliable=nack; or learners may be out "
    "of range of their radio, or timeouts too short";

/** @return whether a learner broadcasts without repairing losses */
bool
BroadcastsOnce(const LearnerApplication& learner)
{
    const auto transport = PeekPointer(learner.GetExchange()->GetTransport());
    const auto broadcast = dynamic_cast<const UdpBroadcastTransport*>(transport);
    return broadcast && !broadcast->RepeatsFragments();
}

/** @return whether the budget of a learner did not allow it to send anything */
bool
HasWithheld(const LearnerApplication& learner, const std::map<LearnerId, LearnerEvent::Kind>& down)
{
    const auto why = down.find(learner.GetLearnerId());
    return why != down.end() && why->second == LearnerEvent::Kind::BUDGET_SPENT &&
           learner.GetRecords().empty();
}

/** @return whether learners, which must be of this rank, have sent nothing */
bool
HaveSentNothing(const std::set<LearnerId>& senders, const std::vector<Ptr<LearnerApplication>>& all)
{
    return std::all_of(senders.begin(), senders.end(), [&all](LearnerId sender) {
        const LearnerApplication& learner = *all[sender];
        // Over TCP nothing leaves the node before there is a connection.
        const bool tried = HasRounds(learner) && !learner.GetRecords().empty();
        return IsOnThisRank(*learner.GetNode()) &&
               learner.GetExchange()->GetTransport()->GetTxBytes() == 0 && !tried;
    });
}

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

std::vector<Ptr<LearnerApplication>>
RequireOrder(std::vector<Ptr<LearnerApplication>> learners)
{
    RequireLearners("RunWatch", learners);
    for (LearnerId k = 0; k < learners.size(); ++k)
    {
        Require(learners[k]->GetLearnerId() == k,
                "RunWatch: learners must be all of one federation, or of one group of peers, once "
                "they are connected and in the order of their numbers; learner {} has number {}",
                k,
                learners[k]->GetLearnerId());
    }
    return learners;
}

} // namespace

bool
HasRounds(const LearnerApplication& learner)
{
    return learner.GetRounds() > 0 && !learner.IsByzantine();
}

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

void
RankProgress::Add(const RankProgress& other)
{
    changed = Max(changed, other.changed);
    closed += other.closed;
    rxBytes += other.rxBytes;
    spent.Add(other.spent);
    down.insert(other.down.begin(), other.down.end());
    mostClosed = std::max(mostClosed, other.mostClosed);
    closedAll = closedAll || other.closedAll;
    deserted = deserted || other.deserted;
}

RunWatch::RunWatch(std::vector<Ptr<LearnerApplication>> learners)
    : m_learners(RequireOrder(std::move(learners))),
      m_hearing(m_learners.size())
{
    for (const auto& learner : m_learners)
    {
        m_server = learner->GetRole() == "server" ? learner : m_server;
        m_traces.Add(learner, "RoundEnd", MakeCallback(&RunWatch::HandleRoundEnd, this));
        m_traces.Add(learner, "Event", MakeCallback(&RunWatch::HandleEvent, this));
    }
}

void
RunWatch::WatchTarget(double target)
{
    m_target = target;
    for (const auto& learner : m_learners)
    {
        m_traces.Add(learner, "RoundEnd", MakeCallback(&RunWatch::HandleTarget, this));
        if (const auto rule = DynamicCast<ClientRule>(learner->GetLearnerRule()))
        {
            m_traces.Add(
                rule,
                "Exposure",
                MakeCallback(&RunWatch::HandleExposure, this).Bind(learner->GetLearnerId()));
        }
    }
}

void
RunWatch::HandleExposure(LearnerId client, uint32_t round)
{
    if (m_exceeded.count(client) == 0)
    {
        NoteExceeded(client,
                     round,
                     m_learners[client]->GetLearnerRule()->GetLedger()->GetEpsilon());
    }
}

void
RunWatch::HandleTarget(const RoundRecord& record)
{
    NoteExceeded(record.node, record.round, record.epsilon);
}

void
RunWatch::NoteExceeded(LearnerId learner, uint32_t round, double epsilon)
{
    // A sum of many losses may differ from the plan by rounding.
    if (!(epsilon > *m_target * (1 + 1e-6)) || m_learners[learner]->IsByzantine() ||
        !m_exceeded.insert(learner).second)
    {
        return;
    }
    const std::string target = FormatRounded(*m_target, 6);
    Add({Simulator::Now(),
         learner,
         round,
         "target-exceeded",
         "epsilon " + FormatShortest(epsilon) + " of " + target});
    m_warnings.Add("target " + target,
                   learner,
                   "the planned epsilon of " + target + " is exceeded, since round " +
                       std::to_string(round) + " at " + m_warnings.NameMoment(Simulator::Now()) +
                       ", by ",
                   ": more was released than planned; set budget to stop before");
}

void
RunWatch::ExpectRestart(Time time, LearnerId learner)
{
    Require(learner < m_learners.size(),
            "RunWatch: learner must be less than {}, got {}",
            m_learners.size(),
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
        return; // see Follow()
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
RunWatch::Follow(const RankProgress& others, Time change)
{
    const auto before = std::exchange(m_down, GetDown());
    m_down.insert(others.down.begin(), others.down.end());
    m_wereDown.insert(m_down.begin(), m_down.end());
    if (std::any_of(before.begin(), before.end(), [this](const auto& learner) {
            return m_down.count(learner.first) == 0;
        }))
    {
        m_waiting = false; // it has restarted
    }
    m_elsewhere = others;
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
    return m_elsewhere.closedAll ||
           std::any_of(m_learners.begin(), m_learners.end(), [](const auto& learner) {
               const auto& records = learner->GetRecords();
               return HasRounds(*learner) && !records.empty() &&
                      records.back().round + 1 >= learner->GetRounds();
           });
}

uint64_t
RunWatch::GetMostClosed() const
{
    uint64_t most = m_elsewhere.mostClosed;
    for (const auto& learner : m_learners)
    {
        most = std::max<uint64_t>(most, HasRounds(*learner) ? learner->GetRecords().size() : 0);
    }
    return most;
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
    // When honest peers have done all their rounds, those of Byzantine peers belong to the results.
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
    if (next - GetChange() >= Seconds(LONG_WAIT))
    {
        m_warnings.Add(FormatText("all others are done or down at {}; the run continues until the "
                                  "restart of learner {} at {}",
                                  m_warnings.NameMoment(GetChange()),
                                  who,
                                  m_warnings.NameMoment(next)));
    }
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
    UpdateDeserted(Simulator::Now()); // a restart may have failed
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
    std::map<bool, std::set<LearnerId>> unfinished; // by whether they have started
    for (const auto& learner : m_learners)
    {
        if (HasRounds(*learner) && !HasEnded(*learner))
        {
            const bool started = learner->GetState() != LearnerApplication::State::NOT_STARTED;
            unfinished[started].insert(learner->GetLearnerId());
        }
    }
    std::string text = ExplainEnd(m_down);
    for (const auto& [started, learners] : unfinished)
    {
        text += (text.empty() ? "" : "; ") +
                std::string(started ? "not finished: " : "never started: ") +
                NameLearners(learners);
    }
    return text;
}

void
RunWatch::NoteEnd(Time time)
{
    const std::string lost = "all have begun their last rounds, and lost others while down; ";
    const std::string reason =
        m_down.empty() && !m_wereDown.empty() ? lost + ExplainEnd(m_wereDown) : ExplainEnd(m_down);
    AddEarlyEnd(time,
                "ends early at {}, after {} of {} rounds, as nothing can change any more",
                reason);
}

void
RunWatch::AddEarlyEnd(Time time, const std::string& end, const std::string& reason)
{
    m_ended = true;
    uint32_t rounds = 0;
    for (const auto& learner : m_learners)
    {
        rounds = std::max(rounds, HasRounds(*learner) ? learner->GetRounds() : 0);
    }
    if (rounds == 0 || HasClosedAll())
    {
        return;
    }
    Add({time, std::nullopt, std::nullopt, "ended-early", reason});
    m_warnings.Add("the run " +
                   FormatText(end, m_warnings.NameMoment(time), GetMostClosed(), rounds) +
                   (reason.empty() ? "" : " (" + reason + ")"));
}

std::vector<RunEvent>
RunWatch::Finish()
{
    for (const auto& learner : m_learners)
    {
        const auto ledger = learner->GetLearnerRule()->GetLedger();
        const auto& records = learner->GetRecords();
        const bool here = IsOnThisRank(*learner->GetNode()); // else its own rank has noted it
        if (m_target && here && ledger && !records.empty())
        {
            NoteExceeded(learner->GetLearnerId(), records.back().round, ledger->GetEpsilon());
        }
    }
    for (LearnerId learner = 0; learner < m_hearing.size(); ++learner)
    {
        if (!m_hearing[learner].settled && m_hearing[learner].rounds > 0)
        {
            NoteIsolated(learner);
        }
    }
    if (!m_ended && !Ranks::AreEnabled()) // a rank alone does not know the others
    {
        AddEarlyEnd(
            Simulator::Now(),
            "ended at {}, after {} of {} rounds, before any learner had closed all of its rounds",
            ExplainStop());
    }
    const auto future = [](const RunEvent& event) { return event.time > Simulator::Now(); };
    m_events.erase(std::remove_if(m_events.begin(), m_events.end(), future), m_events.end());
    // At one time by learner, events of the whole run last: the same on any number of ranks.
    const auto order = [](const RunEvent& event) {
        return std::make_pair(event.time,
                              event.node.value_or(std::numeric_limits<LearnerId>::max()));
    };
    std::stable_sort(m_events.begin(), m_events.end(), [&order](const auto& a, const auto& b) {
        return order(a) < order(b);
    });
    return m_events;
}

void
RunWatch::HandleRoundEnd(const RoundRecord& record)
{
    Hearing& hearing = m_hearing[record.node];
    LearnerApplication& learner = *m_learners[record.node];
    const auto peer = dynamic_cast<PeerApplication*>(&learner);
    const bool expects = HasRounds(learner) && (!peer || !peer->GetRule()->GetExpected().empty());
    if (hearing.settled || !expects || (m_server == &learner && record.expected == 0))
    {
        return;
    }
    hearing.settled = record.used > 0;
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
    const auto& records = learner.GetRecords();
    if (std::any_of(records.begin(), records.end(), [](const auto& r) { return r.late > 0; }))
    {
        return ": messages come, but after the rounds have closed; raise deadline or timeout";
    }
    const std::string refused = ListRefused({m_learners[learner.GetLearnerId()]});
    if (!refused.empty())
    {
        return ": messages come, but are refused: " + refused;
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
    if (!server && HaveSentNothing(GetSenders(learner, m_learners), m_learners))
    {
        return ": its neighbours have sent nothing: they are down, still compute, or are silent";
    }
    const bool trained = any([](const auto& client) { return !client.GetRecords().empty(); });
    const std::string unread = server && !trained ? ListRefused(m_learners) : "";
    if (!unread.empty())
    {
        return ": its models come, but clients refuse them: " + unread;
    }
    const bool heard = HasHeard(learner) || (!trained && any(HasHeard));
    const std::string finding = heard ? ": packets come, but no whole message in time; "
                                      : ": not one packet comes in time; ";
    if (!server && BroadcastsOnce(learner))
    {
        return finding + BROADCASTS_COLLIDE;
    }
    const bool tcp =
        DynamicCast<const TcpTransport>(learner.GetExchange()->GetTransport()) != nullptr;
    return finding + (heard ? "raise deadline or timeout, or lower loss" +
                                  std::string(tcp ? "" : ", or use transport tcp")
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
        return; // NoteBudget() has given the reason
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
    m_events.push_back(
        {Simulator::Now(), learner, records.back().round, "isolated", reason.substr(2)});
}

} // namespace ns3::dlearn
