/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-network.h"

#include "dlearn-run-learners.h"
#include "dlearn-run-options.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/node-list.h"
#include "ns3/tcp-l4-protocol.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

void
CheckTransport(const RunSpec& spec, const Network& network)
{
    Require(spec.transport != "broadcast" || spec.routing == "none",
            "transport broadcast reaches only whose radios hear it, so it cannot be used with "
            "routing ",
            spec.routing);
    Require(spec.transport != "broadcast" || network.HasBroadcast(),
            "transport broadcast needs a shared medium with IPv4, such as csma, network is ",
            spec.network);
}

/** @return the requirements of learners and options on the network */
NetworkSetup
MakeNetworkSetup(const RunSpec& spec, const RunLearners& learners)
{
    NetworkSetup setup = learners.GetNetworkSetup();
    setup.learnersLeave = !spec.churn.empty() || !spec.faults.empty() || !spec.battery.empty() ||
                          (spec.energy && !spec.devices.empty());
    setup.timesFromReady = spec.timeFrom == "ready";
    setup.schedule = LinkSchedule::Parse(spec.links);
    return setup;
}

/** Apply the options of TCP, which are used if it is the transport. */
void
TakeTcp(const RunSpec& spec, const UsedOptions& options, Network& network)
{
    Require(spec.tcpStack == "host" || spec.tcpStack == "ns3",
            "tcp-stack must be host or ns3; got '",
            spec.tcpStack,
            "'");
    options.Give(network, "HostTcp", BooleanValue(spec.tcpStack == "host"), spec.tcpStack);
    if (spec.transport == "tcp" || spec.crossTraffic.find("bulk:") != std::string::npos)
    {
        spec.Take(spec.tcp);
    }
    else
    {
        spec.taken.erase(&spec.tcpStack);
    }
}

Time
ChooseRanks(const RunSpec& spec,
            const RunLearners& learners,
            const Network& network,
            NetworkSetup& setup)
{
    const uint32_t ranks = Ranks::GetCount();
    if (!Ranks::AreEnabled())
    {
        return Time::Max();
    }
    const RankGraph graph = network.GetRankGraph(learners.GetGraph(), setup);
    const auto together = learners.GetColluders();
    const bool automatic = spec.Take(spec.partitionOfRanks) == "auto";
    if (!graph.given.empty())
    {
        Require(automatic,
                "option partition-of-ranks has no effect on network ",
                network.GetName(),
                ", whose nodes are where the program has made them");
        setup.rankOf = KeepRanks(graph, ranks, together);
    }
    else
    {
        setup.rankOf = automatic ? DivideAmongRanks(graph, ranks, together)
                                 : ReadRanks(spec.partitionOfRanks, graph, ranks, together);
    }
    return FindLookAhead(graph, setup.rankOf);
}

void
RequireStable(const TypeId& type)
{
    TypeId::AttributeInformation variant;
    Require(type.GetName() != "ns3::TcpWestwood" ||
                !type.LookupAttributeByName("ProtocolType", &variant) ||
                variant.initialValue->SerializeToString(variant.checker) == "WestwoodPlus",
            "tcp westwood needs --ns3::TcpWestwood::ProtocolType=WestwoodPlus, as ns-3 ends the "
            "program when plain Westwood gets two acknowledgements at the same time");
}

void
SetCongestionControl(const std::string& tcp)
{
    const TypeId type = ParseComponent(GetCongestionControlFamily(), tcp).GetTypeId();
    RequireStable(type);
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        if (const auto protocol = (*node)->GetObject<TcpL4Protocol>())
        {
            protocol->SetAttribute("SocketType", TypeIdValue(type));
        }
    }
}

} // namespace

Ptr<Network>
MakeRunNetwork(RunSpec& spec, uint32_t learners, const RunNetworkMaker& make)
{
    auto network = make ? make(learners) : CreateNetwork(spec.network);
    Require(network != nullptr, "Run: there must be a network, got none");
    if (make)
    {
        const std::string name = network->GetName();
        Require(spec.network == name || spec.invocation.options.count("network") == 0,
                "network must be ",
                name,
                ", which this program makes; got '",
                spec.network,
                "'");
        spec.network = name;
    }
    return network;
}

Time
BuildRunNetwork(const RunSpec& spec, const RunLearners& learners, Network& network)
{
    NetworkSetup setup = MakeNetworkSetup(spec, learners);
    learners.GetOptions().Complete(network);
    TakeTcp(spec, learners.GetOptions(), network);
    const Time lookAhead = ChooseRanks(spec, learners, network, setup);
    network.Build(learners.GetGraph(), setup);
    learners.GetOptions().GiveBack(
        [&network](const std::string& attribute) { return network.IsIdle(attribute); });
    TypeId::AttributeInformation ignored;
    if (network.GetInstanceTypeId().LookupAttributeByName("QueueSize", &ignored))
    {
        spec.Take(spec.crossTraffic); // needs a shared capacity
    }
    CheckTransport(spec, network);
    network.AssignStreams(RunStreams::NETWORK);
    if (!spec.tcp.empty())
    {
        SetCongestionControl(spec.tcp);
    }
    return lookAhead;
}

