/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fedavg-privacy.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace ns3::dlearn
{
namespace
{

FedAvgPlan
MakePlan(const Ptr<const ThreatModel>& model, std::vector<uint32_t> samples, double noise)
{
    FedAvgPlan plan;
    plan.model = model;
    plan.samples = std::move(samples);
    plan.clip = 0.5;
    plan.rounds = 40;
    plan.delta = 1e-5;
    plan.noise = noise;
    return plan;
}

/** @return delta of so many Gaussian releases at epsilon: Balle and Wang, 2018, theorem 8 */
double
GetDelta(double rounds, double sensitivity, double sigma, double epsilon)
{
    const double mu = std::sqrt(rounds) * sensitivity / sigma;
    const auto phi = [](double x) { return std::erfc(-x * M_SQRT1_2) / 2; };
    return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

// Over all sets of at least the planned number of clients that a client can be in.
TEST(FedAvgPrivacy, WeightIsTheLargestOfAllRounds)
{
    const std::vector<uint32_t> samples{7, 1, 30, 4, 4, 12};
    for (const uint32_t participants : {0, 1, 2, 3, 5, 6})
    {
        FedAvgPlan plan = MakePlan(CreateObject<CentralDp>(), samples, 1);
        plan.participants = participants;
        for (size_t client = 0; client < samples.size(); ++client)
        {
            double largest = 0;
            for (uint32_t set = 0; set < 64; ++set)
            {
                double total = 0;
                uint32_t size = 0;
                for (size_t k = 0; k < samples.size(); ++k)
                {
                    total += (set >> k & 1) * samples[k];
                    size += set >> k & 1;
                }
                if ((set >> client & 1) == 1 && size >= (participants == 0 ? 6 : participants))
                {
                    largest = std::max(largest, samples[client] / total);
                }
            }
            EXPECT_DOUBLE_EQ(FedAvgWeight(plan, client), largest) << participants << " " << client;
        }
    }
}

TEST(FedAvgPrivacy, EpsilonIsThatOfComposedGaussians)
{
    for (const double noise : {1.0, 3.0, 8.0})
    {
        // An update moves by 2C = 1, and the mean by 9/20 of that, the weight of the third client.
        const auto local = MakePlan(CreateObject<LocalDp>(), {5, 6, 9}, noise);
        EXPECT_NEAR(GetDelta(40, 1, noise, PlanFedAvgEpsilon(local)) / 1e-5, 1, 1e-6);
        const auto central = MakePlan(CreateObject<CentralDp>(), {5, 6, 9}, noise);
        EXPECT_NEAR(GetDelta(40, 0.45, noise, PlanFedAvgEpsilon(central)) / 1e-5, 1, 1e-6);
    }
    const auto bare = MakePlan(CreateObject<LocalDp>(), {1, 1}, 0);
    EXPECT_TRUE(std::isinf(PlanFedAvgEpsilon(bare)));
}

TEST(FedAvgPrivacy, NoiseMeetsItsTargetForTheClientThatSpendsMost)
{
    for (const bool trusted : {false, true})
    {
        Ptr<const ThreatModel> model = CreateObject<LocalDp>();
        if (trusted)
        {
            model = CreateObject<CentralDp>();
        }
        FedAvgPlan plan = MakePlan(model, {3, 20, 5, 5}, 0);
        plan.participants = 2;
        plan.noise = PlanFedAvgNoise(plan, 6);
        const double sensitivity = trusted ? 20.0 / 23 : 1;
        EXPECT_NEAR(GetDelta(40, sensitivity, plan.noise, 6) / 1e-5, 1, 1e-6);
        EXPECT_NEAR(PlanFedAvgEpsilon(plan), 6, 1e-9);
    }
}

// 30 rounds of five groups in turn: each client takes part in 6 of them. The plan of 7 rounds has
// two rounds for the first two groups only.
TEST(FedAvgPrivacy, GroupsPayForTheirOwnRounds)
{
    FedAvgPlan plan = MakePlan(CreateObject<CentralDp>(), std::vector<uint32_t>(100, 1), 1);
    plan.rounds = 30;
    for (LearnerId first : {1, 21, 41, 61, 81})
    {
        plan.groups.emplace_back(20);
        std::iota(plan.groups.back().begin(), plan.groups.back().end(), first);
    }
    plan.noise = PlanFedAvgNoise(plan, 3);
    EXPECT_NEAR(GetDelta(6, 1.0 / 20, plan.noise, 3) / 1e-5, 1, 1e-6);
    plan.rounds = 7;
    EXPECT_NEAR(GetDelta(2, 1.0 / 20, plan.noise, PlanFedAvgEpsilon(plan)) / 1e-5, 1, 1e-6);
    // Unequal groups and samples: the first client has 2/3 of a mean and, twice, 2/6.
    plan = MakePlan(CreateObject<CentralDp>(), {2, 1, 3}, 2);
    plan.groups = {{1, 2}, {1, 2, 3}, {1, 2, 3}};
    plan.rounds = 3;
    const double move = std::sqrt(4.0 / 9 + 2.0 / 9);
    EXPECT_NEAR(GetDelta(1, move, 2, PlanFedAvgEpsilon(plan)) / 1e-5, 1, 1e-6);
    EXPECT_DOUBLE_EQ(FedAvgWeight(plan, 0), 2.0 / 3);
    EXPECT_DOUBLE_EQ(FedAvgWeight(plan, 2), 0.5);
    // If two updates are enough, the third client may be alone with the second one.
    plan.participants = 2;
    EXPECT_DOUBLE_EQ(FedAvgWeight(plan, 2), 0.75);
    // A curious server counts the updates that are sent.
    plan = MakePlan(CreateObject<LocalDp>(), {1, 1, 1}, 2);
    plan.groups = {{1}, {1, 2}, {3}};
    EXPECT_NEAR(GetDelta(27, 1, 2, PlanFedAvgEpsilon(plan)) / 1e-5, 1, 1e-6); // 14 + 13 of 40
}

// z: standard deviation on the sum of the updates, of which one has norm C = 1/2; McMahan et al.,
// "Learning Differentially Private Recurrent Language Models", 2018. A client that is replaced
// moves the sum by 2C, so that T rounds are Gaussian with mu = 2 sqrt(T) / z.
TEST(FedAvgPrivacy, NoiseUnitIsThatOfTheLiterature)
{
    FedAvgPlan plan = MakePlan(CreateObject<CentralDp>(), std::vector<uint32_t>(50, 7), 0);
    plan.participants = 20;
    const double unit = FedAvgNoiseUnit(plan);
    EXPECT_DOUBLE_EQ(20 * unit / 0.5, 1);
    plan.noise = 9 * unit;
    EXPECT_NEAR(GetDelta(40, 2, 9, PlanFedAvgEpsilon(plan)) / 1e-5, 1, 1e-6);
    plan.model = CreateObject<LocalDp>();
    EXPECT_EQ(FedAvgNoiseUnit(plan), 0.5);
}

TEST(FedAvgPrivacy, RefusesWhatItCanNotBound)
{
    const auto refuse = [](const FedAvgPlan& plan, const std::string& text) {
        ExpectRefused([&] { PlanFedAvgEpsilon(plan); }, text);
    };
    refuse(MakePlan(CreateObject<SecretLocalDp>(), {1, 1}, 1),
           "the threat model must be ns3::dlearn::LocalDp or ns3::dlearn::CentralDp, got "
           "ns3::dlearn::SecretLocalDp");
    refuse(MakePlan(CreateObject<ByzantineLocalDp>(), {1, 1}, 1), "got ns3::dlearn::Byzantine");
    refuse(MakePlan(nullptr, {1, 1}, 1), "model must be set");
    refuse(MakePlan(CreateObject<LocalDp>(), {}, 1), "there must be clients, got none");
    refuse(MakePlan(CreateObject<LocalDp>(), {1, 0}, 1), "at least 1, got 0");
    refuse(MakePlan(CreateObject<LocalDp>(), {1, 1}, -1), "noise must be finite and at least 0");
    FedAvgPlan plan = MakePlan(CreateObject<CentralDp>(), {1, 1}, 1);
    plan.participants = 3;
    refuse(plan, "participants must be at most the 2 clients, got 3");
    plan.participants = 0;
    plan.groups = {{1}, {}};
    refuse(plan, "a group must have clients, got none");
    plan.groups = {{1}, {2, 3}};
    refuse(plan, "clients of a group must be from 1 to 2, got 3");
    plan.groups.clear();
    plan.clip = 0;
    refuse(plan, "clip must be finite and greater than 0, got 0");
    plan.clip = 1;
    plan.delta = 1;
    refuse(plan, "delta must be in (0, 1), got 1");
    plan.delta = 0.1;
    ExpectRefused([&] { PlanFedAvgNoise(plan, 0); }, "target epsilon must be finite and greater");
}

} // namespace
} // namespace ns3::dlearn
