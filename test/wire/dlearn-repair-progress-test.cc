/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-erasure-code.h"
#include "ns3/dlearn-model-header.h"
#include "ns3/dlearn-repair-progress.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Learners = std::vector<LearnerId>;

std::vector<uint32_t>
TakeAll(RepairProgress& progress)
{
    std::vector<uint32_t> fragments;
    while (progress.HasPart())
    {
        fragments.push_back(progress.TakePart().number);
    }
    return fragments;
}

TEST(RepairProgress, SendsAllThenWhatIsAskedFor)
{
    RepairProgress progress(45, 10, {4, 2}, {}, {});
    EXPECT_EQ(TakeAll(progress), (std::vector<uint32_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(progress.BeginPoll(), (Learners{2, 4}));
    EXPECT_TRUE(progress.TakeReport(2, {{9, 11}, {44, 45}})); // in two fragments, and the last
    EXPECT_FALSE(progress.HasHeardAll());
    EXPECT_FALSE(progress.TakeReport(2, {{20, 30}})); // once a poll
    EXPECT_FALSE(progress.TakeReport(3, {{20, 30}})); // no recipient
    EXPECT_TRUE(progress.TakeReport(4, {}));
    EXPECT_TRUE(progress.HasHeardAll());
    progress.EndPoll();
    EXPECT_EQ(TakeAll(progress), (std::vector<uint32_t>{0, 1, 4}));
    EXPECT_EQ(progress.BeginPoll(), Learners{2});
    EXPECT_TRUE(progress.TakeReport(2, {}));
    EXPECT_FALSE(progress.IsOpen());
    EXPECT_FALSE(progress.HasPart());
}

// The last block has one fragment, but its rows are those of a whole block. When there is no other
// row, the fragment itself is sent again.
TEST(RepairProgress, SendsNoRowThatReceiversRefuse)
{
    RepairProgress::Limits limits;
    limits.polls = 400;
    RepairProgress::Code code;
    code.share = 0.1;
    code.blockFragments = 100;
    code.repairs = true;
    RepairProgress progress(1010, 10, {1}, limits, code);
    uint32_t rows = 0;
    uint32_t repeated = 0;
    for (uint32_t poll = 0; poll < 300; ++poll)
    {
        while (progress.HasPart())
        {
            const auto part = progress.TakePart();
            const bool ofLast = part.parity && part.number == 1;
            EXPECT_TRUE(!ofLast || code.blockFragments + part.row < ErasureCode::LARGEST_BLOCK);
            rows += ofLast ? 1 : 0;
            repeated += !part.parity && part.number == 100 ? 1 : 0;
        }
        progress.BeginPoll();
        EXPECT_TRUE(progress.TakeReport(1, {{1000, 1010}}));
        progress.EndPoll();
    }
    EXPECT_EQ(rows, ErasureCode::LARGEST_BLOCK - code.blockFragments);
    EXPECT_EQ(rows + repeated, 301U);
}

TEST(RepairProgress, GivesUpAfterSilenceInARow)
{
    RepairProgress::Limits limits;
    limits.silent = 2;
    RepairProgress progress(10, 10, {1}, limits, {});
    TakeAll(progress);
    for (const bool answers : {false, true, false, true, false})
    {
        EXPECT_EQ(progress.BeginPoll(), Learners{1});
        EXPECT_EQ(answers && progress.TakeReport(1, {{0, 10}}), answers);
        progress.EndPoll();
        EXPECT_TRUE(progress.IsOpen());
    }
    progress.BeginPoll();
    progress.EndPoll();
    EXPECT_FALSE(progress.IsOpen());
}

TEST(RepairProgress, EndsAfterTheLastPoll)
{
    RepairProgress::Limits limits;
    limits.polls = 3;
    limits.silent = 100;
    RepairProgress progress(10, 10, {1}, limits, {});
    for (uint32_t k = 0; k < 3; ++k)
    {
        EXPECT_EQ(progress.BeginPoll(), Learners{1});
        progress.EndPoll();
    }
    EXPECT_TRUE(progress.BeginPoll().empty());
    EXPECT_FALSE(progress.IsOpen());
}

// Ten fragments a report: the fifth is beyond 4 lengths and one fragment.
TEST(RepairProgress, NobodyAsksForMoreThanTheLimit)
{
    RepairProgress progress(100, 10, {1, 2}, {}, {});
    for (uint32_t k = 0; k < 4; ++k)
    {
        TakeAll(progress);
        progress.BeginPoll();
        EXPECT_TRUE(progress.TakeReport(1, {{0, 100}}));
        EXPECT_TRUE(progress.TakeReport(2, {{50, 60}}));
        EXPECT_EQ(TakeAll(progress).size(), 10U);
    }
    progress.BeginPoll();
    EXPECT_TRUE(progress.TakeReport(1, {{0, 100}}));
    EXPECT_TRUE(progress.TakeReport(2, {{50, 60}}));
    EXPECT_EQ(TakeAll(progress), std::vector<uint32_t>{5}); // that of learner 2
    EXPECT_EQ(progress.BeginPoll(), Learners{2});
}

/** A report: when it is sent, to which learner, of which round. */
using Sent = std::tuple<Time, LearnerId, uint32_t>;

/** Learner 7, which is asked for reports. */
class RepairReportsTest : public testing::Test
{
  protected:
    ~RepairReportsTest() override { Simulator::Destroy(); }

    /** @return a poll of some learners for a message of 100 bytes */
    static RepairDatagram MakePoll(uint32_t round, std::vector<uint32_t> learners)
    {
        RepairDatagram poll;
        poll.channel = ModelChannel::TRACKER;
        poll.round = round;
        poll.messageLength = 100;
        poll.words = std::move(learners);
        return poll;
    }

    std::vector<Sent> m_sent; //!< what was sent
    RepairReports m_reports{[this](LearnerId to, const RepairDatagram& report) {
        EXPECT_EQ(report.kind, RepairDatagram::Kind::REPORT);
        EXPECT_EQ(report.channel, ModelChannel::TRACKER);
        EXPECT_EQ(report.messageLength, 100U);
        EXPECT_TRUE(report.words.empty());
        m_sent.emplace_back(Simulator::Now(), to, report.round);
    }}; //!< of learner 7
};

TEST_F(RepairReportsTest, AreSentInTheOrderOfThePoll)
{
    m_reports.Schedule(7, 1, MakePoll(3, {5, 6, 7}), MilliSeconds(4));
    m_reports.Schedule(7, 2, MakePoll(4, {7, 5}), MilliSeconds(4));
    m_reports.Schedule(7, 3, MakePoll(5, {5, 6}), MilliSeconds(4)); // not of this learner
    Simulator::Run();
    EXPECT_EQ(m_sent, (std::vector<Sent>{{Time(0), 2, 4}, {MilliSeconds(8), 1, 3}}));
}

TEST_F(RepairReportsTest, ANewerPollOfTheChannelReplacesAnOlderOne)
{
    m_reports.Schedule(7, 1, MakePoll(3, {5, 7}), MilliSeconds(4));
    m_reports.Schedule(7, 1, MakePoll(4, {5, 6, 7}), MilliSeconds(4));
    Simulator::Run();
    EXPECT_EQ(m_sent, (std::vector<Sent>{{MilliSeconds(8), 1, 4}}));
}

TEST_F(RepairReportsTest, TakeATenthOfASecondAtMost)
{
    const auto poll = MakePoll(0, std::vector<uint32_t>(1000, 5));
    EXPECT_EQ(RepairReports::GetSpan(MakePoll(0, {5, 6, 7}), MilliSeconds(4)), MilliSeconds(12));
    EXPECT_EQ(RepairReports::GetSpan(poll, MilliSeconds(4)), MilliSeconds(100));
}

TEST_F(RepairReportsTest, AreNotSentWhenTheyAreCleared)
{
    m_reports.Schedule(7, 1, MakePoll(3, {5, 7}), MilliSeconds(4));
    m_reports.Clear();
    Simulator::Run();
    EXPECT_TRUE(m_sent.empty());
}

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

TEST(RepairMethod, ReadsTheTextsOfTheManual)
{
    struct Case
    {
        const char* text;
        bool polls;
        bool parity;
        double share;
    };

    for (const Case& known : {Case{"none", false, false, 0},
                              Case{"nack", true, false, 0},
                              Case{"fec:0.001", false, true, 0.001},
                              Case{"fec:4", false, true, 4},
                              Case{"both", true, true, 0},
                              Case{"both:0.5", true, true, 0.5}})
    {
        const auto method = RepairMethod::Parse(known.text);
        ASSERT_TRUE(method) << known.text;
        EXPECT_EQ(method->polls, known.polls) << known.text;
        EXPECT_EQ(method->parity, known.parity) << known.text;
        EXPECT_EQ(method->share, known.share) << known.text;
    }
    for (const char* unknown : {"",
                                "fec",
                                "fec:",
                                "fec:0",
                                "fec:4.1",
                                "fec:x",
                                "nack:1",
                                "none:1",
                                "both:",
                                "both:-1",
                                "Nack"})
    {
        EXPECT_FALSE(RepairMethod::Parse(unknown)) << unknown;
    }
}

} // namespace
} // namespace ns3::dlearn
