/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-audit.h"

#include "dlearn-linear-task.h"
#include "dlearn-random-faults.h"
#include "dlearn-recorders.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-run-results.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

// Random streams, far enough apart.
constexpr int64_t PLAN_STREAM = 0;         //!< the plan of a run, data, neighbours
constexpr int64_t SAMPLE_STREAM = 100;     //!< samples of each learner
constexpr int64_t LEARNER_STREAM = 1000;   //!< rules and compute models
constexpr int64_t EXCHANGE_STREAM = 2000;  //!< compressors
constexpr int64_t FAULT_STREAM = 50000;    //!< faults
constexpr int64_t NETWORK_STREAM = 100000; //!< devices, protocols
constexpr int64_t STREAMS = 50;            //!< of a learner

/** @return a type of this module by its name without the namespace */
TypeId
FindType(const std::string& name)
{
    return TypeId::LookupByName("ns3::dlearn::" + name);
}

/** @return whether something of a probability happens */
bool
Happens(UniformRandomVariable& random, double probability)
{
    return random.GetValue(0, 1) < probability;
}

/** @return one of the types of this module that have the interface, or half of the times none */
TypeId
DrawType(UniformRandomVariable& random, TypeId base, TypeId none)
{
    std::vector<TypeId> types;
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        // The classes that record and replay for the audit have a separate group name.
        if (type.IsChildOf(base) && type.HasConstructor() && type.GetGroupName() == "Dlearn")
        {
            types.push_back(type);
        }
    }
    // They are registered in the order in which the library was linked.
    std::sort(types.begin(), types.end(), [](const TypeId& a, const TypeId& b) {
        return a.GetName() < b.GetName();
    });
    const TypeId drawn = Choose(random, types);
    return Happens(random, 0.5) ? drawn : none;
}

/** @return a path through all learners, and some more edges */
Graph
DrawGraph(UniformRandomVariable& random, uint32_t learners)
{
    Graph graph(learners);
    for (LearnerId a = 0; a < learners; ++a)
    {
        for (LearnerId b = a + 1; b < learners; ++b)
        {
            if (b == a + 1 || Happens(random, 0.4))
            {
                graph.AddEdge(a, b, random.GetValue(0.1, 0.6));
            }
        }
    }
    return graph;
}

/** @return learners that leave; most of them come back */
ChurnSchedule
DrawChurn(UniformRandomVariable& random, uint32_t learners)
{
    ChurnSchedule churn;
    using Action = ChurnSchedule::Action;
    for (LearnerId id = 0; id < learners; ++id)
    {
        if (!Happens(random, 0.25))
        {
            continue;
        }
        Time time = Seconds(random.GetValue(0, 0.1));
        churn.Add(time, id, Happens(random, 0.7) ? Action::CRASH : Action::LEAVE);
        if (Happens(random, 0.8))
        {
            time += Seconds(random.GetValue(0.001, 0.1));
            churn.Add(time, id, Action::RESTART);
        }
    }
    return churn;
}

/** A run for an audit, drawn at random in the order of the members. */
struct PeerAuditPlan
{
    explicit PeerAuditPlan(UniformRandomVariable& draws)
        : random(draws)
    {
        links["Loss"] = Choose<std::string>(random, {"0", "0.1", "0.3"});
        links["Delay"] = Choose<std::string>(random, {"1ms", "5ms"});
        links["Rate"] = Choose<std::string>(random, {"10Mbps", "20kbps"});
        if (network == "csma" && Happens(random, 0.3))
        {
            transport = "UdpBroadcastTransport";
        }
    }

