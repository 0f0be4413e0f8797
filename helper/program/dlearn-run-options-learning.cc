/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-text-format.h"

namespace ns3::dlearn
{

using namespace run_kinds;
using namespace run_needs;

namespace
{

/** What options of gradient steps need to have an effect. */
const std::string STEPS = "clients that take a number of local-steps, so the client-rule LocalSgd";

void
AddRuleOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const bool directed = s.kind == RunKind::DIRECTED;
    const ComponentFamily& rules = directed ? GetDirectedRuleFamily() : GetPeerRuleFamily();
    table
        .Add("algorithm",
             P | D | F,
             &s.algorithm,
             federation ? "fedavg (clients train, the server averages) or cafcor (workers return "
                          "gradients with momentum)"
                        : "rule of the learners: " + ListTypes(rules) +
                              (directed ? " (gt: dp-gt without noise)" : "") +
                              ", or the full name of a type derived from ns3::dlearn::UpdateRule, "
                              "with attributes: mine::Rule,StepSize=0.1")
        .Alias(federation ? OptionTable::Names{} : OptionTable::Names{"rule"})
        .Describes(rules)
        .Governs({"PeerApplication::Rule"});
    table
        .Add("server-rule",
             F,
             &s.serverRule,
             "type of the server's rule, with attributes (" + ListTypes(GetServerRuleFamily()) +
                 " or a type of your own); empty: the algorithm's")
        .Describes(GetServerRuleFamily())
        .Governs({"FederatedServer::Rule"})
        .Theory(s.serverRule == "FedAvg" ? TheoryEffect::NONE : TheoryEffect::VOIDS);
    const bool usualClient = s.clientRule == (s.localSteps == "inf" ? "LocalSolve" : "LocalSgd");
    table
        .Add("client-rule",
             F,
             &s.clientRule,
             "type of the clients' rule, likewise (" + ListTypes(GetClientRuleFamily()) + ")")
        .Describes(GetClientRuleFamily())
        .Governs({"FederatedClient::Rule"})
        .Theory(usualClient ? TheoryEffect::NONE : TheoryEffect::VOIDS);
    table
        .Add("learners",
             P | D | F,
             &s.learners,
             federation ? "clients that train"
                        : "number of learners; 0: as many as the file of the graph")
        .Alias(federation ? OptionTable::Names{"clients", "workers"} : OptionTable::Names{})
        .Theory(TheoryEffect::NONE);
}

void
AddTrainingOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Add("rounds", P | D | F, &s.rounds, "")
        .Sets({"PeerApplication::Rounds", "FederatedServer::Rounds"})
        .Theory(TheoryEffect::NONE);
    table
        .Add("local-steps",
             F,
             &s.localSteps,
             "gradient steps of a client in a round, all of the same number of samples, or inf: "
             "exact minimum; empty: what batch-size makes")
        .Governs({"LocalSgd::LocalSteps"})
        .Needs(!federation || s.localSteps == "inf" || s.TakesSteps(), STEPS)
        .Theory(TheoryEffect::NONE);
    table.Add("epochs", F, &s.epochs, "passes of a client over its samples of a round");
    table
        .Add("batch-size",
             P | F,
             &s.batchSize,
             federation ? "samples of a client's gradient step; cafcor: of a round's gradient; "
                          "auto: by local-steps, or 20 for data sets"
                        : "new samples of each learner in each round")
        .Alias({"batch"})
        .Governs({"LocalSgd::BatchSize"})
        .Needs(federation
                   ? s.IsCafCor() || s.TakesSteps()
                   : !IsComponentOf(GetPeerRuleFamily(), s.algorithm, DpSgdGrowing::GetTypeId()),
               federation ? STEPS
                          : "another algorithm than dp-sgd, whose batches grow by SampleFactor and "
                            "SampleExponent of its type");
    table
        .Add("step-size",
             P | F,
             &s.stepSize,
             federation ? "of the clients' gradient steps; cafcor: of the server; auto: 0.05 for "
                          "linear-gaussian, of data sets 1 where features have norms of at most "
                          "1, 0.1 for neural networks, else 0.01"
                        : "of the gradient steps, in round 0: the attribute StepSize of the rule; "
                          "auto: as the attribute says")
        .Governs(federation || s.stepSize ? OptionTable::Names{"StepSchedule::Initial"}
                                          : OptionTable::Names{})
        .Governs(federation ? OptionTable::Names{"LocalSgd::StepSize"} : OptionTable::Names{})
        .Governs(s.IsCafCor() ? OptionTable::Names{"RobustServer::LearningRate"}
                              : OptionTable::Names{})
        .Needs(!federation || s.TakesSteps() || (s.IsCafCor() && s.GetAggregator() != "none"),
               s.IsCafCor() ? "a server-rule whose steps it is, so Robust" : STEPS)
        .Theory(TheoryEffect::NONE);
    if (s.stepSize)
    {
        table.GovernsInRules("StepSize");
    }
    const bool oneStep =
        s.localSteps == "1" || (federation && s.localSteps.empty() && s.IsLinearGaussian());
    table.Add("proximal", F, &s.proximal, "")
        .Sets({"LocalSgd::Proximal"})
        .Needs(s.TakesSteps() && !oneStep,
               s.TakesSteps() ? "more than one of the local-steps" : STEPS);
}

