/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-net-test-support.h"

#include "ns3/dlearn-second-phase.h"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

// How it runs between applications: dlearn-federated-second-phase-test,
// dlearn-cafcor-recovery-test.

using test::Exact;
using Disposition = AnswerLog::Disposition;

/** What became of the answers that were asked for: all but 0. */
using Totals = std::map<std::string, uint64_t>;

/** What came from each client. */
using Answers = std::map<LearnerId, std::vector<ModelVector>>;

/**
 * A server, 0, that asks clients 1 and 2 of 1, 2 and 3 for vectors of two entries. As the
 * server does, it closes the phase when its time is over.
 */
class SecondPhaseTest : public testing::Test
{
  protected:
    explicit SecondPhaseTest(const std::string& transport = "ns3::dlearn::UdpTransport")
        : m_net("ideal", test::Complete(4), 2, transport, 32, {}, std::nullopt, [](auto& exchange) {
              exchange.SetLength(ModelChannel::REQUEST, 3);
          })
    {
        m_net.Open();
    }

    /** Client 3 was missed: ask, with 2 s to answer. */
    void Ask(uint32_t requestId)
    {
        m_phase->Ask(*m_net.exchanges[0], requestId, {1, 2}, REQUEST, Seconds(2));
    }

    /** End it, and note what came. */
    void Close()
    {
        for (const auto& [client, answer] : m_phase->Close(*m_net.exchanges[0]))
        {
            m_came[client].push_back(answer);
        }
    }

    /** @return what became of an answer, which can be used */
    Disposition Answer(LearnerId client, uint32_t requestId)
    {
        return m_phase->Answer(client, requestId, Arrival{Exact(2, client), requestId, {}});
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
        m_phase->GetLog().Count(totals);
        for (const auto& [name, count] : totals)
        {
            if (count > 0)
            {
                some[name.substr(name.find('_') + 1)] = count;
            }
        }
        return some;
    }

    const ModelVector REQUEST = Eigen::Vector3d(0, 0, 1); //!< what they are asked
    test::ExchangeNet m_net;                              //!< 0 is the server
    std::optional<SecondPhase> m_phase{std::in_place, [this] {
                                           m_over.push_back(Simulator::Now().GetMilliSeconds());
                                           Close();
                                       }}; //!< its own
    Answers m_came;                        //!< by client, in all phases so far
    std::vector<int64_t> m_over;           //!< when time was over, in milliseconds
};

/** The same over TCP. */
class SecondPhaseTcpTest : public SecondPhaseTest
{
  protected:
    SecondPhaseTcpTest()
        : SecondPhaseTest("ns3::dlearn::TcpTransport")
    {
    }
};

TEST_F(SecondPhaseTest, AsksAndHandsOverWhatIsAnswered)
{
    EXPECT_FALSE(m_phase->IsComplete()) << "nothing is open";
    Ask(7);
    EXPECT_TRUE(m_phase->GetLog().IsOpen());
    Wait(Seconds(1));
    for (const LearnerId client : {1, 2})
    {
        const auto& entries = m_net.recorders[client].entries;
        ASSERT_EQ(entries.size(), 1U);
        EXPECT_EQ(entries[0].source, (test::Recorder::Source{0, ModelChannel::REQUEST}));
        EXPECT_EQ(entries[0].round, 7U);
        EXPECT_EQ(entries[0].arrival->values, REQUEST);
    }
    EXPECT_TRUE(m_net.recorders[3].entries.empty()) << "was not asked";
    EXPECT_EQ(Answer(1, 7), Disposition::ON_TIME);
    EXPECT_FALSE(m_phase->IsComplete());
    EXPECT_EQ(Answer(2, 7), Disposition::ON_TIME);
    EXPECT_TRUE(m_phase->IsComplete());
    Close();
    EXPECT_FALSE(m_phase->IsComplete()) << "nothing is open any more";
    EXPECT_EQ(m_came, (Answers{{1, {Exact(2, 1)}}, {2, {Exact(2, 2)}}}));
    Wait(Seconds(9));
    EXPECT_TRUE(m_over.empty()) << "closing ends the time";
    EXPECT_EQ(GetTotals(), (Totals{{"asked", 2}, {"used", 2}}));
}

