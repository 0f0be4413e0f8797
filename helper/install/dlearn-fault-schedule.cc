/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fault-schedule.h"

#include "dlearn-placed-learner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-link-options.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnFaultSchedule");

namespace
{

using Kind = FaultEvent::Kind;

/** @return group of each learner: as the partition says, and one more for all others */
std::vector<size_t>
GetGroups(const FaultEvent& event, uint32_t learners)
{
    std::vector<size_t> groups(learners, event.groups.size());
    for (size_t k = 0; k < event.groups.size(); ++k)
    {
        for (const LearnerId learner : event.groups[k])
        {
            groups[learner] = k;
        }
    }
    return groups;
}

/** Do to the packets of a link what the event says. */
void
Apply(const FaultEvent& event, bool cut, LinkFaults& faults)
{
    switch (event.kind)
    {
    case Kind::DOWN:
    case Kind::UP:
        faults.up = event.kind == Kind::UP;
        break;
    case Kind::LOSS:
        faults.loss = event.values[0];
        break;
    case Kind::BURST:
        faults.burst = {event.values[0], event.values[1], event.values[2], event.values[3]};
        faults.bad.reset();
        break;
    case Kind::CORRUPT:
        faults.corrupt = event.values[0];
        break;
    case Kind::DUPLICATE:
        faults.duplicate = event.values[0];
        break;
    case Kind::REORDER:
        faults.reorder = event.values[0];
        faults.reorderDelay = event.delay;
        break;
    default:
        faults.cut = cut;
    }
}

/** @return name of what an event begins or ends: the same for both */
std::string
GetSubject(const FaultEvent& event)
{
    switch (event.kind)
    {
    case Kind::RESTART:
    case Kind::CRASH:
    case Kind::LEAVE:
        return "crash or leave";
    case Kind::UP:
        return "down";
    case Kind::HEAL:
        return "partition";
    default:
        return event.name;
    }
}

/** @return whether it is about whether a learner takes part */
bool
IsOfLife(const FaultEvent& event)
{
    return event.kind == Kind::RESTART || event.kind == Kind::CRASH || event.kind == Kind::LEAVE;
}

/** @return why an event without effect has none */
std::string
GetIdleReason(const FaultEvent& event)
{
    if (event.IsEnd())
    {
        return "no " + GetSubject(event) + " that it could end holds at that time";
    }
    return IsOfLife(event)
               ? "the learner has crashed or left already, and no event of these restarts it"
               : "holds already";
}

/**
 * @param event the next one
 * @param links on which it acts
 * @param groups of each learner, of a partition
 * @param effects of the events before, and then of this one, too
 * @return whether it changes anything
 */
bool
Change(const FaultEvent& event,
       const std::vector<EventEffects::Link>& links,
       const std::vector<size_t>& groups,
       EventEffects& effects)
{
    effects.Begin(event.time);
    const std::string subject = GetSubject(event);
    std::vector<double> value = event.values;
    value.push_back(static_cast<double>(event.kind));
    value.push_back(event.delay.GetDouble());
    bool changes = event.kind == Kind::CHECKPOINT && !event.IsEnd(); // it writes one at once
    for (const auto& link : links)
    {
        const bool joins =
            event.kind == Kind::PARTITION && groups[link.first] == groups[link.second];
        if (event.kind == Kind::LEAVE && !effects.Get(subject, link).empty())
        {
            continue; // who has crashed or left cannot leave, but who is leaving can crash
        }
        changes =
            effects.Set(subject, link, event.IsEnd() || joins ? std::vector<double>() : value) ||
            changes;
    }
    return changes;
}

/**
 * @param events by time
 * @param k position of a CHECKPOINT among them
 * @return whether its learner crashes and restarts before the next one
 */
bool
HasCrashAfter(const std::vector<FaultEvent>& events, size_t k)
{
    bool crashed = false;
    for (size_t later = k + 1; later < events.size(); ++later)
    {
        const FaultEvent& event = events[later];
        if (event.learner != events[k].learner)
        {
            continue;
        }
        if (event.kind == Kind::CHECKPOINT || (crashed && event.kind == Kind::RESTART))
        {
            return crashed;
        }
        crashed = crashed || event.kind == Kind::CRASH;
    }
    return false;
}

/** @return what happens, as the event says it */
std::string
GetWords(const FaultEvent& event)
{
    return event.name + (event.details.empty() ? "" : " ") + event.details;
}

/** @return the beginning of a message about an event */
std::string
Describe(const FaultEvent& event)
{
    return event.place + ": " + GetWords(event) + ": ";
}

/** Refuse learners that there are not, and those that are not neighbours. */
void
CheckTarget(const FaultEvent& event, const Graph& graph)
{
    const auto check = [&](LearnerId learner) {
        Require(learner < graph.GetSize(),
                Describe(event),
                "learner must be less than ",
                graph.GetSize(),
                ", got ",
                learner);
    };
    if (event.learner)
    {
        check(*event.learner);
        return;
    }
    const auto pairs = graph.GetPairs();
    Require(!pairs.empty() || event.kind == Kind::PARTITION,
            Describe(event),
            "there are no neighbours, so that it has no effect");
    if (event.link)
    {
        const auto [from, to] = *event.link;
        check(from);
        check(to);
        Require(std::binary_search(pairs.begin(),
                                   pairs.end(),
                                   std::pair(std::min(from, to), std::max(from, to))),
                Describe(event),
                "learners ",
                from,
                " and ",
                to,
                " are not neighbours, so that it has no effect");
    }
    for (const auto& group : event.groups)
    {
        std::for_each(group.begin(), group.end(), check);
    }
    const auto groups = GetGroups(event, graph.GetSize());
    const bool separates = std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return groups[pair.first] != groups[pair.second];
    });
    Require(event.kind != Kind::PARTITION || separates,
            Describe(event),
            "the partition separates no neighbours, so that it has no effect");
}

} // namespace