    UniformRandomVariable& random;
    uint32_t learners = random.GetInteger(2, 4);
    Graph graph = DrawGraph(random, learners); //!< connected, with weights
    uint32_t dimension = Choose<uint32_t>(random, {2, 2, 3, 3, 5, 5, 200}); //!< of a model
    uint32_t rounds = random.GetInteger(4, 25);
    uint32_t batch = random.GetInteger(1, 3);                    //!< samples of a round
    bool tight = Happens(random, 0.6);                           //!< LinearTask, else logistic
    double regularization = Choose<double>(random, {0, 0, 0.4}); //!< of LinearTask
    double clip = Choose<double>(random, {0, 0, 0.2});           //!< of the other; 0: none
    double step = random.GetValue(0.05, 0.5);                    //!< on gradients
    double noise = std::pow(10, random.GetValue(-1, 1));         //!< factor on its scale
    double budget = Happens(random, 0.2) ? std::pow(10, random.GetValue(-1, 2)) : 0; //!< 0: none
    bool shortHistory = Happens(random, 0.2);       //!< whether histories are short windows
    TypeId ledger = PrivacyAccount::GetTypeId();    //!< PrivacyAccount for the rule's own
    TypeId unit = PrivacyUnit::GetTypeId();         //!< PrivacyUnit for the rule's own
    TypeId mechanism = NoiseMechanism::GetTypeId(); //!< NoiseMechanism for the rule's own
    bool robust = false;                            //!< median in place of the weighted sum
    bool runningSums = Happens(random, 0.4);        //!< whether trackers are sent as such
    std::string network = Choose<std::string>(random, {"ideal", "p2p", "p2p", "csma"});
    std::map<std::string, std::string> links; //!< attributes; ideal has a loss only
    std::string transport =
        Choose<std::string>(random, {"UdpTransport", "UdpTransport", "TcpTransport"});
    std::string roundPolicy =
        Choose<std::string>(random,
                            {"AllPolicy", "DeadlinePolicy", "QuorumPolicy", "AsynchronousPolicy"});
    double fraction = random.GetValue(0.3, 1);             //!< of QuorumPolicy
    Time deadline = Seconds(random.GetValue(0.002, 0.03)); //!< or period of AsynchronousPolicy
    bool lastReceived = Happens(random, 0.3);              //!< for missing vectors
    bool usePartial = Happens(random, 0.5);
    uint32_t floatBits = Choose<uint32_t>(random, {32, 64}); //!< of numbers on the wire
    std::string compress =                                   //!< see Compress()
        Choose<std::string>(random,
                            {"none", "none", "topk:1", "topk:1", "randk:1", "qsgd:7", "fp16"});
    ChurnSchedule churn = DrawChurn(random, learners);
    Time stop = Happens(random, 0.15) ? Seconds(random.GetValue(0.01, 0.2)) : Seconds(20);

    bool IsAsynchronous() const { return roundPolicy == "AsynchronousPolicy"; }

    /** Leave out what the rule of all learners cannot use. */
    void Suit(const UpdateRule& rule)
    {
        if (rule.NeedsCommonRounds())
        {
            roundPolicy = IsAsynchronous() ? "DeadlinePolicy" : roundPolicy;
            lastReceived = false;
            compress = compress == "fp16" ? compress : "none"; // its vectors are not models
        }
        usePartial = usePartial && !IsAsynchronous() && !rule.NeedsWholeVectors();
    }

    /** Draw account, unit and noise anew, and whether mixing is robust; a rule may refuse them. */
    void DrawParts()
    {
        ledger = DrawType(random, PrivacyLedger::GetTypeId(), PrivacyAccount::GetTypeId());
        unit = DrawType(random, PrivacyUnit::GetTypeId(), PrivacyUnit::GetTypeId());
        mechanism = DrawType(random, NoiseMechanism::GetTypeId(), NoiseMechanism::GetTypeId());
        robust = Happens(random, 0.15);
    }

    /** Leave account, unit, noise and mixing to the rule. */
    void DropParts()
    {
        ledger = PrivacyAccount::GetTypeId();
        unit = PrivacyUnit::GetTypeId();
        mechanism = NoiseMechanism::GetTypeId();
        robust = false;
    }
};

