/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Growing samples and ternary quantisation, which share MixAndDescend(); and, for all
 * baselines whose learners mix their own vector without noise, that no two runs are farther apart
 * than their ledger says.
 */

#include "dlearn-rule-fixture.h"

#include "ns3/dlearn-dp-sgd-growing.h"
#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-push-sum-sgd.h"
#include "ns3/dlearn-ternary-quantizer.h"
#include "ns3/dlearn-ternary-sgd.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

void
SetScale(Ring& ring, double scale)
{
    for (const auto& rule : ring.rules)
    {
        DynamicCast<PeerRule>(rule)->GetNoiseMechanism()->SetAttribute("BaseScale",
                                                                       DoubleValue(scale));
    }
}

void
SetAll(Ring& ring, const std::string& name, double value)
{
    for (const auto& rule : ring.rules)
    {
        rule->SetAttribute(name, DoubleValue(value));
    }
}

// theta + gamma_t (W theta + sent) - lambda_t g by definition. What DpSgdGrowing draws is seen
// from a second stream with the same number.
TEST(CoupledBaselines, EqualTheMatrixForm)
{
    for (const TypeId& type : {DpSgdGrowing::GetTypeId(), TernarySgd::GetTypeId()})
    {
        Ring ring(type);
        SetAll(ring, "Coupling", 0.8);
        ring.Setup();
        std::vector<Ptr<SampleStream>> twins;
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            twins.push_back(CreateObject<SampleStream>());
            twins[i]->SetShard(ring.streams[i]->GetShard(), Ring::BATCH);
            twins[i]->AssignStreams(100 + i);
        }
        for (uint32_t t = 0; t < 20; ++t)
        {
            const Eigen::MatrixXd theta = ring.GetModels();
            const Eigen::MatrixXd sent = ring.Begin(t);
            Eigen::MatrixXd gradients(Ring::DIMENSION, Ring::LEARNERS);
            for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
            {
                const SampleIndices batch =
                    type == TernarySgd::GetTypeId()
                        ? twins[i]->Draw(t)
                        : twins[i]->DrawDistinct(t, std::min(t + 1, Ring::SHARD));
                gradients.col(i) = ring.MeanGradient(theta.col(i), batch.begin(), batch.end());
            }
            ring.inboxes[t % 5].arrivals.erase({(t + 1) % 5, ModelChannel::STATE});
            Eigen::MatrixXd expected = theta - 0.1 * std::pow(t + 1.0, -0.9) * gradients;
            for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
            {
                for (const auto& [source, arrival] : ring.inboxes[i].arrivals)
                {
                    expected.col(i) += 0.8 * std::pow(t + 1.0, -0.6) * 0.3 *
                                       (sent.col(source.first) - theta.col(i));
                }
            }
            ring.End();
            ASSERT_LT((ring.GetModels() - expected).cwiseAbs().maxCoeff(), 1e-12)
                << type << ", round " << t;
        }
    }
}

TEST(DpSgdGrowing, TakesTheSamplesThatItSays)
{
    Ring ring(DpSgdGrowing::GetTypeId());
    SetAll(ring, "SampleFactor", 0.7);
    SetAll(ring, "SampleExponent", 1.5);
    ring.Setup();
    const auto rule = DynamicCast<DpSgdGrowing>(ring.rules[0]);
    // floor(0.7 t^1.5) + 1 by hand: 0.7, 1.98, 3.64, 5.6, 7.8; the shard has 8.
    const std::vector<uint32_t> expected{1, 1, 2, 4, 6, 8, 8, 8};
    for (uint32_t t = 0; t < expected.size(); ++t)
    {
        EXPECT_EQ(rule->GetSampleCount(t), expected[t]) << t;
        rule->BeginRound(t);
        EXPECT_EQ(rule->GetWork(), expected[t]) << t;
    }
    EXPECT_EQ(rule->GetSampleCount(4294967295U), Ring::SHARD);
    EXPECT_FALSE(rule->SetAttributeFailSafe("SampleFactor", DoubleValue(-1)));
    EXPECT_FALSE(rule->SetAttributeFailSafe("SampleExponent", DoubleValue(-1)));
}

