/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cafcor-privacy.h"

#include "dlearn-gaussian-accounting.h"
#include "dlearn-sampled-gaussian.h"

#include "ns3/dlearn-check.h"

#include <cmath>

namespace ns3::dlearn
{

namespace
{

void
CheckPlan(const CafCorPlan& plan)
{
    Require(bool(plan.model), "CafCorPlan: model must be set");
    RequirePositive("CafCorPlan", "clip", plan.clip);
    Require(plan.rounds >= 1, "CafCorPlan: rounds must be at least 1, got 0");
    Require(plan.delta > 0 && plan.delta < 1,
            "CafCorPlan: delta must be in (0, 1), got ",
            plan.delta);
    Require(plan.batch == 0 || plan.batch <= plan.samples,
            "CafCorPlan: batch must be at most the ",
            plan.samples,
            " samples of a worker, got ",
            plan.batch);
    Require(plan.participants <= plan.counts.workers,
            "CafCorPlan: participants must be at most the ",
            plan.counts.workers,
            " workers, got ",
            plan.participants);
}

/** The rate of a round with some noise. */
double
GetRate(const CafCorPlan& plan, const NoiseScales& noise)
{
    const bool fewer = plan.model->TrustsServer() && plan.participants > 0;
    const WorkerCounts counts = fewer ? WorkerCounts{plan.participants, 0} : plan.counts;
    return plan.model->GetRate(counts, CafCorSensitivity(plan), noise);
}

/** Epsilon of the run, from the rate of a round. */
double
GetRunEpsilon(const CafCorPlan& plan, double rate)
{
    return ComposeGaussians({{rate, CafCorSampling(plan), static_cast<double>(plan.rounds)}},
                            plan.delta);
}

/** The largest rate of a round whose run spends no more than the target. */
double
FindRoundRate(const CafCorPlan& plan, double target)
{
    double enough = GaussianRateOf(target, plan.delta) / plan.rounds;
    if (plan.batch == 0)
    {
        return enough;
    }
    while (GetRunEpsilon(plan, 2 * enough) <= target)
    {
        enough *= 2;
    }
    double tooMuch = 2 * enough;
    while (tooMuch - enough > 1e-9 * enough)
    {
        const double middle = (enough + tooMuch) / 2;
        (GetRunEpsilon(plan, middle) <= target ? enough : tooMuch) = middle;
    }
    return enough;
}

} // namespace

double
CafCorSensitivity(const CafCorPlan& plan)
{
    CheckPlan(plan);
    return plan.batch == 0 ? 2 * plan.clip : 2 * plan.clip / plan.batch;
}

ReleaseTerms
GetReleaseTerms(const CafCorPlan& plan)
{
    ReleaseTerms terms;
    terms.sensitivity = CafCorSensitivity(plan); // checks the plan
    terms.model = plan.model;
    terms.counts = plan.counts;
    terms.clip = plan.clip;
    terms.perSample = plan.batch > 0;
    terms.noise = plan.noise;
    terms.planned = GetRate(plan, plan.noise);
    return terms;
}

double
CafCorSampling(const CafCorPlan& plan)
{
    CheckPlan(plan);
    return plan.batch == 0 ? 1 : static_cast<double>(plan.batch) / plan.samples;
}

double
PlanCafCorEpsilon(const CafCorPlan& plan)
{
    return GetRunEpsilon(plan, CafCorRate(plan));
}

double
PlanTranscriptEpsilon(const CafCorPlan& plan)
{
    CheckPlan(plan);
    CafCorPlan whole = plan;
    whole.model = plan.model->GetTranscriptModel();
    return PlanCafCorEpsilon(whole);
}

double
CafCorRate(const CafCorPlan& plan)
{
    return GetReleaseTerms(plan).planned;
}

double
CafCorRecoveredRate(const CafCorPlan& plan, uint32_t lost)
{
    return GetReleaseTerms(plan).GetRecoveredRate(lost);
}

double
CafCorExposedRate(const CafCorPlan& plan)
{
    return GetReleaseTerms(plan).GetExposedRate();
}

NoiseScales
PlanCafCorNoise(const CafCorPlan& plan, double target)
{
    RequirePositive("CafCorPlan", "target epsilon", target);
    CheckPlan(plan);
    NoiseScales shape = plan.model->GetShape(plan.counts);
    if (shape.correlated > 0 && (plan.noise.correlated > 0 || plan.noise.independent > 0))
    {
        shape = plan.noise;
    }
    const double rate = GetRate(plan, shape);
    Require(
        std::isfinite(rate),
        "CafCorPlan: noise of the ratio s_cor : s_ind = ",
        shape.correlated,
        " : ",
        shape.independent,
        " protects no worker, however much it is: where all messages are seen, independent noise "
        "is needed");
    const double factor = std::sqrt(rate / FindRoundRate(plan, target));
    return {factor * shape.correlated, factor * shape.independent};
}

} // namespace ns3::dlearn
