/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NET_TEST_SUPPORT_H
#define DLEARN_NET_TEST_SUPPORT_H

/**
 * @file
 * Fragments as bytes and networks with message layers, for the tests of model/net.
 */

#include "support/dlearn-test-graphs.h"

#include "ns3/callback.h"
#include "ns3/config.h"
#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-message-table.h"
#include "ns3/dlearn-network.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace test
{

using dlearn::Complete;

/** Bytes on their way. */
using Bytes = std::vector<uint8_t>;

/** Port of all learners (the default of the transports). */
constexpr uint16_t PORT = 4660;

/**
 * @param header every field but the checksum
 * @param payload of any length
 * @return header with the right checksum, then the payload
 */
inline Bytes
Seal(ModelHeader header, const Bytes& payload)
{
    header.Seal(payload.data());
    Bytes bytes(ModelHeader::SIZE);
    header.Write(bytes.data());
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

/**
 * @param sender who claims to have made it
 * @param round of the message
 * @param values the whole vector, in one fragment of 32-bit numbers
 * @return header and payload
 */
inline Bytes
MakeFragment(LearnerId sender, uint32_t round, const ModelVector& values)
{
    Bytes payload(4 * values.size());
    EncodeVector(values, Encoding::FLOAT32, payload.data());
    ModelHeader header;
    header.round = round;
    header.sender = sender;
    header.vectorLength = values.size();
    header.payloadLength = payload.size();
    header.messageLength = payload.size();
    return Seal(header, payload);
}

/**
 * @param size number of entries
 * @param salt makes vectors differ
 * @return entries that 32-bit numbers hold exactly, all different within 2^20
 */
inline ModelVector
Exact(Eigen::Index size, double salt = 0)
{
    return ModelVector::NullaryExpr(size, [salt](Eigen::Index k) {
        return static_cast<double>(k % 1048576) / 64 + salt;
    });
}

/** What one learner's message layer handed on: wants each message once. */
class Recorder
{
  public:
    using Source = MessageSource;
    using Disposition = MessageDisposition;

    /** Something that came. */
    struct Entry
    {
        Time when;                      //!< simulated time
        Source source;                  //!< sender and channel
        uint32_t round;                 //!< of the message
        Disposition disposition;        //!< ON_TIME or DUPLICATE
        std::optional<Arrival> arrival; //!< nothing when not usable
    };

    /** As RoundTable::Classify(). */
    Disposition Classify(const Source& source, uint32_t round)
    {
        return m_had.count({source, round}) > 0 ? Disposition::DUPLICATE : Disposition::ON_TIME;
    }

    /** As RoundTable::Offer(). */
    void Offer(const Source& source, uint32_t round, std::optional<Arrival>& arrival)
    {
        entries.push_back(
            {Simulator::Now(), source, round, Classify(source, round), std::move(arrival)});
        m_had.insert({source, round});
    }

    /** @return the usable vectors among the entries */
    std::vector<ModelVector> GetVectors() const
    {
        std::vector<ModelVector> vectors;
        for (const Entry& entry : entries)
        {
            if (entry.arrival)
            {
                vectors.push_back(entry.arrival->values);
            }
        }
        return vectors;
    }

    std::vector<Entry> entries; //!< in the order they came

  private:
    std::set<std::pair<Source, uint32_t>> m_had;
};

/** What the IP layer of a node handed to its devices. */
class IpTally
{
  public:
    explicit IpTally(Ptr<Node> node)
    {
        node->GetObject<Ipv4>()->TraceConnectWithoutContext(
            "Tx",
            Callback<void, Ptr<const Packet>, Ptr<Ipv4>, uint32_t>(
                [this](Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t) {
                    ++packets;
                    largest = std::max(largest, packet->GetSize());
                }));
    }

    IpTally(const IpTally&) = delete;
    IpTally& operator=(const IpTally&) = delete;

    uint32_t packets{0}; //!< how many
    uint32_t largest{0}; //!< bytes of the largest, headers included
};

/** Let message layers be opened before the simulation starts, which queue discs do not stand. */
inline void
InitializeNodes(const Network& network)
{
    const NodeContainer& nodes = network.GetNodes();
    std::for_each(nodes.Begin(), nodes.End(), [](const auto& node) { node->Initialize(); });
}

/** A network with a message layer on every node; closes down when it goes. */
class ExchangeNet
{
  public:
    /**
     * @param name of the network
     * @param graph which learners exchange messages
     * @param dimension of the vectors
     * @param transport TypeId of the transport
     * @param floatBits 16, 32 or 64
     * @param setup of the network
     * @param links joined in the network, where that is not the graph
     * @param configure called with every message layer before its Setup()
     */
    ExchangeNet(const std::string& name,
                const Graph& graph,
                uint32_t dimension,
                const std::string& transport = "ns3::dlearn::UdpTransport",
                uint32_t floatBits = 32,
                const NetworkSetup& setup = {},
                const std::optional<Graph>& links = std::nullopt,
                const std::function<void(MessageExchange&)>& configure = nullptr)
        : recorders(graph.GetSize())
    {
        network = CreateNetwork(name);
        network->Build(links.value_or(graph), setup);
        network->AssignStreams(1);
        InitializeNodes(*network);
        for (LearnerId id = 0; id < graph.GetSize(); ++id)
        {
            Transport::Peers peers;
            for (const Graph::Row* row : {&graph.GetInNeighbors(id), &graph.GetOutNeighbors(id)})
            {
                for (const auto& [neighbor, weight] : *row)
                {
                    peers[neighbor] = network->GetAddress(id, neighbor);
                }
            }
            const auto exchange = CreateObject<MessageExchange>();
            exchange->SetAttribute("Transport", TypeIdValue(TypeId::LookupByName(transport)));
            exchange->SetAttribute("FloatBits", UintegerValue(floatBits));
            if (configure)
            {
                configure(*exchange);
            }
            exchange->Setup(network->GetNodes().Get(id), id, peers, dimension);
            exchange->SetSink(MakeCallback(&Recorder::Classify, &recorders[id]),
                              MakeCallback(&Recorder::Offer, &recorders[id]));
            exchanges.push_back(exchange);
        }
    }

    ~ExchangeNet()
    {
        for (const auto& exchange : exchanges)
        {
            exchange->Dispose();
        }
        Simulator::Destroy();
    }

    /** Open all message layers. */
    void Open()
    {
        for (const auto& exchange : exchanges)
        {
            exchange->Open();
        }
    }

    /**
     * Let a learner send to all its peers at some time.
     *
     * @param when absolute time
     * @param from sender
     * @param to recipients
     * @param round of the message
     * @param values the vector
     */
    void SendAt(Time when,
                LearnerId from,
                std::vector<LearnerId> to,
                uint32_t round,
                const ModelVector& values)
    {
        const Ptr<MessageExchange> exchange = exchanges.at(from);
        const Outgoing outgoing{ModelChannel::STATE, std::move(to), values};
        Simulator::Schedule(when - Simulator::Now(),
                            [exchange, round, outgoing] { exchange->Send(round, outgoing); });
    }

    /**
     * Let a learner send bytes of its choice to another, from its own address and port.
     *
     * @param when absolute time
     * @param from learner that sends
     * @param to its neighbour that is attacked
     * @param datagrams what to send
     */
    void InjectAt(Time when, LearnerId from, LearnerId to, std::vector<Bytes> datagrams)
    {
        const Ptr<MessageExchange> exchange = exchanges.at(from);
        Simulator::Schedule(when - Simulator::Now(), [exchange, to, datagrams] {
            for (const Bytes& bytes : datagrams)
            {
                exchange->SendBytes(0, {to}, bytes);
            }
        });
    }

    /**
     * Send raw datagrams to a learner's port from a plain socket, which has a port of its own.
     *
     * @param when absolute time
     * @param from node that sends
     * @param to learner that is attacked
     * @param datagrams what to send
     */
    void InjectAsStrangerAt(Time when, LearnerId from, LearnerId to, std::vector<Bytes> datagrams)
    {
        const Ptr<Node> node = network->GetNodes().Get(from);
        const InetSocketAddress target(network->GetAddress(from, to), PORT);
        Simulator::Schedule(when - Simulator::Now(), [node, target, datagrams] {
            const auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
            socket->Bind();
            for (const Bytes& bytes : datagrams)
            {
                socket->SendTo(Create<Packet>(bytes.data(), bytes.size()), 0, target);
            }
            socket->Close();
        });
    }

    Ptr<Network> network;                        //!< nodes
    std::vector<Recorder> recorders;             //!< by learner
    std::vector<Ptr<MessageExchange>> exchanges; //!< by learner
};

/** @return two learners that exchange with each other */
inline Graph
Pair()
{
    Graph graph(2);
    graph.AddEdge(0, 1);
    return graph;
}

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_NET_TEST_SUPPORT_H
