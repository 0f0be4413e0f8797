/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-link-options.h"

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {std::string(1, '\0') + "crash:1@10ms,restart:1@1.5s,leave:2@1h",
            "\1down:0-1@1s,up:0to1@2s,loss=0.5:1-2@3ms"};
}

void
Fuzz(Input& input)
{
    const bool churn = input.TakeByte() % 2 == 0;
    const std::string text = input.TakeRest();
    if (churn)
    {
        const auto schedule = ChurnSchedule::Parse(text);
        for (const auto& event : schedule.GetEvents())
        {
            Demand(event.time >= Time(0) && event.time <= schedule.GetEnd(), "events have a time");
        }
    }
    else
    {
        for (const auto& [time, loss] : LinkSchedule::Parse(text).GetLosses(0, 1, 0.25))
        {
            Demand(time >= Time(0) && loss >= 0 && loss <= 1, "a loss is a probability");
        }
    }
}

} // namespace ns3::dlearn::fuzz
