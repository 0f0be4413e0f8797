/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-encoding.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dlearn;

TEST(ComponentParser, MakesObjectsWithTheirParameters)
{
    const auto krum = ParseAggregator("MultiKrum:m=3,Margin=2");
    ASSERT_NE(DynamicCast<MultiKrumAggregator>(krum), nullptr);
    UintegerValue margin;
    krum->GetAttribute("Margin", margin);
    EXPECT_EQ(margin.Get(), 2u);
    EXPECT_NE(DynamicCast<GeometricMedianAggregator>(ParseAggregator("GeometricMedian")), nullptr);
    const auto smoothed = ParseAggregator("GeometricMedian:nu=0.5,T=8");
    ASSERT_NE(DynamicCast<SmoothedWeiszfeldAggregator>(smoothed), nullptr);
    DoubleValue nu;
    smoothed->GetAttribute("Nu", nu);
    EXPECT_EQ(nu.Get(), 0.5);
    EXPECT_EQ(ParseAttack("Alie:tau=-2")->GetInstanceTypeId().GetName(), "ns3::dlearn::AlieAttack");
    // The parameters of the parent too.
    EXPECT_NO_THROW(ParseAttack("OptimalAlie:evaluations=5"));
}

/** A user's own, without any attribute: it sends nothing of a vector. */
class OwnCompressor : public Compressor
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("mine::OwnCompressor").SetParent<Compressor>().AddConstructor<OwnCompressor>();
        return tid;
    }

    uint64_t GetPackedSize() const override { return GetSparseSize(0, m_numbers); }

  private:
    PackedVector DoCompress(ConstVectorRef /* values */) override
    {
        return {GetSparseEncoding(m_numbers), {}};
    }
};

NS_OBJECT_ENSURE_REGISTERED(OwnCompressor);

TEST(ComponentParser, ACompressorOfAUserNeedsNoNumber)
{
    const auto exchange = CreateObject<MessageExchange>();
    Compress("compress", "mine::OwnCompressor", *exchange);
    EXPECT_NE(DynamicCast<OwnCompressor>(exchange->GetCompressor()), nullptr);
    ExpectRefused([&] { Compress("compress", "mine::OwnCompressor:4", *exchange); },
                  "compress mine::OwnCompressor has no parameters; got '4'");
    ExpectRefused([&] { Compress("compress", "topk", *exchange); },
                  "compress topk needs a number: topk:NUMBER");
}

TEST(ComponentParser, PreAggregatorsComeInOrder)
{
    RowMatrix<double> rows(4, 1);
    rows << 4, 0, 0, 0;
    const auto run = [&](const std::string& pre) {
        const auto aggregator = ParseAggregator("Average");
        AddPreAggregators(pre, aggregator);
        return aggregator->Aggregate(rows, 0).vector(0);
    };
    EXPECT_NEAR(run(""), 1, 1e-14);
    EXPECT_NEAR(run("Clipping:c=1+Bucketing:s=2,permutation=0-1-2-3"), 0.25, 1e-14);
    EXPECT_NEAR(run("Bucketing:s=2,permutation=3-1-2-0+Clipping:c=1"), 0.5, 1e-14);
}

TEST(ComponentParser, RefusesWhatItDoesNotKnow)
{
    const auto pre = [](const std::string& text) {
        AddPreAggregators(text, ParseAggregator("Average"));
    };
    ExpectRefused([] { ParseAggregator("Nope"); },
                  "aggregator must be one of Average, Bulyan, Caf, Cent");
    ExpectRefused([] { ParseAggregator(""); }, "got ''");
    ExpectRefused([] { ParseAggregator("Nnm"); }, "got 'Nnm'");
    ExpectRefused(
        [&] { pre("Krum"); },
        "pre-aggregator must be one of Arc, Bucketing, Clipping, MedianClipping, Nnm; got");
    ExpectRefused([&] { pre("Nnm+"); }, "got ''");
    ExpectRefused([] { ParseAttack("Krum"); }, "attack must be one of Alie, DerivedAlie");
    ExpectRefused([] { ParseAttack("Optimal"); }, "got 'Optimal'");
    ExpectRefused([] { ParseAggregator("Krum:x=1"); }, "Krum has the parameters margin; got 'x'");
    ExpectRefused([] { ParseAggregator("Caf:x=1"); }, "aggregator Caf has no parameters; got 'x'");
    ExpectRefused([] { ParseAggregator("Krum:"); },
                  "margin must be a whole number of at least 1, got ''");
    ExpectRefused([] { ParseAggregator("Krum:margin"); }, "got 'margin'");
    ExpectRefused([] { ParseAggregator("Krum:margin=a"); },
                  "margin must be a whole number of at least 1, got 'a'");
    ExpectRefused([] { ParseAggregator("Krum:margin=0"); },
                  "margin must be a whole number of at least 1");
    ExpectRefused([] { ParseAggregator("Krum:margin=-1"); }, "got '-1'");
    ExpectRefused([] { ParseAttack("Alie:tau=1.5x"); }, "tau must be a number, got '1.5x'");
    ExpectRefused([] { ParseAttack("Alie:tau=1,Tau=2"); }, "attack Alie: tau is given twice");
    RowMatrix<double> rows = RowMatrix<double>::Ones(3, 1);
    for (const char* order : {"0-1-3", "0-1-1", "a", "0-1-", "0,1"})
    {
        ExpectRefused(
            [&] {
                const auto aggregator = ParseAggregator("Average");
                AddPreAggregators(std::string("Bucketing:permutation=") + order, aggregator);
                aggregator->Aggregate(rows, 0);
            },
            order == std::string("0,1") ? "only 1 of them"
                                        : "Permutation must be the numbers from 0 on");
    }
}
