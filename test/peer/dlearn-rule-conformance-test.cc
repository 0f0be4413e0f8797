/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What every UpdateRule must do, whatever its algorithm. A rule joins with one line at the
 * end of this file.
 */

#include "dlearn-rule-fixture.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-gossip-rules.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-ldp-online.h"

#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

class RuleConformance : public testing::TestWithParam<TypeId (*)()>
{
  protected:
    static Ring MakeRing()
    {
        Ring ring(GetParam()());
        ring.Setup();
        return ring;
    }
};

TEST_P(RuleConformance, StartsAtTheInitialModel)
{
    const Ring ring = MakeRing();
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        EXPECT_EQ(ring.rules[i]->GetModel(), ring.GetContext(i).initialModel);
        EXPECT_TRUE(ring.rules[i]->CanContinue());
    }
    Ring bare(GetParam()());
    LearnerContext context = bare.GetContext(0);
    context.initialModel.resize(0);
    bare.rules[0]->Setup(context);
    EXPECT_EQ(bare.rules[0]->GetModel(), ModelVector::Zero(Ring::DIMENSION));
}

TEST_P(RuleConformance, ExpectsTheInNeighbours)
{
    const Ring ring = MakeRing();
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        const auto expected = ring.rules[i]->GetExpected();
        EXPECT_TRUE(std::is_sorted(expected.begin(), expected.end()));
        Graph::Row senders;
        for (const auto& [sender, channel] : expected)
        {
            senders[sender] = ring.graph.GetWeight(i, sender);
        }
        EXPECT_EQ(senders, ring.graph.GetInNeighbors(i));
    }
}

TEST_P(RuleConformance, SendsToTheOutNeighboursWhatTheyExpect)
{
    Ring ring = MakeRing();
    for (uint32_t t = 0; t < 3; ++t)
    {
        ring.Begin(t);
        for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
        {
            EXPECT_GT(ring.rules[i]->GetWork(), 0U);
            const auto expected = ring.rules[i]->GetExpected();
            ASSERT_EQ(ring.inboxes[i].arrivals.size(), expected.size());
            for (const auto& [sender, channel] : expected)
            {
                const Arrival* arrival = ring.inboxes[i].Find(sender, channel);
                ASSERT_NE(arrival, nullptr);
                EXPECT_EQ(arrival->values.size(), ring.rules[i]->GetLength(channel));
                EXPECT_TRUE(arrival->values.allFinite());
            }
        }
        ring.End();
    }
}

TEST_P(RuleConformance, SurvivesEmptyInboxesAndSkippedRounds)
{
    Ring ring = MakeRing();
    for (uint32_t t : {0, 1, 5, 6, 100})
    {
        ring.Begin(t);
        ring.inboxes.assign(Ring::LEARNERS, Inbox());
        ring.inboxes[0].transmitted = false;
        ring.End();
        EXPECT_TRUE(ring.GetModels().allFinite());
        for (const auto& rule : ring.rules)
        {
            EXPECT_TRUE(!rule->GetLedger() || rule->GetLedger()->GetNominalEpsilon() >= 0);
        }
    }
}

TEST_P(RuleConformance, GoesOnAfterACrashAtAnyStep)
{
    Ring ring = MakeRing();
    ring.Begin(0);
    ring.End();
    const ModelVector before = ring.rules[0]->GetModel();
    ring.rules[0]->BeginRound(1);
    ring.rules[0]->BeginRound(2);
    ring.rules[0]->Compute();
    ring.rules[0]->BeginRound(3);
    ring.rules[0]->Compute();
    ring.rules[0]->Send();
    ring.rules[0]->BeginRound(4);
    EXPECT_EQ(ring.rules[0]->GetModel(), before) << "only EndRound moves the model";
    ring.rules[0]->Compute();
    ring.rules[0]->EndRound(Inbox()); // a learner that did not send
    EXPECT_TRUE(ring.rules[0]->GetModel().allFinite());
}

TEST_P(RuleConformance, SameStreamsGiveTheSameBytes)
{
    Ring first = MakeRing();
    Ring second = MakeRing();
    Ring other(GetParam()());
    other.rules[0]->AssignStreams(9000);
    other.Setup();
    bool differs = false; // not in every round: what is rounded to a few levels may agree
    for (uint32_t t = 0; t < 10; ++t)
    {
        const Eigen::MatrixXd sent = first.Begin(t);
        EXPECT_EQ(sent, second.Begin(t));
        const Eigen::MatrixXd otherSent = other.Begin(t);
        differs = differs || sent != otherSent;
        first.End();
        second.End();
        other.End();
        EXPECT_EQ(first.GetModels(), second.GetModels());
    }
    // Only noise is random here.
    EXPECT_EQ(first.rules[0]->GetLedger() != nullptr, differs);
    EXPECT_EQ(first.rules[0]->AssignStreams(1) > 0, differs);
}

INSTANTIATE_TEST_SUITE_P(Gossip,
                         RuleConformance,
                         testing::Values(&ChocoSgd::GetTypeId,
                                         &D2::GetTypeId,
                                         &Extra::GetTypeId,
                                         &PushDiging::GetTypeId,
                                         &ClippedGossip::GetTypeId,
                                         &Scclip::GetTypeId));
INSTANTIATE_TEST_SUITE_P(Dola, RuleConformance, testing::Values(&Dola::GetTypeId));
INSTANTIATE_TEST_SUITE_P(DpSgdGrowing, RuleConformance, testing::Values(&DpSgdGrowing::GetTypeId));
INSTANTIATE_TEST_SUITE_P(Dsgd, RuleConformance, testing::Values(&Dsgd::GetTypeId));
INSTANTIATE_TEST_SUITE_P(GradientTracking,
                         RuleConformance,
                         testing::Values(&GradientTracking::GetTypeId));
INSTANTIATE_TEST_SUITE_P(LdpOnline, RuleConformance, testing::Values(&LdpOnline::GetTypeId));
INSTANTIATE_TEST_SUITE_P(Pdop, RuleConformance, testing::Values(&Pdop::GetTypeId));
INSTANTIATE_TEST_SUITE_P(PushSumSgd, RuleConformance, testing::Values(&PushSumSgd::GetTypeId));
INSTANTIATE_TEST_SUITE_P(TernarySgd, RuleConformance, testing::Values(&TernarySgd::GetTypeId));

} // namespace
