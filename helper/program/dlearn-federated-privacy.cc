/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-privacy.h"

#include "dlearn-run-learners.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace ns3::dlearn
{

std::string
GetThreatModelHelp()
{
    return "who is curious: cdp (those who see the server's models; the server adds "
           "noise to the aggregate), secldp (the server, which sees all messages), byzldp (the "
           "server, to which all Byzantine workers reveal the noise that they share), ldp (the "
           "server, to which all workers reveal it), or with uplink air: air (the server, which "
           "has the sum of updates with the noise of its receiver only) or air-sum (the server, "
           "which has the sum without it; clients add noise)";
}

std::string
GetViewHelp()
{
    return "of secldp and byzldp: transcript (all messages are seen) or lemma (the paper's "
           "figures: "
           "its noise and its lemma A.4, by which only those of honest workers are seen; too small "
           "an epsilon when Byzantine workers follow the protocol)";
}

std::string
GetAdjacencyHelp()
{
    return "how neighbouring data of a client differ: replace (others replace them) or add-remove "
           "(they are there or not, with half the distance of updates, as in most of the "
           "literature)";
}

Adjacency
ParseAdjacency(const std::string& name)
{
    Require(name == "replace" || name == "add-remove",
            "adjacency must be replace or add-remove, got '",
            name,
            "'");
    return name == "replace" ? Adjacency::REPLACE : Adjacency::ADD_REMOVE;
}

void
RequireSecretSampling(const std::string& threatModel, bool counted)
{
    Require(threatModel == "cdp",
            "secret-sampling needs threat-model cdp, where only the server's models are seen, as "
            "messages show who takes part; got ",
            threatModel);
    Require(counted,
            "secret-sampling needs sample-count or sample-fraction: how many clients take part on "
            "average, less than all");
}

Ptr<const ThreatModel>
ParseThreatModel(const std::string& name,
                 const std::string& view,
                 uint32_t byzantine,
                 uint32_t colluding)
{
    Require(view == "transcript" || view == "lemma",
            "view must be transcript or lemma, got '",
            view,
            "'");
    Require(view == "transcript" || name == "secldp" || name == "byzldp",
            "view lemma is for threat-model secldp and byzldp, got ",
            name);
    if (name == "cdp")
    {
        return CreateObject<CentralDp>();
    }
    if (name == "ldp")
    {
        return CreateObject<LocalDp>();
    }
    if (name == "air" || name == "air-sum")
    {
        return CreateObjectWithAttributes<AirDp>("ReceiverNoise", BooleanValue(name == "air"));
    }
    Require(name == "secldp" || name == "byzldp",
            "threat-model must be cdp, ldp, secldp, byzldp, air or air-sum, got '",
            name,
            "'");
    const uint32_t tell = name == "byzldp" ? byzantine : colluding;
    if (view == "lemma")
    {
        return CreateObjectWithAttributes<LemmaLocalDp>("Colluding", UintegerValue(tell));
    }
    if (name == "byzldp")
    {
        return CreateObject<ByzantineLocalDp>();
    }
    return CreateObjectWithAttributes<SecretLocalDp>("Colluding", UintegerValue(tell));
}

namespace
{

/**
 * Refuse secret sampling where more than the server's models depends on who takes part, or where an
 * update may be missing, as the others of its round then tell of it.
 */
void
CheckSecretSampling(const RunSpec& s)
{
    if (!s.secretSampling)
    {
        return;
    }
    RequireSecretSampling(s.threatModel,
                          s.sampleFraction < 1 ||
                              (s.sampleCount > 0 && s.sampleCount < s.learners));
    // Options of these groups, and their values where not all of them are harmless.
    static const std::set<std::string> groups{"Network", "Energy", "Timing", "Faults"};
    static const std::map<std::string, std::set<std::string>> allowed{{"network", {"ideal", "p2p"}},
                                                                      {"transport", {"tcp"}},
                                                                      {"sampling", {"", "poisson"}},
                                                                      {"sample-fraction", {}},
                                                                      {"sample-count", {}},
                                                                      {"delay", {}},
                                                                      {"rate", {}},
                                                                      {"mtu", {}},
                                                                      {"tcp", {}},
                                                                      {"tcp-stack", {}},
                                                                      {"float-bits", {}},
                                                                      {"compress-model", {}},
                                                                      {"time-from", {}}};
    RunSpec usual(s.kind, s.program);
    usual.transport.clear(); // no default is fine
    for (const RunOption& option : ListChanged(s, usual))
    {
        const std::string value = PrintOption(option.value);
        const auto values = allowed.find(option.name);
        const bool known =
            values != allowed.end() && (values->second.empty() || values->second.count(value) > 0);
        Require(known || groups.count(option.group) == 0,
                "secret-sampling needs that nobody sees who takes part and that no update can be "
                "missing: network ideal or p2p, transport tcp, sampling poisson, and no option of "
                "network, energy, time and faults that changes more than sizes and speeds of all; "
                "got ",
                option.name,
                " ",
                value);
    }
}

} // namespace

FederatedPrivacy::FederatedPrivacy(const RunSpec& spec,
                                   const std::vector<Ptr<LocalData>>& clients,
                                   const std::vector<size_t>& shards,
                                   Participants participants)
    : m_spec(spec),
      m_participants(std::move(participants)),
      m_shards(shards),
      m_epsilon(std::numeric_limits<double>::infinity())
{
    for (const auto& client : clients)
    {
        m_samples.push_back(client->GetSampleCount());
    }
    if (spec.threatModel == "none")
    {
        return;
    }
    m_threat = ParseThreatModel(spec.threatModel, spec.Take(spec.view), spec.byzantine);
    if (spec.threatModel == "byzldp")
    {
        spec.Take(spec.byzantine);
    }
    spec.Take(spec.clip);
    spec.Take(spec.delta);
    spec.Take(spec.budget);
    spec.Take(spec.privacyUnit);
    spec.Take(spec.IsCafCor() || spec.noiseMultiplier == 0 ? spec.targetEpsilon
                                                           : spec.noiseMultiplier);
    if (spec.IsCafCor())
    {
        m_noise = PlanCafCorNoise(GetCafCorPlan(GetFewest()), spec.targetEpsilon);
        m_epsilon = PlanCafCorEpsilon(GetCafCorPlan(GetFewest()));
    }
    else
    {
        spec.Take(spec.adjacency);
        spec.Take(spec.secretSampling);
        CheckSecretSampling(spec);
        const FedAvgPlan plan = GetFedAvgPlan();
        m_noise.independent = spec.noiseMultiplier > 0
                                  ? spec.noiseMultiplier * FedAvgNoiseUnit(plan)
                                  : PlanFedAvgNoise(plan, spec.targetEpsilon);
        m_epsilon = PlanFedAvgEpsilon(GetFedAvgPlan());
    }
}

size_t
FederatedPrivacy::GetFewest() const
{
    // Samples of small clients participate more often.
    return *std::min_element(m_shards.begin(), m_shards.end());
}

FedAvgPlan
FederatedPrivacy::GetFedAvgPlan() const
{
    FedAvgPlan plan;
    plan.model = m_threat;
    for (const uint32_t samples : m_samples)
    {
        plan.samples.push_back(m_participants.rule->GetPlannedWeight(samples));
        Require(plan.samples.back() > 0 || m_spec.threatModel != "cdp",
                "threat-model cdp needs a server rule whose weights of updates are known before "
                "the run, got {}",
                m_participants.rule->GetInstanceTypeId().GetName());
    }
    plan.groups = m_participants.groups;
    plan.participants = m_participants.fewest;
    plan.sampling = m_spec.secretSampling ? m_participants.share : 1;
    plan.adjacency = ParseAdjacency(m_spec.adjacency);
    plan.clip = m_spec.clip;
    plan.rounds = m_spec.rounds * (m_spec.HasEdges() ? m_spec.edgePeriod : 1);
    plan.delta = m_spec.delta;
    plan.noise = m_noise.independent;
    return plan;
}

uint32_t
FederatedPrivacy::CountPaidRounds() const
{
    // A server that releases momenta also discloses a worker in rounds without it.
    if (m_participants.groups.empty() || (m_spec.threatModel == "cdp" && m_spec.momentum > 0))
    {
        return m_spec.rounds;
    }
    std::map<LearnerId, uint32_t> rounds;
    for (uint32_t round = 0; round < m_spec.rounds; ++round)
    {
        for (const LearnerId worker : m_participants.groups[round % m_participants.groups.size()])
        {
            ++rounds[worker];
        }
    }
    return std::max_element(rounds.begin(),
                            rounds.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->second;
}

CafCorPlan
FederatedPrivacy::GetCafCorPlan(size_t samples) const
{
    CafCorPlan plan;
    plan.model = m_threat;
    plan.counts = {m_spec.learners, m_spec.byzantine};
    plan.clip = m_spec.clip;
    plan.rounds = CountPaidRounds();
    plan.delta = m_spec.delta;
    plan.noise = m_noise;
    plan.participants = m_participants.fewest;
    for (const auto& group : m_participants.groups)
    {
        const auto size = static_cast<uint32_t>(group.size());
        plan.participants = plan.participants == 0 ? size : std::min(plan.participants, size);
    }
    if (m_spec.ProtectsSamples())
    {
        plan.samples = samples;
        plan.batch = std::min<size_t>(m_spec.batchSize.value_or(50), samples);
    }
    return plan;
}

void
FederatedPrivacy::Install(const Federation& federation) const
{
    if (!m_threat)
    {
        return;
    }
    if (!m_spec.IsCafCor())
    {
        ProtectFederation(federation, GetFedAvgPlan(), m_spec.budget, RunStreams::NOISE);
        return;
    }
    std::vector<CafCorPlan> plans;
    for (const size_t samples : m_shards)
    {
        plans.push_back(GetCafCorPlan(samples));
    }
    CafCorNoiseOptions options;
    options.recovery = m_spec.noiseRecovery;
    options.correlated =
        ParseComponent(GetSharedNoiseFamily(), m_spec.GetSharedNoise()).Create<CorrelatedNoise>();
    if (m_spec.threatModel == "secldp" || m_spec.threatModel == "byzldp")
    {
        m_spec.Take(m_spec.sharedNoise);
        m_spec.Take(m_spec.noiseRecovery);
    }
    ProtectFederation(federation, plans, options, m_spec.budget, RunStreams::NOISE);
}

PrivacyConstants
FederatedPrivacy::Describe() const
{
    const bool ofSamples = m_spec.ProtectsSamples();
    PrivacyConstants constants{{"threat_model", m_spec.threatModel},
                               {"view", m_spec.view},
                               {"workers", static_cast<double>(m_spec.learners)},
                               {"byzantine", static_cast<double>(m_spec.byzantine)},
                               {"clip", m_spec.clip},
                               {"momentum", m_spec.momentum},
                               {"delta", m_spec.delta},
                               {"noise_independent", m_noise.independent},
                               {"noise_correlated", m_noise.correlated},
                               {"unit", std::string(ofSamples ? "sample" : "learner")},
                               {"level", std::string(ofSamples ? "example" : "user")},
                               {"budget", m_spec.budget},
                               {"repair", std::string(m_spec.noiseRecovery ? "true" : "false")}};
    if (m_threat && m_spec.IsCafCor())
    {
        DescribeCafCor(constants);
    }
    else if (m_threat)
    {
        constants["noise_multiplier"] = GetNoiseMultiplier();
        constants["adjacency"] = m_spec.adjacency;
        constants["sampling"] = GetFedAvgPlan().sampling;
    }
    return constants;
}

void
FederatedPrivacy::DescribeCafCor(PrivacyConstants& constants) const
{
    std::map<LearnerId, double> sensitivity;
    std::map<LearnerId, double> sampling;
    for (uint32_t worker = 0; worker < m_spec.learners; ++worker)
    {
        const CafCorPlan plan = GetCafCorPlan(m_shards[worker]);
        sensitivity[worker + 1] = CafCorSensitivity(plan);
        sampling[worker + 1] = CafCorSampling(plan);
    }
    constants["sensitivity"] = CafCorSensitivity(GetCafCorPlan(GetFewest()));
    constants["worker_sensitivity"] = sensitivity;
    constants["worker_sampling"] = sampling;
}

double
FederatedPrivacy::GetNoiseMultiplier() const
{
    return m_noise.independent / FedAvgNoiseUnit(GetFedAvgPlan());
}

} // namespace ns3::dlearn