FaultSchedule
FaultSchedule::Read(const std::string& path)
{
    FaultSchedule schedule;
    LineReader reader(path);
    std::string line;
    while (reader.Next(line))
    {
        line.erase(std::min(line.find('#'), line.size()));
        const size_t first = line.find_first_not_of(" \t");
        if (first != std::string::npos)
        {
            const size_t last = line.find_last_not_of(" \t");
            schedule.Add(line.substr(first, last - first + 1), reader.GetPlace());
        }
    }
    Require(!schedule.m_events.empty(), path, ": a file of faults must hold an event");
    return schedule;
}

void
FaultSchedule::Add(const std::string& event, const std::string& place)
{
    m_events.push_back(ParseFaultEvent(event, place));
}

std::vector<FaultEvent>
FaultSchedule::GetEvents() const
{
    std::vector<FaultEvent> events = m_events;
    std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
        return a.time < b.time;
    });
    return events;
}

FaultSchedule::Links
FaultSchedule::GetLinks(const FaultEvent& event, const Graph& graph)
{
    Links links;
    if (event.link)
    {
        links.push_back(*event.link);
    }
    else
    {
        links = graph.GetPairs();
    }
    const size_t one = links.size();
    for (size_t k = 0; event.bothWays && k < one; ++k)
    {
        links.emplace_back(links[k].second, links[k].first);
    }
    return links;
}

void
FaultSchedule::Check(const Graph& graph) const
{
    EventEffects effects;
    const std::vector<FaultEvent> events = GetEvents();
    for (size_t k = 0; k < events.size(); ++k)
    {
        const FaultEvent& event = events[k];
        CheckTarget(event, graph);
        Require(event.kind != Kind::CHECKPOINT || event.IsEnd() || HasCrashAfter(events, k),
                Describe(event),
                "no crash and restart of learner ",
                event.learner.value_or(0),
                " come after it, so that it has no effect");
        const auto links =
            event.learner ? Links{{*event.learner, *event.learner}} : GetLinks(event, graph);
        Require(Change(event, links, GetGroups(event, graph.GetSize()), effects),
                Describe(event),
                GetIdleReason(event),
                ", so that it has no effect");
        const size_t replaced = effects.GetReplaced().value_or(k);
        Require(replaced == k || IsOfLife(event),
                Describe(event),
                "replaces ",
                GetWords(events[replaced]),
                " of ",
                events[replaced].place,
                " at the same time, which has no effect then");
    }
}

void
FaultSchedule::InstallFilters(const Graph& graph, const Network& network)
{
    std::set<Ptr<Node>> nodes;
    for (LearnerId learner = 0; learner < graph.GetSize(); ++learner)
    {
        const Ptr<Node> node = network.GetNodes().Get(learner);
        Require(nodes.insert(node).second,
                "faults of packets need a node for each learner, but learner ",
                learner,
                " shares node ",
                node->GetId());
        m_filters.push_back(CreateObject<FaultFilter>());
        for (LearnerId other = 0; other < graph.GetSize(); ++other)
        {
            for (const NodeAddress& address : ListAddresses(*network.GetNodes().Get(other)))
            {
                if (other != learner)
                {
                    m_filters.back()->AddSender(address.ip, other);
                }
            }
        }
        m_filters.back()->Install(network.GetNodes().Get(learner));
    }
}

