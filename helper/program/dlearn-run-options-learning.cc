/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The options of learning: rules, data, privacy and attacks.
 */

#include "dlearn-federated-privacy.h"
#include "dlearn-run-options.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-text-format.h"

#include <map>

namespace ns3::dlearn
{

using namespace run_kinds;

namespace
{

using Names = OptionTable::Names;

const std::string COUNT = "[1, 1000000]";     //!< range of samples and runs
const std::string SIZE = "[0, 1e+100]";       //!< of numbers of at least 0 whose squares are finite
const std::string STEPS = "LocalSgd";         //!< client-rule that takes gradient steps
const std::string GIVEN = "other than none";  //!< threat-model of private runs
const std::string DATA_SET = "of a data set"; //!< data that are not linear-gaussian

void
AddRuleOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const bool directed = s.kind == RunKind::DIRECTED;
    const ComponentFamily& rules = directed ? GetDirectedRuleFamily() : GetPeerRuleFamily();
    table.Add("preset",
              F,
              &s.preset,
              "a network and a federation of the literature, as defaults of other options "
              "(with --help: which): " +
                  JoinNames(GetPresetNames()) + "; empty: none");
    table
        .Add("algorithm",
             P | D | F,
             &s.algorithm,
             federation ? "a name for other options: fedavg (clients train, the server averages), "
                          "the same with proximal (fedprox), a server-optimizer (fedadagrad, "
                          "fedadam, fedyogi) or another server-rule or client-rule (scaffold, "
                          "fednova, feddyn, qfedavg, ditto, fedper); or cafcor (workers return "
                          "gradients with momentum)"
                        : "rule of the learners: " + ListTypes(rules) +
                              (directed ? " (gt: dp-gt without noise)" : "") +
                              ", or the full name of a type derived from ns3::dlearn::UpdateRule, "
                              "with attributes: mine::Rule,StepSize=0.1")
        .Alias(federation ? Names{} : Names{"rule"});
    table
        .Add("server-rule",
             F,
             &s.serverRule,
             "type of the server's rule, with attributes (" + ListTypes(GetServerRuleFamily()) +
                 " or a type of your own); empty: the algorithm's")
        .For("", "federations with a server above all clients; with edge-graph there is edge-rule");
    table.Add("client-rule",
              F,
              &s.clientRule,
              "type of the clients' rule, with attributes (" + ListTypes(GetClientRuleFamily()) +
                  ")");
    const std::string optimizers =
        ListTypes(GetOptimizerFamily()) + " or a type of your own); empty: the rule's, sgd";
    table
        .Add("server-optimizer",
             F,
             &s.serverOptimizer,
             "how the server steps along the update, with attributes (" + optimizers)
        .For("server-rule", "with an Optimizer: FedAvg or Robust, of modes sync and buffered");
    table
        .Add("client-optimizer",
             F,
             &s.clientOptimizer,
             "how clients step along gradients, with attributes (" + optimizers)
        .For("client-rule", STEPS);
    table
        .Add("learners",
             P | D | F,
             &s.learners,
             federation ? "clients that train"
                        : "number of learners; 0: as many as the file of the graph")
        .Alias(federation ? Names{"clients", "workers"} : Names{})
        .In(federation ? "[1, 100000]" : "[0, 100000]");
}

void
AddTrainingOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const std::string byBatch = "empty"; // local-steps, without which there are batches
    table.Add("rounds", P | D | F, &s.rounds, "")
        .Sets({"PeerApplication::Rounds", "FederatedServer::Rounds"});
    table
        .Add("local-steps",
             F,
             &s.localSteps,
             "gradient steps of a client in a round, all of the same number of samples, or inf: "
             "exact minimum; empty: what batch-size makes")
        .For("client-rule", STEPS);
    table.Add("epochs", F, &s.epochs, "passes of a client over its samples of a round")
        .In(COUNT)
        .Neutral("1")
        .For("", "algorithm fedavg on a data set, without local-steps");
    table
        .Add("batch-size",
             P | F,
             &s.batchSize,
             federation ? "samples of a client's gradient step; cafcor: of a round's gradient; "
                          "auto: by local-steps, or 20 for data sets"
                        : "new samples of each learner in each round")
        .Alias({"batch"})
        .In(COUNT)
        .For(federation ? "" : "algorithm",
             federation ? "algorithm cafcor, or client-rule LocalSgd without local-steps"
                        : "whose batches do not grow by SampleFactor and SampleExponent");
    table
        .Add("step-size",
             P | F,
             &s.stepSize,
             federation ? "of the clients' gradient steps; cafcor: of the server; auto: 0.05 for "
                          "linear-gaussian, of data sets 1 where features have norms of at most "
                          "1, 0.1 for neural networks, else 0.01; with client-optimizer as its "
                          "LearningRate says"
                        : "of the gradient steps, in round 0: the attribute StepSize of the rule; "
                          "auto: as the attribute says")
        .In("(0, 1e+100]")
        .For(s.IsCafCor() ? "server-rule"
             : federation ? "client-rule"
                          : "algorithm",
             s.IsCafCor() ? "Robust"
             : federation ? STEPS
                          : "whose rule has a StepSize");
    table.Add("proximal", F, &s.proximal, "")
        .Sets({"LocalSgd::Proximal", "FedDynServer::Proximal"});
    table.Add("reports", F, &s.reports, "").Sets({"FederatedClient::Reports"});
}

