/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-evaluator.h"

#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

/** Measures nothing. */
class BlindEvaluator : public ModelEvaluator
{
  public:
    std::map<LearnerId, Evaluation> Evaluate(
        uint32_t /* round */,
        const std::map<LearnerId, ModelVector>& models) override
    {
        std::map<LearnerId, Evaluation> evaluations;
        for (const auto& [learner, model] : models)
        {
            evaluations[learner] = {};
        }
        return evaluations;
    }

    const std::vector<std::string>& GetWarnings() const override { return m_warnings; }

  private:
    std::vector<std::string> m_warnings; //!< none
};

/** Rounds that learner 0 alone closes. */
class RoundEvaluationsTest : public testing::Test
{
  protected:
    RoundEvaluationsTest()
        : m_rounds(std::make_unique<BlindEvaluator>(), 1)
    {
    }

    /** Learner 0 closes a round, which is evaluated at once. */
    void CloseAndEvaluate(uint32_t round, Time closed, double epsilon)
    {
        m_rounds.NoteSpent(closed, {epsilon, epsilon});
        RoundRecord record;
        record.round = round;
        record.closed = closed;
        m_rounds.Add(record, 10, ModelVector::Zero(1));
        m_rounds.Evaluate([round](uint32_t other) { return other <= round; },
                          [] { return SpentEpsilon(); });
    }

    RoundEvaluations m_rounds; //!< under test
};

TEST_F(RoundEvaluationsTest, WhatIsSpentAtTheEndOfARoundCountsInWhateverOrderItIsNoted)
{
    CloseAndEvaluate(0, Seconds(1), 1);
    CloseAndEvaluate(1, Seconds(2), 2);
    m_rounds.NoteSpent(Seconds(2), {5, 6}); // by another learner, whose event is later
    EXPECT_EQ(m_rounds.GetSpent().at(0).realised, 1);
    EXPECT_EQ(m_rounds.GetSpent().at(1).realised, 5);
    EXPECT_EQ(m_rounds.GetSpent().at(1).nominal, 6);
}

TEST_F(RoundEvaluationsTest, WhatIsSpentAfterTheEndOfARoundCountsForTheNext)
{
    CloseAndEvaluate(0, Seconds(1), 1);
    m_rounds.NoteSpent(Seconds(1) + NanoSeconds(1), {5, 5});
    EXPECT_EQ(m_rounds.GetSpent().at(0).realised, 1);
    CloseAndEvaluate(1, Seconds(2), 2);
    EXPECT_EQ(m_rounds.GetSpent().at(1).realised, 5);
}

// Learner 1 closes the round after learner 0, which has closed the next one by then.
TEST_F(RoundEvaluationsTest, ResourcesAreThoseOfTheEndOfTheRound)
{
    double joules = 0;
    m_rounds.SetMeter([&joules] {
        ++joules;
        return SpentResources{static_cast<uint64_t>(10 * joules), 7, joules};
    });
    RoundRecord record;
    for (const auto& [learner, round] : {std::pair(0, 0), {0, 1}, {1, 0}, {1, 1}})
    {
        record.node = learner;
        record.round = round;
        record.closed = Seconds(joules);
        m_rounds.Add(record, 10, ModelVector::Zero(1));
    }
    m_rounds.Evaluate([](uint32_t /* round */) { return true; }, [] { return SpentEpsilon(); });
    record.node = 2; // late, so that its round was evaluated without it
    m_rounds.Add(record, 10, ModelVector::Zero(1));
    ASSERT_EQ(m_rounds.GetResources().size(), 2U);
    for (const uint32_t round : {0, 1})
    {
        const SpentResources& spent = m_rounds.GetResources().at(round);
        EXPECT_EQ(spent.txBytes, 30 + 10 * round);
        EXPECT_EQ(spent.rxBytes, 7U);
        EXPECT_EQ(spent.joules, 3 + round);
    }
}

TEST_F(RoundEvaluationsTest, RoundsThatEndTogetherHaveSpentTheSame)
{
    CloseAndEvaluate(0, Seconds(2), 1);
    CloseAndEvaluate(1, Seconds(1), 1); // by those that did not take part in the round before
    m_rounds.NoteSpent(Seconds(2), {3, 3});
    EXPECT_EQ(m_rounds.GetSpent().at(0).realised, 3);
    EXPECT_EQ(m_rounds.GetSpent().at(1).realised, 1);
}

} // namespace
