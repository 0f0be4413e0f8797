/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-byte-tally.h"

#include "dlearn-round-record.h"

#include "ns3/dlearn-transport.h"

#include <utility>

namespace ns3::dlearn
{

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
