/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../support/dlearn-tcp-pair.h"
#include "dlearn-fuzz.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {std::string(40, '\0'), "0123456789012345678901234567890123456789"};
}

/** Streams in both directions over links and buffers of all kinds: each byte arrives, in order. */
void
Fuzz(Input& input)
{
    const auto take = [&input](uint32_t most) { return input.TakeNumber() % (most + 1); };
    RngSeedManager::SetSeed(1 + take(1000000));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(take(1) == 1));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(300 + take(1148)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(6000 + take(200000)));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6000 + take(200000)));
    const char* rates[] = {"1Mbps", "10Mbps", "100Mbps", "1Gbps"};
    TcpPair pair(rates[take(3)], MicroSeconds(take(60000)), 20);
    pair.Lose(take(20) / 100.0);
    for (TcpPair::Side* end : {&pair.server, &pair.client})
    {
        end->total = take(3) > 0 ? take(300000) : 0;
        end->chunk = 1 + take(9000);
    }
    pair.client.total += 1; // else the server does not get to know of the connection
    pair.client.closes = pair.server.total == 0;
    pair.Connect();
    Simulator::Stop(Seconds(20000));
    Simulator::Run();
    const bool whole =
        pair.server.received == pair.client.total && pair.client.received == pair.server.total;
    const bool intact = pair.server.intact && pair.client.intact;
    pair.End();
    Demand(whole, "all bytes arrive");
    Demand(intact, "bytes arrive in order");
}

} // namespace ns3::dlearn::fuzz
