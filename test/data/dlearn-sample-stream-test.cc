/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-sample-stream.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

Ptr<SampleStream>
MakeStream(const SampleIndices& shard, uint32_t batchSize, int64_t stream)
{
    auto result = CreateObject<SampleStream>();
    result->SetShard(shard, batchSize);
    EXPECT_EQ(result->AssignStreams(stream), 1);
    return result;
}

TEST(SampleStream, SameStreamNumberSameSamples)
{
    const SampleIndices shard{4, 8, 15, 16, 23, 42};
    auto first = MakeStream(shard, 20, 5);
    auto second = MakeStream(shard, 20, 5);
    auto other = MakeStream(shard, 20, 6);
    EXPECT_EQ(first->GetShard(), shard);
    EXPECT_EQ(first->GetBatchSize(), 20U);
    for (uint32_t round = 0; round < 10; ++round)
    {
        const auto batch = first->Draw(round);
        EXPECT_EQ(batch.size(), 20U);
        EXPECT_EQ(batch, second->Draw(round));
        EXPECT_NE(batch, other->Draw(round)) << "equal with probability 6^-20";
        for (const auto sample : batch)
        {
            EXPECT_TRUE(std::binary_search(shard.begin(), shard.end(), sample)) << sample;
        }
    }
}

TEST(SampleStream, LogTellsTheDataOfEveryRound)
{
    auto stream = MakeStream({7, 9}, 3, 1);
    EXPECT_EQ(stream->GetLogSize(0), 0U);
    SampleIndices all;
    for (const uint32_t round : {2, 5, 6})
    {
        const auto batch = stream->Draw(round);
        all.insert(all.end(), batch.begin(), batch.end());
        EXPECT_EQ(stream->GetLog(), all);
    }
    const std::vector<size_t> sizes{0, 0, 3, 3, 3, 6, 9, 9};
    for (uint32_t round = 0; round < sizes.size(); ++round)
    {
        EXPECT_EQ(stream->GetLogSize(round), sizes[round]) << round;
    }
    EXPECT_EQ(stream->GetLogSize(4000000000U), 9U);
}

/** Fails with probability of at most about 2e-6 for a random seed. */
TEST(SampleStream, FollowsWhatAnotherHasDrawn)
{
    const SampleIndices shard{4, 8, 15, 16, 23, 42};
    auto stream = MakeStream(shard, 3, 5);
    auto copy = MakeStream(shard, 3, 5);
    stream->Draw(0);
    stream->Draw(1);
    const auto first = stream->GetDraws(0);
    EXPECT_EQ(first.samples.size(), 6U);
    copy->AddDraws(first);
    stream->Draw(4);
    stream->Draw(5);
    const auto rest = stream->GetDraws(first.samples.size());
    EXPECT_EQ(rest.samples.size(), 6U);
    copy->AddDraws(rest);
    EXPECT_EQ(copy->GetLog(), stream->GetLog());
    for (uint32_t round = 0; round < 7; ++round)
    {
        EXPECT_EQ(copy->GetLogSize(round), stream->GetLogSize(round)) << round;
    }
    EXPECT_TRUE(stream->GetDraws(stream->GetLog().size()).samples.empty());
}

TEST(SampleStream, DrawsAreUniformAndIndependent)
{
    SampleIndices shard(50);
    std::iota(shard.begin(), shard.end(), 100U);
    auto stream = MakeStream(shard, 1000, 2);
    std::vector<double> counts(shard.size());
    // Pairs of neighbouring draws, by the tens digit of each.
    std::vector<double> pairs(25);
    for (uint32_t round = 0; round < 200; ++round)
    {
        const auto batch = stream->Draw(round);
        for (size_t k = 0; k < batch.size(); ++k)
        {
            ++counts.at(batch[k] - 100);
            if (k % 2 == 1)
            {
                ++pairs.at((batch[k - 1] - 100) / 10 * 5 + (batch[k] - 100) / 10);
            }
        }
    }
    EXPECT_LT(ChiSquare(counts), ChiSquareBound(counts.size()));
    EXPECT_LT(ChiSquare(pairs), ChiSquareBound(pairs.size()));
    EXPECT_GT(ChiSquare(counts), 10) << "more even than chance: drawn without replacement?";
}

TEST(SampleStream, DrawsDifferentSamplesAndPutsThemBack)
{
    const SampleIndices shard{3, 5, 8, 13, 21, 34};
    auto stream = MakeStream(shard, 1, 4);
    auto twin = MakeStream(shard, 1, 4);
    SampleIndices seen;
    for (uint32_t round = 1; round < 40; ++round)
    {
        auto drawn = stream->DrawDistinct(round, 1 + round % 5);
        EXPECT_EQ(drawn, twin->DrawDistinct(round, 1 + round % 5));
        EXPECT_EQ(drawn.size(), 1 + round % 5);
        std::sort(drawn.begin(), drawn.end());
        EXPECT_TRUE(std::includes(shard.begin(), shard.end(), drawn.begin(), drawn.end()));
        EXPECT_EQ(std::adjacent_find(drawn.begin(), drawn.end()), drawn.end());
        seen.insert(seen.end(), drawn.begin(), drawn.end());
        EXPECT_EQ(stream->GetLog(), shard) << "the learner has its shard from the start";
        EXPECT_EQ(stream->GetLogSize(0), 0U);
        EXPECT_EQ(stream->GetLogSize(1), shard.size());
        EXPECT_EQ(stream->GetLogSize(round), shard.size());
    }
    for (const uint32_t sample : shard)
    {
        EXPECT_GT(std::count(seen.begin(), seen.end(), sample), 1) << "not put back: " << sample;
    }
    EXPECT_EQ(stream->DrawDistinct(40, 6), shard);

    ExpectRefused([&] { stream->DrawDistinct(40, 6); }, "round must be greater than 40, got 40");
    ExpectRefused([&] { stream->DrawDistinct(41, 7); },
                  "must be between 1 and the size of the shard, 6, got 7");
    ExpectRefused([&] { stream->DrawDistinct(41, 0); }, "the shard, 6, got 0");
    ExpectRefused([&] { stream->Draw(41); }, "Draw() must not follow DrawDistinct()");
    auto other = MakeStream(shard, 1, 4);
    other->Draw(0);
    ExpectRefused([&] { other->DrawDistinct(1, 1); }, "DrawDistinct() must not follow Draw()");
    ExpectRefused([] { CreateObject<SampleStream>()->DrawDistinct(0, 1); },
                  "SetShard() must come before");
}

// With a share of 0.5 and two rounds, the first half of the shard comes, and then the second.
TEST(SampleStream, DrawsFromTheSamplesOfTheRound)
{
    const auto data = std::make_shared<Dataset>();
    data->labels = Eigen::VectorXd::Zero(8);
    const auto drift = CreateObject<WindowDrift>();
    drift->Setup(2);
    const auto stream = MakeStream({0, 2, 4, 6}, 50, 1);
    stream->SetDrift(drift, data);
    for (const SampleIndices& half : {SampleIndices{0, 2}, SampleIndices{4, 6}})
    {
        SampleIndices drawn = stream->Draw(half[0] / 4);
        std::sort(drawn.begin(), drawn.end());
        drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
        EXPECT_EQ(drawn, half) << "fails with probability 2^-49";
    }
    stream->SetAttribute("Replacement", BooleanValue(false));
    ExpectRefused([&] { stream->SetDrift(drift, data); },
                  "SampleStream: Replacement=false needs data that do not change");
}

} // namespace
