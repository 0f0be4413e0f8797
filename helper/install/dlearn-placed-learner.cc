/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-placed-learner.h"

#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/simulator.h"

#include <string>
#include <utility>

namespace ns3::dlearn
{

void
PlaceLearner(const Ptr<LearnerApplication>& learner, const Ptr<Node>& node, Time start)
{
    learner->SetStartTime(start);
    if (IsOnThisRank(*node))
    {
        node->AddApplication(learner);
        return;
    }
    learner->SetNode(node);
    Simulator::ScheduleDestroy(&Application::Dispose, learner); // as a node does with its own
}

void
ScheduleForLearner(const Ptr<LearnerApplication>& learner,
                   Time time,
                   std::function<void(LearnerApplication&)> action)
{
    const Ptr<Node> node = learner->GetNode();
    if (!node || IsOnThisRank(*node))
    {
        const std::string what = "an event of learner " + std::to_string(learner->GetLearnerId());
        Simulator::Schedule(GetDelayUntil(what, Simulator::Now(), time),
                            [learner, action = std::move(action)] { action(*learner); });
    }
}

} // namespace ns3::dlearn
