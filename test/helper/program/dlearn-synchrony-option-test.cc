/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-synchrony-option.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(SynchronyOption, SetsWhatItSays)
{
    EXPECT_FALSE(SynchronyOption("rounds").IsAsynchronous());
    SynchronyOption("rounds").Apply(*CreateObject<AllPolicy>()); // which has no Period
    const auto policy = CreateObject<AsynchronousPolicy>();
    EXPECT_TRUE(SynchronyOption("async:20ms").IsAsynchronous());
    SynchronyOption("async:20ms").Apply(*policy);
    EXPECT_EQ(policy->GetDeadline(), MilliSeconds(20));
    EXPECT_TRUE(SynchronyOption("async").IsAsynchronous());
    SynchronyOption("async").Apply(*policy);
    EXPECT_EQ(policy->GetDeadline(), Time(0));
}

TEST(SynchronyOption, RefusesWhatItDoesNotKnow)
{
    for (const char* text : {"", "Async", "asynchronous", "rounds:1s", "async=1s"})
    {
        ExpectRefused([text] { SynchronyOption option(text); },
                      "synchrony must be rounds, async or async:PERIOD, got '" + std::string(text) +
                          "'");
    }
    ExpectRefused([] { SynchronyOption option("async:soon"); },
                  "synchrony: period of 'async:soon' must be a time of at least 0 with a unit");
    ExpectRefused([] { SynchronyOption option("async:0s"); },
                  "synchrony: period must be greater than 0, got 'async:0s'");
}

TEST(SynchronyOption, ExcludesWhatClosesCommonRounds)
{
    ScenarioOptions options("test");
    SynchronyOption("async").Validate(options);
    options.quorum = 0.5;
    SynchronyOption("rounds").Validate(options);
    ExpectRefused([&] { SynchronyOption("async").Validate(options); },
                  "synchrony async and quorum exclude each other");
    options.quorum = 1;
    options.deadline = "1s";
    SynchronyOption("rounds").Validate(options);
    ExpectRefused([&] { SynchronyOption("async:1s").Validate(options); },
                  "synchrony async and deadline exclude each other");
}

} // namespace
} // namespace ns3::dlearn
