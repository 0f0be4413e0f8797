/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** @return how many warnings say that an epsilon is infinite, and why */
size_t
CountWarnings(const RunSpec& spec)
{
    dlearn::Run run(spec);
    std::ostringstream table;
    const auto warnings = run.Execute(table).warnings;
    return std::count(warnings.begin(),
                      warnings.end(),
                      "epsilon is infinite for learners 0-2: ternary noise costs delta alone, and "
                      "all that they have released costs more than the 1e-04 of --delta; ask for "
                      "fewer rounds, add noise, choose another mechanism, or set budget to stop "
                      "before");
}

// The first release is of models that depend on no data and costs nothing; the second one costs
// sqrt(d) Phi / s, which is far more than delta.
TEST(TernaryDelta, IsWhyEpsilonIsInfinite)
{
    RunSpec spec = LdpOnlinePreset("ternary");
    spec.learners = 3;
    spec.dataSamples = 100;
    spec.network = "ideal";
    spec.mechanism = "ternary";
    spec.rounds = 1;
    EXPECT_EQ(CountWarnings(spec), 0U);
    spec.rounds = 5;
    EXPECT_EQ(CountWarnings(spec), 1U);
    spec.mechanism = "laplace";
    EXPECT_EQ(CountWarnings(spec), 0U);
}

// Gradient tracking adds noise of its own to states and to trackers.
TEST(TernaryDelta, IsWhyEpsilonOfGradientTrackingIsInfinite)
{
    RunSpec spec = GradientTrackingPreset("ternary");
    spec.learners = 3;
    spec.stateGraph = "complete";
    spec.trackerGraph = "complete";
    spec.dataSamples = 100;
    spec.network = "ideal";
    spec.rounds = 3;
    EXPECT_EQ(CountWarnings(spec), 0U);
    spec.mechanism = "ternary";
    EXPECT_EQ(CountWarnings(spec), 1U);
}

} // namespace
} // namespace ns3::dlearn
