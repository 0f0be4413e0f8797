/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Runs of FedAvg with a threat model: noise is planned before the run, and what the accounts say
 * after it is compared with the plan. The accounts themselves are checked elsewhere.
 */

#include "audit/dlearn-audited-loss.h"
#include "support/dlearn-expect-refused.h"
#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-federated-learners.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <utility>

namespace ns3::dlearn
{
namespace
{

/** @return a run of four clients that is to cost an epsilon of 8 at most */
RunSpec
PrivateRun(const std::string& model)
{
    RunSpec spec = FedAvgPreset("privacy-test");
    spec.learners = 4;
    spec.rounds = 6;
    spec.data = "generated";
    spec.dataSamples = 200;
    spec.network = "ideal";
    spec.threatModel = model;
    spec.targetEpsilon = 8;
    spec.delta = 1e-5;
    spec.clip = 0.5;
    return spec;
}

/** @return the largest epsilon of a client at the end of a run */
double
Spend(const RunSpec& spec)
{
    double spent = 0;
    for (const ResultRow& row : test::Execute(spec).rows)
    {
        if (row.record.node > 0)
        {
            spent = std::max(spent, row.record.epsilon);
        }
    }
    return spent;
}

// All clients take part in all rounds, so the plan is what happens.
TEST(FederatedPrivacy, SpendsWhatWasPlanned)
{
    for (const char* model : {"cdp", "ldp"})
    {
        const double spent = Spend(PrivateRun(model));
        EXPECT_LE(spent, 8 * (1 + 1e-6)) << model;
        EXPECT_GE(spent, 8 * 0.999) << model;
    }
}

// Half of the clients take part in a round: which ones is not secret, so the account is that of the
// rounds in which a client took part, at most the plan.
TEST(FederatedPrivacy, SpendsNoMoreWhereFewerTakePart)
{
    for (const char* model : {"cdp", "ldp"})
    {
        RunSpec spec = PrivateRun(model);
        spec.sampleFraction = 0.5;
        const double sampled = Spend(spec);
        EXPECT_LE(sampled, 8 * (1 + 1e-6)) << model;
        EXPECT_GT(sampled, 1) << model;
        spec = PrivateRun(model);
        spec.quorum = 0.5;
        EXPECT_LE(Spend(spec), 8 * (1 + 1e-6)) << model;
        spec = PrivateRun(model);
        spec.sampleCount = 1;
        EXPECT_LE(Spend(spec), 8 * (1 + 1e-6)) << model;
    }
}

// Whoever is chosen is public, and pays for the rounds in which it takes part; samplings that know
// losses are refused, as these depend on data.
TEST(FederatedPrivacy, HoldsForEverySampling)
{
    for (const std::string& sampling : GetComponentNames(GetSamplingFamily()))
    {
        for (const char* model : {"cdp", "ldp"})
        {
            RunSpec spec = PrivateRun(model);
            spec.sampling = sampling == "best" ? "best:samples" : sampling;
            const bool plan = sampling == "plan";
            spec.samplePlan = plan ? "1;2-4" : "";
            spec.sampleCount = plan ? 0 : 1;
            spec.overSelection = plan ? 1 : 2;
            if (sampling == "loss" || sampling == "oort" || sampling == "power-of-choice")
            {
                ExpectRefused([&] { Spend(spec); }, "the privacy account does not cover");
            }
            else
            {
                EXPECT_LE(Spend(spec), 8 * (1 + 1e-6)) << model << " " << sampling;
            }
        }
    }
}

// Each of four clients takes part with probability 1/4, so that of twelve rounds some are without
// clients (all have some with probability 0.01). They have noise, too, and all clients pay the
// same, also with a clip that adapts.
TEST(FederatedPrivacy, SpendsThePlanOfSecretSampling)
{
    for (const char* partition : {"iid", "dirichlet:1"})
    {
        for (const char* adjacency : {"replace", "add-remove"})
        {
            RunSpec spec = PrivateRun("cdp");
            spec.rounds = 12;
            spec.sampleCount = 1;
            spec.secretSampling = true;
            spec.adjacency = adjacency;
            spec.partition = partition;
            spec.network = "p2p";
            const bool adaptive = spec.adjacency == "replace";
            spec.adaptiveClip = adaptive ? 0.3 : 0;
            spec.serverRule = adaptive ? "FedAvg,ClipNoise=10,ClipRate=0.02" : "";
            const RunResults results = test::Execute(spec);
            double spent = 0;
            for (const auto& [client, epsilon] : results.epsilon)
            {
                spent = std::max(spent, epsilon);
            }
            uint32_t releases = 0;
            uint32_t empty = 0;
            for (const ResultRow& row : results.rows)
            {
                releases += row.record.node == 0 ? 1 : 0;
                empty += row.record.node == 0 && row.record.used == 0 ? 1 : 0;
                EXPECT_EQ(row.record.clip > 0, adaptive && row.record.node == 0);
            }
            EXPECT_EQ(releases, 12U);
            EXPECT_GT(empty, 0U);
            EXPECT_EQ(results.skipped, 0U);
            EXPECT_NEAR(spent, 8, 1e-5) << partition << " " << adjacency;
            EXPECT_EQ(std::get<double>(results.privacy.at("sampling")), 0.25);
        }
    }
}

// A public plan says who takes part in which rounds: five groups in turn, of which each takes part
// in two of ten rounds. The noise is that of two rounds, and all of the target is spent.
TEST(FederatedPrivacy, PlansForTheRoundsOfAPublicPlan)
{
    const auto plan = [](const RunSpec& spec) {
        return dlearn::Run(spec).Get<FederatedLearners>().GetPrivacy().GetNoiseScales().independent;
    };
    for (const char* model : {"cdp", "ldp"})
    {
        RunSpec spec = PrivateRun(model);
        spec.learners = 10;
        spec.rounds = 10;
        spec.sampleCount = 2;
        const double sampled = plan(spec);
        spec.sampleCount = 0;
        spec.samplePlan = "1,2;3,4;5,6;7,8;9,10";
        EXPECT_NEAR(sampled / plan(spec), std::sqrt(5), 1e-9) << model;
        const double spent = Spend(spec);
        EXPECT_LE(spent, 8 * (1 + 1e-6)) << model;
        EXPECT_GE(spent, 8 * 0.999) << model;
        spec.quorum = 0.5; // one of two is enough, and has all of the mean
        const double larger = spec.threatModel == "cdp" ? 2 : 1;
        EXPECT_NEAR(plan(spec) * std::sqrt(5) / sampled, larger, 1e-9) << model;
        EXPECT_LE(Spend(spec), 8 * (1 + 1e-6)) << model;
    }
}

// z = 3: each of six rounds is Gaussian with mu = 2 / 3, as a client that is replaced moves the sum
// by twice the clip.
TEST(FederatedPrivacy, TakesNoiseInTheUnitOfTheLiterature)
{
    for (const char* model : {"cdp", "ldp"})
    {
        RunSpec spec = PrivateRun(model);
        spec.noiseMultiplier = 3;
        const RunResults results = test::Execute(spec);
        double spent = 0;
        for (const ResultRow& row : results.rows)
        {
            spent = row.record.node > 0 ? std::max(spent, row.record.epsilon) : spent;
        }
        EXPECT_NEAR(spent / SolveGaussianEpsilon(6 * 2.0 / 9, 1e-5), 1, 1e-9) << model;
        std::ostringstream title;
        dlearn::Run(spec).Get<FederatedLearners>().Describe(title);
        EXPECT_NE(title.str().find("multiplier 3, "), std::string::npos) << title.str();
        for (const std::string& warning : results.warnings)
        {
            EXPECT_EQ(warning.find("exceeded"), std::string::npos) << warning;
        }
        // Four clients of 50 samples each: the mean of four updates of norm 1/2 at most.
        const double noise = model == std::string("cdp") ? 3 * 0.5 / 4 : 3 * 0.5;
        EXPECT_NEAR(std::get<double>(results.privacy.at("noise_independent")), noise, 1e-12);
    }
}

// Uneven shards have uneven weights, and their noise is that of the rule which is at work.
// FedDyn gives all clients the same weight, however many samples they have.
TEST(FederatedPrivacy, PlansForTheWeightsOfTheServer)
{
    RunSpec spec = PrivateRun("cdp");
    spec.algorithm = "feddyn";
    spec.partition = "dirichlet:1";
    std::map<LearnerId, RoundRecord> last;
    for (const ResultRow& row : test::Execute(spec).rows)
    {
        last[row.record.node] = row.record;
    }
    for (LearnerId client = 1; client <= spec.learners; ++client)
    {
        EXPECT_NEAR(last[client].epsilon, 8, 0.008);
        EXPECT_NEAR(last[client].epsilonNominal, 8, 0.008);
    }
}

TEST(FederatedPrivacy, PlansForTheRuleOfTheServer)
{
    for (const auto& [rule, aggregator] :
         {std::pair("", "none"), {"FedAvg", "Average"}, {"Robust", "none"}, {"Robust", "Average"}})
    {
        RunSpec spec = PrivateRun("cdp");
        spec.partition = "dirichlet:0.3";
        spec.serverRule = rule;
        spec.aggregator = aggregator;
        const double spent = Spend(spec);
        EXPECT_LE(spent, 8 * (1 + 1e-6)) << rule << " " << aggregator;
        EXPECT_GE(spent, 8 * 0.999) << rule << " " << aggregator;
    }
}

} // namespace
} // namespace ns3::dlearn
