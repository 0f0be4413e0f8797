/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online.h"

#include "dlearn-ldp-online-conditions.h"

#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
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
        AddSchedules(AddParts(TypeId("ns3::dlearn::LdpOnline")
                                  .SetParent<CoupledRule>()
                                  .SetGroupName("Dlearn")
                                  .AddConstructor<LdpOnline>(),
                              {LaplaceMechanism::GetTypeId(),
                               RefinedLedger::GetTypeId(),
                               BallProjection::GetTypeId()}),
                     {1, 0.77, 1, 0.65})
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

} // namespace dlearn
} // namespace ns3
