/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-coordinate-aggregators.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-weight-aggregators.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** A server of seven workers, a model of two numbers, steps of length 1 along the aggregate. */
Ptr<RobustServer>
MakeServer(bool missingLie)
{
    const auto server = CreateObject<RobustServer>();
    server->SetAggregator(CreateObject<TrimmedMeanAggregator>());
    server->SetAttribute("Byzantine", UintegerValue(2));
    server->SetAttribute("LearningRate", DoubleValue(1));
    server->SetAttribute("MissingAreByzantine", BooleanValue(missingLie));
    ServerContext context;
    for (LearnerId worker = 1; worker <= 7; ++worker)
    {
        context.samples[worker] = 1;
    }
    context.initialModel = ModelVector::Zero(2);
    server->Setup(context);
    server->AssignStreams(1);
    return server;
}

std::vector<ClientUpdate>
MakeUpdates(const std::vector<std::pair<LearnerId, double>>& values)
{
    std::vector<ClientUpdate> updates;
    for (const auto& [client, value] : values)
    {
        ClientUpdate update;
        update.client = client;
        update.values = ModelVector::Constant(2, value);
        updates.push_back(update);
    }
    return updates;
}

TEST(RobustServer, TakesTheMissingForLiarsOrLeavesThemOut)
{
    // Workers 3 and 5 are lost by chance; 1 and 2 lie.
    const auto updates = MakeUpdates({{1, 100}, {2, 100}, {4, 1}, {6, 2}, {7, 3}});
    const auto trusting = MakeServer(true);
    trusting->Aggregate(updates); // nothing is left to be trimmed: (100 + 100 + 6) / 5
    EXPECT_NEAR(trusting->GetModel()[0], -41.2, 1e-12);
    const auto wary = MakeServer(false);
    wary->Aggregate(updates); // two from each end: the median of the five
    EXPECT_EQ(wary->GetModel()[0], -3);
    EXPECT_EQ(wary->GetSkipped(), 0U);
    wary->Aggregate(MakeUpdates({{1, 100}, {2, 100}, {6, 2}, {7, 3}}));
    EXPECT_EQ(wary->GetModel()[0], -3); // four can not outvote two
    EXPECT_EQ(wary->GetSkipped(), 1U);
}

TEST(RobustServer, FearsAsManyLiesWhenMessagesAreMissing)
{
    const auto server = CreateObject<RobustServer>();
    BooleanValue missing;
    server->GetAttribute("MissingAreByzantine", missing);
    EXPECT_FALSE(missing.Get());
}

TEST(RobustServer, SaysThatAnAggregateIsTakenForAMean)
{
    const auto server = MakeServer(false);
    EXPECT_TRUE(server->GetWarnings().empty());
    server->SetNoise(CreateObject<ServerNoise>());
    ASSERT_EQ(server->GetWarnings().size(), 1U);
    EXPECT_NE(server->GetWarnings()[0].find("not bounded by its share"), std::string::npos);
    server->SetAggregator(CreateObject<AverageAggregator>());
    EXPECT_TRUE(server->GetWarnings().empty());
}

TEST(RobustServer, NamesTheLostOnlyWhenItRepairs)
{
    const auto server = MakeServer(true);
    const auto updates = MakeUpdates({{2, 1}, {3, 1}, {7, 1}});
    EXPECT_TRUE(server->FindLost(updates).empty());
    server->SetAttribute("Repair", BooleanValue(true));
    EXPECT_EQ(server->FindLost(updates), (std::vector<LearnerId>{1, 4, 5, 6}));
    EXPECT_EQ(server->FindLost({}).size(), 7U);
}

// Of models 0, -1, -2, ..., -9 each is the sampled one with probability 1/10. In 4,000 trials each
// count has mean 400 and standard deviation 19; 6 of them are missed with probability 2e-9, by
// any of ten with 2e-8.
TEST(RobustServer, SamplesEachModelWithTheSameProbability)
{
    std::vector<int> counts(10, 0);
    const auto updates = MakeUpdates({{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}});
    for (int64_t trial = 0; trial < 4000; ++trial)
    {
        const auto server = MakeServer(true);
        server->AssignStreams(10 + trial);
        EXPECT_EQ(server->GetSampledModel()[0], 0);
        for (int round = 0; round < 9; ++round)
        {
            server->Aggregate(updates);
        }
        ++counts.at(static_cast<size_t>(-server->GetSampledModel()[0]));
    }
    for (const int count : counts)
    {
        EXPECT_NEAR(count, 400, 114);
    }
}

TEST(RobustServer, RefusesMoreLiarsThanItCanOutvote)
{
    const auto server = CreateObject<RobustServer>();
    server->SetAttribute("Byzantine", UintegerValue(2));
    ServerContext context;
    context.samples = {{1, 1}, {2, 1}, {3, 1}, {4, 1}};
    context.initialModel = ModelVector::Zero(2);
    ExpectRefused([&] { server->Setup(context); },
                  "Byzantine must be less than half of the 4 workers, got 2");
}

} // namespace
} // namespace ns3::dlearn
