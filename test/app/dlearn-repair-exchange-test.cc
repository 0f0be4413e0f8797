/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-net-test-support.h"

#include "ns3/dlearn-repair-exchange.h"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

// How the exchange runs between applications: dlearn-cafcor-repair-test.

using test::Exact;
using Disposition = RepairBook::Disposition;

/** What became of the answers that were asked for: all but 0. */
using Totals = std::map<std::string, uint64_t>;

/**
 * A server, 0, that asks clients 1 and 2 of 1, 2 and 3 for corrections of vectors of two entries.
 * As the server does, it closes the exchange when its time is over.
 */
class RepairExchangeTest : public testing::Test
{
  protected:
    explicit RepairExchangeTest(const std::string& transport = "ns3::dlearn::UdpTransport")
        : m_net("ideal", test::Complete(4), 2, transport, 32, {}, std::nullopt, [](auto& exchange) {
              exchange.SetLength(ModelChannel::ROSTER, 3);
          })
    {
        m_net.Open();
        for (const LearnerId client : {1, 2})
        {
            ClientUpdate update;
            update.client = client;
            update.values = Exact(2, 10 * client);
            m_updates.push_back(update);
        }
    }

    /** Client 3 was missed: ask, with 2 s to answer. */
    void Ask(uint32_t requestId)
    {
        m_repair->Ask(*m_net.exchanges[0], requestId, {1, 2}, ROSTER, Seconds(2), [this] {
            m_over.push_back(Simulator::Now().GetMilliSeconds());
            m_repair->Close(*m_net.exchanges[0], m_updates);
        });
    }

    /** @return what became of a correction, which can be used */
    Disposition Answer(LearnerId client, uint32_t requestId)
    {
        return m_repair->Answer(client, requestId, Arrival{Exact(2, client), requestId, {}});
    }

    /** Let time pass. */
    void Wait(Time time)
    {
        Simulator::Stop(time);
        Simulator::Run();
    }

    /** @return what became of the answers */
    Totals GetTotals() const
    {
        Totals totals;
        Totals some;
        m_repair->GetBook().Count(totals);
        for (const auto& [name, count] : totals)
        {
            if (count > 0)
            {
                some[name.substr(name.find('_') + 1)] = count;
            }
        }
        return some;
    }

    const ModelVector ROSTER = RepairExchange::MakeRoster({1, 2, 3}, {3}); //!< 0, 0, 1
    test::ExchangeNet m_net;                                               //!< 0 is the server
    std::optional<RepairExchange> m_repair{std::in_place};                 //!< its exchange
    std::vector<ClientUpdate> m_updates; //!< to correct, those of 1 and 2
    std::vector<int64_t> m_over;         //!< when time was over, in milliseconds
};

/** The same over TCP. */
class RepairExchangeTcpTest : public RepairExchangeTest
{
  protected:
    RepairExchangeTcpTest()
        : RepairExchangeTest("ns3::dlearn::TcpTransport")
    {
    }
};

TEST_F(RepairExchangeTest, TellsTheAskedOfTheLostAndSubtractsWhatTheyAnswer)
{
    EXPECT_FALSE(m_repair->IsComplete()) << "nothing is open";
    Ask(7);
    EXPECT_TRUE(m_repair->GetBook().IsOpen());
    Wait(Seconds(1));
    for (const LearnerId client : {1, 2})
    {
        const auto& entries = m_net.recorders[client].entries;
        ASSERT_EQ(entries.size(), 1U);
        EXPECT_EQ(entries[0].source, (test::Recorder::Source{0, ModelChannel::ROSTER}));
        EXPECT_EQ(entries[0].round, 7U);
        EXPECT_EQ(entries[0].arrival->values, ROSTER);
    }
    EXPECT_TRUE(m_net.recorders[3].entries.empty()) << "was not asked";
    EXPECT_EQ(Answer(1, 7), Disposition::ON_TIME);
    EXPECT_FALSE(m_repair->IsComplete());
    EXPECT_EQ(Answer(2, 7), Disposition::ON_TIME);
    EXPECT_TRUE(m_repair->IsComplete());
    m_repair->Close(*m_net.exchanges[0], m_updates);
    EXPECT_FALSE(m_repair->IsComplete()) << "nothing is open any more";
    EXPECT_EQ(m_updates[0].values, ModelVector::Constant(2, 9)); // k + 10 - (k + 1)
    EXPECT_EQ(m_updates[1].values, ModelVector::Constant(2, 18));
    Wait(Seconds(9));
    EXPECT_TRUE(m_over.empty()) << "closing ends the time";
    EXPECT_EQ(GetTotals(), (Totals{{"asked", 2}, {"used", 2}}));
}