// Learners on the exponential digraph, noise-free. Both errors, of the disagreement and of the
// weighting, are of the order of the last step, 0.5 / 4000^0.75 = 1e-3, times gradients of size 2,
// over the coupling 0.5; growing samples are all samples from round 7 on. Ternary learners send
// theta itself at scale 0, with one sample each.
TEST(CoupledBaselines, FindTheMinimumOnADirectedGraph)
{
    for (const TypeId& type : {DpSgdGrowing::GetTypeId(), TernarySgd::GetTypeId()})
    {
        Ring ring(type);
        const Graph graph = InDegreeWeights(MakeExponential(Ring::LEARNERS));
        ring.graph = graph;
        SetScale(ring, 0);
        SetAll(ring, "StepSize", 0.5);
        SetAll(ring, "StepExponent", 0.75);
        SetAll(ring, "Coupling", 0.5);
        SetAll(ring, "CouplingExponent", 0);
        Eigen::VectorXd minimum = Eigen::VectorXd::Zero(Ring::DIMENSION);
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            if (type == TernarySgd::GetTypeId())
            {
                ring.streams[i]->SetShard({i * Ring::SHARD}, 1);
            }
            for (const uint32_t sample : ring.streams[i]->GetShard())
            {
                minimum += ring.task->GetTrain().features.col(sample) /
                           (ring.streams[i]->GetShard().size() * 1.0 * Ring::LEARNERS);
            }
        }
        ring.Setup();
        for (uint32_t t = 0; t < 4000; ++t)
        {
            ring.Begin(t);
            ring.End();
        }
        const double error = (ring.GetModels().colwise() - minimum).colwise().norm().maxCoeff();
        EXPECT_LT(error, 1e-2) << type;
        EXPECT_TRUE(std::isinf(ring.rules[0]->GetLedger()->GetEpsilon())) << "noise-free";
    }
}

// Terms go as t^-(v-u+p+s) = t^-1.4 while the samples grow, with v = 0.9, u = 0.6, p = 1, s = 0.1,
// and as t^-0.4 once they are all taken. From T to 8 T the sum of the first grows by less than
// T^-0.4 / (1 - 0.4...) of it, of the second as T^0.6, by 3.5.
TEST(DpSgdGrowing, TheAccountIsFiniteWhileSamplesGrow)
{
    const auto endless = CreateObject<LdpOnlineRefinedLedger>();
    const auto finite = CreateObject<LdpOnlineRefinedLedger>();
    double endlessEarly = 0;
    double finiteEarly = 0;
    const uint32_t early = 50000;
    for (uint32_t t = 0; t < 8 * early; ++t)
    {
        for (const auto& ledger : {endless, finite})
        {
            if (t == 0)
            {
                ledger->SetConstants(2, 1, -1);
            }
            ledger->Release({t, 4, std::pow(t + 1.0, 0.1), 0, NoiseLaw::LAPLACE}, true);
            const double gamma = 0.6 * std::pow(t + 1.0, -0.6);
            const uint32_t samples = ledger == finite ? std::min(t + 1, 100U) : t + 1;
            ledger->Update({t, 0.1 * std::pow(t + 1.0, -0.9), gamma, gamma, samples, 0});
        }
        if (t + 1 == early)
        {
            endlessEarly = endless->GetEpsilon();
            finiteEarly = finite->GetEpsilon();
        }
    }
    EXPECT_LT(endless->GetEpsilon(), 1.02 * endlessEarly);
    EXPECT_GT(finite->GetEpsilon(), 2 * finiteEarly);
}

// Phi -> lambda C / gamma ~ t^-0.3 does not stop delta from reaching 1.
TEST(TernarySgd, DeltaReachesOne)
{
    Ring ring(TernarySgd::GetTypeId());
    ring.Setup();
    const auto ledger = DynamicCast<const ReleaseAccount>(ring.rules[0]->GetLedger());
    ring.Begin(0);
    EXPECT_EQ(ring.rules[0]->GetLedger()->GetEpsilon(), 0) << "theta_0 holds no data";
    ring.End();
    double last = 0;
    uint32_t t = 1;
    for (; t < 5000 && ledger->GetTernaryDelta() < 1; ++t)
    {
        ring.Begin(t);
        ring.End();
        EXPECT_GT(ledger->GetTernaryDelta(), last);
        last = ledger->GetTernaryDelta();
    }
    EXPECT_LT(t, 5000U);
    EXPECT_EQ(ledger->GetTernaryDelta(), 1);
    EXPECT_TRUE(std::isinf(ledger->GetEpsilon()));
}

TEST(TernarySgd, StopsAtItsBudgetOfDelta)
{
    Ring ring(TernarySgd::GetTypeId());
    for (const auto& rule : ring.rules)
    {
        const auto ledger = DynamicCast<PeerRule>(rule)->GetPrivacyLedger();
        ledger->SetAttribute("Budget", DoubleValue(1)); // any: epsilon is 0 or infinite
        ledger->SetAttribute("Delta", DoubleValue(0.2));
    }
    ring.Setup();
    for (uint32_t t = 0; t < 500 && ring.rules[0]->CanContinue(); ++t)
    {
        ring.Begin(t);
        ring.End();
    }
    EXPECT_FALSE(ring.rules[0]->CanContinue());
    const auto ledger = DynamicCast<const ReleaseAccount>(ring.rules[0]->GetLedger());
    EXPECT_LE(ledger->GetTernaryDelta(), 0.2);
    EXPECT_GT(ledger->GetTernaryDelta(), 0.1);
}

