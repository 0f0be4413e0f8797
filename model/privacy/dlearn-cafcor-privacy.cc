/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cafcor-privacy.h"

#include "dlearn-renyi-accounting.h"
#include "dlearn-sampled-gaussian.h"

#include "ns3/dlearn-check.h"

#include <cmath>
#include <vector>

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

/** RDP of the run at the orders of Opacus, from the noise multiplier of a round. */
std::vector<double>
GetCurve(const CafCorPlan& plan, double multiplier)
{
    const double sampling = CafCorSampling(plan);
    std::vector<double> rdp;
    for (double order : DefaultOrders())
    {
        rdp.push_back(plan.rounds * SampledGaussianRdp(sampling, multiplier, order));
    }
    return rdp;
}

/** The rate of a round whose run spends the target at example level, never more. */
double
FindSampledRate(const CafCorPlan& plan, double target)
{
    const double least = -std::log(plan.delta) / (DefaultOrders().back() - 1);
    Require(target > least,
            "CafCorPlan: the target epsilon must be greater than ",
            least,
            ", what orders up to ",
            DefaultOrders().back(),
            " can show at this delta, got ",
            target);
    const auto meets = [&](double multiplier) {
        const std::vector<double> rdp = GetCurve(plan, multiplier);
        return ClassicEpsilon(DefaultOrders(), rdp, plan.delta).epsilon <= target;
    };
    double enough = NoiseMultiplier(ClassicGaussianRate(target, plan.delta) / plan.rounds);
    while (!meets(enough))
    {
        enough *= 2;
    }
    double tooLittle = enough / 2;
    while (meets(tooLittle))
    {
        enough = tooLittle;
        tooLittle /= 2;
    }
    // Epsilon falls as the noise grows. The number of digits is that of the series.
    while (enough - tooLittle > 1e-11 * enough)
    {
        const double middle = (enough + tooLittle) / 2;
        (meets(middle) ? enough : tooLittle) = middle;
    }
    return GaussianRate(1, enough);
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

CafCorEpsilon
PlanCafCorEpsilon(const CafCorPlan& plan)
{
    const double rate = CafCorRate(plan);
    if (plan.batch == 0)
    {
        const double total = plan.rounds * rate;
        return {ClassicGaussianEpsilon(total, plan.delta).epsilon,
                TightGaussianEpsilon(total, plan.delta).epsilon,
                ExactGaussianEpsilon(total, plan.delta)};
    }
    const std::vector<double> rdp = GetCurve(plan, NoiseMultiplier(rate));
    return {ClassicEpsilon(DefaultOrders(), rdp, plan.delta).epsilon,
            TightEpsilon(DefaultOrders(), rdp, plan.delta).epsilon,
            std::nullopt};
}

CafCorEpsilon
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
    const double wanted = plan.batch == 0 ? ClassicGaussianRate(target, plan.delta) / plan.rounds
                                          : FindSampledRate(plan, target);
    const double factor = std::sqrt(rate / wanted);
    return {factor * shape.correlated, factor * shape.independent};
}

} // namespace ns3::dlearn
