/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-scheme.h"

#include "dlearn-tracking-conditions.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <limits>

namespace ns3::dlearn
{

namespace
{

/**
 * @param count floor of it is m_K - 1
 * @return m_K
 */
uint32_t
CountSamples(double count)
{
    constexpr double MOST = std::numeric_limits<uint32_t>::max();
    Require(count >= 0 && count < MOST,
            "TrackingScheme: the samples of a gradient must be between 1 and ",
            MOST,
            ", got ",
            count + 1);
    return static_cast<uint32_t>(std::floor(count)) + 1;
}

/** Refuse step sizes and noises that are out of their range. */
void
CheckPlan(const TrackingPlan& plan)
{
    const char* const name = "TrackingScheme";
    RequirePositive(name, "alpha", plan.alpha);
    RequirePositive(name, "beta", plan.beta);
    RequirePositive(name, "gamma", plan.gamma);
    RequirePositive(name, "scale of the state's noise", plan.state.base);
    RequirePositive(name, "scale of the tracker's noise", plan.tracker.base);
    Require(std::isfinite(plan.state.exponent) && std::isfinite(plan.tracker.exponent),
            name,
            ": exponents of the noise must be finite, got ",
            plan.state.exponent,
            " and ",
            plan.tracker.exponent);
    Require(plan.samples >= 1, name, ": samples must be at least 1, got 0");
}

/**
 * @param option name of an option
 * @param text its value
 * @param value gets it; stays as it is when the text is empty
 */
void
ReadExponent(const char* option, const std::string& text, double& value)
{
    if (!text.empty())
    {
        const auto number = ParseNumber(text);
        Require(number.has_value(), "--", option, " must be a number, got ", text);
        value = *number;
    }
}

/**
 * @param option name of an option
 * @param given its value
 * @param value gets it; stays as it is when that is 0
 */
void
ReadPositive(const char* option, double given, double& value)
{
    Require(std::isfinite(given) && given >= 0,
            "--",
            option,
            " must be finite and greater than 0, or 0 for the scheme's own, got ",
            given);
    value = given > 0 ? given : value;
}

/** @return a scheme with the user's exponents of the noise */
template <typename Scheme>
std::unique_ptr<TrackingScheme>
Make(const TrackingChoice& choice)
{
    auto scheme = std::make_unique<Scheme>();
    ReadExponent("state-noise-exponent", choice.stateNoiseExponent, scheme->pState);
    ReadExponent("tracker-noise-exponent", choice.trackerNoiseExponent, scheme->pTracker);
    return scheme;
}

} // namespace

TrackingPlan
SchemeS1::GetPlan(uint32_t rounds) const
{
    TrackingPlan plan;
    plan.rounds = rounds;
    plan.alpha = a1 / std::pow(rounds + 1.0, pAlpha);
    plan.beta = a2 / std::pow(rounds + 1.0, pBeta);
    plan.gamma = a3 / std::pow(rounds + 1.0, pGamma);
    plan.samples = CountSamples(a4 * std::pow(rounds, pSamples));
    plan.state = {1, pState};
    plan.tracker = {1, pTracker};
    CheckPlan(plan);
    return plan;
}

TrackingPlan
SchemeS2::GetPlan(uint32_t rounds) const
{
    TrackingPlan plan;
    plan.rounds = rounds;
    plan.alpha = alpha;
    plan.beta = beta;
    plan.gamma = gamma;
    plan.samples = CountSamples(std::pow(pSamples, rounds));
    plan.state = {std::pow(pState, rounds), 0};
    plan.tracker = {std::pow(pTracker, rounds), 0};
    CheckPlan(plan);
    return plan;
}

TrackingPlan
FreeScheme::GetPlan(uint32_t rounds) const
{
    TrackingPlan plan;
    plan.rounds = rounds;
    plan.alpha = alpha;
    plan.beta = beta;
    plan.gamma = gamma;
    plan.samples = samples;
    plan.state = {1, pState};
    plan.tracker = {1, pTracker};
    CheckPlan(plan);
    return plan;
}

std::vector<std::string>
SchemeS1::FindViolations(const TrackingPlan& plan, const TrackingNetwork& network) const
{
    return FindAssumption4Violations(*this, plan, network);
}

std::vector<std::string>
SchemeS2::FindViolations(const TrackingPlan& plan, const TrackingNetwork& network) const
{
    return FindAssumption5Violations(*this, plan, network);
}

std::vector<std::string>
FreeScheme::FindViolations(const TrackingPlan&, const TrackingNetwork&) const
{
    return {"scheme (Theorems 1 to 5 are about S1 and S2): free, about which they say nothing"};
}

std::unique_ptr<TrackingScheme>
TrackingChoice::MakeScheme() const
{
    Require(scheme == "s1" || scheme == "s2" || scheme == "free",
            "--scheme must be s1, s2 or free, got ",
            scheme);
    if (scheme == "s1")
    {
        return Make<SchemeS1>(*this);
    }
    return scheme == "s2" ? Make<SchemeS2>(*this) : Make<FreeScheme>(*this);
}

TrackingPlan
TrackingChoice::GetPlan(uint32_t rounds) const
{
    TrackingPlan plan = MakeScheme()->GetPlan(rounds);
    ReadPositive("alpha", alpha, plan.alpha);
    ReadPositive("beta", beta, plan.beta);
    ReadPositive("gamma", gamma, plan.gamma);
    Require(samples >= 0 && samples <= std::numeric_limits<uint32_t>::max(),
            "--samples must be between 1 and ",
            std::numeric_limits<uint32_t>::max(),
            ", or 0 for the scheme's own, got ",
            samples);
    plan.samples = samples > 0 ? static_cast<uint32_t>(samples) : plan.samples;
    return plan;
}

} // namespace ns3::dlearn