TEST(CoupledBaselines, RefuseSchedulesBelowZero)
{
    const auto rule = CreateObject<TernarySgd>();
    for (const char* name : {"StepSize", "StepExponent", "Coupling", "CouplingExponent"})
    {
        EXPECT_FALSE(rule->SetAttributeFailSafe(name, DoubleValue(-0.1))) << name;
    }
}

/** A baseline, and how much of a learner's data its account lets differ. */
struct PairCase
{
    TypeId (*type)(); //!< of the rule
    bool allData;     //!< all samples of the learner; else one of them
};

class TwoRuns : public testing::TestWithParam<PairCase>
{
};

// Two real runs on data of which learner 0's differ, on the same streams; learner 0 gets the same
// messages in both. In each round the distance of what it is about to release is at most what the
// ledger divides by the noise: (epsilon_t - epsilon_{t-1}) rho_t / sqrt(d). Messages are lost, or
// did not leave, at random. Where rounding hides the state that is released, the states are
// compared.
TEST_P(TwoRuns, AreNotFartherApartThanTheLedgerSays)
{
    const PairCase& pair = GetParam();
    std::mt19937 generator(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int trial = 0; trial < 20; ++trial)
    {
        Ring first(pair.type());
        Ring second(pair.type());
        Eigen::MatrixXd samples = first.task->GetTrain().features;
        samples.leftCols(pair.allData ? Ring::SHARD : 1) *= -1;
        second.task->SetSamples(samples);
        for (Ring* ring : {&first, &second})
        {
            // |diag(h) (x - x')| <= 1.5 * 2 * sqrt(3) = 5.2 = C for entries in [-1, 1].
            ring->task->m_bound = 1.5 * std::sqrt(3.0);
            SetAll(*ring, "StepSize", 0.3);
            ring->Setup();
        }
        double spent = 0;
        double largest = 0;
        for (uint32_t t = 0; t < 40; ++t)
        {
            const Eigen::MatrixXd sent = first.Begin(t);
            const Eigen::MatrixXd other = second.Begin(t);
            double distance = (sent.col(0) - other.col(0)).norm();
            if (pair.type == &PushSumSgd::GetTypeId)
            {
                distance /= sent(Ring::DIMENSION, 0);
            }
            if (pair.type == &TernarySgd::GetTypeId)
            {
                distance = (first.rules[0]->GetModel() - second.rules[0]->GetModel()).norm();
            }
            const auto noise =
                DynamicCast<PeerRule>(first.rules[0])->GetNoiseMechanism()->GetScale(t);
            if (uniform(generator) < 0.3)
            {
                first.inboxes[0].arrivals.erase(first.inboxes[0].arrivals.begin());
            }
            first.inboxes[0].transmitted = uniform(generator) < 0.8;
            second.inboxes = first.inboxes;
            const bool transmitted = first.inboxes[0].transmitted;
            first.End();
            second.End();
            const auto account = first.rules[0]->GetLedger();
            const bool ternary = pair.type == &TernarySgd::GetTypeId;
            const double now = ternary
                                   ? DynamicCast<const ReleaseAccount>(account)->GetTernaryDelta()
                                   : account->GetEpsilon();
            if (transmitted && now < (ternary ? 1 : INFINITY))
            {
                const double bound = (now - spent) * noise / std::sqrt(1.0 * Ring::DIMENSION);
                ASSERT_LE(distance, bound * (1 + 1e-9) + 1e-11) << "round " << t;
                largest = std::max(largest, distance / (bound + 1e-12));
            }
            spent = now;
        }
        EXPECT_GT(largest, 0.01) << "the bound is not tested by runs that hardly differ";
    }
}

INSTANTIATE_TEST_SUITE_P(DpSgdGrowing,
                         TwoRuns,
                         testing::Values(PairCase{&DpSgdGrowing::GetTypeId, false}));
INSTANTIATE_TEST_SUITE_P(Dsgd, TwoRuns, testing::Values(PairCase{&Dsgd::GetTypeId, true}));
INSTANTIATE_TEST_SUITE_P(PushSumSgd,
                         TwoRuns,
                         testing::Values(PairCase{&PushSumSgd::GetTypeId, true}));
INSTANTIATE_TEST_SUITE_P(TernarySgd,
                         TwoRuns,
                         testing::Values(PairCase{&TernarySgd::GetTypeId, true}));

} // namespace