void
FaultSchedule::ScheduleLinks(const FaultEvent& event, Time time, const Graph& graph) const
{
    const auto groups = GetGroups(event, graph.GetSize());
    for (const auto& [from, to] : GetLinks(event, graph))
    {
        const bool cut = event.kind == Kind::PARTITION && groups[from] != groups[to];
        Simulator::Schedule(GetDelayUntil("a fault of links", Simulator::Now(), time),
                            [event, cut, from = from, filter = m_filters[to]] {
                                Apply(event, cut, filter->GetFaults(from));
                            });
    }
}

void
FaultSchedule::ScheduleLearner(const FaultEvent& event,
                               Time time,
                               const Ptr<LearnerApplication>& learner)
{
    const double value = event.values.empty() ? 0 : event.values[0];
    std::function<void(LearnerApplication&)> action;
    switch (event.kind)
    {
    case Kind::DRIFT:
        action = [value](auto& clock) { clock.SetClockDrift(value); };
        break;
    case Kind::CHECKPOINT:
        action = [value](auto& server) {
            dynamic_cast<FederatedServer&>(server).SetCheckpointInterval(
                static_cast<uint32_t>(value));
        };
        break;
    case Kind::CRASH:
        action = std::mem_fn(&LearnerApplication::Crash);
        break;
    case Kind::LEAVE:
        action = std::mem_fn(&LearnerApplication::Leave);
        break;
    default:
        action = std::mem_fn(&LearnerApplication::Restart);
    }
    ScheduleForLearner(learner, time, std::move(action));
}

void
FaultSchedule::CheckOrder(const std::vector<Ptr<LearnerApplication>>& learners) const
{
    const bool tcp = std::any_of(learners.begin(), learners.end(), [](const auto& learner) {
        return learner && DynamicCast<const TcpTransport>(learner->GetExchange()->GetTransport());
    });
    for (const FaultEvent& event : m_events)
    {
        // With many packets out of order TcpSocketBase of ns-3.37 follows a null pointer.
        Require(
            !tcp || event.kind != Kind::REORDER,
            Describe(event),
            "packets can be held back with transport udp or broadcast only, because TCP of ns-3 "
            "fails when many of them are out of order");
    }
}

void
FaultSchedule::CheckServers(const std::vector<Ptr<LearnerApplication>>& learners) const
{
    for (const FaultEvent& event : m_events)
    {
        Require(event.kind != Kind::CHECKPOINT ||
                    DynamicCast<FederatedServer>(learners[*event.learner]),
                Describe(event),
                "only a server goes back to a checkpoint; other learners keep their state, and "
                "learner ",
                event.learner.value_or(0),
                " is no server");
    }
}

int64_t
FaultSchedule::Install(const Graph& graph,
                       const Network& network,
                       const std::vector<Ptr<LearnerApplication>>& learners,
                       int64_t stream,
                       Time origin)
{
    NS_LOG_FUNCTION(this << learners.size() << stream << origin);
    RequireSize("FaultSchedule", "learners", learners.size(), graph.GetSize());
    Require(m_filters.empty(), "FaultSchedule: a schedule can be installed only once");
    Check(graph);
    CheckOrder(learners);
    CheckServers(learners);
    if (std::any_of(m_events.begin(), m_events.end(), [](const auto& e) { return e.IsOfLinks(); }))
    {
        InstallFilters(graph, network);
    }
    for (const FaultEvent& event : m_events)
    {
        if (event.learner)
        {
            ScheduleLearner(event, origin + event.time, learners[*event.learner]);
        }
        else
        {
            ScheduleLinks(event, origin + event.time, graph);
        }
    }
    int64_t next = stream;
    for (const auto& filter : m_filters)
    {
        next += filter->AssignStreams(next);
    }
    return next - stream;
}

FaultFilter::Counters
FaultSchedule::GetCounters() const
{
    FaultFilter::Counters sum;
    for (const auto& filter : m_filters)
    {
        sum.Add(filter->GetCounters());
    }
    return sum;
}

} // namespace ns3::dlearn
