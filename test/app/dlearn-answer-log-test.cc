/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-answer-log.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using Disposition = AnswerLog::Disposition;

TEST(AnswerLog, HandsOverWhatCame)
{
    AnswerLog log;
    EXPECT_FALSE(log.IsOpen());
    log.Open(3, {1, 2, 4});
    EXPECT_TRUE(log.IsOpen());
    const ModelVector answer = ModelVector::Constant(2, 0.5);
    EXPECT_EQ(log.Answer(1, 3, &answer), Disposition::ON_TIME);
    EXPECT_EQ(log.Answer(2, 3, nullptr), Disposition::ON_TIME);
    EXPECT_FALSE(log.IsComplete());
    const std::map<LearnerId, ModelVector> expected{{1, answer}};
    EXPECT_EQ(log.Close(), expected);
    EXPECT_FALSE(log.IsOpen());
    EXPECT_TRUE(log.Close().empty());
    EXPECT_EQ(log.Answer(4, 3, &answer), Disposition::LATE);
    std::map<std::string, uint64_t> totals;
    log.Count(totals);
    EXPECT_EQ(totals["corrections_asked"], 3U);
    EXPECT_EQ(totals["corrections_used"], 1U);
    EXPECT_EQ(totals["corrections_unusable"], 1U);
    EXPECT_EQ(totals["corrections_late"], 1U);
    EXPECT_EQ(totals["corrections_lost"], 0U);
}

TEST(AnswerLog, CountsEachAnswerOnce)
{
    AnswerLog log;
    log.Open(7, {1, 2});
    const ModelVector answer = ModelVector::Constant(2, 1);
    EXPECT_EQ(log.Answer(3, 7, &answer), Disposition::UNEXPECTED); // was not asked
    EXPECT_EQ(log.Answer(1, 6, &answer), Disposition::UNEXPECTED); // never was
    EXPECT_EQ(log.Answer(1, 7, &answer), Disposition::ON_TIME);
    EXPECT_EQ(log.Answer(1, 7, &answer), Disposition::DUPLICATE);
    EXPECT_EQ(log.Answer(2, 7, &answer), Disposition::ON_TIME);
    EXPECT_TRUE(log.IsComplete());
    EXPECT_EQ(log.Close().size(), 2U);
}

TEST(AnswerLog, RefusesMisuse)
{
    AnswerLog log;
    ExpectRefused([&] { log.Open(1, {}); }, "no client is asked");
    log.Open(1, {1});
    ExpectRefused([&] { log.Open(2, {1}); }, "request 1 is still open");
    log.Drop();
    log.Open(2, {1});
}

TEST(AnswerLog, SaysNothingAboutARunWithoutSecondPhases)
{
    std::map<std::string, uint64_t> totals;
    AnswerLog().Count(totals);
    EXPECT_TRUE(totals.empty());
}

} // namespace
} // namespace ns3::dlearn
