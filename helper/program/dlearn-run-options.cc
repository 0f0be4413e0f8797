/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-options.h"

#include "dlearn-attribute-watch.h"
#include "dlearn-threat-model-option.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/dlearn-wifi-radio.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

constexpr auto P = static_cast<uint32_t>(RunKind::PEERS);
constexpr auto D = static_cast<uint32_t>(RunKind::DIRECTED);
constexpr auto F = static_cast<uint32_t>(RunKind::FEDERATION);

const std::string PREFIX = "ns3::dlearn::"; //!< of types

// What options need to have an effect.
const std::string DATA_SET = "a data set, and data linear-gaussian is none";
const std::string TRACKING = "algorithm dp-gt or gt";
const std::string THREAT_MODEL = "a threat-model other than none";
const std::string ATTACK = "an attack";

/** @return whether data are neither generated nor drawn */
bool
IsReadFromFiles(const std::string& data)
{
    return data != "generated" && data != "glyphs" && data != "linear-gaussian";
}

/** @return full names of attributes of dlearn's types */
std::vector<std::string>
Of(const std::vector<std::string>& attributes)
{
    std::vector<std::string> names;
    for (const std::string& attribute : attributes)
    {
        names.push_back(PREFIX + attribute);
    }
    return names;
}

/** @return an attribute of all rules of peers that have it */
std::vector<std::string>
OfRules(const std::string& attribute)
{
    std::vector<std::string> names;
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        for (size_t a = 0; type.IsChildOf(UpdateRule::GetTypeId()) && a < type.GetAttributeN(); ++a)
        {
            if (type.GetAttribute(a).name == attribute)
            {
                names.push_back(type.GetAttributeFullName(a));
            }
        }
    }
    return names;
}

/** @return both lists, one after the other */
std::vector<std::string>
Join(std::vector<std::string> one, const std::vector<std::string>& other)
{
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

/** Collects options. */
class OptionTable
{
  public:
    /** @param kind of run whose options are collected */
    explicit OptionTable(RunKind kind)
        : m_kind(static_cast<uint32_t>(kind))
    {
    }

    /** @param group title of the options that are added next */
    void Begin(const char* group)
    {
        m_group = group;
    }

    /** Adds an option; what is said of it next is forgotten where the kind of run has it not. */
    OptionTable& Add(const char* name, uint32_t kinds, OptionValue value, const std::string& help)
    {
        m_options.push_back({name, m_group, kinds, help, value});
        return *this;
    }

    /** Other names of the option added last. */
    OptionTable& Alias(const std::vector<std::string>& aliases)
    {
        m_options.back().aliases = aliases;
        return *this;
    }

    /** Attributes of dlearn's types that the option added last sets. */
    OptionTable& Sets(const std::vector<std::string>& attributes)
    {
        m_options.back().attributes = Of(attributes);
        return *this;
    }

    /** Full names of attributes that a run sets because of the option added last. */
    OptionTable& Governs(const std::vector<std::string>& attributes)
    {
        m_options.back().overwritten = attributes;
        return *this;
    }

    /** What the option added last needs to have an effect. */
    OptionTable& Needs(bool there, const std::string& what)
    {
        m_options.back().missing = there ? "" : what;
        return *this;
    }

    /** What all options of the group need that were added since an option. */
    void AllNeed(const char* first, bool there, const std::string& what)
    {
        const auto begin = std::find_if(m_options.begin(), m_options.end(), [&](const auto& o) {
            return o.name == first;
        });
        for (auto option = begin; option != m_options.end(); ++option)
        {
            option->missing = there ? option->missing : what;
        }
    }

    /** @return all options of the kind of run */
    std::vector<RunOption> Take()
    {
        std::vector<RunOption> options;
        for (RunOption& option : m_options)
        {
            if ((option.kinds & m_kind) != 0)
            {
                options.push_back(std::move(option));
            }
        }
        return options;
    }

  private:
    uint32_t m_kind;                  //!< of run
    std::string m_group;              //!< of the options that are added next
    std::vector<RunOption> m_options; //!< of all kinds
};

/** @return the names of a family, for help */
std::string
List(const ComponentFamily& family)
{
    return JoinNames(GetComponentNames(family));
}

void
AddLearningOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Begin("Learning");
    table
        .Add("algorithm",
             P | D | F,
             &s.algorithm,
             federation
                 ? "fedavg (clients train, the server averages) or cafcor (workers return "
                   "gradients with momentum)"
                 : "rule of the learners: " + List(GetPeerRuleFamily()) +
                       (s.kind == RunKind::DIRECTED ? ", or gt, dp-gt without noise" : "") +
                       ", or the full name of a type derived from ns3::dlearn::UpdateRule, with "
                       "attributes: mine::Rule,StepSize=0.1")
        .Alias(federation ? std::vector<std::string>{} : std::vector<std::string>{"rule"})
        .Governs(Of({"PeerApplication::Rule"}));
    table
        .Add("server-rule",
             F,
             &s.serverRule,
             "type of the server's rule, with attributes (" + List(GetServerRuleFamily()) +
                 " or a type of your own); empty: the algorithm's")
        .Governs(Of({"FederatedServer::Rule"}));
    table
        .Add("client-rule",
             F,
             &s.clientRule,
             "type of the clients' rule, likewise (" + List(GetClientRuleFamily()) + ")")
        .Governs(Of({"FederatedClient::Rule"}));
    table
        .Add("learners",
             P | D | F,
             &s.learners,
             federation ? "clients that train"
                        : "number of learners; 0: as many as the file of the graph")
        .Alias(federation ? std::vector<std::string>{"clients", "workers"}
                          : std::vector<std::string>{});
}

