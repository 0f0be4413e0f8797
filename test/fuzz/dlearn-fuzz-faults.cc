/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-fault-schedule.h"

/**
 * @file
 * Files of faults, and what is refused of them among four learners.
 */

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    return {"# begin\ncrash:1@10ms\nrestart:1@1.5s\nleave:2@1h\ndrift=-200.5:3@0s\n",
            "checkpoint=20:0@0s\ncrash:0@1s\nrestart:0@2s\n",
            "down:0-1@1s\nup:0to1@2s\nloss=0.5:*@3ms\nburst=0,1,0.02,0.1:1-2@0s\n",
            "corrupt=0.1:2-3@1s\nduplicate=1:*@1s\nreorder=0.5,2ms:2to3@1s\n",
            "partition:0-1|2@1s\nheal@2s\n"};
}

void
Fuzz(Input& input)
{
    Graph row(4);
    for (LearnerId learner = 0; learner < 3; ++learner)
    {
        row.AddEdge(learner, learner + 1);
    }
    const FaultSchedule schedule = FaultSchedule::Read(WriteFile(input.TakeRest()));
    Time last;
    for (const FaultEvent& event : schedule.GetEvents())
    {
        Demand(event.time >= last, "events are in order, from time 0 on");
        last = event.time;
        for (const double value : event.values)
        {
            const bool probability = value >= 0 && value <= 1;
            Demand(probability || event.kind == FaultEvent::Kind::DRIFT ||
                       event.kind == FaultEvent::Kind::CHECKPOINT,
                   "probabilities are");
        }
    }
    schedule.Check(row);
}

} // namespace ns3::dlearn::fuzz
