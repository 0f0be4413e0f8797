/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rule-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-mixing.h"
#include "ns3/dlearn-pre-aggregator.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

namespace ns3::dlearn
{
namespace
{

constexpr Eigen::Index D = 5;

/** Six neighbours of weight 0.1 and their vectors, without structure. */
class RobustMixingTest : public testing::Test
{
  protected:
    RobustMixingTest()
    {
        for (LearnerId id = 1; id <= 6; ++id)
        {
            m_row[id] = 0.1;
            m_inbox.arrivals[{id, ModelChannel::STATE}] = {Draw(), 0, {}};
        }
        m_own = Draw();
    }

    ModelVector Draw()
    {
        std::normal_distribution<double> normal;
        return ModelVector::NullaryExpr(D, [&](Eigen::Index) { return normal(m_random); });
    }

    Arrival& Get(LearnerId id) { return m_inbox.arrivals.at({id, ModelChannel::STATE}); }

    void Lose(LearnerId id) { m_inbox.arrivals.erase({id, ModelChannel::STATE}); }

    /** @return entry k of what is complete, own included, in order */
    std::vector<double> Sorted(Eigen::Index k) const
    {
        std::vector<double> values{m_own[k]};
        for (const auto& [source, arrival] : m_inbox.arrivals)
        {
            if (arrival.IsComplete())
            {
                values.push_back(arrival.values[k]);
            }
        }
        std::sort(values.begin(), values.end());
        return values;
    }