void
AddServerOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table
        .Add("server-rate",
             F,
             &s.serverRate,
             "sync, buffered; unless given, 0.1 with an adaptive server-optimizer:")
        .Sets(s.IsCafCor() ? Names{"FedAvgServer::LearningRate"}
                           : Names{"FedAvgServer::LearningRate", "RobustServer::LearningRate"})
        .In("(0, 1e+100]")
        .Neutral("1");
    // CafCor has its momentum in the workers.
    table
        .Add("momentum",
             F,
             &s.momentum,
             "sync, buffered: of the server's steps (FedAvgM); cafcor: of the workers, less than 1")
        .Sets(s.IsCafCor() ? Names{"CafCorWorker::Momentum"}
                           : Names{"FedAvgServer::Momentum",
                                   "RobustServer::Momentum",
                                   "CafCorWorker::Momentum"})
        .In("[0, 1)")
        .For(s.serverOptimizer.empty() ? "" : "server-optimizer",
             s.serverOptimizer.empty() ? "" : "sgd");
    table.Add("mixing", F, &s.mixing, "async:").Sets({"FedAsyncServer::Mixing"}).In("(0, 1]");
    table
        .Add("aggregator",
             P | D | F,
             &s.aggregator,
             "robust aggregation in place of the weighted mean: none, " +
                 ListTypes(GetAggregatorFamily()) + "; with these, peers keep a privacy account: " +
                 JoinNames(GetMonotoneAggregators()))
        .For(federation ? "server-rule" : "algorithm",
             federation ? "Robust" : "that mixes by an aggregator");
    table
        .Add("pre-aggregator",
             P | D | F,
             &s.preAggregator,
             "before it: " + ListTypes(GetPreAggregatorFamily()) + ", several joined by +")
        .Alias({"pre"})
        .For("aggregator", GIVEN);
    table.Add("initial-model",
              P | D | F,
              &s.initialModel,
              "file of NumPy (model.npy of a run) with the model from which all learners begin; "
              "empty: that of the task");
    table
        .Add("learner",
             P | D | F,
             &s.learner,
             "your own program that learns, in place of a task; it has its own data unless data "
             "gives it some:")
        .Sets({"ExternalTask::Command"});
    table.Add("learner-processes", P | D | F, &s.learnerProcesses, "")
        .Sets({"ExternalTask::Processes"})
        .Neutral("1");
    table.Add("evaluator",
              P | D | F,
              &s.evaluator,
              "your own program that measures models, whose metrics become columns of the results");
    table
        .Add("learner-timeout",
             P | D | F,
             &s.learnerTimeout,
             "longest wait for an answer of a learner, evaluator or planner, in real time")
        .Sets({"ExternalTask::Timeout", "ExternalSchedule::Timeout"});
    table
        .Add("init-std",
             P | D,
             &s.initStd,
             "standard deviation of what is added to each entry of each learner's initial model, "
             "which is the same for all and zero unless the task is a neural network")
        .Alias({"initial"})
        .In(SIZE);
}