/** The data of an audited run, and neighbours of them. */
class PeerAuditData
{
  public:
    explicit PeerAuditData(const PeerAuditPlan& plan)
        : m_plan(plan),
          m_shards(plan.learners)
    {
        // Where one batch differs, its samples should not be those of another batch, too.
        const uint32_t shard = plan.random.GetValue(0, 1) < 0.5 ? 400 : 8;
        const uint32_t samples = shard * plan.learners;
        const auto normal = CreateSeeded<NormalRandomVariable>(PLAN_STREAM, 1);
        Eigen::MatrixXd features(plan.dimension, samples);
        for (double& feature : features.reshaped())
        {
            feature = normal->GetValue();
        }
        if (plan.tight)
        {
            // All in one direction, in which 1-norm and 2-norm differ most.
            const double entry = 1 / std::sqrt(static_cast<double>(plan.dimension));
            features.colwise() = ModelVector(features.col(0).array().sign() * entry);
        }
        else
        {
            features.colwise().normalize();
        }
        Eigen::VectorXd labels(samples);
        for (uint32_t sample = 0; sample < samples; ++sample)
        {
            labels[sample] = plan.random.GetInteger(0, 1);
            m_shards[sample % plan.learners].push_back(sample);
        }
        m_task = MakeTask(features, labels);
    }

    Ptr<Task> GetTask() const { return m_task; }

    const SampleIndices& GetShard(LearnerId id) const { return m_shards[id]; }

    Ptr<SampleStream> MakeStream(LearnerId id) const
    {
        const auto stream = CreateObject<SampleStream>();
        stream->SetShard(m_shards[id], m_plan.batch);
        stream->AssignStreams(SAMPLE_STREAM + id);
        return stream;
    }

    /** @return the task with other samples, which differ by as much as they may */
    Ptr<Task> MakeNeighbour(const SampleIndices& samples) const
    {
        Eigen::MatrixXd features = m_task->GetTrain().features;
        Eigen::VectorXd labels = m_task->GetTrain().labels;
        for (const uint32_t sample : samples)
        {
            if (m_plan.tight)
            {
                features.col(sample) *= -1;
            }
            else
            {
                labels[sample] = 1 - labels[sample];
            }
        }
        return MakeTask(features, labels);
    }

  private:
    Ptr<Task> MakeTask(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels) const
    {
        auto data = std::make_shared<Dataset>();
        data->name = "audit";
        data->features = features;
        data->labels = labels;
        Ptr<Task> task;
        if (m_plan.tight)
        {
            task = CreateObject<LinearTask>();
            task->SetAttribute("Regularization", DoubleValue(m_plan.regularization));
        }
        else
        {
            data->classes = 2;
            task = CreateObject<LogisticTask>();
            task->SetAttribute("ClipNorm", DoubleValue(m_plan.clip));
            task->SetAttribute("Regularization", DoubleValue(0.05));
        }
        task->SetData(data, nullptr);
        return task;
    }

    const PeerAuditPlan& m_plan;
    std::vector<SampleIndices> m_shards;
    Ptr<Task> m_task; //!< with the data of all learners
};

/** A rule with its noise. */
struct AuditedRule
{
    Ptr<UpdateRule> rule;                  //!< for the application or a replay
    Ptr<UpdateRule> base;                  //!< the same, without PeerAuditParts::wrap
    std::vector<Ptr<RecordedNoise>> noise; //!< of its states, then of its trackers
};

/** @return whether a type is more than the interface that stands for "as it is" */
bool
IsChosen(TypeId type)
{
    return type.HasConstructor();
}

/** @return the noise of a rule, which records that of the chosen type */
Ptr<RecordedNoise>
WrapNoise(const PeerAuditParts& parts,
          const PeerAuditPlan& plan,
          Ptr<NoiseMechanism> made,
          TypeId type)
{
    const TypeId chosen = IsChosen(parts.noise)      ? parts.noise
                          : IsChosen(plan.mechanism) ? plan.mechanism
                                                     : type;
    const auto inner =
        CreatePart<NoiseMechanism>(ObjectFactory(chosen.GetName()), "PeerAudit: noise");
    inner->SetAttribute("Multiplier", DoubleValue(plan.noise));
    const auto recorded = DynamicCast<RecordedNoise>(made);
    recorded->SetInner(inner);
    return recorded;
}

