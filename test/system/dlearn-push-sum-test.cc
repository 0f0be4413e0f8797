/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Push-sum over a network: messages that are one number longer than a model.
 */

#include "dlearn-system-fixture.h"

#include "ns3/config.h"
#include "ns3/dlearn-baselines.h"
#include "ns3/double.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** Learners that average their random initial models and do nothing else. */
class PushSumRun : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }

    /**
     * @param options what to run
     * @param mean gets the mean of the initial models
     * @param masses gets the sum of the masses at the end
     * @return what is left
     */
    static Outcome Run(RunSpec& options, Eigen::VectorXd& mean, double& masses)
    {
        options.algorithm = "push-sum";
        options.graph = "star"; // its learners have very unequal degrees
        options.learners = 6;
        options.rounds = 120;
        options.initStd = 1;
        options.noise = 0;
        Config::SetDefault("ns3::dlearn::PushSumSgd::StepSize", DoubleValue(0));
        std::vector<Ptr<PushSumSgd>> rules;
        const Outcome outcome = RunToEnd(options, [&](dlearn::Run& scenario) {
            for (const auto& learner : scenario.GetPeers())
            {
                rules.push_back(DynamicCast<PushSumSgd>(learner->GetRule()));
                mean = rules.size() == 1 ? rules[0]->GetModel()
                                         : Eigen::VectorXd(mean + rules.back()->GetModel());
            }
            mean /= 6;
        });
        masses = 0;
        for (const auto& rule : rules)
        {
            masses += rule->GetMass();
        }
        return outcome;
    }
};

// On the star with 6 learners the second eigenvalue of the shares is 0.5 to 0.7: 120 rounds leave
// rounding errors alone.
TEST_F(PushSumRun, AveragesOverAnIdealNetwork)
{
    RunSpec options = SmallRun("ideal");
    Eigen::VectorXd mean;
    double masses = 0;
    const Outcome outcome = Run(options, mean, masses);
    EXPECT_NEAR(masses, 6, 1e-10);
    ASSERT_GT(mean.norm(), 0.1);
    for (const ModelVector& model : outcome.models)
    {
        EXPECT_LT((model - mean).norm(), 1e-9);
    }
    EXPECT_EQ(outcome.results.totals.at("wrong_length_fragments"), 0U);
}

TEST_F(PushSumRun, LosesMassWithItsMessages)
{
    RunSpec options = SmallRun("p2p");
    options.loss = 0.2;
    Eigen::VectorXd mean;
    double masses = 0;
    const Outcome outcome = Run(options, mean, masses);
    EXPECT_LT(masses, 1e-3);
    EXPECT_GT((outcome.models[0] - mean).norm(), 0.01);
    for (const ModelVector& model : outcome.models)
    {
        EXPECT_LT((model - outcome.models[0]).norm(), 1e-9) << "they agree all the same";
    }
}

// The flipped share of an attacker has a mass below 0. No honest learner uses it, and that is said.
TEST(PushSumAttack, SharesWithoutMassAreRejected)
{
    RunSpec options = SmallRun("ideal");
    options.algorithm = "push-sum";
    options.graph = "complete";
    options.learners = 6;
    options.rounds = 5;
    options.byzantine = 1;
    options.attack = "SignFlipping";
    uint64_t rejected = 0;
    for (const ResultRow& row : RunToEnd(options).results.rows)
    {
        rejected += row.record.rejected;
        EXPECT_EQ(row.record.used, row.record.received - row.record.rejected);
    }
    EXPECT_EQ(rejected, 5U * 5) << "from all others, in each round";
}

} // namespace
} // namespace ns3::dlearn