void
AddTierOptions(RunSpec& s, OptionTable& table)
{
    table.Add("tiers",
              F,
              &s.tiers,
              "edge servers between server and clients: 2x10 for 2 with 10 clients each, or a CSV "
              "file with columns client,edge, both from 1; empty: none");
    table.Add("aggregate-at",
              F,
              &s.aggregateAt,
              "edge servers inside the network, each for the clients behind it: routers (tree, "
              "backbone), access-points (wifi-infra with several) or cells (lte, nr); empty: none");
    table
        .Add("edge-graph",
             F,
             &s.edgeGraph,
             "graph of edge servers that average with their neighbours, without a server above "
             "them: " +
                 GetGraphNames() + "; empty: there is a server")
        .For("", "tiers");
    const std::string users = "tiers or aggregate-at";
    table.Add("edge-period", F, &s.edgePeriod, "")
        .Sets({"EdgeRule::Period", "EdgeGossip::Period"})
        .Neutral("1")
        .For("", users);
    table
        .Add("edge-rule",
             F,
             &s.edgeRule,
             "type of the rule of edge servers, with attributes, as server-rule; empty: FedAvg, "
             "with async FedAsync, with edge-graph and an aggregator Robust")
        .For("", users);
    table
        .Add("server-schedule",
             F,
             &s.serverSchedule,
             "when the server above edge servers asks them, with attributes: " +
                 ListTypes(GetScheduleFamily()) +
                 " or a type of your own; empty: synchronous, which waits for all of them")
        .For("", "tiers without edge-graph, or aggregate-at");
}

void
AddSchemeOptions(RunSpec& s, OptionTable& table)
{
    table.Add("scheme", D, &s.scheme, "what steps, samples and noise depend on: s1, s2 or free");
    table.Add("alpha", D, &s.alpha, "coupling of the states; 0: the scheme's")
        .For("algorithm", "other than push-sum and push-diging, which have their own weights");
    table.Add("beta", D, &s.beta, "coupling of the trackers; 0: the scheme's")
        .For("algorithm", "dp-gt or gt");
    table.Add("gamma", D, &s.gamma, "step along the tracker, or of the gradient; 0: the scheme's");
    table
        .Add("compensation",
             D,
             &s.compensation,
             "of lost trackers: " + ListTypes(GetCompensationFamily()))
        .For("algorithm", "dp-gt or gt");
}

void
AddSourceOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Add("data",
              P | D | F,
              &s.data,
              (federation ? "linear-gaussian, " : "") + GetDataNames() +
                  ", or learner: the own data of the learner, as by default with one");
    table
        .Add("data-dir",
             P | D | F,
             &s.dataDir,
             "where data sets are; default DLEARN_DATA, then ../shared/data")
        .For("data", "mushrooms, mnist, fashion-mnist, emnist-SPLIT or cifar10");
    table
        .Add("task",
             P | D | F,
             &s.task,
             "auto, logistic, softmax, least-squares, sine (not convex, with a known minimum), cnn "
             "(a convolutional network for images, 28 x 28 for instance), net:LAYERS, layers of "
             "convFxS (F filters of S x S), poolS, relu, sigmoid, flatten, fcN with commas between "
             "them, such as net:fc100,relu,fc10, or torch:FILE, a network in a TorchScript file "
             "(needs LibTorch)")
        .For("data", DATA_SET + ", without a learner");
    table.Add("partition", P | D | F, &s.partition, GetPartitionNames()).For("data", DATA_SET);
    table
        .Add("feature-noise",
             P | D | F,
             &s.featureNoise,
             "variance of the normal noise that the last learner has on the features of its "
             "training samples; that of learner i of N is i/N of it")
        .In(SIZE)
        .For("data", DATA_SET + ", without a learner");
    table
        .Add("feature-rotation",
             P | D | F,
             &s.featureRotation,
             "images: degrees by which the training images of each learner are turned to the left, "
             "compared with those of the learner before; the first one's are not")
        .In("[-360, 360]")
        .For("data", DATA_SET + ", without a learner");
    table
        .Add("data-drift",
             P | F,
             &s.dataDrift,
             "how the data change during the run, those for the accuracy too: " +
                 ListTypes(GetDataDriftFamily()) +
                 ", as label:20 (new classes from round 20 on) or window:0.3 (each learner has a "
                 "moving window of 30 % of its samples); empty: not at all")
        .For("data", DATA_SET + ", without a learner");
    table
        .Add("samples",
             D | F,
             &s.samples,
             federation ? "samples of a client in a round; 0: its whole share; auto: 50 of "
                          "linear-gaussian, of data sets the whole share"
                        : "samples of a round's gradient, at most all of the learner; auto or 0: "
                          "the scheme's")
        .Alias(federation ? Names{} : Names{"batch-size", "batch"})
        .In("[0, 1e+09]")
        .For(federation ? "algorithm" : "", federation ? "fedavg; of cafcor see batch-size" : "");
}