/** Give a rule the account of the plan. */
void
ConfigureLedger(const PeerAuditParts& parts, const PeerAuditPlan& plan, UpdateRule& rule)
{
    const TypeId ledger = IsChosen(parts.ledger) ? parts.ledger : plan.ledger;
    if (IsChosen(ledger))
    {
        rule.SetAttribute("PrivacyLedger", TypeIdValue(ledger));
    }
    if (IsChosen(plan.unit))
    {
        rule.SetAttribute("PrivacyUnit", TypeIdValue(plan.unit));
    }
    Ptr<PrivacyAccount> account;
    if (const auto peer = DynamicCast<PeerRule>(Ptr<UpdateRule>(&rule)))
    {
        account = peer->GetPrivacyLedger();
    }
    else if (const auto tracking = DynamicCast<GradientTracking>(Ptr<UpdateRule>(&rule)))
    {
        account = tracking->GetTrackingLedger();
    }
    account->SetAttribute("Budget", DoubleValue(plan.budget));
}

/** Give a rule the attributes of the plan. */
void
ConfigureRule(const PeerAuditParts& parts, const PeerAuditPlan& plan, UpdateRule& rule)
{
    rule.SetAttributeFailSafe("StepSize", DoubleValue(plan.step));
    rule.SetAttributeFailSafe("Gamma", DoubleValue(plan.step));
    rule.SetAttributeFailSafe("HistoryWindow", UintegerValue(plan.shortHistory ? 3 : 0));
    rule.SetAttributeFailSafe("SampleFactor", DoubleValue(0.5));
    if (DynamicCast<GradientTracking>(Ptr<UpdateRule>(&rule)))
    {
        const bool sums = plan.runningSums;
        const TypeId compensation =
            IsChosen(parts.compensation)
                ? parts.compensation
                : (sums ? RunningSum::GetTypeId() : NoCompensation::GetTypeId());
        rule.SetAttribute("LossCompensation", TypeIdValue(compensation));
        rule.SetAttribute("Samples", UintegerValue(plan.batch));
    }
    ConfigureLedger(parts, plan, rule);
    const Ptr<PeerRule> peer = DynamicCast<PeerRule>(Ptr<UpdateRule>(&rule));
    if (peer && plan.robust && !rule.NeedsCommonRounds())
    {
        peer->SetAggregator(CreateObject<MedianAggregator>());
        peer->SetAttribute("Byzantine", UintegerValue(0));
    }
}

/** @return a rule of the type that is audited, with the attributes and the account of the plan */
AuditedRule
MakeAuditedRule(const PeerAuditParts& parts, const PeerAuditPlan& plan)
{
    AuditedRule audited;
    audited.rule = CreatePart<UpdateRule>(ObjectFactory(parts.rule.GetName()), "PeerAudit: rule");
    ConfigureRule(parts, plan, *audited.rule);
    if (const auto peer = DynamicCast<PeerRule>(audited.rule))
    {
        TypeIdValue type;
        peer->GetAttribute("NoiseMechanism", type);
        peer->SetAttribute("NoiseMechanism", TypeIdValue(RecordedNoise::GetTypeId()));
        audited.noise = {WrapNoise(parts, plan, peer->GetNoiseMechanism(), type.Get())};
    }
    else if (const auto tracking = DynamicCast<GradientTracking>(audited.rule))
    {
        TypeIdValue type;
        tracking->GetAttribute("StateNoise", type);
        tracking->SetAttribute("StateNoise", TypeIdValue(RecordedNoise::GetTypeId()));
        tracking->SetAttribute("TrackerNoise", TypeIdValue(RecordedNoise::GetTypeId()));
        audited.noise = {WrapNoise(parts, plan, tracking->GetStateNoise(), type.Get()),
                         WrapNoise(parts, plan, tracking->GetTrackerNoise(), type.Get())};
    }
    audited.base = audited.rule;
    if (parts.wrap)
    {
        audited.rule = parts.wrap(audited.rule);
    }
    return audited;
}

