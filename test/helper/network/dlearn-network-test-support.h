/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_TEST_SUPPORT_H
#define DLEARN_NETWORK_TEST_SUPPORT_H

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-test-graphs.h"
#include "support/dlearn-test-networks.h"

#include "ns3/config.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-network.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{

/** Plain UDP sockets on every learner; a datagram begins with the number of its sender. */
class UdpMesh
{
  public:
    using Arrival = std::tuple<int64_t, LearnerId, LearnerId>; // time step, from, to

    explicit UdpMesh(Network& network, bool ipv6 = false)
        : m_network(network)
    {
        for (LearnerId id = 0; id < network.GetNodes().GetN(); ++id)
        {
            Ptr<Socket> socket =
                Socket::CreateSocket(network.GetNodes().Get(id), UdpSocketFactory::GetTypeId());
            socket->Bind(Endpoint::AtAny(ipv6, PORT).ToSocketAddress());
            socket->SetAllowBroadcast(true);
            socket->SetRecvCallback(Callback<void, Ptr<Socket>>([this, id](Ptr<Socket> from) {
                while (Ptr<Packet> packet = from->Recv())
                {
                    LearnerId sender;
                    packet->CopyData(reinterpret_cast<uint8_t*>(&sender), sizeof(sender));
                    arrivals.emplace_back(Simulator::Now().GetTimeStep(), sender, id);
                    ++received[{sender, id}];
                }
            }));
            m_sockets.push_back(socket);
        }
    }

    /** Sockets live as long as their nodes; give the ports back. */
    ~UdpMesh()
    {
        for (const Ptr<Socket>& socket : m_sockets)
        {
            socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
            socket->Close();
        }
    }

    UdpMesh(const UdpMesh&) = delete;
    UdpMesh& operator=(const UdpMesh&) = delete;

    /** Send @p count datagrams in one event, some time after the network is ready. */
    void Burst(LearnerId from,
               const Address& to,
               uint32_t count,
               uint32_t bytes = 1400,
               Time after = Time(0))
    {
        const auto send = [this, from, to, count, bytes]() {
            std::vector<uint8_t> data(bytes);
            std::memcpy(data.data(), &from, sizeof(from));
            const Address place = Endpoint::Find(to, PORT)->ToSocketAddress();
            for (uint32_t k = 0; k < count; ++k)
            {
                m_sockets[from]->SendTo(Create<Packet>(data.data(), bytes), 0, place);
            }
        };
        Simulator::ScheduleWithContext(m_network.GetNodes().Get(from)->GetId(),
                                       m_network.GetReadyTime() + after,
                                       send);
    }

    /** A burst from every learner to each of its neighbours. */
    void BurstToNeighbors(const Graph& graph, uint32_t count)
    {
        for (const auto& [a, b] : graph.GetPairs())
        {
            Burst(a, m_network.GetIpAddress(a, b), count);
            Burst(b, m_network.GetIpAddress(b, a), count);
        }
    }

    /** One datagram from each learner to each other, one after the other; @return when it ends. */
    Time SendFromAllToAll(uint32_t bytes, Time gap)
    {
        Time when;
        const uint32_t learners = m_network.GetNodes().GetN();
        for (LearnerId from = 0; from < learners; ++from)
        {
            for (LearnerId to = 0; to < learners; ++to)
            {
                if (from != to)
                {
                    Burst(from, m_network.GetAddress(from, to), 1, bytes, when);
                    when += gap;
                }
            }
        }
        return m_network.GetReadyTime() + when;
    }

    /** @return when the last datagram of @p from came to @p to */
    Time GetLastArrival(LearnerId from, LearnerId to) const
    {
        Time last(-1);
        for (const auto& [time, sender, receiver] : arrivals)
        {
            last = sender == from && receiver == to ? TimeStep(time) : last;
        }
        return last;
    }

    std::vector<Arrival> arrivals;
    std::map<std::pair<LearnerId, LearnerId>, uint32_t> received; // by (from, to)

  private:
    static constexpr uint16_t PORT = 9;
    Network& m_network;
    std::vector<Ptr<Socket>> m_sockets;
};

/** Values of attributes that have commas or colons, by name. */
using Attributes = std::map<std::string, std::string>;

/** A network that is built and has its streams. */
inline Ptr<Network>
Make(const std::string& text,
     const Graph& graph,
     const NetworkSetup& setup = {},
     const Attributes& attributes = {})
{
    auto network = CreateNetwork(text);
    for (const auto& [name, value] : attributes)
    {
        network->SetAttribute(name, StringValue(value));
    }
    network->Build(graph, setup);
    network->AssignStreams(100);
    return network;
}

/** Run for so long from now. */
inline void
Simulate(double seconds)
{
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
}

/** Building a network must be refused with a message. */
inline void
ExpectBuildRefused(const std::string& text,
                   const Graph& graph,
                   const NetworkSetup& setup,
                   const std::string& message,
                   const Attributes& attributes = {})
{
    ExpectRefused([&] { Make(text, graph, setup, attributes); }, message);
    Simulator::Destroy();
}

/** A separate simulation for each test, with the defaults of ns-3. */
class NetworkTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
    }

    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_TEST_SUPPORT_H
