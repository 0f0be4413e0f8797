/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The bytes of an evaluated round are those that had left the learners when it ended, counted here
 * below UDP.
 */

#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-results-summary.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

/** Bytes of UDP's payload that nodes have sent and received, by time. */
class UdpBytes
{
  public:
    /** @param nodes to watch */
    explicit UdpBytes(const NodeContainer& nodes)
    {
        for (uint32_t k = 0; k < nodes.GetN(); ++k)
        {
            const auto ip = nodes.Get(k)->GetObject<Ipv4L3Protocol>();
            ip->TraceConnectWithoutContext("SendOutgoing", MakeCallback(&UdpBytes::HandleTx, this));
            ip->TraceConnectWithoutContext("LocalDeliver", MakeCallback(&UdpBytes::HandleRx, this));
        }
    }

    /** @return sent until the end of a nanosecond */
    uint64_t GetTx(Time end) const { return Get(m_tx, end); }

    /** @return received likewise */
    uint64_t GetRx(Time end) const { return Get(m_rx, end); }

  private:
    using Bytes = std::map<Time, uint64_t>;

    static uint64_t Get(const Bytes& bytes, Time end)
    {
        uint64_t sum = 0;
        for (auto entry = bytes.begin(); entry != bytes.upper_bound(end); ++entry)
        {
            sum += entry->second;
        }
        return sum;
    }

    void HandleTx(const Ipv4Header& /* header */,
                  Ptr<const Packet> packet,
                  uint32_t /* interface */)
    {
        m_tx[Simulator::Now()] += packet->GetSize() - 8; // header of UDP
    }

    void HandleRx(const Ipv4Header& /* header */,
                  Ptr<const Packet> packet,
                  uint32_t /* interface */)
    {
        m_rx[Simulator::Now()] += packet->GetSize() - 8;
    }

    Bytes m_tx; //!< by time
    Bytes m_rx; //!< by time
};

/** The rounds of a run against what was counted. */
void
ExpectBytes(const RunSpec& spec, bool atOnce)
{
    dlearn::Run run(spec);
    const UdpBytes bytes(run.GetNetwork().GetNodes());
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    const auto rounds = FindEvaluatedRounds(results);
    ASSERT_GE(rounds.size(), 5U);
    uint64_t ofRows = 0;
    for (const ResultRow& row : results.rows)
    {
        ofRows += row.record.closed <= rounds[0].time ? row.record.txBytes : 0;
    }
    EXPECT_EQ(ofRows != rounds[0].txBytes, !atOnce) << "rows tell of other times";
    for (const EvaluatedRound& round : rounds)
    {
        // The next round may begin in the same nanosecond.
        EXPECT_GE(round.txBytes, bytes.GetTx(round.time - NanoSeconds(1))) << round.round;
        EXPECT_LE(round.txBytes, bytes.GetTx(round.time)) << round.round;
        EXPECT_GE(round.rxBytes, bytes.GetRx(round.time - NanoSeconds(1))) << round.round;
        EXPECT_LE(round.rxBytes, bytes.GetRx(round.time)) << round.round;
    }
}

// The updates of the first round are under way when the deadline comes.
TEST(EvaluatedBytes, OfAFederationWithADeadline)
{
    RunSpec spec = test::TwoClients("200kbps");
    spec.rounds = 5;
    spec.deadline = "1500ms";
    ExpectBytes(spec, false);
}

// The clients that are ahead send while others are still in the round.
TEST(EvaluatedBytes, OfPeersThatAreAhead)
{
    RunSpec spec = test::ThreePeers();
    spec.data = "glyphs";
    spec.synchrony = "async";
    spec.evaluateEvery = 1;
    spec.clientFlops = "lognormal:1e6:1";
    ExpectBytes(spec, false);
}

TEST(EvaluatedBytes, OfRoundsInLockStep)
{
    RunSpec spec = FedAvgPreset("evaluated-bytes");
    spec.network = "p2p";
    spec.transport = "udp";
    spec.learners = 3;
    spec.rounds = 5;
    ExpectBytes(spec, true);
}

} // namespace
} // namespace ns3::dlearn
