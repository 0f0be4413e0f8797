/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-own-components.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

namespace ns3::dlearn
{
namespace
{

/** Set a server of workers up that count the same, with a model of two numbers. */
void
SetUpServer(RobustServer& server, uint32_t workers)
{
    ServerContext context;
    for (LearnerId worker = 1; worker <= workers; ++worker)
    {
        context.samples[worker] = 1;
    }
    context.initialModel = ModelVector::Zero(2);
    server.Setup(context);
    server.AssignStreams(1);
}

/** A server of seven workers, a model of two numbers, steps of length 1 along the aggregate. */
Ptr<RobustServer>
MakeRobustServer(bool missingAreByzantine)
{
    const auto server = CreateObject<RobustServer>();
    server->SetAggregator(CreateObject<TrimmedMeanAggregator>());
    server->SetAttribute("Byzantine", UintegerValue(2));
    server->SetAttribute("LearningRate", DoubleValue(1));
    server->SetAttribute("MissingAreByzantine", BooleanValue(missingAreByzantine));
    SetUpServer(*server, 7);
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

TEST(RobustServer, CountsTheMissingAsByzantineOrLeavesThemOut)
{
    // Workers 3 and 5 are lost by chance; 1 and 2 are Byzantine.
    const auto updates = MakeUpdates({{1, 100}, {2, 100}, {4, 1}, {6, 2}, {7, 3}});
    const auto trusting = MakeRobustServer(true);
    trusting->Aggregate(updates); // nothing is left to be trimmed: (100 + 100 + 6) / 5
    EXPECT_NEAR(trusting->GetModel()[0], -41.2, 1e-12);
    const auto wary = MakeRobustServer(false);
    wary->Aggregate(updates); // two from each end: the median of the five
    EXPECT_EQ(wary->GetModel()[0], -3);
    EXPECT_EQ(wary->GetSkipped(), 0U);
    wary->Aggregate(MakeUpdates({{1, 100}, {2, 100}, {6, 2}, {7, 3}}));
    EXPECT_EQ(wary->GetModel()[0], -3); // four cannot outvote two
    EXPECT_EQ(wary->GetSkipped(), 1U);
}

TEST(RobustServer, KeepsFWhenMessagesAreMissing)
{
    const auto server = CreateObject<RobustServer>();
    BooleanValue missing;
    server->GetAttribute("MissingAreByzantine", missing);
    EXPECT_FALSE(missing.Get());
}

TEST(RobustServer, SaysThatAnAggregateIsTakenForAMean)
{
    const auto server = CreateObject<RobustServer>();
    EXPECT_TRUE(server->GetWarnings().empty());
    server->SetNoise(CreateObject<ServerNoise>());
    ASSERT_EQ(server->GetWarnings().size(), 1U);
    EXPECT_NE(server->GetWarnings()[0].find("not bounded by its share"), std::string::npos);
    server->SetAggregator(CreateObject<AverageAggregator>());
    EXPECT_TRUE(server->GetWarnings().empty());
    ExpectRefused([] { MakeRobustServer(false)->SetNoise(CreateObject<ServerNoise>()); },
                  "RobustServer: Noise cannot be replaced after set-up");
}

/** Differences of models from seven clients, one of which is far away. */
RowMatrix<double>
MakeDifferences(int round)
{
    RowMatrix<double> rows = RowMatrix<double>::NullaryExpr(7, 4, [round](auto i, auto j) {
        return std::sin(1.0 + 3 * i + 5 * j + 7 * round);
    });
    rows.row(3).setConstant(50);
    return rows;
}

/** A robust server of FedAvg whose clients have different numbers of samples. */
Ptr<RobustServer>
MakeFedAvg(TypeId aggregator, double momentum, UpdateKind kind)
{
    const auto server = CreateObject<RobustServer>();
    server->SetAttribute("Aggregator", TypeIdValue(aggregator));
    server->SetAttribute("Byzantine", UintegerValue(1));
    server->SetAttribute("LearningRate", DoubleValue(0.8));
    server->SetAttribute("Momentum", DoubleValue(momentum));
    ServerContext context;
    for (LearnerId client = 1; client <= 7; ++client)
    {
        context.samples[client] = 10 * client;
    }
    context.initialModel = ModelVector::LinSpaced(4, -1, 1);
    context.updates = kind;
    server->Setup(context);
    server->AssignStreams(1);
    return server;
}

std::vector<ClientUpdate>
MakeDense(const RowMatrix<double>& rows)
{
    std::vector<ClientUpdate> updates;
    for (Eigen::Index k = 0; k < rows.rows(); ++k)
    {
        ClientUpdate update;
        update.client = k + 1;
        update.values = rows.row(k).transpose();
        update.weight = 0.5; // robust rules take no notice
        updates.push_back(update);
    }
    return updates;
}

// theta + eta (v = beta v + R): R by sorting each column, for the median and the trimmed mean, and
// the mean of all rows.
TEST(RobustServer, MakesRobustFedAvgOfDifferences)
{
    using Column = std::vector<double>;
    const std::vector<std::pair<TypeId, std::function<double(const Column&)>>> rules{
        {AverageAggregator::GetTypeId(),
         [](const Column& c) { return std::accumulate(c.begin(), c.end(), 0.0) / 7; }},
        {MedianAggregator::GetTypeId(), [](const Column& c) { return c[3]; }},
        {TrimmedMeanAggregator::GetTypeId(),
         [](const Column& c) { return std::accumulate(c.begin() + 1, c.end() - 1, 0.0) / 5; }}};
    for (const auto& [type, reduce] : rules)
    {
        for (const double momentum : {0.0, 0.9})
        {
            const auto server = MakeFedAvg(type, momentum, UpdateKind::DIFFERENCE);
            ModelVector model = server->GetModel();
            ModelVector velocity = ModelVector::Zero(4);
            for (int round = 0; round < 4; ++round)
            {
                const RowMatrix<double> rows = MakeDifferences(round);
                ModelVector aggregate(4);
                for (Eigen::Index j = 0; j < 4; ++j)
                {
                    Column column(7);
                    for (Eigen::Index i = 0; i < 7; ++i)
                    {
                        column[i] = rows(i, j);
                    }
                    std::sort(column.begin(), column.end());
                    aggregate[j] = reduce(column);
                }
                velocity = momentum * velocity + aggregate;
                model += 0.8 * velocity;
                server->Aggregate(MakeDense(rows));
                EXPECT_LT((server->GetModel() - model).norm(), 1e-12 * model.norm())
                    << type.GetName() << " " << momentum;
            }
        }
    }
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
        const auto server = MakeRobustServer(true);
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

// Six workers make three buckets, of which one may be spoiled; of four messages there are two.
TEST(RobustServer, SkipsARoundWhoseMessagesMakeTooFewBuckets)
{
    const auto make = [](uint32_t byzantine) {
        const auto server = CreateObject<RobustServer>();
        server->SetAggregator(CreateObject<KrumAggregator>());
        server->GetAggregator()->AddPreAggregator(CreateObject<BucketingPreAggregator>());
        server->SetAttribute("Byzantine", UintegerValue(byzantine));
        SetUpServer(*server, 6);
        return server;
    };
    ExpectRefused([&] { make(2); },
                  "Byzantine must be less than half of the 3 vectors that the pre-aggregators make "
                  "of the 6 workers, got 2");
    const auto server = make(1);
    server->Aggregate(MakeUpdates({{1, 1}, {2, 1}, {4, 1}, {5, 1}}));
    EXPECT_EQ(server->GetSkipped(), 1U);
    server->Aggregate(MakeUpdates({{1, 1}, {2, 1}, {4, 1}, {5, 1}, {6, 1}}));
    EXPECT_EQ(server->GetSkipped(), 1U);
    EXPECT_NEAR(server->GetModel()[0], -0.1, 1e-12);
}

ModelVector
MakeVector(const std::vector<double>& values)
{
    return Eigen::Map<const Eigen::VectorXd>(values.data(), values.size());
}

TEST(NoiseRecovery, ARequestTellsPlacesNotNumbers)
{
    const ModelVector request = MakeDropoutRequest({2, 3, 5, 8}, {3, 8});
    EXPECT_EQ(request, MakeVector({0, 1, 0, 1}));
    EXPECT_EQ(ReadDropoutRequest(request), (std::vector<uint32_t>{1, 3}));
    EXPECT_TRUE(ReadDropoutRequest(ModelVector::Zero(4)).empty());
    EXPECT_TRUE(ReadDropoutRequest(ModelVector()).empty());
    EXPECT_TRUE(ReadDropoutRequest(MakeVector({0, 1, 0.5})).empty());
}

/** A server of clients 1 to 7. */
Ptr<RobustServer>
MakeServer(bool recovery)
{
    const auto server = CreateObject<RobustServer>();
    server->SetAttribute("NoiseRecovery", BooleanValue(recovery));
    ServerContext context;
    for (LearnerId client = 1; client <= 7; ++client)
    {
        context.samples[client] = 1;
    }
    context.initialModel = ModelVector::Zero(2);
    server->Setup(context);
    return server;
}

/** @return what the server asks after step 0; nothing: it does not */
std::optional<ModelVector>
Ask(const Ptr<RobustServer>& server, std::vector<ClientUpdate> updates)
{
    const Outbox outbox = server->Ask(1, updates, {});
    return outbox.empty() ? std::nullopt : std::make_optional(outbox.at(0).values);
}

ClientUpdate
MakeUpdate(LearnerId client, double value, uint32_t age)
{
    ClientUpdate update;
    update.client = client;
    update.values = ModelVector::Constant(2, value);
    update.round = 9 - age;
    return update;
}

TEST(NoiseRecovery, NamesDropoutsOnlyWhereItIsWanted)
{
    const std::vector<ClientUpdate> updates{MakeUpdate(2, 1, 0),
                                            MakeUpdate(3, 1, 0),
                                            MakeUpdate(7, 1, 0)};
    EXPECT_FALSE(Ask(MakeServer(false), updates));
    const auto server = MakeServer(true);
    EXPECT_EQ(server->GetFormat(ModelChannel::REQUEST).length, 7U);
    EXPECT_EQ(*Ask(server, updates), MakeVector({1, 0, 0, 1, 1, 1, 0}));
    EXPECT_EQ(*Ask(server, {}), ModelVector::Ones(7));
    std::vector<ClientUpdate> all;
    for (LearnerId client = 1; client <= 7; ++client)
    {
        all.push_back(MakeUpdate(client, 1, 0));
    }
    EXPECT_FALSE(Ask(server, all));
}

// A worker whose older message came has not sent what the others share noise with.
TEST(NoiseRecovery, WhoseMessageIsOfAnOlderRoundIsADropout)
{
    const std::vector<ClientUpdate> updates{MakeUpdate(1, 1, 1),
                                            MakeUpdate(2, 1, 0),
                                            MakeUpdate(3, 1, 1),
                                            MakeUpdate(7, 1, 0)};
    EXPECT_EQ(*Ask(MakeServer(true), updates), MakeVector({1, 0, 1, 1, 1, 1, 0}));
}

// An update of an older model holds other noise.
TEST(NoiseRecovery, SubtractsWhatWasAnswered)
{
    std::vector<ClientUpdate> updates{MakeUpdate(1, 1, 0),
                                      MakeUpdate(1, 5, 1),
                                      MakeUpdate(2, 2, 0),
                                      MakeUpdate(4, 4, 0)};
    const auto server = MakeServer(true);
    const ServerRule::Replies replies{{1, {ModelVector::Constant(2, 0.25)}},
                                      {2, {ModelVector::Constant(2, 3)}}};
    EXPECT_TRUE(server->Ask(2, updates, replies).empty());
    EXPECT_EQ(updates[0].values, ModelVector::Constant(2, 0.75));
    EXPECT_EQ(updates[1].values, ModelVector::Constant(2, 5));
    EXPECT_EQ(updates[2].values, ModelVector::Constant(2, -1));
    EXPECT_EQ(updates[3].values, ModelVector::Constant(2, 4));
}

} // namespace
} // namespace ns3::dlearn
