/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-part.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

/** @return a task on 100 samples */
Ptr<Task>
MakeTask()
{
    auto task = CreateObject<LeastSquaresTask>();
    task->SetData(RandomData(0, 3, 100), nullptr);
    return task;
}

Ptr<ShardData>
MakeData(const SampleIndices& shard, uint32_t samples, int64_t stream)
{
    auto data = CreateObject<ShardData>();
    data->SetShard(MakeTask(), shard, samples);
    EXPECT_EQ(data->AssignStreams(stream), 1);
    return data;
}

TEST(ShardData, WholeShardInANewOrderEachRound)
{
    const SampleIndices shard = Range(40, 30);
    for (const uint32_t samples : {0, 30, 1000})
    {
        auto data = MakeData(shard, samples, 1);
        EXPECT_EQ(data->GetSampleCount(), 30U);
        EXPECT_EQ(data->GetTask()->GetDimension(), 3U);
        SampleIndices last = shard;
        for (const uint32_t round : {0, 1, 5})
        {
            data->BeginRound(round);
            SampleIndices order = data->GetSamples();
            EXPECT_NE(order, last) << "equal with probability 1 / 30!";
            last = order;
            std::sort(order.begin(), order.end());
            EXPECT_EQ(order, shard);
        }
    }
}

TEST(ShardData, SameStreamNumberSameSamples)
{
    auto first = MakeData(Range(0, 40), 20, 5);
    auto second = MakeData(Range(0, 40), 20, 5);
    auto other = MakeData(Range(0, 40), 20, 6);
    for (uint32_t round = 0; round < 5; ++round)
    {
        for (const auto& data : {first, second, other})
        {
            data->BeginRound(round);
        }
        EXPECT_EQ(first->GetSamples(), second->GetSamples());
        EXPECT_NE(first->GetSamples(), other->GetSamples()) << "equal with probability 1e-30";
    }
}

/**
 * Every ordered pair of different samples is equally likely, in a round and as the firsts of
 * one round and the next. Fails with probability of at most 2e-6 for a random seed.
 */
TEST(ShardData, DrawsWithoutReplacementAreUniform)
{
    const SampleIndices shard{3, 14, 15, 92, 65};
    auto data = MakeData(shard, 2, 2);
    EXPECT_EQ(data->GetSampleCount(), 2U);
    std::vector<double> pairs(25);
    std::vector<double> firsts(25);
    const auto position = [&](uint32_t sample) {
        return std::find(shard.begin(), shard.end(), sample) - shard.begin();
    };
    auto last = position(3);
    for (uint32_t round = 0; round < 20000; ++round)
    {
        data->BeginRound(round);
        const SampleIndices& samples = data->GetSamples();
        ASSERT_EQ(samples.size(), 2U);
        ASSERT_NE(samples[0], samples[1]);
        const auto first = position(samples[0]);
        ++pairs.at(5 * first + position(samples[1]));
        ++firsts.at(5 * last + first);
        last = first;
    }
    std::vector<double> different;
    for (size_t k = 0; k < pairs.size(); ++k)
    {
        if (k % 6 != 0)
        {
            different.push_back(pairs[k]);
        }
    }
    EXPECT_LT(ChiSquare(different), ChiSquareBound(20));
    EXPECT_LT(ChiSquare(firsts), ChiSquareBound(25));
}

TEST(ShardData, RefusesWrongUse)
{
    auto data = CreateObject<ShardData>();
    ExpectRefused([&] { data->BeginRound(0); }, "ShardData: SetShard() must come before");
    ExpectRefused([&] { data->GetTask(); }, "ShardData: SetShard() must come before GetTask()");
    ExpectRefused([&] { data->SetShard(nullptr, {0}, 1); }, "task must be given, got null");
    ExpectRefused([&] { data->SetShard(MakeTask(), {}, 1); }, "shard must not be empty");
    ExpectRefused(
        [&] {
            data->SetShard(MakeTask(), {5, 100}, 1);
        },
        "sample index must be less than 100, got 100");
    ExpectRefused(
        [&] {
            data->SetShard(MakeTask(), {5, 8, 2, 8}, 1);
        },
        "shard must name no sample twice, got 8 twice");
    data->SetShard(MakeTask(), {5, 8}, 1);
    ExpectRefused([&] { data->GetSamples(); },
                  "ns3::dlearn::ShardData: BeginRound() must come before GetSamples()");
    data->BeginRound(4);
    ExpectRefused([&] { data->BeginRound(4); },
                  "ns3::dlearn::ShardData: round must be greater than 4, got 4");
}

// Weights and sampling shares are read once, by server and accounts.
TEST(ShardData, StaysWhatItsClientHasRead)
{
    const auto data = MakeData({5, 8}, 1, 0);
    const auto client = CreateObject<ShardData>(); // any object
    ClaimPart(data, *client);
    ExpectRefused([&] { data->SetShard(MakeTask(), {5}, 1); },
                  "ShardData: the shard cannot change any more after set-up");
    ExpectRefused([&] { data->SetEpochs(2); },
                  "ShardData: the number of epochs cannot change any more after set-up");
    EXPECT_EQ(data->GetSampleCount(), 1U);
}

TEST(Task, KeepsTheDataOnWhichAnAccountCounts)
{
    const auto task = MakeTask();
    task->FixConstants();
    task->SetData(RandomData(0, 3, 50), nullptr); // clipping bounds any
    task->FixData();
    ExpectRefused([&] { task->SetData(RandomData(0, 3, 50), nullptr); },
                  "LeastSquaresTask: the data cannot change any more, as a privacy account counts "
                  "on it");
}

} // namespace
