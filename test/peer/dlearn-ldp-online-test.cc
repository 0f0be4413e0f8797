/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rule-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-privacy-plans.h"
#include "ns3/uinteger.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

class LdpOnlineTest : public testing::Test
{
  protected:
    LdpOnlineTest()
        : m_ring(LdpOnline::GetTypeId())
    {
    }

    Ptr<LdpOnline> Get(LearnerId i) const { return DynamicCast<LdpOnline>(m_ring.rules[i]); }

    void SetNoise(double base, double growth = 0.1)
    {
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            Get(i)->GetNoiseMechanism()->SetAttribute("BaseScale", DoubleValue(base));
            Get(i)->GetNoiseMechanism()->SetAttribute("GrowthExponent", DoubleValue(growth));
        }
    }

    void SetAll(const std::string& attribute, const AttributeValue& value)
    {
        for (const auto& rule : m_ring.rules)
        {
            rule->SetAttribute(attribute, value);
        }
    }

    Ring m_ring;
};

/** Whether exactly one of the warnings contains a text. */
bool
Warns(const std::vector<std::string>& warnings, const std::string& text)
{
    return std::count_if(warnings.begin(), warnings.end(), [&](const std::string& warning) {
               return warning.find(text) != std::string::npos;
           }) == 1;
}

// Algorithm 1 for all learners at once: with A = W - diag(W) the weights between learners,
// Theta' = Theta (I + gamma diag(W)) + gamma Y A^T - lambda D. Errors of 1e-15 a round do not
// reach 1e-12 in 100 rounds of a contraction.
TEST_F(LdpOnlineTest, EqualsTheMatrixIteration)
{
    for (const double noise : {0.0, 0.3})
    {
        m_ring = Ring(LdpOnline::GetTypeId());
        m_ring.task->SetAttribute("Regularization", DoubleValue(0.05));
        SetNoise(noise);
        m_ring.Setup();
        const Eigen::MatrixXd w = m_ring.graph.GetCouplingMatrix();
        const Eigen::MatrixXd own = w.diagonal().asDiagonal();
        Eigen::MatrixXd theta = m_ring.GetModels();
        for (uint32_t t = 0; t < 100; ++t)
        {
            const Eigen::MatrixXd y = m_ring.Begin(t);
            if (noise == 0)
            {
                ASSERT_EQ(y, m_ring.GetModels());
            }
            const Eigen::MatrixXd d = m_ring.Gradients(theta, true);
            const double gamma = std::exp(-0.65 * std::log(t + 1.0));
            const double lambda = std::exp(-0.77 * std::log(t + 1.0));
            theta = (theta + gamma * theta * own + gamma * y * (w - own).transpose() - lambda * d)
                        .eval();
            m_ring.End();
            ASSERT_LT((m_ring.GetModels() - theta).cwiseAbs().maxCoeff(), 1e-12) << "round " << t;
        }
    }
}

TEST_F(LdpOnlineTest, MissingNeighboursAreLeftOut)
{
    SetNoise(0.1);
    m_ring.Setup();
    m_ring.Begin(0);
    m_ring.End();
    const Eigen::MatrixXd y = m_ring.Begin(1);
    const Eigen::MatrixXd theta = m_ring.GetModels();
    const Eigen::MatrixXd d = m_ring.Gradients(theta, true);
    m_ring.inboxes[2].arrivals.erase({3, ModelChannel::STATE});
    m_ring.inboxes[4].arrivals.clear();
    m_ring.inboxes[1].arrivals[{4, ModelChannel::STATE}] = {y.col(4), 1, {}}; // not a neighbour
    m_ring.End();
    const double gamma = std::pow(2, -0.65);
    const double lambda = std::pow(2, -0.77);
    const Eigen::VectorXd two = theta.col(2) + gamma * 0.3 * (y.col(1) - theta.col(2));
    EXPECT_LT((m_ring.GetModels().col(2) - (two - lambda * d.col(2))).norm(), 1e-14);
    const Eigen::VectorXd four = theta.col(4) - lambda * d.col(4);
    EXPECT_LT((m_ring.GetModels().col(4) - four).norm(), 1e-14);
    const Eigen::VectorXd one =
        theta.col(1) + gamma * 0.3 * (y.col(0) + y.col(2) - 2 * theta.col(1));
    EXPECT_LT((m_ring.GetModels().col(1) - (one - lambda * d.col(1))).norm(), 1e-14);
}

