/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-baseline-ledgers.h"

#include <cmath>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(DsgdLedger);
NS_OBJECT_ENSURE_REGISTERED(DolaLedger);
NS_OBJECT_ENSURE_REGISTERED(PdopLedger);

namespace
{

/**
 * @param smoothness L
 * @param difference bound C on the distance of two gradients at one point
 * @param step alpha
 * @param sensitivity distance of two points
 * @return largest distance of the two points after one step each
 */
double
AfterStep(double smoothness, double difference, double step, double sensitivity)
{
    return (1 + step * smoothness) * sensitivity + step * difference;
}

} // namespace

TypeId
DsgdLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::DsgdLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<DsgdLedger>();
    return tid;
}

double
DsgdLedger::ReleasedSensitivity(double sensitivity, const ReleaseEvent& event) const
{
    return AfterStep(m_smoothness, m_gradientSensitivity, event.stepSize, sensitivity);
}

double
DsgdLedger::NextSensitivity(const Account& account, const UpdateEvent& event, double coupling) const
{
    return std::abs(1 - coupling) *
           AfterStep(m_smoothness, m_gradientSensitivity, event.stepSize, account.sensitivity);
}

TypeId
DolaLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::DolaLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<DolaLedger>();
    return tid;
}

double
DolaLedger::NextSensitivity(const Account& account, const UpdateEvent& event, double coupling) const
{
    const double own = account.released ? 0 : std::abs(1 - coupling) * account.sensitivity;
    return own + event.stepSize * (m_smoothness * account.sensitivity + m_gradientSensitivity);
}

TypeId
PdopLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::PdopLedger")
                            .SetParent<PrivacyLedger>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<PdopLedger>();
    return tid;
}

double
PdopLedger::NextSensitivity(const Account& account, const UpdateEvent& event, double coupling) const
{
    const double own = account.released ? 0 : std::abs(1 - coupling) * account.sensitivity;
    return AfterStep(m_smoothness, m_gradientSensitivity, event.stepSize, own);
}

} // namespace dlearn
} // namespace ns3
