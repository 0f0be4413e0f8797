/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-monitor.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(TrackingMonitor);

namespace
{

constexpr size_t MOST_REMEMBERED = 4096; //!< pushes of a learner that a receiver may still accept

} // namespace

TypeId
TrackingMonitor::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<TrackingMonitor, Object>("ns3::dlearn::TrackingMonitor")
            .AddTraceSource("TrackingInvariant",
                            "All learners have closed a round: the difference between the sum of "
                            "their trackers and the sum of their gradients.",
                            MakeTraceSourceAccessor(&TrackingMonitor::m_trace),
                            "ns3::dlearn::TrackingMonitor::InvariantTracedCallback");
    return tid;
}

void
TrackingMonitor::DoDispose()
{
    m_learners.clear();
    m_rules.clear();
    m_open.clear();
    Object::DoDispose();
}

void
TrackingMonitor::Watch(const std::vector<Ptr<PeerApplication>>& learners)
{
    Require(m_learners.empty(), "TrackingMonitor: Watch() must be called once");
    Require(!learners.empty(), "TrackingMonitor: learners must not be empty");
    for (const auto& learner : learners)
    {
        const auto rule = DynamicCast<GradientTracking>(learner->GetRule());
        Require(rule != nullptr,
                "TrackingMonitor: rules must be ns3::dlearn::GradientTracking, got ",
                learner->GetRule()->GetInstanceTypeId().GetName());
        m_rules.push_back(rule);
    }
    m_learners = learners;
    m_newest.assign(learners.size(), -1);
    m_pulls.assign(learners.size(), 0);
    m_sums.resize(learners.size());
    m_receivers.resize(learners.size());
    for (LearnerId receiver = 0; receiver < m_rules.size(); ++receiver)
    {
        for (const auto& [sender, weight] : m_rules[receiver]->GetTrackerWeights())
        {
            m_pulls.at(sender) += weight;
            m_receivers.at(sender).push_back(receiver);
        }
    }
    for (const auto& learner : m_learners)
    {
        m_traces.Add(learner, "Outbox", MakeCallback(&TrackingMonitor::HandleOutbox, this));
        m_traces.Add(learner, "RoundEnd", MakeCallback(&TrackingMonitor::HandleRoundEnd, this));
    }
}

void
TrackingMonitor::HandleOutbox(LearnerId learner, uint32_t round, const Outbox& outbox)
{
    for (const Outgoing& outgoing : outbox)
    {
        if (outgoing.channel == ModelChannel::TRACKER)
        {
            m_sums.at(learner)[round] = outgoing.values;
            ForgetAccepted(learner);
        }
    }
}

/** Forget the pushes of a learner that are older than accepted pushes. */
void
TrackingMonitor::ForgetAccepted(LearnerId sender)
{
    auto& sums = m_sums.at(sender);
    int64_t accepted = std::numeric_limits<int64_t>::max();
    for (const LearnerId receiver : m_receivers.at(sender))
    {
        const auto edge = m_edges.find({receiver, sender});
        accepted = std::min(accepted, edge == m_edges.end() ? -1 : edge->second.newest);
    }
    while (!sums.empty() && (sums.begin()->first <= accepted || sums.size() > MOST_REMEMBERED))
    {
        sums.erase(sums.begin());
    }
}

/** @return the sums that the sender had pushed in the rounds that the receiver has accepted */
const ModelVector&
TrackingMonitor::FollowEdge(LearnerId receiver, LearnerId sender, const AcceptedMass& accepted)
{
    Edge& edge = m_edges[{receiver, sender}];
    if (edge.rounds.empty())
    {
        edge.rounds.assign(accepted.rounds.size(), AcceptedMass::NEVER);
        edge.mass = ModelVector::Zero(accepted.values.size());
    }
    for (size_t k = 0; k < edge.rounds.size(); ++k)
    {
        if (edge.rounds[k] != accepted.rounds[k])
        {
            edge.rounds[k] = accepted.rounds[k];
            edge.newest = std::max<int64_t>(edge.newest, accepted.rounds[k]);
            const auto sum = m_sums.at(sender).find(accepted.rounds[k]);
            // A round that the sender never pushed comes from a Byzantine learner.
            edge.mass[k] = sum == m_sums.at(sender).end() ? std::numeric_limits<double>::infinity()
                                                          : sum->second[k];
        }
    }
    return edge.mass;
}

void
TrackingMonitor::HandleRoundEnd(const RoundRecord& record)
{
    const auto& rule = m_rules.at(record.node);
    const auto compensation = rule->GetLossCompensation();
    OpenRound& open = m_open[record.round];
    if (open.closed == 0)
    {
        open.sum = ModelVector::Zero(rule->GetTracker().size());
    }
    ++open.closed;
    m_newest[record.node] = record.round;
    open.sum += rule->GetTracker() - rule->GetTrackedGradient();
    const ModelVector& pushed = compensation->GetPushed();
    if (pushed.size() > 0)
    {
        open.sum += m_pulls[record.node] * pushed;
    }
    for (const auto& [sender, weight] : rule->GetTrackerWeights())
    {
        if (const AcceptedMass* accepted = compensation->GetAccepted(sender))
        {
            open.sum -= weight * FollowEdge(record.node, sender, *accepted);
        }
    }
    if (open.closed == m_rules.size())
    {
        const double violation = open.sum.allFinite() ? open.sum.cwiseAbs().maxCoeff()
                                                      : std::numeric_limits<double>::infinity();
        m_largest = m_judged == 0 ? violation : std::max(m_largest, violation);
        ++m_judged;
        m_open.erase(record.round);
        m_trace(record.round, violation);
    }
    DropHopeless();
}

/** Forget the rounds that a learner has skipped. */
void
TrackingMonitor::DropHopeless()
{
    int64_t slowest = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < m_learners.size(); ++i)
    {
        if (!m_learners[i]->IsDone())
        {
            slowest = std::min(slowest, m_newest[i]);
        }
    }
    while (!m_open.empty() && m_open.begin()->first <= slowest)
    {
        m_open.erase(m_open.begin());
    }
}

} // namespace ns3::dlearn