/** One audited run. */
class PeerRun
{
  public:
    /**
     * @param parts under audit
     * @param fit gets all noise
     * @param leaked counts releases that were part of later messages
     */
    PeerRun(const PeerAuditParts& parts, NoiseFit& fit, uint64_t& leaked)
        : m_parts(parts),
          m_fit(fit),
          m_leaked(leaked),
          m_random(CreateSeeded<UniformRandomVariable>(PLAN_STREAM, 0)),
          m_plan(*m_random),
          m_data(m_plan)
    {
        DrawParts();
    }

    /** @return the smallest ratio of account and truth */
    double Execute();

  private:
    /** One learner of the run. */
    struct Learner
    {
        Ptr<PeerApplication> application;
        Ptr<RecordedRule> recorder; //!< its rule
        AuditedRule inner;          //!< recorded by it
        std::unique_ptr<WireRecorder> wire;
    };

    /** Whether each release of each noise was learned. */
    using Told = std::vector<std::vector<bool>>;

    /** Draw parts that the rules accept together. */
    void DrawParts();
    bool IsAccepted() const;
    void ConfigureExchange(MessageExchange& exchange, LearnerId id) const;
    void CreateLearners(const Network& network);
    void AddFaults(const Network& network) const;
    /** @return the samples in which a neighbour differs; empty without a neighbour */
    SampleIndices ChooseSamples(LearnerId id) const;
    /**
     * @param id of a learner
     * @param task with neighbouring or the same data
     * @param told releases that have to be the same as those of the learner
     * @param shift of the other releases
     * @return a second rule of the same configuration
     */
    AuditedRule MakeTwin(LearnerId id, Ptr<Task> task, const Told& told, double shift) const;
    /** @return releases of a learner of whose own message a byte left */
    Told FindTold(LearnerId id) const;
    /** @return releases that were part of later messages, other than @p told by FindTold() */
    Told FindLeaked(LearnerId id, const Told& told) const;
    /** @return whether the same messages leave when all releases but @p told are others */
    bool LeavesTheSame(LearnerId id, const Told& told) const;
    double Compare(LearnerId id);
    /** @return the smallest ratio, with a twin on neighbouring data after the same calls */
    double CompareWith(LearnerId id, const AuditedRule& twin, const Told& left, const Told& leaked);

    const PeerAuditParts& m_parts;
    NoiseFit& m_fit;
    uint64_t& m_leaked;
    Ptr<UniformRandomVariable> m_random;
    PeerAuditPlan m_plan;
    PeerAuditData m_data;
    std::vector<Learner> m_learners;
};

double
PeerRun::Execute()
{
    const auto network = CreateNetwork(m_plan.network);
    for (const auto& [name, value] : m_plan.links)
    {
        network->SetAttributeFailSafe(name, StringValue(value));
    }
    network->Build(m_plan.graph, {});
    network->AssignStreams(NETWORK_STREAM);
    CreateLearners(*network);
    AddFaults(*network);
    Simulator::Stop(m_plan.stop);
    Simulator::Run();
    double worst = std::numeric_limits<double>::infinity();
    for (LearnerId id = 0; id < m_learners.size(); ++id)
    {
        worst = Least(worst, Compare(id));
    }
    m_learners.clear();
    Simulator::Destroy();
    return worst;
}

