/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-fedavg-theory.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-newton.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

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

TEST(LinearGaussianData, SameStreamNumberSameSamples)
{
    const auto problem = MakeProblem({}, 1);
    const auto first = MakeData(problem, 0, 10, 5);
    const auto second = MakeData(problem, 0, 10, 5);
    const auto other = MakeData(problem, 0, 10, 7);
    for (const uint32_t round : {1, 2})
    {
        for (const auto& data : {first, second, other})
        {
            data->BeginRound(round);
        }
        const Dataset& train = first->GetTask()->GetTrain();
        EXPECT_EQ(train.features, second->GetTask()->GetTrain().features);
        EXPECT_EQ(train.labels, second->GetTask()->GetTrain().labels);
        EXPECT_NE(train.features, other->GetTask()->GetTrain().features);
    }
}

/**
 * FedAvg by hand over these data against the closed forms, for each kind of local training:
 * 5 standard errors, 6e-7 for each of 9 figures (normal approximation).
 */
TEST(LinearGaussianData, FederatedAveragingMeetsTheClosedForms)
{
    constexpr int runs = 400;
    constexpr uint32_t rounds = 3;
    FedAvgBalancedSetting balanced;
    balanced.samples = 12;
    balanced.dimension = 30;
    LinearGaussianProblemOptions options;
    options.dimension = 30;
    for (const uint32_t steps : {0, 1, 3})
    {
        std::vector<double> sums(rounds);
        std::vector<double> squares(rounds);
        for (int run = 0; run < runs; ++run)
        {
            const auto problem = MakeProblem(options, 100 * run);
            std::vector<Ptr<LinearGaussianData>> clients;
            for (uint32_t i = 0; i < 3; ++i)
            {
                clients.push_back(MakeData(problem, i, 12, 100 * run + 10 * (i + 1)));
            }
            ModelVector model = problem->GetInitialModel();
            for (uint32_t t = 0; t < rounds; ++t)
            {
                ModelVector sum = ModelVector::Zero(30);
                for (const auto& client : clients)
                {
                    client->BeginRound(t);
                    const auto task = DynamicCast<const ConvexTask>(client->GetTask());
                    ModelVector local = model;
                    if (steps == 0)
                    {
                        local = MinimizeFrom(*task, model, EqualWeights(client->GetSamples()));
                    }
                    for (uint32_t k = 0; k < steps; ++k)
                    {
                        const uint32_t batch = 12 / steps;
                        local -= balanced.stepSize *
                                 GradientAt(*task, local, EqualWeights(Range(k * batch, batch)));
                    }
                    sum += local;
                }
                model = sum / 3;
                const double error = (problem->GetTruth(t) - model).squaredNorm();
                sums[t] += error;
                squares[t] += error * error;
            }
        }
        for (uint32_t t = 0; t < rounds; ++t)
        {
            const double mean = sums[t] / runs;
            const double deviation = std::sqrt((squares[t] / runs - mean * mean) / runs);
            const double wanted = FedAvgBalancedError(balanced, steps, t + 1);
            EXPECT_NEAR(mean, wanted, 5 * deviation) << "K = " << steps << ", t = " << t + 1;
            EXPECT_LE(deviation, 0.05 * wanted) << "too noisy to tell anything";
        }
    }
}

TEST(LinearGaussianData, RefusesWrongUse)
{
    const auto problem = MakeProblem({}, 1);
    auto data = CreateObject<LinearGaussianData>();
    ExpectRefused([&] { data->BeginRound(0); }, "SetProblem() must come before BeginRound()");
    ExpectRefused([&] { data->GetTask(); }, "SetProblem() must come before GetTask()");
    ExpectRefused([&] { data->SetProblem(nullptr, 0, 1); }, "problem must be given, got null");
    ExpectRefused([&] { data->SetProblem(CreateObject<LinearGaussianProblem>(), 0, 1); },
                  "Draw() must be called first");
    ExpectRefused([&] { data->SetProblem(problem, 3, 1); }, "client must be less than 3, got 3");
    ExpectRefused([&] { data->SetProblem(problem, 2, 0); }, "samples must be at least 1, got 0");
    data->SetProblem(problem, 2, 1);
    ExpectRefused([&] { data->GetSamples(); }, "BeginRound() must come before GetSamples()");
    data->BeginRound(2);
    ExpectRefused([&] { data->BeginRound(1); }, "round must be greater than 2, got 1");
}

} // namespace