void
AddTrainingOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Begin("Learning");
    table.Add("rounds", P | D | F, &s.rounds, "number of rounds")
        .Sets({"PeerApplication::Rounds", "FederatedServer::Rounds"});
    table
        .Add("local-steps",
             F,
             &s.localSteps,
             "gradient steps of a client in a round, all of the same number of samples, or inf: "
             "exact "
             "minimum; empty: what batch-size makes")
        .Governs(Of({"LocalSgd::LocalSteps"}));
    table.Add("epochs", F, &s.epochs, "passes of a client over its samples of a round");
    table
        .Add("batch-size",
             P | F,
             &s.batchSize,
             federation
                 ? "samples of a client's gradient step; cafcor: of a round's gradient; auto: by "
                   "local-steps, or 20 for data sets"
                 : "new samples of each learner in each round")
        .Alias({"batch"})
        .Governs(Of({"LocalSgd::BatchSize"}));
    table
        .Add("step-size",
             F,
             &s.stepSize,
             "of the clients' gradient steps; cafcor: of the server; auto: 0.05 for "
             "linear-gaussian, of data "
             "sets 1 where features have norms of at most 1, 0.1 for neural networks, else 0.01")
        .Governs(Of({"LocalSgd::StepSize"}));
    const bool oneStep =
        s.localSteps == "1" || (federation && s.localSteps.empty() && s.IsLinearGaussian());
    table.Add("proximal", F, &s.proximal, "")
        .Sets({"LocalSgd::Proximal"})
        .Needs(!oneStep, "more than one of the local-steps");
}

void
AddServerOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Learning");
    table
        .Add("server-rate",
             F,
             &s.serverRate,
             "sync, buffered: the server's step along the mean update")
        .Sets({"FedAvgServer::LearningRate"})
        .Governs(Of({"RobustServer::LearningRate"}));
    table
        .Add("momentum",
             F,
             &s.momentum,
             "sync, buffered: of the server's steps (FedAvgM); cafcor: of the workers, less than 1")
        .Sets({"FedAvgServer::Momentum", "RobustServer::Momentum", "CafCorWorker::Momentum"});
    table.Add("mixing", F, &s.mixing, "async: share of a fresh client's model in the next one")
        .Sets({"FedAsyncServer::Mixing"});
    table
        .Add("aggregator",
             P | D | F,
             &s.aggregator,
             "robust aggregation in place of the weighted mean: none, " +
                 List(GetAggregatorFamily()) +
                 "; of these, Average, TrimmedMean and Median let peers keep a "
                 "privacy "
                 "account")
        .Governs(Join(Of({"RobustServer::Aggregator"}), OfRules("Aggregator")));
    table
        .Add("pre-aggregator",
             P | D | F,
             &s.preAggregator,
             "before it: " + List(GetPreAggregatorFamily()) + ", several joined by +")
        .Alias({"pre"});
    table
        .Add("init-std",
             P | D,
             &s.initStd,
             "standard deviation of what is added to each entry of each learner's initial model, "
             "which is the same for all and zero unless the task is a neural network")
        .Alias({"initial"});
}

