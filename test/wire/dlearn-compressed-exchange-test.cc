/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The message layer with compressors and error feedback.
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-own-components.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::Complete;
using test::Exact;
using test::ExchangeNet;
using test::Pair;

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
TEST(CompressedExchange, CompressedVectorsHaveTheDocumentedSizeAndAreMadeOnce)
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

TEST(CompressedExchange, FiguresAreNotCompressed)
{
    ExchangeNet net("ideal",
                    Complete(3),
                    3,
                    "ns3::dlearn::UdpTransport",
                    16,
                    {},
                    std::nullopt,
                    Compress("TopKCompressor", "K", 1, true));
    for (const LearnerId learner : {0, 1})
    {
        net.exchanges[learner]->SetFormat(ModelChannel::STATE, {3, {"samples", "loss"}});
    }
    net.Open();
    const Figures figures{1e9 + 1, 1.0 / 3};
    EXPECT_EQ(net.exchanges[0]->GetMessageSize(ModelChannel::STATE).bytes, 32U + 6 + 16);
    net.exchanges[0]->Send(7, {ModelChannel::STATE, {1, 2}, Exact(3, 1), figures});
    EXPECT_THROW(net.exchanges[0]->Send(8, {ModelChannel::STATE, {1}, Exact(3, 1), {1}}),
                 std::invalid_argument);
    Simulator::Run();
    ASSERT_EQ(net.recorders[1].entries.size(), 1U);
    EXPECT_EQ(net.recorders[1].entries[0].arrival->figures, figures);
    EXPECT_EQ(net.recorders[1].GetVectors()[0], (ModelVector(3) << 0, 0, 1.03125).finished());
    EXPECT_EQ(net.exchanges[2]->GetCounters().wrongLength, 1U) << "which expects none";
    EXPECT_FALSE(net.recorders[2].entries.at(0).arrival);
}

// By hand: the largest of (3, 2, 1) + residual, on a channel that has its own.
TEST(CompressedExchange, ErrorFeedbackSendsLaterWhatItLeftOut)
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
TEST(CompressedExchange, ErrorFeedbackForgetsWithdrawnMessages)
{
    uint32_t compressors = 0;
    for (const TypeId& type : test::GetOwnTypes(Compressor::GetTypeId()))
    {
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
TEST(CompressedExchange, ErrorFeedbackMakesGoodWhatRoundingTook)
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

TEST(CompressedExchange, PartsOfACompressedVectorAreNothing)
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
    EXPECT_FALSE(net.exchanges[1]->TakePartial({0, ModelChannel::STATE}, 3).has_value());
    EXPECT_EQ(net.exchanges[1]->GetCounters().undecodable, 0U);
}

// One of four entries, drawn at random: times 4 if unbiased; a later one has an earlier error only
// with error feedback.
TEST(MessageEncoder, RulesThatCorrectCompressionGetAContractionWithoutFeedback)
{
    for (const bool feedback : {false, true})
    {
        const auto compressor = CreateObject<RandomKCompressor>();
        compressor->AssignStreams(3);
        MessageEncoder encoder;
        encoder.Setup({64, compressor, feedback, true}, 0, 4);
        for (uint32_t round = 0; round < 10; ++round)
        {
            Outgoing outgoing{ModelChannel::STATE, {1}, ModelVector::Constant(4, 1)};
            EXPECT_EQ(encoder.Encode(round, outgoing, 1000)->Decode().sum(), 1);
        }
    }
}

TEST(CompressedExchange, EveryLearnerHasItsOwnCompressorOrNone)
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

} // namespace
} // namespace ns3::dlearn
