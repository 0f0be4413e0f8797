/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The number of threads changes nothing but the time it takes.
 */

#include "ns3/dlearn-cafcor-scenario.h"
#include "ns3/dlearn-federated-scenario.h"
#include "ns3/dlearn-peer-scenario.h"
#include "ns3/dlearn-results-writer.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

namespace ns3
{
namespace dlearn
{
namespace
{

/** @return rounds.csv of a run with so many threads */
template <typename SomeScenario, typename Options>
std::string
GetRounds(Options options, uint32_t threads)
{
    options.threads = threads;
    SomeScenario scenario(options);
    std::ostringstream table;
    const RunResults results = scenario.Run(table);
    ComputePool::Get().SetThreads(1);
    const std::string directory = testing::TempDir() + "dlearn-threads-test";
    MakeResultsDirectory(directory);
    WriteResults(directory, results);
    std::ifstream file(directory + "/rounds.csv");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

template <typename SomeScenario, typename Options>
void
ExpectSameForAllThreads(const Options& options)
{
    const std::string one = GetRounds<SomeScenario>(options, 1);
    EXPECT_GT(one.size(), 1000U);
    EXPECT_EQ(one, GetRounds<SomeScenario>(options, 2));
    EXPECT_EQ(one, GetRounds<SomeScenario>(options, 4));
}

TEST(Threads, DoNotChangeWhatPeersLearn)
{
    PeerOptions options("system-test");
    options.learners = 8;
    options.rounds = 30;
    options.network = "csma";
    options.churn = "crash:2@0.1s,restart:2@0.2s,crash:3@0.1505s"; // with luck amid a gradient
    ExpectSameForAllThreads<PeerScenario>(options);
}

TEST(Threads, DoNotChangeWhatAFederationLearns)
{
    FederatedOptions options("system-test");
    options.data = "generated";
    options.task = "softmax";
    options.mode = "buffered";
    options.clients = 10;
    options.rounds = 30;
    options.network = "p2p";
    options.clientFlops = "lognormal:1e7:1";
    ExpectSameForAllThreads<FederatedScenario>(options);
}

TEST(Threads, DoNotChangeWhatWorkersLearn)
{
    CafCorOptions options("system-test");
    options.attack = "Alie";
    options.network = "tree:4";
    ExpectSameForAllThreads<CafCorScenario>(options);
}

} // namespace
} // namespace dlearn
} // namespace ns3