void
AddSchemeOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Learning");
    table.Add("scheme", D, &s.scheme, "what steps, samples and noise depend on: s1, s2 or free");
    table.Add("alpha", D, &s.alpha, "coupling of the states; 0: the scheme's")
        .Governs(Join(Of({"GradientTracking::Alpha"}), OfRules("Coupling")));
    table.Add("beta", D, &s.beta, "coupling of the trackers; 0: the scheme's")
        .Governs(Of({"GradientTracking::Beta"}))
        .Needs(s.IsTracking(), TRACKING);
    table.Add("gamma", D, &s.gamma, "step along the tracker, or of the gradient; 0: the scheme's")
        .Governs(Join(Of({"GradientTracking::Gamma"}), OfRules("StepSize")));
    table.Add("compensation", D, &s.compensation, "of lost trackers: none or running-sum")
        .Governs(Of({"GradientTracking::LossCompensation"}));
}

void
AddDataOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const bool linear = federation && s.IsLinearGaussian();
    table.Begin("Data");
    table.Add("data", P | D | F, &s.data, (federation ? "linear-gaussian, " : "") + GetDataNames());
    table
        .Add("data-dir",
             P | D | F,
             &s.dataDir,
             "where data sets are; default DLEARN_DATA, then ../shared/data")
        .Needs(IsReadFromFiles(s.data), "data that are read from files");
    table
        .Add("task",
             P | D | F,
             &s.task,
             "auto, logistic, softmax, least-squares, sine (not convex, with a known minimum), cnn "
             "(a "
             "convolutional network for images, 28 x 28 for instance), net:LAYERS, layers of "
             "convFxS "
             "(F filters of S x S), poolS, relu, sigmoid, flatten, fcN with commas between them, "
             "such "
             "as net:fc100,relu,fc10, or torch:FILE, a network in a TorchScript file (needs "
             "LibTorch)")
        .Governs(Of({"NeuralNetworkTask::Layers", "TorchTask::File"}))
        .Needs(!linear, DATA_SET);
    table.Add("partition", P | D | F, &s.partition, "iid, label, sorted or dirichlet:ALPHA")
        .Needs(!linear, DATA_SET);
    table
        .Add("samples",
             D | F,
             &s.samples,
             federation
                 ? "samples of a client in a round; 0: its whole share; auto: 50 of "
                   "linear-gaussian, of data sets the whole share"
                 : "samples of a round's gradient, at most all of the learner; auto or 0: the "
                   "scheme's")
        .Governs(Of({"GradientTracking::Samples"}))
        .Needs(!federation || !s.IsCafCor(), "algorithm fedavg; of cafcor see batch-size");
}

void
AddPreparationOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Data");
    table.Add("data-samples",
              P | D | F,
              &s.dataSamples,
              "of generated and glyphs: samples; 0: 8000 and 12500");
    table.Add("test-fraction",
              P | D | F,
              &s.testFraction,
              "share of the samples kept back for scoring, where there is no test set");
    table.Add(
        "unit-norm",
        P | D | F,
        &s.unitNorm,
        "divide the features by the largest norm of a sample; not with normalize or task sine");
    table.Add("normalize",
              P | D | F,
              &s.normalize,
              "images: mean 0 and variance 1 in each channel of the training data");
    table.Add("mirror", P | D | F, &s.mirror, "images: learn from the mirror images, too");
    table
        .Add("regularization",
             P | D | F,
             &s.regularization,
             "data sets: strength of the l2 regularization")
        .Governs(Of({"Task::Regularization"}));
    const bool linear = s.kind == RunKind::FEDERATION && s.IsLinearGaussian();
    table.AllNeed("data-samples", !linear, DATA_SET);
}