TEST_F(LdpOnlineTest, PartialArrivalsUseTheEntriesThatCame)
{
    SetNoise(0.1);
    m_ring.Setup();
    const Eigen::MatrixXd y = m_ring.Begin(0);
    const Eigen::MatrixXd theta = m_ring.GetModels();
    const Eigen::MatrixXd d = m_ring.Gradients(theta, true);
    Arrival& arrival = m_ring.inboxes[2].arrivals.at({3, ModelChannel::STATE});
    arrival.present = {true, false, true};
    arrival.values[1] = 0;
    m_ring.End();
    Eigen::VectorXd pull = 0.3 * (y.col(1) - theta.col(2)) + 0.3 * (y.col(3) - theta.col(2));
    pull[1] = 0.3 * (y(1, 1) - theta(1, 2));
    EXPECT_LT((m_ring.GetModels().col(2) - (theta.col(2) + pull - d.col(2))).norm(), 1e-14);
}

TEST_F(LdpOnlineTest, LosslessLedgerIsThePlannedOne)
{
    SetNoise(0.5, 0.12);
    m_ring.task->SetAttribute("Regularization", DoubleValue(0.05));
    SetAll("PrivacyLedger", TypeIdValue(LdpOnlineConvexLedger::GetTypeId()));
    m_ring.Setup();
    for (uint32_t t = 0; t < 50; ++t)
    {
        m_ring.Begin(t);
        m_ring.End();
    }
    LdpOnlinePlan plan;
    plan.ledger = LdpOnlineConvexLedger::GetTypeId();
    plan.rounds = 50;
    plan.dimension = Ring::DIMENSION;
    plan.sensitivity = 2;
    plan.smoothness = 1.55;
    plan.curvature = 0.05;
    const double planned = PlanEpsilon(plan, {0.6, 0.5, 0.12});
    for (const auto& rule : m_ring.rules)
    {
        EXPECT_NEAR(rule->GetLedger()->GetEpsilon(), planned, 1e-12 * planned);
        EXPECT_EQ(rule->GetLedger()->GetEpsilon(), rule->GetLedger()->GetNominalEpsilon());
    }
}

TEST_F(LdpOnlineTest, LedgerFollowsTheNetwork)
{
    SetNoise(0.5, 0.12);
    m_ring.Setup();
    for (uint32_t t = 0; t < 50; ++t)
    {
        m_ring.Begin(t);
        m_ring.inboxes[1].arrivals.erase({2, ModelChannel::STATE});            // loses half
        auto& stale = m_ring.inboxes[2].arrivals.at({3, ModelChannel::STATE}); // last one received
        stale.round = t > 0 ? t - 1 : 0;
        m_ring.inboxes[3].arrivals.at({4, ModelChannel::STATE}).present = {true, true, false};
        m_ring.inboxes[4].transmitted = t % 2 == 0;
        m_ring.End();
    }
    const auto epsilon = [&](LearnerId i) { return m_ring.rules[i]->GetLedger()->GetEpsilon(); };
    const double nominal = m_ring.rules[0]->GetLedger()->GetNominalEpsilon();
    for (const auto& rule : m_ring.rules)
    {
        EXPECT_EQ(rule->GetLedger()->GetNominalEpsilon(), nominal);
    }
    EXPECT_EQ(epsilon(0), nominal);
    EXPECT_GT(epsilon(1), nominal) << "fewer arrivals contract less";
    EXPECT_EQ(epsilon(2), nominal) << "an old vector contracts as a new one does";
    EXPECT_EQ(epsilon(3), epsilon(1)) << "a partial arrival contracts one entry not at all";
    EXPECT_LT(epsilon(4), 0.7 * nominal) << "half of the messages never left";
    EXPECT_GT(epsilon(4), 0.3 * nominal);
}

