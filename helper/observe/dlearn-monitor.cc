/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-monitor.h"

#include "dlearn-run-findings.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>

namespace ns3::dlearn
{

namespace
{

/** Messages of a stream that may be under way; an older one is lost, or comes without a latency. */
constexpr size_t MOST_OPEN = 256;

/** The monitors that still need the simulation. */
std::set<const Monitor*> g_awaited;

void
AddWarnings(const std::vector<std::string>& warnings, RunWarnings& to)
{
    for (const std::string& warning : warnings)
    {
        if (!warning.empty())
        {
            to.Add(warning);
        }
    }
}

/** @return the resources of all learners so far, with joules by a meter, if there is one */
SpentResources
CountSpent(const std::vector<Ptr<LearnerApplication>>& learners,
           const std::function<double()>& joules = {})
{
    SpentResources spent;
    spent.joules = joules ? joules() : Evaluation::NONE;
    for (const auto& learner : learners)
    {
        const auto transport = learner->GetExchange()->GetTransport();
        spent.txBytes += transport->GetTxBytes();
        spent.rxBytes += transport->GetRxBytes();
    }
    return spent;
}

/** @return the most that honest clients have spent so far */
SpentEpsilon
GetSpentByClients(const std::vector<Ptr<LearnerApplication>>& learners)
{
    SpentEpsilon spent;
    for (const auto& learner : learners)
    {
        const auto ledger = learner->GetLearnerRule()->GetLedger();
        if (learner->GetRounds() == 0 && !learner->IsByzantine() && ledger)
        {
            spent.Add({ledger->GetEpsilon(), ledger->GetNominalEpsilon()});
        }
    }
    return spent;
}

void
AddOutcomes(const std::vector<LearnerOutcome>& outcomes,
            const RoundEvaluations& evaluations,
            RunResults& results)
{
    results.rows.clear();
    results.totals.clear();
    results.staleness.clear();
    results.skipped = 0;
    for (const LearnerOutcome& outcome : outcomes)
    {
        for (const auto& [name, count] : outcome.totals)
        {
            results.totals[name] += count;
        }
        if (outcome.epsilon)
        {
            results.epsilon[outcome.node] = *outcome.epsilon;
        }
        for (const ResultRow& row : outcome.rows)
        {
            results.rows.push_back(row);
            results.rows.back().evaluation = evaluations.Find(row.record);
        }
        results.skipped += outcome.skipped;
        for (const auto& [age, updates] : outcome.staleness)
        {
            results.staleness[age] += updates;
        }
    }
}

} // namespace

PairStatistics::PairStatistics(const std::vector<Ptr<LearnerApplication>>& learners)
{
    for (const auto& learner : learners)
    {
        const LearnerId node = learner->GetLearnerId();
        m_traces.Add(learner->GetExchange(),
                     "MessageTx",
                     MakeCallback(&PairStatistics::HandleTx, this, node));
        m_traces.Add(learner, "MessageRx", MakeCallback(&PairStatistics::HandleRx, this, node));
    }
}

void
PairStatistics::HandleTx(LearnerId from,
                         const EncodedMessage& message,
                         const std::vector<LearnerId>& to)
{
    if (!message.GetChannel())
    {
        return; // bytes of an attack
    }
    for (const LearnerId receiver : to)
    {
        Take({Simulator::Now(), {from, receiver, *message.GetChannel()}, message.GetRound(), {}});
    }
}

void
PairStatistics::HandleRx(LearnerId to,
                         const MessageSource& source,
                         uint32_t round,
                         LearnerApplication::Reception reception)
{
    Take({Simulator::Now(), {source.first, to, source.second}, round, reception});
}

void
PairStatistics::Take(const Note& note)
{
    if (Ranks::GetCount() > 1)
    {
        m_notes.push_back(note);
        return;
    }
    Count(note);
}

void
PairStatistics::Count(const Note& note)
{
    const auto& [from, to, channel] = note.stream;
    if (!note.reception)
    {
        ++m_records[{from, to}].expected;
        auto& open = m_open[note.stream];
        open.emplace_back(note.round, note.time);
        if (open.size() > MOST_OPEN)
        {
            open.pop_front();
        }
        return;
    }
    const auto stream = m_open.find(note.stream);
    if (stream == m_open.end())
    {
        return;
    }
    auto& open = stream->second;
    const auto sent = std::find_if(open.begin(), open.end(), [&note](const auto& message) {
        return message.first == note.round;
    });
    if (sent == open.end())
    {
        return; // a copy, or not of this sender
    }
    PairRecord& record = m_records[{from, to}];
    if (note.reception ==
        LearnerApplication::Reception::PARTIAL) // the rest of the message may still come
    {
        record.partly = true;
        return;
    }
    ++(note.reception == LearnerApplication::Reception::LATE ? record.late : record.received);
    record.latency += note.time - sent->second;
    open.erase(sent);
}

void
PairStatistics::Add(const std::vector<Note>& notes)
{
    m_notes.insert(m_notes.end(), notes.begin(), notes.end());
}

void
PairStatistics::CountNotes()
{
    std::stable_sort(m_notes.begin(), m_notes.end(), [](const Note& a, const Note& b) {
        return a.time != b.time ? a.time < b.time : !a.reception && b.reception;
    });
    for (const Note& note : m_notes)
    {
        Count(note);
    }
    m_notes.clear();
}

std::vector<PairRecord>
PairStatistics::GetRecords() const
{
    std::vector<PairRecord> records;
    for (const auto& [pair, counted] : m_records)
    {
        records.push_back(counted);
        PairRecord& record = records.back();
        std::tie(record.from, record.to) = pair;
        record.lost = record.expected - record.received - record.late;
    }
    return records;
}

LearnerOutcome
CollectOutcome(LearnerApplication& learner)
{
    LearnerOutcome outcome;
    outcome.node = learner.GetLearnerId();
    learner.Finish(outcome.totals);
    const auto rule = learner.GetLearnerRule();
    if (const auto ledger = rule->GetLedger())
    {
        outcome.epsilon = ledger->GetEpsilon();
    }
    for (const RoundRecord& record : learner.GetRecords())
    {
        outcome.rows.emplace_back();
        outcome.rows.back().record = record;
        outcome.rows.back().role = learner.GetRole();
    }
    outcome.warnings = rule->GetWarnings();
    if (const auto peer = DynamicCast<PeerRule>(rule))
    {
        outcome.skipped = peer->GetSkippedMixings();
    }
    if (const auto server = DynamicCast<ServerRule>(rule))
    {
        outcome.skipped = server->GetSkipped();
        outcome.withheld = server->GetWithheld();
    }
    if (const auto server = dynamic_cast<const FederatedServer*>(&learner))
    {
        outcome.staleness = server->GetStaleness();
    }
    try
    {
        learner.CheckConservation();
    }
    catch (const std::logic_error& error)
    {
        outcome.violation = error.what();
    }
    return outcome;
}

Monitor::Monitor(std::vector<Ptr<LearnerApplication>> learners,
                 std::unique_ptr<ModelEvaluator> evaluator,
                 uint32_t evaluateEvery)
    : m_learners(std::move(learners)),
      m_watch(m_learners),
      m_pairs(m_learners),
      m_evaluations(std::move(evaluator), evaluateEvery),
      m_seed(RngSeedManager::GetSeed()),
      m_run(RngSeedManager::GetRun())
{
    Require(!m_learners.empty(), "Monitor: there must be learners, got none");
    m_evaluations.WatchSpending(m_learners);
    m_evaluations.SetMeter([this] { return CountSpent(m_learners, m_joules); });
    for (const auto& learner : m_learners)
    {
        m_rounds = std::max(m_rounds, learner->GetRounds());
        m_goal += HasRounds(*learner) ? learner->GetRounds() : 0;
        m_traces.Add(learner, "RoundEnd", MakeCallback(&Monitor::HandleRoundEnd, this));
        if (IsOnThisRank(*learner->GetNode()))
        {
            m_traces.Add(learner, "StateTransition", MakeCallback(&Monitor::HandleState, this));
        }
    }
    g_awaited.insert(this);
    Simulator::ScheduleDestroy([] { g_awaited.clear(); });
}

Monitor::~Monitor()
{
    g_awaited.erase(this);
    m_stopEvent.Cancel();
}

void
Monitor::KeepAliveUntil(Time time)
{
    m_keepAlive = time;
    m_stopEvent.Cancel(); // it may be planned for too early
    // If all learners finish before that time, this event ends the simulation.
    LookAfter(time + NanoSeconds(1));
}

void
Monitor::ExpectRestart(Time time, LearnerId learner)
{
    m_watch.ExpectRestart(time, learner);
    // If the restart has no effect, this event ends the simulation.
    LookAfter(time + NanoSeconds(1));
}

void
Monitor::LookAfter(Time time)
{
    Simulator::Schedule(Max(Time(0), time - Simulator::Now()),
                        [this, alive = std::weak_ptr<const bool>(m_alive)] {
                            if (!alive.expired())
                            {
                                StopWhenDone();
                            }
                        });
}

void
Monitor::HandleRoundEnd(const RoundRecord& record)
{
    if (!HasRounds(*m_learners[record.node]))
    {
        return;
    }
    ++m_closed;
    m_evaluations.NoteSpent(record.closed, {record.epsilon, record.epsilonNominal});
    m_evaluations.Add(record, m_rounds, m_learners[record.node]->GetLearnerRule()->GetModel());
    const bool deserted = m_watch.IsDeserted(record, m_grace);
    if (Ranks::AreEnabled())
    {
        if (deserted && !m_deserted)
        {
            m_deserted = Simulator::Now();
        }
        return; // Proceed() does the rest
    }
    EvaluateReady(false);
    ReportProgress();
    if (deserted)
    {
        Stop();
    }
}

void
Monitor::HandleState(LearnerApplication::State /* oldState */, LearnerApplication::State newState)
{
    // Also IDLE: clients may still train when their server has finished.
    const bool rests = newState == LearnerApplication::State::FINISHED ||
                       newState == LearnerApplication::State::STOPPED ||
                       newState == LearnerApplication::State::IDLE;
    if (rests)
    {
        m_changed = Simulator::Now();
    }
    // A client may take up a model that was under way when learning seemed to be over.
    if ((rests || !m_stopEvent.IsExpired()) && !Ranks::AreEnabled())
    {
        // The learner's state is switched after its trace: look when that is done.
        LookAfter(Simulator::Now());
    }
}

bool
Monitor::IsThrough(const LearnerApplication& learner, uint32_t round) const
{
    const auto& records = learner.GetRecords();
    const auto elsewhere = m_through.find(learner.GetLearnerId());
    return !HasRounds(learner) || learner.IsDone() ||
           (!records.empty() && records.back().round >= round) ||
           (elsewhere != m_through.end() && elsewhere->second > round);
}

void
Monitor::EvaluateReady(bool all)
{
    const auto isThrough = [&](uint32_t round) {
        return all || std::all_of(m_learners.begin(), m_learners.end(), [&](const auto& learner) {
                   return IsThrough(*learner, round);
               });
    };
    m_evaluations.Evaluate(isThrough, [this] {
        SpentEpsilon spent = GetSpentByClients(m_learners);
        spent.Add(m_others.spent);
        return spent;
    });
}

void
Monitor::Stop()
{
    m_stopEvent.Cancel();
    if (!m_stopped && !Ranks::AreEnabled()) // else Finish() knows more
    {
        m_watch.NoteEnd(Simulator::Now());
    }
    m_stopped = true;
    g_awaited.erase(this);
    if (g_awaited.empty())
    {
        Simulator::Stop();
    }
}

void
Monitor::Take(RankHandover handover)
{
    for (const RankHandover::Round& round : handover.closed)
    {
        uint32_t& through = m_through[round.record.node];
        through = std::max(through, round.record.round + 1);
    }
    m_evaluations.Take(std::move(handover));
}

RankProgress
Monitor::GetProgress() const
{
    return {m_changed,
            m_closed,
            CountSpent(m_learners).rxBytes,
            GetSpentByClients(m_learners),
            m_watch.GetDown(),
            m_watch.GetMostClosed(),
            m_watch.HasClosedAll(),
            m_deserted.has_value()};
}

void
Monitor::Proceed(const RankProgress& others)
{
    m_others = others;
    const Time changed = Max(m_changed, others.changed);
    m_watch.Follow(others, changed);
    if (Ranks::GetOwn() == 0)
    {
        EvaluateReady(false);
        ReportProgress();
    }
    if (m_deserted || others.deserted)
    {
        Stop(); // all ranks do
        return;
    }
    PlanEnd(changed + m_grace, changed);
}

void
Monitor::NotifyEnd(bool over) const
{
    for (const auto& listener : m_endListeners)
    {
        listener(over);
    }
}

void
Monitor::PlanEnd(Time end, Time changed)
{
    if (!m_watch.IsOver() || Simulator::Now() < m_keepAlive)
    {
        m_stopEvent.Cancel(); // a learner resumes after all
        NotifyEnd(false);
    }
    else if (m_stopEvent.IsExpired() || changed > m_planned)
    {
        m_stopEvent.Cancel();
        m_planned = changed;
        m_stopEvent =
            Simulator::Schedule(Max(Time(0), end - Simulator::Now()), &Monitor::Stop, this);
        NotifyEnd(true);
    }
}

void
Monitor::StopWhenDone()
{
    if (Ranks::AreEnabled())
    {
        return; // Proceed() knows
    }
    PlanEnd(Simulator::Now() + m_grace, m_changed);
    EvaluateReady(false);
}

void
Monitor::ReportProgress()
{
    const auto now = std::chrono::steady_clock::now();
    if (now - m_reported < std::chrono::seconds(1))
    {
        return;
    }
    m_reported = now;
    const std::chrono::duration<double> wall = now - m_start;
    const uint64_t closed = m_closed + m_others.closed;
    const uint64_t bytes = CountSpent(m_learners).rxBytes + m_others.rxBytes;
    std::cerr << "[" << static_cast<int>(wall.count()) << " s] simulated "
              << Simulator::Now().GetSeconds() << " s, " << closed << " of " << m_goal
              << " rounds closed, " << FormatRounded(bytes / 1e6, 3) << " MB received, "
              << FormatRounded(static_cast<double>(closed) / wall.count(), 3) << " rounds/s\n";
}

void
Monitor::NoteCut(RunResults& results) const
{
    const bool done =
        std::none_of(m_learners.begin(), m_learners.end(), [this](const auto& learner) {
            return HasRounds(*learner) && !m_watch.HasEnded(*learner);
        });
    // With several ranks, RankExchange ends the simulation.
    if (m_stopped || Ranks::AreEnabled() || !results.reason.empty() || done)
    {
        return;
    }
    // With an event to come, a simulation that was not stopped is not finished.
    EventId event = Simulator::ScheduleNow([] {});
    if (Simulator::IsFinished())
    {
        results.status = "interrupted";
        results.reason = "the simulation was stopped before its learners were done";
    }
    event.Remove();
}

void
Monitor::Finish(RunResults& results)
{
    results.seed = m_seed;
    results.run = m_run;
    results.simulatedSeconds = Simulator::Now().GetSeconds();
    // Rounds that cannot be evaluated have rows nevertheless.
    std::exception_ptr failure;
    try
    {
        EvaluateReady(true);
    }
    catch (...)
    {
        failure = std::current_exception();
    }
    if (m_stopped && Ranks::AreEnabled())
    {
        m_watch.NoteEnd(m_deserted.value_or(Simulator::Now()));
    }
    if (!results.reason.empty())
    {
        m_watch.NoteInterruption();
    }
    NoteCut(results);
    results.timeline = m_watch.Finish();
    results.spent = m_evaluations.GetSpent();
    results.resources = m_evaluations.GetResources();
    m_pairs.CountNotes();
    results.pairs = m_pairs.GetRecords();
    std::vector<LearnerOutcome> outcomes;
    for (const auto& learner : m_learners)
    {
        const auto elsewhere = m_outcomes.find(learner->GetLearnerId());
        outcomes.push_back(elsewhere == m_outcomes.end() ? CollectOutcome(*learner)
                                                         : elsewhere->second);
    }
    AddOutcomes(outcomes, m_evaluations, results);
    AddWarnings(FoldTimeouts(results, m_watch.GetWarnings()), m_watch.GetWarnings());
    AddWarnings(DescribeRun(results, outcomes, m_learners), m_watch.GetWarnings());
    AddWarnings(m_evaluations.GetWarnings(), m_watch.GetWarnings());
    results.warnings = m_watch.GetWarnings().Finish();
    if (failure)
    {
        std::rethrow_exception(failure);
    }
    for (const LearnerOutcome& outcome : outcomes)
    {
        if (!outcome.violation.empty())
        {
            throw std::logic_error(outcome.violation);
        }
    }
}

RankReport
Monitor::Report()
{
    const auto isHere = [](const Ptr<LearnerApplication>& learner) {
        return IsOnThisRank(*learner->GetNode());
    };
    RankReport report;
    report.handover = m_evaluations.HandOver();
    report.spent = GetSpentByClients(m_learners);
    for (const RunEvent& event : m_watch.Finish())
    {
        if (event.node && isHere(m_learners[*event.node]))
        {
            report.events.push_back(event);
        }
    }
    report.warnings = m_watch.GetWarnings().Finish();
    report.messages = m_pairs.GetNotes();
    for (const auto& learner : m_learners)
    {
        if (isHere(learner))
        {
            report.outcomes.push_back(CollectOutcome(*learner));
        }
    }
    return report;
}

void
Monitor::Take(RankReport report)
{
    m_others.spent.Add(report.spent);
    Take(std::move(report.handover));
    for (const RunEvent& event : report.events)
    {
        m_watch.Add(event);
    }
    AddWarnings(report.warnings, m_watch.GetWarnings());
    m_pairs.Add(report.messages);
    for (const LearnerOutcome& outcome : report.outcomes)
    {
        m_outcomes[outcome.node] = outcome;
    }
}

} // namespace ns3::dlearn