    std::mt19937 m_random{1};
    Graph::Row m_row;
    Inbox m_inbox;
    ModelVector m_own;
};

// gamma = 0.5 and sum_j w_ij = 0.6 make a step of 0.3 towards the aggregate. Rounding: 1e-14.
TEST_F(RobustMixingTest, StepsTowardsTheAggregateOfAllThatIsThere)
{
    RobustMixing median(m_row, CreateObject<MedianAggregator>(), 2);
    RobustMixing trimmed(m_row, CreateObject<TrimmedMeanAggregator>(), 2);
    const ModelVector all = median.Mix(m_own, 0.5, m_inbox);
    for (Eigen::Index k = 0; k < D; ++k)
    {
        EXPECT_NEAR(all[k], m_own[k] + 0.3 * (Sorted(k)[3] - m_own[k]), 1e-14);
    }
    // One vector is missing, and a part of another: both count as Byzantine, and none is left to
    // trim.
    Lose(3);
    Get(5).present = std::vector<bool>(D, true);
    const ModelVector honest = trimmed.Mix(m_own, 0.5, m_inbox);
    for (Eigen::Index k = 0; k < D; ++k)
    {
        const auto values = Sorted(k);
        ASSERT_EQ(values.size(), 5U);
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 5;
        EXPECT_NEAR(honest[k], m_own[k] + 0.3 * (mean - m_own[k]), 1e-14);
    }
    // Only one is: the smallest and the largest of six go.
    Get(5).present.clear();
    const ModelVector mixed = trimmed.Mix(m_own, 0.5, m_inbox);
    for (Eigen::Index k = 0; k < D; ++k)
    {
        const auto values = Sorted(k);
        const double mean = std::accumulate(values.begin() + 1, values.end() - 1, 0.0) / 4;
        EXPECT_NEAR(mixed[k], m_own[k] + 0.3 * (mean - m_own[k]), 1e-14);
    }
}

// Two are lost, and two others are Byzantine: a rule that counts the lost ones as Byzantine
// averages the forged vectors.
TEST_F(RobustMixingTest, AbsentNeighboursLeaveTheOthersUnderSuspicion)
{
    Get(1).values.setConstant(1e6);
    Get(2).values.setConstant(1e6);
    Lose(3);
    Lose(4);
    const auto mix = [this](bool missingAreByzantine) {
        RobustMixing mixing(m_row, CreateObject<TrimmedMeanAggregator>(), 2, missingAreByzantine);
        return mixing.Mix(m_own, 1, m_inbox);
    };
    EXPECT_GT(mix(true).minCoeff(), 1e5);
    const ModelVector safe = mix(false); // the median of 5, of which 3 are honest
    for (Eigen::Index k = 0; k < D; ++k)
    {
        EXPECT_NEAR(safe[k], m_own[k] + 0.6 * (Sorted(k)[2] - m_own[k]), 1e-14);
    }
}

TEST_F(RobustMixingTest, TooFewVectorsAreNotMixed)
{
    RobustMixing median(m_row, CreateObject<MedianAggregator>(), 2);
    Lose(1);
    Get(2).values[0] = std::nan("");
    EXPECT_NE(median.Mix(m_own, 1, m_inbox), m_own);
    Lose(3);
    EXPECT_EQ(median.Mix(m_own, 1, m_inbox), m_own) << "4 are less than 2 x 2 + 1";
    EXPECT_EQ(median.Mix(m_own, 1, Inbox()), m_own);
    EXPECT_EQ(median.GetSkipped(), 2U);
    Lose(5);
    RobustMixing absent(m_row, CreateObject<MedianAggregator>(), 2, false);
    EXPECT_EQ(absent.Mix(m_own, 1, m_inbox), m_own);
    EXPECT_EQ(absent.GetSkipped(), 1U);
    RobustMixing lonely({}, CreateObject<MedianAggregator>(), 1);
    EXPECT_EQ(lonely.Mix(m_own, 1, Inbox()), m_own);
    EXPECT_EQ(lonely.GetSkipped(), 0U);
}

// Clipping around the origin would not be equivariant.
TEST_F(RobustMixingTest, ClipsAroundTheOwnVector)
{
    RobustMixing mixing(m_row, CreateObject<CenteredClippingAggregator>(), 2);
    const ModelVector before = mixing.Mix(m_own, 1, m_inbox);
    const ModelVector shift = ModelVector::Constant(D, 1000);
    m_own += shift;
    for (auto& [source, arrival] : m_inbox.arrivals)
    {
        arrival.values += shift;
    }
    EXPECT_LT((mixing.Mix(m_own, 1, m_inbox) - shift - before).norm(), 1e-11); // rounding at 1000
}

/**
 * Two runs on data that differ everywhere, with the same messages: the ledger says how far apart
 * the models may be, as epsilon_t = sqrt(d) Phi_t / rho_t. The messages surround the learner's
 * own vector, so that its median is itself and nothing pulls the runs together: an account that
 * took the sum of the weights for a contraction would be wrong from the second round on.
 */
TEST(RobustMixingPrivacy, NoRunIsFartherAwayThanTheAccountSays)
{
    const auto makeRule = [](Ring& ring, double apart) {
        Eigen::MatrixXd samples = ring.task->GetTrain().features;
        samples.row(2).array() += apart; // where the loss is stiffest: h = 1.5
        ring.task->SetSamples(samples);
        ring.task->m_bound = 1;
        ring.task->m_bound = 1.5 / ring.task->GetSensitivity(); // C is the distance of gradients
        const auto rule = DynamicCast<LdpOnline>(ring.rules[0]);
        rule->SetAttribute("PrivacyLedger", TypeIdValue(LdpOnlineTheorem5Ledger::GetTypeId()));
        rule->SetAttribute("Projection", TypeIdValue(NoProjection::GetTypeId()));
        rule->SetAttribute("StepSize", DoubleValue(0.02));
        rule->SetAttribute("StepExponent", DoubleValue(0));
        rule->SetAttribute("CouplingExponent", DoubleValue(0));
        rule->SetAttribute("Aggregator", TypeIdValue(MedianAggregator::GetTypeId()));
        rule->SetAttribute("Byzantine", UintegerValue(1));
        rule->GetNoiseMechanism()->SetAttribute("GrowthExponent", DoubleValue(0));
        rule->Setup(ring.GetContext(0));
        return rule;
    };
    Ring one(LdpOnline::GetTypeId());
    Ring two(LdpOnline::GetTypeId());
    const auto rule = makeRule(one, 0);
    const auto other = makeRule(two, 1);
    const double noise = rule->GetNoiseMechanism()->GetScale(0);
    double epsilon = 0;
    double largest = 0;
    for (uint32_t t = 0; t < 50; ++t)
    {
        for (const auto& run : {rule, other})
        {
            run->BeginRound(t);
            run->Compute();
            run->Send();
        }
        const double distance = (rule->GetModel() - other->GetModel()).norm();
        Inbox inbox;
        for (const LearnerId neighbor : {1, 4})
        {
            const double side = neighbor == 1 ? 10 : -10;
            inbox.arrivals[{neighbor, ModelChannel::STATE}] = {rule->GetModel().array() + side,
                                                               t,
                                                               {}};
        }
        rule->EndRound(inbox);
        other->EndRound(inbox);
        const double now = rule->GetLedger()->GetEpsilon();
        const double bound = (now - epsilon) * noise / std::sqrt(3.0);
        EXPECT_LE(distance, bound * (1 + 1e-9) + 1e-15) << "round " << t;
        EXPECT_EQ(now, rule->GetLedger()->GetNominalEpsilon());
        largest = t < 5 ? std::max(largest, distance / (bound + 1e-15)) : largest;
        epsilon = now;
    }
    EXPECT_GT(largest, 0.9) << "and the bound is not idle";
}

// A coupling of which only the range is known: the larger bound of both ends, in both accounts.
TEST(RobustMixingPrivacy, TheLedgerTakesTheWorseEnd)
{
    const auto ledger = CreateObject<LdpOnlineConvexLedger>();
    ledger->SetConstants(1, 1, 0);
    UpdateEvent event;
    event.stepSize = 0.5;
    ledger->Update(event); // Phi_1 = 0.5
    event.round = 1;
    event.openCoupling = 1.5;
    ledger->Update(event); // max(1, 0.5, |-0.5|, |-1|) x 0.5 + 0.5 = 1
    event.round = 2;
    event.openCoupling = 2;
    ledger->Update(event); // 1.5 x 1 + 0.5 = 2
    ReleaseEvent release;
    release.round = 3;
    release.dimension = 4;
    release.noiseScale = 1;
    release.law = NoiseLaw::LAPLACE;
    ledger->Release(release, true);
    EXPECT_DOUBLE_EQ(ledger->GetEpsilon(), 2 * 2);
    EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), 2 * 2);
}

