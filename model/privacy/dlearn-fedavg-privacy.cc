/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fedavg-privacy.h"

#include "dlearn-gaussian-accounting.h"

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
    for (const auto& group : plan.groups)
    {
        Require(!group.empty(), "FedAvgPlan: a group must have clients, got none");
        const auto [first, last] = std::minmax_element(group.begin(), group.end());
        Require(*first >= 1 && *last <= plan.samples.size(),
                "FedAvgPlan: clients of a group must be from 1 to ",
                plan.samples.size(),
                ", got ",
                *first >= 1 ? *last : *first);
    }
    RequirePositive("FedAvgPlan", "clip", plan.clip);
    Require(plan.rounds >= 1, "FedAvgPlan: rounds must be at least 1, got 0");
    Require(plan.delta > 0 && plan.delta < 1,
            "FedAvgPlan: delta must be in (0, 1), got ",
            plan.delta);
    RequireNonNegative("FedAvgPlan", "noise", plan.noise);
}

/**
 * @param plan the run, checked
 * @param clients of a round
 * @return the largest weight of each one's update that so many updates allow
 */
std::vector<double>
GetLargestWeights(const FedAvgPlan& plan, const std::vector<LearnerId>& clients)
{
    std::vector<double> sorted;
    for (const LearnerId client : clients)
    {
        sorted.push_back(plan.samples[client - 1]);
    }
    std::sort(sorted.begin(), sorted.end());
    const size_t count = plan.participants == 0
                             ? clients.size()
                             : std::min<size_t>(plan.participants, clients.size());
    const double fewer = std::accumulate(sorted.begin(), sorted.begin() + count - 1, 0.0);
    std::vector<double> weights;
    for (const LearnerId client : clients)
    {
        // The smallest of the group, of which the client is one.
        const double own = plan.samples[client - 1];
        weights.push_back(own / (fewer + std::max(own, sorted[count - 1])));
    }
    return weights;
}

/** What a client's data are in, over a run. */
struct Participation
{
    double largest{0};   //!< its largest weight in a round
    double rounds{0};    //!< in which it takes part
    double squareSum{0}; //!< of its weights in these
};

/** @return the participation of each client */
std::vector<Participation>
GetParticipation(const FedAvgPlan& plan)
{
    CheckPlan(plan);
    std::vector<std::vector<LearnerId>> groups = plan.groups;
    if (groups.empty())
    {
        groups.emplace_back(plan.samples.size());
        std::iota(groups[0].begin(), groups[0].end(), 1);
    }
    std::vector<Participation> all(plan.samples.size());
    for (size_t group = 0; group < groups.size() && group < plan.rounds; ++group)
    {
        const std::vector<double> weights = GetLargestWeights(plan, groups[group]);
        const double rounds = (plan.rounds - group + groups.size() - 1) / groups.size();
        for (size_t k = 0; k < weights.size(); ++k)
        {
            Participation& client = all[groups[group][k] - 1];
            client.largest = std::max(client.largest, weights[k]);
            client.rounds += rounds;
            client.squareSum += rounds * weights[k] * weights[k];
        }
    }
    return all;
}

/** The rate of the run for the client that spends most. */
double
GetLargestRate(const FedAvgPlan& plan)
{
    double largest = 0;
    for (const Participation& client : GetParticipation(plan)) // checks the plan
    {
        largest = std::max(largest, plan.model->TrustsServer() ? client.squareSum : client.rounds);
    }
    return largest * GaussianRate(2 * plan.clip, plan.noise);
}

} // namespace

double
FedAvgWeight(const FedAvgPlan& plan, size_t client)
{
    const auto all = GetParticipation(plan);
    Require(client < all.size(),
            "FedAvgPlan: client must be less than ",
            all.size(),
            ", got ",
            client);
    return all[client].largest;
}

double
FedAvgNoiseUnit(const FedAvgPlan& plan)
{
    double largest = 0;
    for (const Participation& client : GetParticipation(plan))
    {
        largest = std::max(largest, client.largest);
    }
    return plan.clip * (plan.model->TrustsServer() ? largest : 1);
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

double
PlanFedAvgEpsilon(const FedAvgPlan& plan)
{
    return GaussianEpsilon(GetLargestRate(plan), plan.delta);
}

double
PlanFedAvgNoise(const FedAvgPlan& plan, double target)
{
    RequirePositive("FedAvgPlan", "target epsilon", target);
    FedAvgPlan unit = plan;
    unit.noise = 1;
    return std::sqrt(GetLargestRate(unit) / GaussianRateOf(target, plan.delta));
}

} // namespace ns3::dlearn
