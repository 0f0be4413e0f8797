/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-options-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-peer-options.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(PeerOptions, AreValidUnlessChanged)
{
    const PeerOptions options("some-program");
    options.Validate();
    EXPECT_EQ(options.out, "results/some-program");
}

TEST(PeerOptions, ReadBackWhatTheyPrint)
{
    PeerOptions options("test");
    ChangeCommonOptions(options);
    options.algorithm = "dola";
    options.learners = 7;
    options.graph = "er:0.5";
    options.weight = "metropolis";
    options.batch = 3;
    options.initial = 0.5;
    options.noise = 0.1;
    options.privacy.mechanism = "gaussian";
    options.privacy.unit = "sample";
    options.privacy.delta = 1e-6;
    options.noiseExponent = -1;
    options.noiseExponentStep = 0.02;
    options.missing = "last";
    options.synchrony = "async:5ms";
    options.byzantine = 2;
    options.attack = "equivocate:3";
    options.omniscient = false;
    options.aggregator = "Median";
    options.pre = "Nnm";
    options.missingAreByzantine = true;
    ExpectReadBack(options);
}

TEST(PeerOptions, RefuseNumbersOutOfRange)
{
    const double notANumber = std::nan("");
    const std::vector<std::pair<std::function<void(PeerOptions&)>, std::string>> mistakes{
        {[](auto& o) { o.learners = 0; }, "learners must be from 1 to 100000, got 0"},
        {[](auto& o) { o.learners = -3; }, "learners must be from 1 to 100000, got 4294967293"},
        {[](auto& o) { o.rounds = 0; }, "rounds must be from 1 to 1000000000, got 0"},
        {[](auto& o) { o.rounds = -1; }, "rounds must be from 1 to 1000000000, got 4294967295"},
        {[](auto& o) { o.batch = 0; }, "batch must be from 1 to 1000000, got 0"},
        {[](auto& o) { o.batch = -1; }, "batch must be from 1 to 1000000, got 4294967295"},
        {[](auto& o) { o.evaluateEvery = 0; }, "evaluate-every must be from 1 to 1000000000"},
        {[](auto& o) { o.loss = 1; }, "loss must be in [0, 1), got 1"},
        {[](auto& o) { o.loss = -0.1; }, "loss must be in [0, 1), got -0.1"},
        {[&](auto& o) { o.loss = notANumber; }, "loss must be in [0, 1), got nan"},
        {[](auto& o) { o.quorum = 0; }, "quorum must be in (0, 1], got 0"},
        {[](auto& o) { o.quorum = 2; }, "quorum must be in (0, 1], got 2"},
        {[&](auto& o) { o.quorum = notANumber; }, "quorum must be in (0, 1], got nan"},
        {[](auto& o) { o.floatBits = 8; }, "float-bits must be 16, 32 or 64, got 8"},
        {[](auto& o) { o.initial = -1; }, "initial must be finite and at least 0, got -1"},
        {[](auto& o) { o.noise = -1; }, "noise must be finite and at least 0, got -1"},
        {[](auto& o) { o.noise = INFINITY; }, "noise must be finite and at least 0, got inf"},
        {[&](auto& o) { o.regularization = notANumber; },
         "regularization must be finite and at least 0, got nan"},
        {[&](auto& o) { o.noiseExponent = notANumber; }, "noise-exponent-step must be finite"},
        {[](auto& o) { o.noiseExponentStep = INFINITY; }, "noise-exponent-step must be finite"},
        {[](auto& o) { o.deadline = "1s", o.quorum = 0.5; },
         "deadline and quorum exclude each other"},
        {[](auto& o) { o.synchrony = "async", o.deadline = "1s"; },
         "synchrony async and deadline exclude each other"},
        {[](auto& o) { o.synchrony = "async", o.missing = "wait"; },
         "synchrony async and missing wait exclude each other"},
        {[](auto& o) { o.synchrony = "sometimes"; },
         "synchrony must be rounds, async or async:PERIOD, got 'sometimes'"},
        {[](auto& o) { o.attack = "silent"; }, "attack silent needs byzantine learners"},
        {[](auto& o) { o.pre = "Nnm"; }, "pre Nnm needs an aggregator after it"},
        {[](auto& o) { o.out = ""; }, "out must name a directory"},
    };
    for (const auto& [mistake, message] : mistakes)
    {
        PeerOptions options("test");
        mistake(options);
        ExpectRefused([&] { options.Validate(); }, message);
    }
}

TEST(PeerOptions, TakeTheNumberOfLearnersFromAFile)
{
    PeerOptions options("test");
    options.graph = "graphml:some.graphml";
    options.learners = 0;
    options.Validate();
}

} // namespace
} // namespace ns3::dlearn