// With one forged vector of two, the median is an honest one. A learner that receives nothing skips
// the mixing.
TEST(PeerRuleAggregator, MovesTheModel)
{
    Ring ring(LdpOnline::GetTypeId());
    for (const auto& rule : ring.rules)
    {
        rule->SetAttribute("Aggregator", TypeIdValue(MedianAggregator::GetTypeId()));
        rule->SetAttribute("Byzantine", UintegerValue(1));
        rule->SetAttribute("StepSize", DoubleValue(0));
    }
    ring.Setup();
    ring.Begin(0);
    const LearnerId attacker = 1;
    ring.inboxes[0].arrivals.at({attacker, ModelChannel::STATE}).values.setConstant(1e9);
    const Eigen::MatrixXd before = ring.GetModels();
    const ModelVector heard = ring.inboxes[0].arrivals.at({4, ModelChannel::STATE}).values;
    ring.End();
    // Of own, heard and 1e9 the median is the larger of the first two; the step is 0.6.
    const ModelVector median = before.col(0).cwiseMax(heard);
    const ModelVector expected = before.col(0) + 0.6 * (median - before.col(0));
    EXPECT_LT((ring.GetModels().col(0) - expected).norm(), 1e-12);
    ring.Begin(1);
    ring.inboxes.assign(Ring::LEARNERS, Inbox());
    ring.End();
    EXPECT_EQ(DynamicCast<PeerRule>(ring.rules[0])->GetSkippedMixings(), 1U);
}

ModelVector
MakeVector(double x, double y)
{
    ModelVector vector(2);
    vector << x, y;
    return vector;
}

TEST(Projection, NoneKeepsEverything)
{
    ModelVector model = MakeVector(1e300, -3);
    CreateObject<NoProjection>()->Project(model);
    EXPECT_EQ(model, MakeVector(1e300, -3));
}

TEST(Projection, BallScalesDownToItsRadius)
{
    const auto ball = CreateObjectWithAttributes<BallProjection>("Radius", DoubleValue(5));
    ModelVector inside = MakeVector(3, 4);
    ball->Project(inside);
    EXPECT_EQ(inside, MakeVector(3, 4));
    ModelVector outside = MakeVector(-30, 40);
    ball->Project(outside);
    EXPECT_LT((outside - MakeVector(-3, 4)).norm(), 1e-15);
    ModelVector huge = MakeVector(3e200, 4e200); // its square overflows
    ball->Project(huge);
    EXPECT_LT((huge - MakeVector(3, 4)).norm(), 1e-14);
}

TEST(Projection, BoxMovesEachEntry)
{
    const auto box = CreateObjectWithAttributes<BoxProjection>("Lower",
                                                               DoubleValue(-2),
                                                               "Upper",
                                                               DoubleValue(0.5));
    ModelVector model = MakeVector(-7, 7);
    box->Project(model);
    EXPECT_EQ(model, MakeVector(-2, 0.5));
}

