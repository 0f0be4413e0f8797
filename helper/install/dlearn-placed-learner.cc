/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-placed-learner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <map>
#include <optional>
#include <set>
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
    Simulator::ScheduleDestroy(&Application::Dispose, learner); // a node disposes of its own
}

void
ScheduleForLearner(const Ptr<LearnerApplication>& learner,
                   Time time,
                   std::function<void(LearnerApplication&)> action)
{
    const Ptr<Node> node = learner->GetNode();
    if (!node || IsOnThisRank(*node))
    {
        const std::string name = "an event of learner " + std::to_string(learner->GetLearnerId());
        Simulator::Schedule(GetDelayUntil(name, Simulator::Now(), time),
                            [learner, action = std::move(action)] { action(*learner); });
    }
}

namespace
{

Ptr<Object>
GetTransport(const LearnerApplication& learner)
{
    PointerValue transport;
    learner.GetExchange()->GetAttribute("Transport", transport);
    return transport.Get<Object>();
}

/** @return absent: the transport does not have a port */
std::optional<uint16_t>
GetPort(const LearnerApplication& learner)
{
    UintegerValue port;
    const bool known = GetTransport(learner)->GetAttributeFailSafe("Port", port);
    return known ? std::make_optional(static_cast<uint16_t>(port.Get())) : std::nullopt;
}

} // namespace

void
SeparatePorts(const std::vector<Ptr<LearnerApplication>>& learners)
{
    std::map<Ptr<Node>, std::set<uint16_t>> taken;
    std::set<Ptr<Node>> nodes;
    for (const auto& learner : learners)
    {
        const bool alone = nodes.insert(learner->GetNode()).second;
        const auto port = GetPort(*learner);
        Require(alone || port,
                "learner {} is not alone on node {}, so its transport must have an attribute Port",
                learner->GetLearnerId(),
                learner->GetNode()->GetId());
        if (!port)
        {
            continue;
        }
        std::set<uint16_t>& ports = taken[learner->GetNode()];
        uint16_t own = *port;
        while (own == 0 || !ports.insert(own).second)
        {
            ++own;
        }
        if (own != *port)
        {
            GetTransport(*learner)->SetAttribute("Port", UintegerValue(own));
        }
    }
}

Address
GetLearnerAddress(const Network& network,
                  const std::vector<Ptr<LearnerApplication>>& learners,
                  LearnerId from,
                  LearnerId to)
{
    const Address address = network.FindIpAddress(from, to);
    const auto port = GetPort(*learners[to]);
    if (!port || port == GetPort(*learners[from]))
    {
        return address;
    }
    return Endpoint::Find(address, *port)->ToSocketAddress();
}

} // namespace ns3::dlearn
