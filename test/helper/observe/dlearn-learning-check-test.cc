/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-evaluator.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** @return an evaluated round */
RoundSummary
MakeRound(uint32_t round, double loss, double error, double accuracy)
{
    RoundSummary summary;
    summary.round = round;
    summary.mean.loss = loss;
    summary.mean.error = error;
    summary.mean.accuracy = accuracy;
    return summary;
}

constexpr double NONE = Evaluation::NONE;

} // namespace

TEST(LearningCheck, SaysThatNothingIsBetterInTheEnd)
{
    EXPECT_EQ(DescribeNoLearning({MakeRound(0, 2.302, NONE, 0.1),
                                  MakeRound(10, 1.5, NONE, 0.4),
                                  MakeRound(49, 2.64, NONE, 0.0864)}),
              "nothing was learned after round 0: in the rounds 0 and 49, loss 2.302 and 2.64, "
              "accuracy 0.1 and "
              "0.0864");
    EXPECT_EQ(
        DescribeNoLearning(
            {MakeRound(0, 1, 2, NONE), MakeRound(5, 0.5, 1, NONE), MakeRound(9, 1, 2, NONE)}),
        "nothing was learned after round 0: in the rounds 0 and 9, loss 1 and 1, error 2 and 2");
    EXPECT_NE(DescribeNoLearning({MakeRound(0, 1, NONE, NONE),
                                  MakeRound(5, 0.5, NONE, NONE),
                                  MakeRound(9, INFINITY, NONE, NONE)}),
              "");
}

// Two rounds are too few to say that nothing was learned, and enough for what has diverged.
TEST(LearningCheck, OfTwoRoundsOnlyAGrownLossCounts)
{
    EXPECT_EQ(DescribeNoLearning({MakeRound(0, 1, NONE, 0.5)}), "");
    EXPECT_EQ(DescribeNoLearning({MakeRound(0, 1, NONE, 0.5), MakeRound(19, 1.1, NONE, 0.4)}), "");
    EXPECT_EQ(DescribeNoLearning({MakeRound(0, 1, NONE, 0.5), MakeRound(19, 100, NONE, 0.4)}),
              "nothing was learned after round 0: in the rounds 0 and 19, loss 1 and 100, accuracy "
              "0.5 and 0.4");
    EXPECT_EQ(DescribeNoLearning({MakeRound(0, 1, NONE, 0.5), MakeRound(19, 100, NONE, 0.6)}),
              "the loss has grown to 100 times its beginning: in the rounds 0 and 19, loss 1 and "
              "100, accuracy 0.5 and 0.6");
}

TEST(LearningCheck, OneFigureThatIsBetterIsEnough)
{
    EXPECT_EQ(DescribeNoLearning(
                  {MakeRound(0, 1, 2, 0.5), MakeRound(1, 1, 2, 0.5), MakeRound(2, 0.9, 3, 0.4)}),
              "");
    EXPECT_EQ(DescribeNoLearning(
                  {MakeRound(0, 1, 2, 0.5), MakeRound(1, 1, 2, 0.5), MakeRound(2, 2, 1.9, 0.4)}),
              "");
    EXPECT_EQ(DescribeNoLearning(
                  {MakeRound(0, 1, 2, 0.5), MakeRound(1, 1, 2, 0.5), MakeRound(2, 2, 3, 0.6)}),
              "");
}

// With far too much noise the accuracy is that of a coin, above that of the first round or not.
TEST(LearningCheck, SaysThatTheLossHasGrownThoughAnotherFigureIsBetter)
{
    const RoundSummary middle = MakeRound(5, 7e17, 1e22, 0.465);
    EXPECT_EQ(
        DescribeNoLearning(
            {MakeRound(0, 3e17, 6e21, 0.4969), middle, MakeRound(9, 2.52e18, 5e22, 0.4981)}),
        "the loss has grown to 8.4 times its beginning: in the rounds 0 and 9, loss 3e+17 and "
        "2.52e+18, error 6e+21 and 5e+22, accuracy 0.4969 and 0.4981");
    EXPECT_NE(DescribeNoLearning(
                  {MakeRound(0, 0.5, NONE, 0.5), middle, MakeRound(9, INFINITY, NONE, 0.6)}),
              "");
    EXPECT_EQ(
        DescribeNoLearning({MakeRound(0, 1, NONE, 0.5), middle, MakeRound(9, 4.9, NONE, 0.6)}),
        "");
    EXPECT_EQ(
        DescribeNoLearning({MakeRound(0, NONE, NONE, 0.5), middle, MakeRound(9, NONE, NONE, 0.6)}),
        "");
    EXPECT_EQ(DescribeNoLearning({MakeRound(0, 0, NONE, 0.5), middle, MakeRound(9, 1, NONE, 0.6)}),
              "");
}

TEST(LearningCheck, DoesNotJudgeTwoRoundsOrWhatIsNotEvaluated)
{
    EXPECT_EQ(DescribeNoLearning({MakeRound(0, 1, 2, 0.5), MakeRound(1, 2, 3, 0.4)}), "");
    const RoundSummary nothing = MakeRound(0, NONE, NONE, NONE);
    EXPECT_EQ(DescribeNoLearning({nothing, nothing, nothing}), "");
    EXPECT_EQ(DescribeNoLearning({}), "");
}

} // namespace ns3::dlearn