// The nearest point: no other point of the set, tried on a fine grid, is nearer; and two
// points come no farther apart, which the privacy ledgers rely on.
TEST(Projection, IsNearestAndNonexpansive)
{
    const auto ball = CreateObjectWithAttributes<BallProjection>("Radius", DoubleValue(1));
    const auto box = CreateObject<BoxProjection>();
    for (const Ptr<Projection>& set : {Ptr<Projection>(ball), Ptr<Projection>(box)})
    {
        ModelVector last = MakeVector(0, 0);
        ModelVector lastImage = last;
        for (int k = 0; k < 50; ++k)
        {
            const ModelVector point = MakeVector(3 * std::sin(1.7 * k), 2 * std::cos(2.3 * k * k));
            ModelVector image = point;
            set->Project(image);
            for (int g = 0; g < 441; ++g)
            {
                ModelVector other = MakeVector(-1 + 0.1 * (g % 21), -1 + 0.1 * (g / 21));
                ModelVector kept = other;
                set->Project(kept);
                if ((kept - other).norm() < 1e-12) // lies in the set
                {
                    EXPECT_LE((image - point).norm(), (other - point).norm() + 1e-12);
                }
            }
            EXPECT_LE((image - lastImage).norm(), (point - last).norm() + 1e-12);
            last = point;
            lastImage = image;
        }
    }
}

/** One learner of LDP-OL, not set up; the gradients of its task are at most 3 long. */
class PeerRulePrivacy : public testing::Test
{
  protected:
    PeerRulePrivacy()
    {
        m_ring.task->m_bound = 3;
        m_ring.task->SetAttribute("Regularization", DoubleValue(0.25));
    }

    Ptr<PrivacyLedger> SetUpRule()
    {
        m_rule->Setup(m_ring.GetContext(0));
        return m_rule->GetPrivacyLedger();
    }

    Ring m_ring{LdpOnline::GetTypeId()};
    Ptr<LdpOnline> m_rule{DynamicCast<LdpOnline>(m_ring.rules[0])};
};

// h is from 0.5 to 1.5.
TEST_F(PeerRulePrivacy, TheLedgerHasTheConstantsOfTheTask)
{
    m_ring.task->SetAttribute("ClipNorm", DoubleValue(3.5)); // which never clips
    const auto ledger = SetUpRule();
    EXPECT_EQ(ledger->GetGradientSensitivity(), 6);
    EXPECT_EQ(ledger->GetSmoothness(), 1.75);
    EXPECT_EQ(ledger->GetCurvature(), 0.25);
}

TEST_F(PeerRulePrivacy, GradientsThatAreClippedHaveNoCurvature)
{
    m_ring.task->SetAttribute("ClipNorm", DoubleValue(1));
    m_rule->SetAttribute("Smoothness", DoubleValue(9));
    const auto ledger = SetUpRule();
    EXPECT_EQ(ledger->GetGradientSensitivity(), 2);
    EXPECT_EQ(ledger->GetSmoothness(), 9) << "what a user says counts";
    EXPECT_LT(ledger->GetCurvature(), 0) << "not known";
    // A script may change attributes of a task at any time, even while a gradient is computed.
    ExpectRefused([this] { m_ring.task->SetAttribute("ClipNorm", DoubleValue(2)); },
                  "ClipNorm cannot change any more, as a privacy account counts on it");
}

// Without noise a release costs an infinite epsilon, whatever the constants are.
TEST_F(PeerRulePrivacy, NeedsConstantsUnlessThereIsNoNoise)
{
    m_ring.task->m_rough = true;
    m_ring.task->m_bound = std::numeric_limits<double>::infinity();
    ExpectRefused(
        [this] { SetUpRule(); },
        "ns3::dlearn::LdpOnline: the privacy ledger needs the Lipschitz constant L of the "
        "gradient, which ns3::dlearn::test::BowlTask does not know");
    Ring quiet(LdpOnline::GetTypeId());
    quiet.task->m_rough = true;
    quiet.task->m_bound = std::numeric_limits<double>::infinity();
    const auto rule = DynamicCast<LdpOnline>(quiet.rules[0]);
    rule->GetNoiseMechanism()->SetAttribute("Multiplier", DoubleValue(0));
    rule->Setup(quiet.GetContext(0));
    EXPECT_EQ(rule->GetPrivacyLedger()->GetGradientSensitivity(), 1);
    EXPECT_EQ(rule->GetPrivacyLedger()->GetSmoothness(), 1);
    rule->GetNoiseMechanism()->SetAttribute("Multiplier", DoubleValue(1));
    rule->BeginRound(0);
    rule->Compute();
    ExpectRefused([&] { rule->Send(); },
                  "ns3::dlearn::LdpOnline: there was no noise at Setup(), so its privacy account "
                  "has no bound");
}

TEST_F(PeerRulePrivacy, RefusesALedgerThatDoesNotBoundTheRule)
{
    m_rule->SetAttribute("PrivacyLedger", TypeIdValue(DsgdLedger::GetTypeId()));
    ExpectRefused([this] { SetUpRule(); }, "DsgdLedger: gives no bound for ns3::dlearn::LdpOnline");
}

} // namespace
} // namespace ns3::dlearn
