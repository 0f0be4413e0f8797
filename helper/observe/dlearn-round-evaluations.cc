/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-evaluations.h"

#include "dlearn-learning-check.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-ranks.h"

#include <cmath>
#include <iterator>

namespace ns3::dlearn
{

RoundEvaluations::RoundEvaluations(std::unique_ptr<ModelEvaluator> evaluator, uint32_t every)
    : m_evaluator(std::move(evaluator)),
      m_every(every)
{
    Require(m_evaluator != nullptr, "Monitor: there must be an evaluator, got null");
    Require(every >= 1, "Monitor: evaluateEvery must be at least 1, got ", every);
}

void
RoundEvaluations::Add(const RoundRecord& record, uint32_t rounds, const ModelVector& model)
{
    if (record.round % m_every == 0 || record.round + 1 == rounds)
    {
        Keep(record, model);
    }
}

void
RoundEvaluations::Keep(const RoundRecord& record, ModelVector model)
{
    // A learner that restarts behind the others may close rounds that were evaluated without it.
    if (record.round >= m_next)
    {
        m_pending[record.round][record.node] = std::move(model);
        m_records[{record.round, record.node}] = record;
        if (m_meter && Ranks::GetCount() == 1) // else no rank knows what the others have spent
        {
            m_resources[record.round] = m_meter();
        }
    }
}

void
RoundEvaluations::NoteSpent(Time closed, const SpentEpsilon& spent)
{
    for (auto end = m_ends.lower_bound(closed); end != m_ends.end(); ++end)
    {
        m_spentUntil[end->second].Add(spent);
    }
    const auto later = m_closedSpent.upper_bound(closed);
    if (later != m_closedSpent.begin())
    {
        const SpentEpsilon& before = std::prev(later)->second;
        if (spent.realised <= before.realised && spent.nominal <= before.nominal)
        {
            return; // as most of many learners that spend the same
        }
    }
    m_closedSpent[closed].Add(spent);
}

void
RoundEvaluations::Evaluate(const Predicate& isThrough, const std::function<SpentEpsilon()>& clients)
{
    while (!m_pending.empty())
    {
        const uint32_t round = m_pending.begin()->first;
        if (!isThrough(round))
        {
            return;
        }
        EvaluateRound(round, m_pending.begin()->second, clients());
        m_next = round + 1;
        m_pending.erase(m_pending.begin());
    }
}

void
RoundEvaluations::EvaluateRound(uint32_t round,
                                const std::map<LearnerId, ModelVector>& models,
                                const SpentEpsilon& clients)
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
        const RoundRecord& record = m_records.at({round, node});
        summary.time = Max(summary.time, record.closed);
        expected += record.expected;
        received += record.received;
        m_records.erase({round, node});
    }
    // Learners may be ahead, or down by now: what they have spent is spent nevertheless.
    const auto later = m_closedSpent.upper_bound(summary.time);
    for (auto entry = m_closedSpent.begin(); entry != later; ++entry)
    {
        m_spent.Add(entry->second);
    }
    m_closedSpent.erase(m_closedSpent.begin(), later);
    m_spent.Add(clients);
    m_spentUntil[round] = m_spent;
    m_ends.emplace(summary.time, round);
    summary.epsilon = m_spent.realised;
    summary.delivered = GetDeliveredShare(received, expected);
    summary.time -= m_origin;
    m_summaries.push_back(summary);
    if (m_summary)
    {
        m_summary(summary);
    }
}

std::vector<std::string>
RoundEvaluations::GetWarnings() const
{
    auto warnings = m_evaluator->GetWarnings();
    warnings.push_back(DescribeNoLearning(m_summaries));
    return warnings;
}

std::optional<Evaluation>
RoundEvaluations::Find(const RoundRecord& record) const
{
    const auto found = m_evaluations.find({record.round, record.node});
    return found == m_evaluations.end() ? std::nullopt : std::optional(found->second);
}

RankHandover
RoundEvaluations::HandOver()
{
    RankHandover handover;
    for (auto& [round, models] : m_pending)
    {
        for (auto& [learner, model] : models)
        {
            handover.closed.push_back({m_records.at({round, learner}), std::move(model)});
        }
    }
    m_pending.clear();
    m_records.clear();
    handover.spent.swap(m_closedSpent);
    handover.draws = m_evaluator->TakeDraws();
    return handover;
}

void
RoundEvaluations::Take(RankHandover handover)
{
    m_evaluator->AddDraws(handover.draws);
    for (const auto& [closed, spent] : handover.spent)
    {
        NoteSpent(closed, spent);
    }
    for (ClosedRound& round : handover.closed)
    {
        Keep(round.record, std::move(round.model));
    }
}

} // namespace ns3::dlearn
