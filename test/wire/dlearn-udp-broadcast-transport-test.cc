/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-repair-progress.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <cmath>
#include <functional>
#include <list>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::Complete;
using test::Exact;
using test::ExchangeNet;
using test::PORT;
using test::Recorder;

const char* const BROADCAST = "ns3::dlearn::UdpBroadcastTransport";

/// Bytes of a full fragment, with its header.
constexpr uint32_t FRAGMENT = 1440 + 32;

/** Bytes of a poll of so many learners. */
constexpr uint32_t
PollSize(uint32_t learners)
{
    return RepairDatagram::SIZE + 4 * learners;
}

/** Defaults that a test changes are back when it is over. */
class UdpBroadcastTest : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }

    static void SetDefault(const std::string& name, const AttributeValue& value)
    {
        Config::SetDefault("ns3::dlearn::UdpBroadcastTransport::" + name, value);
    }

    /** A network of learners that all exchange with each other, by repaired broadcast. */
    static std::unique_ptr<ExchangeNet> MakeNet(const std::string& name,
                                                uint32_t learners,
                                                uint32_t fragments)
    {
        auto net =
            std::make_unique<ExchangeNet>(name, Complete(learners), 360 * fragments, BROADCAST);
        for (LearnerId id = 0; id < learners; ++id)
        {
            net->exchanges[id]->AssignStreams(1000 + id);
        }
        return net;
    }

    /** Let a learner of a bus not receive the frames of these numbers, from 0 on. */
    static void Drop(const ExchangeNet& net, LearnerId learner, const std::list<uint32_t>& frames)
    {
        const auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(frames);
        const auto device =
            net.network->GetNodes().Get(learner)->GetObject<Ipv4>()->GetNetDevice(1);
        device->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    /** @return bytes that a learner has sent */
    static uint64_t GetTxBytes(const ExchangeNet& net, LearnerId learner)
    {
        return net.exchanges[learner]->GetTransport()->GetTxBytes();
    }
};

TEST_F(UdpBroadcastTest, ReachesAllWithOneTransmission)
{
    Graph ring(4);
    for (LearnerId id = 0; id < 4; ++id)
    {
        ring.AddEdge(id, (id + 1) % 4);
    }
    ExchangeNet net("csma", ring, 500, BROADCAST);
    net.Open();
    net.SendAt(Seconds(1), 0, {1, 3}, 0, Exact(500));
    net.SendAt(Seconds(2), 0, {}, 1, Exact(500)); // without recipients: not sent
    Simulator::Run();
    EXPECT_EQ(net.recorders[1].GetVectors(), std::vector<ModelVector>{Exact(500)});
    EXPECT_EQ(net.recorders[3].GetVectors(), std::vector<ModelVector>{Exact(500)});
    EXPECT_TRUE(net.recorders[2].entries.empty()); // overheard, no neighbour
    EXPECT_EQ(net.exchanges[2]->GetCounters().unknownSender, 2U);
    EXPECT_TRUE(net.recorders[0].entries.empty()); // no learner hears itself
    EXPECT_EQ(net.exchanges[0]->GetCounters().unknownSender, 0U);
    EXPECT_EQ(net.exchanges[0]->GetTransport()->GetTxBytes(), 500U * 4 + 2 * 32);
    EXPECT_TRUE(net.exchanges[0]->Settle(0));
    EXPECT_FALSE(net.exchanges[0]->Settle(1));
}

TEST_F(UdpBroadcastTest, NeedsASharedMedium)
{
    ExchangeNet net("p2p", Complete(3), 1, BROADCAST);
    net.Open();
    ExpectRefused(
        [&net] {
            net.exchanges[0]->Send(0, {ModelChannel::STATE, {1, 2}, Exact(1)});
        },
        "must have all neighbours in the subnet of one network interface (a shared medium), it "
        "does not in any of 2");
}

// Learner 1 misses fragments 2 and 5, learner 2 misses 5 and 7, learner 3 nothing: after ten
// fragments and a poll of three, the three that are missing are sent once, and two are polled.
TEST_F(UdpBroadcastTest, SendsTheUnionOfWhatIsMissingOnce)
{
    SetDefault("Reliability", StringValue("nack"));
    const auto net = MakeNet("csma", 4, 10);
    Drop(*net, 1, {2, 5});
    Drop(*net, 2, {5, 7});
    net->Open();
    net->SendAt(Seconds(1), 0, {1, 2, 3}, 0, Exact(3600));
    Simulator::Run();
    for (LearnerId id = 1; id < 4; ++id)
    {
        EXPECT_EQ(net->recorders[id].GetVectors(), std::vector<ModelVector>{Exact(3600)}) << id;
    }
    EXPECT_EQ(GetTxBytes(*net, 0), 13 * FRAGMENT + PollSize(3) + PollSize(2));
    EXPECT_EQ(GetTxBytes(*net, 1), 2 * RepairDatagram::SIZE + 2 * 8); // two ranges, then none
    EXPECT_EQ(GetTxBytes(*net, 2), 2 * RepairDatagram::SIZE + 2 * 8);
    EXPECT_EQ(GetTxBytes(*net, 3), RepairDatagram::SIZE + 0U);
    EXPECT_TRUE(net->exchanges[0]->GetTransport()->IsReliable());
}

