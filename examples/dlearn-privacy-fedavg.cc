/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * dlearn-privacy --algorithm=fedavg. What a client of FedAvg spends over a network that loses
 * nothing, or the noise that meets a target:
 *
 *   dlearn-privacy --algorithm=fedavg --learners=100 --sample-count=20 --rounds=30
 * --target-epsilon=3 dlearn-privacy --algorithm=fedavg --learners=100 --sample-plan="1-50;51-100"
 * --noise-multiplier=2
 *
 * All clients have as many samples, and so the same weight. Those who take part in a round are
 * public: --sample-count pays for all rounds, as any client may be drawn in each of them, and
 * --sample-plan for those of a plan. With --secret-sampling each client is drawn independently, so
 * many on average, and who takes part is secret.
 */

#include "dlearn-privacy-planner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-federated-privacy.h"
#include "ns3/dlearn-privacy-plans.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/string.h"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <numeric>

namespace ns3::dlearn
{

namespace
{

/** The planner of FedAvg. */
class FedAvgPlanner : public PrivacyPlanner
{
  public:
    void AddOptions(ProgramArguments& arguments) override;
    void Print() const override;
    Useless FindUseless() const override;

  private:
    FedAvgPlan MakePlan() const;
    std::vector<std::vector<LearnerId>> MakeGroups() const;

    std::string m_model{"cdp"};
    int64_t m_learners{10};
    int64_t m_sampleCount{0};
    std::string m_samplePlan;
    bool m_secret{false};
    std::string m_adjacency{"replace"};
    double m_clip{1};
    int64_t m_rounds{100};
    double m_delta{1e-5};
    double m_multiplier{0};
    double m_targetEpsilon{0};
};

void
FedAvgPlanner::AddOptions(ProgramArguments& arguments)
{
    arguments.AddValue("threat-model",
                       "who is curious: cdp (those who see the server's models; the server adds "
                       "noise) or ldp (the server; each client adds noise)",
                       m_model);
    arguments.AddValue("learners", "Number of clients", m_learners);
    arguments.AddValue("sample-count", "Clients of a round, at least; 0 for all", m_sampleCount);
    arguments.AddValue("sample-plan",
                       "Clients of each round, such as 1-3;4,5, repeated; empty: any",
                       m_samplePlan);
    arguments.AddValue("secret-sampling",
                       "Who takes part is drawn independently, sample-count on average, and secret",
                       m_secret);
    arguments.AddValue("adjacency", GetAdjacencyHelp(), m_adjacency);
    arguments.AddValue("clip", "C: largest norm of an update", m_clip);
    arguments.AddValue("rounds", "T: number of rounds", m_rounds);
    arguments.AddValue("delta", "delta of epsilon", m_delta);
    arguments.AddValue("noise-multiplier",
                       "Standard deviation of the noise on the sum of a round's updates over C "
                       "(with ldp: on one update)",
                       m_multiplier);
    arguments.AddValue("target-epsilon",
                       "Find the noise that meets this epsilon; 0 for no",
                       m_targetEpsilon);
}

std::vector<std::vector<LearnerId>>
FedAvgPlanner::MakeGroups() const
{
    if (m_samplePlan.empty())
    {
        return {};
    }
    const auto sampling =
        CreateObjectWithAttributes<ScheduledSampling>("Plan", StringValue(m_samplePlan));
    std::vector<LearnerId> clients(m_learners);
    std::iota(clients.begin(), clients.end(), 1);
    sampling->Setup(clients);
    return sampling->GetRounds();
}

FedAvgPlan
FedAvgPlanner::MakePlan() const
{
    FedAvgPlan plan;
    plan.model = ParseThreatModel(m_model, "transcript", 0);
    plan.samples.assign(RequireCount("learners", m_learners, 1, 1000000), 1);
    plan.participants = RequireCount("sample-count", m_sampleCount, 0, m_learners);
    plan.groups = MakeGroups();
    plan.adjacency = ParseAdjacency(m_adjacency);
    if (m_secret)
    {
        RequireSecretSampling(m_model, m_sampleCount > 0 && m_sampleCount < m_learners);
        plan.sampling = plan.participants / static_cast<double>(m_learners);
    }
    SetClippedRounds(plan, m_clip, m_rounds, m_delta);
    RequireAtLeastZero("noise-multiplier", m_multiplier);
    RequireAtLeastZero("target-epsilon", m_targetEpsilon);
    Require(m_multiplier > 0 || m_targetEpsilon > 0,
            "give the noise, --noise-multiplier, or a --target-epsilon");
    plan.noise = m_targetEpsilon > 0 ? PlanFedAvgNoise(plan, m_targetEpsilon)
                                     : m_multiplier * FedAvgNoiseUnit(plan);
    return plan;
}

PrivacyPlanner::Useless
FedAvgPlanner::FindUseless() const
{
    Useless useless;
    if (m_targetEpsilon > 0)
    {
        useless.push_back({"noise-multiplier", "target-epsilon 0"});
    }
    if (!m_samplePlan.empty())
    {
        useless.push_back({"sample-count", "an empty sample-plan"});
    }
    return useless;
}

void
FedAvgPlanner::Print() const
{
    const FedAvgPlan plan = MakePlan();
    std::cout << std::setprecision(10)
              << "# All data of a client are protected; neighbours differ in those of one client, "
              << (plan.adjacency == Adjacency::REPLACE ? "which others replace.\n"
                                                       : "which are there or not.\n")
              << "threat_model=" << m_model << "\nnoise=" << plan.noise
              << "\nnoise_multiplier=" << plan.noise / FedAvgNoiseUnit(plan)
              << "\nepsilon=" << PlanFedAvgEpsilon(plan) << "\n";
}

} // namespace

std::unique_ptr<PrivacyPlanner>
MakeFedAvgPlanner()
{
    return std::make_unique<FedAvgPlanner>();
}

} // namespace ns3::dlearn
