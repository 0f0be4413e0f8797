/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-compression-option.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** What an option made of a message layer. */
struct Outcome
{
    uint64_t floatBits;
    std::string compressor; //!< type; empty for none
    bool feedback;
    uint64_t value; //!< of Levels or K
};

Outcome
Apply(const std::string& text)
{
    const auto exchange = CreateObject<MessageExchange>();
    CompressionOption(text).Apply(*exchange);
    UintegerValue bits;
    exchange->GetAttribute("FloatBits", bits);
    BooleanValue feedback;
    exchange->GetAttribute("ErrorFeedback", feedback);
    Outcome outcome{bits.Get(), "", feedback.Get(), 0};
    if (const auto compressor = exchange->GetCompressor())
    {
        outcome.compressor = compressor->GetInstanceTypeId().GetName();
        UintegerValue value;
        compressor->GetAttributeFailSafe("Levels", value) ||
            compressor->GetAttributeFailSafe("K", value);
        outcome.value = value.Get();
    }
    return outcome;
}

void
ExpectOutcome(const std::string& text, const Outcome& expected)
{
    const Outcome outcome = Apply(text);
    EXPECT_EQ(outcome.floatBits, expected.floatBits) << text;
    EXPECT_EQ(outcome.compressor, expected.compressor) << text;
    EXPECT_EQ(outcome.feedback, expected.feedback) << text;
    EXPECT_EQ(outcome.value, expected.value) << text;
}

TEST(CompressionOption, SetsWhatItSays)
{
    ExpectOutcome("none", {32, "", false, 0});
    ExpectOutcome("fp16", {16, "", false, 0});
    ExpectOutcome("qsgd:1", {32, "ns3::dlearn::QsgdCompressor", false, 1});
    ExpectOutcome("qsgd:8388607", {32, "ns3::dlearn::QsgdCompressor", false, 8388607});
    ExpectOutcome("topk:100", {32, "ns3::dlearn::TopKCompressor", true, 100});
    ExpectOutcome("randk:4294967295", {32, "ns3::dlearn::RandomKCompressor", true, 4294967295});
}

TEST(CompressionOption, LeavesTheNumbersToTheExchange)
{
    for (const char* text : {"none", "qsgd:3", "topk:3", "randk:3"})
    {
        const auto exchange = CreateObject<MessageExchange>();
        exchange->SetAttribute("FloatBits", UintegerValue(64));
        CompressionOption(text).Apply(*exchange);
        UintegerValue bits;
        exchange->GetAttribute("FloatBits", bits);
        EXPECT_EQ(bits.Get(), 64U) << text;
    }
}

TEST(CompressionOption, RefusesWhatItDoesNotKnow)
{
    for (const char* text : {"", "fp32", "FP16", "fp16:", "none:1", "qsgd", "topk", ":3", "top:3"})
    {
        ExpectRefused([text] { CompressionOption option(text); },
                      "compress must be none, fp16, qsgd:S, topk:K or randk:K, got '" +
                          std::string(text) + "'");
    }
}

TEST(CompressionOption, RefusesNumbersOutOfRange)
{
    const std::string rule = "compress: the number after the colon must be a whole one from 1 to ";
    for (const char* text : {"qsgd:", "qsgd:0", "qsgd:-1", "qsgd:8388608", "qsgd:1.5", "qsgd: 1"})
    {
        ExpectRefused([text] { CompressionOption option(text); },
                      rule + "8388607, got '" + text + "'");
    }
    for (const char* text : {"topk:", "topk:0", "randk:4294967296", "randk:3x", "topk:1:2"})
    {
        ExpectRefused([text] { CompressionOption option(text); },
                      rule + "4294967295, got '" + text + "'");
    }
}

} // namespace
} // namespace ns3::dlearn