void
AddProblemOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Data");
    table.Add("dimension", F, &s.dimension, "linear-gaussian: entries of the model");
    table.Add("noise-std",
              F,
              &s.noiseStd,
              "linear-gaussian: noise on the targets; or a list, one a client");
    table.Add("heterogeneity",
              F,
              &s.heterogeneity,
              "linear-gaussian: distance of each client's truth from the common one");
    table.Add("initial-error", F, &s.initialError, "linear-gaussian: ||w* - w_0||^2");
    table.Add("sparsity", F, &s.sparsity, "linear-gaussian: non-zero entries of w*; 0 for all");
    table.Add("drift",
              F,
              &s.drift,
              "linear-gaussian: root mean squared step of w* from round to round");
    table.AllNeed("dimension", s.IsLinearGaussian(), "data linear-gaussian");
}

void
AddNetworkOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Network");
    table.Add("network", P | D | F, &s.network, GetNetworkNames());
    table
        .Add("transport",
             P | D | F,
             &s.transport,
             "udp, broadcast (UDP; shared media only; of a server, its model once to all) or tcp")
        .Governs(Of({"MessageExchange::Transport"}));
    table.Add("graph", P, &s.graph, "ring|path|complete|star|grid|er:P|rgg:R|graphml:FILE");
    table.Add("edge-weight", P, &s.edgeWeight, "metropolis, max-degree or the weight of every edge")
        .Alias({"weight"})
        .Needs(s.aggregator == "none", "aggregator none, which is the weighted mean");
    table.Add("state-graph",
              D,
              &s.stateGraph,
              "which learner sends its state to which: "
              "ring|exponential|complete|tree:EXTRA|random:P|radio|"
              "csv:FILE|graphml:FILE");
    table
        .Add("tracker-graph",
             D,
             &s.trackerGraph,
             "which learner sends its tracker to which: as state-graph, or same")
        .Needs(s.IsTracking(), TRACKING);
    table.Add("powers",
              D,
              &s.powers,
              "radio: power of the learners in dBm, or LOW:HIGH to draw them from");
}

void
AddQueueOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Network");
    const bool bulk = s.crossTraffic.find("bulk:") != std::string::npos;
    table.Add("tcp", P | D | F, &s.tcp, "congestion control: " + List(GetCongestionControlFamily()))
        .Needs(s.transport == "tcp" || bulk, "transport tcp or cross traffic by TCP");
    table.Add("queue-disc",
              P | D | F,
              &s.queueDisc,
              "of every interface: none, " + List(GetQueueDiscFamily()));
    table.Add("queue-size",
              P | D | F,
              &s.queueSize,
              "of the queue disc or, without one, of the device: 100p, 64kB, unlimited; empty for "
              "ns-3's");
}

void
AddRadioOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Network");
    table.Add("wifi-standard", P | D | F, &s.wifiStandard, "Wi-Fi: a, g, n, ac or ax");
    table.Add("wifi-width", P | D | F, &s.wifiWidth, "Wi-Fi: of the channel in MHz, 20 to 160");
    table.Add("rate-manager",
              P | D | F,
              &s.rateManager,
              "Wi-Fi: chooses rates: " + List(GetRateManagerFamily()));
    table.Add("path-loss",
              P | D | F,
              &s.pathLoss,
              "Wi-Fi: by distance: " + List(GetPathLossFamily()));
    table.Add("fading", P | D | F, &s.fading, "Wi-Fi: besides: none, or a path loss");
}

void
AddLinkOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Begin("Network");
    table.Add("loss", P | D | F, &s.loss, "probability that a packet is lost, [0, 1)");
    table.Add("delay", P | D | F, &s.delay, "propagation delay of a wired link");
    table.Add("rate", P | D | F, &s.rate, "rate of a wired link");
    table.Add("trunk-rate",
              P | D | F,
              &s.trunkRate,
              "rate between the routers of a tree or backbone");
    table.Add(
        "mtu",
        P | D | F,
        &s.mtu,
        "largest IP packet in bytes; 0: 1500, of ideal 65535; more, of ideal, p2p, tree, backbone "
        "and trace: fewer packets to simulate");
    table.Add("cross-traffic",
              P | D | F,
              &s.crossTraffic,
              "of others, between the nodes of learners: "
              "constant:RATE:AtoB,onoff:RATE:AtoB,bulk:AtoB,...; * for A or B: all others");
    table.Add("side", P | D | F, &s.side, "radio: side in metres of the square of positions");
    table.Add("mobility", P | D | F, &s.mobility, "radio: move by random waypoint");
    table.Add("float-bits", P | D | F, &s.floatBits, "bits of a number on the wire: 16, 32 or 64")
        .Sets({"MessageExchange::FloatBits"});
    table
        .Add("compress",
             P | D | F,
             &s.compress,
             std::string(federation ? "of the clients' updates" : "of what is sent") +
                 ": none, fp16, or one of " + List(GetCompressorFamily()) +
                 " with a number: qsgd:LEVELS, topk:ENTRIES")
        .Governs(Of({"MessageExchange::Compressor"}));
    table.Add("compress-model",
              F,
              &s.compressModel,
              "of the server's model: none, fp16 or qsgd:LEVELS");
}

