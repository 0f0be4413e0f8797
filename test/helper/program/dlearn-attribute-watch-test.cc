/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-short-runs.h"

#include "ns3/config.h"
#include "ns3/dlearn-attribute-watch.h"
#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/string.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace ns3::dlearn
{

namespace
{

/** Runs with attributes that a user gave. */
class ChangedAttributes : public testing::Test
{
  protected:
    ~ChangedAttributes() override { Config::Reset(); }

    /** @return the attributes in force in a short run of peers */
    std::map<std::string, std::string> RunWith(const std::string& attribute,
                                               const std::string& value,
                                               const std::string& network,
                                               const std::string& transport = "udp")
    {
        Config::Reset();
        RunSpec spec = LdpOnlinePreset("test");
        spec.learners = 3;
        spec.rounds = 2;
        spec.dataSamples = 200;
        spec.network = network;
        spec.transport = transport;
        Config::SetDefault(attribute, StringValue(value));
        spec.invocation.attributes[attribute] = value;
        return test::Execute(spec).attributes;
    }

    /** Expect that a run refuses an attribute, for one of the two reasons. */
    void ExpectRefusal(const std::string& attribute,
                       const std::string& value,
                       const std::string& network,
                       const std::string& reason,
                       const std::string& transport = "udp")
    {
        ExpectRefused([&] { RunWith(attribute, value, network, transport); },
                      "attribute " + attribute + "=" + value + " has no effect: " + reason);
    }

    const std::string m_overwritten{"this run gives all objects of type "}; //!< one reason
    const std::string m_unused{"this run has no object of type "};          //!< the other
};

TEST_F(ChangedAttributes, ThatTheRunOverwritesAreRefused)
{
    ExpectRefusal("ns3::ThresholdPreambleDetectionModel::MinimumRssi",
                  "-70",
                  "wifi-adhoc",
                  m_overwritten);
    ExpectRefusal("ns3::PointToPointNetDevice::DataRate", "1Mbps", "p2p", m_overwritten);
    ExpectRefusal("ns3::CsmaChannel::DataRate", "1Mbps", "csma", m_overwritten);
}

TEST_F(ChangedAttributes, OfTypesThatTheRunHasNotAreRefused)
{
    ExpectRefusal("ns3::WifiPhy::TxPowerStart", "-20", "p2p", m_unused);
    ExpectRefusal("ns3::dlearn::PolynomialStaleness::Exponent", "2", "p2p", m_unused);
    // Sockets are created during the run, so this is known at its end only.
    ExpectRefusal("ns3::TcpSocket::InitialCwnd", "5", "p2p", m_unused);
}

TEST_F(ChangedAttributes, ThatAreInForceAreListed)
{
    const auto expect = [this](const std::string& attribute,
                               const std::string& value,
                               const std::string& network,
                               const std::string& transport = "udp") {
        const std::map<std::string, std::string> only{{attribute, value}};
        EXPECT_EQ(RunWith(attribute, value, network, transport), only);
    };
    expect("ns3::WifiPhy::TxPowerStart", "20", "wifi-adhoc");
    expect("ns3::WifiMac::BE_MaxAmpduSize", "65535", "wifi-infra"); // the default of ns-3
    expect("ns3::LogDistancePropagationLossModel::Exponent", "2.9", "wifi-adhoc");
    expect("ns3::ConstantRateWifiManager::DataMode", "HtMcs0", "wifi-adhoc");
    expect("ns3::DropTailQueue<Packet>::MaxSize", "200p", "p2p");
    expect("ns3::FqCoDelQueueDisc::Interval", "+5e+07ns", "csma");
    expect("ns3::ArpCache::PendingQueueSize", "1000", "wifi-adhoc");
    expect("ns3::TcpSocket::InitialCwnd", "5", "p2p", "tcp");
    expect("ns3::TcpSocket::SndBufSize", "65536", "p2p", "tcp");
    expect("ns3::TcpSocket::RcvBufSize", "131072", "p2p", "tcp"); // the default of ns-3
    expect("ns3::TcpSocket::SegmentSize", "1000", "p2p", "tcp");
    expect("ns3::TcpSocket::ConnTimeout", "+1s", "p2p", "tcp");
    expect("ns3::TcpSocketBase::Timestamp", "true", "p2p", "tcp");
    expect("ns3::TcpL4Protocol::SocketType", "ns3::TcpCubic", "p2p", "tcp");
    expect("ns3::dlearn::FlopsCompute::Flops", "1e+08", "p2p");
    expect("ns3::dlearn::PeerApplication::ResponseTimeout", "+3s", "p2p");
    expect("ns3::dlearn::PrivacyAccount::Budget", "500", "p2p");
}

TEST_F(ChangedAttributes, CountEvenWhenTheyAreAsByDefault)
{
    ExpectRefusal("ns3::WifiPhy::TxGain", "0", "p2p", m_unused);
}

TEST_F(ChangedAttributes, AreLeftAsAScriptSetsThem)
{
    const std::string name = "ns3::dlearn::UdpTransport::FragmentSize";
    Config::SetDefault(name, StringValue("256"));
    {
        const AttributeWatch watch({});
        EXPECT_EQ(GetChangedAttributes().count(name), 1U);
    }
    EXPECT_EQ(GetChangedAttributes().count(name), 1U);
    {
        const AttributeWatch watch({});
        Config::Reset();
    }
    EXPECT_EQ(GetChangedAttributes().count(name), 0U);
}

/** Takes part alone: client 2. */
class SecondAlone : public ClientSampling
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::SecondAlone")
                                .SetParent<ClientSampling>()
                                .AddConstructor<SecondAlone>();
        return tid;
    }

    void Setup(const std::vector<LearnerId>& /* clients */) override {}

    std::vector<LearnerId> Choose(uint32_t /* round */) override { return {2}; }

    CountRange CountChosen() const override { return {1, 1}; }
};