void
AddServerOptions(RunSpec& s, OptionTable& table)
{
    table.Add("server-rate", F, &s.serverRate, "sync, buffered:")
        .Sets(s.IsCafCor()
                  ? OptionTable::Names{"FedAvgServer::LearningRate"}
                  : OptionTable::Names{"FedAvgServer::LearningRate", "RobustServer::LearningRate"})
        .Governs({"StepSchedule::Initial"});
    // CafCor has its momentum in the workers.
    const auto ofServer =
        s.IsCafCor() ? OptionTable::Names{"FedAvgServer::Momentum", "RobustServer::Momentum"}
                     : OptionTable::Names{};
    table
        .Add("momentum",
             F,
             &s.momentum,
             "sync, buffered: of the server's steps (FedAvgM); cafcor: of the workers, less than 1")
        .Sets(s.IsCafCor() ? OptionTable::Names{"CafCorWorker::Momentum"}
                           : OptionTable::Names{"FedAvgServer::Momentum",
                                                "RobustServer::Momentum",
                                                "CafCorWorker::Momentum"})
        .Governs(ofServer);
    const bool mixes =
        s.mode == "async" ||
        (!s.serverRule.empty() &&
         IsComponentOf(GetServerRuleFamily(), s.serverRule, FedAsyncServer::GetTypeId()));
    table.Add("mixing", F, &s.mixing, "async:")
        .Sets({"FedAsyncServer::Mixing"})
        .Needs(mixes, "mode async, or a server-rule that mixes, so FedAsync");
    table
        .Add("aggregator",
             P | D | F,
             &s.aggregator,
             "robust aggregation in place of the weighted mean: none, " +
                 ListTypes(GetAggregatorFamily()) + "; with these, peers keep a privacy account: " +
                 JoinNames(GetMonotoneAggregators()))
        .Describes(GetAggregatorFamily())
        .Governs({"RobustServer::Aggregator"})
        .GovernsInRules("Aggregator")
        .Needs(s.aggregator == "none" || s.GetAggregator() != "none",
               "a server-rule that takes an aggregator, so Robust");
    table
        .Add("pre-aggregator",
             P | D | F,
             &s.preAggregator,
             "before it: " + ListTypes(GetPreAggregatorFamily()) + ", several joined by +")
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
    table.Add("scheme", D, &s.scheme, "what steps, samples and noise depend on: s1, s2 or free");
    table.Add("alpha", D, &s.alpha, "coupling of the states; 0: the scheme's")
        .Governs({"GradientTracking::Alpha", "StepSchedule::Initial"})
        .GovernsInRules("Coupling")
        .Needs(s.HasAlpha(), "another algorithm than push-sum, which has weights of its own");
    table.Add("beta", D, &s.beta, "coupling of the trackers; 0: the scheme's")
        .Governs({"GradientTracking::Beta"})
        .Needs(s.IsTracking(), TRACKING);
    table.Add("gamma", D, &s.gamma, "step along the tracker, or of the gradient; 0: the scheme's")
        .Governs({"GradientTracking::Gamma"})
        .GovernsInRules("StepSize");
    table
        .Add("compensation",
             D,
             &s.compensation,
             "of lost trackers: " + ListTypes(GetCompensationFamily()))
        .Describes(GetCompensationFamily())
        .Governs({"GradientTracking::LossCompensation"});
}

} // namespace

void
AddLearningOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Learning", TheoryEffect::VOIDS);
    AddRuleOptions(s, table);
    AddTrainingOptions(s, table);
    AddServerOptions(s, table);
    AddSchemeOptions(s, table);
}

} // namespace ns3::dlearn
