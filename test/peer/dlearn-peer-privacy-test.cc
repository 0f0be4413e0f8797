/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rule-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-peer-privacy.h"

#include <gtest/gtest.h>
#include <limits>

namespace ns3::dlearn
{
namespace
{

/** A ledger that bounds one recursion, and only keeps what it is told. */
class OpenLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::OpenLedger").SetParent<PrivacyLedger>();
        return tid;
    }

  protected:
    bool Bounds(StateRecursion recursion) const override
    {
        return recursion == StateRecursion::COUPLED;
    }

    Step NextStep(const UpdateEvent& /* event */, double, bool) const override { return {}; }
};

/** A task of which nobody knows how smooth it is. */
class RoughTask : public BowlTask
{
  public:
    double GetSmoothness() const override { return std::numeric_limits<double>::infinity(); }
};

/** A rule "Rule" on four samples at positions 3, 5, 9 and 11. */
class PeerPrivacyTest : public testing::Test
{
  protected:
    PeerPrivacyTest()
    {
        m_facts.recursion = StateRecursion::COUPLED;
        MakeTask<BowlTask>();
    }

    template <typename Type>
    void MakeTask()
    {
        m_task = CreateObject<Type>();
        m_task->SetSamples(Eigen::MatrixXd::Zero(2, 12));
        m_task->m_bound = 3;
        m_task->SetAttribute("Regularization", DoubleValue(0.25));
    }

    void SetUpPrivacy()
    {
        m_privacy.Setup("Rule", m_ledger, m_unit, m_facts, m_task, {3, 5, 9, 11});
    }

    Ptr<PrivacyLedger> m_ledger{CreateObject<OpenLedger>()};
    Ptr<PrivacyUnit> m_unit{CreateObject<SampleUnit>()};
    Ptr<BowlTask> m_task;
    PeerPrivacy::Facts m_facts;
    PeerPrivacy m_privacy;
};

// h is from 0.5 to 1.5, and gradients are at most 3 long.
TEST_F(PeerPrivacyTest, TheLedgerHasTheConstantsOfTheTask)
{
    SetUpPrivacy();
    EXPECT_EQ(m_privacy.GetLedger(), m_ledger);
    EXPECT_EQ(m_ledger->GetGradientSensitivity(), 6);
    EXPECT_EQ(m_ledger->GetSmoothness(), 1.75);
    EXPECT_EQ(m_ledger->GetCurvature(), 0.25);
}

TEST_F(PeerPrivacyTest, WhatAUserSaysOfTheSmoothnessCounts)
{
    m_facts.smoothness = 9;
    SetUpPrivacy();
    EXPECT_EQ(m_ledger->GetSmoothness(), 9);
}

TEST_F(PeerPrivacyTest, GradientsThatAreClippedHaveNoCurvature)
{
    m_task->SetAttribute("ClipNorm", DoubleValue(1));
    SetUpPrivacy();
    EXPECT_EQ(m_ledger->GetGradientSensitivity(), 2);
    EXPECT_LT(m_ledger->GetCurvature(), 0) << "not known";
}

TEST_F(PeerPrivacyTest, AClipNormThatClipsNothingLeavesTheCurvature)
{
    m_task->SetAttribute("ClipNorm", DoubleValue(3.5));
    SetUpPrivacy();
    EXPECT_EQ(m_ledger->GetGradientSensitivity(), 6);
    EXPECT_EQ(m_ledger->GetCurvature(), 0.25);
}

TEST_F(PeerPrivacyTest, RefusesARuleThatTheLedgerDoesNotBound)
{
    m_facts.recursion = StateRecursion::HALF_STEP;
    ExpectRefused([this] { SetUpPrivacy(); }, "Rule");
}

TEST_F(PeerPrivacyTest, RefusesATaskOfUnknownSmoothness)
{
    MakeTask<RoughTask>();
    ExpectRefused([this] { SetUpPrivacy(); },
                  "Rule: the privacy ledger needs the Lipschitz constant L of the gradient, which "
                  "ns3::dlearn::test::BowlTask does not know");
    m_facts.smoothness = 2;
    EXPECT_NO_THROW(SetUpPrivacy());
}

