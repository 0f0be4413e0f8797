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
#include <cmath>
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

TEST(ShardData, TakesOtherSamplesInSomeRounds)
{
    const auto data = MakeData(Range(0, 10), 4, 1);
    const auto twin = MakeData(Range(0, 10), 4, 1);
    data->SetOther(50, [](uint32_t round) { return round % 2 == 1; });
    for (uint32_t round = 0; round < 6; ++round)
    {
        data->BeginRound(round);
        twin->BeginRound(round);
        for (size_t k = 0; k < 4; ++k)
        {
            EXPECT_EQ(data->GetSamples()[k], twin->GetSamples()[k] + round % 2 * 50);
        }
    }
    EXPECT_THROW(data->SetOther(91, nullptr), std::invalid_argument); // there are 100 samples
}

TEST(ShardData, TakesTheSamplesThatItHasInARound)
{
    const auto drift = CreateObject<WindowDrift>(); // half of the samples
    drift->Setup(2);
    for (const uint32_t samples : {0U, 3U, 8U})
    {
        const auto data = MakeData(Range(40, 10), samples, 1);
        data->SetDrift(drift);
        const uint32_t count = samples == 3 ? 3 : 5;
        EXPECT_EQ(data->GetSampleCount(), count);
        EXPECT_EQ(data->GetSamplingShare(), count / 5.0);
        for (const uint32_t round : {0U, 1U})
        {
            data->BeginRound(round);
            SampleIndices drawn = data->GetSamples();
            std::sort(drawn.begin(), drawn.end());
            EXPECT_EQ(drawn.size(), count);
            EXPECT_TRUE(std::includes(Range(40 + 5 * round, 5).begin(),
                                      Range(40 + 5 * round, 5).end(),
                                      drawn.begin(),
                                      drawn.end()));
        }
    }
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

namespace
{

using Options = LinearGaussianProblemOptions;

Ptr<LinearGaussianProblem>
MakeGaussianProblem(const Options& options, int64_t stream)
{
    auto problem = CreateObject<LinearGaussianProblem>();
    EXPECT_EQ(problem->AssignStreams(stream), 4);
    problem->Draw(options);
    return problem;
}

TEST(LinearGaussianProblem, TruthAndStartHaveTheirNorms)
{
    Options options;
    for (const uint32_t sparsity : {0, 1, 5, 200})
    {
        options.sparsity = sparsity;
        for (const double initialError : {0.0, 0.25, 1.0, 9.0})
        {
            options.initialError = initialError;
            const auto problem = MakeGaussianProblem(options, 1);
            const ModelVector truth = problem->GetTruth(0);
            EXPECT_EQ(truth.size(), 200);
            EXPECT_EQ((truth.array() != 0).count(), sparsity > 0 ? sparsity : 200);
            EXPECT_NEAR(truth.norm(), 1, 1e-14);
            EXPECT_NEAR((truth - problem->GetInitialModel()).squaredNorm(),
                        initialError,
                        1e-14 * (1 + initialError));
            EXPECT_EQ(problem->GetTruth(7), truth) << "nothing drifts";
        }
    }
}

TEST(LinearGaussianProblem, GammasHaveTheirNormAndSumToZero)
{
    Options options;
    for (const uint32_t dimension : {1, 2, 50})
    {
        for (const uint32_t clients : {2, 3, 4, 5, 8, 25})
        {
            if (dimension == 1 && clients % 2 == 1)
            {
                continue;
            }
            options.dimension = dimension;
            options.sparsity = 1;
            options.clients = clients;
            const auto problem = MakeGaussianProblem(options, 1);
            ModelVector sum = ModelVector::Zero(dimension);
            for (uint32_t i = 0; i < clients; ++i)
            {
                EXPECT_NEAR(problem->GetGamma(i).norm(), 0.5, 1e-14);
                sum += problem->GetGamma(i);
                EXPECT_EQ(problem->GetClientTruth(i, 3),
                          problem->GetTruth(3) - problem->GetGamma(i));
            }
            EXPECT_LE(sum.norm(), 1e-14);
        }
    }
    options.clients = 1;
    options.heterogeneity = 0;
    EXPECT_EQ(MakeGaussianProblem(options, 1)->GetGamma(0), ModelVector::Zero(50));
}

/**
 * Directions in the plane fall into eighths of the circle equally often, also relative to the
 * direction of the truth; and places are chosen equally often. Each bound is broken with
 * probability 1e-6 at most.
 */
TEST(LinearGaussianProblem, DirectionsAndPlacesAreUniform)
{
    Options options;
    options.dimension = 2;
    options.sparsity = 0;
    options.clients = 5; // a pair and a triple
    const auto eighth = [](const ModelVector& v) {
        return std::min(7, int((std::atan2(v[1], v[0]) / M_PI + 1) * 4));
    };
    std::vector<double> truths(8);
    std::vector<double> pairs(8);
    std::vector<double> triples(8);
    std::vector<double> relative(8);
    std::vector<double> places(6);
    for (int64_t k = 0; k < 4000; ++k)
    {
        const auto problem = MakeGaussianProblem(options, 10 * k);
        const int truth = eighth(problem->GetTruth(0));
        const int pair = eighth(problem->GetGamma(0));
        const int triple = eighth(problem->GetGamma(3));
        ++truths[truth];
        ++pairs[pair];
        ++triples[triple];
        ++relative[(pair - truth + 8) % 8];
        Options sparse;
        sparse.dimension = 6;
        sparse.sparsity = 1;
        Eigen::Index place = 0;
        MakeGaussianProblem(sparse, 10 * k)->GetTruth(0).cwiseAbs().maxCoeff(&place);
        ++places[place];
    }
    for (const auto& counts : {truths, pairs, triples, relative, places})
    {
        EXPECT_LT(ChiSquare(counts), ChiSquareBound(counts.size()));
    }
}

/** Two figures, 6 standard errors each: 4e-9. */
TEST(LinearGaussianProblem, TruthDriftsOnItsSupport)
{
    Options options;
    options.drift = 0.3;
    const auto problem = MakeGaussianProblem(options, 1);
    const ModelVector start = problem->GetTruth(0);
    constexpr int rounds = 4000;
    double squares = 0;
    double lagged = 0;
    ModelVector last = ModelVector::Zero(200);
    for (int t = 1; t <= rounds; ++t)
    {
        const ModelVector step = problem->GetTruth(t) - problem->GetTruth(t - 1);
        EXPECT_TRUE((start.array() != 0 || step.array() == 0).all());
        squares += step.squaredNorm();
        lagged += step.dot(last);
        last = step;
    }
    // s normals of variance drift^2 / s each.
    const double mean = 0.09;
    EXPECT_NEAR(squares / rounds, mean, 6 * mean * std::sqrt(2.0 / 5 / rounds));
    EXPECT_NEAR(lagged / rounds, 0, 6 * mean / std::sqrt(5.0 * rounds));
}

TEST(LinearGaussianProblem, AnyOrderOfAskingGivesTheSame)
{
    Options options;
    options.drift = 1;
    options.noiseStds = {0.1, 0.2, 0.3};
    const auto forward = MakeGaussianProblem(options, 3);
    const auto backward = MakeGaussianProblem(options, 3);
    const auto other = MakeGaussianProblem(options, 7);
    const ModelVector& kept = backward->GetTruth(0);
    for (uint32_t t = 0; t <= 20; ++t)
    {
        forward->GetTruth(t);
    }
    for (uint32_t t = 20; t > 0; --t)
    {
        EXPECT_EQ(backward->GetTruth(t), forward->GetTruth(t)) << t;
        EXPECT_NE(backward->GetTruth(t), backward->GetTruth(t - 1)) << t;
    }
    EXPECT_EQ(kept, forward->GetTruth(0)) << "a reference outlives later rounds";
    for (uint32_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(forward->GetGamma(i), backward->GetGamma(i));
        EXPECT_NE(forward->GetGamma(i), other->GetGamma(i));
        EXPECT_EQ(forward->GetNoiseStd(i), options.noiseStds[i]);
    }
    EXPECT_NE(kept, other->GetTruth(0));
    EXPECT_EQ(MakeGaussianProblem({}, 1)->GetNoiseStd(2), 0.7);

    // Drift and heterogeneity draw from streams of their own.
    EXPECT_EQ(MakeGaussianProblem({}, 3)->GetTruth(0), kept);
    EXPECT_EQ(MakeGaussianProblem({}, 3)->GetGamma(1), forward->GetGamma(1));
}

} // namespace

namespace
{

Ptr<LinearGaussianProblem>
MakeProblem(const LinearGaussianProblemOptions& options, int64_t stream)
{
    auto problem = CreateObject<LinearGaussianProblem>();
    problem->AssignStreams(stream);
    problem->Draw(options);
    return problem;
}

Ptr<LinearGaussianData>
MakeData(Ptr<LinearGaussianProblem> problem, uint32_t client, uint32_t samples, int64_t stream)
{
    auto data = CreateObject<LinearGaussianData>();
    data->SetProblem(problem, client, samples);
    EXPECT_EQ(data->AssignStreams(stream), 2);
    return data;
}

/**
 * The features and the noise, recovered with the client's truth of the round, are independent
 * N(0, 1) and N(0, sigma_i^2): 6 standard errors for each of 40 figures, 8e-8 in all.
 */
TEST(LinearGaussianData, FollowsTheClientsTruthOfTheRound)
{
    LinearGaussianProblemOptions options;
    options.dimension = 4;
    options.sparsity = 2;
    options.noiseStds = {0.5, 1, 2};
    options.drift = 3;
    const auto problem = MakeProblem(options, 1);
    const auto data = MakeData(problem, 2, 5000, 20);
    const Ptr<const Task> task = data->GetTask();
    EXPECT_EQ(task->GetDimension(), 4U) << "known before the first round";
    EXPECT_EQ(data->GetSampleCount(), 5000U);
    Eigen::MatrixXd last = Eigen::MatrixXd::Zero(5, 5000);
    for (const uint32_t round : {0, 3})
    {
        data->BeginRound(round);
        EXPECT_EQ(data->GetTask(), task);
        EXPECT_EQ(data->GetSamples(), Range(0, 5000));
        Eigen::MatrixXd normals(5, 5000);
        normals.topRows(4) = task->GetTrain().features;
        const ModelVector truth = problem->GetClientTruth(2, round);
        normals.row(4) =
            (task->GetTrain().labels - normals.topRows(4).transpose() * truth).transpose() / 2;
        const Eigen::MatrixXd second = normals * normals.transpose() / 5000;
        const ModelVector crossed = normals.cwiseProduct(last).rowwise().mean();
        for (int i = 0; i < 5; ++i)
        {
            EXPECT_NEAR(normals.row(i).mean(), 0, 6 / std::sqrt(5000));
            EXPECT_NEAR(crossed[i], 0, 6 / std::sqrt(5000)) << "fresh samples each round";
            for (int j = 0; j <= i; ++j)
            {
                EXPECT_NEAR(second(i, j), i == j, 6 * std::sqrt((i == j ? 2 : 1) / 5000.0));
            }
        }
        last = normals;
    }
}

} // namespace
