/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-audit-plan.h"

#include "dlearn-choice.h"

#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-privacy-ledger.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** @return whether something of a probability happens */
bool
Happens(UniformRandomVariable& random, double probability)
{
    return random.GetValue(0, 1) < probability;
}

/**
 * @param random draws
 * @param base an interface
 * @param none what stands for "the rule's own"
 * @return one of the types of this module that have the interface, or half of the times none
 */
TypeId
DrawType(UniformRandomVariable& random, TypeId base, TypeId none)
{
    std::vector<TypeId> types;
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        // The classes that record and replay for the audit have a separate group name.
        if (type.IsChildOf(base) && type.HasConstructor() && type.GetGroupName() == "Dlearn")
        {
            types.push_back(type);
        }
    }
    // They are registered in the order in which the library was linked.
    std::sort(types.begin(), types.end(), [](const TypeId& a, const TypeId& b) {
        return a.GetName() < b.GetName();
    });
    const TypeId drawn = Choose(random, types);
    return Happens(random, 0.5) ? drawn : none;
}

/** @return a path through all learners, and some more edges */
Graph
DrawGraph(UniformRandomVariable& random, uint32_t learners)
{
    Graph graph(learners);
    for (LearnerId a = 0; a < learners; ++a)
    {
        for (LearnerId b = a + 1; b < learners; ++b)
        {
            if (b == a + 1 || Happens(random, 0.4))
            {
                graph.AddEdge(a, b, random.GetValue(0.1, 0.6));
            }
        }
    }
    return graph;
}

/** @return learners that leave, most of which come back */
ChurnSchedule
DrawChurn(UniformRandomVariable& random, uint32_t learners)
{
    ChurnSchedule churn;
    using Action = ChurnSchedule::Action;
    for (LearnerId id = 0; id < learners; ++id)
    {
        if (!Happens(random, 0.25))
        {
            continue;
        }
        Time time = Seconds(random.GetValue(0, 0.1));
        churn.Add(time, id, Happens(random, 0.7) ? Action::CRASH : Action::LEAVE);
        if (Happens(random, 0.8))
        {
            time += Seconds(random.GetValue(0.001, 0.1));
            churn.Add(time, id, Action::RESTART);
        }
    }
    return churn;
}

} // namespace

PeerAuditPlan::PeerAuditPlan(UniformRandomVariable& random)
    : learners(random.GetInteger(2, 4)),
      graph(DrawGraph(random, learners)),
      dimension(Choose<uint32_t>(random, {2, 2, 3, 3, 5, 5, 200})),
      rounds(random.GetInteger(4, 25)),
      batch(random.GetInteger(1, 3)),
      tight(Happens(random, 0.6)),
      regularization(Choose<double>(random, {0, 0, 0.4})),
      clip(Choose<double>(random, {0, 0, 0.2})),
      step(random.GetValue(0.05, 0.5)),
      noise(std::pow(10, random.GetValue(-1, 1))),
      budget(Happens(random, 0.2) ? std::pow(10, random.GetValue(-1, 2)) : 0),
      shortHistory(Happens(random, 0.2)),
      robust(false),
      runningSums(Happens(random, 0.4)),
      network(Choose<std::string>(random, {"ideal", "p2p", "p2p", "csma"})),
      transport(Choose<std::string>(random, {"UdpTransport", "UdpTransport", "TcpTransport"})),
      roundPolicy(Choose<std::string>(
          random,
          {"AllPolicy", "DeadlinePolicy", "QuorumPolicy", "AsynchronousPolicy"})),
      fraction(random.GetValue(0.3, 1)),
      deadline(Seconds(random.GetValue(0.002, 0.03))),
      lastReceived(Happens(random, 0.3)),
      usePartial(Happens(random, 0.5)),
      floatBits(Choose<uint32_t>(random, {32, 64})),
      compress(
          Choose<std::string>(random,
                              {"none", "none", "topk:1", "topk:1", "randk:1", "qsgd:7", "fp16"})),
      churn(DrawChurn(random, learners)),
      stop(Happens(random, 0.15) ? Seconds(random.GetValue(0.01, 0.2)) : Seconds(20))
{
    links.ignoreUseless = true; // ideal has a loss only
    links.loss = Choose<double>(random, {0, 0.1, 0.3});
    links.delay = Choose<Time>(random, {MilliSeconds(1), MilliSeconds(5)});
    links.rate = Choose<DataRate>(random, {DataRate("10Mbps"), DataRate("20kbps")});
    if (network == "csma" && Happens(random, 0.3))
    {
        transport = "UdpBroadcastTransport";
    }
    DropParts();
}

void
PeerAuditPlan::DrawParts(UniformRandomVariable& random)
{
    ledger = DrawType(random, PrivacyLedger::GetTypeId(), PrivacyAccount::GetTypeId());
    unit = DrawType(random, PrivacyUnit::GetTypeId(), PrivacyUnit::GetTypeId());
    mechanism = DrawType(random, NoiseMechanism::GetTypeId(), NoiseMechanism::GetTypeId());
    robust = Happens(random, 0.15);
}

void
PeerAuditPlan::DropParts()
{
    ledger = PrivacyAccount::GetTypeId();
    unit = PrivacyUnit::GetTypeId();
    mechanism = NoiseMechanism::GetTypeId();
    robust = false;
}

void
PeerAuditPlan::Suit(const UpdateRule& rule)
{
    if (rule.NeedsCommonRounds())
    {
        roundPolicy = IsAsynchronous() ? "DeadlinePolicy" : roundPolicy;
        lastReceived = false;
        compress = compress == "fp16" ? compress : "none"; // its vectors are no models
    }
    usePartial = usePartial && !IsAsynchronous() && !rule.NeedsWholeVectors();
}

} // namespace ns3::dlearn