TEST_F(UdpBroadcastTest, GivesUpWhoIsSilentAndGoesOn)
{
    SetDefault("Reliability", StringValue("nack"));
    SetDefault("SilenceLimit", UintegerValue(3));
    const auto net = MakeNet("csma", 3, 4);
    net->Open();
    net->exchanges[1]->Close();
    net->SendAt(Seconds(1), 0, {1, 2}, 0, Exact(1440, 0));
    net->SendAt(Seconds(2), 0, {1, 2}, 1, Exact(1440, 1));
    Simulator::Run();
    EXPECT_EQ(net->recorders[2].GetVectors(),
              (std::vector<ModelVector>{Exact(1440, 0), Exact(1440, 1)}));
    // Of the second message, learner 1 is polled once only.
    EXPECT_EQ(GetTxBytes(*net, 0), 2 * (4 * FRAGMENT + PollSize(2)) + 2 * PollSize(1));
    EXPECT_LT(Simulator::Now(), Seconds(3));
}

/** Answers every poll that reaches a port of a node by a report of its choice. */
class FalseReporter
{
  public:
    FalseReporter(Ptr<Node> node,
                  std::function<std::vector<uint32_t>(const RepairDatagram&)> answer)
        : m_answer(std::move(answer)),
          m_socket(Socket::CreateSocket(node, UdpSocketFactory::GetTypeId()))
    {
        m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        m_socket->SetRecvCallback(MakeCallback(&FalseReporter::Read, this));
    }

    ~FalseReporter() { m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>()); }

  private:
    void Read(Ptr<Socket> socket)
    {
        Address from;
        while (const auto packet = socket->RecvFrom(from))
        {
            Bytes bytes(packet->GetSize());
            packet->CopyData(bytes.data(), bytes.size());
            if (auto report = RepairDatagram::Read(bytes.data(), bytes.size()))
            {
                report->kind = RepairDatagram::Kind::REPORT;
                report->words = m_answer(*report);
                bytes = report->Write();
                socket->SendTo(Create<Packet>(bytes.data(), bytes.size()), 0, from);
                socket->SendTo(Create<Packet>(bytes.data(), bytes.size()), 0, from); // twice
            }
        }
    }

    std::function<std::vector<uint32_t>(const RepairDatagram&)> m_answer;
    Ptr<Socket> m_socket;
};

// A poll that asks nobody, from one who says falsely that others have all, or says it of another
// message.
TEST_F(UdpBroadcastTest, ReportsCountFromWhoWasAskedOnly)
{
    SetDefault("Reliability", StringValue("nack"));
    const auto net = MakeNet("csma", 4, 10);
    net->Open();
    net->exchanges[3]->Close();
    // Learner 3 is no recipient, but a peer; its reports ask for everything.
    FalseReporter reporter(net->network->GetNodes().Get(3), [](const RepairDatagram& poll) {
        return std::vector<uint32_t>{0, poll.messageLength};
    });
    Drop(*net, 1, {4});
    net->SendAt(Seconds(1), 0, {1, 2}, 0, Exact(3600));
    RepairDatagram forged;
    forged.kind = RepairDatagram::Kind::REPORT;
    forged.messageLength = 14400;
    net->InjectAsStrangerAt(MilliSeconds(1018), 1, 0, {forged.Write()}); // not learner 1's port
    Simulator::Run();
    EXPECT_EQ(net->recorders[1].GetVectors().size(), 1U);
    EXPECT_EQ(net->recorders[2].GetVectors().size(), 1U);
    EXPECT_EQ(GetTxBytes(*net, 0), 11 * FRAGMENT + PollSize(2) + PollSize(1));
}