Time
GetOrigin(const RunSpec& spec, const Network& network)
{
    return spec.timeFrom == "ready" ? network.GetReadyTime() : Time(0);
}

namespace
{

/** @return the time at which the last round was closed */
Time
FindEnd(const RunResults& results)
{
    Time end;
    for (const ResultRow& row : results.rows)
    {
        end = Max(end, row.record.closed);
    }
    return end;
}

/** @return the beginning of warnings of events after FindEnd() */
std::string
NameEnd(Time end)
{
    return "learning ended at " + NameTime(end) + ", when the last round was closed";
}

void
WarnOfLate(RunResults& results,
           const std::string& what,
           const std::vector<std::pair<Time, std::string>>& events)
{
    const Time end = FindEnd(results);
    std::vector<std::pair<Time, std::string>> late;
    std::copy_if(events.begin(), events.end(), std::back_inserter(late), [end](const auto& event) {
        return event.first > end;
    });
    if (!late.empty() && results.status == "complete")
    {
        const auto first = std::min_element(late.begin(), late.end());
        results.warnings.push_back(NameEnd(end) + ", before " + std::to_string(late.size()) +
                                   " of " + std::to_string(events.size()) + " " + what +
                                   "; the first of these is " + first->second + " at " +
                                   NameTime(first->first));
    }
}

} // namespace

RunDisturbances::RunDisturbances(const RunSpec& spec)
    : m_spec(spec)
{
}

void
RunDisturbances::InstallCrossTraffic(Network& network)
{
    m_origin = GetOrigin(m_spec, network);
    m_crossTraffic = CrossTraffic::Parse(m_spec.crossTraffic);
    m_crossTraffic.Install(network, RunStreams::CROSS_TRAFFIC);
}

void
RunDisturbances::InstallChurn(const Network& network,
                              const std::vector<Ptr<LearnerApplication>>& learners)
{
    const PositionTrace* const trace = network.GetTrace();
    m_churn = m_spec.churn.empty() && trace ? ChurnSchedule::Follow(*trace, learners.size())
                                            : ChurnSchedule::Parse(m_spec.churn);
    m_churn.Install(learners, m_origin);
}

void
RunDisturbances::TellMonitor(Monitor& monitor) const
{
    for (const FaultEvent& event : m_churn.GetEvents())
    {
        if (event.kind == ChurnSchedule::Action::RESTART)
        {
            monitor.ExpectRestart(m_origin + event.time, *event.learner);
        }
    }
    const auto links = LinkSchedule::Parse(m_spec.links);
    for (const LinkSchedule::Event& event : links.GetEvents())
    {
        if (event.up)
        {
            monitor.GetWatch().Add(
                {event.time,
                 std::nullopt,
                 std::nullopt,
                 *event.up ? "link-up" : "link-down",
                 std::to_string(event.from) + " to " + std::to_string(event.to)});
        }
    }
}

void
RunDisturbances::InstallFaults(const Graph& graph,
                               const Network& network,
                               const std::vector<Ptr<LearnerApplication>>& learners,
                               Monitor& monitor)
{
    using Kind = FaultEvent::Kind;
    if (m_spec.faults.empty())
    {
        return;
    }
    m_faults = FaultSchedule::Read(m_spec.faults);
    m_faults.Install(graph, network, learners, RunStreams::FAULTS, m_origin);
    for (const FaultEvent& event : m_faults.GetEvents())
    {
        const bool here = !event.learner || IsOnThisRank(*network.GetNode(*event.learner));
        if (event.kind == Kind::RESTART)
        {
            monitor.ExpectRestart(m_origin + event.time, *event.learner);
        }
        const bool link = event.kind == Kind::DOWN || event.kind == Kind::UP;
        if (here && (event.IsOfLinks() || event.kind == Kind::DRIFT ||
                     event.kind == Kind::CHECKPOINT)) // the learner records the others
        {
            monitor.GetWatch().Add({m_origin + event.time,
                                    event.learner,
                                    std::nullopt,
                                    (link ? "link-" : "") + event.name,
                                    event.details});
        }
    }
}