void
AddDeviceOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Network");
    table.Add("devices",
              F,
              &s.devices,
              "CSV file of unequal devices: client,rate,delay,loss,flops");
    table.Add(
        "client-rate",
        F,
        &s.clientRate,
        "of the clients' links: a value, uniform:A:B, lognormal:MEDIAN:SIGMA or exponential:MEAN");
    table.Add("client-delay", F, &s.clientDelay, "of the clients' links, likewise");
    table.Add("client-loss", F, &s.clientLoss, "of the clients' links, likewise");
    table.Add("client-flops",
              F,
              &s.clientFlops,
              "operations a second of the clients' devices, likewise");
}

void
AddTimingOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Begin("Timing");
    table
        .Add("deadline",
             P | D | F,
             &s.deadline,
             "longest time of a round, such as 200ms; empty: wait for all")
        .Governs(Of({"DeadlinePolicy::Deadline"}));
    table
        .Add("quorum",
             P | D | F,
             &s.quorum,
             "share of the expected messages that closes a round, (0, 1]")
        .Governs(Of({"QuorumPolicy::Fraction"}));
    table
        .Add("timeout",
             P | D | F,
             &s.responseTimeout,
             std::string(federation ? "longest wait for the answer to a model"
                                    : "longest wait for neighbours after sending") +
                 "; a learner that is waited for twice as long is suspected to have failed")
        .Alias({"patience"})
        .Governs(federation
                     ? Of({"FederatedServer::ResponseTimeout", "FederatedServer::SuspicionTimeout"})
                     : std::vector<std::string>{});
    table
        .Add("on-missing",
             P | D,
             &s.onMissing,
             "what a missing message means: " + List(GetMissingFamily()))
        .Alias({"missing"})
        .Governs(Of({"PeerApplication::MissingPolicy"}));
    table.Add(
        "synchrony",
        P | D,
        &s.synchrony,
        "rounds: learners go through them together; async: each at its own pace, without waiting; "
        "async:PERIOD: likewise, a round taking at least so long");
}

void
AddScheduleOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Timing");
    table.Add("mode", F, &s.mode, "sync, async (FedAsync) or buffered (FedBuff)")
        .Governs(Of({"FederatedServer::Schedule"}));
    table
        .Add("sample-fraction",
             F,
             &s.sampleFraction,
             "sync: share of the clients that take part in a round")
        .Sets({"UniformSampling::Fraction"});
    table
        .Add("sample-count",
             F,
             &s.sampleCount,
             "sync: number of clients in a round; 0: by the share")
        .Sets({"UniformSampling::Count"});
    table
        .Add("sample-plan",
             F,
             &s.samplePlan,
             "sync: clients of each round, such as 1-3;4,5, repeated")
        .Sets({"ScheduledSampling::Plan"});
    table.Add("buffer-size", F, &s.bufferSize, "buffered: updates that make a new model")
        .Governs(Of({"BufferedSchedule::BufferSize"}))
        .Needs(s.mode == "buffered", "mode buffered");
    table
        .Add("concurrency",
             F,
             &s.concurrency,
             "async, buffered: clients that work at a time; 0 for all")
        .Sets({"BufferedSchedule::Concurrency"});
    table
        .Add("staleness",
             F,
             &s.staleness,
             "weight of an update of an old model: " + List(GetStalenessFamily()) +
                 " with numbers, such as polynomial:A, (1+t)^-A, or hinge:B:A; or auto: discard "
                 "when "
                 "sync, else polynomial:0.5")
        .Governs(Of({"FederatedServer::Staleness"}));
}

