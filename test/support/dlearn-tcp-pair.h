/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_PAIR_H
#define DLEARN_TCP_PAIR_H

#include "ns3/data-rate.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::dlearn
{

/** Two nodes with HostTcpSocketFactory, a link, and a connection with a stream in each direction.
 */
class TcpPair
{
  public:
    /** One end of the connection; its byte k is a function of k, and is compared. */
    struct Side
    {
        Ptr<Socket> socket;            //!< null before the connection was accepted
        uint64_t total{0};             //!< bytes to be sent
        uint64_t sent{0};              //!< bytes that the socket took
        uint64_t received{0};          //!< bytes
        bool intact{true};             //!< whether they are what was sent
        bool closes{false};            //!< whether it closes after its last byte
        uint32_t chunk{65536};         //!< bytes that the socket gets at most at once
        std::function<void()> onBytes; //!< called when some have arrived

        /** Take a socket and begin to send. */
        void Use(const Ptr<Socket>& mine)
        {
            socket = mine;
            socket->SetRecvCallback(MakeCallback(&Side::Receive, this));
            socket->SetSendCallback(MakeCallback(&Side::Send, this));
            Simulator::ScheduleNow(&Side::Push, this);
        }

        /** Send what the socket takes. */
        void Push()
        {
            while (sent < total)
            {
                const auto most = std::min<uint64_t>(total - sent, chunk);
                const auto size = std::min<uint64_t>(most, socket->GetTxAvailable());
                std::vector<uint8_t> bytes(size);
                for (uint64_t k = 0; k < size; ++k)
                {
                    bytes[k] = GetByte(sent + k);
                }
                if (size == 0 || socket->Send(Create<Packet>(bytes.data(), size)) <= 0)
                {
                    return;
                }
                sent += size;
            }
            if (closes)
            {
                closes = false;
                socket->Close();
            }
        }

        /** Take what has arrived. */
        void Read()
        {
            for (Ptr<Packet> packet = socket->Recv(); packet && packet->GetSize() > 0;
                 packet = socket->Recv())
            {
                std::vector<uint8_t> bytes(packet->GetSize());
                packet->CopyData(bytes.data(), bytes.size());
                for (const uint8_t byte : bytes)
                {
                    intact = intact && byte == GetByte(received++);
                }
            }
            if (onBytes)
            {
                onBytes();
            }
        }

      private:
        static uint8_t GetByte(uint64_t place)
        {
            return static_cast<uint8_t>(place * 2654435761U >> 13);
        }

        void Send(Ptr<Socket> /* socket */, uint32_t /* available */) { Push(); }

        void Receive(Ptr<Socket> /* socket */) { Read(); }
    };

    /**
     * @param rate of the link
     * @param delay of it, one way
     * @param queue packets that each device keeps
     */
    TcpPair(const std::string& rate, Time delay, uint32_t queue = 100)
    {
        nodes.Create(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue(rate));
        link.SetChannelAttribute("Delay", TimeValue(delay));
        link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(std::to_string(queue) + "p"));
        devices = link.Install(nodes);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        m_interfaces = addresses.Assign(devices);
        TrafficControlHelper().Uninstall(devices);
        HostTcpSocketFactory::Install(nodes);
    }

    /**
     * @param model decides which packets the device of a node loses
     * @param node that receives them
     */
    void Lose(const Ptr<ErrorModel>& model, uint32_t node)
    {
        devices.Get(node)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    /** @param loss probability with which both devices lose a packet */
    void Lose(double loss)
    {
        for (uint32_t node = 0; node < 2; ++node)
        {
            const auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(loss);
            Lose(model, node);
        }
    }

    /** Open the connection: client calls, server accepts. */
    void Connect()
    {
        const TypeId factory = HostTcpSocketFactory::GetTypeId();
        listener = Socket::CreateSocket(nodes.Get(0), factory);
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5000));
        listener->Listen();
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&TcpPair::Accept, this));
        client.Use(Socket::CreateSocket(nodes.Get(1), factory));
        client.socket->Connect(InetSocketAddress(m_interfaces.GetAddress(0), 5000));
    }

    /** Release the sockets and destroy the simulation. */
    void End()
    {
        server.socket = client.socket = listener = nullptr;
        Simulator::Destroy();
    }

    NodeContainer nodes;        //!< of server and client
    NetDeviceContainer devices; //!< of them
    Ptr<Socket> listener;       //!< of the server
    Side server;                //!< accepts
    Side client;                //!< calls

  private:
    void Accept(Ptr<Socket> socket, const Address& /* from */) { server.Use(socket); }

    Ipv4InterfaceContainer m_interfaces; //!< of the link
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_PAIR_H
