/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-ledger.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>

namespace ns3::dlearn
{

const char*
ToString(StateRecursion recursion)
{
    switch (recursion)
    {
    case StateRecursion::COUPLED:
        return "release the state, mix it without noise, step at the state";
    case StateRecursion::HALF_STEP:
        return "step at the state, release and mix the result";
    case StateRecursion::OWN_NOISY:
        return "release the state, mix it with its noise, step at the state";
    case StateRecursion::STEP_BEHIND:
        return "release the state, mix it with its noise, step at the mixture";
    case StateRecursion::OTHER:
        break;
    }
    return "its own update";
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(PrivacyLedger, ReleaseAccount);

namespace
{

/** @return the planned share of each unit, where one of the batches may differ */
Eigen::ArrayXd
PlannedShares(uint32_t batches, uint32_t units)
{
    return Eigen::ArrayXd::Constant(units, 1.0 / batches);
}

/** @return the shares, or the planned ones where there are none */
Eigen::ArrayXd
RealisedShares(const Eigen::ArrayXd& shares, uint32_t batches)
{
    return shares.size() > 0 ? shares : PlannedShares(batches, 1);
}

} // namespace

void
PrivacyLedger::SetConstants(double sensitivity, double smoothness, double curvature, uint32_t units)
{
    const std::string name = GetName();
    Require(!m_constants, "{}: the constants are set once and cannot change", name);
    Require(std::isfinite(sensitivity) && sensitivity >= 0,
            "{}: sensitivity C must be finite and at least 0, got {}; set ClipNorm of the task "
            "(option clip) to bound its gradients",
            name,
            sensitivity);
    RequireNonNegative(name, "smoothness L", smoothness);
    CheckAttributes();
    m_gradientSensitivity = sensitivity;
    m_smoothness = smoothness;
    m_curvature = curvature;
    CheckConstants();
    SetUnits(units);
    m_nominal.sensitivity = Eigen::ArrayXd::Zero(units);
    m_realised.sensitivity = m_nominal.sensitivity;
    m_constants = true;
}

void
PrivacyLedger::Accept(const std::string& rule, StateRecursion recursion) const
{
    Require(recursion == GetBounded(),
            "{}: gives no bound for {}, whose rounds are: {}; choose another PrivacyLedger, or "
            "ns3::dlearn::PrivacyLedger for none",
            GetName(),
            rule,
            ToString(recursion));
}

bool
PrivacyLedger::CanAfford(const ReleaseEvent& event) const
{
    CheckRelease(event);
    return IsAffordable(GetRealisedCost(event));
}

void
PrivacyLedger::Announce(const ReleaseEvent& event)
{
    CheckRelease(event);
    ReleaseAccount::Announce(GetRealisedCost(event));
}

void
PrivacyLedger::Release(const ReleaseEvent& event, bool transmitted)
{
    CheckRelease(event);
    RecordRelease(GetNominalCost(event), GetRealisedCost(event), transmitted);
    m_nominal.released = event.round;
    if (transmitted)
    {
        m_realised.released = event.round;
    }
    m_nextRelease = uint64_t{event.round} + 1;
}

void
PrivacyLedger::Update(const UpdateEvent& event)
{
    CheckUpdate(event);
    Update(m_nominal,
           event,
           event.nominalCoupling,
           event.openCoupling,
           PlannedShares(event.batches, GetUnits()));
    Update(m_realised,
           event,
           event.realisedCoupling,
           event.partialCoupling + event.openCoupling,
           RealisedShares(event.shares, event.batches));
    m_nextUpdate = uint64_t{event.round} + 1;
    m_nextRelease = std::max(m_nextRelease, m_nextUpdate);
}

Eigen::ArrayXd
PrivacyLedger::Move(const Step& step,
                    const Eigen::ArrayXd& sensitivity,
                    const Eigen::ArrayXd& shares) const
{
    return Contract(step.keep, sensitivity) +
           m_gradientSensitivity * (step.gain * shares + step.whole);
}

void
PrivacyLedger::Update(Account& account,
                      const UpdateEvent& event,
                      double least,
                      double more,
                      const Eigen::ArrayXd& shares) const
{
    const bool released = account.released == event.round;
    const Eigen::ArrayXd now = account.sensitivity;
    account.sensitivity = Move(NextStep(event, least, released), now, shares);
    if (more > 0)
    {
        // Every bound is the maximum over the entries of a function that is convex in the coupling:
        // an end of the range has the largest value.
        account.sensitivity =
            account.sensitivity.max(Move(NextStep(event, least + more, released), now, shares));
    }
}

PrivacyLedger::Step
PrivacyLedger::ReleasedStep(const ReleaseEvent& event) const
{
    Require(event.stepSize == 0,
            "{}: cannot price a release that contains a gradient step, stepSize {}",
            GetName(),
            event.stepSize);
    return {};
}

PrivacyLosses
PrivacyLedger::GetNominalCost(const ReleaseEvent& event) const
{
    return GetCost(m_nominal, event, PlannedShares(event.batches, GetUnits()));
}

PrivacyLosses
PrivacyLedger::GetRealisedCost(const ReleaseEvent& event) const
{
    return GetCost(m_realised, event, RealisedShares(event.shares, event.batches));
}

PrivacyLosses
PrivacyLedger::GetCost(const Account& account,
                       const ReleaseEvent& event,
                       const Eigen::ArrayXd& shares) const
{
    return PrivacyLosses::OfRelease(event.law,
                                    Move(ReleasedStep(event), account.sensitivity, shares),
                                    event.noiseScale,
                                    event.dimension);
}

void
PrivacyLedger::CheckShares(uint32_t batches, const Eigen::ArrayXd& shares) const
{
    Require(batches > 0, "{}: batches must be at least 1, got 0", GetName());
    const Eigen::Index told = std::max<Eigen::Index>(1, shares.size());
    Require(told == GetUnits(),
            "{}: shares must be those of {} units of protection, got {}",
            GetName(),
            GetUnits(),
            told);
}

void
PrivacyLedger::CheckRelease(const ReleaseEvent& event) const
{
    const std::string name = GetName();
    Require(m_constants, "{}: SetConstants() must come before any event", name);
    RequireIncreasing("a release", event.round, m_nextRelease);
    Require(event.dimension > 0, "{}: dimension of a release must be at least 1, got 0", name);
    RequireNonNegative(name, "noiseScale", event.noiseScale);
    RequireNonNegative(name, "stepSize of a release", event.stepSize);
    CheckShares(event.batches, event.shares);
}

void
PrivacyLedger::CheckUpdate(const UpdateEvent& event) const
{
    const std::string name = GetName();
    Require(m_constants, "{}: SetConstants() must come before any event", name);
    const uint64_t released = m_nextRelease > 0 ? m_nextRelease - 1 : 0;
    RequireIncreasing("an update", event.round, std::max(m_nextUpdate, released));
    RequireNonNegative(name, "stepSize", event.stepSize);
    RequireNonNegative(name, "nominalCoupling", event.nominalCoupling);
    RequireNonNegative(name, "realisedCoupling", event.realisedCoupling);
    RequireNonNegative(name, "partialCoupling", event.partialCoupling);
    RequireNonNegative(name, "openCoupling", event.openCoupling);
    CheckShares(event.batches, event.shares);
    // Sums of the same weights differ by rounding.
    const double most = event.realisedCoupling + event.partialCoupling;
    Require(most <= event.nominalCoupling * (1 + 1e-9),
            "{}: the realised coupling {} must not exceed the nominal coupling {}",
            name,
            most,
            event.nominalCoupling);
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LdpOnlineTheorem5Ledger, PrivacyLedger);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LdpOnlineRefinedLedger, PrivacyLedger);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LdpOnlineConvexLedger, PrivacyLedger);

void
LdpOnlineConvexLedger::CheckConstants() const
{
    Require(m_curvature >= 0,
            "LdpOnlineConvexLedger: needs a convex loss whose gradients are not clipped (curvature "
            "mu at least 0), got {}; use LdpOnlineRefinedLedger",
            m_curvature);
}

PrivacyLedger::Step
LdpOnlineConvexLedger::NextStep(const UpdateEvent& event,
                                double coupling,
                                bool /* released */) const
{
    const double factor = std::max(std::abs(1 - coupling - event.stepSize * m_curvature),
                                   std::abs(1 - coupling - event.stepSize * m_smoothness));
    return {factor, event.stepSize, 0};
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(DsgdLedger, PrivacyLedger);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(DolaLedger, PrivacyLedger);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(PdopLedger, PrivacyLedger);

PrivacyLedger::Step
DsgdLedger::ReleasedStep(const ReleaseEvent& event) const
{
    return {1 + event.stepSize * m_smoothness, event.stepSize, 0};
}

} // namespace ns3::dlearn