void
AddPrivacyOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Privacy");
    table
        .Add("threat-model",
             F,
             &s.threatModel,
             GetThreatModelHelp() + "; none: no noise; fedavg: none, cdp or ldp")
        .Alias({"model"});
    const bool model = s.threatModel != "none";
    table.Add("view", F, &s.view, GetViewHelp()).Needs(model, THREAT_MODEL);
    table
        .Add("target-epsilon",
             F,
             &s.targetEpsilon,
             "what the run may cost every client; the noise follows")
        .Needs(model, THREAT_MODEL);
    table
        .Add("clip",
             F,
             &s.clip,
             "largest norm C of what a client releases: fedavg: its update; cafcor: the mean "
             "gradient "
             "of a batch, for unit sample of each sample's")
        .Governs(Of({"CafCorWorker::ClipNorm"}))
        .Needs(model || s.IsCafCor(), THREAT_MODEL);
    table
        .Add("shared-noise",
             F,
             &s.sharedNoise,
             "how noise that workers share is drawn: joint (fast) or pairwise (as the protocol)")
        .Needs(model, THREAT_MODEL);
    table
        .Add(
            "noise-recovery",
            F,
            &s.noiseRecovery,
            "whether workers tell the noise that they share with those whose messages are missing; "
            "see the manual for its price")
        .Alias({"repair"})
        .Governs(Of({"RobustServer::NoiseRecovery"}));
}

void
AddNoiseOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Begin("Privacy");
    table.Add("mechanism",
              P | D,
              &s.mechanism,
              "noise on what is sent: " + List(GetMechanismFamily()) + "; empty: the algorithm's");
    table
        .Add("privacy-unit",
             P | D | F,
             &s.privacyUnit,
             federation
                 ? "what privacy protects: all data of a client (learner, or user) or, cafcor, "
                   "each sample (sample, or example)"
                 : "what epsilon protects: " + List(GetPrivacyUnitFamily()) +
                       "; empty: the algorithm's (ldp-online: batch; dp-sgd, dp-gt: sample; "
                       "others: learner)")
        .Alias({"level"})
        .Needs(!federation || s.threatModel != "none", THREAT_MODEL);
    table
        .Add("noise",
             P | D,
             &s.noise,
             s.kind == RunKind::PEERS
                 ? "multiplies the base noise; 0: no noise, epsilon infinite"
                 : "multiplies the noise of the scheme; 0: no noise, epsilon infinite")
        .Governs(s.kind == RunKind::PEERS
                     ? std::vector<std::string>{}
                     : Of({"LaplaceMechanism::BaseScale", "GaussianMechanism::BaseScale"}));
    table
        .Add("noise-exponent",
             P,
             &s.noiseExponent,
             "growth of the noise scale: (t+1)^(this + step i), i from 1")
        .Governs(Of({"LaplaceMechanism::GrowthExponent", "GaussianMechanism::GrowthExponent"}));
    table.Add("noise-exponent-step",
              P,
              &s.noiseExponentStep,
              "see noise-exponent; with many learners choose it smaller");
    table
        .Add("state-noise-exponent",
             D,
             &s.stateNoiseExponent,
             "of the noise on states, (k+1)^this, or in scheme s2 this^K; empty: the scheme's")
        .Governs(Of({"LaplaceMechanism::GrowthExponent", "GaussianMechanism::GrowthExponent"}));
    table
        .Add("tracker-noise-exponent",
             D,
             &s.trackerNoiseExponent,
             "of the noise on trackers, likewise")
        .Needs(s.IsTracking(), TRACKING);
    table.AllNeed("mechanism",
                  s.algorithm != "gt",
                  "an algorithm that adds noise, which gt does not");
}

