/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rule-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-push-sum-sgd.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

/** @return a ring with chords: strongly connected, with out-degrees 3, 2, 1, 1, 1 */
Graph
Unbalanced()
{
    Graph graph(Ring::LEARNERS);
    const std::vector<std::pair<LearnerId, LearnerId>>
        edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 2}, {0, 3}, {1, 4}};
    for (const auto& [from, to] : edges)
    {
        graph.SetWeight(to, from, 0.1); // any weight will do: the rule does not look at it
    }
    return graph;
}

/** Learners on the unbalanced graph. */
class PushSum : public Ring
{
  public:
    /**
     * @param step alpha_0
     * @param exponent of the step
     * @param noise scale of the noise in all rounds
     */
    explicit PushSum(double step = 0.1, double exponent = 0.5, double noise = 0)
        : Ring(PushSumSgd::GetTypeId())
    {
        graph = Unbalanced();
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            const auto rule = DynamicCast<PushSumSgd>(rules[i]);
            rule->SetAttribute("StepSize", DoubleValue(step));
            rule->SetAttribute("StepExponent", DoubleValue(exponent));
            rule->GetNoiseMechanism()->SetAttribute("BaseScale", DoubleValue(noise));
            rule->GetNoiseMechanism()->SetAttribute("GrowthExponent", DoubleValue(0));
        }
    }

    /** @return w of all learners */
    Eigen::VectorXd GetMasses() const
    {
        Eigen::VectorXd masses(LEARNERS);
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            masses[i] = DynamicCast<PushSumSgd>(rules[i])->GetMass();
        }
        return masses;
    }

    /** Lose every message whose number, counted up from the first, is a multiple of `every`. */
    void Lose(uint32_t every)
    {
        for (Inbox& inbox : inboxes)
        {
            for (auto it = inbox.arrivals.begin(); it != inbox.arrivals.end();)
            {
                it = ++m_counted % every == 0 ? inbox.arrivals.erase(it) : std::next(it);
            }
        }
    }

  private:
    uint32_t m_counted{0}; //!< messages so far
};

// The textbook's pair (x, w) for all learners at once, with the column-stochastic P; shares that
// were lost are taken out of P, and a learner whose message did not leave keeps all.
TEST(PushSumSgd, EqualsTheMatrixForm)
{
    PushSum ring(0.1, 0.5, 0.2);
    ring.Setup();
    Eigen::MatrixXd x = ring.GetModels();
    Eigen::RowVectorXd w = Eigen::RowVectorXd::Ones(Ring::LEARNERS);
    for (uint32_t t = 0; t < 40; ++t)
    {
        const Eigen::MatrixXd z = x * w.cwiseInverse().asDiagonal();
        ring.Begin(t);
        const Eigen::MatrixXd half = x - 0.1 / std::sqrt(t + 1.0) * ring.Gradients(z, false);
        std::vector<Eigen::VectorXd> sent(Ring::LEARNERS);
        for (const Inbox& inbox : ring.inboxes)
        {
            for (const auto& [source, arrival] : inbox.arrivals)
            {
                sent[source.first] = arrival.values;
            }
        }
        const LearnerId silent = t % 7;
        if (t > 5)
        {
            ring.Lose(9);
        }
        Eigen::MatrixXd next = Eigen::MatrixXd::Zero(Ring::DIMENSION, Ring::LEARNERS);
        Eigen::RowVectorXd masses = Eigen::RowVectorXd::Zero(Ring::LEARNERS);
        for (LearnerId j = 0; j < Ring::LEARNERS; ++j)
        {
            const double p = 1.0 / (1 + ring.graph.GetOutNeighbors(j).size());
            // The noise is what the message holds beyond p times the half-step.
            const Eigen::VectorXd noise = sent[j].head(3) - p * half.col(j);
            EXPECT_GT(noise.norm(), 0);
            EXPECT_NEAR(sent[j][3], p * w[j], 1e-15);
            const double kept = j == silent ? 1 : p;
            next.col(j) += kept * half.col(j);
            masses[j] += kept * w[j];
            for (const auto& [i, weight] : ring.graph.GetOutNeighbors(j))
            {
                if (j == silent)
                {
                    ring.inboxes[i].arrivals.erase({j, ModelChannel::STATE});
                }
                if (ring.inboxes[i].Find(j, ModelChannel::STATE))
                {
                    next.col(i) += p * half.col(j) + noise;
                    masses[i] += p * w[j];
                }
            }
            ring.inboxes[j].transmitted = j != silent;
        }
        ring.End();
        x = next;
        w = masses;
        const Eigen::MatrixXd models = x * w.cwiseInverse().asDiagonal();
        ASSERT_LT((ring.GetModels() - models).norm(), 1e-12 * (1 + models.norm())) << "round " << t;
        ASSERT_LT((ring.GetMasses() - w.transpose()).cwiseAbs().maxCoeff(), 1e-12);
    }
}

