/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-tracking-ledger.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(GradientTrackingLedger);

namespace
{

const char* const NAME = "GradientTrackingLedger"; //!< for messages

/** Refuse an event of a round that is not the one refreshed last, or comes again. */
void
RequireOpenRound(const char* event, uint32_t round, uint64_t refreshed, uint64_t next)
{
    Require(
        uint64_t{round} + 1 == refreshed && round >= next,
        "{}: {} of round {} must follow Refresh() of that round, once; refreshed last: round {}",
        NAME,
        event,
        round,
        static_cast<double>(refreshed) - 1);
}

} // namespace

TypeId
GradientTrackingLedger::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<GradientTrackingLedger, ReleaseAccount>("ns3::dlearn::GradientTrackingLedger")
            .AddAttribute(
                "Smoothness",
                "L, the Lipschitz constant of one sample's gradient; negative: that of the "
                "task; 0: Lemma 2 as printed, which is not a bound, as two runs may be "
                "farther apart.",
                DoubleValue(-1),
                MakeDoubleAccessor(&GradientTrackingLedger::SetSmoothness,
                                   &GradientTrackingLedger::GetSmoothness),
                MakeDoubleChecker<double>())
            .AddAttribute("OneNorm",
                          "Whether the sensitivity bounds the 1-norm, as in the paper, and not "
                          "the Euclidean norm, as clipping does; under Laplace noise the latter "
                          "costs sqrt(d) times as much.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GradientTrackingLedger::SetOneNorm,
                                              &GradientTrackingLedger::HasOneNorm),
                          MakeBooleanChecker());
    return tid;
}

void
GradientTrackingLedger::SetSmoothness(double smoothness)
{
    Require(m_constants.samples == 0 || smoothness == m_smoothness,
            "{}: Smoothness cannot change during a run",
            NAME);
    m_smoothness = smoothness;
}

void
GradientTrackingLedger::SetOneNorm(bool oneNorm)
{
    RequireSame("OneNorm", oneNorm == m_oneNorm);
    m_oneNorm = oneNorm;
}

void
GradientTrackingLedger::SetConstants(const TrackingConstants& constants)
{
    Require(m_constants.samples == 0, "{}: the constants are set once and cannot change", NAME);
    Require(std::isfinite(constants.sensitivity) && constants.sensitivity >= 0,
            "{}: sensitivity C must be finite and at least 0, got {}; set ClipNorm of the task "
            "(option clip) to bound its gradients",
            NAME,
            constants.sensitivity);
    Require(constants.samples >= 1,
            "{}: samples must be at least 1, got {}",
            NAME,
            constants.samples);
    CheckAttributes();
    m_constants = constants;
    if (m_smoothness >= 0)
    {
        m_constants.smoothness = m_smoothness;
    }
    SetUnits(constants.units);
    m_nominal.state = Eigen::ArrayXd::Zero(constants.units);
    m_nominal.tracker = m_nominal.state;
    m_nominal.gradient = m_nominal.state;
    m_realised = m_nominal;
}

void
GradientTrackingLedger::Refresh(Account& account, const Eigen::ArrayXd& shares) const
{
    const TrackingConstants& k = m_constants;
    Eigen::ArrayXd gradient = k.sensitivity * shares;
    if (!IsPrinted())
    {
        // Distance 0 adds nothing, even for infinite L.
        const Eigen::ArrayXd moved = account.state.unaryExpr(
            [&k](double distance) { return distance == 0 ? 0.0 : k.smoothness * distance; });
        gradient = (gradient + moved).min(k.spread + Contract(k.regularization, account.state));
    }
    account.tracker += gradient + account.gradient;
    account.gradient = gradient;
}

void
GradientTrackingLedger::Refresh(uint32_t round, const Eigen::ArrayXd& shares)
{
    Require(m_constants.samples > 0, "{}: SetConstants() must come before any event", NAME);
    RequireIncreasing("the gradient", round, m_nextRefresh);
    const Eigen::ArrayXd planned = Eigen::ArrayXd::Constant(GetUnits(), 1.0 / m_constants.samples);
    const Eigen::ArrayXd& realised = shares.size() > 0 ? shares : planned;
    RequireSize(NAME, "shares of the units of protection", realised.size(), GetUnits());
    Refresh(m_nominal, planned);
    Refresh(m_realised, realised);
    m_nextRefresh = uint64_t{round} + 1;
}

bool
GradientTrackingLedger::CanAfford(const TrackingRelease& release) const
{
    CheckRelease(release);
    return IsAffordable(GetCost(m_realised, release));
}

void
GradientTrackingLedger::Announce(const TrackingRelease& release)
{
    CheckRelease(release);
    ReleaseAccount::Announce(GetCost(m_realised, release));
}

void
GradientTrackingLedger::Release(const TrackingRelease& release, bool transmitted)
{
    CheckRelease(release);
    RecordRelease(GetCost(m_nominal, release), GetCost(m_realised, release), transmitted);
    m_nextRelease = uint64_t{release.round} + 1;
}

void
GradientTrackingLedger::Update(const TrackingUpdate& update)
{
    CheckUpdate(update);
    const auto move = [&update](Account& account, double contraction, double push) {
        account.state =
            Contract(contraction, account.state) + Contract(update.stepSize, account.tracker);
        account.tracker = Contract(std::abs(1 - push), account.tracker);
    };
    move(m_nominal, std::abs(1 - update.nominalCoupling), update.nominalPush);
    // |1 - s| is convex in the coupling s: an end of its range has the largest value.
    const double least = std::abs(1 - update.realisedCoupling);
    const double most = std::abs(1 - update.realisedCoupling - update.partialCoupling);
    move(m_realised, std::max(least, most), update.realisedPush);
    m_nextUpdate = uint64_t{update.round} + 1;
    m_nextRelease = std::max(m_nextRelease, m_nextUpdate);
}

PrivacyLosses
GradientTrackingLedger::GetCost(const Account& account, const TrackingRelease& release) const
{
    const uint32_t dimension = m_oneNorm ? 1 : release.dimension;
    PrivacyLosses losses(GetUnits());
    if (release.state)
    {
        losses += PrivacyLosses::OfRelease(release.stateLaw,
                                           account.state,
                                           release.stateScale,
                                           dimension);
    }
    if (release.tracker)
    {
        losses += PrivacyLosses::OfRelease(release.trackerLaw,
                                           account.tracker,
                                           release.trackerScale,
                                           dimension);
    }
    return losses;
}

void
GradientTrackingLedger::CheckRelease(const TrackingRelease& release) const
{
    RequireOpenRound("a release", release.round, m_nextRefresh, m_nextRelease);
    Require(release.dimension > 0, "{}: dimension of a release must be at least 1, got 0", NAME);
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
    // Sums of the same weights differ by rounding.
    const double most = update.realisedCoupling + update.partialCoupling;
    Require(most <= update.nominalCoupling * (1 + 1e-9),
            "{}: the realised coupling {} must not exceed the nominal coupling {}",
            NAME,
            most,
            update.nominalCoupling);
}

} // namespace ns3::dlearn
