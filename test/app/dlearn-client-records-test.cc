/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-client-records.h"
#include "ns3/simulator.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** An account that says what a test wants. */
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

/** The records of client 3. */
class ClientRecordsTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    /** A round in which one of two messages was used and the other came late. */
    static RoundRecord MakeRecord(uint32_t round)
    {
        RoundRecord record;
        record.round = round;
        record.node = 3;
        record.expected = 2;
        record.received = 1;
        record.used = 1;
        record.late = 1;
        return record;
    }

    void KeepAccount() { m_rule->m_account = CreateObject<SpentAccount>(); }

    /** Spend, and make a record of a round whose update is on its way. */
    void Add(uint32_t round, double epsilon)
    {
        m_rule->m_account->m_epsilon = epsilon;
        RoundRecord record = MakeRecord(round);
        record.SetPrivacy(*m_rule);
        m_records.Add(record);
    }

    Ptr<AccountedRule> m_rule{CreateObject<AccountedRule>()};
    ClientRecords m_records;
};

TEST_F(ClientRecordsTest, ARecordIsOpenUntilItIsComplete)
{
    KeepAccount();
    EXPECT_FALSE(m_records.IsOpen());
    EXPECT_EQ(m_records.GetLast(), nullptr);
    Add(4, 1.5);
    EXPECT_TRUE(m_records.IsOpen());
    m_records.GetLast()->txBytes += 1000;
    m_records.Complete(*m_rule);
    EXPECT_FALSE(m_records.IsOpen());
    ASSERT_EQ(m_records.Get().size(), 1U);
    EXPECT_EQ(m_records.Get()[0].round, 4U);
    EXPECT_EQ(m_records.Get()[0].txBytes, 1000U);
    EXPECT_EQ(m_records.Get()[0].epsilon, 1.5);
    EXPECT_EQ(m_records.Get()[0].epsilonNominal, 3);
}

TEST_F(ClientRecordsTest, AnUpdateThatHasNotLeftCostsNothing)
{
    KeepAccount();
    Add(0, 1);
    m_records.Complete(*m_rule);
    Add(1, 2);
    m_rule->m_account->m_epsilon = 1;
    m_records.Complete(*m_rule);
    ASSERT_EQ(m_records.Get().size(), 2U);
    EXPECT_EQ(m_records.Get()[0].epsilon, 1);
    EXPECT_EQ(m_records.Get()[1].epsilon, 1);
    EXPECT_EQ(m_records.Get()[1].epsilonNominal, 4) << "as planned";
}

TEST_F(ClientRecordsTest, WithoutAnAccountThereIsNoEpsilon)
{
    m_records.Add(MakeRecord(0));
    m_records.Complete(*m_rule);
    EXPECT_TRUE(std::isnan(m_records.Get()[0].epsilon));
    m_records.NoteExposure(0);
    m_records.RecordExposure(3, *m_rule);
    EXPECT_EQ(m_records.Get().size(), 1U);
}

TEST_F(ClientRecordsTest, WhatComesAfterTheLastRecordHasOneOfItsOwn)
{
    KeepAccount();
    m_records.Add(MakeRecord(0));
    m_records.Complete(*m_rule);
    for (const uint32_t round : {1, 2}) // the last one counts
    {
        Simulator::Schedule(Seconds(round), [this, round] { m_records.NoteExposure(round); });
    }
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    m_rule->m_account->m_epsilon = 7;
    m_records.RecordExposure(3, *m_rule);
    ASSERT_EQ(m_records.Get().size(), 2U);
    const RoundRecord& record = m_records.Get()[1];
    EXPECT_EQ(record.closed, Seconds(2));
    EXPECT_EQ(record.round, 2U);
    EXPECT_EQ(record.node, 3U);
    EXPECT_EQ(record.epsilon, 7);
    EXPECT_EQ(record.epsilonNominal, 14);
    EXPECT_EQ(record.expected, 0U) << "it counts no messages";
    EXPECT_NO_THROW(m_records.CheckConservation());
    m_records.RecordExposure(3, *m_rule);
    EXPECT_EQ(m_records.Get().size(), 2U) << "once";
}

TEST_F(ClientRecordsTest, WhatALaterRecordShowsHasNoneOfItsOwn)
{
    KeepAccount();
    Add(0, 1);
    m_records.NoteExposure(0);
    m_rule->m_account->m_epsilon = 7;
    m_records.Complete(*m_rule);
    Add(1, 8);
    m_records.Complete(*m_rule);
    m_records.RecordExposure(3, *m_rule);
    ASSERT_EQ(m_records.Get().size(), 2U);
    EXPECT_EQ(m_records.Get()[0].epsilon, 1) << "what came after it is not in it";
    EXPECT_EQ(m_records.Get()[1].epsilon, 8);
}

TEST_F(ClientRecordsTest, EachRecordObeysTheLaws)
{
    m_records.Add(MakeRecord(0));
    EXPECT_NO_THROW(m_records.CheckConservation());
    RoundRecord wrong = MakeRecord(1);
    wrong.late = 0;
    m_records.Add(wrong);
    m_records.Add(MakeRecord(2));
    ExpectRefused<std::logic_error>([this] { m_records.CheckConservation(); },
                                    "expected = received + late + lost");
}

} // namespace
} // namespace ns3::dlearn
