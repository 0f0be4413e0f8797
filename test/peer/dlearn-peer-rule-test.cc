/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rule-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-ldp-online.h"

#include <gtest/gtest.h>
#include <limits>

namespace mine
{

using namespace ns3;
using namespace ns3::dlearn;

/** Its author has forgotten its GetTypeId(). */
class Nameless : public PeerRule
{
  protected:
    ModelVector Move(const Inbox& inbox) const override { return MixAndDescend(inbox); }
};

/** Its author has forgotten its parts. */
class Bare : public Nameless
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("mine::Bare").SetParent<PeerRule>().AddConstructor<Bare>();
        return tid;
    }
};

} // namespace mine

namespace ns3::dlearn
{
namespace
{

TEST(PeerRule, SaysThatItsPartsAreMissing)
{
    const Ring ring(Dsgd::GetTypeId());
    const auto bare = CreateObject<mine::Bare>();
    const std::string parts = ": has no parts; a rule of peers needs its own GetTypeId(), with "
                              "PeerRule::AddParts()";
    ExpectRefused([&] { bare->Setup(ring.GetContext(0)); }, "mine::Bare" + parts);
    ExpectRefused([&] { bare->AssignStreams(1); }, "mine::Bare" + parts);
    ExpectRefused([&] { CreateObject<mine::Nameless>()->Setup(ring.GetContext(0)); },
                  "ns3::dlearn::PeerRule" + parts);
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
