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
#include "ns3/dlearn-text-format.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnFaultSchedule");

namespace
{

using Kind = FaultEvent::Kind;

constexpr uint32_t MOST_ROUNDS = 1000000000; //!< between two checkpoints

/** Object of an event. */
enum class Target
{
    LEARNER,
    LINK,
    GROUPS,
    NOTHING
};

/** How an event is written. */
struct Form
{
    const char* name;
    Kind kind;
    size_t values;     //!< after the sign of equality
    Target target;     //!< after the colon
    const char* usage; //!< for messages
};

const Form FORMS[] = {
    {"crash", Kind::CRASH, 0, Target::LEARNER, "crash:LEARNER@TIME"},
    {"leave", Kind::LEAVE, 0, Target::LEARNER, "leave:LEARNER@TIME"},
    {"restart", Kind::RESTART, 0, Target::LEARNER, "restart:LEARNER@TIME"},
    {"drift", Kind::DRIFT, 1, Target::LEARNER, "drift=PPM:LEARNER@TIME"},
    {"checkpoint", Kind::CHECKPOINT, 1, Target::LEARNER, "checkpoint=ROUNDS:SERVER@TIME"},
    {"down", Kind::DOWN, 0, Target::LINK, "down:LINK@TIME"},
    {"up", Kind::UP, 0, Target::LINK, "up:LINK@TIME"},
    {"loss", Kind::LOSS, 1, Target::LINK, "loss=P:LINK@TIME"},
    {"burst", Kind::BURST, 4, Target::LINK, "burst=LOSS_GOOD,LOSS_BAD,P_GB,P_BG:LINK@TIME"},
    {"corrupt", Kind::CORRUPT, 1, Target::LINK, "corrupt=P:LINK@TIME"},
    {"duplicate", Kind::DUPLICATE, 1, Target::LINK, "duplicate=P:LINK@TIME"},
    {"reorder", Kind::REORDER, 2, Target::LINK, "reorder=P,DELAY:LINK@TIME"},
    {"partition", Kind::PARTITION, 0, Target::GROUPS, "partition:LEARNERS|LEARNERS@TIME"},
    {"heal", Kind::HEAL, 0, Target::NOTHING, "heal@TIME"},
};

struct Words
{
    std::string name;                  //!< before all signs
    std::vector<std::string> values;   //!< after the sign of equality
    std::optional<std::string> target; //!< after the colon
    std::optional<std::string> time;   //!< after the last sign
};

/** @return the form with a name; null: none */
const Form*
FindForm(const std::string& name)
{
    const auto form = std::find_if(std::begin(FORMS), std::end(FORMS), [&](const Form& f) {
        return f.name == name;
    });
    return form == std::end(FORMS) ? nullptr : form;
}

Words
SplitFault(const std::string& text)
{
    Words words;
    const size_t at = text.rfind('@');
    if (at != std::string::npos)
    {
        words.time = text.substr(at + 1);
    }
    const std::string head = text.substr(0, at);
    const size_t colon = head.find(':');
    if (colon != std::string::npos)
    {
        words.target = head.substr(colon + 1);
    }
    const std::string action = head.substr(0, colon);
    const size_t equals = action.find('=');
    words.name = action.substr(0, equals);
    if (equals != std::string::npos)
    {
        words.values = SplitText(action.substr(equals + 1), ',');
    }
    return words;
}

/** @return whether the text after the colon has the form, and goes to the event */
bool
ReadTarget(const Words& words, Target target, FaultEvent& event)
{
    if (!words.target || target == Target::NOTHING)
    {
        return words.target.has_value() == (target != Target::NOTHING);
    }
    const std::string& text = *words.target;
    if (target == Target::LEARNER)
    {
        event.learner = ParseWholeNumber(text);
        return event.learner.has_value();
    }
    if (target == Target::LINK)
    {
        const auto ends = ParseLinkName(text);
        if (ends)
        {
            event.bothWays = ends->bothWays;
            event.link = {ends->from, ends->to};
        }
        return ends || text == "*";
    }
    for (const std::string& part : SplitText(text, '|'))
    {
        const auto group = ParseRanges(part);
        if (!group)
        {
            return false;
        }
        event.groups.push_back(*group);
    }
    return true;
}

std::optional<std::vector<double>>
ReadNumbers(const std::vector<std::string>& texts)
{
    std::vector<double> numbers;
    for (const std::string& text : texts)
    {
        const auto number = ParseNumber(text);
        if (!number)
        {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers;
}

/** Refuse values out of range. */
void
CheckValues(const FaultEvent& event, const std::string& place)
{
    if (event.kind == Kind::DRIFT)
    {
        Require(event.values[0] >= -500000 && event.values[0] <= 500000,
                "{}drift must be from -500000 to 500000 parts in a million, got {}",
                place,
                event.values[0]);
        return;
    }
    if (event.kind == Kind::CHECKPOINT)
    {
        const double rounds = event.values[0];
        Require(rounds >= 1 && rounds <= MOST_ROUNDS && rounds == std::floor(rounds),
                "{}checkpoints must be a whole number of rounds apart, from 1 to {}, got {}",
                place,
                MOST_ROUNDS,
                FormatShortest(rounds));
        return;
    }
    for (const double value : event.values)
    {
        Require(value >= 0 && value <= 1,
                "{}a probability must be in [0, 1], got {}",
                place,
                FormatShortest(value));
    }
    if (event.kind == Kind::BURST)
    {
        Require(event.values[3] > 0,
                "{}P_BG must be more than 0, or a burst never ends; got {}",
                place,
                event.values[3]);
    }
}

using Links = std::vector<EventEffects::Link>;

/** @return group of each learner: of the partition, or one more for all others */
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

/** Apply an event to the packets of a link. */
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

/** @return name of the fault that an event begins or ends */
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

/** @return whether a learner begins or ends to take part */
bool
IsOfLife(const FaultEvent& event)
{
    return event.kind == Kind::RESTART || event.kind == Kind::CRASH || event.kind == Kind::LEAVE;
}

/** @return the reason why an event does not have an effect */
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

/** @return whether it changes anything */
bool
Change(const FaultEvent& event,
       const Links& links,
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
            continue; // a learner that has crashed or left cannot leave; one that leaves can crash
        }
        changes =
            effects.Set(subject, link, event.IsEnd() || joins ? std::vector<double>() : value) ||
            changes;
    }
    return changes;
}

/** @return whether its learner crashes and restarts before the next one */
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

std::string
GetWords(const FaultEvent& event)
{
    return event.name + (event.details.empty() ? "" : " ") + event.details;
}

/** @return the beginning of a message */
std::string
Describe(const FaultEvent& event)
{
    return event.place + ": " + GetWords(event) + ": ";
}

/** Refuse learners that do not exist, and links of learners that are not neighbours. */
void
CheckTarget(const FaultEvent& event, const Graph& graph)
{
    const auto check = [&](LearnerId learner) {
        Require(learner < graph.GetSize(),
                "{}learner must be less than {}, got {}",
                Describe(event),
                graph.GetSize(),
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
                "{}learners {} and {} are not neighbours, so that it has no effect",
                Describe(event),
                from,
                to);
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

/** @return the links of an event, by direction */
Links
GetLinks(const FaultEvent& event, const Graph& graph)
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

/** Schedule an event of a learner. */
void
ScheduleEvent(const FaultEvent& event, Time time, const Ptr<LearnerApplication>& learner)
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

} // namespace

bool
FaultEvent::IsEnd() const
{
    if (kind == Kind::LOSS || kind == Kind::CORRUPT || kind == Kind::DUPLICATE ||
        kind == Kind::REORDER || kind == Kind::DRIFT)
    {
        return values[0] == 0;
    }
    if (kind == Kind::CHECKPOINT)
    {
        return values[0] == 1;
    }
    if (kind == Kind::BURST)
    {
        return values[0] == 0 && (values[1] == 0 || values[2] == 0);
    }
    return kind == Kind::UP || kind == Kind::HEAL || kind == Kind::RESTART;
}

FaultEvent
ParseFaultEvent(const std::string& text, const std::string& place)
{
    Words words = SplitFault(text);
    const Form* const form = FindForm(words.name);
    if (!form)
    {
        std::vector<std::string> names;
        for (const Form& known : FORMS)
        {
            names.emplace_back(known.name);
        }
        Require(false, "{}: a fault must be one of {}, got '{}'", place, JoinNames(names), text);
    }
    FaultEvent event;
    event.kind = form->kind;
    event.name = form->name;
    event.place = place;
    bool good =
        words.time && words.values.size() == form->values && ReadTarget(words, form->target, event);
    std::string delay;
    if (good && form->kind == Kind::REORDER)
    {
        delay = words.values.back();
        words.values.pop_back();
    }
    const auto values = ReadNumbers(words.values);
    Require(good && values, "{}: a fault must be like {}, got '{}'", place, form->usage, text);
    const std::string quote = place + ": '" + text + "': ";
    event.values = *values;
    event.time = ParseTime(place + ": time of '" + text + "'", *words.time);
    if (form->kind == Kind::REORDER)
    {
        event.delay = ParseTime(place + ": delay of '" + text + "'", delay);
        Require(event.delay.IsStrictlyPositive(), quote, "the delay must be more than 0");
    }
    const size_t name = event.name.size();
    event.details = text.substr(name, text.rfind('@') - name);
    if (!event.details.empty())
    {
        event.details.erase(0, 1); // the sign after the name
    }
    CheckValues(event, quote);
    std::set<LearnerId> seen;
    for (const auto& group : event.groups)
    {
        for (const LearnerId learner : group)
        {
            Require(seen.insert(learner).second,
                    "{}learner {} must be in one group of the partition, is named twice",
                    quote,
                    learner);
        }
    }
    return event;
}

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

std::vector<FaultEvent>
FaultSchedule::GetEvents() const
{
    std::vector<FaultEvent> events = m_events;
    std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
        return a.time < b.time;
    });
    return events;
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
                "{}no crash and restart of learner {} come after it, so that it has no effect",
                Describe(event),
                event.learner.value_or(0));
        const auto links =
            event.learner ? Links{{*event.learner, *event.learner}} : GetLinks(event, graph);
        Require(Change(event, links, GetGroups(event, graph.GetSize()), effects),
                "{}{}, so that it has no effect",
                Describe(event),
                GetIdleReason(event));
        const size_t replaced = effects.GetReplaced().value_or(k);
        Require(replaced == k || IsOfLife(event),
                "{}replaces {} of {} at the same time, which has no effect then",
                Describe(event),
                GetWords(events[replaced]),
                events[replaced].place);
    }
}

