/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SHORT_RUNS_H
#define DLEARN_SHORT_RUNS_H

#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace ns3::dlearn
{
namespace test
{

/** @return ten rounds of three peers on point-to-point links of 8 Mbit/s with a delay */
inline RunSpec
ThreePeers(const std::string& delay = "1ms")
{
    RunSpec spec = LdpOnlinePreset("three-peers");
    spec.learners = 3;
    spec.rounds = 10;
    spec.network = "p2p";
    spec.rate = "8Mbps";
    spec.delay = delay;
    spec.dataSamples = 100;
    return spec;
}

/** @return two clients on point-to-point links that learn from glyphs, over UDP */
inline RunSpec
TwoClients(const std::string& rate)
{
    RunSpec spec = FedAvgPreset("two-clients");
    spec.network = "p2p";
    spec.transport = "udp";
    spec.rate = rate;
    spec.learners = 2;
    spec.data = "glyphs";
    spec.dataSamples = 500;
    return spec;
}

/** @return the results of a run, without its table */
inline RunResults
Execute(const RunSpec& spec)
{
    dlearn::Run run(spec);
    std::ostringstream table;
    return run.Execute(table);
}

/** @return seconds until the last learner had finished */
inline double
GetEnd(const RunResults& results)
{
    Time end;
    for (const auto& row : results.rows)
    {
        end = std::max(end, row.record.closed);
    }
    return end.GetSeconds();
}

/** @return the accuracy after the last evaluated round of a run */
inline double
GetFinalAccuracy(const RunSpec& spec)
{
    dlearn::Run run(spec);
    std::ostringstream table;
    run.Execute(table);
    return run.GetSummaries().back().mean.accuracy;
}

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_SHORT_RUNS_H
