/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-network.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/mac48-address.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::Complete;
using test::Exact;
using test::ExchangeNet;
using test::MakeFragment;
using test::Pair;
using test::Recorder;

const MessageSource FROM_0{0, ModelChannel::STATE};

TEST(MessageExchange, VectorsOfAnySizeCrossBothWaysExactly)
{
    // 360 numbers of 4 bytes fill a datagram; 431,080 is a small neural network.
    for (const uint32_t size : {1U, 2U, 359U, 360U, 361U, 431080U})
    {
        for (const uint32_t bits : {16U, 32U, 64U})
        {
            const bool ideal = (size + bits) % 3 != 0; // both networks see many kinds
            ExchangeNet net(ideal ? "ideal" : "p2p",
                            Pair(),
                            size,
                            "ns3::dlearn::UdpTransport",
                            bits);
            net.Open();
            const ModelVector up = Exact(size) / 3; // not exact in 16 or 32 bits
            const ModelVector down = Exact(size, -7) / 3;
            net.SendAt(Seconds(1), 0, {1}, 4, up);
            net.SendAt(Seconds(1), 1, {0}, 4, down);
            Simulator::Run();
            const auto wire = [bits](ModelVector v) -> ModelVector {
                const auto encoding = bits == 16   ? Encoding::FLOAT16
                                      : bits == 32 ? Encoding::FLOAT32
                                                   : Encoding::FLOAT64;
                Bytes bytes(v.size() * bits / 8);
                EncodeVector(v, encoding, bytes.data());
                DecodeVector(bytes.data(), encoding, v);
                return v;
            };
            ASSERT_EQ(net.recorders[1].entries.size(), 1U) << size;
            ASSERT_EQ(net.recorders[0].entries.size(), 1U) << size;
            EXPECT_EQ(net.recorders[1].GetVectors().at(0), wire(up));
            EXPECT_EQ(net.recorders[0].GetVectors().at(0), wire(down));
            EXPECT_TRUE(net.recorders[1].entries[0].arrival->IsComplete());
            EXPECT_EQ(net.recorders[1].entries[0].arrival->round, 4U);
            // Bytes: the numbers, and 32 of header for every 1440 begun.
            const uint64_t payload = uint64_t{size} * bits / 8;
            const uint64_t bytes = payload + 32 * ((payload + 1439) / 1440);
            EXPECT_EQ(net.exchanges[0]->GetTransport()->GetTxBytes(), bytes);
            EXPECT_EQ(net.exchanges[1]->GetTransport()->GetRxBytes(), bytes);
            EXPECT_EQ(net.exchanges[1]->GetCounters().malformed, 0U);
        }
    }
}

/** Adds a second address to the interface over which a node sends. */
void
AddAddress(Ptr<Node> node, const char* address)
{
    const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    ipv4->AddAddress(1, Ipv4InterfaceAddress(Ipv4Address(address), Ipv4Mask("255.255.255.0")));
}

// A peer is known by one address of its node, and sends from another.
TEST(MessageExchange, AnyAddressOfANodeIsItsLearners)
{
    for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
    {
        const auto network = CreateNetwork("p2p");
        network->Build(Pair(), {});
        AddAddress(network->GetNodes().Get(1), "10.9.9.1");
        test::InitializeNodes(*network);
        std::vector<Recorder> recorders(2);
        std::vector<Ptr<MessageExchange>> exchanges;
        for (const LearnerId id : {0, 1})
        {
            const auto exchange = CreateObject<MessageExchange>();
            exchange->SetAttribute("Transport", TypeIdValue(TypeId::LookupByName(transport)));
            const Address peer =
                id == 0 ? Address(Ipv4Address("10.9.9.1")) : Address(network->GetAddress(1, 0));
            exchange->Setup(network->GetNodes().Get(id), id, {{1 - id, peer}}, 2);
            exchange->SetSink(MakeCallback(&Recorder::Classify, &recorders[id]),
                              MakeCallback(&Recorder::Offer, &recorders[id]));
            exchange->Open();
            exchanges.push_back(exchange);
        }
        Simulator::Schedule(Seconds(1), [&] {
            exchanges[1]->Send(0, {ModelChannel::STATE, {0}, Exact(2, 1)});
        });
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        EXPECT_EQ(recorders[0].GetVectors(), std::vector<ModelVector>{Exact(2, 1)}) << transport;
        for (const auto& exchange : exchanges)
        {
            exchange->Dispose();
        }
        Simulator::Destroy();
    }
}