void
PeerRun::AddFaults(const Network& network) const
{
    if (!m_parts.faults)
    {
        return;
    }
    const auto random = CreateSeeded<UniformRandomVariable>(FAULT_STREAM, 0);
    FaultSchedule faults;
    const bool tcp = m_plan.transport == "TcpTransport";
    const Time end = Min(m_plan.stop, MilliSeconds(200)); // most runs are over then
    for (const std::string& event : DrawFaults(m_plan.graph, Time(0), end, {!tcp, {}}, *random))
    {
        faults.Add(event);
    }
    std::vector<Ptr<LearnerApplication>> learners;
    for (const Learner& learner : m_learners)
    {
        learners.push_back(learner.application);
    }
    faults.Install(m_plan.graph, network, learners, FAULT_STREAM + 1);
}

bool
PeerRun::IsAccepted() const
{
    try
    {
        LearnerContext context;
        context.task = m_data.GetTask();
        context.stream = m_data.MakeStream(0);
        const Neighbors neighbors{m_plan.graph.GetInNeighbors(0), m_plan.graph.GetOutNeighbors(0)};
        context.neighbors = {{ModelChannel::STATE, neighbors}, {ModelChannel::TRACKER, neighbors}};
        const AuditedRule audited = MakeAuditedRule(m_parts, m_plan);
        audited.rule->Setup(context);
        audited.rule->AssignStreams(0);
        audited.rule->BeginRound(0);
        audited.rule->Compute();
        audited.rule->Send(); // some combinations are refused when they are used
        audited.rule->EndRound({});
        return true;
    }
    catch (const std::invalid_argument&)
    {
        return false; // one of the refusals that keep accounts true
    }
}

void
PeerRun::DrawParts()
{
    constexpr int TRIES = 20;
    for (int k = 0; k < TRIES; ++k)
    {
        m_plan.DrawParts();
        if (IsAccepted())
        {
            return;
        }
    }
    m_plan.DropParts();
}

void
PeerRun::ConfigureExchange(MessageExchange& exchange, LearnerId id) const
{
    exchange.SetAttribute("FloatBits", UintegerValue(m_plan.floatBits));
    exchange.SetAttribute("Transport", TypeIdValue(FindType(m_plan.transport)));
    if (m_parts.compressor.HasConstructor())
    {
        exchange.SetAttribute("Compressor", TypeIdValue(m_parts.compressor));
    }
    else
    {
        Compress("compress", m_plan.compress, exchange);
    }
    exchange.AssignStreams(EXCHANGE_STREAM + STREAMS * id);
}

void
PeerRun::CreateLearners(const Network& network)
{
    m_learners.clear();
    for (LearnerId id = 0; id < m_plan.learners; ++id)
    {
        m_learners.push_back({nullptr, nullptr, MakeAuditedRule(m_parts, m_plan), nullptr});
    }
    m_plan.Suit(*m_learners.front().inner.rule);
    PeerHelper helper;
    helper.SetAttribute("Rule", TypeIdValue(RecordedRule::GetTypeId()));
    helper.SetAttribute("Rounds", UintegerValue(m_plan.rounds));
    helper.SetAttribute("RoundPolicy", TypeIdValue(FindType(m_plan.roundPolicy)));
    helper.SetAttribute(
        "MissingPolicy",
        TypeIdValue(FindType(m_plan.lastReceived ? "LastReceived" : "SkipMissing")));
    helper.SetAttribute("UsePartial", BooleanValue(m_plan.usePartial));
    helper.SetAttribute("ResponseTimeout", TimeValue(MilliSeconds(100)));
    helper.SetAttribute("SuspicionTimeout", TimeValue(MilliSeconds(200)));
    const auto applications = helper.Create(network);
    std::vector<Ptr<SampleStream>> streams;
    for (LearnerId id = 0; id < m_plan.learners; ++id)
    {
        Learner& learner = m_learners[id];
        learner.application = applications[id];
        learner.recorder = DynamicCast<RecordedRule>(applications[id]->GetRule());
        learner.recorder->SetInner(learner.inner.rule);
        const auto policy = applications[id]->GetRoundPolicy();
        policy->SetAttributeFailSafe("Deadline", TimeValue(m_plan.deadline));
        policy->SetAttributeFailSafe("Period", TimeValue(m_plan.deadline));
        policy->SetAttributeFailSafe("Fraction", DoubleValue(m_plan.fraction));
        applications[id]->AssignStreams(LEARNER_STREAM + STREAMS * id);
        ConfigureExchange(*applications[id]->GetExchange(), id);
        learner.wire = std::make_unique<WireRecorder>(*applications[id]->GetExchange());
        streams.push_back(m_data.MakeStream(id));
    }
    PeerHelper::Connect(applications,
                        network,
                        m_plan.graph,
                        m_plan.graph,
                        m_data.GetTask(),
                        streams);
    m_plan.churn.Install({applications.begin(), applications.end()});
}

