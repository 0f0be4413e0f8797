/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online.h"

#include "dlearn-ldp-online-conditions.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-power-schedule.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LdpOnline);

TypeId
LdpOnline::GetTypeId()
{
    static TypeId tid =
        AddParts(TypeId("ns3::dlearn::LdpOnline")
                     .SetParent<PeerRule>()
                     .SetGroupName("Dlearn")
                     .AddConstructor<LdpOnline>(),
                 {LaplaceMechanism::GetTypeId(),
                  RefinedLedger::GetTypeId(),
                  BallProjection::GetTypeId()})
            .AddAttribute("StepSize",
                          "lambda_0: step on the gradient in round 0.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&LdpOnline::m_stepSize),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("StepExponent",
                          "v: the step decays as (t+1)^-v.",
                          DoubleValue(0.77),
                          MakeDoubleAccessor(&LdpOnline::m_stepExponent),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Coupling",
                          "gamma_0: factor on the weights in round 0.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&LdpOnline::m_coupling),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("CouplingExponent",
                          "u: the factor on the weights decays as (t+1)^-u.",
                          DoubleValue(0.65),
                          MakeDoubleAccessor(&LdpOnline::m_couplingExponent),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("HistoryWindow",
                          "Newest batches that the gradient averages over; 0 for all, as in "
                          "the paper. All of them are evaluated again in every round unless "
                          "the loss is quadratic.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&LdpOnline::m_historyWindow),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

LdpOnline::~LdpOnline() = default;

void
LdpOnline::CheckAttributes() const
{
    RequireNonNegative("LdpOnline", "StepSize", m_stepSize);
    RequireNonNegative("LdpOnline", "StepExponent", m_stepExponent);
    RequireNonNegative("LdpOnline", "Coupling", m_coupling);
    RequireNonNegative("LdpOnline", "CouplingExponent", m_couplingExponent);
}

std::vector<std::string>
LdpOnline::FindWarnings() const
{
    std::vector<std::string> warnings = PeerRule::FindWarnings();
    LdpOnlineConditions conditions;
    const auto laplace = DynamicCast<const LaplaceMechanism>(GetNoise());
    conditions.noisy = GetNoise()->GetScale(0) > 0;
    conditions.noiseExponent = laplace ? laplace->GetGrowthExponent() : 0;
    conditions.stepSize = m_stepSize;
    conditions.stepExponent = m_stepExponent;
    conditions.coupling = m_coupling;
    conditions.couplingExponent = m_couplingExponent;
    conditions.inWeight = GetInWeight();
    const auto convex = DynamicCast<const ConvexTask>(m_context.task);
    conditions.convex = convex != nullptr;
    conditions.curvature = convex ? convex->GetRegularization() : 0;
    conditions.smoothness = convex ? convex->GetSmoothness() : 0;
    for (const std::string& violation : FindViolations(conditions))
    {
        warnings.push_back(violation);
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
        m_history = m_context.task->CreateHistory(m_historyWindow);
    }
    m_history->Add(batch);
}

void
LdpOnline::ComputeGradient(VectorRef gradient) const
{
    m_history->Gradient(m_model, gradient);
}

uint32_t
LdpOnline::GetBatches() const
{
    return m_history->GetBatches();
}

uint64_t
LdpOnline::GetWork() const
{
    return m_history ? m_history->GetCost() : 0;
}

double
LdpOnline::GetStepSize(uint32_t round) const
{
    return PowerSchedule(m_stepSize, -m_stepExponent, round);
}

double
LdpOnline::GetCoupling(uint32_t round) const
{
    return PowerSchedule(m_coupling, -m_couplingExponent, round);
}

ModelVector
LdpOnline::Move(const Inbox& inbox) const
{
    return Mix(m_model, inbox) - GetStepSize(m_round) * m_gradient;
}

} // namespace dlearn
} // namespace ns3