/**
 * Learners 1 and 2 share the node of learner 1, with ports of their own; learner 3 is at a node of
 * its own, with one of these ports.
 */
class SharedNode : public testing::TestWithParam<const char*>
{
  protected:
    static constexpr uint16_t PORTS[] = {4660, 4660, 5000, 5000}; //!< by learner

    void SetUp() override
    {
        Graph star(3); // of the nodes
        star.AddEdge(0, 1);
        star.AddEdge(0, 2);
        m_network = CreateNetwork("p2p");
        m_network->Build(star, {});
        test::InitializeNodes(*m_network);
        for (LearnerId id = 0; id < 4; ++id)
        {
            const auto exchange = CreateObject<MessageExchange>();
            Config::SetDefault("ns3::dlearn::UdpTransport::Port", UintegerValue(PORTS[id]));
            Config::SetDefault("ns3::dlearn::TcpTransport::Port", UintegerValue(PORTS[id]));
            exchange->SetAttribute("Transport", TypeIdValue(TypeId::LookupByName(GetParam())));
            exchange->Setup(m_network->GetNodes().Get(NODES[id]), id, GetPeers(id), 2);
            exchange->SetSink(MakeCallback(&Recorder::Classify, &recorders[id]),
                              MakeCallback(&Recorder::Offer, &recorders[id]));
            exchange->Open();
            exchanges.push_back(exchange);
        }
    }

    void TearDown() override
    {
        for (const auto& exchange : exchanges)
        {
            exchange->Dispose();
        }
        Simulator::Destroy();
        Config::Reset();
    }

    /** @return the others for learner 0, and learner 0 for the others */
    Transport::Peers GetPeers(LearnerId id) const
    {
        Transport::Peers peers;
        for (LearnerId peer = id == 0 ? 1 : 0; peer < (id == 0 ? 4U : 1U); ++peer)
        {
            peers[peer] =
                InetSocketAddress(m_network->GetAddress(NODES[id], NODES[peer]), PORTS[peer]);
        }
        return peers;
    }

    static constexpr LearnerId NODES[] = {0, 1, 1, 2}; //!< by learner

    Ptr<Network> m_network;
    std::vector<Recorder> recorders{4};
    std::vector<Ptr<MessageExchange>> exchanges;
};

constexpr uint16_t SharedNode::PORTS[];
constexpr LearnerId SharedNode::NODES[];

INSTANTIATE_TEST_SUITE_P(Transports,
                         SharedNode,
                         testing::Values("ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"));

TEST_P(SharedNode, LearnersAreToldApartByPort)
{
    Simulator::Schedule(Seconds(1), [this] {
        for (const LearnerId id : {1, 2, 3})
        {
            exchanges[id]->Send(0, {ModelChannel::STATE, {0}, Exact(2, id)});
            exchanges[0]->Send(id, {ModelChannel::STATE, {id}, Exact(2, 10 + id)});
        }
        // Learner 3 has the port of learner 2, but not its address.
        exchanges[3]->SendBytes(0, {0}, MakeFragment(2, 1, Exact(2, 9)));
        exchanges[2]->SendBytes(0, {0}, MakeFragment(1, 1, Exact(2, 9)));
    });
    Simulator::Stop(Seconds(3));
    Simulator::Run();
    ASSERT_EQ(recorders[0].entries.size(), 3U);
    for (const auto& entry : recorders[0].entries)
    {
        EXPECT_EQ(entry.arrival->values, Exact(2, entry.source.first));
    }
    EXPECT_EQ(exchanges[0]->GetCounters().wrongSender, 2U);
    for (const LearnerId id : {1, 2, 3})
    {
        EXPECT_EQ(recorders[id].GetVectors(), std::vector<ModelVector>{Exact(2, 10 + id)}) << id;
    }
}

TEST(MessageExchange, RefusesAddressesThatAreNotUnique)
{
    const auto setUp = [](const Transport::Peers& peers) {
        CreateObject<MessageExchange>()->Setup(CreateObject<Node>(), 0, peers, 1);
    };
    const Ipv4Address address("10.0.0.1");
    ExpectRefused(
        [&] {
            setUp({{1, address}, {2, address}});
        },
        "Transport: peers 1 and 2 must not share the address 10.0.0.1 and the port 4660");
    ExpectRefused(
        [&] {
            setUp({{1, address}, {2, InetSocketAddress(address, 4660)}});
        },
        "Transport: peers 1 and 2 must not share the address 10.0.0.1 and the port 4660");
    ExpectRefused(
        [&] {
            setUp({{7, Mac48Address("00:00:00:00:00:01")}});
        },
        "Transport: address of peer 7 must be an IP address or a socket address of UDP or TCP, "
        "got");
    ExpectRefused(
        [&] {
            setUp({{1, address}, {7, Ipv6Address("2001:db8::1")}});
        },
        "Transport: the addresses of all peers of learner 0 must be of the same version of IP, got "
        "10.0.0.1 and 2001:db8::1");
    EXPECT_NO_THROW(setUp({{7, Ipv6Address("2001:db8::1")}}));
    EXPECT_NO_THROW(setUp({{1, address}, {2, InetSocketAddress(address, 4661)}}));
}