SampleIndices
PeerRun::ChooseSamples(LearnerId id) const
{
    const auto& learner = m_learners[id];
    const std::string unit = DescribeUnit(learner.inner.base);
    const SampleStream& stream = *learner.application->GetContext().stream;
    const SampleIndices& log = stream.GetLog();
    UintegerValue window;
    const bool keeps = learner.inner.base->GetAttributeFailSafe("HistoryWindow", window);
    if (unit == "learner" || log.empty() || (unit == "batch" && !keeps))
    {
        return m_data.GetShard(id);
    }
    if (unit == "sample")
    {
        return {log[m_random->GetInteger(0, static_cast<uint32_t>(log.size() - 1))]};
    }
    // The first batch, which the history holds longest, or one drawn at random; its samples must
    // not be in another one.
    const uint32_t batches = static_cast<uint32_t>(log.size()) / m_plan.batch;
    const uint32_t batch =
        m_random->GetValue(0, 1) < 0.5 ? 0 : m_random->GetInteger(0, batches - 1);
    const auto begin = log.begin() + batch * m_plan.batch;
    const SampleIndices own(begin, begin + m_plan.batch);
    const bool alone = std::all_of(own.begin(), own.end(), [&](uint32_t sample) {
        return std::count(log.begin(), log.end(), sample) ==
               std::count(own.begin(), own.end(), sample);
    });
    return alone ? own : SampleIndices();
}

AuditedRule
PeerRun::MakeTwin(LearnerId id, Ptr<Task> task, const Told& told, double shift) const
{
    const Learner& learner = m_learners[id];
    AuditedRule twin = MakeAuditedRule(m_parts, m_plan);
    for (size_t k = 0; k < twin.noise.size(); ++k)
    {
        std::vector<RecordedNoise::Target> targets;
        const auto& records = learner.inner.noise[k]->GetRecords();
        for (size_t r = 0; r < records.size(); ++r)
        {
            targets.push_back({records[r], told[k][r], shift});
        }
        twin.noise[k]->Absorb(std::move(targets));
    }
    LearnerContext context = learner.application->GetContext();
    context.task = task;
    context.stream = m_data.MakeStream(id);
    twin.rule->AssignStreams(LEARNER_STREAM + STREAMS * id);
    twin.rule->Setup(context);
    return twin;
}

PeerRun::Told
PeerRun::FindTold(LearnerId id) const
{
    Told told;
    const std::vector<ModelChannel> channels{ModelChannel::STATE, ModelChannel::TRACKER};
    for (size_t k = 0; k < m_learners[id].inner.noise.size(); ++k)
    {
        told.emplace_back();
        for (const NoiseRecord& record : m_learners[id].inner.noise[k]->GetRecords())
        {
            told[k].push_back(
                m_learners[id].wire->GetContents().count({record.round, channels[k]}) > 0);
        }
    }
    return told;
}

bool
PeerRun::LeavesTheSame(LearnerId id, const Told& told) const
{
    const Learner& learner = m_learners[id];
    const AuditedRule twin = MakeTwin(id, m_data.GetTask(), told, 3.7);
    const WireContents contents =
        ReplayWire([this, id](MessageExchange& e) { ConfigureExchange(e, id); },
                   m_plan.dimension,
                   learner.wire->GetIds(),
                   learner.recorder->GetCalls(),
                   *twin.rule);
    return contents == learner.wire->GetContents();
}