void
AddPreparationOptions(RunSpec& s, OptionTable& table)
{
    table
        .Add("data-samples",
             P | D | F,
             &s.dataSamples,
             "of generated and glyphs: samples; 0: 8000 and 12500")
        .For("data", "generated or glyphs");
    table
        .Add("features",
             P | D | F,
             &s.features,
             "of a LIBSVM file: features of a sample, of which the last ones may be 0 in the whole "
             "file; 0: the largest index in it")
        .For("data", "in a LIBSVM file");
    table
        .Add("label",
             P | D | F,
             &s.label,
             "of a CSV file: name of the column of the labels; empty: the last one")
        .For("data", "in a CSV file");
    table
        .Add("users",
             P | D | F,
             &s.users,
             "of LEAF files: read the first so many users, also of test-data; 0: all")
        .For("data", "in a file of LEAF");
    table
        .Add("data-seed",
             P | D | F,
             &s.dataSeed,
             "data, split, partition and samples for scoring are drawn with this seed, whatever "
             "RngSeed and RngRun are; 0: with these")
        .In("[0, 4294944442]")
        .For("data", DATA_SET);
    table
        .Add("test-data",
             P | D | F,
             &s.testData,
             "file of the samples for scoring, with the columns of data")
        .For("data", "in a file");
    table
        .Add("test-fraction",
             P | D | F,
             &s.testFraction,
             "share of the samples kept back for scoring, where there is no test set")
        .In("[0, 1)")
        .For("data", "without its own test set or test-data");
    table
        .Add("client-test",
             F,
             &s.clientTest,
             "share of each client's samples, at least one if it has two, on which it does not "
             "train and its model is scored: its personal one, else the server's")
        .In("[0, 1)")
        .For("", "data sets with mirror false, without learner and data-drift");
    table
        .Add("unit-norm",
             P | D | F,
             &s.unitNorm,
             "divide the features by the largest norm of a sample; not of text, and not with "
             "normalize or task sine")
        .For("", "data sets with normalize false and another task than sine");
    table
        .Add("normalize",
             P | D | F,
             &s.normalize,
             "images: mean 0 and variance 1 in each channel of the training data")
        .For("data", DATA_SET);
    table.Add("mirror", P | D | F, &s.mirror, "images: learn from the mirror images, too")
        .For("data", DATA_SET);
    table
        .Add("regularization",
             P | D | F,
             &s.regularization,
             "data sets: strength of the l2 regularization")
        .In(SIZE)
        .For("data", DATA_SET + ", without a learner");
}

void
AddProblemOptions(RunSpec& s, OptionTable& table)
{
    const auto add = [&](const char* name, OptionValue value, const std::string& help) {
        return &table.Add(name, F, value, "linear-gaussian: " + help)
                    .For("data", "linear-gaussian");
    };
    add("dimension", &s.dimension, "entries of the model")->In("[1, 1e+08]");
    add("noise-std", &s.noiseStd, "noise on the targets; or a list, one a client");
    add("heterogeneity", &s.heterogeneity, "distance of each client's truth from the common one")
        ->In(SIZE);
    add("initial-error", &s.initialError, "||w* - w_0||^2")->In(SIZE);
    add("sparsity", &s.sparsity, "non-zero entries of w*; 0 for all");
    add("drift", &s.drift, "root mean squared step of w* from round to round")->In(SIZE);
}