TEST_F(RepairExchangeTest, WhatComesAfterItsTimeIsLateAndChangesNothing)
{
    Wait(Seconds(1));
    Ask(7);
    Wait(Seconds(1.5));
    EXPECT_EQ(Answer(1, 7), Disposition::ON_TIME);
    Wait(Seconds(1));
    EXPECT_EQ(m_over, std::vector<int64_t>{3000});
    EXPECT_FALSE(m_repair->GetBook().IsOpen());
    const ModelVector corrected = m_updates[0].values;
    EXPECT_EQ(corrected, ModelVector::Constant(2, 9));
    EXPECT_EQ(Answer(2, 7), Disposition::LATE);
    EXPECT_FALSE(m_repair->IsComplete()) << "else the server would close it twice";
    EXPECT_EQ(Answer(2, 7), Disposition::DUPLICATE);
    EXPECT_EQ(m_updates[0].values, corrected);
    EXPECT_EQ(m_updates[1].values, Exact(2, 20)) << "as it was";
    EXPECT_EQ(GetTotals(), (Totals{{"asked", 2}, {"used", 1}, {"late", 1}}));

    // Nor does it get into the next exchange, whose time is its own.
    Ask(8);
    EXPECT_EQ(Answer(2, 7), Disposition::UNEXPECTED);
    EXPECT_EQ(m_repair->Answer(1, 8, std::nullopt), Disposition::ON_TIME) << "not usable";
    Wait(Seconds(9));
    EXPECT_EQ(m_over, (std::vector<int64_t>{3000, 5500}));
    EXPECT_EQ(m_updates[0].values, corrected);
    EXPECT_EQ(m_updates[1].values, Exact(2, 20));
    EXPECT_EQ(GetTotals(),
              (Totals{{"asked", 4}, {"used", 1}, {"unusable", 1}, {"late", 1}, {"lost", 1}}));
}

TEST_F(RepairExchangeTest, IsNotHeardOfOnceDropped)
{
    m_repair->Drop(); // nothing is open
    Ask(7);
    EXPECT_EQ(Answer(1, 7), Disposition::ON_TIME);
    m_repair->Drop();
    EXPECT_FALSE(m_repair->GetBook().IsOpen());
    Wait(Seconds(1));
    EXPECT_EQ(Answer(2, 7), Disposition::LATE);
    EXPECT_FALSE(m_repair->IsComplete());
    Ask(8); // at 1 s: over at 3 s, not when the time of the dropped one would have been
    Wait(Seconds(9));
    EXPECT_EQ(m_over, std::vector<int64_t>{3000});
    EXPECT_EQ(m_updates[0].values, Exact(2, 10)) << "the correction went with the exchange";
    EXPECT_EQ(m_updates[1].values, Exact(2, 20));
}

TEST_F(RepairExchangeTest, TheTimeOfOneThatIsGoneIsNeverOver)
{
    Ask(7);
    m_repair.reset();
    Wait(Seconds(9));
    EXPECT_TRUE(m_over.empty());
}

TEST_F(RepairExchangeTcpTest, OnceClosedItsRosterIsNotSentAnyMore)
{
    Ask(7); // connections are not open yet
    m_repair->Close(*m_net.exchanges[0], m_updates);
    Wait(Seconds(1));
    EXPECT_TRUE(m_net.recorders[1].entries.empty());
    Ask(8);
    Wait(Seconds(1));
    ASSERT_EQ(m_net.recorders[1].entries.size(), 1U);
    EXPECT_EQ(m_net.recorders[1].entries[0].round, 8U);
}

TEST(RepairExchange, ARosterTellsPlacesNotNumbers)
{
    const ModelVector roster = RepairExchange::MakeRoster({2, 3, 5, 8}, {3, 8});
    ModelVector expected(4);
    expected << 0, 1, 0, 1;
    EXPECT_EQ(roster, expected);
    EXPECT_EQ(RepairExchange::ReadRoster(roster), (std::vector<uint32_t>{1, 3}));
    EXPECT_TRUE(RepairExchange::ReadRoster(ModelVector::Zero(4)).empty());
    EXPECT_TRUE(RepairExchange::ReadRoster(ModelVector()).empty());
}

TEST(RepairExchange, AsksOnceWhoeverAnsweredTheNewestModel)
{
    std::vector<ClientUpdate> updates(5);
    const LearnerId clients[] = {1, 1, 2, 4, 6};
    const uint32_t staleness[] = {1, 0, 0, 2, 0};
    for (size_t k = 0; k < updates.size(); ++k)
    {
        updates[k].client = clients[k];
        updates[k].staleness = staleness[k];
    }
    updates.push_back(updates.back());
    EXPECT_EQ(RepairExchange::FindAnswered(updates), (std::vector<LearnerId>{1, 2, 6}));
    EXPECT_TRUE(RepairExchange::FindAnswered({}).empty());
}

} // namespace
} // namespace ns3::dlearn
