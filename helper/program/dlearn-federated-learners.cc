/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-learners.h"

#include "dlearn-run-learners.h"
#include "dlearn-run-spec.h"
#include "dlearn-run-tiers.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-evaluator.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-fedavg-theory.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-multiple-access-channel.h"
#include "ns3/dlearn-optimizer.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-placement.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-run-findings.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-uplink-allocation.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace ns3::dlearn
{

namespace
{

/** Default number of fresh samples of a client in a round. */
constexpr uint32_t FRESH_SAMPLES = 50;

/** @return an object of a family from a text; null when it is empty */
template <typename Part>
Ptr<Part>
MakePart(const ComponentFamily& family, const std::string& text)
{
    return text.empty() ? nullptr : ParseComponent(family, text).Create<Part>();
}

/** @return sigma, one for all clients or one per client */
std::vector<double>
GetNoiseStds(const RunSpec& spec)
{
    std::vector<double> stds;
    for (const std::string& item : SplitText(spec.Take(spec.noiseStd), ','))
    {
        const auto number = ParseNumber(item);
        Require(number && std::isfinite(*number) && *number >= 0,
                "noise-std must be a number of at least 0, or a list of them, got '",
                spec.noiseStd,
                "'");
        Require(*number <= LARGEST_SETTING,
                "noise-std must be at most ",
                LARGEST_SETTING,
                ", got '",
                spec.noiseStd,
                "'");
        stds.push_back(*number);
    }
    Require(stds.size() == 1 || stds.size() == spec.learners,
            "noise-std must be one number or one for each of the ",
            spec.learners,
            " clients, got ",
            stds.size());
    return stds;
}

/** @return samples of a client in a round; 0: its whole shard */
uint32_t
GetSamples(const RunSpec& spec)
{
    return spec.IsCafCor() ? spec.Take(spec.batchSize).value_or(50)
                           : spec.Take(spec.samples).value_or(0);
}

/** Take test samples out of the shard of each client. */
void
HoldOut(const RunSpec& spec,
        const LoadedData& loaded,
        std::vector<SampleIndices>& shards,
        FederatedData& data)
{
    // One could learn their mirror images.
    if (spec.mirror || !spec.learner.empty() || !spec.dataDrift.empty() ||
        spec.Take(spec.clientTest) == 0)
    {
        return;
    }
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(RunStreams::CLIENT_TEST);
    for (SampleIndices& shard : shards)
    {
        const auto share = std::lround(spec.clientTest * static_cast<double>(shard.size()));
        const auto count = std::min<size_t>(std::max(share, 1L), shard.size() - 1);
        ShuffleFirst(shard, count, *random);
        const SampleIndices test(shard.begin(), shard.begin() + count);
        shard.erase(shard.begin(), shard.begin() + count);
        data.heldOut.insert(data.heldOut.end(), test.begin(), test.end());
        Ptr<Task> task;
        if (count > 0)
        {
            const auto samples = std::make_shared<const Dataset>(Subset(*loaded.train, test));
            task = CreateTask(spec.task, {samples, samples}, 0);
        }
        data.tests.push_back(task);
    }
    std::sort(data.heldOut.begin(), data.heldOut.end());
}

/** @return shards of all clients, those of Byzantine ones at the end, without test samples */
std::vector<SampleIndices>
Partition(const RunSpec& spec, LoadedData& loaded, FederatedData& result)
{
    if (!loaded.shards.empty())
    {
        return loaded.shards;
    }
    const DataSeed seed(spec);
    const bool drawn = spec.attackers == "drawn";
    if (spec.byzantine > 0 && !drawn)
    {
        spec.Take(spec.byzantineData);
    }
    const bool own = spec.byzantineData != "shards" && !drawn;
    const uint32_t honest = spec.learners - (own ? spec.byzantine : 0);
    auto shards = DivideSamples(spec, loaded, honest);
    HoldOut(spec, loaded, shards, result);
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(RunStreams::BYZANTINE);
    SampleIndices all = ListOthers(loaded.train->GetSize(), result.heldOut);
    const auto count = std::max<size_t>(all.size() / honest, 1);
    for (uint32_t client = honest; client < spec.learners; ++client)
    {
        ShuffleFirst(all, count, *random);
        shards.emplace_back(all.begin(), all.begin() + count);
    }
    return shards;
}

void
AssignStreams(const FederatedData& data)
{
    for (size_t client = 0; client < data.clients.size(); ++client)
    {
        data.clients[client]->AssignStreams(RunStreams::SAMPLES + 10 * client);
    }
}

} // namespace

FederatedData
DrawLinearGaussian(const RunSpec& spec)
{
    LinearGaussianProblemOptions problem;
    problem.clients = spec.learners;
    problem.dimension = spec.Take(spec.dimension);
    problem.sparsity = spec.Take(spec.sparsity);
    problem.initialError = spec.Take(spec.initialError);
    problem.heterogeneity = spec.Take(spec.heterogeneity);
    // Defaults are limited to the numbers of clients and entries; values of the user are refused.
    const RunSpec usual(spec.kind, spec.program);
    const auto isDefault = [&spec](const char* option, auto value, auto initial) {
        return value == initial && spec.invocation.options.count(option) == 0;
    };
    if (isDefault("sparsity", spec.sparsity, usual.sparsity))
    {
        problem.sparsity = std::min(spec.sparsity, spec.dimension);
    }
    const bool pairs = spec.learners > 1 && (spec.dimension > 1 || spec.learners % 2 == 0);
    if (!pairs && isDefault("heterogeneity", spec.heterogeneity, usual.heterogeneity))
    {
        problem.heterogeneity = 0; // the differences of all clients add up to 0
    }
    problem.noiseStds = GetNoiseStds(spec);
    problem.drift = spec.Take(spec.drift);
    const uint32_t samples = spec.Take(spec.samples).value_or(FRESH_SAMPLES);
    Require(samples > 0, "samples must be at least 1 with data linear-gaussian, got 0");
    FederatedData data;
    data.problem = CreateObject<LinearGaussianProblem>();
    data.problem->AssignStreams(RunStreams::DATA);
    data.problem->Draw(problem);
    for (uint32_t client = 0; client < spec.learners; ++client)
    {
        const auto own = CreateObject<LinearGaussianData>();
        own->SetProblem(data.problem, client, samples);
        data.clients.push_back(own);
    }
    AssignStreams(data);
    data.initialModel = ChooseInitialModel(spec, data.problem->GetInitialModel());
    data.title = "linear-gaussian (" + std::to_string(spec.dimension) + " features, " +
                 std::to_string(samples) + " fresh samples a client and round)";
    return data;
}

namespace
{

/** Effect of an option that differs from FedAvgPreset() on the closed form of the error. */
enum class TheoryEffect
{
    NONE,     //!< the closed form includes it, or the error does not depend on it
    DISTURBS, //!< messages may be missing or late, or clients fail
    VOIDS     //!< no closed form is known
};

/** @return the effect of a changed option; VOIDS if unknown */
TheoryEffect
FindTheoryEffect(const RunSpec& spec, const std::string& name, const std::string& group)
{
    static const auto known =
        SplitText("data,samples,dimension,noise-std,heterogeneity,sparsity,initial-error,drift,"
                  "learners,rounds,reports,"
                  "local-steps,step-size,transport,mtu,client-flops,energy,joules-per-operation,"
                  "tx-joules-per-bit,rx-joules-per-bit,mpi,partition-of-ranks",
                  ',');
    static const auto voiding =
        SplitText("uplink,compress,compress-model,mode,sampling,over-selection,sample-fraction,"
                  "sample-count,sample-plan",
                  ',');
    const auto isIn = [](const std::vector<std::string>& names, const std::string& wanted) {
        return std::find(names.begin(), names.end(), wanted) != names.end();
    };
    static const auto disturbing = SplitText("Network,Energy,Timing,Faults", ',');
    const std::string usualClient = spec.localSteps == "inf" ? "LocalSolve" : "LocalSgd";
    if (isIn(known, name) || group == "Output" ||
        (name == "server-rule" && spec.serverRule == "FedAvg") ||
        (name == "client-rule" && spec.clientRule == usualClient) ||
        (name == "float-bits" && spec.floatBits >= 32))
    {
        return TheoryEffect::NONE;
    }
    return isIn(disturbing, group) && !isIn(voiding, name) ? TheoryEffect::DISTURBS
                                                           : TheoryEffect::VOIDS;
}

/** @return whether an option with this effect differs from FedAvgPreset() */
bool
IsAnyChanged(const RunSpec& spec, TheoryEffect effect)
{
    const auto changed = ListChanged(spec, FedAvgPreset(spec.program));
    return std::any_of(changed.begin(), changed.end(), [&](const RunOption& option) {
        return FindTheoryEffect(spec, option.name, option.group) == effect;
    });
}

/** @return whether the steps of a rule, if any, are plain SGD with a constant step size */
bool
HasPlainSteps(const LearnerRule& rule)
{
    PointerValue optimizer;
    if (!rule.GetAttributeFailSafe("Optimizer", optimizer))
    {
        return true;
    }
    const auto sgd = optimizer.Get<SgdOptimizer>();
    return sgd && sgd->GetMomentum() == 0 && GetPowerExponent(sgd->GetSchedule()) == 0;
}

/** @return the rule of a server for which no option chooses one */
ObjectFactory
GetUsualRule(bool robust, bool asynchronous)
{
    return ObjectFactory(robust         ? "ns3::dlearn::RobustServer"
                         : asynchronous ? "ns3::dlearn::FedAsyncServer"
                                        : "ns3::dlearn::FedAvgServer");
}

} // namespace

FederatedLearners::FederatedLearners(const RunSpec& spec)
    : RunLearners(spec),
      m_data(spec.IsLinearGaussian() ? DrawLinearGaussian(spec)
                                     : ShareData(LoadSamples(spec.learners))),
      m_privacy(spec, m_data.clients, m_data.shards, FindParticipants())
{
    m_options.RefuseChosen(FederatedServer::GetTypeId(), {"Rule", "Schedule", "Staleness"});
    m_options.RefuseChosen(FederatedClient::GetTypeId(), {"Rule"});
    if (spec.mode != "sync")
    {
        m_options.RefuseChosen(BufferedSchedule::GetTypeId(), {"BufferSize"});
    }
    if (!spec.tiers.empty())
    {
        m_edges = ParseTiers(spec.tiers);
        if (!spec.Take(spec.edgeGraph).empty())
        {
            const bool drawn = spec.edgeGraph.rfind("rgg:", 0) == 0;
            const double side = drawn ? spec.Take(spec.side) : spec.side;
            m_peers = GraphByName(spec.edgeGraph, m_edges.size(), RunStreams::GRAPH, side);
        }
    }
    m_graph = m_edges.empty() ? GraphByName("star", spec.learners + 1, RunStreams::GRAPH, spec.side)
                              : FederatedHelper::MakeTiers(m_edges, false, m_peers);
    m_task = m_data.task;
    m_origins = m_data.origins;
    m_heldOut = m_data.heldOut;
    CreateDevices(spec.learners);
}

FederatedData
FederatedLearners::ShareData(LoadedData loaded)
{
    const RunSpec& spec = m_spec;
    const auto makeTask = [&](const LoadedData& samples) {
        const auto task = MakeTask(samples);
        if (spec.IsCafCor())
        {
            task->SetAttribute("ClipNorm", DoubleValue(spec.ProtectsSamples() ? spec.clip : 0));
        }
        return task;
    };
    const bool passes = !spec.IsCafCor() && spec.localSteps.empty();
    FederatedData data;
    std::vector<SampleIndices> shards = Partition(spec, loaded, data);
    data.labels = CountLabels(*loaded.train, shards);
    data.title = DescribeData(*loaded.train);
    PrepareDrift(loaded);
    data.task = makeTask(loaded);
    const Ptr<AttackerDraw> draw = m_attack.GetDraw();
    for (uint32_t client = 0; client < spec.learners; ++client)
    {
        Ptr<const Task> task = data.task;
        SampleIndices& shard = shards[client];
        const auto size = static_cast<uint32_t>(shard.size());
        const bool poisoned = IsPoisoned() && (draw || client >= spec.learners - spec.byzantine);
        if (poisoned)
        {
            // A copy of this client's shard only: the data set may be large.
            SampleIndices& origins = data.origins[client + 1];
            origins = shard;
            origins.insert(origins.end(), shard.begin(), draw ? shard.end() : shard.begin());
            task = makeTask(m_attack.Poison(loaded, shard));
        }
        data.shards.push_back(size);
        const auto own = CreateObject<ShardData>();
        own->SetEpochs(passes ? spec.Take(spec.epochs) : 1);
        own->SetShard(task, shard, GetSamples(spec));
        if (m_drift)
        {
            own->SetDrift(m_drift);
        }
        if (poisoned && draw)
        {
            own->SetOther(size,
                          [draw, client](auto round) { return draw->IsDrawn(client + 1, round); });
        }
        data.clients.push_back(own);
    }
    AssignStreams(data);
    data.initialModel = ChooseInitialModel(spec, data.task->DrawInitialModel(RunStreams::INITIAL));
    return data;
}

NetworkSetup
FederatedLearners::GetNetworkSetup() const
{
    NetworkSetup network;
    if (m_edges.empty()) // else the graph is no star
    {
        network.server = 0;
    }
    network.links = DeviceProfiles::GetLinks(GetDevices());
    network.links.resize(network.links.empty() ? 0 : m_graph.GetSize());
    return network;
}

uint32_t
FederatedLearners::GetLocalSteps() const
{
    const uint32_t steps = ParseWholeNumber(m_spec.localSteps).value_or(0);
    Require(steps >= 1 || m_spec.localSteps == "inf" || m_spec.localSteps.empty(),
            "local-steps must be a whole number of at least 1, or inf; got '",
            m_spec.localSteps,
            "'");
    return m_spec.localSteps.empty() ? 1 : steps;
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
        return 0.1; // for neural networks
    }
    // Features of norm at most 1 give curvatures of at most 1, others much larger ones.
    return m_spec.unitNorm && !m_spec.normalize ? 1 : 0.01;
}