TEST_F(UdpBroadcastTest, WhatIsNotWantedIsNotRepaired)
{
    SetDefault("Reliability", StringValue("nack"));
    const auto net = MakeNet("csma", 2, 10);
    Drop(*net, 1, {4});
    net->Open();

    /** A sink that awaits another round. */
    struct Sink
    {
        MessageDisposition Classify(const MessageSource&, uint32_t)
        {
            return MessageDisposition::LATE;
        }
    } sink;

    net->exchanges[1]->SetSink(MakeCallback(&Sink::Classify, &sink),
                               MakeCallback(&Recorder::Offer, &net->recorders[1]));
    net->SendAt(Seconds(1), 0, {1}, 0, Exact(3600));
    Simulator::Run();
    EXPECT_EQ(GetTxBytes(*net, 0), 10 * FRAGMENT + PollSize(1));
}

// No turn begins within the first nanosecond: of what waits for one, nothing has left.
TEST_F(UdpBroadcastTest, SettleWithdrawsWhatWaitsForItsTurn)
{
    SetDefault("Reliability", StringValue("nack"));
    const auto net = MakeNet("csma", 2, 4);
    net->Open();
    net->SendAt(Seconds(1), 0, {1}, 0, Exact(1440, 0));
    net->SendAt(Seconds(1), 0, {1}, 1, Exact(1440, 1));
    bool zero = true;
    Simulator::Schedule(Seconds(1) + NanoSeconds(1), [&] { zero = net->exchanges[0]->Settle(0); });
    bool one = false;
    Simulator::Schedule(Seconds(2), [&] { one = net->exchanges[0]->Settle(1); });
    Simulator::Run();
    EXPECT_FALSE(zero);
    EXPECT_TRUE(one);
    EXPECT_EQ(net->recorders[1].GetVectors(), (std::vector<ModelVector>{Exact(1440, 1)}));
    EXPECT_EQ(GetTxBytes(*net, 0), 4 * FRAGMENT + PollSize(1));
}

// Learner 1 is not there when the first of three messages is sent, and is when all have been.
TEST_F(UdpBroadcastTest, NewerMessagesEndTheRepair)
{
    for (const uint32_t limit : {1, 2})
    {
        SetDefault("Reliability", StringValue("nack"));
        SetDefault("SilenceLimit", UintegerValue(1000));
        SetDefault("PollLimit", UintegerValue(1000));
        SetDefault("NewerLimit", UintegerValue(limit));
        const auto net = MakeNet("csma", 2, 1);
        net->Open();
        net->exchanges[1]->Close();
        for (uint32_t round = 0; round < 3; ++round)
        {
            net->SendAt(Seconds(1) * (round + 1), 0, {1}, round, Exact(360, round));
        }
        net->SendAt(Seconds(5), 0, {}, 3, Exact(360)); // to nobody: ends nothing
        uint64_t polls = 0;
        Simulator::Schedule(Seconds(4), [&] {
            polls = GetTxBytes(*net, 0);
            net->exchanges[1]->Open();
        });
        Simulator::Run();
        EXPECT_GT(polls, (limit == 1 ? 3 : 1) * FRAGMENT);
        const std::vector<ModelVector> last{Exact(360, 1), Exact(360, 2)};
        EXPECT_EQ(net->recorders[1].GetVectors(),
                  std::vector<ModelVector>(last.end() - limit, last.end()));
    }
}

/** A server, learner 0, that broadcasts, and clients that send by unicast. */
std::unique_ptr<ExchangeNet>
MakeFederation(uint32_t learners, uint32_t fragments)
{
    Graph star(learners);
    for (LearnerId id = 1; id < learners; ++id)
    {
        star.AddEdge(0, id);
    }
    ObjectFactory transport(BROADCAST);
    transport.Set("Reliability", StringValue("nack"));
    const auto configure = [&transport](MessageExchange& exchange) {
        exchange.SetAttribute("Transport", ObjectFactoryValue(transport));
        transport.Set("Unicast", BooleanValue(true)); // all but the first
    };
    return std::make_unique<ExchangeNet>("csma",
                                         star,
                                         360 * fragments,
                                         BROADCAST,
                                         32,
                                         NetworkSetup{},
                                         std::nullopt,
                                         configure);
}

