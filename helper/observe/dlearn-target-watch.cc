/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-target-watch.h"

#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3::dlearn
{

namespace
{

/** Part of the target by which a sum of many losses may differ from the plan by rounding. */
constexpr double ROUNDING = 1e-6;

} // namespace

TargetWatch::TargetWatch(std::vector<Ptr<LearnerApplication>> learners,
                         double target,
                         RunWatch& watch)
    : m_learners(std::move(learners)),
      m_target(target),
      m_watch(watch)
{
    for (const auto& learner : m_learners)
    {
        m_traces.Add(learner, "RoundEnd", MakeCallback(&TargetWatch::HandleRoundEnd, this));
        if (const auto rule = DynamicCast<ClientRule>(learner->GetLearnerRule()))
        {
            m_traces.Add(
                rule,
                "Exposure",
                MakeCallback(&TargetWatch::HandleExposure, this).Bind(learner->GetLearnerId()));
        }
    }
}

void
TargetWatch::HandleExposure(LearnerId client, uint32_t round)
{
    if (m_noted.count(client) == 0)
    {
        const double epsilon = m_learners[client]->GetLearnerRule()->GetLedger()->GetEpsilon();
        if (Exceeds(epsilon))
        {
            Note(*m_learners[client], round, epsilon);
        }
    }
}

void
TargetWatch::HandleRoundEnd(const RoundRecord& record)
{
    if (Exceeds(record.epsilon))
    {
        Note(*m_learners[record.node], record.round, record.epsilon);
    }
}

void
TargetWatch::Finish()
{
    for (const auto& learner : m_learners)
    {
        const auto ledger = learner->GetLearnerRule()->GetLedger();
        const auto& records = learner->GetRecords();
        const bool here = IsOnThisRank(*learner->GetNode()); // else its own rank has noted it
        if (here && ledger && !records.empty() && Exceeds(ledger->GetEpsilon()))
        {
            Note(*learner, records.back().round, ledger->GetEpsilon());
        }
    }
}

bool
TargetWatch::Exceeds(double epsilon) const
{
    return epsilon > m_target * (1 + ROUNDING);
}

void
TargetWatch::Note(LearnerApplication& learner, uint32_t round, double epsilon)
{
    if (learner.IsByzantine() || !m_noted.insert(learner.GetLearnerId()).second)
    {
        return;
    }
    const std::string target = FormatShortest(m_target);
    m_watch.Add({Simulator::Now(),
                 learner.GetLearnerId(),
                 round,
                 "target-exceeded",
                 "epsilon " + FormatShortest(epsilon) + " of " + target});
    m_watch.GetWarnings().Add("target " + target,
                              learner.GetLearnerId(),
                              "the target epsilon of " + target + " is exceeded, since round " +
                                  std::to_string(round) + " at " +
                                  m_watch.GetWarnings().NameMoment(Simulator::Now()) + ", by ",
                              ": more was released than planned; set budget to stop before");
}

} // namespace ns3::dlearn