NS_OBJECT_ENSURE_REGISTERED(SecondAlone);

// What no option asks for is as the script says: who takes part, and when a round closes.
TEST_F(ChangedAttributes, OfPartsThatAScriptSetsHold)
{
    Config::SetDefault("ns3::dlearn::SynchronousSchedule::Sampling",
                       TypeIdValue(SecondAlone::GetTypeId()));
    Config::SetDefault("ns3::dlearn::SynchronousSchedule::RoundPolicy",
                       TypeIdValue(DeadlinePolicy::GetTypeId()));
    RunSpec spec = FedAvgPreset("test");
    spec.rounds = 3;
    spec.network = "p2p";
    dlearn::Run run(spec);
    const auto schedule =
        DynamicCast<SynchronousSchedule>(run.GetFederation().server->GetSchedule());
    EXPECT_TRUE(DynamicCast<DeadlinePolicy>(schedule->GetRoundPolicy()));
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    EXPECT_EQ(results.attributes.count("ns3::dlearn::SynchronousSchedule::Sampling"), 1U);
    for (const ResultRow& row : results.rows)
    {
        EXPECT_TRUE(row.record.node == 0 || row.record.node == 2);
    }
}

// The run gives its links a rate, whatever the default; it has no bus.
TEST_F(ChangedAttributes, ThatAScriptSetsAndTheRunReplacesAreWarnedOf)
{
    Config::SetDefault("ns3::PointToPointNetDevice::DataRate", StringValue("1Mbps"));
    Config::SetDefault("ns3::CsmaChannel::DataRate", StringValue("1Mbps")); // for other runs
    RunSpec spec = LdpOnlinePreset("test");
    spec.rounds = 2;
    spec.dataSamples = 200;
    spec.network = "p2p";
    const auto warn = [&spec] {
        const auto warnings = test::Execute(spec).warnings;
        return std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
            return warning.rfind("attribute ", 0) == 0;
        });
    };
    EXPECT_EQ(warn(), 1);
    EXPECT_NE(test::Execute(spec).warnings.front().find("DataRate=1000000bps has no effect: this "
                                                        "run gives all objects of type"),
              std::string::npos);
    spec.network = "ideal";
    EXPECT_EQ(warn(), 0);
    spec.network = "p2p";
    spec.invocation.strict = false; // a variant of the run for which a user typed it
    spec.invocation.attributes["ns3::PointToPointNetDevice::DataRate"] = "1Mbps";
    EXPECT_EQ(warn(), 0);
}

// The address of an object differs from run to run.
TEST_F(ChangedAttributes, AreNoAddresses)
{
    Config::SetDefault("ns3::RandomWaypointMobilityModel::Speed",
                       StringValue("ns3::ConstantRandomVariable[Constant=5]"));
    const auto changed = GetChangedAttributes();
    EXPECT_EQ(changed.at("ns3::RandomWaypointMobilityModel::Speed"),
              "ns3::ConstantRandomVariable[Constant=5]");
}

} // namespace

} // namespace ns3::dlearn
