/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-plans.h"

#include "dlearn-gaussian-accounting.h"
#include "dlearn-privacy-account.h"
#include "dlearn-privacy-ledger.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::dlearn
{

namespace
{

void
CheckPlan(const CafCorPlan& plan)
{
    RequirePositive("CafCorPlan", "clip", plan.clip);
    Require(plan.rounds >= 1, "CafCorPlan: rounds must be at least 1, got 0");
    Require(
        !DynamicCast<const AirDp>(plan.model),
        "CafCorPlan: the threat model must not be ns3::dlearn::AirDp, which is for updates that "
        "add up");
    Require(plan.delta > 0 && plan.delta < 1,
            "CafCorPlan: delta must be in (0, 1), got {}",
            plan.delta);
    Require(plan.batch == 0 || plan.batch <= plan.samples,
            "CafCorPlan: batch must be at most the {} samples of a worker, got {}",
            plan.samples,
            plan.batch);
    Require(plan.participants <= plan.counts.workers,
            "CafCorPlan: participants must be at most the {} workers, got {}",
            plan.counts.workers,
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
GetRunEpsilon(const FedAvgPlan& plan, double rate)
{
    return ComposeGaussians({{rate, plan.sampling, static_cast<double>(plan.rounds)}},
                            plan.delta,
                            plan.adjacency);
}

/** Epsilon of the run, from the rate of a round. */
double
GetRunEpsilon(const CafCorPlan& plan, double rate)
{
    return ComposeGaussians({{rate, CafCorSampling(plan), static_cast<double>(plan.rounds)}},
                            plan.delta);
}

/** The largest rate of a round of a plan whose run spends no more than the target. */
template <typename Plan>
double
FindRoundRate(const Plan& plan, double target)
{
    double enough = GaussianRateOf(target, plan.delta) / plan.rounds;
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
    Require(std::isfinite(rate),
            "CafCorPlan: noise of the ratio s_cor : s_ind = {} : {} protects no worker, however "
            "much it is: where all messages are seen, independent noise is needed",
            shape.correlated,
            shape.independent);
    const double enough = plan.batch == 0 ? GaussianRateOf(target, plan.delta) / plan.rounds
                                          : FindRoundRate(plan, target);
    const double factor = std::sqrt(rate / enough);
    return {factor * shape.correlated, factor * shape.independent};
}

namespace
{

void
CheckPlan(const FedAvgPlan& plan)
{
    Require(DynamicCast<const LocalDp>(plan.model) || DynamicCast<const CentralDp>(plan.model),
            "FedAvgPlan: the threat model must be ns3::dlearn::LocalDp or ns3::dlearn::CentralDp, "
            "got {}",
            plan.model->GetInstanceTypeId().GetName());
    Require(!plan.samples.empty(), "FedAvgPlan: there must be clients, got none");
    Require(plan.participants <= plan.samples.size(),
            "FedAvgPlan: participants must be at most the {} clients, got {}",
            plan.samples.size(),
            plan.participants);
    Require(plan.sampling > 0 && plan.sampling <= 1,
            "FedAvgPlan: sampling must be in (0, 1], got {}",
            plan.sampling);
    Require(plan.sampling == 1 || (plan.model->TrustsServer() && plan.groups.empty()),
            "FedAvgPlan: secret sampling needs ns3::dlearn::CentralDp and no groups");
    RequirePositive("FedAvgPlan", "clip", plan.clip);
    Require(plan.rounds >= 1, "FedAvgPlan: rounds must be at least 1, got 0");
    Require(plan.delta > 0 && plan.delta < 1,
            "FedAvgPlan: delta must be in (0, 1), got {}",
            plan.delta);
}

/** @return the largest weight of each client's update in a round of these clients */
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
        // The smallest clients of the group, with this one.
        const double own = plan.samples[client - 1];
        weights.push_back(own / (fewer + std::max(own, sorted[count - 1])));
    }
    return weights;
}

/** The participation of a client in a run. */
struct Participation
{
    double largest{0};   //!< its largest weight in a round
    double rounds{0};    //!< in which it takes part
    double squareSum{0}; //!< of its weights in these
};

/** @return the participation of each client; with secret sampling only its weight */
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
    if (plan.sampling < 1)
    {
        for (size_t k = 0; k < all.size(); ++k)
        {
            all[k].largest = plan.samples[k] / GetExpectedSamples(plan);
        }
        return all;
    }
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

double
GetSensitivity(const FedAvgPlan& plan)
{
    return (plan.adjacency == Adjacency::REPLACE ? 2 : 1) * plan.clip;
}

/** The rate of the run for the client that spends most, without secret sampling. */
double
GetLargestRate(const FedAvgPlan& plan)
{
    double largest = 0;
    for (const Participation& client : GetParticipation(plan)) // checks the plan
    {
        largest = std::max(largest, plan.model->TrustsServer() ? client.squareSum : client.rounds);
    }
    return largest * GaussianRate(GetSensitivity(plan), plan.noise);
}

} // namespace

double
GetExpectedSamples(const FedAvgPlan& plan)
{
    return plan.sampling * std::accumulate(plan.samples.begin(), plan.samples.end(), 0.0);
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
    const auto all = GetParticipation(plan); // checks the plan
    Require(client < all.size(),
            "FedAvgPlan: client must be less than {}, got {}",
            all.size(),
            client);
    ReleaseTerms terms;
    terms.model = plan.model;
    terms.counts.workers = plan.samples.size();
    terms.clip = plan.clip;
    terms.sensitivity = GetSensitivity(plan);
    terms.noise.independent = plan.noise;
    terms.secretShare = plan.sampling < 1 ? all[client].largest : 0;
    terms.planned =
        GaussianRate((plan.model->TrustsServer() ? all[client].largest : 1) * terms.sensitivity,
                     plan.noise);
    return terms;
}

double
PlanFedAvgEpsilon(const FedAvgPlan& plan)
{
    if (plan.sampling < 1)
    {
        const double unit = FedAvgNoiseUnit(plan) / plan.clip;
        return GetRunEpsilon(plan, GaussianRate(unit * GetSensitivity(plan), plan.noise));
    }
    return GaussianEpsilon(GetLargestRate(plan), plan.delta);
}

double
PlanFedAvgNoise(const FedAvgPlan& plan, double target)
{
    RequirePositive("FedAvgPlan", "target epsilon", target);
    FedAvgPlan unit = plan;
    unit.noise = 1;
    if (plan.sampling < 1)
    {
        const double largest = FedAvgNoiseUnit(plan) / plan.clip * GetSensitivity(plan);
        return std::sqrt(GaussianRate(largest, 1) / FindRoundRate(plan, target));
    }
    return std::sqrt(GetLargestRate(unit) / GaussianRateOf(target, plan.delta));
}

LdpOnlinePlan::LdpOnlinePlan()
    : ledger(LdpOnlineRefinedLedger::GetTypeId()),
      unit(BatchUnit::GetTypeId())
{
}

double
PlanEpsilon(const LdpOnlinePlan& plan, const PlannedLearner& learner)
{
    RequireNonNegative("PlanEpsilon", "noiseScale", learner.noiseScale);
    const auto ledger = ObjectFactory(plan.ledger.GetName()).Create<PrivacyLedger>();
    const auto unit = ObjectFactory(plan.unit.GetName()).Create<PrivacyUnit>();
    Require(plan.unit != SampleUnit::GetTypeId() || plan.historyWindow == 0,
            "PlanEpsilon: a history window must be 0 for SampleUnit, as the cost of a record then "
            "depends on the order of the draws; got {}",
            plan.historyWindow);
    SampleIndices shard(plan.samples);
    std::iota(shard.begin(), shard.end(), 0U);
    unit->Setup(shard, plan.historyWindow);
    ledger->SetAttribute("Delta", DoubleValue(plan.delta));
    ledger->SetConstants(plan.sensitivity, plan.smoothness, plan.curvature, unit->GetUnits());
    SampleIndices batch(plan.batch);
    uint32_t next = 0; // position to draw
    for (uint32_t t = 0; t < plan.rounds; ++t)
    {
        // In passes the first record is drawn as early and as often as possible: its account is the
        // largest of all orders, without a window.
        for (uint32_t& position : batch)
        {
            position = next;
            next = next + 1 < plan.samples ? next + 1 : 0;
        }
        unit->Take(batch);
        ReleaseEvent release;
        release.round = t;
        release.dimension = plan.dimension;
        release.law = plan.law;
        release.batches = unit->GetParts(plan.batch);
        release.shares = unit->GetShares();
        release.noiseScale = PowerLaw(learner.noiseScale, learner.noiseExponent, t);
        ledger->Release(release, true);

        UpdateEvent update;
        update.round = t;
        update.stepSize = PowerLaw(plan.stepSize, -plan.stepExponent, t);
        update.nominalCoupling =
            PowerLaw(plan.coupling, -plan.couplingExponent, t) * learner.inWeight;
        update.realisedCoupling = update.nominalCoupling;
        update.batches = release.batches;
        update.shares = release.shares;
        ledger->Update(update);
    }
    return ledger->GetEpsilon();
}

double
PlanNoiseScale(const LdpOnlinePlan& plan, const PlannedLearner& learner, double target)
{
    RequirePositive("PlanNoiseScale", "target epsilon", target);
    PlannedLearner unit = learner;
    unit.noiseScale = 1;
    const double epsilon = PlanEpsilon(plan, unit);
    Require(std::isfinite(epsilon),
            "PlanNoiseScale: no noise meets the target {}: epsilon is {} for scale 1",
            target,
            epsilon);
    if (plan.law == NoiseLaw::LAPLACE || epsilon == 0)
    {
        return epsilon / target;
    }
    // Epsilon falls as the scale grows, between linearly and with its square.
    const auto meets = [&](double scale) {
        unit.noiseScale = scale;
        return PlanEpsilon(plan, unit) <= target;
    };
    double enough = 1;
    while (!meets(enough))
    {
        enough *= 2;
    }
    double tooLittle = enough / 2;
    while (tooLittle > 1e-300 && meets(tooLittle))
    {
        enough = tooLittle;
        tooLittle /= 2;
    }
    while (enough - tooLittle > 1e-9 * enough)
    {
        const double middle = (enough + tooLittle) / 2;
        (meets(middle) ? enough : tooLittle) = middle;
    }
    return enough;
}

} // namespace ns3::dlearn
