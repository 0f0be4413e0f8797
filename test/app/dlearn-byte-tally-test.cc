/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-byte-tally.h"
#include "ns3/dlearn-round-record.h"
#include "ns3/dlearn-udp-transport.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

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

TEST(ByteTally, PutsEachByteIntoOneRecord)
{
    const auto transport = CreateObject<CountingTransport>();
    ByteTally tally;
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

TEST(ByteTally, CountsWhatNoRecordTellsOf)
{
    const auto transport = CreateObject<CountingTransport>();
    Totals totals;
    ByteTally().Finish(*transport, nullptr, totals);
    EXPECT_TRUE(totals.empty());
    transport->Move(7, 0);
    ByteTally().Finish(*transport, nullptr, totals);
    ByteTally().Finish(*transport, nullptr, totals); // of another learner
    EXPECT_EQ(totals, (Totals{{"tx_bytes_without_row", 14}}));
}

} // namespace
} // namespace ns3::dlearn
