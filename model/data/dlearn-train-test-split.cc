/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-train-test-split.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

TrainTestSplit
SplitTrainTest(uint32_t samples, double testFraction, int64_t stream)
{
    Require(testFraction > 0 && testFraction < 1,
            "test fraction must be greater than 0 and less than 1, got ",
            testFraction);
    const auto tests = static_cast<uint32_t>(std::llround(testFraction * samples));
    Require(tests >= 1 && tests < samples,
            "test fraction ",
            testFraction,
            ": both parts must have a sample, got ",
            tests,
            " of ",
            samples,
            " samples for the test");

    const auto random = CreateSeeded<UniformRandomVariable>(stream, 0);
    const SampleIndices order = RandomOrder(samples, *random);
    TrainTestSplit split;
    split.test.assign(order.begin(), order.begin() + tests);
    split.train.assign(order.begin() + tests, order.end());
    std::sort(split.test.begin(), split.test.end());
    std::sort(split.train.begin(), split.train.end());
    return split;
}

} // namespace ns3::dlearn
