/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The number of threads changes nothing but the time it takes.
 */

#include "support/dlearn-rounds-text.h"

#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using test::ExpectSameForAllThreads;

TEST(Threads, DoNotChangeWhatPeersLearn)
{
    RunSpec options = LdpOnlinePreset("system-test");
    options.learners = 8;
    options.rounds = 30;
    options.network = "csma";
    options.churn = "crash:2@0.1s,restart:2@0.2s,crash:3@0.1505s"; // with luck amid a gradient
    ExpectSameForAllThreads<dlearn::Run>(options, 1000);
}

TEST(Threads, DoNotChangeWhatAFederationLearns)
{
    RunSpec options = FedAvgPreset("system-test");
    options.data = "generated";
    options.task = "softmax";
    options.mode = "buffered";
    options.learners = 10;
    options.rounds = 30;
    options.network = "p2p";
    options.clientFlops = "lognormal:1e7:1";
    ExpectSameForAllThreads<dlearn::Run>(options, 1000);
}

} // namespace
} // namespace ns3::dlearn