void
FaultSchedule::InstallFilters(const Graph& graph, const Network& network)
{
    std::set<Ptr<Node>> nodes;
    for (LearnerId learner = 0; learner < graph.GetSize(); ++learner)
    {
        const Ptr<Node> node = network.GetNode(learner);
        Require(nodes.insert(node).second,
                "faults of packets need a node for each learner, but learner {} shares node {}",
                learner,
                node->GetId());
        m_filters.push_back(CreateObject<FaultFilter>());
        for (LearnerId other = 0; other < graph.GetSize(); ++other)
        {
            for (const NodeAddress& address : ListAddresses(*network.GetNode(other)))
            {
                if (other != learner)
                {
                    m_filters.back()->AddSender(address.ip, other);
                }
            }
        }
        m_filters.back()->Install(network.GetNode(learner));
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
FaultSchedule::CheckApplications(const std::vector<Ptr<LearnerApplication>>& learners) const
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
        Require(event.kind != Kind::CHECKPOINT ||
                    DynamicCast<FederatedServer>(learners[*event.learner]),
                "{}only a server goes back to a checkpoint; other learners keep their state, and "
                "learner {} is not a server",
                Describe(event),
                event.learner.value_or(0));
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
    CheckApplications(learners);
    if (std::any_of(m_events.begin(), m_events.end(), [](const auto& e) { return e.IsOfLinks(); }))
    {
        InstallFilters(graph, network);
    }
    for (const FaultEvent& event : m_events)
    {
        if (event.learner)
        {
            ScheduleEvent(event, origin + event.time, learners[*event.learner]);
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

ChurnSchedule
ChurnSchedule::Parse(const std::string& text)
{
    ChurnSchedule schedule;
    for (const std::string& event :
         text.empty() ? std::vector<std::string>() : SplitText(text, ','))
    {
        const Words words = SplitFault(event);
        const Form* const form = FindForm(words.name);
        const auto learner = words.target ? ParseWholeNumber(*words.target) : std::nullopt;
        Require(form && form->kind <= Kind::RESTART && words.values.empty() && learner &&
                    words.time,
                "churn: an event must be crash:LEARNER@TIME, leave:LEARNER@TIME or "
                "restart:LEARNER@TIME, got '{}'",
                event);
        const Time time = ParseTime("churn: time of '" + event + "'", *words.time);
        schedule.m_events.push_back({form->kind, time, learner});
    }
    return schedule;
}

ChurnSchedule
ChurnSchedule::Follow(const PositionTrace& trace, uint32_t learners)
{
    ChurnSchedule schedule;
    for (LearnerId learner = 0; learner < learners; ++learner)
    {
        const Presence presence = trace.GetPresence(learner);
        if (presence.from)
        {
            schedule.Add(Time(0), learner, Action::LEAVE);
            schedule.Add(*presence.from, learner, Action::RESTART);
        }
        if (presence.until)
        {
            schedule.Add(*presence.until, learner, Action::LEAVE);
        }
    }
    return schedule;
}

Time
ChurnSchedule::GetEnd() const
{
    Time end;
    for (const FaultEvent& event : m_events)
    {
        end = Max(end, event.time);
    }
    return end;
}

void
ChurnSchedule::Install(const std::vector<Ptr<LearnerApplication>>& learners, Time origin) const
{
    for (const FaultEvent& event : m_events)
    {
        Require(*event.learner < learners.size(),
                "churn: learner must be less than {}, got {}",
                learners.size(),
                *event.learner);
        ScheduleEvent(event, origin + event.time, learners[*event.learner]);
    }
}

} // namespace ns3::dlearn
