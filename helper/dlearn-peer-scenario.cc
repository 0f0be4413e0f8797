/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-scenario.h"

#include "dlearn-compression-option.h"
#include "dlearn-evaluator.h"
#include "dlearn-peer-helper.h"

#include "ns3/dlearn-dola.h"
#include "ns3/dlearn-dp-sgd-growing.h"
#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-graph-by-name.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-pdop.h"
#include "ns3/dlearn-push-sum-sgd.h"
#include "ns3/dlearn-ternary-sgd.h"
#include "ns3/double.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace dlearn
{

PeerScenario::PeerScenario(const PeerOptions& options)
    : m_options(options)
{
    m_options.Validate();
    RefuseOverriddenAttributes(
        {{"ns3::dlearn::PeerApplication::Rule", "algorithm"},
         {"ns3::dlearn::PeerApplication::Rounds", "rounds"},
         {"ns3::dlearn::PeerApplication::MissingPolicy", "missing"},
         {"ns3::dlearn::LaplaceMechanism::GrowthExponent", "noise-exponent"}});
    m_graph = WeightsByName(
        GraphByName(m_options.graph, m_options.learners, GRAPH_STREAM, m_options.side),
        m_options.weight);
    LoadTask();
    NetworkOptions network;
    if (m_options.graph.rfind("rgg:", 0) == 0)
    {
        network.positions = m_graph.positions; // in metres, in the same square
    }
    BuildNetwork(m_options, network);
    CreateLearners();
}

const ScenarioOptions&
PeerScenario::GetOptions() const
{
    return m_options;
}

void
PeerScenario::LoadTask()
{
    const LoadedData loaded = LoadSamples(m_options);
    m_task = CreateTask(m_options.task, loaded, m_options.regularization);
    const auto shards =
        PartitionByName(m_options.partition, *loaded.train, m_graph.GetSize(), PARTITION_STREAM);
    m_streams = PeerHelper::CreateStreams(shards, m_options.batch, SAMPLE_STREAM);
}

void
PeerScenario::CreateLearners()
{
    PeerHelper helper;
    helper.SetAttribute("Rounds", UintegerValue(m_options.rounds));
    helper.SetAttribute("Rule",
                        TypeIdValue(Choose("algorithm",
                                           m_options.algorithm,
                                           {{"ldp-online", LdpOnline::GetTypeId()},
                                            {"dsgd", Dsgd::GetTypeId()},
                                            {"dola", Dola::GetTypeId()},
                                            {"pdop", Pdop::GetTypeId()},
                                            {"push-sum", PushSumSgd::GetTypeId()},
                                            {"dp-sgd", DpSgdGrowing::GetTypeId()},
                                            {"ternary", TernarySgd::GetTypeId()}})));
    helper.SetAttribute("MissingPolicy",
                        TypeIdValue(Choose("missing",
                                           m_options.missing,
                                           {{"skip", SkipMissing::GetTypeId()},
                                            {"last", LastReceived::GetTypeId()},
                                            {"wait", WaitForMissing::GetTypeId()}})));
    if (!m_options.deadline.empty() || m_options.quorum < 1)
    {
        helper.SetAttribute("RoundPolicy", TypeIdValue(ChooseRoundPolicy(m_options)));
    }
    m_learners = helper.Create(GetNetwork());
    for (LearnerId id = 0; id < m_learners.size(); ++id)
    {
        Configure(*m_learners[id], id);
    }
    PeerHelper::Connect(m_learners, GetNetwork(), m_graph, m_task, m_streams, MakeInitialModels());
    PeerHelper::AssignStreams(m_learners, LEARNER_STREAM);
    Watch(m_options,
          {m_learners.begin(), m_learners.end()},
          std::make_unique<Evaluator>(m_task, m_streams));
}

void
PeerScenario::Configure(PeerApplication& learner, LearnerId id) const
{
    ConfigureRoundPolicy(m_options, *learner.GetRoundPolicy());
    ConfigureExchange(m_options, *learner.GetExchange());
    CompressionOption(m_options.compress).Apply(*learner.GetExchange());
    ConfigureNoise(learner, id);
}

void
PeerScenario::ConfigureNoise(PeerApplication& learner, LearnerId id) const
{
    const auto rule = DynamicCast<PeerRule>(learner.GetRule());
    if (!rule)
    {
        return; // an algorithm without noise
    }
    const auto noise = rule->GetNoiseMechanism();
    DoubleValue base;
    noise->GetAttribute("BaseScale", base);
    noise->SetAttribute("BaseScale", DoubleValue(base.Get() * m_options.noise));
    if (DynamicCast<LaplaceMechanism>(noise))
    {
        const double exponent = m_options.noiseExponent + m_options.noiseExponentStep * (id + 1.0);
        noise->SetAttribute("GrowthExponent", DoubleValue(exponent));
    }
}

std::vector<ModelVector>
PeerScenario::MakeInitialModels() const
{
    const auto normal = CreateObject<NormalRandomVariable>();
    normal->SetStream(INITIAL_STREAM);
    std::vector<ModelVector> models(m_graph.GetSize(), ModelVector(m_task->GetDimension()));
    for (ModelVector& model : models)
    {
        for (double& entry : model)
        {
            entry = m_options.initial > 0 ? m_options.initial * normal->GetValue() : 0;
        }
    }
    return models;
}

void
PeerScenario::PrintTitle(std::ostream& table) const
{
    const Dataset& train = m_task->GetTrain();
    table << m_options.program << ": " << m_graph.GetSize() << " learners, " << m_options.graph
          << " over " << m_options.network << " (" << m_options.transport << "), "
          << m_options.algorithm << ", " << train.name << " (" << train.GetSize() << " samples, "
          << train.GetFeatures() << " features";
    for (size_t k = 0; k < train.labelNames.size() && k < 10; ++k)
    {
        table << (k == 0 ? ", labels " : " ") << train.labelNames[k] << "->" << k;
    }
    table << ")";
}

const std::vector<Ptr<PeerApplication>>&
PeerScenario::GetLearners() const
{
    return m_learners;
}

Ptr<const Task>
PeerScenario::GetTask() const
{
    return m_task;
}

const std::vector<Ptr<SampleStream>>&
PeerScenario::GetStreams() const
{
    return m_streams;
}

} // namespace dlearn
} // namespace ns3
