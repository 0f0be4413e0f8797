/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-tracking-ledger.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/double.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(GradientTrackingLedger);

namespace
{

const char* const NAME = "GradientTrackingLedger"; //!< for messages

/**
 * Refuse a round that is not the one refreshed last, or comes again.
 *
 * @param what the event
 * @param round its round
 * @param refreshed behind the round refreshed last
 * @param next first round that may still come
 */
void
RequireOpenRound(const char* what, uint32_t round, uint64_t refreshed, uint64_t next)
{
    Require(uint64_t{round} + 1 == refreshed && round >= next,
            NAME,
            ": ",
            what,
            " of round ",
            round,
            " must follow Refresh() of that round, once; refreshed last: round ",
            static_cast<double>(refreshed) - 1);
}

/** @return what Laplace noise of a scale costs on a vector of a sensitivity */
double
Price(double sensitivity, double scale)
{
    if (sensitivity == 0)
    {
        return 0;
    }
    return scale == 0 ? std::numeric_limits<double>::infinity() : sensitivity / scale;
}

} // namespace

TypeId
GradientTrackingLedger::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::GradientTrackingLedger")
            .SetParent<PrivacyAccount>()
            .SetGroupName("Dlearn")
            .AddConstructor<GradientTrackingLedger>()
            .AddAttribute("Budget",
                          "Largest realised epsilon that the learner may spend; it stops sending "
                          "before it would exceed it. 0 for none.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&GradientTrackingLedger::m_budget),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Smoothness",
                          "Lipschitz constant L of one sample's gradient, to count that two runs "
                          "take their gradients at different states. 0 as in the paper: not "
                          "counted.",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&GradientTrackingLedger::m_smoothness),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("OneNorm",
                          "Whether the sensitivity bounds the 1-norm, as in the paper, and not "
                          "the Euclidean norm, as clipping does; the latter costs sqrt(d) times "
                          "as much.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GradientTrackingLedger::m_oneNorm),
                          MakeBooleanChecker());
    return tid;
}

void
GradientTrackingLedger::SetConstants(double sensitivity, uint32_t samples)
{
    Require(m_samples == 0, NAME, ": the constants are set once and can not change");
    Require(std::isfinite(sensitivity) && sensitivity >= 0,
            NAME,
            ": sensitivity C must be finite and at least 0, got ",
            sensitivity,
            "; set ClipNorm of the task to bound its gradients");
    Require(samples >= 1, NAME, ": samples must be at least 1, got ", samples);
    RequireNonNegative(NAME, "Budget", m_budget);
    RequireNonNegative(NAME, "Smoothness", m_smoothness);
    m_sensitivity = sensitivity;
    m_samples = samples;
}

void
GradientTrackingLedger::Refresh(Account& account) const
{
    const double gradient = m_sensitivity / m_samples + m_smoothness * account.state;
    account.tracker += gradient + account.gradient;
    account.gradient = gradient;
}

void
GradientTrackingLedger::Refresh(uint32_t round)
{
    Require(m_samples > 0, NAME, ": SetConstants() must come before any event");
    Require(round >= m_nextRefresh,
            NAME,
            ": the gradient of round ",
            round,
            " came after round ",
            static_cast<double>(m_nextRefresh) - 1,
            "; rounds must increase");
    Refresh(m_nominal);
    Refresh(m_realised);
    m_nextRefresh = uint64_t{round} + 1;
}

bool
GradientTrackingLedger::CanAfford(const TrackingRelease& release) const
{
    CheckRelease(release);
    return m_budget == 0 || m_realised.epsilon + GetCost(m_realised, release) <= m_budget;
}

void
GradientTrackingLedger::Release(const TrackingRelease& release, bool transmitted)
{
    CheckRelease(release);
    m_nominal.epsilon += GetCost(m_nominal, release);
    if (transmitted)
    {
        m_realised.epsilon += GetCost(m_realised, release);
    }
    m_nextRelease = uint64_t{release.round} + 1;
}

void
GradientTrackingLedger::Update(const TrackingUpdate& update)
{
    CheckUpdate(update);
    const auto move = [&update](Account& account, double contraction, double push) {
        account.state = contraction * account.state + update.stepSize * account.tracker;
        account.tracker *= std::abs(1 - push);
    };
    move(m_nominal, std::abs(1 - update.nominalCoupling), update.nominalPush);
    // |1 - s| is convex: over all s that entries may have been coupled by, an end is largest.
    const double least = std::abs(1 - update.realisedCoupling);
    const double most = std::abs(1 - update.realisedCoupling - update.partialCoupling);
    move(m_realised, std::max(least, most), update.realisedPush);
    m_nextUpdate = uint64_t{update.round} + 1;
    m_nextRelease = std::max(m_nextRelease, m_nextUpdate);
}

double
GradientTrackingLedger::GetCost(const Account& account, const TrackingRelease& release) const
{
    const double factor = m_oneNorm ? 1 : std::sqrt(static_cast<double>(release.dimension));
    double cost = 0;
    if (release.state)
    {
        cost += Price(account.state, release.stateScale);
    }
    if (release.tracker)
    {
        cost += Price(account.tracker, release.trackerScale);
    }
    return factor * cost;
}

void
GradientTrackingLedger::CheckRelease(const TrackingRelease& release) const
{
    RequireOpenRound("a release", release.round, m_nextRefresh, m_nextRelease);
    Require(release.dimension > 0, NAME, ": dimension of a release must be at least 1, got 0");
    RequireNonNegative(NAME, "stateScale", release.stateScale);
    RequireNonNegative(NAME, "trackerScale", release.trackerScale);
}

void
GradientTrackingLedger::CheckUpdate(const TrackingUpdate& update) const
{
    RequireOpenRound("an update", update.round, m_nextRefresh, m_nextUpdate);
    RequireNonNegative(NAME, "stepSize", update.stepSize);
    RequireNonNegative(NAME, "nominalCoupling", update.nominalCoupling);
    RequireNonNegative(NAME, "realisedCoupling", update.realisedCoupling);
    RequireNonNegative(NAME, "partialCoupling", update.partialCoupling);
    RequireNonNegative(NAME, "nominalPush", update.nominalPush);
    RequireNonNegative(NAME, "realisedPush", update.realisedPush);
    // Both are sums of the same weights, so only rounding may put the part above the whole.
    const double most = update.realisedCoupling + update.partialCoupling;
    Require(most <= update.nominalCoupling * (1 + 1e-9),
            NAME,
            ": the realised coupling ",
            most,
            " must not exceed the nominal coupling ",
            update.nominalCoupling);
}

double
GradientTrackingLedger::GetEpsilon() const
{
    return m_realised.epsilon;
}

double
GradientTrackingLedger::GetNominalEpsilon() const
{
    return m_nominal.epsilon;
}

double
GradientTrackingLedger::GetBudget() const
{
    return m_budget;
}

double
GradientTrackingLedger::GetStateSensitivity() const
{
    return m_nominal.state;
}

double
GradientTrackingLedger::GetTrackerSensitivity() const
{
    return m_nominal.tracker;
}

} // namespace dlearn
} // namespace ns3
