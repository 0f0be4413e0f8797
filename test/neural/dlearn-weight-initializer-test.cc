/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-network-plan.h"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{
namespace
{

NetworkPlan
MakePlan()
{
    return ParseNetworkPlan("conv20x5,relu,pool2,conv50x5,pool2,relu,fc500,relu,fc10", {1, 28, 28});
}

/** Weights and biases of a layer, inputs of a sum, and outputs that an input enters. */
const std::vector<std::tuple<int, int, int>> LAYERS{{500, 20, 25},
                                                    {25000, 50, 500},
                                                    {400000, 500, 800},
                                                    {5000, 10, 500}};

/**
 * Of n independent numbers of variance 1 and fourth moment m the sum has variance n, that of
 * squares (m - 1) n. Six standard deviations: a false alarm has a probability below 1e-8.
 */
template <typename Numbers>
void
ExpectStandard(const Numbers& numbers, double fourthMoment)
{
    const double n = numbers.size();
    EXPECT_NEAR(numbers.sum(), 0, 6 * std::sqrt(n));
    EXPECT_NEAR(numbers.squaredNorm(), n, 6 * std::sqrt((fourthMoment - 1) * n));
}

template <typename Initializer>
ModelVector
DrawTwiceAlike()
{
    const Initializer initializer;
    const ModelVector model = initializer.Draw(MakePlan(), 5);
    EXPECT_EQ(model.size(), 431080);
    EXPECT_EQ(model, initializer.Draw(MakePlan(), 5));
    EXPECT_NE(model, initializer.Draw(MakePlan(), 6));
    return model;
}

TEST(WeightInitializer, HeBeforeReluAndGlorotElsewhereHaveTheirVariances)
{
    const ModelVector model = DrawTwiceAlike<HeGlorotInitializer>();
    Eigen::Index first = 0;
    for (const auto& [weights, biases, inputs] : LAYERS)
    {
        const double variance = biases == 10 ? 2.0 / (500 + 10) : 2.0 / inputs;
        ExpectStandard(model.segment(first, weights) / std::sqrt(variance), 3);
        EXPECT_TRUE(model.segment(first + weights, biases).isZero(0));
        first += weights + biases;
    }
}

TEST(WeightInitializer, FanInUniformFillsItsRange)
{
    const ModelVector model = DrawTwiceAlike<FanInUniformInitializer>();
    Eigen::Index first = 0;
    for (const auto& [weights, biases, inputs] : LAYERS)
    {
        const auto numbers = model.segment(first, weights + biases) * std::sqrt(inputs);
        EXPECT_LE(numbers.cwiseAbs().maxCoeff(), 1);
        // All n below 0.95: probability 0.95^520 = 3e-12 in the smallest layer.
        EXPECT_GT(numbers.maxCoeff(), 0.95);
        EXPECT_LT(numbers.minCoeff(), -0.95);
        ExpectStandard(numbers * std::sqrt(3.0), 9.0 / 5);
        first += weights + biases;
    }
}

} // namespace
} // namespace ns3::dlearn