// Without steps push-sum is averaging. Without loss, all get the mean of the initial models; with a
// fifth of the messages lost they still agree, but on another value, and mass is lost.
TEST(PushSumSgd, LostMassBiasesTheAverage)
{
    for (const bool lossy : {false, true})
    {
        PushSum ring(0);
        ring.Setup();
        const Eigen::VectorXd mean = ring.GetModels().rowwise().mean();
        for (uint32_t t = 0; t < 300; ++t)
        {
            ring.Begin(t);
            if (lossy)
            {
                ring.Lose(5);
            }
            ring.End();
        }
        const Eigen::VectorXd reached = ring.GetModels().rowwise().mean();
        // The chain forgets its start at a rate below 0.9 a round.
        EXPECT_LT((ring.GetModels().colwise() - reached).norm(), 1e-10);
        if (lossy)
        {
            EXPECT_GT((reached - mean).norm(), 0.01);
            EXPECT_LT(ring.GetMasses().sum(), 1e-3);
        }
        else
        {
            EXPECT_LT((reached - mean).norm(), 1e-10);
            EXPECT_NEAR(ring.GetMasses().sum(), Ring::LEARNERS, 1e-12);
            EXPECT_GT(ring.GetMasses().maxCoeff() - ring.GetMasses().minCoeff(), 0.5)
                << "the graph is unbalanced";
        }
    }
}

// As the mass falls, the step alpha / w of the textbook grows: with a constant step the iteration
// that converges without loss runs away.
TEST(PushSumSgd, LossThatGoesOnMakesTheStepTooLarge)
{
    PushSum ring(0.1, 0);
    ring.Setup();
    double early = 0;
    for (uint32_t t = 0; t < 60; ++t)
    {
        ring.Begin(t);
        ring.Lose(5);
        ring.End();
        early = t == 5 ? ring.GetModels().norm() : early;
    }
    EXPECT_GT(ring.GetModels().norm(), 1e3 * early);
}

// Each learner has one sample, so gradients are exact; the minimum of the sum of the five bowls
// is the mean sample. The error is of the order of the step, 0.5 / 3000^0.75 = 1.2e-3, times
// the spread of the gradients, about 2; a rule that is steered by the weights of the unbalanced
// graph ends at a weighted mean.
TEST(PushSumSgd, FindsTheMinimumOnAnUnbalancedGraph)
{
    for (const TypeId& type : {PushSumSgd::GetTypeId(), Dsgd::GetTypeId()})
    {
        Ring ring(type);
        // The weights of a naive user: what each hears, and itself, count the same.
        ring.graph = Unbalanced();
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            const Graph::Row row = ring.graph.GetInNeighbors(i);
            for (const auto& [j, weight] : row)
            {
                ring.graph.SetWeight(i, j, 1.0 / (1.0 + row.size()));
            }
            ring.streams[i]->SetShard({i * Ring::SHARD}, 1);
            ring.rules[i]->SetAttribute("StepSize", DoubleValue(0.5));
            ring.rules[i]->SetAttribute("StepExponent", DoubleValue(0.75));
            DynamicCast<PeerRule>(ring.rules[i])
                ->GetNoiseMechanism()
                ->SetAttribute("BaseScale", DoubleValue(0));
        }
        ring.Setup();
        Eigen::VectorXd minimum = Eigen::VectorXd::Zero(Ring::DIMENSION);
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            minimum += ring.task->GetTrain().features.col(i * Ring::SHARD) / Ring::LEARNERS;
        }
        for (uint32_t t = 0; t < 3000; ++t)
        {
            ring.Begin(t);
            ring.End();
        }
        const double error = (ring.GetModels().colwise() - minimum).colwise().norm().maxCoeff();
        if (type == Dsgd::GetTypeId())
        {
            EXPECT_GT(error, 0.05);
        }
        else
        {
            EXPECT_LT(error, 1e-2);
        }
    }
}

TEST(PushSumSgd, TakesNothingButNewMass)
{
    PushSum ring(0);
    ring.Setup();
    ring.Begin(0);
    ring.End();
    const double before = ring.GetMasses()[4];
    ring.Begin(1);
    // Learner 4 hears 1 and 3: of the one only a part came, of the other an older vector.
    ring.inboxes[4].arrivals.at({1, ModelChannel::STATE}).present = {true, true, true, false};
    ring.inboxes[4].arrivals.at({3, ModelChannel::STATE}).round = 0;
    ring.End();
    EXPECT_NEAR(ring.GetMasses()[4], before / 2, 1e-15) << "it sends to one and keeps half";
    ring.Begin(2);
    // A mass that is not positive is no share of anything.
    ring.inboxes[4].arrivals.at({1, ModelChannel::STATE}).values[3] = 0;
    ring.inboxes[4].arrivals.at({3, ModelChannel::STATE}).values[3] = -1;
    ring.End();
    EXPECT_NEAR(ring.GetMasses()[4], before / 4, 1e-15);
    EXPECT_TRUE(ring.GetModels().allFinite());
    ring.Begin(3);
    ring.inboxes[4].arrivals.at({1, ModelChannel::STATE}).values.resize(3);
    ExpectRefused([&] { ring.rules[4]->EndRound(ring.inboxes[4]); },
                  "values of the vector from 1 must have 4 entries, got 3");
}