// Without noise a release costs an infinite epsilon, whatever the constants are.
TEST_F(PeerPrivacyTest, WithoutNoiseUnknownConstantsDoNotMatter)
{
    MakeTask<RoughTask>();
    m_task->m_bound = std::numeric_limits<double>::infinity();
    ExpectRefused([this] { SetUpPrivacy(); }, "Lipschitz constant L");
    m_facts.noisy = false;
    SetUpPrivacy();
    EXPECT_EQ(m_ledger->GetGradientSensitivity(), 1);
    EXPECT_EQ(m_ledger->GetSmoothness(), 1);
}

// Sample 5 is twice in the first batch and once in the second; a history takes the mean of both.
TEST_F(PeerPrivacyTest, TellsEachUnitsShareOfTheGradient)
{
    for (const bool history : {false, true})
    {
        m_unit = CreateObject<SampleUnit>();
        m_ledger = CreateObject<OpenLedger>();
        m_privacy = PeerPrivacy();
        m_facts.historyWindow = history ? 0 : 1;
        SetUpPrivacy();
        m_privacy.Take({5, 5, 3, 11});
        const SampleIndices batch{9, 5};
        m_privacy.Take(batch);
        UpdateEvent event;
        m_privacy.TellShares(batch, event);
        const Eigen::Array4d newest(0, 0.5, 0.5, 0);
        const Eigen::Array4d older(0.25, 0.5, 0, 0.25);
        ASSERT_EQ(event.shares.size(), 4);
        const Eigen::Array4d expected = history ? Eigen::Array4d((newest + older) / 2) : newest;
        EXPECT_LT((event.shares - expected).matrix().norm(), 1e-15) << history;
        EXPECT_EQ(event.batches, 2U);
    }
}

// A script may change attributes of a task at any time, even while a gradient is computed.
TEST_F(PeerPrivacyTest, TheTaskStaysAsTheAccountKnowsIt)
{
    m_task->SetAttribute("ClipNorm", DoubleValue(2));
    m_task->SetAttribute("ClipNorm", DoubleValue(1));
    SetUpPrivacy();
    ExpectRefused([this] { m_task->SetAttribute("ClipNorm", DoubleValue(2)); },
                  "ClipNorm cannot change any more, as a privacy account counts on it");
    ExpectRefused([this] { m_task->SetAttribute("Regularization", DoubleValue(0)); },
                  "Regularization cannot change any more");
    EXPECT_EQ(m_task->GetClipNorm(), 1);
    EXPECT_EQ(m_task->GetRegularization(), 0.25);
    EXPECT_NO_THROW(m_task->SetAttribute("ClipNorm", DoubleValue(1)));
}

TEST_F(PeerPrivacyTest, WithoutItsConstantsNoNoiseCanBegin)
{
    MakeTask<RoughTask>();
    m_facts.noisy = false;
    SetUpPrivacy();
    EXPECT_NO_THROW(m_privacy.CheckNoise(0));
    ExpectRefused([this] { m_privacy.CheckNoise(1); },
                  "Rule: there was no noise at Setup(), so its privacy account does without");
    MakeTask<BowlTask>();
    m_ledger = CreateObject<OpenLedger>();
    m_privacy = PeerPrivacy();
    SetUpPrivacy();
    EXPECT_NO_THROW(m_privacy.CheckNoise(1)) << "all constants are known";
}

TEST_F(PeerPrivacyTest, WithoutALedgerNothingHappens)
{
    m_ledger = nullptr;
    m_facts.recursion = StateRecursion::OTHER;
    MakeTask<RoughTask>();
    EXPECT_NO_THROW(SetUpPrivacy());
    EXPECT_EQ(m_privacy.GetLedger(), nullptr);
    m_privacy.Take({3, 4}); // 4 is none of the learner's, which a unit would refuse
    ReleaseEvent event;
    event.batches = 7;
    m_privacy.TellShares({3}, event);
    EXPECT_EQ(event.batches, 7U);
    EXPECT_EQ(event.shares.size(), 0);
}

} // namespace
} // namespace ns3::dlearn