void
AddThreatOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const bool model = s.threatModel != "none";
    table
        .Add("threat-model",
             F,
             &s.threatModel,
             GetThreatModelHelp() + "; none: no noise; fedavg: none, cdp, ldp, air or air-sum")
        .Alias({"model"});
    table.Add("view", F, &s.view, GetViewHelp()).For("threat-model", GIVEN);
    table
        .Add("target-epsilon",
             F,
             &s.targetEpsilon,
             "what the run may cost every client; the noise follows")
        .In("(0, 1e+100]")
        .For(model ? "noise-multiplier" : "threat-model", model ? "0" : GIVEN);
    table
        .Add(
            "noise-multiplier",
            F,
            &s.noiseMultiplier,
            "fedavg: noise in the unit of the literature, its standard deviation on the sum of "
            "the updates over clip (or of one update, with ldp; on the air at least that); epsilon "
            "follows; 0: by target-epsilon")
        .In(SIZE)
        .For("", "algorithm fedavg with a threat-model");
    table
        .Add("secret-sampling",
             F,
             &s.secretSampling,
             "each client takes part with the probability sample-fraction or sample-count / "
             "learners, and only the trusted server knows who: epsilon is smaller")
        .Alone("true")
        .For("", "algorithm fedavg with threat-model cdp");
    table.Add("adjacency", F, &s.adjacency, GetAdjacencyHelp())
        .Neutral("replace")
        .For("", "algorithm fedavg with a threat-model");
    table
        .Add("clip",
             P | D | F,
             &s.clip,
             federation ? "largest norm C of what a client releases: fedavg: its update; cafcor: "
                          "the mean gradient of a batch, for unit sample of each sample's"
                        : "largest norm C of the gradient of a sample; 0: the attribute ClipNorm "
                          "of ns3::dlearn::Task, which clips nothing")
        .In(SIZE)
        .For(federation ? "threat-model" : "", federation ? GIVEN : "");
    table.Add("adaptive-clip", F, &s.adaptiveClip, "with threat-model cdp, from clip on:")
        .Sets({"FedAvgServer::ClipQuantile"});
    table
        .Add("shared-noise",
             F,
             &s.sharedNoise,
             "how noise that workers share is drawn: " + ListTypes(GetSharedNoiseFamily()) +
                 "; none: pairwise with noise-recovery, which takes longer, else joint")
        .For("threat-model", "secldp or byzldp, where workers share noise");
    table
        .Add("noise-recovery",
             F,
             &s.noiseRecovery,
             "whether workers tell the noise that they share with those whose messages are "
             "missing; see the manual for its price")
        .Alias({"repair"})
        .For("threat-model", "secldp or byzldp, where workers share noise");
}

/** @return the units that rules of peers protect by themselves, for --help */
std::string
DescribeUsualUnits()
{
    std::map<TypeId, std::vector<std::string>> rules;
    for (const std::string& name : GetComponentNames(GetPeerRuleFamily()))
    {
        TypeId::AttributeInformation unit;
        ParseComponent(GetPeerRuleFamily(), name)
            .GetTypeId()
            .LookupAttributeByName("PrivacyUnit", &unit);
        if (const auto usual =
                dynamic_cast<const TypeIdValue*>(PeekPointer(unit.originalInitialValue)))
        {
            rules[usual->Get()].push_back(name);
        }
    }
    std::string description;
    for (const std::string& unit : GetComponentNames(GetPrivacyUnitFamily()))
    {
        const TypeId type = ParseComponent(GetPrivacyUnitFamily(), unit).GetTypeId();
        if (rules.count(type) > 0)
        {
            description += (description.empty() ? "" : "; ") + unit + ": " + JoinNames(rules[type]);
        }
    }
    return description;
}

void
AddNoiseOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const std::string noisy = "that adds noise";
    const std::string growing = "noise whose scale grows by a power";
    table
        .Add("mechanism",
             P | D,
             &s.mechanism,
             "noise on what is sent: " + ListTypes(GetMechanismFamily()) +
                 "; empty: the algorithm's")
        .For("algorithm", noisy);
    table
        .Add("privacy-unit",
             P | D | F,
             &s.privacyUnit,
             federation ? "what privacy protects: all data of a client (learner, or user) or, "
                          "cafcor, each sample (sample, or example)"
                        : "what epsilon protects: " + ListTypes(GetPrivacyUnitFamily()) +
                              "; empty: the algorithm's (" + DescribeUsualUnits() + ")")
        .Alias({"level"})
        .For(federation ? "threat-model" : "", federation ? GIVEN : "rules with a privacy account");
    table
        .Add("noise",
             P | D,
             &s.noise,
             s.kind == RunKind::PEERS
                 ? "multiplies the base noise; 0: no noise, epsilon infinite, whatever the other "
                   "options of noise and account are"
                 : "multiplies the noise of the scheme; 0: no noise, epsilon infinite, whatever "
                   "the other options of noise and account are")
        .In(SIZE)
        .For("algorithm", noisy);
    table
        .Add("noise-exponent",
             P,
             &s.noiseExponent,
             "growth of the noise scale: (t+1)^(this + step i), i from 1")
        .For("", growing);
    table
        .Add("noise-exponent-step",
             P,
             &s.noiseExponentStep,
             "see noise-exponent; with many learners choose it smaller")
        .For("", growing);
    table
        .Add("state-noise-exponent",
             D,
             &s.stateNoiseExponent,
             "of the noise on states, (k+1)^this, or in scheme s2 this^K; empty: the scheme's")
        .For("", growing);
    table
        .Add("tracker-noise-exponent",
             D,
             &s.trackerNoiseExponent,
             "as state-noise-exponent, on trackers")
        .For("", growing + ", on trackers");
}

