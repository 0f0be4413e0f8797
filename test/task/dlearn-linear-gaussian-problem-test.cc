/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-local-data.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

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

TEST(LinearGaussianProblem, RefusesWrongOptions)
{
    const auto refused = [](auto change, const std::string& message) {
        Options options;
        change(options);
        ExpectRefused([&] { MakeGaussianProblem(options, 1); },
                      "LinearGaussianProblem: " + message);
    };
    refused([](Options& o) { o.clients = 0; }, "clients must be at least 1, got 0");
    refused([](Options& o) { o.dimension = 0; }, "dimension must be at least 1, got 0");
    refused([](Options& o) { o.sparsity = 201; },
            "sparsity must be at most 200 (dimension), got 201");
    refused([](Options& o) { o.initialError = -1; },
            "initialError must be finite and at least 0, got -1");
    refused([](Options& o) { o.heterogeneity = INFINITY; },
            "heterogeneity must be finite and at least 0, got inf");
    refused([](Options& o) { o.drift = -0.1; }, "drift must be finite and at least 0, got -0.1");
    refused(
        [](Options& o) {
            o.noiseStds = {1, 2};
        },
        "noiseStds must have 1 entry or 3, one a client, got 2");
    refused([](Options& o) { o.noiseStds.clear(); },
            "noiseStds must have 1 entry or 3, one a client, got 0");
    refused([](Options& o) { o.noiseStds = {NAN}; },
            "noiseStds must be finite and at least 0, got nan");
    refused([](Options& o) { o.clients = 1; },
            "heterogeneity must be 0 for 1 client, which has no other to differ from, got 0.5");
    refused([](Options& o) { o.dimension = o.sparsity = 1; },
            "heterogeneity must be 0 for an odd number of clients in 1 dimension, where no "
            "gammas of equal size sum to 0, got 0.5");
}

TEST(LinearGaussianProblem, RefusesWrongUse)
{
    auto problem = CreateObject<LinearGaussianProblem>();
    const std::string first = "LinearGaussianProblem: Draw() must be called first";
    ExpectRefused([&] { problem->GetOptions(); }, first);
    ExpectRefused([&] { problem->GetInitialModel(); }, first);
    ExpectRefused([&] { problem->GetTruth(0); }, first);
    ExpectRefused([&] { problem->GetGamma(0); }, first);
    problem->Draw({});
    EXPECT_EQ(problem->GetOptions().clients, 3U);
    ExpectRefused([&] { problem->GetNoiseStd(3); }, "client must be less than 3, got 3");
    ExpectRefused([&] { problem->Draw({}); }, "Draw() must be called only once");
    ExpectRefused([&] { problem->AssignStreams(1); }, "AssignStreams() must come before Draw()");
}

} // namespace
