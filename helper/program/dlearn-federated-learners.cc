/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-learners.h"

#include "dlearn-presets.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-client-sampling.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-fedavg-theory.h"
#include "ns3/dlearn-graph-by-name.h"
#include "ns3/dlearn-late-clients.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-linear-gaussian-evaluator.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-server-schedule.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

namespace ns3::dlearn
{

namespace
{

/** @return whether the step of a rule, if it has one, is the same in all rounds */
bool
HasConstantStep(const LearnerRule& rule)
{
    PointerValue schedule;
    return !rule.GetAttributeFailSafe("StepSchedule", schedule) ||
           GetPowerExponent(*schedule.Get<StepSchedule>()) == 0;
}

} // namespace

FederatedLearners::FederatedLearners(const RunSpec& spec)
    : RunLearners(spec),
      m_attack(spec.attack),
      m_data(spec.IsLinearGaussian() ? DrawLinearGaussian(spec)
                                     : ShareData(spec, LoadSamples(), m_attack.FlipsLabels())),
      m_privacy(spec, m_data, FindParticipants())
{
    m_graph = GraphByName("star", spec.learners + 1, RunStreams::GRAPH, spec.side);
    m_task = m_data.task;
    m_origins = m_data.origins;
    CreateDevices(spec.learners);
}

NetworkOptions
FederatedLearners::GetNetworkOptions() const
{
    NetworkOptions network;
    network.server = 0;
    network.links = DeviceProfiles::GetLinks(GetDevices());
    return network;
}

uint32_t
FederatedLearners::GetLocalSteps() const
{
    return m_spec.localSteps.empty() ? 1 : ParseWholeNumber(m_spec.localSteps).value_or(0);
}

double
FederatedLearners::GetStepSize() const
{
    if (m_spec.stepSize || m_spec.IsLinearGaussian())
    {
        return m_spec.stepSize.value_or(0.05);
    }
    if (!DynamicCast<ConvexTask>(m_task))
    {
        return 0.1; // of neural networks
    }
    // Features of norm at most 1 make curvatures of at most 1, others much larger ones.
    return m_spec.unitNorm && !m_spec.normalize ? 1 : 0.01;
}

ObjectFactory
FederatedLearners::GetServerRule() const
{
    if (!m_spec.serverRule.empty())
    {
        return ParseComponent(GetServerRuleFamily(), m_spec.serverRule);
    }
    return ObjectFactory(m_spec.GetAggregator() != "none" ? "ns3::dlearn::RobustServer"
                         : m_spec.mode == "async"         ? "ns3::dlearn::FedAsyncServer"
                                                          : "ns3::dlearn::FedAvgServer");
}

ObjectFactory
FederatedLearners::GetClientRule() const
{
    if (!m_spec.clientRule.empty())
    {
        return ParseComponent(GetClientRuleFamily(), m_spec.clientRule);
    }
    return ObjectFactory(m_spec.IsCafCor()      ? "ns3::dlearn::CafCorWorker"
                         : GetLocalSteps() == 0 ? "ns3::dlearn::LocalSolve"
                                                : "ns3::dlearn::LocalSgd");
}

ObjectFactory
FederatedLearners::GetSchedule() const
{
    ObjectFactory schedule;
    if (m_spec.mode == "sync")
    {
        schedule.SetTypeId(SynchronousSchedule::GetTypeId());
        // Where no option says something, the default of the attribute holds.
        if (HasRoundPolicy())
        {
            schedule.Set("RoundPolicy", ObjectFactoryValue(GetRoundPolicy()));
        }
        if (!m_spec.samplePlan.empty())
        {
            schedule.Set("Sampling", TypeIdValue(ScheduledSampling::GetTypeId()));
        }
        return schedule;
    }
    schedule.SetTypeId(BufferedSchedule::GetTypeId());
    schedule.Set("BufferSize", UintegerValue(m_spec.mode == "async" ? 1 : m_spec.bufferSize));
    return schedule;
}

void
FederatedLearners::ConfigureSchedule(ServerSchedule& schedule) const
{
    m_attributes.Apply(schedule);
    if (const auto synchronous = dynamic_cast<const SynchronousSchedule*>(&schedule))
    {
        m_attributes.Apply(*synchronous->GetSampling());
    }
}

Participants
FederatedLearners::FindParticipants() const
{
    const auto schedule = GetSchedule().Create<ServerSchedule>();
    ConfigureSchedule(*schedule);
    std::vector<LearnerId> clients(m_data.clients.size());
    std::iota(clients.begin(), clients.end(), 1); // as FederatedHelper numbers them
    schedule->Setup(clients);
    Participants participants;
    participants.fewest = std::min(schedule->CountUpdates().fewest, clients.size());
    const auto synchronous = DynamicCast<SynchronousSchedule>(schedule);
    const auto planned =
        synchronous ? DynamicCast<ScheduledSampling>(synchronous->GetSampling()) : nullptr;
    if (planned)
    {
        participants.groups = planned->GetRounds();
        const bool all = participants.fewest == planned->CountChosen().fewest;
        participants.fewest = all ? 0 : participants.fewest;
    }
    return participants;
}

ObjectFactory
FederatedLearners::GetStaleness() const
{
    const bool chosen = m_spec.staleness != "auto";
    return ParseComponent(GetStalenessFamily(),
                          chosen                             ? m_spec.staleness
                          : m_spec.mode == "sync"            ? "discard"
                          : m_spec.GetAggregator() != "none" ? "constant"
                                                             : "polynomial:0.5");
}

void
FederatedLearners::Install(Network& network)
{
    FederatedHelper helper;
    if (!m_spec.responseTimeout.empty())
    {
        helper.SetResponseTimeout(ParseTime("timeout", m_spec.responseTimeout));
    }
    helper.SetServerAttribute("Rule", ObjectFactoryValue(GetServerRule()));
    helper.SetServerAttribute("Schedule", ObjectFactoryValue(GetSchedule()));
    helper.SetServerAttribute("Staleness", ObjectFactoryValue(GetStaleness()));
    helper.SetClientAttribute("Rule", ObjectFactoryValue(GetClientRule()));
    m_federation = helper.Create(network);
    ConfigureServer(*m_federation.server);
    for (LearnerId id = 1; id <= m_federation.clients.size(); ++id)
    {
        ConfigureClient(*m_federation.clients[id - 1], id);
    }
    m_privacy.Install(m_federation);
    FederatedHelper::Connect(m_federation, network, m_data.clients, m_data.initialModel);
    FederatedHelper::AssignStreams(m_federation, RunStreams::LEARNERS);
    InstallAttack();
}

void
FederatedLearners::ConfigureServer(FederatedServer& server) const
{
    m_attributes.Apply(server);
    m_attributes.Apply(*server.GetRule());
    ConfigureSchedule(*server.GetSchedule());
    if (const auto robust = DynamicCast<RobustServer>(server.GetRule()))
    {
        robust->SetAggregator(CreateAggregator());
        robust->SetAttribute("Byzantine", UintegerValue(m_spec.byzantine));
        robust->SetAttribute("LearningRate",
                             DoubleValue(m_spec.IsCafCor() ? GetStepSize() : m_spec.serverRate));
        robust->SetAttribute("MissingAreByzantine", BooleanValue(m_spec.missingAreByzantine));
        robust->SetAttribute("NoiseRecovery", BooleanValue(m_spec.noiseRecovery));
    }
    ConfigureExchange(*server.GetExchange(), "compress-model", m_spec.compressModel, true);
}

void
FederatedLearners::ConfigureClient(FederatedClient& client, LearnerId id) const
{
    const auto rule = client.GetRule();
    m_attributes.Apply(*rule);
    if (DynamicCast<LocalSgd>(rule))
    {
        const uint32_t batch = m_spec.IsLinearGaussian() || !m_spec.localSteps.empty() ? 0 : 20;
        rule->SetAttribute("LocalSteps", UintegerValue(GetLocalSteps()));
        rule->SetAttribute("BatchSize", UintegerValue(m_spec.batchSize.value_or(batch)));
        rule->SetAttribute("StepSize", DoubleValue(GetStepSize()));
    }
    if (m_spec.IsCafCor()) // with a threat model its plan says the same
    {
        rule->SetAttributeFailSafe("ClipNorm",
                                   DoubleValue(m_spec.ProtectsSamples() ? 0 : m_spec.clip));
    }
    // What a client returns is for the server alone, and never broadcast.
    ConfigureExchange(*client.GetExchange(), "compress", m_spec.compress, false);
    ConfigureDevice(client, id);
}

void
FederatedLearners::InstallAttack()
{
    // The attackers try out a separate copy of the aggregation.
    m_attack.Install(m_federation,
                     m_spec.byzantine,
                     m_spec.omniscient,
                     CreateAggregator(),
                     RunStreams::ATTACK);
}

std::set<LearnerId>
FederatedLearners::GetColluders() const
{
    auto members = m_attack.GetMembers(m_spec.learners, 1, m_spec.byzantine);
    if (!members.empty())
    {
        members.insert(0); // they know when its rounds begin
    }
    return members;
}

std::unique_ptr<ModelEvaluator>
FederatedLearners::CreateEvaluator() const
{
    if (m_data.problem)
    {
        return std::make_unique<LinearGaussianEvaluator>(m_data.problem);
    }
    return EvaluateOnTrainingData();
}

std::vector<double>
FederatedLearners::GetTheory() const
{
    const RunSpec plain = FedAvgPreset(m_spec.program);
    const auto learners = m_federation.GetLearners();
    const bool steady = std::all_of(learners.begin(), learners.end(), [](const auto& learner) {
        return HasConstantStep(*learner->GetLearnerRule());
    });
    if (!m_data.problem || !steady || IsAnyChanged(m_spec, plain, TheoryEffect::VOIDS))
    {
        return {};
    }
    FedAvgSetting setting;
    for (uint32_t k = 0; k < m_spec.learners; ++k)
    {
        FedAvgTheoryClient client;
        client.samples = m_data.clients[k]->GetSampleCount();
        client.localSteps = GetLocalSteps();
        client.stepSize = GetStepSize();
        client.noiseStd = m_data.problem->GetNoiseStd(k);
        client.gamma = m_data.problem->GetGamma(k);
        setting.clients.push_back(client);
    }
    setting.initialOffset = m_data.problem->GetTruth(0) - m_data.initialModel;
    setting.drift = m_spec.drift;
    const auto curve = FedAvgErrorCurve(setting, m_spec.rounds);
    return {curve.begin() + 1, curve.end()};
}

bool
FederatedLearners::IsUndisturbed() const
{
    return !IsAnyChanged(m_spec, FedAvgPreset(m_spec.program), TheoryEffect::DISTURBS);
}

void
FederatedLearners::Describe(std::ostream& title) const
{
    const std::string over = " over " + m_spec.network + " (" + m_spec.transport + "), ";
    const std::string aggregation =
        (m_spec.preAggregator.empty() ? "" : m_spec.preAggregator + "+") + m_spec.GetAggregator();
    if (m_spec.IsCafCor())
    {
        const NoiseScales& noise = m_privacy.GetNoiseScales();
        title << m_spec.learners << " workers, " << m_spec.byzantine << " Byzantine ("
              << m_spec.attack << ")" << over << aggregation << ", " << m_spec.threatModel
              << " (s_cor " << noise.correlated << ", s_ind " << noise.independent << ", epsilon "
              << m_privacy.GetPlannedEpsilon() << "), " << m_data.title;
        return;
    }
    title << m_spec.learners << " clients" << over << m_spec.mode << ", ";
    if (!m_spec.clientRule.empty() && !m_spec.TakesSteps())
    {
        title << m_spec.clientRule;
    }
    else if (m_spec.localSteps.empty() && !m_spec.IsLinearGaussian())
    {
        title << m_spec.epochs << " epoch" << (m_spec.epochs == 1 ? "" : "s") << " of batches of "
              << m_spec.batchSize.value_or(20);
    }
    else
    {
        const std::string steps = m_spec.localSteps.empty() ? "1" : m_spec.localSteps;
        title << steps << " local step" << (steps == "1" ? "" : "s");
    }
    if (m_spec.byzantine > 0)
    {
        title << ", " << m_spec.byzantine << " Byzantine (" << m_spec.attack << ")";
    }
    if (m_spec.GetAggregator() != "none")
    {
        title << ", " << aggregation;
    }
    if (m_spec.threatModel != "none")
    {
        title << ", " << m_spec.threatModel << " (noise " << m_privacy.GetNoiseScales().independent
              << ", multiplier " << m_privacy.GetNoiseMultiplier() << ", epsilon "
              << m_privacy.GetPlannedEpsilon() << ")";
    }
    title << ", " << m_data.title;
}

std::string
FederatedLearners::DescribeSamples() const
{
    uint32_t least = std::numeric_limits<uint32_t>::max();
    for (const auto& client : m_data.clients)
    {
        least = std::min(least, client->GetSampleCount());
    }
    const bool batches = m_spec.IsCafCor() || m_spec.TakesSteps();
    const uint32_t batch = batches ? m_spec.batchSize.value_or(0) : 0;
    const uint32_t wanted = std::max(m_spec.IsCafCor() ? 0 : m_spec.samples.value_or(0), batch);
    return DescribeFewSamples("clients",
                              wanted,
                              wanted == batch ? "batch-size" : "a round (samples)",
                              least);
}

std::string
FederatedLearners::DescribeWeights() const
{
    const auto& shards = m_data.shards;
    const auto rule = DynamicCast<RobustServer>(m_federation.server->GetRule());
    if (!rule || shards.empty() || m_spec.IsCafCor())
    {
        return "";
    }
    const auto [least, most] = std::minmax_element(shards.begin(), shards.end());
    return *most < 2 * *least
               ? ""
               : "a robust aggregator gives all updates the same weight, although "
                 "clients have from " +
                     std::to_string(*least) + " to " + std::to_string(*most) + " samples";
}

std::string
FederatedLearners::DescribeCopies() const
{
    const bool copies =
        m_spec.ProtectsSamples() && m_spec.byzantine > 0 && m_spec.byzantineData == "own";
    return copies ? "a privacy account of what one worker sends of a sample: the shards of the "
                    "last " +
                        std::to_string(m_spec.byzantine) +
                        " workers are drawn from all samples, so that some samples are in several "
                        "shards and cost more; byzantine-data shards makes no copies"
                  : "";
}

void
FederatedLearners::Complete(RunResults& results) const
{
    results.staleness = m_federation.server->GetStaleness();
    AddSamples(m_data.labels, 1, results);
    const std::vector<std::string> warnings{DescribeLateClients(results),
                                            DescribeSamples(),
                                            DescribeWeights(),
                                            DescribeCopies()};
    const auto rule = m_federation.server->GetRule();
    if (DynamicCast<RobustServer>(rule) || m_spec.threatModel == "cdp")
    {
        results.totals["rounds_skipped"] = rule->GetSkipped();
    }
    std::copy_if(warnings.begin(),
                 warnings.end(),
                 std::back_inserter(results.warnings),
                 [](const std::string& warning) { return !warning.empty(); });
    if (m_spec.IsCafCor() || m_spec.threatModel != "none")
    {
        results.privacy = m_privacy.Describe();
    }
}

} // namespace ns3::dlearn
