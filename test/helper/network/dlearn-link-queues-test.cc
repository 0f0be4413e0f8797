/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-link-options.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

namespace ns3::dlearn
{
namespace
{

/** A network of two learners with queues of a user's choice. */
class QueuedPair
{
  public:
    QueuedPair(const std::string& name, const std::string& disc, const std::string& size)
        : m_network(CreateNetwork(name))
    {
        NetworkOptions options;
        options.ignoreUseless = true;
        options.queues = LinkQueues::Parse(disc, size);
        options.rate = DataRate("1Mbps");
        m_network->Build(Complete(2), options);
        m_network->AssignStreams(1);
    }

    ~QueuedPair() { Simulator::Destroy(); }

    QueuedPair(const QueuedPair&) = delete;
    QueuedPair& operator=(const QueuedPair&) = delete;

    Network& GetNetwork() { return *m_network; }

    Ptr<NetDevice> GetDevice() const { return m_network->GetNodes().Get(0)->GetDevice(1); }

    /** @return the root queue disc of a learner; null for none */
    Ptr<QueueDisc> GetDisc() const
    {
        return GetDevice()->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(
            GetDevice());
    }

  private:
    std::unique_ptr<Network> m_network;
};

TEST(LinkQueues, RefusesWhatNs3CanNotRead)
{
    for (const std::string size :
         {"0p", "-1p", "10", "p", "10x", "99999999999p", "5000000kB", "unlimited "})
    {
        ExpectRefused([&] { LinkQueues::Parse("fifo", size); },
                      "queue-size must be a number of packets (100p) or bytes (64kB) of at least "
                      "1, or unlimited, got '" +
                          size + "'");
    }
    for (const std::string disc : {"fair", "mq", "prio"})
    {
        ExpectRefused([&] { LinkQueues::Parse(disc, ""); },
                      "queue-disc must be one of cobalt, codel, fifo, fq-cobalt, fq-codel, fq-pie, "
                      "pfifo-fast, pie, red, tbf; got '" +
                          disc + "'");
    }
}

TEST(LinkQueues, AreThoseOfNs3UnlessAskedFor)
{
    const QueuedPair pair("p2p", "fq-codel", "");
    ASSERT_TRUE(pair.GetDisc());
    EXPECT_EQ(pair.GetDisc()->GetInstanceTypeId().GetName(), "ns3::FqCoDelQueueDisc");
    EXPECT_EQ(pair.GetDisc()->GetMaxSize(), QueueSize("10240p"));
    const auto device = DynamicCast<PointToPointNetDevice>(pair.GetDevice());
    EXPECT_EQ(device->GetQueue()->GetMaxSize(), QueueSize("100p"));
    EXPECT_FALSE(NetworkOptions().queues.disc.has_value());
    EXPECT_FALSE(NetworkOptions().queues.size);
}

TEST(LinkQueues, EveryDiscOfTheListWorks)
{
    for (const std::string& name : GetComponentNames(GetQueueDiscFamily()))
    {
        QueuedPair pair("p2p", name, "1000p");
        ASSERT_TRUE(pair.GetDisc()) << name;
        EXPECT_EQ(pair.GetDisc()->GetMaxSize(), QueueSize("1000p")) << name;
        UdpMesh mesh(pair.GetNetwork());
        mesh.Burst(0, pair.GetNetwork().GetAddress(0, 1), 50);
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        EXPECT_EQ((mesh.received[{0, 1}]), 50U) << name; // the device alone holds 100
    }
}

// The device keeps 100 packets and stops the disc, which has a place for 20; one is on the link.
TEST(LinkQueues, ADiscIsAsLongAsAskedFor)
{
    for (const auto& [disc, size, expected] :
         {std::make_tuple("fifo", "20p", 1 + 100 + 20),
          std::make_tuple("none", "20p", 1 + 20),
          std::make_tuple("none", "", 1 + 100),
          std::make_tuple("none", "28600B", 1 + 20), // of 1400 + 30 bytes of headers
          std::make_tuple("none", "unlimited", 400),
          std::make_tuple("fifo", "unlimited", 400)})
    {
        QueuedPair pair("p2p", disc, size);
        UdpMesh mesh(pair.GetNetwork());
        mesh.Burst(0, pair.GetNetwork().GetAddress(0, 1), 400);
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        EXPECT_EQ((mesh.received[{0, 1}]), static_cast<uint32_t>(expected)) << disc << " " << size;
    }
}

TEST(LinkQueues, WifiHasADiscForEachCategory)
{
    const QueuedPair with("wifi-adhoc", "pie", "50p");
    ASSERT_TRUE(with.GetDisc());
    ASSERT_EQ(with.GetDisc()->GetNQueueDiscClasses(), 4U);
    for (size_t k = 0; k < 4; ++k)
    {
        const auto child = with.GetDisc()->GetQueueDiscClass(k)->GetQueueDisc();
        EXPECT_EQ(child->GetInstanceTypeId().GetName(), "ns3::PieQueueDisc");
        EXPECT_EQ(child->GetMaxSize(), QueueSize("50p"));
    }
    const QueuedPair without("wifi-adhoc", "none", "50p");
    EXPECT_FALSE(without.GetDisc());
    const auto mac = DynamicCast<WifiNetDevice>(without.GetDevice())->GetMac();
    EXPECT_EQ(mac->GetTxopQueue(AC_BE)->GetMaxSize(), QueueSize("50p"));
}

} // namespace
} // namespace ns3::dlearn
