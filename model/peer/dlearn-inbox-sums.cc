/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-inbox-sums.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

double
SumWeights(const Graph::Row& row)
{
    double sum = 0;
    for (const auto& [neighbor, weight] : row)
    {
        sum += weight;
    }
    return sum;
}

HeardWeight
MeasureHeard(const Graph::Row& row, const Inbox& inbox, ModelChannel channel)
{
    HeardWeight heard;
    for (const auto& [neighbor, weight] : row)
    {
        const Arrival* arrival = inbox.Find(neighbor, channel);
        heard.all += weight;
        heard.complete += arrival && arrival->IsComplete() ? weight : 0;
        heard.partial += arrival && !arrival->IsComplete() ? weight : 0;
    }
    return heard;
}

ModelVector
MixHeard(const ModelVector& own,
         const Graph::Row& row,
         const Inbox& inbox,
         ModelChannel channel,
         double coupling)
{
    ModelVector mixture = own;
    for (const auto& [neighbor, weight] : row)
    {
        const Arrival* arrival = inbox.Find(neighbor, channel);
        if (!arrival)
        {
            continue;
        }
        const double factor = coupling * weight;
        if (arrival->IsComplete())
        {
            mixture += factor * (arrival->values - own);
            continue;
        }
        for (Eigen::Index k = 0; k < own.size(); ++k)
        {
            if (arrival->present[static_cast<size_t>(k)])
            {
                mixture[k] += factor * (arrival->values[k] - own[k]);
            }
        }
    }
    return mixture;
}

void
CheckHeard(const std::string& name,
           const Graph::Row& row,
           const Inbox& inbox,
           ModelChannel channel,
           size_t size)
{
    for (const auto& [neighbor, weight] : row)
    {
        const Arrival* arrival = inbox.Find(neighbor, channel);
        if (arrival)
        {
            const std::string what = " of the vector from " + std::to_string(neighbor);
            RequireSize(name, "values" + what, arrival->values.size(), size);
            RequireSize(name,
                        "present" + what,
                        arrival->IsComplete() ? size : arrival->present.size(),
                        size);
        }
    }
}

} // namespace ns3::dlearn