void
AddAccountOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Begin("Privacy");
    table
        .Add("smoothness",
             D,
             &s.smoothness,
             "L for the privacy account of dp-gt: Lipschitz constant of one sample's gradient; "
             "negative: what the task knows; 0: Lemma 2 as printed, which is no bound")
        .Sets({"GradientTrackingLedger::Smoothness"});
    table
        .Add("delta",
             P | D | F,
             &s.delta,
             federation
                 ? "of epsilon"
                 : "of epsilon, where the noise is not of Laplace's law; 0: attribute Delta of "
                   "ns3::dlearn::PrivacyAccount")
        .Needs(!federation || s.threatModel != "none", THREAT_MODEL);
    table
        .Add("budget",
             P | D | F,
             &s.budget,
             std::string("epsilon after which a learner stops to send; 0: ") +
                 (federation ? "none"
                             : "attribute Budget of ns3::dlearn::PrivacyAccount, which is none"))
        .Governs(federation ? Of({"PrivacyAccount::Budget", "PrivacyAccount::Delta"})
                            : std::vector<std::string>{})
        .Needs(!federation || s.threatModel != "none", THREAT_MODEL);
}

void
AddAttackOptions(RunSpec& s, OptionTable& table)
{
    const bool attacked = s.attack != "none";
    table.Begin("Attacks");
    table
        .Add(
            "byzantine",
            P | D | F,
            &s.byzantine,
            s.kind == RunKind::FEDERATION
                ? "most clients f that may be Byzantine; the last f attack"
                : "learners that may be Byzantine; the last so many attack, and each of the others "
                  "takes so many of its neighbours for Byzantine, but less than half of them and "
                  "itself")
        .Governs(Join(Of({"PeerApplication::Byzantine", "RobustServer::Byzantine"}),
                      OfRules("Byzantine")))
        .Needs(s.byzantine == 0 || attacked || s.aggregator != "none" || !s.serverRule.empty(),
               "an attack, or an aggregator");
    table.Add("attack",
              P | D | F,
              &s.attack,
              LearnerAttack::List() + "; those on vectors may have :parameter=value,...");
    table
        .Add("omniscient",
             P | D | F,
             &s.omniscient,
             "whether attackers see all honest vectors or only what their neighbours send them")
        .Needs(attacked, ATTACK);
    table
        .Add("byzantine-data",
             F,
             &s.byzantineData,
             "what the last f clients learn from: own (the others share the training data; each of "
             "them draws as much again from all of it) or shards (all share the training data)")
        .Needs(s.byzantine > 0, "byzantine clients");
    table
        .Add("missing-are-byzantine",
             P | D | F,
             &s.missingAreByzantine,
             "whether a message that is missing counts as one of the f Byzantine ones, so that an "
             "aggregator expects fewer among those that arrived: not when a network loses messages "
             "by "
             "chance")
        .Governs(Join(Of({"RobustServer::MissingAreByzantine"}), OfRules("MissingAreByzantine")));
}

void
AddFaultOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Faults");
    table.Add("churn",
              P | D | F,
              &s.churn,
              "crash:LEARNER@TIME,leave:LEARNER@TIME,restart:LEARNER@TIME,...");
    table.Add(
        "links",
        P | D | F,
        &s.links,
        "of ideal, p2p and trace: down:A-B@TIME,up:A-B@TIME,loss=P:A-B@TIME,... on the link of "
        "learners A and B; AtoB: only what A sends to B");
    table.Add("faults",
              P | D | F,
              &s.faults,
              "file of faults, one a line: partitions, links down, bursts of losses, flipped bits, "
              "copies, other orders, crashes, wrong clocks; see doc/faults.rst");
}

void
AddOutputOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Output");
    table.Add("runs",
              P | D | F,
              &s.runs,
              "independent runs, from --RngRun on; their mean error goes to model_error.csv");
    table.Add("evaluate-every", P | D | F, &s.evaluateEvery, "evaluate every so many rounds");
    table
        .Add("evaluation-samples",
             P | D | F,
             &s.evaluationSamples,
             "evaluate the loss on so many random training samples, the same in every round, and "
             "the "
             "accuracy on the first so many test samples; 0: on all")
        .Needs(s.kind != RunKind::FEDERATION || !s.IsLinearGaussian(), DATA_SET);
    table.Add("threads",
              P | D | F,
              &s.threads,
              "threads that compute gradients; results do not depend on it");
    table.Add("out", P | D | F, &s.out, "directory of the results");
    table.Add("transcript",
              P | D | F,
              &s.transcript,
              "write transcript.csv: whose data entered which state, which messages left and came");
    table.Add("checkpoint-every",
              P | D | F,
              &s.checkpointEvery,
              "write checkpoint.bin every so many rounds, for --resume; 0: never");
}