TEST_F(LdpOnlineTest, StopsBeforeTheBudgetIsSpentAndNeverStartsAgain)
{
    // What rounds cost without a budget: less and less, with this L.
    SetNoise(1);
    SetAll("Smoothness", DoubleValue(0.1));
    m_ring.Setup();
    std::vector<double> epsilon;
    for (uint32_t t = 0; t < 100; ++t)
    {
        m_ring.Begin(t);
        m_ring.End();
        epsilon.push_back(Get(2)->GetLedger()->GetEpsilon());
    }
    const uint32_t last = 10; // the last round that the budget covers
    const double budget = epsilon[last] + 0.9 * (epsilon[last + 1] - epsilon[last]);
    ASSERT_LT(epsilon[99] - epsilon[98], 0.5 * (budget - epsilon[last])) << "would be affordable";

    m_ring = Ring(LdpOnline::GetTypeId());
    SetNoise(1);
    SetAll("Smoothness", DoubleValue(0.1));
    Get(2)->GetPrivacyLedger()->SetAttribute("Budget", DoubleValue(budget));
    m_ring.Setup();
    for (uint32_t t = 0; t < 100; ++t)
    {
        m_ring.Begin(t);
        EXPECT_EQ(m_ring.inboxes[1].Find(2, ModelChannel::STATE) != nullptr, t <= last) << t;
        EXPECT_EQ(Get(2)->CanContinue(), t <= last) << t;
        EXPECT_TRUE(Get(1)->CanContinue());
        const ModelVector before = Get(2)->GetModel();
        m_ring.End();
        EXPECT_NE(Get(2)->GetModel(), before) << "it listens on";
    }
    EXPECT_EQ(Get(2)->GetLedger()->GetEpsilon(), epsilon[last]);
    EXPECT_EQ(Get(1)->GetLedger()->GetNominalEpsilon(), epsilon[99]);
}

TEST_F(LdpOnlineTest, CrashBetweenSendAndEndCountsAsSent)
{
    SetNoise(1);
    m_ring.Setup();
    m_ring.Begin(0);
    m_ring.End();
    EXPECT_EQ(Get(0)->GetLedger()->GetEpsilon(), 0);
    m_ring.Begin(1); // never ends
    const double underWay = Get(0)->GetLedger()->GetEpsilon();
    EXPECT_GT(underWay, 0) << "it may be leaving already";
    Get(0)->BeginRound(5);
    EXPECT_EQ(Get(0)->GetLedger()->GetEpsilon(), underWay);
}

TEST_F(LdpOnlineTest, WindowAveragesTheNewestBatches)
{
    SetNoise(0);
    SetAll("HistoryWindow", UintegerValue(3));
    m_ring.Setup();
    for (uint32_t t = 0; t < 6; ++t)
    {
        m_ring.Begin(t);
        const Eigen::VectorXd theta = m_ring.GetModels().col(0);
        const SampleIndices& log = m_ring.streams[0]->GetLog();
        const size_t kept = std::min<size_t>(log.size(), 3 * Ring::BATCH);
        const std::set<uint32_t> distinct(log.end() - kept, log.end());
        // Each sample is evaluated once; how many were new is told only on request.
        EXPECT_EQ(Get(0)->GetWork(), std::min<size_t>(kept, Ring::SHARD));
        Get(0)->SetAttribute("ExactWork", BooleanValue(true));
        EXPECT_EQ(Get(0)->GetWork(), distinct.size());
        Get(0)->SetAttribute("ExactWork", BooleanValue(false));
        const Eigen::VectorXd d = m_ring.MeanGradient(theta, log.end() - kept, log.end());
        m_ring.inboxes[0].arrivals.clear();
        m_ring.End();
        EXPECT_LT((m_ring.GetModels().col(0) - (theta - std::pow(t + 1, -0.77) * d)).norm(), 1e-14);
    }
    EXPECT_TRUE(Warns(Get(0)->GetWarnings(), "Algorithm 1, line 4): HistoryWindow = 3"));
}

