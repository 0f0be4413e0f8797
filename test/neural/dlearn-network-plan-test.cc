/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-network-plan.h"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{
namespace
{

constexpr ImageShape GRAY{1, 28, 28};

TEST(ParseNetworkPlan, KnowsTheSizesOfAConvolutionalNetwork)
{
    const NetworkPlan plan =
        ParseNetworkPlan("conv20x5,relu,pool2,conv50x5,relu,pool2,flatten,fc500,relu,fc10", GRAY);
    ASSERT_EQ(plan.layers.size(), 9U);
    // 20 filters of 25 weights and a bias, 50 of 500, 500 sums of 50 x 4 x 4, 10 of 500.
    EXPECT_EQ(plan.GetParameters(), 20U * 26 + 50 * 501 + 500 * 801 + 10 * 501);
    EXPECT_EQ(plan.GetParameters(), 431080U);
    const uint64_t sizes[] = {20 * 24 * 24,
                              20 * 24 * 24,
                              20 * 12 * 12,
                              50 * 8 * 8,
                              50 * 8 * 8,
                              50 * 4 * 4,
                              500,
                              500,
                              10};
    for (size_t k = 0; k < plan.layers.size(); ++k)
    {
        EXPECT_EQ(plan.layers[k].output.GetSize(), sizes[k]) << k;
    }
    EXPECT_EQ(plan.layers[3].input.channels, 20U);
    EXPECT_EQ(plan.layers[3].GetFanIn(), 500U);
    EXPECT_EQ(plan.layers[3].GetFanOut(), 1250U);
    EXPECT_EQ(plan.layers[6].GetFanOut(), 500U);
    EXPECT_EQ(plan.layers[3].GetProducts(), 64 * 50 * 500);
    EXPECT_EQ(plan.layers[2].GetParameters(), 0U);
}

TEST(ParseNetworkPlan, LeavesOutWhatFillsNoPool)
{
    const NetworkPlan plan = ParseNetworkPlan("pool3,fc2", {2, 11, 8});
    EXPECT_EQ(plan.layers[0].output.channels, 2U);
    EXPECT_EQ(plan.layers[0].output.height, 3U);
    EXPECT_EQ(plan.layers[0].output.width, 2U);
}

TEST(ParseNetworkPlan, NamesTheLayerThatItRefuses)
{
    const auto refuse = [](const std::string& text, const std::string& message) {
        ExpectRefused([&] { ParseNetworkPlan(text, GRAY); }, message);
    };
    const std::string form = ": it must be convFxS, poolS, relu, sigmoid, flatten or fcN";
    refuse("", "layers must name at least one layer, got ''");
    refuse("dense5", "layers: layer 1, 'dense5' at character 1" + form);
    refuse("conv20x5,,fc10", "layers: layer 2, '' at character 10" + form);
    refuse("fc10,", "layers: layer 2, '' at character 6" + form);
    refuse("fc10, fc10", "layers: layer 2, ' fc10' at character 6" + form);
    refuse("relu,conv5,fc2", "layers: layer 2, 'conv5' at character 6" + form);
    for (const char* bad : {"conv20x",
                            "conv20x5x5",
                            "convx5",
                            "conv0x5",
                            "conv5x0",
                            "conv-1x5",
                            "conv+1x5",
                            "pool",
                            "pool2.5",
                            "pool0",
                            "fc",
                            "fc0",
                            "fc1e3",
                            "fc4294967296",
                            "relu6",
                            "Relu"})
    {
        refuse(bad, std::string("layer 1, '") + bad + "' at character 1" + form);
    }
    refuse("conv20x29,fc10",
           "layer 1, 'conv20x29' at character 1: its square of 29 x 29 must fit into the 28 x 28 "
           "values of its input");
    refuse("pool20,pool2,fc10", "layer 2, 'pool2' at character 8: its square of 2 x 2 must fit");
    refuse("fc10,conv2x2,fc10",
           "layer 2, 'conv2x2' at character 6: it needs an image, but the layers before have "
           "flattened it");
    refuse("flatten,pool2,fc10", "layer 2, 'pool2' at character 9: it needs an image");
    refuse("fc10,relu", "layer 2, 'relu' at character 6: the last layer must be fcN");
    refuse("flatten", "layer 1, 'flatten' at character 1: the last layer must be fcN");
    refuse("fc200000,fc10",
           "layer 1, 'fc200000' at character 1: a network must have at most "
           "100000000 parameters");
    refuse("conv4294967295x1,fc10", "a sample must have at most 100000000 values after each layer");
}

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
