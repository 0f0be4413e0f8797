/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-short-runs.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-optimizer.h"
#include "ns3/dlearn-run-options.h"
#include "ns3/double.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ns3::dlearn
{
namespace
{

/** @return a short federation by the name of its algorithm */
RunSpec
MakeAlgorithm(const std::string& algorithm)
{
    RunSpec spec = FedAvgPreset("test");
    spec.algorithm = algorithm;
    spec.rounds = 3;
    spec.dimension = 4;
    return spec;
}

double
GetNumber(const ObjectBase& object, const std::string& name)
{
    DoubleValue value;
    object.GetAttribute(name, value);
    return value.Get();
}

/** @return the optimizer of a rule */
Ptr<Optimizer>
GetOptimizer(const LearnerRule& rule)
{
    PointerValue value;
    rule.GetAttribute("Optimizer", value);
    return value.Get<Optimizer>();
}

// Reddi et al., 2021, section 4.3; Li et al. choose mu among 0.001, 0.01, 0.1 and 1.
TEST(FederatedAlgorithms, StandForTheSettingsOfTheirPapers)
{
    for (const auto& [name, type] : {std::pair("fedadagrad", "Adagrad"),
                                     std::pair("fedadam", "Adam"),
                                     std::pair("fedyogi", "Yogi")})
    {
        const dlearn::Run run(MakeAlgorithm(name));
        const auto rule = run.GetFederation().server->GetRule();
        const auto optimizer = GetOptimizer(*rule);
        EXPECT_EQ(optimizer->GetInstanceTypeId().GetName(),
                  std::string("ns3::dlearn::") + type + "Optimizer");
        EXPECT_EQ(GetNumber(*optimizer, "Epsilon"), 1e-3) << name;
        EXPECT_EQ(GetNumber(*optimizer, "Beta1"), name == std::string("fedadagrad") ? 0 : 0.9);
        EXPECT_EQ(GetNumber(*rule, "LearningRate"), 0.1) << name;
        EXPECT_EQ(run.GetSpec().serverRate, 0.1) << name;
        if (name != std::string("fedadagrad"))
        {
            EXPECT_EQ(GetNumber(*optimizer, "Beta2"), 0.99) << name;
        }
        BooleanValue correction(false);
        optimizer->GetAttributeFailSafe("BiasCorrection", correction);
        EXPECT_FALSE(correction.Get());
        EXPECT_TRUE(run.Get<FederatedLearners>().GetTheory().empty());
    }
    for (const auto& [name, client, server] : {std::tuple("fedprox", "LocalSgd", "FedAvgServer"),
                                               std::tuple("scaffold", "Scaffold", "ScaffoldServer"),
                                               std::tuple("fednova", "LocalSgd", "FedNovaServer"),
                                               std::tuple("feddyn", "FedDyn", "FedDynServer"),
                                               std::tuple("qfedavg", "LocalSgd", "QFedAvgServer"),
                                               std::tuple("ditto", "Ditto", "FedAvgServer")})
    {
        const dlearn::Run run(MakeAlgorithm(name));
        const auto own = run.GetFederation().clients[0]->GetRule();
        const auto rule = run.GetFederation().server->GetRule();
        EXPECT_EQ(own->GetInstanceTypeId().GetName(), std::string("ns3::dlearn::") + client);
        EXPECT_EQ(rule->GetInstanceTypeId().GetName(), std::string("ns3::dlearn::") + server);
        EXPECT_EQ(GetNumber(*rule, "LearningRate"), 1) << name;
        const bool pulls = std::set<std::string>{"fedprox", "feddyn"}.count(name) > 0;
        EXPECT_EQ(GetNumber(*own, "Proximal"), pulls ? 0.01 : 0) << name;
        DoubleValue step(0.05);
        rule->GetAttributeFailSafe("ClientStep", step);
        EXPECT_EQ(step.Get(), GetNumber(*own, "StepSize")) << name;
        DoubleValue proximal(0.01);
        rule->GetAttributeFailSafe("Proximal", proximal);
        EXPECT_EQ(proximal.Get(), 0.01) << name;
    }
}

TEST(FederatedAlgorithms, LeaveWhatAUserSays)
{
    RunSpec spec = MakeAlgorithm("fedadam");
    spec.serverRate = 0.03;
    spec.serverOptimizer = "adam,beta1=0.5,stepschedule=ns3::dlearn::CosineSchedule[Rounds=9]";
    {
        const dlearn::Run run(spec);
        const auto rule = run.GetFederation().server->GetRule();
        EXPECT_EQ(GetNumber(*rule, "LearningRate"), 0.03);
        EXPECT_EQ(GetNumber(*GetOptimizer(*rule), "Beta1"), 0.5);
        EXPECT_LT(GetOptimizer(*rule)->GetSchedule().Get(9), 1e-15);
    }
    spec.serverRate = 1; // as usual, but given
    spec.invocation.options.insert("server-rate");
    {
        const dlearn::Run run(spec);
        EXPECT_EQ(GetNumber(*run.GetFederation().server->GetRule(), "LearningRate"), 1);
    }
    spec = MakeAlgorithm("fedprox");
    spec.proximal = 0.5;
    const dlearn::Run run(spec);
    EXPECT_EQ(GetNumber(*run.GetFederation().clients[2]->GetRule(), "Proximal"), 0.5);
}

// Of four clients each is asked once, and after that the best one: that with the strongest signal
// always, that with the fullest battery in turn, as it draws on it.
TEST(FederatedAlgorithms, AskTheClientWithTheBestSignalOrBattery)
{
    for (const std::string figure : {"rssi", "battery"})
    {
        RunSpec spec = MakeAlgorithm("fedavg");
        spec.learners = 4;
        spec.rounds = 12;
        spec.network = "wifi-infra";
        spec.battery = "1000";
        spec.sampling = "best:" + figure;
        spec.sampleCount = 1;
        std::map<LearnerId, int> rounds;
        for (const ResultRow& row : test::Execute(spec).rows)
        {
            rounds[row.record.node] += row.record.node > 0 ? 1 : 0;
        }
        int most = 0;
        for (LearnerId client = 1; client <= 4; ++client)
        {
            EXPECT_GE(rounds[client], 1) << figure;
            most = std::max(most, rounds[client]);
        }
        EXPECT_EQ(most == 9, figure == "rssi") << most;
    }
}

TEST(FederatedAlgorithms, AreRefusedWhereNothingFollowsThem)
{
    const auto expect = [](const std::string& algorithm, auto change, const std::string& why) {
        RunSpec spec = MakeAlgorithm(algorithm);
        change(spec);
        ExpectRefused([&] { dlearn::Run run(spec); }, why);
    };
    expect(
        "fedadam",
        [](auto& s) { s.mode = "async"; },
        "option server-optimizer is not used: it is for server-rule with an Optimizer");
    expect(
        "fedprox",
        [](auto& s) { s.localSteps = "inf"; },
        "option proximal is not used: it is for ns3::dlearn::LocalSgd");
    expect(
        "fedyogi",
        [](auto& s) { s.momentum = 0.5, s.invocation.options.insert("momentum"); },
        "option momentum is not used: it is for server-optimizer sgd, and server-optimizer is "
        "yogi");
    expect(
        "fedavg",
        [](auto& s) { s.serverOptimizer = "newton"; },
        "server-optimizer must be one of adagrad, adam, sgd, yogi; got 'newton'");
    expect(
        "fedavg",
        [](auto& s) { s.clientOptimizer = "adam,beta3=1"; },
        "client-optimizer adam has the parameters ");
    expect(
        "fedavg",
        [](auto& s) { s.serverOptimizer = "sgd,momentum=0.9"; },
        "ns3::dlearn::FedAvgServer::Momentum is set by the option --momentum");
}

TEST(FederatedAlgorithms, HaveClientsWithTheirOwnOptimizer)
{
    RunSpec spec = MakeAlgorithm("fedavg");
    spec.clientOptimizer = "sgd,momentum=0.9,learningrate=0.02";
    {
        const dlearn::Run run(spec);
        const auto rule = run.GetFederation().clients[1]->GetRule();
        EXPECT_EQ(GetNumber(*rule, "StepSize"), 0.02);
        EXPECT_EQ(GetNumber(*GetOptimizer(*rule), "Momentum"), 0.9);
        EXPECT_TRUE(run.Get<FederatedLearners>().GetTheory().empty());
    }
    spec.clientOptimizer = "adam";
    spec.stepSize = 0.004;
    const dlearn::Run run(spec);
    EXPECT_EQ(GetNumber(*run.GetFederation().clients[0]->GetRule(), "StepSize"), 0.004);
}

// The attribute may be described with parts within parts.
TEST(FederatedAlgorithms, AreAttributesToo)
{
    Config::SetDefault("ns3::dlearn::FedAvgServer::Optimizer",
                       StringValue("ns3::dlearn::AdamOptimizer[Beta1=0.7|StepSchedule="
                                   "ns3::dlearn::WarmUpSchedule[Rounds=4|Then=ns3::dlearn::"
                                   "PowerSchedule[Exponent=1]]]"));
    const dlearn::Run run(MakeAlgorithm("fedavg"));
    Config::Reset();
    const auto optimizer = GetOptimizer(*run.GetFederation().server->GetRule());
    EXPECT_EQ(GetNumber(*optimizer, "Beta1"), 0.7);
    EXPECT_DOUBLE_EQ(optimizer->GetSchedule().Get(0), 0.25);
    EXPECT_DOUBLE_EQ(optimizer->GetSchedule().Get(5), 0.5);
    EXPECT_TRUE(run.Get<FederatedLearners>().GetTheory().empty());
}

/** Each optimizer of the library, beside what else a federation may have. */
class OptimizerInRuns : public testing::TestWithParam<std::string>
{
};

TEST_P(OptimizerInRuns, LearnsBesideAllElse)
{
    const std::vector<std::function<void(RunSpec&)>> changes{
        [](auto&) {},
        [](auto& s) { s.aggregator = "Median", s.byzantine = 1, s.attack = "SignFlipping"; },
        [](auto& s) { s.compress = "qsgd:4"; },
        [](auto& s) { s.compress = "topk:2"; },
        [](auto& s) { s.threatModel = "cdp"; },
        [](auto& s) { s.threatModel = "ldp"; },
        [](auto& s) { s.mode = "buffered", s.bufferSize = 2; },
        [](auto& s) { s.network = "p2p", s.transport = "udp", s.loss = 0.2; },
        [](auto& s) { s.sampleCount = 2; },
    };
    for (size_t k = 0; k < changes.size(); ++k)
    {
        for (const bool server : {true, false})
        {
            RunSpec spec = MakeAlgorithm("fedavg");
            (server ? spec.serverOptimizer : spec.clientOptimizer) = GetParam();
            spec.rounds = 4;
            changes[k](spec);
            dlearn::Run run(spec);
            const auto rule = run.GetFederation().server->GetRule();
            std::ostringstream table;
            run.Execute(table);
            EXPECT_GT(rule->GetModel().norm(), 0) << k << server;
            EXPECT_TRUE(rule->GetModel().allFinite()) << k << server;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(FederatedAlgorithms,
                         OptimizerInRuns,
                         testing::ValuesIn(GetComponentNames(GetOptimizerFamily())));

/** Each algorithm by its name, beside what else a federation may have. */
class AlgorithmInRuns : public testing::TestWithParam<std::string>
{
};

TEST_P(AlgorithmInRuns, LearnsBesideAllElseOrIsRefused)
{
    struct Change
    {
        std::function<void(RunSpec&)> make;
        std::set<std::string> refused; //!< algorithms
    };

    const std::set<std::string> own{"feddyn", "fednova", "qfedavg", "scaffold"}; // server-rule
    const std::vector<Change> changes{
        {[](auto&) {}, {}},
        {[](auto& s) { s.byzantine = 1, s.attack = "SignFlipping"; }, {}},
        {[](auto& s) {
             s.byzantine = 1, s.attack = "Alie", s.aggregator = "Median";
             s.invocation.options.insert("aggregator");
         },
         own},
        {[](auto& s) { s.compress = "qsgd:4"; }, {}},
        {[](auto& s) { s.compress = "topk:2"; }, {"scaffold"}},
        {[](auto& s) { s.threatModel = "cdp"; }, {"fednova", "qfedavg", "scaffold"}},
        {[](auto& s) { s.threatModel = "ldp"; }, {"qfedavg"}},
        {[](auto& s) { s.mode = "buffered", s.bufferSize = 2; }, {}},
        {[](auto& s) { s.mode = "async"; }, {"fedadagrad", "fedadam", "fedyogi"}},
        {[](auto& s) { s.network = "p2p", s.transport = "udp", s.loss = 0.2; }, {}},
        {[](auto& s) { s.sampleCount = 2, s.localSteps = "5"; }, {}},
        {[](auto& s) { s.tiers = "2x2", s.edgePeriod = 2; }, {"fednova", "qfedavg", "scaffold"}},
        {[](auto& s) { s.clientOptimizer = "adam"; }, {"scaffold"}},
        {[](auto& s) { s.data = "generated", s.task = "net:fc4,relu,fc2", s.dataSamples = 90; },
         {}},
    };
    for (size_t k = 0; k < changes.size(); ++k)
    {
        RunSpec spec = MakeAlgorithm(GetParam());
        spec.rounds = 4;
        changes[k].make(spec);
        if (GetParam() == "fedper" && spec.task != "net:fc4,relu,fc2")
        {
            spec.clientRule = "FedPer,PersonalEntries=2";
        }
        const auto execute = [&] {
            dlearn::Run run(spec);
            const auto rule = run.GetFederation().server->GetRule();
            std::ostringstream table;
            run.Execute(table);
            EXPECT_TRUE(rule->GetModel().allFinite()) << k;
        };
        if (changes[k].refused.count(GetParam()) > 0)
        {
            EXPECT_THROW(execute(), std::invalid_argument) << k;
        }
        else
        {
            EXPECT_NO_THROW(execute()) << k;
        }
    }
}

/** @return all that do not have a program of their own */
std::vector<std::string>
ListAlgorithms()
{
    auto names = GetFederatedAlgorithms();
    names.erase(std::find(names.begin(), names.end(), "cafcor"));
    return names;
}

INSTANTIATE_TEST_SUITE_P(FederatedAlgorithms,
                         AlgorithmInRuns,
                         testing::ValuesIn(ListAlgorithms()),
                         [](const auto& info) { return info.param; });

} // namespace
} // namespace ns3::dlearn
