/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-ledger.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(PrivacyLedger);

TypeId
PrivacyLedger::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::PrivacyLedger")
                            .SetParent<PrivacyAccount>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("Budget",
                                          "Largest realised epsilon that the learner may spend; "
                                          "it stops sending before it would exceed it. 0 for none.",
                                          DoubleValue(0.0),
                                          MakeDoubleAccessor(&PrivacyLedger::m_budget),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
PrivacyLedger::SetConstants(double sensitivity, double smoothness, double curvature)
{
    const std::string name = GetName();
    Require(!m_constants, name, ": the constants are set once and can not change");
    Require(std::isfinite(sensitivity) && sensitivity >= 0,
            name,
            ": sensitivity C must be finite and at least 0, got ",
            sensitivity,
            "; set ClipNorm of the task to bound its gradients");
    Require(std::isfinite(smoothness) && smoothness >= 0,
            name,
            ": smoothness L must be finite and at least 0, got ",
            smoothness);
    Require(std::isfinite(curvature) && curvature <= smoothness,
            name,
            ": curvature mu must be finite and at most the smoothness ",
            smoothness,
            ", got ",
            curvature);
    RequireNonNegative(name, "Budget", m_budget);
    m_gradientSensitivity = sensitivity;
    m_smoothness = smoothness;
    m_curvature = curvature;
    CheckConstants();
    m_constants = true;
}

void
PrivacyLedger::CheckConstants() const
{
}

std::string
PrivacyLedger::GetName() const
{
    const std::string full = GetInstanceTypeId().GetName();
    return full.substr(full.rfind(':') + 1);
}

bool
PrivacyLedger::CanAfford(const ReleaseEvent& event) const
{
    CheckRelease(event);
    return m_budget == 0 || m_realised.epsilon + GetCost(m_realised, event) <= m_budget;
}

void
PrivacyLedger::Release(const ReleaseEvent& event, bool transmitted)
{
    CheckRelease(event);
    m_nominal.epsilon += GetCost(m_nominal, event);
    m_nominal.released = true;
    if (transmitted)
    {
        m_realised.epsilon += GetCost(m_realised, event);
    }
    m_realised.released = transmitted;
    m_nextRelease = uint64_t{event.round} + 1;
}

void
PrivacyLedger::Update(const UpdateEvent& event)
{
    CheckUpdate(event);
    m_nominal.sensitivity =
        MaxSensitivity(m_nominal, event, event.nominalCoupling, event.openCoupling);
    m_realised.sensitivity = MaxSensitivity(m_realised,
                                            event,
                                            event.realisedCoupling,
                                            event.partialCoupling + event.openCoupling);
    m_nominal.released = false;
    m_realised.released = false;
    m_nextUpdate = uint64_t{event.round} + 1;
    m_nextRelease = std::max(m_nextRelease, m_nextUpdate);
}

double
PrivacyLedger::MaxSensitivity(const Account& account,
                              const UpdateEvent& event,
                              double least,
                              double more) const
{
    // Entries may have been coupled by any amount between the two ends. Every bound used here
    // is the maximum over the entries of a function that is convex in the coupling, so the
    // larger value of the two ends holds for all.
    const double next = NextSensitivity(account, event, least);
    return more > 0 ? std::max(next, NextSensitivity(account, event, least + more)) : next;
}

double
PrivacyLedger::GetEpsilon() const
{
    return m_realised.epsilon;
}

double
PrivacyLedger::GetNominalEpsilon() const
{
    return m_nominal.epsilon;
}

double
PrivacyLedger::GetBudget() const
{
    return m_budget;
}

double
PrivacyLedger::ReleasedSensitivity(double sensitivity, const ReleaseEvent& event) const
{
    Require(event.stepSize == 0,
            GetName(),
            ": can not price a release that contains a gradient step, stepSize ",
            event.stepSize);
    return sensitivity;
}

double
PrivacyLedger::GetCost(const Account& account, const ReleaseEvent& event) const
{
    const double sensitivity = ReleasedSensitivity(account.sensitivity, event);
    if (sensitivity == 0)
    {
        return 0;
    }
    if (event.noiseScale == 0)
    {
        return std::numeric_limits<double>::infinity();
    }
    return std::sqrt(static_cast<double>(event.dimension)) * sensitivity / event.noiseScale;
}

void
PrivacyLedger::CheckRelease(const ReleaseEvent& event) const
{
    const std::string name = GetName();
    Require(m_constants, name, ": SetConstants() must come before any event");
    Require(event.round >= m_nextRelease,
            name,
            ": a release of round ",
            event.round,
            " came after round ",
            static_cast<double>(m_nextRelease) - 1,
            "; rounds must increase");
    Require(event.dimension > 0, name, ": dimension of a release must be at least 1, got 0");
    RequireNonNegative(name, "noiseScale", event.noiseScale);
    RequireNonNegative(name, "stepSize of a release", event.stepSize);
}

void
PrivacyLedger::CheckUpdate(const UpdateEvent& event) const
{
    const std::string name = GetName();
    Require(m_constants, name, ": SetConstants() must come before any event");
    Require(event.round >= m_nextUpdate && uint64_t{event.round} + 1 >= m_nextRelease,
            name,
            ": an update of round ",
            event.round,
            " came after an event of round ",
            static_cast<double>(std::max(m_nextUpdate, m_nextRelease)) - 1,
            "; rounds must increase");
    RequireNonNegative(name, "stepSize", event.stepSize);
    RequireNonNegative(name, "nominalCoupling", event.nominalCoupling);
    RequireNonNegative(name, "realisedCoupling", event.realisedCoupling);
    RequireNonNegative(name, "partialCoupling", event.partialCoupling);
    RequireNonNegative(name, "openCoupling", event.openCoupling);
    Require(event.batches > 0, name, ": batches must be at least 1, got 0");
    // Both are sums of the same weights, so only rounding may put the part above the whole.
    const double most = event.realisedCoupling + event.partialCoupling;
    Require(most <= event.nominalCoupling * (1 + 1e-9),
            name,
            ": the realised coupling ",
            most,
            " must not exceed the nominal coupling ",
            event.nominalCoupling);
}

} // namespace dlearn
} // namespace ns3