ObjectFactory
FederatedLearners::GetServerRule() const
{
    if (!m_spec.serverRule.empty())
    {
        return ParseComponent(GetServerRuleFamily(), m_spec.serverRule);
    }
    const bool robust =
        m_spec.GetAggregator() != "none" &&
        (!m_spec.HasEdges() || GetEdgeRule().GetTypeId() != RobustServer::GetTypeId());
    return GetUsualRule(robust, m_spec.mode == "async" && !m_spec.HasEdges());
}

ObjectFactory
FederatedLearners::GetEdgeRule() const
{
    ComponentFamily family = GetServerRuleFamily();
    family.option = "edge-rule";
    if (!m_spec.edgeRule.empty())
    {
        return ParseComponent(family, m_spec.Take(m_spec.edgeRule));
    }
    const bool robust = !m_spec.edgeGraph.empty() && m_spec.GetAggregator() != "none";
    return GetUsualRule(robust, m_spec.mode == "async");
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
    if (m_spec.mode == "sync" && !m_spec.planner.empty())
    {
        return ObjectFactory("ns3::dlearn::ExternalSchedule");
    }
    if (m_spec.mode == "sync")
    {
        schedule.SetTypeId(SynchronousSchedule::GetTypeId());
        // Without an option, the default of the attribute applies.
        if (HasRoundPolicy())
        {
            schedule.Set("RoundPolicy", ObjectFactoryValue(GetRoundPolicy()));
        }
        const std::string own = m_spec.Take(m_spec.sampling);
        const std::string sampling = !own.empty()                 ? own
                                     : m_spec.secretSampling      ? "poisson"
                                     : !m_spec.samplePlan.empty() ? "plan"
                                                                  : "";
        if (!sampling.empty())
        {
            schedule.Set("Sampling",
                         ObjectFactoryValue(ParseComponent(GetSamplingFamily(), sampling)));
        }
        return schedule;
    }
    schedule.SetTypeId(BufferedSchedule::GetTypeId());
    schedule.Set("BufferSize",
                 UintegerValue(m_spec.mode == "async" ? 1 : m_spec.Take(m_spec.bufferSize)));
    return schedule;
}

