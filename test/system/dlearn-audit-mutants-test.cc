/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Whether the audit sees what it is there for: accounts, noise and protocols that were broken on
 * purpose, each of them caught, beside the same part unbroken.
 */

#include "audit/dlearn-audit.h"
#include "audit/dlearn-peer-audit.h"
#include "audit/dlearn-recorders.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/dlearn-privacy-ledger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t RUNS = 100;

/** @return the result of auditing some parts, as AuditAlgorithm() does it */
AuditResult
AuditParts(const PeerAuditParts& parts)
{
    PeerAudit audit(parts);
    AuditResult result = Audit("test", RUNS, 1, [&audit](uint64_t run) { return audit.Run(run); });
    result.worst = audit.IsNoisePlausible() ? result.worst : 0;
    return result;
}

/** @return a type of this test; without ns-3's group of the module, so that no plan draws it */
template <typename Broken, typename Parent>
TypeId
MakeType(const char* name)
{
    return TypeId(std::string("ns3::dlearn::test::") + name)
        .SetParent<Parent>()
        .template AddConstructor<Broken>();
}

/** Adds half of the noise that its scale says. */
class HalvedNoise : public LaplaceMechanism
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeType<HalvedNoise, LaplaceMechanism>("HalvedNoise");
        return tid;
    }

    void Perturb(uint32_t round, VectorRef vector) override
    {
        const ModelVector before = vector;
        LaplaceMechanism::Perturb(round, vector);
        vector = (before + vector) / 2;
    }
};

/** Contracts as if every neighbour had been heard. */
class ForgetsLoss : public LdpOnlineTheorem5Ledger
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeType<ForgetsLoss, LdpOnlineTheorem5Ledger>("ForgetsLoss");
        return tid;
    }

  protected:
    Step NextStep(const UpdateEvent& event, double /* coupling */, bool released) const override
    {
        return LdpOnlineTheorem5Ledger::NextStep(event, event.nominalCoupling, released);
    }
};

/** Keeps what it did not send for the next vector, also when nothing was sent at all. */
class KeepsResidual : public Compressor
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeType<KeepsResidual, Compressor>("KeepsResidual");
        return tid;
    }

    uint64_t GetPackedSize() const override { return m_inner->GetPackedSize(); }

  private:
    void DoSetup() override
    {
        m_inner->Setup(m_dimension, m_numbers, true);
        m_residual = ModelVector::Zero(m_dimension);
    }

    PackedVector DoCompress(ConstVectorRef values) override
    {
        const ModelVector wanted = values + m_residual;
        const PackedVector packed = m_inner->Compress(wanted);
        ModelVector read(m_dimension);
        EXPECT_TRUE(UnpackVector(packed, read));
        m_residual = wanted - read;
        return packed;
    }

    Ptr<TopKCompressor> m_inner{CreateObject<TopKCompressor>()}; //!< sends one entry
    ModelVector m_residual;                                      //!< what it did not send
};

/** Sums that hold what was withdrawn. */
class KeepsWithdrawn : public RunningSum
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeType<KeepsWithdrawn, RunningSum>("KeepsWithdrawn");
        return tid;
    }

    void Revoke() override {}
};

/** Something around a rule; by itself changes nothing. */
class Wrapper : public RecordedRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeType<Wrapper, RecordedRule>("Wrapper");
        return tid;
    }

    /** @return a function that puts a wrapper around a rule */
    template <typename Wrapping>
    static std::function<Ptr<UpdateRule>(Ptr<UpdateRule>)> Make()
    {
        return [](Ptr<UpdateRule> rule) {
            const auto wrapper = CreateObject<Wrapping>();
            wrapper->SetInner(rule);
            wrapper->m_rule = DynamicCast<PeerRule>(rule);
            return wrapper;
        };
    }

    Ptr<PeerRule> m_rule; //!< inside
};

