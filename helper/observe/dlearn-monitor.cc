/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-monitor.h"

#include "dlearn-run-findings.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <string>

namespace ns3::dlearn
{

namespace
{

/** The monitors of the simulation that do not agree yet that it ends. */
std::set<const Monitor*> g_awaited;

/** Add warnings that are no empty texts. */
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

/** @return what learners of this rank have spent so far, with joules by a meter, if there is one */
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

/** @return whether the simulation was stopped, and has not run out of events */
bool
WasStopped()
{
    // With an event to come, a simulation that was not stopped could go on.
    EventId event = Simulator::ScheduleNow([] {});
    const bool stopped = Simulator::IsFinished();
    event.Remove();
    return stopped;
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

/** Add rows, totals and epsilon of all learners. */
void
AddRows(const std::vector<Ptr<LearnerApplication>>& learners,
        const RoundEvaluations& evaluations,
        RunResults& results)
{
    results.rows.clear();
    results.totals.clear();
    for (const auto& learner : learners)
    {
        learner->Finish(results.totals);
        if (const auto ledger = learner->GetLearnerRule()->GetLedger())
        {
            results.epsilon[learner->GetLearnerId()] = ledger->GetEpsilon();
        }
        for (const RoundRecord& record : learner->GetRecords())
        {
            ResultRow row;
            row.record = record;
            row.role = learner->GetRole();
            row.evaluation = evaluations.Find(record);
            results.rows.push_back(row);
        }
    }
}

} // namespace

Monitor::Monitor(std::vector<Ptr<LearnerApplication>> learners,
                 std::unique_ptr<ModelEvaluator> evaluator,
                 uint32_t evaluateEvery)
    : m_learners(std::move(learners)),
      m_watch(m_learners),
      m_pairs(m_learners),
      m_evaluations(std::move(evaluator), evaluateEvery),
      m_spent(m_learners,
              [this](const auto& spent) { m_evaluations.NoteSpent(Simulator::Now(), spent); }),
      m_seed(RngSeedManager::GetSeed()),
      m_run(RngSeedManager::GetRun())
{
    Require(!m_learners.empty(), "Monitor: there must be learners, got none");
    m_evaluations.SetMeter([this] { return CountSpent(m_learners, m_joules); });
    for (const auto& learner : m_learners)
    {
        m_rounds = std::max(m_rounds, learner->GetRounds());
        m_report.Plan(HasRounds(*learner) ? learner->GetRounds() : 0);
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
Monitor::TellEnd(bool over) const
{
    for (const auto& listener : m_endListeners)
    {
        listener(over);
    }
}

void
Monitor::KeepAliveUntil(Time time)
{
    m_keepAlive = time;
    m_stopEvent.Cancel(); // which may be planned for too early
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

bool
Monitor::IsOver()
{
    return m_watch.IsOver() && Simulator::Now() >= m_keepAlive;
}

void
Monitor::Take(RankHandover handover)
{
    for (const ClosedRound& round : handover.closed)
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
            m_watch.HasClosedAll(),
            m_deserted.has_value()};
}

void
Monitor::Proceed(const RankProgress& others)
{
    m_others = others;
    const Time changed = Max(m_changed, others.changed);
    m_watch.Follow(others.down, others.closedAll, changed);
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
Monitor::PlanEnd(Time end, Time changed)
{
    if (!IsOver())
    {
        m_stopEvent.Cancel(); // a learner goes on after all
        TellEnd(false);
    }
    else if (m_stopEvent.IsExpired() || changed > m_planned)
    {
        m_stopEvent.Cancel();
        m_planned = changed;
        m_stopEvent =
            Simulator::Schedule(Max(Time(0), end - Simulator::Now()), &Monitor::Stop, this);
        TellEnd(true);
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
    if (m_report.IsDue())
    {
        m_report.Write(m_closed + m_others.closed,
                       CountSpent(m_learners).rxBytes + m_others.rxBytes);
    }
}

void
Monitor::NoteCut(RunResults& results) const
{
    const auto unfinished = [this](const auto& learner) {
        return HasRounds(*learner) && !m_watch.HasEnded(*learner);
    };
    // On several ranks it is RankExchange that ends the simulation.
    if (!m_stopped && !Ranks::AreEnabled() && results.reason.empty() &&
        std::any_of(m_learners.begin(), m_learners.end(), unfinished) && WasStopped())
    {
        results.status = "interrupted";
        results.reason = "the simulation was stopped before its learners were done";
    }
}

void
Monitor::Finish(RunResults& results)
{
    results.seed = m_seed;
    results.run = m_run;
    results.simulatedSeconds = Simulator::Now().GetSeconds();
    // What cannot be evaluated has rows nevertheless.
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
    AddRows(m_learners, m_evaluations, results);
    AddWarnings(FoldTimeouts(results, m_watch.GetWarnings()), m_watch.GetWarnings());
    AddWarningsOfRules(m_learners, m_watch.GetWarnings());
    AddWarnings(DescribeRun(results, m_learners), m_watch.GetWarnings());
    AddWarnings(m_evaluations.GetWarnings(), m_watch.GetWarnings());
    results.warnings = m_watch.GetWarnings().Finish();
    if (failure)
    {
        std::rethrow_exception(failure);
    }
    for (const auto& learner : m_learners)
    {
        learner->CheckConservation();
    }
}

void
Monitor::VisitRank(StateArchive& archive)
{
    std::vector<RunEvent> events;
    std::vector<std::string> warnings;
    if (!archive.IsLoading())
    {
        for (const RunEvent& event : m_watch.Finish())
        {
            if (event.node && IsOnThisRank(*m_learners[*event.node]->GetNode()))
            {
                events.push_back(event);
            }
        }
        warnings = m_watch.GetWarnings().Finish();
    }
    archive(events, warnings);
    m_pairs.AddNotes(archive);
    if (archive.IsLoading())
    {
        for (const RunEvent& event : events)
        {
            m_watch.Add(event);
        }
        for (const std::string& warning : warnings)
        {
            m_watch.GetWarnings().Add(warning);
        }
    }
}

} // namespace ns3::dlearn