TEST_F(LdpOnlineTest, WarnsByName)
{
    const auto warningsOf = [&](double u, double v, double s, double mu) {
        m_ring = Ring(LdpOnline::GetTypeId());
        m_ring.task->SetAttribute("Regularization", DoubleValue(mu));
        SetNoise(1, s);
        SetAll("CouplingExponent", DoubleValue(u));
        SetAll("StepExponent", DoubleValue(v));
        SetAll("Coupling", DoubleValue(0.5));
        SetAll("StepSize", DoubleValue(1e-3));
        m_ring.Setup();
        return Get(0)->GetWarnings();
    };
    EXPECT_TRUE(warningsOf(0.65, 0.77, 0.11, 0.05).empty());
    EXPECT_TRUE(warningsOf(0.65, 0.77, 0.11, 0).empty());
    EXPECT_TRUE(Warns(warningsOf(0.65, 0.77, 0.15, 0.05),
                      "max s + 1/2 < u < v < 1 (eq. 4): s = 0.15, u = 0.65, v = 0.77"));
    EXPECT_TRUE(Warns(warningsOf(0.78, 0.77, 0.1, 0.05), "(eq. 4)"));
    EXPECT_TRUE(Warns(warningsOf(0.65, 1, 0.1, 0.05), "(eq. 4)"));
    EXPECT_TRUE(Warns(warningsOf(0.65, 0.77, -1, 0.05), "0 < s < 1/2 (Assumption 4): s = -1"));
    EXPECT_TRUE(Warns(warningsOf(0.65, 0.76, 0.1, 0), "(1+2u)/3 < v (Theorem 2"));
    EXPECT_TRUE(warningsOf(0.65, 0.76, 0.1, 0.05).empty());

    m_ring = Ring(LdpOnline::GetTypeId());
    m_ring.task->SetAttribute("Regularization", DoubleValue(0.05));
    SetAll("Coupling", DoubleValue(2));
    m_ring.Setup();
    EXPECT_TRUE(Warns(Get(0)->GetWarnings(), "gamma_0 <= 1/(-3 delta_m) (Theorems 1 and 2"));
    EXPECT_TRUE(Warns(Get(0)->GetWarnings(), "lambda_0 <= -gamma_0 delta_2 mu/(mu^2 + 8 L^2)"));
    EXPECT_TRUE(Warns(Get(0)->GetWarnings(), "gamma_0 sum_j w_ij <= 1, got 1.2"));

    m_ring = Ring(LdpOnline::GetTypeId());
    LearnerContext directed = m_ring.GetContext(0);
    directed.neighbors[ModelChannel::STATE].out.erase(1);
    Get(0)->Setup(directed);
    EXPECT_TRUE(Warns(Get(0)->GetWarnings(), "Assumption 2 (1^T W = 0, W 1 = 0)"));
}

// Whatever the rest of the graph is, what one learner checks of Theorem 1 follows from the
// theorem's condition on eigenvalues: -delta_m >= w_i and -delta_2 <= 2 w_i on random graphs.
TEST_F(LdpOnlineTest, LocalConditionsFollowFromTheEigenvalues)
{
    for (int run = 0; run < 50; ++run)
    {
        const uint32_t n = 2 + run % 6;
        Graph graph(n);
        for (LearnerId i = 1; i < n; ++i)
        {
            graph.AddEdge(i, (i * 7 + run) % i, 0.1 + 0.4 * std::abs(std::sin(run + 3.0 * i)));
        }
        const Eigen::VectorXd eigenvalues = // increasing
            Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(graph.GetCouplingMatrix()).eigenvalues();
        // What satisfies the theorems, which know the whole graph, is no violation for a learner,
        // which knows its own weights; the learner with the largest finds 1.6 times as much too
        // large.
        LdpOnlineConditions conditions;
        conditions.noisy = false;

        conditions.curvature = 0.05;
        conditions.smoothness = 0.3;
        conditions.stepExponent = 0.77;
        conditions.couplingExponent = 0.65;
        conditions.coupling = 1 / (-3 * eigenvalues[0]) * (1 - 1e-9);
        conditions.stepSize = -conditions.coupling * eigenvalues[n - 2] * 0.05 /
                              (0.05 * 0.05 + 8 * 0.3 * 0.3) * (1 - 1e-9);
        double heaviest = 0;
        for (LearnerId i = 0; i < n; ++i)
        {
            conditions.inWeight = graph.GetInWeight(i);
            heaviest = std::max(heaviest, conditions.inWeight);
            EXPECT_EQ(FindViolations(conditions), std::vector<std::string>()) << run << " " << i;
        }
        conditions.inWeight = heaviest;
        conditions.coupling = 1.6 / (3 * heaviest);
        conditions.stepSize = 0;
        ASSERT_EQ(FindViolations(conditions).size(), 1U);
        conditions.curvature = 0; // merely convex: Theorem 2 has the same condition
        conditions.stepExponent = 0.99;
        ASSERT_EQ(FindViolations(conditions).size(), 1U);
        EXPECT_EQ(FindViolations(conditions)[0].find("gamma_0 <= 1/(-3 delta_m)"), 0U);
    }
}

} // namespace