PeerRun::Told
PeerRun::FindLeaked(LearnerId id, const Told& told) const
{
    Told leaked = told;
    for (auto& records : leaked)
    {
        std::fill(records.begin(), records.end(), false);
    }
    if (LeavesTheSame(id, told))
    {
        return leaked;
    }
    Told all = told;
    for (auto& records : all)
    {
        std::fill(records.begin(), records.end(), true);
    }
    if (!LeavesTheSame(id, all))
    {
        throw std::logic_error("PeerAudit: the same calls do not lead to the same messages");
    }
    for (size_t k = 0; k < told.size(); ++k)
    {
        for (size_t r = 0; r < told[k].size(); ++r)
        {
            if (!told[k][r])
            {
                Told others = all;
                others[k][r] = false;
                leaked[k][r] = !LeavesTheSame(id, others);
            }
        }
    }
    return leaked;
}

double
PeerRun::Compare(LearnerId id)
{
    const Learner& learner = m_learners[id];
    for (const auto& noise : learner.inner.noise)
    {
        for (const NoiseRecord& record : noise->GetRecords())
        {
            m_fit.Add(noise->GetLaw(), noise->GetScale(record.round), record.before, record.after);
        }
    }
    const Told left = FindTold(id);
    const Told leaked = FindLeaked(id, left);
    Told told = left;
    for (size_t k = 0; k < told.size(); ++k)
    {
        for (size_t r = 0; r < told[k].size(); ++r)
        {
            told[k][r] = left[k][r] || leaked[k][r];
            const uint32_t round = learner.inner.noise[k]->GetRecords()[r].round;
            m_leaked += leaked[k][r] && !learner.wire->HasLeft(round) ? 1 : 0;
        }
    }
    const AuditedRule twin = MakeTwin(id, m_data.MakeNeighbour(ChooseSamples(id)), told, 0);
    Replay(learner.recorder->GetCalls(), *twin.rule);
    return CompareWith(id, twin, left, leaked);
}

double
PeerRun::CompareWith(LearnerId id, const AuditedRule& twin, const Told& left, const Told& leaked)
{
    const Learner& learner = m_learners[id];
    const auto account = learner.inner.base->GetLedger();
    AuditedLoss loss;
    const auto add = [&](const Told& which, uint64_t from, uint64_t to) {
        for (size_t k = 0; k < which.size(); ++k)
        {
            const RecordedNoise& noise = *learner.inner.noise[k];
            for (size_t r = 0; r < which[k].size(); ++r)
            {
                const NoiseRecord& record = noise.GetRecords()[r];
                if (which[k][r] && record.round >= from && record.round < to)
                {
                    loss.Add(noise.GetLaw(),
                             noise.GetScale(record.round),
                             record.before,
                             twin.noise[k]->GetRecords()[r].before);
                }
            }
        }
    };
    const auto compare = [&](const Spent& spent) {
        return GetAccountRatio(spent, loss.GetTruth(account->GetDelta()));
    };
    double worst = 1; // on the way only errors count
    uint64_t next = 0;
    for (const RuleCall& call : learner.recorder->GetCalls())
    {
        if (call.kind == RuleCall::Kind::END || call.kind == RuleCall::Kind::ABANDON)
        {
            add(left, next, uint64_t{call.round} + 1);
            next = std::max(next, uint64_t{call.round} + 1);
            worst = Least(worst, compare(call.spent));
        }
    }
    add(left, next, std::numeric_limits<uint64_t>::max());
    add(leaked, 0, std::numeric_limits<uint64_t>::max());
    const double final = compare(GetSpent(*account));
    return worst < 1 || std::isnan(worst) ? Least(worst, final) : final;
}

} // namespace

double
PeerAudit::Run(uint64_t run)
{
    RngSeedManager::SetRun(run);
    return PeerRun(m_parts, m_fit, m_leaked).Execute();
}

} // namespace ns3::dlearn
