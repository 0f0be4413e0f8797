/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-message-behaviors.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/dlearn-wire-attacks.h"
#include "ns3/pointer.h"

#include <string>

namespace ns3::dlearn
{
namespace
{

using test::Lines;
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

    Ptr<LdpOnline> Rule(LearnerId id) { return DynamicCast<LdpOnline>(apps[id]->GetRule()); }

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

// What is read at the set-up alone would have no effect later on, or half of one: a port is the own
// one, but not that of the addresses which neighbours have.
TEST_F(LearnerParts, HaveAttributesThatAreFixedFromTheSetUpOn)
{
    Build(Pair());
    SetAll("Rounds", UintegerValue(4));
    Connect();
    const auto refused = [](Object& owner, const std::string& name, const AttributeValue& value) {
        ExpectRefused([&] { owner.SetAttribute(name, value); },
                      owner.GetInstanceTypeId().GetName() + ": " + name +
                          " cannot change any more after set-up");
    };
    for (const char* name : {"Rounds", "Ahead", "Byzantine"})
    {
        refused(*apps[0], name, UintegerValue(3));
    }
    refused(*apps[0], "UsePartial", BooleanValue(true));
    refused(*apps[0], "SuspicionTimeout", TimeValue(Seconds(3)));
    MessageExchange& exchange = *apps[0]->GetExchange();
    refused(exchange, "FloatBits", UintegerValue(64));
    refused(exchange, "ErrorFeedback", BooleanValue(true));
    refused(exchange, "UnfinishedLimit", UintegerValue(3));
    const std::string transport = "Exchange/$ns3::dlearn::MessageExchange/Transport/";
    const std::string port = m_path + transport + "$ns3::dlearn::UdpTransport/Port";
    ExpectRefused([&] { Config::Set(port, UintegerValue(7777)); },
                  "UdpTransport: Port cannot change any more after set-up");
    EXPECT_EQ(apps[0]->GetRounds(), 4U);
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

// Rounds of 10 ms and of what a behaviour waits besides, which is set while the second one is open.
TEST_F(LearnerParts, ABehaviourIsReachedByItsPathAtAnyTime)
{
    Build(Pair());
    Connect();
    Config::Set(m_path + "Behavior", TypeIdValue(DelayBehavior::GetTypeId()));
    EXPECT_NE(apps[0]->GetBehavior(), apps[1]->GetBehavior());
    const std::string delay = m_path + "Behavior/$ns3::dlearn::DelayBehavior/Delay";
    Config::Set(delay, TimeValue(MilliSeconds(5)));
    At(MilliSeconds(20), [&] { Config::Set(delay, TimeValue(MilliSeconds(7))); });
    Run();
    EXPECT_EQ(GetEnds(0), (Lines{"15 end 0 [1:0]", "32 end 1 [1:1]", "49 end 2 [1:2]"}));
    EXPECT_EQ(GetEnds(1), (Lines{"15 end 0 [0:0]", "32 end 1 [0:1]", "49 end 2 [0:2]"}));
    EXPECT_EQ(apps[0]->GetRole(), "byzantine");
}

TEST_F(LearnerParts, TheBehaviourWithinAWireBehaviourIsReached)
{
    Build(Pair());
    Connect();
    const auto outer = CreateObject<RoundJumpBehavior>();
    outer->SetInner(CreateObject<DelayBehavior>());
    apps[1]->SetBehavior(outer);
    Config::Set(m_path + "Behavior/Inner/$ns3::dlearn::DelayBehavior/Delay",
                TimeValue(MilliSeconds(3)));
    Run();
    EXPECT_EQ(GetEnds(0).front(), "13 end 0 [1:0]");
}

} // namespace
} // namespace ns3::dlearn