/** Sends the state twice with fresh noise; the account hears of the first time. */
class SendsTwice : public Wrapper
{
  public:
    Outbox Send() override
    {
        Outbox outbox = Wrapper::Send();
        if (!outbox.empty())
        {
            Outgoing again = outbox.front();
            again.channel = ModelChannel::TRACKER;
            again.values = m_rule->GetModel();
            m_rule->GetNoiseMechanism()->Perturb(GetCalls().back().round, again.values);
            outbox.push_back(again);
        }
        return outbox;
    }

    std::vector<RuleChannel> GetChannels() const override
    {
        auto channels = Wrapper::GetChannels();
        Neighbors receivers = channels.front().neighbors;
        receivers.in.clear(); // nobody waits for it
        channels.push_back({ModelChannel::TRACKER, channels.front().length, receivers});
        return channels;
    }
};

/** One variant. */
struct Variant
{
    const char* name;     //!< for messages
    PeerAuditParts parts; //!< what is audited
};

/** @return parts with some of them changed */
template <typename Change>
Variant
Make(const char* name, TypeId rule, const Change& change)
{
    Variant variant{name, {}};
    variant.parts.rule = rule;
    change(variant.parts);
    return variant;
}

std::vector<Variant>
MakeBroken()
{
    const TypeId online = LdpOnline::GetTypeId();
    return {
        Make("noise halved", online, [](auto& p) { p.noise = HalvedNoise::GetTypeId(); }),
        Make("loss forgotten", online, [](auto& p) { p.ledger = ForgetsLoss::GetTypeId(); }),
        Make("residual kept", online, [](auto& p) { p.compressor = KeepsResidual::GetTypeId(); }),
        Make("double release", online, [](auto& p) { p.wrap = Wrapper::Make<SendsTwice>(); }),
    };
}

std::vector<Variant>
MakeUnbroken()
{
    const TypeId online = LdpOnline::GetTypeId();
    return {
        Make("Laplace", online, [](auto& p) { p.noise = LaplaceMechanism::GetTypeId(); }),
        Make("Theorem5", online, [](auto& p) { p.ledger = LdpOnlineTheorem5Ledger::GetTypeId(); }),
        Make("wrapped", online, [](auto& p) { p.wrap = Wrapper::Make<Wrapper>(); }),
    };
}

TEST(AuditMutants, EveryBrokenVariantIsCaught)
{
    for (const Variant& variant : MakeBroken())
    {
        const AuditResult result = AuditParts(variant.parts);
        EXPECT_FALSE(result.IsGood()) << variant.name;
        EXPECT_LT(result.worst, 0.99) << variant.name;
        RecordProperty(variant.name, std::to_string(result.worst));
    }
}

// The account of gradient tracking has room for some of these, so that the ratio need not tell.
TEST(AuditMutants, WhatComesBackIsSeen)
{
    const auto count = [](TypeId rule, const auto& change) {
        PeerAuditParts parts = Make("", rule, change).parts;
        PeerAudit audit(parts);
        for (uint64_t run = 1; run <= RUNS; ++run)
        {
            audit.Run(run);
        }
        return audit.GetLeaked();
    };
    const TypeId tracking = GradientTracking::GetTypeId();
    const TypeId online = LdpOnline::GetTypeId();
    EXPECT_GT(count(tracking, [](auto& p) { p.compensation = KeepsWithdrawn::GetTypeId(); }), 20U);
    EXPECT_EQ(count(tracking, [](auto& p) { p.compensation = RunningSum::GetTypeId(); }), 0U);
    EXPECT_GT(count(online, [](auto& p) { p.compressor = KeepsResidual::GetTypeId(); }), 20U);
    EXPECT_EQ(count(online, [](auto& p) { p.compressor = TopKCompressor::GetTypeId(); }), 0U);
}

TEST(AuditMutants, TheSamePartsUnbrokenPass)
{
    for (const Variant& variant : MakeUnbroken())
    {
        const AuditResult result = AuditParts(variant.parts);
        EXPECT_TRUE(result.IsGood()) << variant.name << " " << result.worst;
    }
}

} // namespace
} // namespace ns3::dlearn