/** @return an attribute that an option sets */
NamedAttribute
GetAttribute(const std::string& name)
{
    const auto attribute = FindAttribute(name);
    Require(attribute.has_value(), "no attribute ", name);
    return *attribute;
}

} // namespace

std::vector<RunOption>
GetRunOptions(RunSpec& spec)
{
    OptionTable table(spec.kind);
    AddLearningOptions(spec, table);
    AddTrainingOptions(spec, table);
    AddServerOptions(spec, table);
    AddSchemeOptions(spec, table);
    AddDataOptions(spec, table);
    AddPreparationOptions(spec, table);
    AddProblemOptions(spec, table);
    AddNetworkOptions(spec, table);
    AddLinkOptions(spec, table);
    AddQueueOptions(spec, table);
    AddRadioOptions(spec, table);
    AddDeviceOptions(spec, table);
    AddTimingOptions(spec, table);
    AddScheduleOptions(spec, table);
    AddPrivacyOptions(spec, table);
    AddNoiseOptions(spec, table);
    AddAccountOptions(spec, table);
    AddAttackOptions(spec, table);
    AddFaultOptions(spec, table);
    AddOutputOptions(spec, table);
    std::vector<RunOption> options = table.Take();
    for (RunOption& option : options)
    {
        if (option.help.empty())
        {
            option.help = GetAttribute(option.attributes.at(0)).info.help;
        }
    }
    return options;
}

std::vector<std::pair<std::string, std::string>>
GetParameters(const RunSpec& spec)
{
    std::vector<std::pair<std::string, std::string>> parameters;
    // GetRunOptions() hands out pointers for a program to write to; here they are only read.
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec)))
    {
        parameters.emplace_back(option.name, PrintOption(option.value));
    }
    return parameters;
}

OptionAttributes::OptionAttributes(const RunSpec& spec)
{
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec)))
    {
        const std::string value = PrintOption(option.value);
        for (const std::string& attribute : option.attributes)
        {
            if (!value.empty())
            {
                const auto [type, info] = GetAttribute(attribute);
                m_settings.push_back({option.name,
                                      type,
                                      info.name,
                                      value,
                                      DescribeValues(*info.checker, *info.initialValue)});
            }
        }
    }
}

void
OptionAttributes::Apply(ObjectBase& object) const
{
    const TypeId own = object.GetInstanceTypeId();
    for (const Setting& setting : m_settings)
    {
        if (own == setting.type || own.IsChildOf(setting.type))
        {
            Require(object.SetAttributeFailSafe(setting.name, StringValue(setting.value)),
                    setting.option,
                    " must be ",
                    setting.range,
                    ", got '",
                    setting.value,
                    "'");
            m_applied.insert(setting.option);
        }
    }
}

void
OptionAttributes::RequireEffect(const std::set<std::string>& options) const
{
    for (const Setting& setting : m_settings)
    {
        Require(options.count(setting.option) == 0 || m_applied.count(setting.option) > 0,
                "option ",
                setting.option,
                " has no effect: this run has no part with the attribute ",
                setting.type.GetName(),
                "::",
                setting.name);
    }
}

void
RefuseUselessOptions(const RunSpec& spec)
{
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec)))
    {
        Require(option.missing.empty() || !spec.invocation.strict ||
                    spec.invocation.options.count(option.name) == 0,
                "option ",
                option.name,
                " has no effect: it needs ",
                option.missing);
    }
}

void
RefuseOverwrittenAttributes(const RunSpec& spec)
{
    auto changed = GetChangedAttributes();
    changed.insert(spec.invocation.attributes.begin(), spec.invocation.attributes.end());
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec)))
    {
        for (const auto* attributes : {&option.attributes, &option.overwritten})
        {
            for (const std::string& attribute : *attributes)
            {
                Require(changed.count(attribute) == 0,
                        attribute,
                        " is set by the option --",
                        option.name,
                        "; use that instead of the attribute");
            }
        }
    }
}

} // namespace ns3::dlearn
