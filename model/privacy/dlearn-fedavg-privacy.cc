/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fedavg-privacy.h"

#include "dlearn-renyi-accounting.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::dlearn
{

namespace
{

void
CheckPlan(const FedAvgPlan& plan)
{
    Require(bool(plan.model), "FedAvgPlan: model must be set");
    Require(DynamicCast<const LocalDp>(plan.model) || DynamicCast<const CentralDp>(plan.model),
            "FedAvgPlan: the threat model must be ns3::dlearn::LocalDp or ns3::dlearn::CentralDp, "
            "got ",
            plan.model->GetInstanceTypeId().GetName());
    Require(!plan.samples.empty(), "FedAvgPlan: there must be clients, got none");
    Require(*std::min_element(plan.samples.begin(), plan.samples.end()) >= 1,
            "FedAvgPlan: samples of a client must be at least 1, got 0");
    Require(plan.participants <= plan.samples.size(),
            "FedAvgPlan: participants must be at most the ",
            plan.samples.size(),
            " clients, got ",
            plan.participants);
    RequirePositive("FedAvgPlan", "clip", plan.clip);
    Require(plan.rounds >= 1, "FedAvgPlan: rounds must be at least 1, got 0");
    Require(plan.delta > 0 && plan.delta < 1,
            "FedAvgPlan: delta must be in (0, 1), got ",
            plan.delta);
    RequireNonNegative("FedAvgPlan", "noise", plan.noise);
}

/** The rate of a round for the client that it costs most: the one with the most samples. */
double
GetLargestRate(const FedAvgPlan& plan)
{
    CheckPlan(plan);
    const auto most = std::max_element(plan.samples.begin(), plan.samples.end());
    return GetReleaseTerms(plan, most - plan.samples.begin()).planned;
}

} // namespace

double
FedAvgWeight(const FedAvgPlan& plan, size_t client)
{
    CheckPlan(plan);
    Require(client < plan.samples.size(),
            "FedAvgPlan: client must be less than ",
            plan.samples.size(),
            ", got ",
            client);
    std::vector<uint32_t> others = plan.samples;
    others.erase(others.begin() + client);
    std::sort(others.begin(), others.end());
    const size_t count = plan.participants == 0 ? others.size() : plan.participants - 1;
    const double own = plan.samples[client];
    return own / std::accumulate(others.begin(), others.begin() + count, own);
}

ReleaseTerms
GetReleaseTerms(const FedAvgPlan& plan, size_t client)
{
    const double weight = FedAvgWeight(plan, client); // checks the plan
    ReleaseTerms terms;
    terms.model = plan.model;
    terms.counts.workers = plan.samples.size();
    terms.clip = plan.clip;
    terms.sensitivity = 2 * plan.clip;
    terms.noise.independent = plan.noise;
    terms.planned =
        GaussianRate((plan.model->TrustsServer() ? weight : 1) * terms.sensitivity, plan.noise);
    return terms;
}

CafCorEpsilon
PlanFedAvgEpsilon(const FedAvgPlan& plan)
{
    const double total = plan.rounds * GetLargestRate(plan);
    return {ClassicGaussianEpsilon(total, plan.delta).epsilon,
            TightGaussianEpsilon(total, plan.delta).epsilon,
            ExactGaussianEpsilon(total, plan.delta)};
}

double
PlanFedAvgNoise(const FedAvgPlan& plan, double target)
{
    RequirePositive("FedAvgPlan", "target epsilon", target);
    FedAvgPlan unit = plan;
    unit.noise = 1;
    const double rate = GetLargestRate(unit);
    return std::sqrt(rate * plan.rounds / ClassicGaussianRate(target, plan.delta));
}

} // namespace ns3::dlearn
