/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-late-clients.h"

#include "ns3/dlearn-graph.h"

#include <cstdint>
#include <vector>

namespace ns3::dlearn
{

std::string
DescribeLateClients(const RunResults& results)
{
    std::vector<LearnerId> late;
    uint32_t clients = 0;
    for (const PairRecord& pair : results.pairs)
    {
        const bool update = results.roles.at(pair.to) == "server";
        clients += update ? 1 : 0;
        if (update && pair.received == 0 && pair.late > 0)
        {
            late.push_back(pair.from);
        }
    }
    if (late.empty())
    {
        return "";
    }
    const auto used = results.totals.find("updates_late_used");
    return "no update of " + std::to_string(late.size()) + " of " + std::to_string(clients) +
           " clients arrived in time: " + ListLearners(results.graph, late) +
           "; of all late updates " +
           std::to_string(used == results.totals.end() ? 0 : used->second) +
           " were used; --deadline, --quorum and --timeout say how long a round waits, --staleness "
           "what late updates are worth";
}

} // namespace ns3::dlearn