void
RunDisturbances::VisitRank(StateArchive& archive)
{
    auto traffic = m_crossTraffic.GetCounters();
    FaultFilter::Counters faults = m_faults.GetCounters();
    archive(traffic, faults);
    if (archive.IsLoading())
    {
        m_crossTraffic.AddCounters(traffic);
        m_otherFaults.Add(faults);
    }
}

void
RunDisturbances::Complete(RunResults& results) const
{
    AddCrossTraffic(results);
    if (!m_spec.faults.empty())
    {
        AddFaults(results);
    }
    WarnOfLateEvents(results);
    WarnOfIdleChurn(results);
}

void
RunDisturbances::AddCrossTraffic(RunResults& results) const
{
    if (!m_crossTraffic.GetFlows().empty())
    {
        const auto counters = m_crossTraffic.GetCounters();
        CrossTraffic::Counters all;
        for (const CrossTraffic::Counters& pair : counters)
        {
            all.Add(pair);
        }
        results.totals["cross_traffic_sent_bytes"] = all.sent;
        results.totals["cross_traffic_received_bytes"] = all.received;
        WarnOfIdleTraffic(results, counters);
    }
}

void
RunDisturbances::WarnOfIdleTraffic(RunResults& results,
                                   const std::vector<CrossTraffic::Counters>& counters) const
{
    const Time end = FindEnd(results);
    const auto& pairs = m_crossTraffic.GetPairs();
    std::vector<std::string> late;
    std::vector<std::string> lost;
    for (size_t k = 0; k < pairs.size(); ++k)
    {
        if (counters[k].first - m_origin > end)
        {
            late.push_back(pairs[k]);
        }
        else if (counters[k].received == 0)
        {
            lost.push_back(pairs[k]);
        }
    }
    const auto warn = [&](const std::vector<std::string>& idle,
                          const std::string& before,
                          const std::string& after) {
        if (!idle.empty() && results.status == "complete")
        {
            results.warnings.push_back(before + std::to_string(idle.size()) + " of " +
                                       std::to_string(pairs.size()) + " flows of cross traffic" +
                                       after + "; the first of these is " + idle.front());
        }
    };
    warn(late,
         NameEnd(end) + ", before ",
         " had sent anything: onoff begins with a pause (OffTime), and bulk needs a route");
    warn(lost, "nothing has arrived by ", ", which may lack a route");
}

void
RunDisturbances::AddFaults(RunResults& results) const
{
    FaultFilter::Counters counters = m_faults.GetCounters();
    counters.Add(m_otherFaults);
    results.totals["fault_cut_packets"] = counters.cut;
    results.totals["fault_lost_packets"] = counters.lost;
    results.totals["fault_corrupted_packets"] = counters.corrupted;
    results.totals["fault_duplicated_packets"] = counters.duplicated;
    results.totals["fault_reordered_packets"] = counters.reordered;
}

void
RunDisturbances::WarnOfLateEvents(RunResults& results) const
{
    std::vector<std::pair<Time, std::string>> faults;
    for (const FaultEvent& event : m_faults.GetEvents())
    {
        faults.emplace_back(event.time, event.name);
    }
    WarnOfLate(results, "faults of " + m_spec.faults, faults);
    std::vector<std::pair<Time, std::string>> changes;
    const auto links = LinkSchedule::Parse(m_spec.links);
    for (const LinkSchedule::Event& event : links.GetEvents())
    {
        changes.emplace_back(event.time,
                             "of " + std::to_string(event.from) + " to " +
                                 std::to_string(event.to));
    }
    WarnOfLate(results, "changes of links", changes);
}

void
RunDisturbances::WarnOfIdleChurn(RunResults& results) const
{
    using Action = ChurnSchedule::Action;
    const auto schedule = ChurnSchedule::Parse(m_spec.churn);
    const auto& events = schedule.GetEvents();
    std::vector<std::string> idle;
    for (const FaultEvent& event : events)
    {
        const std::string wanted = event.kind == Action::CRASH   ? "crashed"
                                   : event.kind == Action::LEAVE ? "left"
                                                                 : "restarted";
        const auto& timeline = results.timeline;
        if (std::none_of(timeline.begin(), timeline.end(), [&](const RunEvent& found) {
                return found.node == event.learner && found.event == wanted &&
                       found.time >= event.time;
            }))
        {
            idle.push_back("learner " + std::to_string(*event.learner) + " has not " + wanted +
                           " at " + NameTime(event.time));
        }
    }
    if (!idle.empty() && results.status == "complete")
    {
        results.warnings.push_back(
            std::to_string(idle.size()) + " of " + std::to_string(events.size()) +
            " events of churn had no effect, as the run was over by then, or the learner was done, "
            "down already or not down, or was to restart before it had left; the first of these: " +
            idle.front());
    }
}

} // namespace ns3::dlearn
