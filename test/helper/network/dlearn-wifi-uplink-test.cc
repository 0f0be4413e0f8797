/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Shares of the air over packets beside Bianchi's model, and powers beside the rates that radios
 * take with them.
 */

#include "dlearn-network-test-support.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/double.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-psdu.h"

#include <cmath>

namespace ns3::dlearn
{
namespace
{

constexpr uint16_t PORT = 9;

/** An access point, which is learner 0, and stations that send UDP to it without end. */
class WifiUplinkTest : public NetworkTest
{
  protected:
    void TearDown() override
    {
        m_network = nullptr;
        NetworkTest::TearDown();
    }

    void Build(const std::string& text,
               const std::vector<double>& distances,
               const std::string& rate = "30Mbps")
    {
        NetworkSetup setup;
        setup.server = 0;
        setup.positions = {{100, 100}};
        for (size_t k = 0; k < distances.size(); ++k)
        {
            const double angle = 2 * M_PI * k / distances.size();
            setup.positions.emplace_back(100 + distances[k] * std::cos(angle),
                                         100 + distances[k] * std::sin(angle));
        }
        m_network = Make(text + ",side=200", Star(distances.size() + 1, 0), setup);
        PacketSinkHelper sink("ns3::UdpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), PORT));
        sink.Install(m_network->GetNodes().Get(0))
            .Get(0)
            ->TraceConnectWithoutContext("Rx", MakeCallback(&WifiUplinkTest::HandleRx, this));
        for (LearnerId id = 1; id <= distances.size(); ++id)
        {
            GetRadio(id)->GetMac()->SetAttribute("BE_MaxAmpduSize", UintegerValue(6200));
            OnOffHelper source("ns3::UdpSocketFactory",
                               InetSocketAddress(m_network->GetAddress(id, 0), PORT));
            source.SetConstantRate(DataRate(rate), 1400);
            source.SetAttribute("StartTime", TimeValue(m_network->GetReadyTime()));
            source.Install(m_network->GetNodes().Get(id));
        }
    }

    Ptr<WifiNetDevice> GetRadio(LearnerId id) const
    {
        return DynamicCast<WifiNetDevice>(m_network->GetNodes().Get(id)->GetDevice(1));
    }

    /** Begin to count after half a second with these shares. */
    void Run(const std::vector<double>& shares, double seconds)
    {
        Simulator::Schedule(m_network->GetReadyTime(), [this, shares] {
            std::vector<UplinkGrant> grants;
            for (LearnerId id = 1; id <= shares.size(); ++id)
            {
                grants.push_back({id, shares[id - 1], m_network->FindUplink(id).modes.back()});
            }
            m_network->GrantUplinks(grants);
        });
        const Time begin = m_network->GetReadyTime() + Seconds(0.5);
        Simulator::Schedule(begin, [this] { m_bytes.clear(); });
        Simulator::Stop(begin + Seconds(seconds));
        Simulator::Run();
    }

    /** @return bytes of a station over those of all */
    double GetPart(LearnerId id)
    {
        double all = 0;
        for (const auto& [from, bytes] : m_bytes)
        {
            all += bytes;
        }
        return m_bytes[m_network->GetAddress(0, id)] / all;
    }

    Ptr<Network> m_network;

  private:
    void HandleRx(Ptr<const Packet> packet, const Address& from)
    {
        m_bytes[InetSocketAddress::ConvertFrom(from).GetIpv4()] += packet->GetSize();
    }

    std::map<Ipv4Address, double> m_bytes; //!< by sender
};

/** @return of each station the share of successful accesses: Bianchi's chain for each */
std::vector<double>
GetBianchiShares(const std::vector<double>& windows)
{
    std::vector<double> taus(windows.size(), 0.05);
    for (int step = 0; step < 2000; ++step)
    {
        for (size_t k = 0; k < windows.size(); ++k)
        {
            double others = 1;
            for (size_t j = 0; j < windows.size(); ++j)
            {
                others *= j == k ? 1 : 1 - taus[j];
            }
            const double p = 1 - others;
            const double w = windows[k] + 1;
            const double m = std::log2(1024 / w); // CWmax is 1023
            taus[k] += 0.1 * (2 * (1 - 2 * p) /
                                  ((1 - 2 * p) * (w + 1) + p * w * (1 - std::pow(2 * p, m))) -
                              taus[k]);
        }
    }
    double sum = 0;
    for (double& tau : taus)
    {
        tau /= 1 - tau; // successes of k: tau_k times the product of 1 - tau_j of the others
        sum += tau;
    }
    for (double& tau : taus)
    {
        tau /= sum;
    }
    return taus;
}

// Equal rates, so the windows are 15, 20, 30 and 60. In 6 s there are some 5,000 accesses, of which
// the standard deviation is at most 5 % of a share: four of them, with a probability of 1e-4.
TEST_F(WifiUplinkTest, SharesAreThoseOfBianchisModel)
{
    const std::vector<double> shares{0.4, 0.3, 0.2, 0.1};
    Build("wifi-infra", {5, 5, 5, 5});
    Run(shares, 6);
    const std::vector<double> model = GetBianchiShares({15, 20, 30, 60});
    for (LearnerId id = 1; id <= 4; ++id)
    {
        EXPECT_NEAR(GetPart(id) / model[id - 1], 1, 0.2) << id;
        EXPECT_NEAR(GetPart(id) / shares[id - 1], 1, 0.2) << id;
    }
}

// Frames of 1500 bytes at 54 and 36 Mbit/s, and 250 us of each access besides, so 472 and 583 us.
// The bytes are proportional to the share over this time; accesses as above.
TEST_F(WifiUplinkTest, SharesAreOfTimeNotOfBytes)
{
    Build("wifi-infra,standard=a", {5, 70});
    Run({0.25, 0.75}, 3);
    const double near = 0.25 / 472;
    const double far = 0.75 / 583;
    EXPECT_NEAR(GetPart(1) / (near / (near + far)), 1, 0.15);
}

// Frames of 100 bytes have no RTS, and the least power is that of the slowest rate.
TEST_F(WifiUplinkTest, ASmallFrameWithLessPowerArrivesAtOnce)
{
    NetworkSetup setup;
    setup.server = 0;
    setup.positions = {{30, 30}, {40, 30}};
    m_network = Make("wifi-infra", Star(2, 0), setup);
    UdpMesh mesh(*m_network);
    mesh.Burst(1, m_network->GetAddress(1, 0), 1, 100);
    Simulator::Schedule(m_network->GetReadyTime() + Seconds(1), [this] {
        const UplinkMode slowest = m_network->FindUplink(1).modes.front();
        m_network->GrantUplinks({{1, 0, {slowest.rate, 1.25 * slowest.watts}}});
    });
    mesh.Burst(1, m_network->GetAddress(1, 0), 1, 100, Seconds(1.1));
    Simulator::Stop(m_network->GetReadyTime() + Seconds(1.11));
    Simulator::Run();
    EXPECT_EQ(mesh.arrivals.size(), 2U);
}

/** Fastest frames of a station since the last call. */
double g_fastest = 0;

void
HandlePsdu(WifiConstPsduMap /* psdus */, WifiTxVector vector, double /* watts */)
{
    g_fastest = std::max(g_fastest, static_cast<double>(vector.GetMode().GetDataRate(vector)));
}

// With a fifth of a decibel more than the power of a mode the radio takes its rate, and with as
// much less a slower one. Powers follow the path loss of 30 dB per decade. With two streams a radio
// of ns-3 may take faster rates, as its estimate depends on the streams of the frame before.
TEST_F(WifiUplinkTest, PowersAreThoseWithWhichRadiosTakeTheRates)
{
    Build("wifi-infra", {10, 20}, "2Mbps");
    std::vector<double> rates;
    GetRadio(2)->GetPhy()->TraceConnectWithoutContext("PhyTxPsduBegin", MakeCallback(&HandlePsdu));
    const Time ready = m_network->GetReadyTime();
    const double factor = std::pow(10, 0.02);
    std::vector<UplinkMode> modes;
    Simulator::Schedule(ready, [&] {
        modes = m_network->FindUplink(2).modes;
        const auto closer = m_network->FindUplink(1).modes;
        ASSERT_GE(modes.size(), 4U); // and the last one with all power
        EXPECT_NEAR(modes.back().watts, std::pow(10, 2.3 - 3), 1e-6);
        EXPECT_EQ(modes.back().rate, modes[modes.size() - 2].rate);
        const UplinkMode fast = modes[modes.size() - 2];
        const UplinkMode same = closer[closer.size() - 2];
        EXPECT_EQ(fast.rate, same.rate);
        EXPECT_NEAR(fast.watts / same.watts, 8, 1e-6); // (20 / 10)^3
        for (size_t k = 0; k < modes.size() - 1; ++k)
        {
            for (const double change : {factor, 1 / factor})
            {
                const size_t slot = rates.size();
                rates.push_back(0);
                // Repetitions at the former rate take a tenth of a second.
                Simulator::Schedule(Seconds(slot), [this, mode = modes[k], change] {
                    m_network->GrantUplinks({{2, 0, {mode.rate, mode.watts * change}}});
                });
                Simulator::Schedule(Seconds(slot + 0.5), [] { g_fastest = 0; });
                Simulator::Schedule(Seconds(slot + 0.999),
                                    [&rates, slot] { rates[slot] = g_fastest; });
            }
        }
    });
    Simulator::Stop(ready + Seconds(16));
    Simulator::Run();
    for (size_t k = 0; k + 1 < modes.size(); ++k)
    {
        const double above = rates[2 * k];
        const double below = rates[2 * k + 1];
        EXPECT_LT(below, above) << k;
        // The frame has 6,200 bytes, and an access 250 us besides.
        EXPECT_NEAR(1 / modes[k].rate, 1 / above + 250e-6 / (8 * 6200), 1e-12) << k;
    }
}

} // namespace
} // namespace ns3::dlearn
