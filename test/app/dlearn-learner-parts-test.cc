/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-missing-policy.h"
#include "ns3/dlearn-qsgd-compressor.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/pointer.h"

#include <string>

namespace ns3::dlearn
{
namespace
{

using test::Pair;
using test::PeerApplicationTest;

/** Two peers with a rule of real parts. */
class LearnerParts : public PeerApplicationTest
{
  protected:
    void BuildLdpOnline()
    {
        Build(Pair());
        SetAll("Rule", TypeIdValue(LdpOnline::GetTypeId()));
        m_task->m_bound = 1;
    }

    void SetContext(LearnerId id)
    {
        LearnerContext context = GetContext(id);
        context.stream = CreateObject<SampleStream>();
        context.stream->SetShard({0}, 1);
        apps[id]->SetContext(context, GetPeers(id));
    }

    Ptr<LdpOnline> Rule(LearnerId id)
    {
        return DynamicCast<LdpOnline>(apps[id]->GetRule());
    }

    const std::string m_path =
        "/NodeList/*/ApplicationList/*/$ns3::dlearn::PeerApplication/"; //!< of all peers
};

TEST_F(LearnerParts, AreReachedByPathsOfConfig)
{
    BuildLdpOnline();
    SetAll("ComputeModel", TypeIdValue(FixedCompute::GetTypeId()));
    const std::string rule = m_path + "Rule/$ns3::dlearn::LdpOnline/";
    Config::Set(rule + "StepSize", DoubleValue(0.25));
    Config::Set(rule + "CouplingSchedule/$ns3::dlearn::PowerSchedule/Initial", DoubleValue(0.5));
    Config::Set(rule + "NoiseMechanism/$ns3::dlearn::LaplaceMechanism/BaseScale", DoubleValue(7));
    Config::Set(rule + "PrivacyLedger/$ns3::dlearn::LdpOnlineRefinedLedger/Budget", DoubleValue(9));
    Config::Set(m_path + "ComputeModel/$ns3::dlearn::FixedCompute/Duration",
                TimeValue(MilliSeconds(3)));
    Config::Set(m_path + "Exchange/$ns3::dlearn::MessageExchange/Compressor",
                TypeIdValue(QsgdCompressor::GetTypeId()));
    Config::Set(m_path + "Exchange/$ns3::dlearn::MessageExchange/Transport/"
                         "$ns3::dlearn::UdpTransport/Port",
                UintegerValue(4711));
    for (const LearnerId id : {0, 1})
    {
        EXPECT_EQ(Rule(id)->GetStepSize(0), 0.25);
        EXPECT_EQ(Rule(id)->GetCoupling(0), 0.5);
        EXPECT_EQ(Rule(id)->GetNoiseMechanism()->GetScale(0), 7);
        EXPECT_EQ(Rule(id)->GetPrivacyLedger()->GetBudget(), 9);
        EXPECT_EQ(apps[id]->GetComputeModel()->GetTime(1, 1), MilliSeconds(3));
        EXPECT_NE(DynamicCast<QsgdCompressor>(apps[id]->GetExchange()->GetCompressor()), nullptr);
        UintegerValue port;
        apps[id]->GetExchange()->GetTransport()->GetAttribute("Port", port);
        EXPECT_EQ(port.Get(), 4711);
        EXPECT_NO_THROW(SetContext(id));
    }
}

TEST_F(LearnerParts, AreNotReplacedAfterSetUp)
{
    BuildLdpOnline();
    SetContext(0);
    const auto refused = [](ObjectBase& owner, const std::string& name) {
        TypeIdValue type;
        owner.GetAttribute(name, type);
        ExpectRefused([&] { owner.SetAttribute(name, type); },
                      ": " + name + " can not be replaced after set-up");
    };
    for (const char* name : {"Rule", "RoundPolicy", "MissingPolicy", "ComputeModel", "Exchange"})
    {
        refused(*apps[0], name);
    }
    for (const char* name : {"NoiseMechanism",
                             "PrivacyLedger",
                             "PrivacyUnit",
                             "Projection",
                             "Aggregator",
                             "StepSchedule",
                             "CouplingSchedule"})
    {
        refused(*Rule(0), name);
    }
    for (const char* name : {"Transport", "Compressor"})
    {
        refused(*apps[0]->GetExchange(), name);
    }
}

TEST_F(LearnerParts, ThatKeepStateServeOneOwner)
{
    const auto refused = [this](const std::string& path, const Ptr<Object>& shared) {
        BuildLdpOnline();
        Config::Set(m_path + path, PointerValue(shared));
        EXPECT_NO_THROW(SetContext(0));
        ExpectRefused([this] { SetContext(1); },
                      "this " + shared->GetInstanceTypeId().GetName() + " is a part of another");
        apps.clear();
        Simulator::Destroy();
    };
    const std::string rule = "Rule/$ns3::dlearn::LdpOnline/";
    refused("Rule", CreateObject<LdpOnline>());
    refused("MissingPolicy", CreateObject<LastReceived>());
    refused("Exchange", CreateObject<MessageExchange>());
    refused("Exchange/$ns3::dlearn::MessageExchange/Transport", CreateObject<UdpTransport>());
    refused("Exchange/$ns3::dlearn::MessageExchange/Compressor", CreateObject<QsgdCompressor>());
    refused(rule + "NoiseMechanism", CreateObject<LaplaceMechanism>());
    refused(rule + "PrivacyLedger", CreateObject<LdpOnlineRefinedLedger>());
    refused(rule + "PrivacyUnit", CreateObject<BatchUnit>());
}

TEST_F(LearnerParts, NoAccountHasTwoNames)
{
    for (const TypeId& none : {PrivacyAccount::GetTypeId(), PrivacyLedger::GetTypeId()})
    {
        const auto ldp = CreateObject<LdpOnline>();
        ASSERT_NE(ldp->GetLedger(), nullptr);
        ldp->SetAttribute("PrivacyLedger", TypeIdValue(none));
        EXPECT_EQ(ldp->GetLedger(), nullptr);
        const auto tracking = CreateObject<GradientTracking>();
        ASSERT_NE(tracking->GetLedger(), nullptr);
        tracking->SetAttribute("PrivacyLedger", TypeIdValue(none));
        EXPECT_EQ(tracking->GetLedger(), nullptr);
    }
}

} // namespace
} // namespace ns3::dlearn
