/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-message-table.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** A transport that has sent and received what a test says. */
class CountingTransport : public UdpTransport
{
  public:
    /**
     * @param sent more bytes
     * @param received more bytes
     */
    void Move(uint64_t sent, uint64_t received)
    {
        m_txBytes += sent;
        m_rxBytes += received;
    }
};

using Totals = std::map<std::string, uint64_t>;

TEST(TrafficCounter, PutsEachByteIntoOneRecord)
{
    const auto transport = CreateObject<CountingTransport>();
    TrafficCounter tally;
    RoundRecord first;
    RoundRecord second;
    transport->Move(10, 1);
    tally.Count(*transport, first);
    transport->Move(20, 2);
    tally.CountSent(*transport, first); // completes it
    transport->Move(30, 3);
    tally.Count(*transport, second);
    EXPECT_EQ(first.txBytes, 30U);
    EXPECT_EQ(first.rxBytes, 1U);
    EXPECT_EQ(second.txBytes, 30U);
    EXPECT_EQ(second.rxBytes, 5U);
    transport->Move(40, 4);
    Totals totals;
    for (int time = 0; time < 2; ++time)
    {
        tally.Finish(*transport, &second, totals);
        EXPECT_EQ(second.txBytes, 70U);
        EXPECT_EQ(second.rxBytes, 9U);
    }
    EXPECT_TRUE(totals.empty());
}

TEST(TrafficCounter, CountsWhatNoRecordTellsOf)
{
    const auto transport = CreateObject<CountingTransport>();
    Totals totals;
    TrafficCounter().Finish(*transport, nullptr, totals);
    EXPECT_TRUE(totals.empty());
    transport->Move(7, 0);
    TrafficCounter().Finish(*transport, nullptr, totals);
    TrafficCounter().Finish(*transport, nullptr, totals); // of another learner
    EXPECT_EQ(totals, (Totals{{"tx_bytes_without_row", 14}}));
}

/** An account with a given epsilon. */
class SpentAccount : public PrivacyAccount
{
  public:
    double GetEpsilon() const override { return m_epsilon; }

    double GetNominalEpsilon() const override { return 2 * m_epsilon; }

    double m_epsilon{0}; //!< realised; the nominal one is twice as much
};

/** A rule with an account, or none. */
class AccountedRule : public LearnerRule
{
  public:
    const ModelVector& GetModel() const override { return m_model; }

    uint64_t GetWork() const override { return 0; }

    Ptr<const PrivacyAccount> GetLedger() const override { return m_account; }

    Ptr<SpentAccount> m_account; //!< null for none

  private:
    ModelVector m_model;
};

TEST(UnrecordedExposure, HasARecordOnce)
{
    const auto rule = CreateObject<AccountedRule>();
    UnrecordedExposure exposure;
    std::vector<RoundRecord> records(1);
    records[0].epsilon = 3;
    for (const uint32_t round : {1, 2}) // the last one counts
    {
        Simulator::Schedule(Seconds(round), [&exposure, round] { exposure.Note(round); });
    }
    Simulator::Run();
    exposure.Record(3, *rule, records);
    EXPECT_EQ(records.size(), 1U) << "there is no account";
    rule->m_account = CreateObject<SpentAccount>();
    rule->m_account->m_epsilon = 3;
    exposure.Record(3, *rule, records);
    EXPECT_EQ(records.size(), 1U) << "it has cost nothing in the end";
    rule->m_account->m_epsilon = 7;
    exposure.Record(3, *rule, records);
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[1].closed, Seconds(2));
    EXPECT_EQ(records[1].round, 2U);
    EXPECT_EQ(records[1].node, 3U);
    EXPECT_EQ(records[1].epsilon, 7);
    EXPECT_EQ(records[1].epsilonNominal, 14);
    EXPECT_EQ(records[1].expected, 0U) << "it counts no messages";
    EXPECT_NO_THROW(records[1].CheckConservation());
    rule->m_account->m_epsilon = 9;
    exposure.Record(3, *rule, records);
    EXPECT_EQ(records.size(), 2U);
    exposure.Note(4);
    exposure.Forget();
    exposure.Record(3, *rule, records);
    EXPECT_EQ(records.size(), 2U) << "a later record shows it";
    Simulator::Destroy();
}

} // namespace
} // namespace ns3::dlearn
