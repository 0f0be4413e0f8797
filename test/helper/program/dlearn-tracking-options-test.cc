/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-options-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-tracking-options.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(TrackingOptions, AreValidUnlessChanged)
{
    const TrackingOptions options("some-program");
    options.Validate();
    EXPECT_EQ(options.out, "results/some-program");
    EXPECT_EQ(options.floatBits, 64U) << "rounding would be lost tracking mass";
}

TEST(TrackingOptions, ReadBackWhatTheyPrint)
{
    TrackingOptions options("test");
    ChangeCommonOptions(options);
    options.algorithm = "gt";
    options.scheme = "s2";
    options.alpha = 0.3;
    options.beta = 0.2;
    options.gamma = 0.01;
    options.samples = 12;
    options.stateNoiseExponent = "0.999";
    options.trackerNoiseExponent = "0.998";
    options.learners = 7;
    options.stateGraph = "random:0.5";
    options.trackerGraph = "tree:3";
    options.powers = "10:20";
    options.compensation = "running-sum";
    options.initial = 0.5;
    options.noise = 0.1;
    options.smoothness = 3;
    options.privacy.mechanism = "gaussian";
    options.privacy.unit = "sample";
    options.privacy.delta = 1e-6;
    options.missing = "last";
    options.synchrony = "async:5ms";
    ExpectReadBack(options);
}

// The paper prints 72/2000^0.987 for 2000 rounds, which are the rounds 0 to K = 1999.
TEST(TrackingOptions, PlanForTheLastRound)
{
    TrackingOptions options("test");
    options.rounds = 2000;
    EXPECT_DOUBLE_EQ(options.GetPlan().alpha, 72 / std::pow(2000, 0.987));
    EXPECT_EQ(options.GetPlan().samples, 53U);
    options.scheme = "s2";
    EXPECT_EQ(options.GetPlan().samples, 55U);
    EXPECT_DOUBLE_EQ(options.GetPlan().state.base, std::pow(0.9996, 1999));
    options.beta = 0.25;
    options.samples = 7;
    options.trackerNoiseExponent = "1";
    EXPECT_EQ(options.GetPlan().alpha, 0.1) << "of the scheme";
    EXPECT_EQ(options.GetPlan().beta, 0.25);
    EXPECT_EQ(options.GetPlan().samples, 7U);
    EXPECT_EQ(options.GetPlan().tracker.base, 1);
}

TEST(TrackingOptions, TellWhetherThereIsNoise)
{
    TrackingOptions options("test");
    options.noise = 0.3;
    EXPECT_TRUE(options.IsTracking());
    EXPECT_EQ(options.GetNoise(), 0.3);
    options.algorithm = "gt";
    EXPECT_TRUE(options.IsTracking());
    EXPECT_EQ(options.GetNoise(), 0);
    options.algorithm = "dsgd";
    EXPECT_FALSE(options.IsTracking());
    EXPECT_EQ(options.GetNoise(), 0.3);
}

TEST(TrackingOptions, RefuseWhatIsWrong)
{
    using Options = TrackingOptions;
    const std::vector<std::pair<std::function<void(Options&)>, std::string>> mistakes{
        {[](auto& o) { o.learners = 0; }, "learners must be from 1 to 100000, got 0"},
        {[](auto& o) { o.learners = -3; }, "learners must be from 1 to 100000, got 4294967293"},
        {[](auto& o) { o.samples = -1; }, "must be from 1 to 1000000000, got 4294967295"},
        {[](auto& o) { o.rounds = 0; }, "rounds must be from 1 to 1000000000, got 0"},
        {[](auto& o) { o.loss = 1; }, "loss must be in [0, 1), got 1"},
        {[](auto& o) { o.scheme = "s3"; }, "--scheme must be s1, s2 or free, got s3"},
        {[](auto& o) { o.alpha = -1; }, "--alpha must be finite and greater than 0"},
        {[](auto& o) { o.beta = std::nan(""); }, "--beta must be finite and greater than 0"},
        {[](auto& o) { o.gamma = INFINITY; }, "--gamma must be finite and greater than 0"},
        {[](auto& o) { o.stateNoiseExponent = "x"; }, "--state-noise-exponent must be a number"},
        {[](auto& o) { o.trackerNoiseExponent = "1,"; }, "--tracker-noise-exponent must be a"},
        {[](auto& o) { o.noise = -1; }, "noise must be finite and at least 0, got -1"},
        {[](auto& o) { o.initial = -1; }, "initial must be finite and at least 0, got -1"},
        {[](auto& o) { o.synchrony = "async", o.missing = "wait"; },
         "synchrony async and missing wait exclude each other"},
        {[](auto& o) { o.compensation = "x"; },
         "compensation must be none or running-sum, got 'x'"},
        {[](auto& o) { o.compensation = "running-sum", o.algorithm = "dola"; },
         "compensation running-sum needs algorithm dp-gt or gt, got dola"},
        {[](auto& o) { o.compensation = "running-sum", o.compress = "topk:9"; },
         "compensation running-sum and compress topk:9 exclude each other"},
        {[](auto& o) { o.compensation = "running-sum", o.compress = "randk:9"; },
         "compensation running-sum and compress randk:9 exclude each other"},
    };
    for (const auto& [mistake, message] : mistakes)
    {
        Options options("test");
        mistake(options);
        ExpectRefused([&] { options.Validate(); }, message);
    }
    Options options("test");
    options.compensation = "running-sum";
    options.compress = "qsgd:16"; // unbiased, and forgets what it left out
    options.stateGraph = "csv:some.csv";
    options.learners = 0; // as many as the file has
    options.Validate();
}

} // namespace
} // namespace ns3::dlearn