TEST_F(SecondPhaseTest, WhatComesAfterItsTimeIsLateAndChangesNothing)
{
    Wait(Seconds(1));
    Ask(7);
    Wait(Seconds(1.5));
    EXPECT_EQ(Answer(1, 7), Disposition::ON_TIME);
    Wait(Seconds(1));
    EXPECT_EQ(m_over, std::vector<int64_t>{3000});
    EXPECT_FALSE(m_phase->GetLog().IsOpen());
    const Answers first{{1, {Exact(2, 1)}}};
    EXPECT_EQ(m_came, first);
    EXPECT_EQ(Answer(2, 7), Disposition::LATE);
    EXPECT_FALSE(m_phase->IsComplete()) << "else the server would close it twice";
    EXPECT_EQ(Answer(2, 7), Disposition::DUPLICATE);
    EXPECT_EQ(m_came, first);
    EXPECT_EQ(GetTotals(), (Totals{{"asked", 2}, {"used", 1}, {"late", 1}}));

    // Nor does it get into the next phase, whose time is its own.
    Ask(8);
    EXPECT_EQ(Answer(2, 7), Disposition::UNEXPECTED);
    EXPECT_EQ(m_phase->Answer(1, 8, std::nullopt), Disposition::ON_TIME) << "not usable";
    Wait(Seconds(9));
    EXPECT_EQ(m_over, (std::vector<int64_t>{3000, 5500}));
    EXPECT_EQ(m_came, first);
    EXPECT_EQ(GetTotals(),
              (Totals{{"asked", 4}, {"used", 1}, {"unusable", 1}, {"late", 1}, {"lost", 1}}));
}

TEST_F(SecondPhaseTest, IsNotHeardOfOnceDropped)
{
    m_phase->Drop(); // nothing is open
    Ask(7);
    EXPECT_EQ(Answer(1, 7), Disposition::ON_TIME);
    m_phase->Drop();
    EXPECT_FALSE(m_phase->GetLog().IsOpen());
    Wait(Seconds(1));
    EXPECT_EQ(Answer(2, 7), Disposition::LATE);
    EXPECT_FALSE(m_phase->IsComplete());
    Ask(8); // at 1 s: over at 3 s, not when the time of the dropped one would have been
    Wait(Seconds(9));
    EXPECT_EQ(m_over, std::vector<int64_t>{3000});
    EXPECT_TRUE(m_came.empty()) << "the answer went with the phase";
}

TEST_F(SecondPhaseTest, TheTimeOfADeletedPhaseIsNeverOver)
{
    Ask(7);
    m_phase.reset();
    Wait(Seconds(9));
    EXPECT_TRUE(m_over.empty());
}

TEST_F(SecondPhaseTcpTest, OnceClosedItsRequestIsNotSentAnyMore)
{
    Ask(7); // connections are not open yet
    Close();
    Wait(Seconds(1));
    EXPECT_TRUE(m_net.recorders[1].entries.empty());
    Ask(8);
    Wait(Seconds(1));
    ASSERT_EQ(m_net.recorders[1].entries.size(), 1U);
    EXPECT_EQ(m_net.recorders[1].entries[0].round, 8U);
}

TEST(SecondPhase, AsksOnceAllThatAnsweredTheNewestRequest)
{
    std::vector<ClientUpdate> updates(5);
    const LearnerId clients[] = {1, 1, 2, 4, 6};
    const uint32_t rounds[] = {8, 9, 9, 7, 9};
    for (size_t k = 0; k < updates.size(); ++k)
    {
        updates[k].client = clients[k];
        updates[k].round = rounds[k];
    }
    updates.push_back(updates.back());
    EXPECT_EQ(SecondPhase::FindAnswered(updates, 9), (std::vector<LearnerId>{1, 2, 6}));
    EXPECT_TRUE(SecondPhase::FindAnswered({}, 9).empty());
}

} // namespace
} // namespace ns3::dlearn
