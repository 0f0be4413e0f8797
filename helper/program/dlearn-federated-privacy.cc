/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-privacy.h"

#include "dlearn-run-learners.h"
#include "dlearn-threat-model-option.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-joint-correlated-noise.h"
#include "ns3/dlearn-pairwise-correlated-noise.h"
#include "ns3/double.h"

#include <algorithm>
#include <limits>
#include <map>

namespace ns3::dlearn
{

FederatedPrivacy::FederatedPrivacy(const RunSpec& spec, std::vector<size_t> shards)
    : m_spec(spec),
      m_shards(std::move(shards))
{
    m_epsilon.classic = std::numeric_limits<double>::infinity();
    m_epsilon.tight = m_epsilon.classic;
    if (spec.threatModel == "none")
    {
        return;
    }
    m_threat = ParseThreatModel(spec.threatModel, spec.view, spec.byzantine);
    m_noise = PlanCafCorNoise(GetPlan(GetFewest()), spec.targetEpsilon);
    m_epsilon = PlanCafCorEpsilon(GetPlan(GetFewest()));
}

size_t
FederatedPrivacy::GetFewest() const
{
    // The fewer samples a client has, the more often each of them takes part.
    return m_shards.empty() ? 0 : *std::min_element(m_shards.begin(), m_shards.end());
}

CafCorPlan
FederatedPrivacy::GetPlan(size_t samples) const
{
    CafCorPlan plan;
    plan.model = m_threat;
    plan.counts = {m_spec.learners, m_spec.byzantine};
    plan.clip = m_spec.clip;
    plan.rounds = m_spec.rounds;
    plan.delta = m_spec.delta;
    plan.noise = m_noise;
    if (m_spec.ProtectsSamples())
    {
        plan.samples = samples;
        plan.batch = std::min<size_t>(m_spec.batchSize.value_or(50), samples);
    }
    return plan;
}

void
FederatedPrivacy::SetLedger(CafCorWorker& rule, size_t samples) const
{
    const CafCorPlan plan = GetPlan(samples);
    const auto ledger = CreateObject<RenyiLedger>();
    ledger->SetAttribute("Delta", DoubleValue(m_spec.delta));
    ledger->SetAttribute("Budget", DoubleValue(m_spec.budget));
    ledger->SetAttribute("Momentum", BooleanValue(m_spec.momentum > 0));
    ledger->SetSampling(CafCorSampling(plan));
    rule.SetLedger(ledger, plan);
}

Ptr<WorkerNoise>
FederatedPrivacy::CreateWorkerNoise() const
{
    const auto noise = CreateObject<WorkerNoise>();
    noise->SetAttribute("Independent", DoubleValue(m_noise.independent));
    noise->SetAttribute("Repair", BooleanValue(m_spec.noiseRecovery));
    if (m_noise.correlated > 0)
    {
        Ptr<CorrelatedNoise> shared;
        if (m_spec.sharedNoise == "joint")
        {
            shared = CreateObject<JointCorrelatedNoise>();
        }
        else
        {
            shared = CreateObject<PairwiseCorrelatedNoise>();
        }
        shared->SetAttribute("Scale", DoubleValue(m_noise.correlated));
        shared->SetWorkers(m_spec.learners);
        noise->SetCorrelated(shared);
    }
    noise->AssignStreams(RunStreams::NOISE);
    return noise;
}

Ptr<ServerNoise>
FederatedPrivacy::CreateServerNoise() const
{
    const auto noise = CreateObject<ServerNoise>();
    noise->SetAttribute("Scale", DoubleValue(m_noise.independent));
    noise->SetAttribute("Momentum", DoubleValue(m_spec.momentum));
    noise->AssignStreams(RunStreams::NOISE);
    return noise;
}

void
FederatedPrivacy::Install(const Federation& federation) const
{
    if (!m_threat)
    {
        return;
    }
    const bool trusted = m_threat->TrustsServer();
    const Ptr<WorkerNoise> ofWorkers = trusted ? Ptr<WorkerNoise>() : CreateWorkerNoise();
    const Ptr<ServerNoise> ofServer = trusted ? CreateServerNoise() : Ptr<ServerNoise>();
    const auto server = DynamicCast<RobustServer>(federation.server->GetRule());
    Require(server != nullptr, "threat-model ", m_spec.threatModel, " needs the rule RobustServer");
    server->SetNoise(ofServer);
    for (uint32_t worker = 0; worker < m_spec.learners; ++worker)
    {
        const auto rule = DynamicCast<CafCorWorker>(federation.clients[worker]->GetRule());
        Require(rule != nullptr,
                "threat-model ",
                m_spec.threatModel,
                " needs the rule CafCorWorker");
        rule->SetNoise(ofWorkers, worker);
        rule->SetServerNoise(ofServer, worker + 1);
        SetLedger(*rule, m_shards.empty() ? 0 : m_shards[worker]);
    }
}

PrivacyConstants
FederatedPrivacy::Describe() const
{
    const std::string unit = m_spec.privacyUnit.empty() ? "learner" : m_spec.privacyUnit;
    PrivacyConstants constants{{"threat_model", m_spec.threatModel},
                               {"view", m_spec.view},
                               {"workers", static_cast<double>(m_spec.learners)},
                               {"byzantine", static_cast<double>(m_spec.byzantine)},
                               {"clip", m_spec.clip},
                               {"momentum", m_spec.momentum},
                               {"delta", m_spec.delta},
                               {"noise_independent", m_noise.independent},
                               {"noise_correlated", m_noise.correlated},
                               {"unit", unit},
                               {"level", std::string(unit == "sample" ? "example" : "user")},
                               {"budget", m_spec.budget},
                               {"repair", std::string(m_spec.noiseRecovery ? "true" : "false")}};
    if (m_threat)
    {
        std::map<LearnerId, double> sensitivity;
        std::map<LearnerId, double> sampling;
        for (uint32_t worker = 0; worker < m_spec.learners; ++worker)
        {
            const CafCorPlan plan = GetPlan(m_shards.empty() ? 0 : m_shards[worker]);
            sensitivity[worker + 1] = CafCorSensitivity(plan);
            sampling[worker + 1] = CafCorSampling(plan);
        }
        constants["sensitivity"] = CafCorSensitivity(GetPlan(GetFewest()));
        constants["worker_sensitivity"] = sensitivity;
        constants["worker_sampling"] = sampling;
    }
    return constants;
}

const NoiseScales&
FederatedPrivacy::GetNoiseScales() const
{
    return m_noise;
}

const CafCorEpsilon&
FederatedPrivacy::GetPlannedEpsilon() const
{
    return m_epsilon;
}

} // namespace ns3::dlearn
