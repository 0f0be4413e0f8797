/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-record.h"

#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-transport.h"
#include "ns3/simulator.h"

#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

void
RoundRecord::SetPrivacy(const LearnerRule& rule)
{
    if (const auto ledger = rule.GetLedger())
    {
        epsilon = ledger->GetEpsilon();
        epsilonNominal = ledger->GetNominalEpsilon();
    }
}

void
RoundRecord::CheckConservation() const
{
    const std::string where =
        "at node " + std::to_string(node) + " in round " + std::to_string(round);
    RequireLaw(expected, received + late + lost, "expected = received + late + lost", where);
    RequireLaw(received, used + rejected, "received = used + rejected", where);
}

void
UnrecordedExposure::Note(uint32_t round)
{
    m_last = {Simulator::Now(), round};
}

void
UnrecordedExposure::Record(LearnerId learner,
                           const LearnerRule& rule,
                           std::vector<RoundRecord>& records)
{
    const auto ledger = rule.GetLedger();
    const double shown = records.empty() ? 0 : records.back().epsilon;
    if (!m_last || !ledger || ledger->GetEpsilon() <= shown) // what has not left costs nothing
    {
        return;
    }
    RoundRecord record;
    record.node = learner;
    record.closed = m_last->first;
    record.round = m_last->second;
    record.SetPrivacy(rule);
    records.push_back(record);
    m_last.reset();
}

void
RequireLaw(uint64_t left, uint64_t right, const char* law, const std::string& where)
{
    if (left != right)
    {
        std::ostringstream message;
        message << "conservation law broken " << where << ": " << law << ", but " << left
                << " != " << right;
        throw std::logic_error(message.str());
    }
}

void
ByteTally::CountSent(const Transport& transport, RoundRecord& record)
{
    const uint64_t sent = transport.GetTxBytes();
    record.txBytes += sent - std::exchange(m_sent, sent);
}

void
ByteTally::Count(const Transport& transport, RoundRecord& record)
{
    CountSent(transport, record);
    const uint64_t received = transport.GetRxBytes();
    record.rxBytes += received - std::exchange(m_received, received);
}

void
ByteTally::Finish(const Transport& transport,
                  RoundRecord* last,
                  std::map<std::string, uint64_t>& totals)
{
    if (last)
    {
        Count(transport, *last);
        return;
    }
    RoundRecord none;
    Count(transport, none);
    if (none.txBytes > 0)
    {
        totals["tx_bytes_without_row"] += none.txBytes;
    }
    if (none.rxBytes > 0)
    {
        totals["rx_bytes_without_row"] += none.rxBytes;
    }
}

} // namespace ns3::dlearn
