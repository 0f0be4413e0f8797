/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-round-policy.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/mac48-address.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"

#include <cmath>
#include <limits>

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
using Disposition = RoundWindow::Disposition;

const RoundWindow::Source FROM_0{0, ModelChannel::STATE};

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

TEST(MessageExchange, ChannelsAndRoundsAreMessagesOfTheirOwn)
{
    ExchangeNet net("ideal", Complete(3), 2);
    net.Open();
    Simulator::Schedule(Seconds(1), [&net] {
        net.exchanges[0]->Send(3, {ModelChannel::STATE, {1, 2}, Exact(2, 1)});
        net.exchanges[0]->Send(3, {ModelChannel::TRACKER, {1, 2}, Exact(2, 2)});
        net.exchanges[0]->Send(4, {ModelChannel::STATE, {1}, Exact(2, 3)});
    });
    Simulator::Run();
    EXPECT_EQ(net.recorders[2].GetVectors(), (std::vector<ModelVector>{Exact(2, 1), Exact(2, 2)}));
    EXPECT_EQ(net.recorders[1].GetVectors(),
              (std::vector<ModelVector>{Exact(2, 1), Exact(2, 2), Exact(2, 3)}));
    EXPECT_EQ(net.recorders[1].entries[1].source.second, ModelChannel::TRACKER);
    EXPECT_EQ(net.recorders[1].entries[2].round, 4U);
}

/** What one bad datagram should do to the counters, and what the sink hears of it. */
struct Attack
{
    const char* name;
    Bytes datagram;
    uint64_t MessageExchange::Counters::*counter;
    uint32_t offers; //!< messages "came, but not usable"
};

std::vector<Attack>
MakeAttacks(uint32_t dimension)
{
    using Counters = MessageExchange::Counters;
    const Bytes good = MakeFragment(0, 50, Exact(dimension));
    std::vector<Attack> attacks;
    Bytes bytes = good;
    bytes.pop_back();
    attacks.push_back({"truncated payload", bytes, &Counters::malformed, 0});
    bytes.resize(10);
    attacks.push_back({"truncated header", bytes, &Counters::malformed, 0});
    attacks.push_back({"one byte", {1}, &Counters::malformed, 0});
    bytes = good;
    bytes.back() ^= 1;
    attacks.push_back({"corrupted payload", bytes, &Counters::malformed, 0});
    bytes = good;
    bytes[7] ^= 1;
    attacks.push_back({"corrupted round", bytes, &Counters::malformed, 0});
    bytes = good;
    bytes[0] = 2;
    ModelHeader header;
    header.Read(bytes.data());
    attacks.push_back({"version 2, sealed",
                       test::Seal(header, Bytes(good.begin() + ModelHeader::SIZE, good.end())),
                       &Counters::malformed,
                       0});
    attacks.push_back(
        {"the id of no learner", MakeFragment(9, 50, Exact(dimension)), &Counters::wrongSender, 0});
    attacks.push_back(
        {"the victim's own id", MakeFragment(1, 50, Exact(dimension)), &Counters::wrongSender, 0});
    attacks.push_back({"another neighbour's id",
                       MakeFragment(2, 50, Exact(dimension)),
                       &Counters::wrongSender,
                       0});
    attacks.push_back(
        {"too many numbers", MakeFragment(0, 51, Exact(dimension + 1)), &Counters::wrongLength, 1});
    attacks.push_back(
        {"too few numbers", MakeFragment(0, 52, Exact(dimension - 1)), &Counters::wrongLength, 1});
    header = ModelHeader();
    header.round = 53;
    header.vectorLength = 0x3fffffff; // 4 GiB if anybody believed it
    header.messageLength = 0xfffffffc;
    header.fragmentOffset = 0xfffffff8;
    header.payloadLength = 4;
    attacks.push_back({"huge", test::Seal(header, Bytes(4, 1)), &Counters::wrongLength, 1});
    ModelVector poison = Exact(dimension);
    poison[dimension / 2] = std::nan("");
    attacks.push_back({"NaN", MakeFragment(0, 54, poison), &Counters::notFinite, 1});
    poison[dimension / 2] = -std::numeric_limits<double>::infinity();
    attacks.push_back({"infinity", MakeFragment(0, 55, poison), &Counters::notFinite, 1});
    poison[dimension / 2] = 1e200; // whose square is not finite
    attacks.push_back({"too large", MakeFragment(0, 59, poison), &Counters::notFinite, 1});
    const auto packed = [&](Encoding encoding, uint32_t round, const Bytes& payload) {
        header = ModelHeader();
        header.encoding = encoding;
        header.round = round;
        header.vectorLength = dimension;
        header.payloadLength = header.messageLength = payload.size();
        return test::Seal(header, payload);
    };
    attacks.push_back({"index out of range",
                       packed(Encoding::SPARSE32, 56, {0, 0, 0, 5, 0, 0, 0, 0}),
                       &Counters::undecodable,
                       1});
    attacks.push_back({"indices descend",
                       packed(Encoding::SPARSE16, 57, {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}),
                       &Counters::undecodable,
                       1});
    attacks.push_back({"NaN for a norm",
                       packed(Encoding::QSGD, 58, {0x7f, 0xc0, 0, 0, 0, 0, 0, 1, 0, 0}),
                       &Counters::undecodable,
                       1});
    attacks.push_back({"more levels than there is room for",
                       packed(Encoding::QSGD, 59, {0x3f, 0x80, 0, 0, 0, 0, 0, 7, 0, 0}),
                       &Counters::undecodable,
                       1});
    attacks.push_back({"longer than any such vector",
                       packed(Encoding::QSGD, 60, Bytes(24)),
                       &Counters::malformed,
                       0});
    attacks.push_back({"infinite entry",
                       packed(Encoding::SPARSE32, 61, {0, 0, 0, 4, 0x7f, 0x80, 0, 0}),
                       &Counters::notFinite,
                       1});
    return attacks;
}