void
FederatedLearners::ConfigureSchedule(ServerSchedule& schedule) const
{
    m_options.Apply(schedule); // the command of an ExternalSchedule, too
    if (const auto synchronous = dynamic_cast<const SynchronousSchedule*>(&schedule))
    {
        m_options.Apply(*synchronous->GetSampling());
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
    participants.rule = GetServerRule().Create<ServerRule>();
    participants.fewest = std::min(schedule->CountUpdates().fewest, clients.size());
    const auto synchronous = DynamicCast<SynchronousSchedule>(schedule);
    const auto sampling = synchronous ? synchronous->GetSampling() : nullptr;
    if (const auto counted = DynamicCast<CountedSampling>(sampling))
    {
        participants.share = counted->GetShare();
    }
    const auto planned = DynamicCast<ScheduledSampling>(sampling);
    if (planned)
    {
        participants.groups = planned->GetRounds();
        const bool all = participants.fewest == planned->CountChosen().fewest;
        participants.fewest = all ? 0 : participants.fewest;
    }
    return participants;
}

ObjectFactory
FederatedLearners::GetStaleness(bool synchronous) const
{
    const bool chosen = m_spec.staleness != "auto";
    return ParseComponent(GetStalenessFamily(),
                          chosen                             ? m_spec.staleness
                          : synchronous                      ? "discard"
                          : m_spec.GetAggregator() != "none" ? "constant"
                                                             : "polynomial:0.5");
}

void
FederatedLearners::Install(Network& network)
{
    FederatedHelper helper;
    if (!m_spec.responseTimeout.empty())
    {
        helper.SetResponseTimeout(ParseTime("timeout", m_spec.Take(m_spec.responseTimeout)));
    }
    helper.SetServerAttribute("Rule", ObjectFactoryValue(GetServerRule()));
    helper.SetClientAttribute("Rule", ObjectFactoryValue(GetClientRule()));
    if (m_spec.HasEdges())
    {
        // Options of rounds and of who takes part are for the servers of clients.
        helper.SetEdgeAttribute("Rule", ObjectFactoryValue(GetEdgeRule()));
        helper.SetEdgeAttribute("Schedule", ObjectFactoryValue(GetSchedule()));
        helper.SetEdgeAttribute("Staleness",
                                ObjectFactoryValue(GetStaleness(m_spec.mode == "sync")));
        if (!m_peers && !m_spec.serverSchedule.empty())
        {
            const auto schedule =
                ParseComponent(GetScheduleFamily(), m_spec.Take(m_spec.serverSchedule));
            const bool synchronous = schedule.Create<ServerSchedule>()->IsSynchronous();
            helper.SetServerAttribute("Schedule", ObjectFactoryValue(schedule));
            helper.SetServerAttribute("Staleness", ObjectFactoryValue(GetStaleness(synchronous)));
        }
        const auto edges =
            m_edges.empty() ? PlaceEdges(m_spec.Take(m_spec.aggregateAt), network) : m_edges;
        m_federation = helper.Create(network, edges, m_peers);
        m_graph = *m_federation.graph;
        std::for_each(m_federation.edges.begin(),
                      m_federation.edges.end(),
                      [this](const EdgeServer& edge) { ConfigureEdge(edge); });
        FollowClients(network);
    }
    else
    {
        helper.SetServerAttribute("Schedule", ObjectFactoryValue(GetSchedule()));
        helper.SetServerAttribute("Staleness",
                                  ObjectFactoryValue(GetStaleness(m_spec.mode == "sync")));
        m_federation = helper.Create(network);
    }
    if (m_federation.server)
    {
        ConfigureServer(*m_federation.server);
    }
    for (LearnerId id = 1; id <= m_federation.clients.size(); ++id)
    {
        ConfigureClient(*m_federation.clients[id - 1], id);
    }
    InstallAir(network);
    m_privacy.Install(m_federation);
    FederatedHelper::Connect(m_federation, network, m_data.clients, m_data.initialModel);
    FederatedHelper::AssignStreams(m_federation, RunStreams::LEARNERS);
    const bool traced = m_spec.network.rfind("trace", 0) == 0; // which sets the rates itself
    if (m_spec.mode == "sync" && m_spec.uplink == "packets" && !traced &&
        !(m_spec.uplinkAllocation.empty() && m_spec.uplinkPower.empty()))
    {
        AllocateUplinks(
            m_federation,
            &network,
            MakePart<UplinkAllocation>(GetUplinkAllocationFamily(),
                                       m_spec.Take(m_spec.uplinkAllocation)),
            MakePart<UplinkPower>(GetUplinkPowerFamily(), m_spec.Take(m_spec.uplinkPower)));
    }
    InstallAttack();
}

void
FederatedLearners::InstallAir(const Network& network) const
{
    const std::string& uplink = m_spec.Take(m_spec.uplink);
    Require(uplink == "packets" || uplink == "air",
            "uplink must be packets or air, got '",
            uplink,
            "'");
    if (uplink == "packets")
    {
        return;
    }
    Require(m_spec.threatModel != "cdp",
            "threat-model cdp needs uplink packets: its account is of a sum without the errors of "
            "the air, which those of air and air-sum know");
    Require(m_spec.quorum == 1 && m_spec.overSelection <= 1,
            "uplink air needs quorum 1 and over-selection 1, as its slot begins when all have an "
            "update, or a deadline passes");
    Require(m_spec.airProjection == 1 || m_spec.compress != "none",
            "air-projection {} needs compress topk:ENTRIES, as only sparse updates are recovered",
            m_spec.airProjection);
    const NodeContainer& nodes = network.GetNodes();
    if (std::none_of(nodes.Begin(), nodes.End(), [](const Ptr<Node>& node) {
            return node->GetObject<MobilityModel>() != nullptr;
        }))
    {
        PlacementOptions square;
        square.side = m_spec.Take(m_spec.side);
        const auto places = PlaceLearners(square, nodes.GetN(), 0);
        InstallMobility("air", nodes, places, square, 0, network.GetReadyTime());
    }
    const auto air = CreateObject<MultipleAccessChannel>();
    m_options.Apply(*air);
    if (m_spec.threatModel.rfind("air", 0) == 0 &&
        m_spec.invocation.options.count("air-clip") == 0 &&
        !UsedOptions::HasChosenValue(*air, "Clip"))
    {
        air->SetAttribute("Clip", DoubleValue(m_spec.clip)); // no update is longer
    }
    m_options.Give(*air,
                   "PowerControl",
                   ObjectFactoryValue(ParseComponent(GetPowerControlFamily(), m_spec.airControl)),
                   m_spec.airControl);
    for (const auto& learner : m_federation.GetLearners())
    {
        learner->GetExchange()->SetAttribute("Air", PointerValue(air));
    }
}

void
FederatedLearners::GiveOptimizer(LearnerRule& rule,
                                 const char* option,
                                 const std::string& text) const
{
    if (!text.empty())
    {
        ComponentFamily family = GetOptimizerFamily();
        family.option = option;
        m_options.Give(rule, "Optimizer", ObjectFactoryValue(ParseComponent(family, text)), text);
    }
}

void
FederatedLearners::ConfigureEdge(const EdgeServer& edge) const
{
    m_spec.Take(m_spec.tiers);
    m_options.Apply(*edge.upper->GetLearnerRule());
    m_options.Apply(*edge.server);
    if (m_peers) // else these options are for the server
    {
        GiveOptimizer(*edge.server->GetRule(), "server-optimizer", m_spec.serverOptimizer);
        m_options.Apply(*edge.server->GetRule());
    }
    RequireClip(*edge.server->GetRule());
    ConfigureSchedule(*edge.server->GetSchedule());
    if (const auto robust = DynamicCast<RobustServer>(edge.server->GetRule()))
    {
        const auto attackers =
            LearnerAttack::CountAttackers(edge, m_spec.learners, m_spec.byzantine);
        robust->SetAggregator(TakeAggregator());
        m_options.Give(*robust, "Byzantine", UintegerValue(attackers));
    }
    ConfigureExchange(*edge.server->GetExchange(), "compress-model", m_spec.compressModel, true);
    if (!m_peers)
    {
        ConfigureExchange(*edge.upper->GetExchange(), "compress", m_spec.compress, false);
        return;
    }
    m_options.Apply(*edge.upper);
    ConfigureExchange(*edge.upper->GetExchange(), "compress-model", m_spec.compressModel, true);
}

void
FederatedLearners::FollowClients(const Network& network)
{
    m_federation.roams =
        m_edges.empty() && network.WatchEdges([this](LearnerId client, std::optional<size_t> edge) {
            if (edge)
            {
                const auto last = m_edgeOf.insert({client, *edge}).first;
                m_handovers += std::exchange(last->second, *edge) == *edge ? 0 : 1;
            }
            FederatedHelper::HandOver(m_federation, client, edge);
        });
    Require(!m_federation.roams || m_spec.threatModel == "none",
            "threat-model {} needs clients that keep their edge server (aggregate-at), as its plan "
            "is for the rounds of one",
            m_spec.threatModel);
    Require(!m_federation.roams || m_spec.byzantine == 0,
            "byzantine needs clients that keep their edge server (aggregate-at), whose rounds "
            "attackers follow");
}

void
FederatedLearners::RequireClip(const ServerRule& rule) const
{
    for (const std::string name : {"ClipNorm", "ClipRate", "ClipNoise"})
    {
        Require(m_spec.adaptiveClip > 0 || !UsedOptions::HasChosenValue(rule, name),
                "attribute {} of the server rule has no effect: it needs adaptive-clip",
                name);
    }
}

void
FederatedLearners::ConfigureServer(FederatedServer& server) const
{
    m_spec.Take(m_spec.serverRule);
    m_options.Apply(server);
    GiveOptimizer(*server.GetRule(), "server-optimizer", m_spec.serverOptimizer);
    m_options.Apply(*server.GetRule());
    RequireClip(*server.GetRule());
    if (m_spec.adaptiveClip > 0)
    {
        m_options.Give(*server.GetRule(), "ClipNorm", DoubleValue(m_spec.clip), m_spec.clip);
    }
    if (!m_spec.HasEdges())
    {
        ConfigureSchedule(*server.GetSchedule());
    }
    if (m_spec.TakesSteps() && (m_spec.clientOptimizer.empty() || m_spec.stepSize))
    {
        m_options.Give(*server.GetRule(), "ClientStep", DoubleValue(GetStepSize()));
    }
    if (const auto robust = DynamicCast<RobustServer>(server.GetRule()))
    {
        const bool recovers = m_spec.threatModel == "secldp" || m_spec.threatModel == "byzldp";
        robust->SetAggregator(TakeAggregator());
        m_options.Give(*robust,
                       "Byzantine",
                       UintegerValue(m_spec.HasEdges() ? 0 : m_spec.byzantine));
        m_options.Give(*robust, "NoiseRecovery", BooleanValue(recovers && m_spec.noiseRecovery));
        if (m_spec.IsCafCor())
        {
            m_options.Give(*robust, "LearningRate", DoubleValue(GetStepSize()), m_spec.stepSize);
        }
        if (m_spec.byzantine > 0 && m_spec.mode == "sync") // otherwise many messages are missing
        {
            const BooleanValue missing(m_spec.missingAreByzantine);
            m_options.Give(*robust, "MissingAreByzantine", missing, m_spec.missingAreByzantine);
        }
    }
    if (const auto trusting = DynamicCast<FlTrustServer>(server.GetRule()))
    {
        GiveRoot(*trusting);
    }
    ConfigureExchange(*server.GetExchange(), "compress-model", m_spec.compressModel, true);
}

void
FederatedLearners::GiveRoot(FlTrustServer& server) const
{
    Require(m_task != nullptr, "server-rule FlTrust needs a data set, got data linear-gaussian");
    Require(m_spec.threatModel == "none",
            "server-rule FlTrust needs threat-model none, as no account counts the samples of "
            "clients from which the server learns; got {}",
            m_spec.threatModel);
    const DataSeed seed(m_spec);
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(RunStreams::ROOT);
    SampleIndices samples = ListOthers(CountTrain(), m_heldOut);
    const uint32_t count = server.GetRootSamples();
    Require(count <= samples.size(),
            "server-rule FlTrust: RootSamples must be at most the number of training samples, {}, "
            "got {}",
            samples.size(),
            count);
    ShuffleFirst(samples, count, *random);
    samples.resize(count);
    const auto data = CreateObject<ShardData>();
    data->SetEpochs(m_spec.localSteps.empty() ? m_spec.epochs : 1);
    data->SetShard(m_task, samples, 0);
    if (m_drift)
    {
        data->SetDrift(m_drift);
    }
    const auto rule = GetClientRule().Create<ClientRule>();
    ConfigureClientRule(*rule);
    server.SetRoot(rule, data);
}

void
FederatedLearners::ConfigureClient(FederatedClient& client, LearnerId id) const
{
    m_options.Apply(client);
    ConfigureClientRule(*client.GetRule());
    // Clients never broadcast: their messages are for the server only.
    ConfigureExchange(*client.GetExchange(), "compress", m_spec.compress, false);
    ConfigureDevice(client, id);
}

void
FederatedLearners::ConfigureClientRule(ClientRule& rule) const
{
    GiveOptimizer(rule, "client-optimizer", m_spec.clientOptimizer);
    m_options.Apply(rule);
    if (dynamic_cast<LocalSolve*>(&rule) && m_spec.localSteps == "inf")
    {
        m_spec.Take(m_spec.localSteps);
    }
    if (dynamic_cast<LocalSgd*>(&rule))
    {
        Require(m_spec.localSteps != "inf",
                "local-steps inf needs client-rule LocalSolve, got ",
                m_spec.clientRule);
        const bool batches = m_spec.localSteps.empty();
        const uint32_t batch =
            !batches ? 0
                     : m_spec.Take(m_spec.batchSize).value_or(m_spec.IsLinearGaussian() ? 0 : 20);
        m_options.Give(rule, "LocalSteps", UintegerValue(GetLocalSteps()), m_spec.localSteps);
        m_options.Give(rule, "BatchSize", UintegerValue(batch));
        if (m_spec.clientOptimizer.empty() || m_spec.stepSize)
        {
            m_options.Give(rule, "StepSize", DoubleValue(GetStepSize()), m_spec.stepSize);
        }
    }
    if (m_spec.IsCafCor() || m_spec.threatModel != "none") // a plan has the same value
    {
        const DoubleValue clip(m_spec.ProtectsSamples() ? 0 : m_spec.clip);
        m_options.Give(rule, "ClipNorm", clip, m_spec.clip);
    }
}

void
FederatedLearners::InstallAttack()
{
    TakeAttack();
    // Attackers evaluate a separate copy of the aggregator.
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
FederatedLearners::DoCreateEvaluator() const
{
    if (m_data.problem)
    {
        return std::make_unique<LinearGaussianEvaluator>(m_data.problem);
    }
    std::vector<ClientEvaluator::Client> tested;
    for (size_t k = 0; k < m_data.tests.size(); ++k)
    {
        const auto& client = m_federation.clients[k];
        if (m_data.tests[k] && (!client->IsByzantine() || m_attack.GetDraw()))
        {
            tested.push_back({client->GetRule(), m_data.tests[k]});
        }
    }
    auto server = EvaluateOnTrainingData();
    return tested.empty() ? std::move(server)
                          : std::make_unique<ClientEvaluator>(std::move(server), tested);
}

std::vector<double>
FederatedLearners::GetTheory() const
{
    const auto learners = m_federation.GetLearners();
    const bool steady = std::all_of(learners.begin(), learners.end(), [](const auto& learner) {
        return HasPlainSteps(*learner->GetLearnerRule());
    });
    if (!m_data.problem || !steady || IsAnyChanged(m_spec, TheoryEffect::VOIDS))
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
    return !IsAnyChanged(m_spec, TheoryEffect::DISTURBS);
}

void
FederatedLearners::Describe(std::ostream& title) const
{
    const std::string over = " over " + m_spec.network + " (" + m_spec.transport + "), " +
                             (m_spec.uplink == "air" ? "updates on the air, " : "");
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
    title << m_spec.learners << " clients" << over << m_spec.mode << ", "
          << (m_spec.algorithm == "fedavg" ? "" : m_spec.algorithm + ", ");
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
    if (m_spec.HasEdges())
    {
        title << ", " << m_federation.edges.size() << " edge servers, " << m_spec.edgePeriod
              << " of their rounds in one" << (m_peers ? ", " + m_spec.edgeGraph : "");
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
    const auto& server = m_federation.server;
    const auto rule = server ? DynamicCast<RobustServer>(server->GetRule()) : nullptr;
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
FederatedLearners::DescribeTrust() const
{
    return m_spec.threatModel.rfind("air", 0) != 0
               ? ""
               : "epsilon counts on the noise of " +
                     std::string(m_spec.threatModel == "air" ? "the receiver" : "all clients") +
                     ", and on a server that hears only the sum of updates: an antenna near a "
                     "client, or several of them, hear more";
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
    AddSamples(m_data.labels, 1, results);
    const auto clipped = results.totals.find("air_clipped");
    const std::vector<std::string> warnings{DescribeLateClients(results),
                                            DescribeSamples(),
                                            DescribeWeights(),
                                            clipped == results.totals.end() || clipped->second == 0
                                                ? ""
                                                : std::to_string(clipped->second) +
                                                      " updates were longer than air-clip, and "
                                                      "were shortened",
                                            DescribeCopies(),
                                            DescribeTrust()};
    if (m_federation.roams)
    {
        results.totals["handovers"] = m_handovers;
    }
    const auto& server = m_federation.server;
    if (m_spec.HasEdges())
    {
        uint64_t& bytes = results.totals["trunk_bytes"];
        bytes = server ? server->GetExchange()->GetTransport()->GetTxBytes() : 0;
        for (const EdgeServer& edge : m_federation.edges)
        {
            bytes += edge.upper->GetExchange()->GetTransport()->GetTxBytes();
        }
    }
    if (results.skipped > 0 || m_spec.threatModel == "cdp" ||
        (server && DynamicCast<RobustServer>(server->GetRule())))
    {
        results.totals["rounds_skipped"] = results.skipped;
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
