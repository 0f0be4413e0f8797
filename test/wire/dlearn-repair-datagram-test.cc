/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-model-header.h"
#include "ns3/dlearn-repair-progress.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

RepairDatagram
MakeReport()
{
    RepairDatagram report;
    report.kind = RepairDatagram::Kind::REPORT;
    report.channel = ModelChannel::TRACKER;
    report.round = 7;
    report.messageLength = 1000;
    report.words = {0, 8, 16, 1000};
    return report;
}

TEST(RepairDatagram, ReadsWhatItWrites)
{
    const auto bytes = MakeReport().Write();
    ASSERT_EQ(bytes.size(), 24U + 16U);
    EXPECT_EQ(bytes[7], 7); // network order
    const auto read = RepairDatagram::Read(bytes.data(), bytes.size());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, RepairDatagram::Kind::REPORT);
    EXPECT_EQ(read->channel, ModelChannel::TRACKER);
    EXPECT_EQ(read->round, 7U);
    EXPECT_EQ(read->messageLength, 1000U);
    EXPECT_EQ(read->GetRanges(), (std::vector<ByteRange>{{0, 8}, {16, 1000}}));
}

TEST(RepairDatagram, IsNoFragment)
{
    auto bytes = MakeReport().Write();
    bytes.resize(ModelHeader::SIZE);
    ModelHeader header;
    header.Read(bytes.data());
    EXPECT_FALSE(header.IsValid());
}

TEST(RepairDatagram, RefusesEveryOtherByteAndEveryOtherLength)
{
    const auto good = MakeReport().Write();
    for (size_t k = 0; k < good.size(); ++k)
    {
        auto bytes = good;
        bytes[k] ^= 0x10;
        EXPECT_FALSE(RepairDatagram::Read(bytes.data(), bytes.size())) << k;
        EXPECT_FALSE(RepairDatagram::Read(good.data(), k)) << k;
    }
    auto longer = good;
    longer.push_back(0);
    EXPECT_FALSE(RepairDatagram::Read(longer.data(), longer.size()));
}

TEST(RepairDatagram, RefusesWhatMakesNoSense)
{
    auto datagram = MakeReport();
    datagram.messageLength = 0;
    auto bytes = datagram.Write();
    EXPECT_FALSE(RepairDatagram::Read(bytes.data(), bytes.size()));
    datagram = MakeReport();
    datagram.words.pop_back(); // half a range
    bytes = datagram.Write();
    EXPECT_FALSE(RepairDatagram::Read(bytes.data(), bytes.size()));
    datagram = MakeReport();
    datagram.channel = static_cast<ModelChannel>(CHANNELS);
    bytes = datagram.Write();
    EXPECT_FALSE(RepairDatagram::Read(bytes.data(), bytes.size()));
}

TEST(RepairDatagram, LeavesOutRangesThatAreNone)
{
    auto report = MakeReport();
    report.words = {8, 8, 16, 8, 16, 24, 20, 30, 24, 30, 0, 8, 40, 1001, 900, 1000};
    EXPECT_EQ(report.GetRanges(), (std::vector<ByteRange>{{16, 24}, {24, 30}, {900, 1000}}));
}

TEST(RepairDatagram, HasAsManyRangesAsFit)
{
    RepairDatagram report;
    const std::vector<ByteRange> ranges{{0, 1}, {2, 3}, {4, 5}};
    report.SetRanges(ranges, 24 + 24);
    EXPECT_EQ(report.words, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
    report.SetRanges(ranges, 24 + 23);
    EXPECT_EQ(report.words, (std::vector<uint32_t>{0, 1, 2, 3}));
}

} // namespace
} // namespace ns3::dlearn
