/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-oracle-support.h"

#include "ns3/dlearn-fedavg-privacy.h"

#include <cmath>
#include <gtest/gtest.h>

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

/** @return T a D^2 / (2 s^2) + ln(1/delta) / (a - 1), the least over a fine grid of orders a */
double
ComposeGaussians(double rounds, double sensitivity, double sigma, double delta)
{
    double least = std::numeric_limits<double>::infinity();
    for (double log = -6; log < 8; log += 1e-4)
    {
        const double order = 1 + std::exp(log);
        const double rdp = rounds * order * sensitivity * sensitivity / (2 * sigma * sigma);
        least = std::min(least, rdp + std::log(1 / delta) / (order - 1));
    }
    return least;
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
    for (const double noise : {0.3, 1.0, 8.0})
    {
        // An update moves by 2C = 1, and the mean by 9/20 of that, the weight of the third client.
        const auto local = MakePlan(CreateObject<LocalDp>(), {5, 6, 9}, noise);
        const double sent = ComposeGaussians(40, 1, noise, 1e-5);
        EXPECT_NEAR(PlanFedAvgEpsilon(local).classic, sent, 1e-6 * sent);
        const auto central = MakePlan(CreateObject<CentralDp>(), {5, 6, 9}, noise);
        const double released = ComposeGaussians(40, 9.0 / 20, noise, 1e-5);
        EXPECT_NEAR(PlanFedAvgEpsilon(central).classic, released, 1e-6 * released);
        EXPECT_LT(PlanFedAvgEpsilon(central).tight, PlanFedAvgEpsilon(central).classic);
        EXPECT_LT(*PlanFedAvgEpsilon(central).exact, PlanFedAvgEpsilon(central).tight);
    }
    const auto bare = MakePlan(CreateObject<LocalDp>(), {1, 1}, 0);
    EXPECT_TRUE(std::isinf(PlanFedAvgEpsilon(bare).classic));
}

// Opacus composes at orders of a grid, so that its epsilon is a little above the best order's.
TEST(FedAvgPrivacy, EpsilonIsThatOfOpacus)
{
    const auto files = test::FindOracles();
    size_t compared = 0;
    for (const auto& file : files)
    {
        if (file.filename() != "rdp_gaussian.json")
        {
            continue;
        }
        const auto values = test::ReadJson(file).at("eps");
        for (const auto& value : values)
        {
            if (value.at("q") != 1 || value.at("classic_alpha") == 1.1 ||
                value.at("classic_alpha") == 63)
            {
                continue; // sampled, or the best order is off the grid
            }
            auto plan = MakePlan(CreateObject<LocalDp>(), {1, 1}, value.at("sigma"));
            plan.rounds = value.at("steps");
            plan.delta = value.at("delta");
            const double expected = value.at("classic_eps");
            const double epsilon = PlanFedAvgEpsilon(plan).classic;
            EXPECT_LE(epsilon, expected * (1 + 1e-12)) << value;
            EXPECT_GE(epsilon, expected * 0.99) << value;
            ++compared;
        }
    }
    if (compared == 0)
    {
        GTEST_SKIP() << "no reference values";
    }
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
        EXPECT_NEAR(ComposeGaussians(40, sensitivity, plan.noise, 1e-5), 6, 1e-5);
        EXPECT_NEAR(PlanFedAvgEpsilon(plan).classic, 6, 1e-9);
    }
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