TEST(MessageExchange, BadDatagramsAreCountedAndRealOnesStillCome)
{
    const uint32_t dimension = 5;
    for (const Attack& attack : MakeAttacks(dimension))
    {
        ExchangeNet net("ideal", Complete(3), dimension);
        net.Open();
        net.SendAt(Seconds(1), 0, {1}, 0, Exact(dimension, 1));
        net.InjectAt(Seconds(2), 0, 1, {attack.datagram});
        net.SendAt(Seconds(3), 0, {1}, 1, Exact(dimension, 2));
        Simulator::Run();
        const auto counters = net.exchanges[1]->GetCounters();
        EXPECT_EQ(counters.*attack.counter, 1U) << attack.name;
        EXPECT_EQ(counters.malformed + counters.unknownSender + counters.wrongSender +
                      counters.contradictory + counters.unwanted + counters.wrongLength +
                      counters.undecodable + counters.notFinite,
                  1U)
            << attack.name;
        EXPECT_EQ(net.recorders[1].entries.size(), 2 + attack.offers) << attack.name;
        EXPECT_EQ(net.recorders[1].GetVectors(),
                  (std::vector<ModelVector>{Exact(dimension, 1), Exact(dimension, 2)}))
            << attack.name;
    }
}

// Only messages from learner 0's node and port count as its own: not those of another neighbour,
// over either transport, nor those of another program on its node.
TEST(MessageExchange, WhoSpeaksUnderAnotherNameIsNotHeard)
{
    for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
    {
        for (const char* network : {"p2p", "csma"})
        {
            ExchangeNet net(network, Complete(3), 2, transport);
            net.Open();
            net.InjectAt(Seconds(1), 2, 1, {MakeFragment(0, 0, Exact(2, 9))});
            net.InjectAsStrangerAt(Seconds(1), 0, 1, {MakeFragment(0, 0, Exact(2, 9))});
            net.SendAt(Seconds(2), 0, {1}, 0, Exact(2, 1));
            Simulator::Stop(Seconds(4));
            Simulator::Run();
            EXPECT_EQ(net.recorders[1].GetVectors(), std::vector<ModelVector>{Exact(2, 1)});
            EXPECT_EQ(net.recorders[1].entries.size(), 1U);
            const auto counters = net.exchanges[1]->GetCounters();
            EXPECT_EQ(counters.wrongSender, 1U) << transport << " " << network;
            const bool udp = transport == std::string("ns3::dlearn::UdpTransport");
            EXPECT_EQ(counters.unknownSender, udp ? 1U : 0U);
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
        network->Build(Pair(), NetworkOptions());
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
        m_network->Build(star, NetworkOptions());
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

    std::unique_ptr<Network> m_network;
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

TEST(MessageExchange, AFloodOfGarbageDoesNotStopTraffic)
{
    const uint32_t dimension = 500; // two fragments
    const uint32_t flood = 10000;
    ExchangeNet net("ideal", Complete(3), dimension);
    net.Open();
    std::mt19937_64 engine(1);
    std::vector<Bytes> garbage;
    for (uint32_t k = 0; k < flood; ++k)
    {
        Bytes bytes = MakeFragment(0, k, Exact(engine() % 50 + 1));
        bytes[engine() % bytes.size()] ^= 1 + engine() % 255;
        bytes.resize(1 + engine() % bytes.size());
        garbage.push_back(bytes);
    }
    for (uint32_t burst = 0; burst < 10; ++burst)
    {
        const auto begin = garbage.begin() + burst * (flood / 10);
        net.InjectAsStrangerAt(MilliSeconds(1000 + burst), 2, 1, {begin, begin + flood / 10});
        net.SendAt(MilliSeconds(1000 + burst), 0, {1}, burst, Exact(dimension, burst));
    }
    Simulator::Run();
    EXPECT_EQ(net.exchanges[1]->GetCounters().malformed, flood);
    ASSERT_EQ(net.recorders[1].entries.size(), 10U);
    for (uint32_t burst = 0; burst < 10; ++burst)
    {
        EXPECT_EQ(net.recorders[1].GetVectors()[burst], Exact(dimension, burst));
    }
}

TEST(MessageExchange, ContradictionsAndRepetitionsAreCounted)
{
    const uint32_t dimension = 400;
    ExchangeNet net("ideal", Complete(3), dimension);
    net.Open();
    ModelHeader header; // of the message that learner 0 will send, but in 64 bits
    header.encoding = Encoding::FLOAT64;
    header.round = 7;
    header.vectorLength = dimension;
    header.messageLength = 8 * dimension;
    header.payloadLength = 8;
    // Learner 0 sends one fragment of round 7 (its second is lost), then the forgery comes.
    Bytes first = MakeFragment(0, 7, Exact(dimension));
    ModelHeader half;
    half.Read(first.data());
    half.payloadLength = 800;
    const Bytes part(first.begin() + ModelHeader::SIZE, first.begin() + ModelHeader::SIZE + 800);
    net.InjectAt(Seconds(1), 0, 1, {test::Seal(half, part), test::Seal(half, part)});
    net.InjectAt(Seconds(2), 0, 1, {test::Seal(header, Bytes(8, 0))});
    net.SendAt(Seconds(3), 0, {1}, 7, Exact(dimension));
    net.SendAt(Seconds(4), 0, {1}, 7, Exact(dimension)); // all of it again
    Simulator::Run();
    EXPECT_EQ(net.exchanges[1]->GetCounters().contradictory, 1U);
    EXPECT_EQ(net.exchanges[1]->GetCounters().unwanted, 2U); // fragments
    ASSERT_EQ(net.recorders[1].entries.size(), 2U);          // messages
    EXPECT_EQ(net.recorders[1].entries[0].disposition, Disposition::ON_TIME);
    EXPECT_EQ(net.recorders[1].entries[0].when, Seconds(3));
    EXPECT_EQ(net.recorders[1].entries[0].arrival->values, Exact(dimension));
    EXPECT_EQ(net.recorders[1].entries[1].disposition, Disposition::DUPLICATE);
    EXPECT_FALSE(net.recorders[1].entries[1].arrival.has_value());
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

TEST(MessageExchange, NumbersTooLargeForTheWireAreRefusedByTheReceiver)
{
    ExchangeNet net("ideal", Pair(), 2);
    net.Open();
    net.SendAt(Seconds(1), 0, {1}, 0, ModelVector::Constant(2, 1e39)); // beyond 32-bit floats
    Simulator::Run();
    EXPECT_EQ(net.exchanges[1]->GetCounters().notFinite, 1U);
    EXPECT_TRUE(net.recorders[1].GetVectors().empty());
}

TEST(MessageExchange, UnfinishedMessagesAreLimited)
{
    const uint32_t dimension = 10;
    ExchangeNet net("ideal", Pair(), dimension);
    net.Open();
    std::vector<Bytes> starts;
    for (uint32_t round = 0; round < 100; ++round)
    {
        const Bytes whole = MakeFragment(0, round, Exact(dimension));
        ModelHeader header;
        header.Read(whole.data());
        header.payloadLength = 4;
        starts.push_back(test::Seal(header, Bytes(whole.begin() + 32, whole.begin() + 36)));
    }
    net.InjectAt(Seconds(1), 0, 1, starts);
    Simulator::Run();
    EXPECT_EQ(net.exchanges[1]->GetEvicted(), 92U); // all but the default limit of 8
}

/** Sets a compressor on every message layer of a network. */
std::function<void(MessageExchange&)>
Compress(const std::string& type, const char* attribute, uint32_t value, bool feedback)
{
    return [=](MessageExchange& exchange) {
        const TypeId tid = TypeId::LookupByName("ns3::dlearn::" + type);
        exchange.SetAttribute("Compressor", TypeIdValue(tid));
        exchange.SetAttribute("ErrorFeedback", BooleanValue(feedback));
        exchange.GetCompressor()->SetAttribute(attribute, UintegerValue(value));
        EXPECT_EQ(exchange.AssignStreams(5), type == "TopKCompressor" ? 0 : 1);
    };
}

// Bytes on the wire: 8 + ceil(d b / 8) or K (4 + w), and 32 of header for every fragment
// begun, of 1440 bytes over UDP and 16384 over TCP.
TEST(MessageExchange, CompressedVectorsHaveTheDocumentedSizeAndAreMadeOnce)
{
    struct Case
    {
        std::string type;
        const char* attribute;
        uint32_t value;
        uint32_t dimension;
        uint32_t bits;
        uint64_t bytes;
    };

    const Case cases[] = {{"QsgdCompressor", "Levels", 1, 1, 32, 9},
                          {"QsgdCompressor", "Levels", 7, 2864, 32, 8 + 1432}, // one fragment
                          {"QsgdCompressor", "Levels", 7, 2865, 32, 8 + 1433}, // two
                          {"QsgdCompressor", "Levels", 127, 100000, 64, 8 + 100000},
                          {"TopKCompressor", "K", 1, 1000, 32, 8},
                          {"TopKCompressor", "K", 1000, 100000, 16, 6000},
                          {"RandomKCompressor", "K", 181, 1000, 32, 1448},
                          {"RandomKCompressor", "K", 1000, 1000, 64, 12000}};
    for (const Case& c : cases)
    {
        for (const bool udp : {true, false})
        {
            const std::string transport = udp ? "UdpTransport" : "TcpTransport";
            ExchangeNet net("ideal",
                            Complete(3),
                            c.dimension,
                            "ns3::dlearn::" + transport,
                            c.bits,
                            {},
                            std::nullopt,
                            Compress(c.type, c.attribute, c.value, udp));
            net.Open();
            const ModelVector values = Exact(c.dimension, -3.25);
            net.SendAt(Seconds(1), 0, {1, 2}, 4, values);
            Simulator::Stop(Seconds(3));
            Simulator::Run();
            const uint64_t fragment = udp ? 1440 : 16384;
            const uint64_t bytes = c.bytes + 32 * ((c.bytes + fragment - 1) / fragment);
            EXPECT_EQ(net.exchanges[0]->GetTransport()->GetTxBytes(), 2 * bytes) << c.type;
            EXPECT_EQ(net.exchanges[1]->GetTransport()->GetRxBytes(), bytes);
            const auto received = net.recorders[1].GetVectors();
            ASSERT_EQ(received.size(), 1U) << c.type;
            EXPECT_EQ(received, net.recorders[2].GetVectors()) << c.type;
            EXPECT_LT((received[0] - values).norm(), 4 * std::sqrt(c.dimension) * values.norm());
            EXPECT_EQ(net.exchanges[1]->GetCounters().malformed, 0U);
        }
    }
}

// By hand: the largest of (3, 2, 1) + residual, on a channel that has its own.
TEST(MessageExchange, ErrorFeedbackSendsLaterWhatItLeftOut)
{
    ExchangeNet net("ideal",
                    Pair(),
                    3,
                    "ns3::dlearn::UdpTransport",
                    32,
                    {},
                    std::nullopt,
                    Compress("TopKCompressor", "K", 1, true));
    net.Open();
    const ModelVector values = (ModelVector(3) << 3, 2, 1).finished();
    for (uint32_t round = 0; round < 4; ++round)
    {
        net.SendAt(Seconds(round + 1), 0, {1}, round, values);
    }
    Simulator::Schedule(Seconds(9), [&net] {
        net.exchanges[0]->Send(9, {ModelChannel::TRACKER, {1}, Exact(3, 1)});
    });
    Simulator::Run();
    const auto received = net.recorders[1].GetVectors();
    ASSERT_EQ(received.size(), 5U);
    EXPECT_EQ(received[0], (ModelVector(3) << 3, 0, 0).finished());
    EXPECT_EQ(received[1], (ModelVector(3) << 0, 4, 0).finished()); // of 3, 4, 2
    EXPECT_EQ(received[2], (ModelVector(3) << 6, 0, 0).finished()); // of 6, 2, 3
    EXPECT_EQ(received[3], (ModelVector(3) << 0, 4, 0).finished()); // of 3, 4, 4
    EXPECT_EQ(received[4], (ModelVector(3) << 0, 0, 1.03125).finished());
}

// A vector whose message is withdrawn counts as never released: no part of it may be in any later
// message, whatever compresses it, and what was left out before is still to be sent. This holds for
// every type of compressor; the withdrawn vector is a million times the others.
TEST(MessageExchange, ErrorFeedbackForgetsWithdrawnMessages)
{
    uint32_t compressors = 0;
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        if (!type.IsChildOf(Compressor::GetTypeId()) || !type.HasConstructor())
        {
            continue;
        }
        ++compressors;
        ExchangeNet net("p2p",
                        Pair(),
                        40,
                        "ns3::dlearn::TcpTransport",
                        32,
                        {},
                        std::nullopt,
                        [type](MessageExchange& exchange) {
                            exchange.SetAttribute("Compressor", TypeIdValue(type));
                            exchange.SetAttribute("ErrorFeedback", BooleanValue(true));
                            exchange.AssignStreams(5);
                        });
        net.exchanges[0]->Open(); // no learner answers its calls
        const ModelVector small = Exact(40) / 40;
        Simulator::Schedule(Seconds(1), [&net, &small] {
            MessageExchange& exchange = *net.exchanges[0];
            for (const ModelChannel channel : {ModelChannel::STATE, ModelChannel::TRACKER})
            {
                exchange.Send(0, {channel, {1}, 1e6 * small});
                exchange.Send(0, {channel, {1}, 2e6 * small}); // an attacker may send twice
            }
            EXPECT_FALSE(exchange.Settle(0));
            exchange.Close(); // as in a crash
            exchange.Open();
            net.exchanges[1]->Open();
        });
        for (uint32_t round = 1; round < 30; ++round)
        {
            Simulator::Schedule(Seconds(10 + round), [&net, &small, round] {
                for (const ModelChannel channel : {ModelChannel::STATE, ModelChannel::TRACKER})
                {
                    net.exchanges[0]->Send(round, {channel, {1}, small});
                }
                EXPECT_TRUE(net.exchanges[0]->Settle(round));
            });
        }
        Simulator::Stop(Seconds(60));
        Simulator::Run();
        const auto received = net.recorders[1].GetVectors();
        EXPECT_EQ(received.size(), 58U) << type;
        for (const ModelVector& vector : received)
        {
            ASSERT_LT(vector.cwiseAbs().maxCoeff(), 1000) << type;
        }
    }
    EXPECT_GE(compressors, 3U);
}

// Numbers of 16 bits have 11 digits: 1 + 2^-12 becomes 1, three rests make it 1 + 2^-10.
TEST(MessageExchange, ErrorFeedbackMakesGoodWhatRoundingTook)
{
    for (const bool feedback : {true, false})
    {
        ExchangeNet net("ideal",
                        Pair(),
                        1,
                        "ns3::dlearn::UdpTransport",
                        16,
                        {},
                        std::nullopt,
                        [feedback](MessageExchange& exchange) {
                            exchange.SetAttribute("ErrorFeedback", BooleanValue(feedback));
                        });
        net.Open();
        const double small = 1.0 / 4096;
        for (uint32_t round = 0; round < 4; ++round)
        {
            net.SendAt(Seconds(round + 1), 0, {1}, round, ModelVector::Constant(1, 1 + small));
        }
        Simulator::Run();
        ModelVector sum = ModelVector::Zero(1);
        for (const ModelVector& vector : net.recorders[1].GetVectors())
        {
            sum += vector;
        }
        EXPECT_EQ(sum[0], feedback ? 4 + 4 * small : 4);
    }
}

TEST(MessageExchange, PartsOfACompressedVectorAreNothing)
{
    ExchangeNet net("ideal", Pair(), 5);
    net.Open();
    ModelHeader header;
    header.encoding = Encoding::SPARSE32;
    header.round = 3;
    header.vectorLength = 5;
    header.messageLength = 16;
    header.payloadLength = 8;
    net.InjectAt(Seconds(1), 0, 1, {test::Seal(header, {0, 0, 0, 1, 0, 0, 0, 2})});
    Simulator::Run();
    EXPECT_TRUE(net.recorders[1].entries.empty());
    EXPECT_FALSE(net.exchanges[1]->TakePartial(FROM_0, 3).has_value());
    EXPECT_EQ(net.exchanges[1]->GetCounters().undecodable, 0U);
}

TEST(MessageExchange, EveryLearnerHasItsOwnCompressorOrNone)
{
    const auto without = CreateObject<MessageExchange>();
    EXPECT_EQ(without->GetCompressor(), nullptr);
    EXPECT_EQ(without->AssignStreams(1), 0);
    Config::SetDefault("ns3::dlearn::MessageExchange::Compressor",
                       TypeIdValue(TypeId::LookupByName("ns3::dlearn::QsgdCompressor")));
    const auto a = CreateObject<MessageExchange>();
    const auto b = CreateObject<MessageExchange>();
    Config::Reset();
    ASSERT_NE(a->GetCompressor(), nullptr);
    EXPECT_EQ(a->GetCompressor(), a->GetCompressor());
    EXPECT_NE(a->GetCompressor(), b->GetCompressor());
    EXPECT_EQ(a->AssignStreams(1), 1);
}

TEST(MessageExchange, RefusesAWrongConfiguration)
{
    const auto setUp = [](auto change, uint32_t dimension) {
        const auto exchange = CreateObject<MessageExchange>();
        change(*exchange);
        exchange->Setup(CreateObject<Node>(), 0, {}, dimension);
    };
    const auto nothing = [](MessageExchange&) {};
    ExpectRefused(
        [&] { setUp([](auto& e) { e.SetAttribute("FloatBits", UintegerValue(40)); }, 1); },
        "MessageExchange: FloatBits must be 16, 32 or 64, got 40");
    ExpectRefused([&] { setUp(nothing, 0); }, "dimension must be at least 1, got 0");
    ExpectRefused([&] { setUp(nothing, 0x20000001); },
                  "dimension must be at most 536870912, got 536870913");
    ExpectRefused(
        [&] {
            setUp([](auto& e) { e.SetAttribute("Transport", TypeIdValue(AllPolicy::GetTypeId())); },
                  1);
        },
        "MessageExchange: Transport must be a concrete type derived from ns3::dlearn::Transport, "
        "got ns3::dlearn::AllPolicy");
    ExpectRefused(
        [&] {
            setUp([](auto& e) { e.SetAttribute("Transport", TypeIdValue(Transport::GetTypeId())); },
                  1);
        },
        "got ns3::dlearn::Transport");
    const auto compressor = [](const std::string& type) {
        return [type](MessageExchange& e) {
            e.SetAttribute("Compressor", TypeIdValue(TypeId::LookupByName("ns3::dlearn::" + type)));
        };
    };
    ExpectRefused([&] { setUp(compressor("AllPolicy"), 1); },
                  "MessageExchange: Compressor must be a concrete type derived from "
                  "ns3::dlearn::Compressor, got ns3::dlearn::AllPolicy");
    ExpectRefused([&] { setUp(compressor("SparseCompressor"), 1); },
                  "got ns3::dlearn::SparseCompressor");
    ExpectRefused(
        [&] {
            setUp(
                [&](auto& e) {
                    compressor("TopKCompressor")(e);
                    e.GetCompressor()->SetAttribute("K", UintegerValue(4));
                },
                3);
        },
        "ns3::dlearn::TopKCompressor: K must be at most the dimension 3, got 4");
    ExpectRefused(
        [&] {
            setUp(
                [&](auto& e) {
                    compressor("TopKCompressor")(e);
                    e.GetCompressor()->SetAttribute("K", UintegerValue(300000000));
                },
                300000000);
        },
        "MessageExchange: a compressed vector must have at most 2147483648 bytes, got 2400000000");
    ExchangeNet net("ideal", Pair(), 3);
    ExpectRefused(
        [&] {
            net.exchanges[0]->Send(0, {ModelChannel::STATE, {1}, Exact(2)});
        },
        "outgoing vector must have 3 entries, got 2");
    ExpectRefused(
        [&] {
            net.exchanges[0]->Send(0, {ModelChannel::STATE, {1}, Exact(3)});
        },
        "UdpTransport: Send() needs Open() first");
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
