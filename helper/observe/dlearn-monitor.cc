/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-monitor.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>

namespace ns3::dlearn
{

Monitor::Monitor(std::vector<Ptr<LearnerApplication>> learners,
                 std::unique_ptr<ModelEvaluator> evaluator,
                 uint32_t evaluateEvery)
    : m_learners(std::move(learners)),
      m_watch(m_learners),
      m_pairs(m_learners),
      m_evaluator(std::move(evaluator)),
      m_every(evaluateEvery),
      m_start(std::chrono::steady_clock::now()),
      m_lastReport(m_start)
{
    Require(evaluateEvery >= 1, "Monitor: evaluateEvery must be at least 1, got ", evaluateEvery);
    for (const auto& learner : m_learners)
    {
        m_rounds = std::max(m_rounds, learner->GetRounds());
        m_planned += IsEvaluated(*learner) ? learner->GetRounds() : 0;
        learner->TraceConnectWithoutContext("RoundEnd",
                                            MakeCallback(&Monitor::HandleRoundEnd, this));
        learner->TraceConnectWithoutContext("StateTransition",
                                            MakeCallback(&Monitor::HandleState, this));
    }
}

void
Monitor::SetSummaryCallback(SummaryCallback callback)
{
    m_summary = std::move(callback);
}

void
Monitor::AddEndListener(EndListener listener)
{
    m_endListeners.push_back(std::move(listener));
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
    // If all learners finish before that time, this event ends the simulation.
    Simulator::Schedule(time + NanoSeconds(1), &Monitor::StopWhenDone, this);
}

void
Monitor::ExpectRestart(Time time, LearnerId learner)
{
    m_watch.ExpectRestart(time, learner);
    // If the restart has no effect, this event ends the simulation.
    Simulator::Schedule(time - Simulator::Now() + NanoSeconds(1), &Monitor::StopWhenDone, this);
}

RunWatch&
Monitor::GetWatch()
{
    return m_watch;
}

void
Monitor::SetGrace(Time grace)
{
    m_grace = grace;
}

void
Monitor::HandleRoundEnd(const RoundRecord& record)
{
    if (!IsEvaluated(*m_learners[record.node]))
    {
        return;
    }
    ++m_closed;
    const bool last = record.round + 1 == m_rounds;
    // A learner that restarts behind the others may close rounds that were evaluated without it.
    const bool pending = record.round >= m_nextEvaluation;
    if (pending && (record.round % m_every == 0 || last))
    {
        m_pending[record.round][record.node] =
            m_learners[record.node]->GetLearnerRule()->GetModel();
        m_evaluatedRecords[{record.round, record.node}] = record;
    }
    EvaluateReady(false);
    ReportProgress();
    if (m_watch.IsDeserted(record, m_grace))
    {
        Stop();
    }
}

void
Monitor::HandleState(LearnerApplication::State /* oldState */, LearnerApplication::State newState)
{
    // Also IDLE: clients may still train when their server has finished.
    if (newState == LearnerApplication::State::FINISHED ||
        newState == LearnerApplication::State::STOPPED ||
        newState == LearnerApplication::State::IDLE)
    {
        // The learner's state is switched after its trace: look when that is done.
        Simulator::ScheduleNow(&Monitor::StopWhenDone, this);
    }
}

bool
Monitor::IsEvaluated(const LearnerApplication& learner)
{
    return learner.GetRounds() > 0 && !learner.IsByzantine();
}

bool
Monitor::IsThrough(const LearnerApplication& learner, uint32_t round)
{
    const auto& records = learner.GetRecords();
    return !IsEvaluated(learner) || learner.IsDone() ||
           (!records.empty() && records.back().round >= round);
}

void
Monitor::EvaluateReady(bool all)
{
    while (!m_pending.empty())
    {
        const uint32_t round = m_pending.begin()->first;
        const bool ready =
            all || std::all_of(m_learners.begin(), m_learners.end(), [&](const auto& learner) {
                return IsThrough(*learner, round);
            });
        if (!ready)
        {
            return;
        }
        EvaluateRound(round, m_pending.begin()->second);
        m_nextEvaluation = round + 1;
        m_pending.erase(m_pending.begin());
    }
}

void
Monitor::EvaluateRound(uint32_t round, const std::map<LearnerId, ModelVector>& models)
{
    RoundSummary summary;
    summary.round = round;
    summary.learners = models.size();
    summary.mean = {0, 0, 0, 0, 0};
    uint64_t expected = 0;
    uint64_t received = 0;
    for (const auto& [node, evaluation] : m_evaluator->Evaluate(round, models))
    {
        m_evaluations[{round, node}] = evaluation;
        summary.mean.loss += evaluation.loss / models.size();
        summary.mean.accuracy += evaluation.accuracy / models.size();
        summary.mean.error += evaluation.error / models.size();
        summary.mean.consensus += evaluation.consensus / models.size();
        summary.mean.regret += evaluation.regret / models.size();
        const RoundRecord& record = m_evaluatedRecords.at({round, node});
        summary.time = Max(summary.time, record.closed);
        summary.epsilon = std::fmax(summary.epsilon, record.epsilon);
        expected += record.expected;
        received += record.received;
        m_evaluatedRecords.erase({round, node});
    }
    // What a learner has spent that is down now is spent nevertheless.
    m_epsilon = std::fmax(m_epsilon, std::fmax(summary.epsilon, GetClientEpsilon()));
    summary.epsilon = m_epsilon;
    summary.delivered = expected > 0 ? static_cast<double>(received) / expected : 1;
    if (m_summary)
    {
        m_summary(summary);
    }
}

double
Monitor::GetClientEpsilon() const
{
    double epsilon = Evaluation::NONE;
    for (const auto& learner : m_learners)
    {
        const auto ledger = learner->GetLearnerRule()->GetLedger();
        if (learner->GetRounds() == 0 && !learner->IsByzantine() && ledger)
        {
            epsilon = std::fmax(epsilon, ledger->GetEpsilon());
        }
    }
    return epsilon;
}

void
Monitor::Stop()
{
    m_stopEvent.Cancel();
    m_watch.NoteEnd();
    Simulator::Stop();
}

void
Monitor::StopWhenDone()
{
    const bool done = m_watch.IsOver() && Simulator::Now() >= m_keepAlive;
    if (!done)
    {
        m_stopEvent.Cancel();
        TellEnd(false);
    }
    else if (m_stopEvent.IsExpired())
    {
        m_stopEvent = Simulator::Schedule(m_grace, &Monitor::Stop, this);
        TellEnd(true);
    }
    EvaluateReady(false);
}

void
Monitor::ReportProgress()
{
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> sinceReport = now - m_lastReport;
    if (sinceReport.count() < 1)
    {
        return;
    }
    m_lastReport = now;
    uint64_t bytes = 0;
    for (const auto& learner : m_learners)
    {
        bytes += learner->GetExchange()->GetTransport()->GetRxBytes();
    }
    const std::chrono::duration<double> wall = now - m_start;
    std::cerr << "[" << static_cast<int>(wall.count()) << " s] simulated "
              << Simulator::Now().GetSeconds() << " s, " << m_closed << " of " << m_planned
              << " rounds closed, " << bytes / 1000000 << " MB received, "
              << static_cast<uint64_t>(m_closed / wall.count()) << " rounds/s\n";
}

void
Monitor::AddWarnings()
{
    // Similar learners have the same warnings: each is printed once, with their numbers.
    std::map<std::string, std::set<LearnerId>> learners;
    std::vector<std::string> order;
    for (const auto& learner : m_learners)
    {
        for (const std::string& warning : learner->GetLearnerRule()->GetWarnings())
        {
            std::set<LearnerId>& who = learners[warning];
            if (who.empty())
            {
                order.push_back(warning);
            }
            who.insert(learner->GetLearnerId());
        }
    }
    for (const std::string& warning : order)
    {
        m_watch.GetWarnings().Add(NameLearners(learners[warning]) + ": " + warning);
    }
    for (const std::string& warning : m_evaluator->GetWarnings())
    {
        m_watch.GetWarnings().Add(warning);
    }
}

void
Monitor::Finish(RunResults& results)
{
    // What can not be evaluated has rows nevertheless.
    std::exception_ptr failure;
    try
    {
        EvaluateReady(true);
    }
    catch (...)
    {
        failure = std::current_exception();
    }
    results.timeline = m_watch.Finish();
    results.pairs = m_pairs.GetRecords();
    results.rows.clear();
    results.totals.clear();
    for (const auto& learner : m_learners)
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
            const auto found = m_evaluations.find({record.round, record.node});
            if (found != m_evaluations.end())
            {
                row.evaluation = found->second;
            }
            results.rows.push_back(row);
        }
    }
    AddWarnings();
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
Monitor::VisitState(StateArchive& archive)
{
    archive.Begin("monitor");
    archive(m_nextEvaluation, m_pending, m_evaluations, m_evaluatedRecords, m_closed, m_epsilon);
    archive.VisitEvent(m_stopEvent, [this](Time delay) {
        return Simulator::Schedule(delay, &Monitor::Stop, this);
    });
    archive(*m_evaluator, m_watch, m_pairs);
}

} // namespace ns3::dlearn