// Clients report what they miss, and what they send is repaired, but reaches nobody else.
TEST_F(UdpBroadcastTest, ClientsSendByUnicast)
{
    const auto net = MakeFederation(4, 10);
    net->exchanges[0]->AssignStreams(1000);
    net->exchanges[3]->AssignStreams(2000);
    Drop(*net, 0, {5}); // after three reports, and one more of two
    Drop(*net, 1, {2, 5});
    Drop(*net, 2, {5, 7});
    net->Open();
    net->SendAt(Seconds(1), 0, {1, 2, 3}, 0, Exact(3600));
    net->SendAt(Seconds(2), 3, {0}, 0, Exact(3600, 3));
    Simulator::Run();
    for (LearnerId id = 1; id < 4; ++id)
    {
        EXPECT_EQ(net->recorders[id].GetVectors(), std::vector<ModelVector>{Exact(3600)}) << id;
        EXPECT_EQ(net->exchanges[id]->GetCounters().unknownSender, 0U) << "of another client";
    }
    EXPECT_EQ(net->recorders[0].GetVectors(), std::vector<ModelVector>{Exact(3600, 3)});
    const uint64_t reports = 2 * RepairDatagram::SIZE + 8; // one range, then none
    EXPECT_EQ(GetTxBytes(*net, 0), 13 * FRAGMENT + PollSize(3) + PollSize(2) + reports);
    EXPECT_EQ(GetTxBytes(*net, 3),
              11 * FRAGMENT + 2 * PollSize(1) + RepairDatagram::SIZE); // and a report
    EXPECT_TRUE(net->exchanges[3]->Settle(0));
}

TEST_F(UdpBroadcastTest, ClosesAndOpensAgain)
{
    SetDefault("Reliability", StringValue("nack"));
    const auto net = MakeNet("csma", 2, 10);
    net->Open();
    net->SendAt(Seconds(1), 0, {1}, 0, Exact(3600));
    uint64_t packets = 0;
    const auto ipv4 = net->network->GetNodes().Get(0)->GetObject<Ipv4>();
    ipv4->TraceConnectWithoutContext("Tx",
                                     Callback<void, Ptr<const Packet>, Ptr<Ipv4>, uint32_t>(
                                         [&](Ptr<const Packet>, Ptr<Ipv4>, uint32_t) {
                                             if (++packets == 4) // while it sends
                                             {
                                                 net->exchanges[0]->Close();
                                                 net->exchanges[0]->Open();
                                             }
                                         }));
    net->SendAt(Seconds(2), 0, {1}, 1, Exact(3600, 1));
    Simulator::Run();
    EXPECT_EQ(net->recorders[1].GetVectors(), std::vector<ModelVector>{Exact(3600, 1)});
    EXPECT_EQ(GetTxBytes(*net, 0), 14 * FRAGMENT + PollSize(1));
}

/** Time until all have the vectors of all; zero if they have not. */
Time
ShareModels(ExchangeNet& net, uint32_t fragments)
{
    const auto learners = static_cast<LearnerId>(net.exchanges.size());
    net.Open();
    for (LearnerId from = 0; from < learners; ++from)
    {
        std::vector<LearnerId> others;
        for (LearnerId to = 0; to < learners; ++to)
        {
            if (to != from)
            {
                others.push_back(to);
            }
        }
        net.SendAt(Seconds(1), from, others, 0, Exact(360 * fragments, from));
    }
    Simulator::Stop(Seconds(30));
    Simulator::Run();
    Time last;
    for (const Recorder& recorder : net.recorders)
    {
        if (recorder.GetVectors().size() != learners - 1)
        {
            return Time(0);
        }
        for (const auto& entry : recorder.entries)
        {
            if (entry.arrival) // else a repair for others of what is here
            {
                EXPECT_EQ(entry.arrival->values, Exact(360 * fragments, entry.source.first));
                last = Max(last, entry.when);
            }
        }
    }
    return last - Seconds(1);
}

// Lost frames of a broadcast are not sent again by the MAC: 10 % loss, 22 fragments of each learner
// for all others. Without loss, a frame of 1538 bytes is on the air for 0.54 ms at 24 Mbit/s, and
// the pauses before frames, polls and reports take less than that. Unicast sends each frame to each
// of the others.
TEST_F(UdpBroadcastTest, ModelsOf22FramesArriveWholeOverWifi)
{
    for (const uint32_t learners : {5, 8, 20})
    {
        SetDefault("Reliability", StringValue("nack"));
        EXPECT_GT(ShareModels(*MakeNet("wifi-adhoc,loss=0.1", learners, 22), 22), Time(0))
            << learners;
        const Time repaired = ShareModels(*MakeNet("wifi-adhoc", learners, 22), 22);
        SetDefault("Reliability", StringValue("none"));
        EXPECT_EQ(ShareModels(*MakeNet("wifi-adhoc", learners, 22), 22), Time(0)) << learners;
        EXPECT_GT(repaired, MicroSeconds(540 * 22 * learners)) << learners;
        EXPECT_LT(repaired, 2 * MicroSeconds(540 * 22 * learners)) << learners;
    }
    ExchangeNet unicast("wifi-adhoc", Complete(5), 360 * 22);
    EXPECT_GT(ShareModels(unicast, 22), 3 * MicroSeconds(540 * 22 * 5)) << "frames are aggregated";
}