TEST(MessageExchange, SendsToNeighboursOnly)
{
    for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
    {
        ExchangeNet net("ideal", Pair(), 2, transport);
        net.Open();
        ExpectRefused([&] { net.exchanges[0]->SendBytes(0, {5}, {1}); },
                      "Transport: learner 0 can send to its neighbours only, got 5");
        ExpectRefused(
            [&] {
                net.exchanges[0]->Send(0, {ModelChannel::STATE, {5}, Exact(2)});
            },
            "Transport: learner 0 can send to its neighbours only, got 5");
    }
}

TEST(MessageExchange, PartsCanBeTakenOnceAndMustBeFinite)
{
    const uint32_t dimension = 10;
    ExchangeNet net("ideal", Pair(), dimension);
    net.Open();
    const auto part = [](uint32_t round, double value) {
        const Bytes whole = MakeFragment(0, round, ModelVector::Constant(dimension, value));
        ModelHeader header;
        header.Read(whole.data());
        header.fragmentOffset = 8;
        header.payloadLength = 12;
        return test::Seal(header, Bytes(whole.begin() + 40, whole.begin() + 52));
    };
    net.InjectAt(Seconds(1), 0, 1, {part(3, 2.5), part(4, std::nan("")), part(5, 1.0)});
    Simulator::Run();
    EXPECT_TRUE(net.recorders[1].entries.empty());
    const auto arrival = net.exchanges[1]->TakePartial(FROM_0, 3);
    ASSERT_TRUE(arrival.has_value());
    for (uint32_t k = 0; k < dimension; ++k)
    {
        EXPECT_EQ(arrival->present[k], k >= 2 && k < 5);
        EXPECT_EQ(arrival->values[k], k >= 2 && k < 5 ? 2.5 : 0.0);
    }
    EXPECT_FALSE(net.exchanges[1]->TakePartial(FROM_0, 3).has_value());
    EXPECT_FALSE(net.exchanges[1]->TakePartial(FROM_0, 4).has_value()); // NaN
    EXPECT_EQ(net.exchanges[1]->GetCounters().notFinite, 1U);
    net.exchanges[1]->Close(); // forgets round 5
    EXPECT_FALSE(net.exchanges[1]->TakePartial(FROM_0, 5).has_value());
}

/** Counts the IP packets with payload that a node sends. */
struct PacketCounter
{
    uint32_t full{0}; //!< datagrams, and segments of TCP that are not empty

    void Count(const Ipv4Header& ip, Ptr<const Packet> packet, uint32_t)
    {
        TcpHeader tcp;
        const bool empty = ip.GetProtocol() == TcpL4Protocol::PROT_NUMBER &&
                           packet->PeekHeader(tcp) == packet->GetSize();
        full += empty ? 0 : 1;
    }
};

// What is told before is what is then sent: bytes of the fragments, and packets on the link.
TEST(MessageExchange, KnowsTheSizeOfItsMessages)
{
    for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
    {
        for (const uint32_t size : {1U, 359U, 360U, 361U, 5000U})
        {
            ExchangeNet net("p2p", Pair(), size, transport);
            const auto told = net.exchanges[0]->GetMessageSize(ModelChannel::STATE);
            net.Open();
            PacketCounter counter;
            net.network->GetNodes().Get(0)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
                "SendOutgoing",
                MakeCallback(&PacketCounter::Count, &counter));
            net.SendAt(Seconds(1), 0, {1}, 4, Exact(size));
            Simulator::Stop(Seconds(20));
            Simulator::Run();
            EXPECT_EQ(told.bytes, net.exchanges[0]->GetTransport()->GetTxBytes()) << size;
            EXPECT_EQ(told.packets, counter.full) << transport << " " << size;
            EXPECT_EQ(net.exchanges[0]->GetMessageSize(ModelChannel::STATE).bytes, told.bytes);
        }
    }
}

} // namespace
} // namespace ns3::dlearn