TEST(PushSumSgd, ACrashLosesWhatWasPushed)
{
    PushSum ring(0);
    ring.Setup();
    ring.Begin(0);
    const ModelVector before = ring.rules[2]->GetModel();
    ring.rules[0]->Abandon(true);  // knows that its shares left
    ring.rules[1]->Abandon(false); // knows that nothing left
    ring.rules[2]->BeginRound(1);  // knows neither
    ring.rules[1]->BeginRound(1);
    EXPECT_EQ(ring.GetMasses()[0], 0.25) << "three out-neighbours";
    EXPECT_EQ(ring.GetMasses()[1], 1);
    EXPECT_EQ(ring.GetMasses()[2], 0.5);
    EXPECT_EQ(ring.rules[2]->GetModel(), before);
}

// Masses and steps as in the matrix form; the account from its documented formula.
TEST(PushSumSgd, RoundsArePricedByTheirFormula)
{
    PushSum ring(0.1, 0.5, 0.7);
    ring.Setup();
    std::vector<double> epsilon(Ring::LEARNERS, 0);
    std::vector<double> phi(Ring::LEARNERS, 0);
    for (uint32_t t = 0; t < 30; ++t)
    {
        const Eigen::VectorXd mass = ring.GetMasses();
        ring.Begin(t);
        if (t % 3 == 1)
        {
            ring.Lose(3);
        }
        ring.End();
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            const double p = 1.0 / (1 + ring.graph.GetOutNeighbors(i).size());
            const double step = 0.1 / std::sqrt(t + 1.0) / mass[i];
            const double psi = (1 + 1.5 * step) * phi[i] + 2 * step; // L = 1.5, C = 2
            epsilon[i] += std::sqrt(3.0) * psi / 0.7;
            phi[i] = p * mass[i] / ring.GetMasses()[i] * psi;
        }
    }
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        const auto ledger = ring.rules[i]->GetLedger();
        EXPECT_NEAR(ledger->GetEpsilon(), epsilon[i], 1e-12 * epsilon[i]);
        EXPECT_EQ(ledger->GetEpsilon(), ledger->GetNominalEpsilon()) << "all messages left";
    }
}

// Each release contains a step of its own, alpha_t C / w_t, so with steps ~ t^-1/2 the account
// grows at least as the sum of t^-1/2, by 2 when the rounds grow by 4, and with constant steps as
// their number.
TEST(PushSumSgd, TheAccountDiverges)
{
    for (const double exponent : {0.5, 0.0})
    {
        PushSum ring(0.1, exponent, 1);
        ring.Setup();
        double early = 0;
        for (uint32_t t = 0; t < 4000; ++t)
        {
            ring.Begin(t);
            ring.End();
            early = t == 999 ? ring.rules[3]->GetLedger()->GetEpsilon() : early;
        }
        const double factor = exponent == 0 ? 4 : 2;
        EXPECT_GT(ring.rules[3]->GetLedger()->GetEpsilon(), 0.98 * factor * early);
    }
}

TEST(PushSumSgd, RefusesRobustAggregation)
{
    PushSum ring;
    ring.rules[0]->SetAttribute("Aggregator", TypeIdValue(MedianAggregator::GetTypeId()));
    ExpectRefused(
        [&] { ring.rules[0]->Setup(ring.GetContext(0)); },
        "PushSumSgd: has no weighted sum that ns3::dlearn::MedianAggregator could replace");
}

TEST(PushSumSgd, RefusesStepsBelowZero)
{
    const auto rule = CreateObject<PushSumSgd>();
    for (const char* name : {"StepSize", "StepExponent"})
    {
        EXPECT_FALSE(rule->SetAttributeFailSafe(name, DoubleValue(-0.1)));
    }
}

TEST(PushSumSgd, WithoutNoiseEpsilonIsInfinite)
{
    PushSum ring;
    ring.Setup();
    ring.Begin(0);
    ring.End();
    EXPECT_TRUE(std::isinf(ring.rules[0]->GetLedger()->GetEpsilon()));
}

TEST(PushSumSgd, WarnsWhereTheGraphCanNotBeStronglyConnected)
{
    PushSum ring;
    LearnerContext context = ring.GetContext(0);
    context.neighbors[ModelChannel::STATE].in.clear();
    ring.rules[0]->Setup(context);
    ASSERT_EQ(ring.rules[0]->GetWarnings().size(), 1U);
    EXPECT_EQ(ring.rules[0]->GetWarnings()[0],
              "strongly connected graph (gradient push): the learner has 0 in-neighbours and 3 "
              "out-neighbours");
    ring.rules[1]->Setup(ring.GetContext(1));
    EXPECT_TRUE(ring.rules[1]->GetWarnings().empty());
}

} // namespace