// Learner 1 misses three of 20, and computes them from 20 * 0.2 pieces of parity, of which one is
// lost, too; learner 2 misses five, which is one too many.
TEST_F(UdpBroadcastTest, ParityMakesGoodWhatIsLost)
{
    SetDefault("Reliability", StringValue("fec:0.2"));
    if (!ErasureCode::IsAvailable())
    {
        ExpectRefused([] { MakeNet("csma", 2, 1); }, "needs ISA-L, which this build does not have");
        return;
    }
    const auto net = MakeNet("csma", 3, 20);
    Drop(*net, 1, {0, 7, 19, 21});
    Drop(*net, 2, {0, 7, 8, 9, 19});
    net->Open();
    net->SendAt(Seconds(1), 0, {1, 2}, 0, Exact(7200));
    Simulator::Run();
    EXPECT_EQ(net->recorders[1].GetVectors(), std::vector<ModelVector>{Exact(7200)});
    EXPECT_TRUE(net->recorders[2].entries.empty());
    EXPECT_EQ(GetTxBytes(*net, 0), 24 * FRAGMENT);
    EXPECT_EQ(GetTxBytes(*net, 1), 0U);
    EXPECT_FALSE(net->exchanges[0]->GetTransport()->IsReliable());
}

// Three learners miss two fragments each, all different: two pieces of parity repair all of them.
// Sums by hand of the binomial distribution: at most p of k + p packets of a block are lost.
TEST_F(UdpBroadcastTest, KnowsHowProbablyAMessageComesWhole)
{
    const auto getShare = [](const char* reliability, uint64_t packets, double loss) {
        const auto transport = CreateObject<UdpBroadcastTransport>();
        transport->SetAttribute("Reliability", StringValue(reliability));
        return transport->GetWholeShare(packets, loss);
    };
    EXPECT_DOUBLE_EQ(getShare("none", 12, 0.1), std::pow(0.9, 12));
    EXPECT_EQ(getShare("nack", 12, 0.1), 1);
    EXPECT_EQ(getShare("both:0.5", 12, 0.1), 1);
    EXPECT_NEAR(getShare("fec:0.5", 1, 0.1), 0.99, 1e-12); // one of two
    EXPECT_NEAR(getShare("fec:0.5", 12, 0.1), 0.9988278718190999, 1e-12);
    EXPECT_NEAR(getShare("fec:0.1", 22, 0.1), 0.7635913575531728, 1e-12); // 3 of 25
    // At most 170 of 255 are no parity: blocks of 134, 134 and 132, with 67, 67 and 66 of parity.
    EXPECT_NEAR(getShare("fec:0.5", 400, 0.3), 0.6476083450688079, 1e-12);
    EXPECT_EQ(getShare("fec:0.5", 400, 0), 1);
}

TEST_F(UdpBroadcastTest, ParityRepairsAllAtOnce)
{
    if (!ErasureCode::IsAvailable())
    {
        GTEST_SKIP() << "without ISA-L";
    }
    SetDefault("Reliability", StringValue("both"));
    const auto net = MakeNet("csma", 4, 10);
    Drop(*net, 1, {0, 1});
    Drop(*net, 2, {2, 3});
    Drop(*net, 3, {8, 9});
    net->Open();
    net->SendAt(Seconds(1), 0, {1, 2, 3}, 0, Exact(3600));
    Simulator::Run();
    for (LearnerId id = 1; id < 4; ++id)
    {
        EXPECT_EQ(net->recorders[id].GetVectors(), std::vector<ModelVector>{Exact(3600)}) << id;
    }
    EXPECT_EQ(GetTxBytes(*net, 0), 12 * FRAGMENT + 2 * PollSize(3));
}

TEST_F(UdpBroadcastTest, AMessageWaitsForTheRepairOfTheOneBefore)
{
    SetDefault("Reliability", StringValue("nack"));
    const auto net = MakeNet("csma", 2, 4);
    Drop(*net, 1, {2, 4}); // a fragment of the first message and its poll
    net->Open();
    net->SendAt(Seconds(1), 0, {1}, 0, Exact(1440, 0));
    net->SendAt(Seconds(1), 0, {1}, 1, Exact(1440, 1));
    Simulator::Run();
    EXPECT_EQ(net->recorders[1].GetVectors(),
              (std::vector<ModelVector>{Exact(1440, 0), Exact(1440, 1)}));
}

} // namespace
} // namespace ns3::dlearn
