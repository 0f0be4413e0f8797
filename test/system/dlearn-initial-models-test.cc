/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-system-fixture.h"

#include "ns3/simulator.h"

#include <cmath>

namespace ns3::dlearn
{
namespace
{

/** @return the models that the learners start with */
std::vector<ModelVector>
GetInitialModels(double initial, const std::string& task = "auto")
{
    RunSpec options = SmallRun("ideal");
    options.algorithm = "dsgd";
    options.noise = 0;
    options.task = task;
    options.initStd = initial;
    const dlearn::Run scenario(options);
    std::vector<ModelVector> models;
    for (const auto& learner : scenario.GetPeers())
    {
        models.push_back(learner->GetRule()->GetModel());
    }
    Simulator::Destroy();
    return models;
}

TEST(InitialModels, AreZeroUnlessAskedFor)
{
    for (const ModelVector& model : GetInitialModels(0))
    {
        EXPECT_TRUE(model.isZero(0));
    }
}

TEST(InitialModels, AreIndependentNormalNumbers)
{
    const auto models = GetInitialModels(2);
    ASSERT_EQ(models.size(), 5U);
    double squares = 0;
    double sum = 0;
    double numbers = 0;
    for (size_t k = 0; k < models.size(); ++k)
    {
        squares += models[k].squaredNorm() / 4;
        sum += models[k].sum() / 2;
        numbers += models[k].size();
        EXPECT_NE(models[k], models[(k + 1) % models.size()]);
    }
    // Of n standard normal numbers the sum of squares has variance 2n, the sum variance n. Six
    // standard deviations: a false alarm has a probability of at most 1e-6.
    EXPECT_NEAR(squares, numbers, 6 * std::sqrt(2 * numbers));
    EXPECT_NEAR(sum, 0, 6 * std::sqrt(numbers));
    EXPECT_EQ(GetInitialModels(2), models) << "the same seed and run";
}

TEST(InitialModels, OfANeuralNetworkAreOneRandomModel)
{
    const auto models = GetInitialModels(0, "net:fc5,relu,fc2");
    EXPECT_GT(models[0].norm(), 0.1);
    const auto moved = GetInitialModels(0.01, "net:fc5,relu,fc2");
    for (size_t k = 0; k < models.size(); ++k)
    {
        EXPECT_EQ(models[k], models[0]);
        // Normal numbers of deviation 0.01; no one in ten thousand is beyond 6 of them.
        EXPECT_LE((moved[k] - models[0]).cwiseAbs().maxCoeff(), 0.06);
        EXPECT_NE(moved[k], models[k]);
    }
}

// Nothing is known of its curvature and its largest gradient, which accounts ask for.
TEST(NeuralNetworks, WithoutNoiseCostAnInfiniteEpsilon)
{
    RunSpec spec = SmallRun("ideal");
    spec.algorithm = "dsgd";
    spec.task = "net:fc5,relu,fc2";
    spec.noise = 0;
    const RunResults results = RunToEnd(spec).results;
    for (const ResultRow& row : results.rows)
    {
        EXPECT_EQ(row.record.epsilon, INFINITY) << row.record.round;
    }
    EXPECT_EQ(results.epsilon.at(0), INFINITY);
}

TEST(EvaluationSamples, MakeTheLossThatOfAFixedPart)
{
    RunSpec options = SmallRun("ideal");
    options.rounds = 10;
    options.noise = 0;
    const auto getLosses = [&](uint32_t samples) {
        options.evaluationSamples = samples;
        std::vector<double> losses;
        for (const RoundSummary& summary : RunToEnd(options).summaries)
        {
            losses.push_back(summary.mean.loss);
        }
        return losses;
    };
    const auto few = getLosses(40);
    EXPECT_EQ(getLosses(40), few);
    EXPECT_NE(getLosses(41), few);
    // More samples than there are: all of them, in whatever order.
    EXPECT_EQ(getLosses(100000), getLosses(200000));
}

} // namespace
} // namespace ns3::dlearn