void
AddAccountOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const std::string account = "rules with a privacy account";
    table.Add("smoothness", D, &s.smoothness, "for the privacy account of dp-gt:")
        .Sets({"GradientTrackingLedger::Smoothness"})
        .For("algorithm", "dp-gt");
    table
        .Add("delta",
             P | D | F,
             &s.delta,
             federation ? "of epsilon"
                        : "of epsilon, where the noise is not of Laplace's law; 0: attribute Delta "
                          "of ns3::dlearn::PrivacyAccount")
        .In("[0, 1)")
        .For(federation ? "threat-model" : "",
             federation ? GIVEN : account + " of noise that is not of Laplace's law");
    table
        .Add("budget",
             P | D | F,
             &s.budget,
             std::string("epsilon after which a learner stops sending; 0: ") +
                 (federation ? "none"
                             : "attribute Budget of ns3::dlearn::PrivacyAccount, which is none"))
        .In(SIZE)
        .For(federation ? "threat-model" : "", federation ? GIVEN : account);
}

} // namespace

void
AddLearningOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Learning");
    AddRuleOptions(s, table);
    AddTrainingOptions(s, table);
    AddServerOptions(s, table);
    AddTierOptions(s, table);
    AddSchemeOptions(s, table);
}

void
AddDataOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Data");
    AddSourceOptions(s, table);
    AddPreparationOptions(s, table);
    AddProblemOptions(s, table);
}

void
AddPrivacyOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Privacy");
    AddThreatOptions(s, table);
    AddNoiseOptions(s, table);
    AddAccountOptions(s, table);
}

void
AddAttackOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Begin("Attacks");
    table
        .Add("byzantine",
             P | D | F,
             &s.byzantine,
             federation
                 ? "most clients f that may be Byzantine; the last f attack"
                 : "learners that may be Byzantine; the last so many attack, and each of the "
                   "others takes so many of its neighbours for Byzantine, but less than half "
                   "of them and itself")
        .For("", "an attack, an aggregator, or threat-model byzldp");
    table
        .Add("attack",
             P | D | F,
             &s.attack,
             LearnerAttack::List() +
                 "; those on vectors and data may have :parameter=value,..., and those on data may "
                 "precede another one: Backdoor:7+scale:10")
        .For("byzantine", "of at least 1");
    table
        .Add("attackers",
             F,
             &s.attackers,
             "who attacks: fixed (the last f clients) or drawn (f of all clients, anew in each "
             "round; for attacks on data or on a client's own messages)")
        .For("attack", "other than none");
    table
        .Add("omniscient",
             P | D | F,
             &s.omniscient,
             federation ? "whether attackers see all honest vectors or only their own updates"
                        : "whether attackers see all honest vectors or only what their neighbours "
                          "send them")
        .For("attack", "on vectors, which are made from those that attackers see");
    table
        .Add("byzantine-data",
             F,
             &s.byzantineData,
             "what the last f clients learn from: own (the others share the training data; each of "
             "them draws as much again from all of it) or shards (all share the training data)")
        .For("", "byzantine clients with a data set");
    table
        .Add("missing-are-byzantine",
             P | D | F,
             &s.missingAreByzantine,
             "whether a message that is missing counts as one of the f Byzantine ones, so that an "
             "aggregator expects fewer among those that arrived: not when a network loses messages "
             "by chance")
        .For("", "aggregators in synchronous rounds, with byzantine of at least 1");
}

} // namespace ns3::dlearn
