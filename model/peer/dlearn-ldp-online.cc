/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gradient-history.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3::dlearn
{

std::vector<std::string>
FindViolations(const LdpOnlineConditions& c)
{
    std::vector<std::string> found;
    const double growth = c.noisy ? c.noiseExponent : 0;
    if (c.noisy && !(growth > 0 && growth < 0.5))
    {
        found.push_back(FormatText("0 < s < 1/2 (Assumption 4): s = {}", growth));
    }
    if (!(growth + 0.5 < c.couplingExponent && c.couplingExponent < c.stepExponent &&
          c.stepExponent < 1))
    {
        found.push_back(FormatText("max s + 1/2 < u < v < 1 (eq. 4): s = {}, u = {}, v = {}",
                                   growth,
                                   c.couplingExponent,
                                   c.stepExponent));
    }
    if (!c.convex)
    {
        found.push_back("convex loss (Assumption 1): not known of this task");
        return found;
    }
    // Necessary for Theorems 1 and 2 on any graph; see LdpOnline.
    if (3 * c.inWeight * c.coupling > 1)
    {
        found.push_back(
            FormatText("gamma_0 <= 1/(-3 delta_m) (Theorems 1 and 2; Theorem 3 allows it after a "
                       "transient): gamma_0 = {}, 1/(-3 delta_m) is at most {}",
                       c.coupling,
                       1 / (3 * c.inWeight)));
    }
    if (c.curvature == 0)
    {
        const double least = (1 + 2 * c.couplingExponent) / 3;
        if (!(least < c.stepExponent))
        {
            found.push_back(
                FormatText("(1+2u)/3 < v (Theorem 2, merely convex loss): (1+2u)/3 = {}, v = {}",
                           least,
                           c.stepExponent));
        }
        return found;
    }
    const double mu = c.curvature;
    const double most =
        2 * c.inWeight * c.coupling * mu / (mu * mu + 8 * c.smoothness * c.smoothness);
    if (c.stepSize > most)
    {
        found.push_back(
            FormatText("lambda_0 <= -gamma_0 delta_2 mu/(mu^2 + 8 L^2) (Theorem 1; Theorem 3 "
                       "allows it after a transient): lambda_0 = {}, the bound is at most {}",
                       c.stepSize,
                       most));
    }
    return found;
}

NS_OBJECT_ENSURE_REGISTERED(LdpOnline);

TypeId
LdpOnline::GetTypeId()
{
    static TypeId tid =
        AddCoupling(AddParts(MakeTypeId<LdpOnline, PeerRule>("ns3::dlearn::LdpOnline"),
                             {LaplaceMechanism::GetTypeId(),
                              LdpOnlineRefinedLedger::GetTypeId(),
                              BatchUnit::GetTypeId(),
                              BallProjection::GetTypeId()},
                             PowerStep(1, 0.77)),
                    1,
                    0.65)
            .AddAttribute(
                "HistoryWindow",
                "Newest batches that the gradient averages over; 0 for all, as in the paper. "
                "Every round evaluates all of them again, unless the loss is quadratic and there "
                "is no window.",
                UintegerValue(0),
                MakeUintegerAccessor(&LdpOnline::SetHistoryWindow, &LdpOnline::GetHistoryWindow),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("ExactWork",
                          "Whether the simulated time of a gradient is that of the different "
                          "samples in the history. The times of messages then reveal how many were "
                          "new in each round, which the privacy account does not cover; else it is "
                          "that of the largest possible number.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&LdpOnline::m_exactWork),
                          MakeBooleanChecker());
    return tid;
}

std::vector<std::string>
LdpOnline::FindWarnings() const
{
    std::vector<std::string> warnings = PeerRule::FindWarnings();
    LdpOnlineConditions conditions;
    DoubleValue exponent(0); // of noise that does not grow
    GetNoiseMechanism()->GetAttributeFailSafe("GrowthExponent", exponent);
    conditions.noisy = GetNoiseMechanism()->GetScale(0) > 0;
    conditions.noiseExponent = exponent.Get();
    conditions.stepSize = GetStepSchedule().GetInitial();
    conditions.stepExponent = GetPowerExponent(GetStepSchedule());
    conditions.coupling = GetCouplingSchedule()->GetInitial();
    conditions.couplingExponent = GetPowerExponent(*GetCouplingSchedule());
    conditions.inWeight = GetInWeight();
    const auto convex = DynamicCast<const ConvexTask>(m_context.task);
    conditions.convex = convex != nullptr;
    conditions.curvature = convex ? convex->GetRegularization() : 0;
    conditions.smoothness = convex ? convex->GetSmoothness() : 0;
    if (std::isnan(conditions.stepExponent) || std::isnan(conditions.couplingExponent))
    {
        warnings.push_back("lambda_t = lambda_0 / (t+1)^v and gamma_t = gamma_0 / (t+1)^u "
                           "(Assumption 4): other schedules are chosen");
    }
    else
    {
        const auto violations = FindViolations(conditions);
        warnings.insert(warnings.end(), violations.begin(), violations.end());
    }
    if (m_historyWindow > 0)
    {
        warnings.push_back(
            "average over the whole history (Algorithm 1, line 4): HistoryWindow = " +
            std::to_string(m_historyWindow));
    }
    return warnings;
}

void
LdpOnline::TakeBatch(const SampleIndices& batch)
{
    if (!m_history)
    {
        m_history = CreateHistory(*m_context.task, m_historyWindow);
    }
    m_history->Add(batch);
    PeerRule::TakeBatch(batch);
    NoteDraw(m_round, batch); // even if a crash ends the round
}

void
LdpOnline::ComputeGradient(VectorRef gradient) const
{
    m_history->Gradient(m_model, gradient);
}

void
LdpOnline::SetHistoryWindow(uint32_t window)
{
    Require(!IsSetUp() || window == m_historyWindow,
            "LdpOnline: HistoryWindow cannot change after Setup()");
    m_historyWindow = window;
}

uint64_t
LdpOnline::CountWork(const GradientHistory& history) const
{
    const auto& stream = *m_context.stream;
    return m_exactWork ? history.GetCost()
                       : history.GetLargestCost(stream.GetShard().size(), stream.GetBatchSize());
}

uint64_t
LdpOnline::GetWork() const
{
    if (m_history)
    {
        return CountWork(*m_history);
    }
    if (!m_context.stream)
    {
        return 0; // not set up
    }
    const SampleIndices& shard = m_context.stream->GetShard();
    const size_t batch = std::min<size_t>(GetFirstBatchSize(), shard.size());
    const auto first = CreateHistory(*m_context.task, m_historyWindow);
    first->Add({shard.begin(), shard.begin() + static_cast<std::ptrdiff_t>(batch)});
    return CountWork(*first);
}

} // namespace ns3::dlearn
