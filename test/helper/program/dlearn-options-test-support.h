/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OPTIONS_TEST_SUPPORT_H
#define DLEARN_OPTIONS_TEST_SUPPORT_H

#include "ns3/dlearn-scenario-options.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** Change what all programs share, each option to something else than any program's default. */
inline void
ChangeCommonOptions(ScenarioOptions& options)
{
    options.task = "softmax";
    options.data = "file.svm";
    options.dataDir = "data";
    options.partition = "dirichlet:0.3";
    options.testFraction = 0.1 + 0.2; // needs all 17 digits
    options.unitNorm = !options.unitNorm;
    options.transcript = true;
    options.dataSamples = 100;
    options.normalize = true;
    options.mirror = true;
    options.network = "csma";
    options.transport = "tcp";
    options.loss = 1e-7;
    options.delay = "3ms";
    options.rate = "1Gbps";
    options.trunkRate = "10Gbps";
    options.mtu = 9000;
    options.side = 12.5;
    options.mobility = true;
    options.floatBits = 16;
    options.compress = "topk:3";
    options.rounds = 123456789;
    options.regularization = 1.0 / 3;
    options.deadline = "20ms";
    options.quorum = 0.75;
    options.churn = "crash:1@1s,restart:1@2s";
    options.links = "down:0-1@1s,up:0-1@2s";
    options.evaluateEvery = 9;
    options.evaluationSamples = 50;
    options.threads = 2;
    options.out = "elsewhere";
}

/**
 * Expect that options, each of which differs from its default so that one that is left out shows,
 * print what a command line reads back, each once.
 *
 * @tparam Options ScenarioOptions of some program, made from its name
 * @param options all changed
 */
template <typename Options>
void
ExpectReadBack(const Options& options)
{
    Options copy("test");
    const auto defaults = copy.GetParameters();
    ProgramArguments program("test");
    copy.AddTo(program);
    const auto parameters = options.GetParameters();
    std::vector<std::string> words{"program"};
    for (const auto& [name, value] : parameters)
    {
        if (!value.empty()) // ns-3's command line refuses empty texts
        {
            words.push_back("--" + name + "=" + value);
        }
    }
    std::vector<char*> arguments;
    for (std::string& word : words)
    {
        arguments.push_back(word.data());
    }
    program.Parse(arguments.size(), arguments.data());
    EXPECT_EQ(copy.GetParameters(), parameters);
    EXPECT_EQ(copy.testFraction, options.testFraction);
    EXPECT_EQ(copy.regularization, options.regularization);

    ASSERT_EQ(parameters.size(), defaults.size());
    std::set<std::string> names;
    for (size_t k = 0; k < parameters.size(); ++k)
    {
        EXPECT_TRUE(names.insert(parameters[k].first).second) << parameters[k].first << " twice";
        EXPECT_NE(parameters[k].second, defaults[k].second) << parameters[k].first;
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_OPTIONS_TEST_SUPPORT_H
