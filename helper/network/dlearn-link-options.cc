/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-options.h"

#include "ns3/cobalt-queue-disc.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/mq-queue-disc.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/pie-queue-disc.h"
#include "ns3/red-queue-disc.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

namespace ns3::dlearn
{

namespace
{

QueueSize
ParseSize(const std::string& text)
{
    if (text == "unlimited")
    {
        return {QueueSizeUnit::PACKETS, std::numeric_limits<uint32_t>::max()};
    }
    QueueSizeValue size;
    Require(IsValid(text, *MakeQueueSizeChecker(), size) &&
                size.DeserializeFromString(text, MakeQueueSizeChecker()) &&
                size.Get().GetValue() > 0,
            "queue-size must be a number of packets (100p) or bytes (64kB) of at least 1, or "
            "unlimited, got '" +
                text + "'");
    return size.Get();
}

template <typename Disc>
int64_t
AssignIf(const Ptr<QueueDisc>& disc, int64_t stream)
{
    const auto drawing = DynamicCast<Disc>(disc);
    return drawing ? drawing->AssignStreams(stream) : 0;
}

} // namespace

const ComponentFamily&
GetQueueDiscFamily()
{
    static const ComponentFamily family{"queue-disc",
                                        QueueDisc::GetTypeId(),
                                        {"QueueDisc"},
                                        true,
                                        {{"codel", "co-del"}, {"fq-codel", "fq-co-del"}},
                                        {},
                                        "ns3::",
                                        {"MaxSize"}};
    return family;
}

LinkQueues
LinkQueues::Parse(const std::string& disc, const std::string& size)
{
    LinkQueues queues;
    if (!size.empty())
    {
        queues.size = ParseSize(size);
    }
    if (disc == "none")
    {
        queues.disc = ObjectFactory();
    }
    else if (!disc.empty())
    {
        queues.disc = ParseComponent(GetQueueDiscFamily(), disc);
        for (const std::string& given : GetGivenAttributes(GetQueueDiscFamily(), disc))
        {
            Require(size.empty() || given.substr(given.rfind(':') + 1) != "MaxSize",
                    "queue-size and a MaxSize of queue-disc exclude each other, got ",
                    size + " and " + disc);
        }
    }
    return queues;
}

std::vector<Ptr<QueueDisc>>
LinkQueues::InstallDisc(Ptr<NetDevice> device) const
{
    const auto interface = device->GetObject<NetDeviceQueueInterface>();
    const auto layer = device->GetNode()->GetObject<TrafficControlLayer>();
    if (!HasDisc() || !interface || !layer)
    {
        return {};
    }
    std::vector<Ptr<QueueDisc>> discs;
    for (size_t k = 0; k < interface->GetNTxQueues(); ++k)
    {
        discs.push_back(disc->Create<QueueDisc>());
        if (size)
        {
            discs.back()->SetMaxSize(*size);
        }
    }
    if (discs.size() == 1)
    {
        layer->SetRootQueueDiscOnDevice(device, discs[0]);
        return discs;
    }
    const auto root = CreateObject<MqQueueDisc>();
    for (const auto& child : discs)
    {
        const auto entry = CreateObject<QueueDiscClass>();
        entry->SetQueueDisc(child);
        root->AddQueueDiscClass(entry);
    }
    layer->SetRootQueueDiscOnDevice(device, root);
    return discs;
}

int64_t
AssignQueueStreams(const std::vector<Ptr<QueueDisc>>& discs, int64_t stream)
{
    int64_t next = stream;
    for (const auto& disc : discs)
    {
        next += AssignIf<CobaltQueueDisc>(disc, next);
        next += AssignIf<PieQueueDisc>(disc, next);
        next += AssignIf<RedQueueDisc>(disc, next);
    }
    return next - stream;
}

void
EventEffects::Begin(Time time)
{
    m_times.push_back(time);
    m_left.push_back(0);
    m_replaced.reset();
}

bool
EventEffects::Set(const std::string& subject, const Link& link, const std::vector<double>& value)
{
    if (Get(subject, link) == value)
    {
        return false;
    }
    const size_t now = m_times.size() - 1;
    const auto [held, isNew] = m_held.try_emplace({subject, link});
    const size_t before = held->second.event;
    if (!isNew && before != now && m_times[before] == m_times[now] && --m_left[before] == 0)
    {
        m_replaced = before;
    }
    held->second = {value, now};
    ++m_left[now];
    return true;
}

std::vector<double>
EventEffects::Get(const std::string& subject, const Link& link) const
{
    const auto held = m_held.find({subject, link});
    return held == m_held.end() ? std::vector<double>() : held->second.value;
}

namespace
{

const std::string WINDOWS = "windows:"; //!< before the name of a file

/** A parsed event. */
struct LinkChange
{
    std::string text;
    Time time;
    std::vector<EventEffects::Link> links; //!< one or both directions
    bool up;                    //!< if no loss is set: whether the link is up from now on
    std::optional<double> loss; //!< loss probability from now on
};

LinkChange
ReadChange(const std::string& text)
{
    const size_t colon = text.find(':');
    const size_t at = text.find('@');
    const bool whole = at != std::string::npos && colon < at;
    const std::string action = text.substr(0, whole ? colon : 0);
    const auto link = ParseLinkName(whole ? text.substr(colon + 1, at - colon - 1) : "");
    const auto loss = ParseNumber(action.rfind("loss=", 0) == 0 ? action.substr(5) : "");
    Require((action == "down" || action == "up" || loss) && link,
            "links: an event must be down:LINK@TIME, up:LINK@TIME or loss=P:LINK@TIME, with a LINK "
            "like 0-1 (both ways) or 0to1, got '" +
                text + "'");
    const Time time = ParseTime("links: time of '" + text + "'", text.substr(at + 1));
    LinkChange change{text, time, {{link->from, link->to}}, action == "up", loss};
    if (link->bothWays)
    {
        change.links.emplace_back(link->to, link->from);
    }
    return change;
}

/** Refuse events without an effect. */
void
CheckChanges(std::vector<LinkChange> changes)
{
    std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
        return a.time < b.time;
    });
    EventEffects effects;
    for (const LinkChange& change : changes)
    {
        const std::string what = "links: '" + change.text + "': ";
        effects.Begin(change.time);
        // A loss of 0 is also a change, because links may have another loss without events.
        const std::string subject = change.loss ? "loss" : "down";
        const auto value =
            change.up ? std::vector<double>() : std::vector<double>{change.loss.value_or(1)};
        bool any = false;
        for (const auto& link : change.links)
        {
            const bool changed = effects.Set(subject, link, value);
            any = any || changed;
            Require(changed || !change.up,
                    what + "no down from " + std::to_string(link.first) + " to " +
                        std::to_string(link.second) +
                        " that it could end holds at that time, so that it has no effect");
        }
        Require(any, what + "holds already, so that it has no effect");
        const auto& replaced = effects.GetReplaced();
        Require(!replaced,
                what + "replaces '" + changes[replaced.value_or(0)].text +
                    "' at the same time, which has no effect then");
    }
}

} // namespace

LinkSchedule
LinkSchedule::Parse(const std::string& text)
{
    if (text.rfind(WINDOWS, 0) == 0)
    {
        return ReadWindows(text.substr(WINDOWS.size()));
    }
    LinkSchedule schedule;
    std::vector<LinkChange> changes;
    for (const std::string& event :
         text.empty() ? std::vector<std::string>() : SplitText(text, ','))
    {
        const LinkChange change = ReadChange(event);
        for (const auto& [from, to] : change.links)
        {
            if (change.loss)
            {
                schedule.SetLoss(change.time, from, to, *change.loss);
            }
            else
            {
                schedule.SetUp(change.time, from, to, change.up);
            }
        }
        changes.push_back(change);
    }
    CheckChanges(std::move(changes));
    return schedule;
}

LinkSchedule
LinkSchedule::ReadWindows(const std::string& path)
{
    const RowMatrix<double> rows = ReadCsvRows(path);
    Require(rows.cols() == 4 || rows.cols() == 5,
            "links: {}: a line must be A,B,BEGIN,END or A,B,BEGIN,END,DELAY, got {} numbers",
            path,
            rows.cols());
    std::map<std::pair<LearnerId, LearnerId>, std::map<double, size_t>> windows; // by begin
    for (Eigen::Index k = 0; k < rows.rows(); ++k)
    {
        const auto isLearner = [&](double number) {
            return number >= 0 && number < 1e6 && number == std::floor(number);
        };
        const double a = rows(k, 0);
        const double b = rows(k, 1);
        const double delay = rows.cols() == 5 ? rows(k, 4) : 0;
        Require(
            isLearner(a) && isLearner(b) && a != b && rows(k, 2) >= 0 && rows(k, 3) > rows(k, 2) &&
                rows(k, 3) < 1e9 && delay >= 0 && delay < 1e6,
            "links: {}: window {} must have two learners, BEGIN of at least 0, END after it and "
            "below 1e9, and DELAY from 0 to 1e6, in seconds",
            path,
            k + 1);
        auto& own = windows[{std::min(a, b), std::max(a, b)}];
        const auto next = own.lower_bound(rows(k, 2));
        Require((next == own.end() || next->first > rows(k, 3)) &&
                    (next == own.begin() || rows(std::prev(next)->second, 3) < rows(k, 2)),
                "links: {}: window {} must not touch another of the link of {} and {}",
                path,
                k + 1,
                a,
                b);
        own[rows(k, 2)] = k;
    }
    LinkSchedule schedule;
    for (const auto& [link, own] : windows)
    {
        for (const auto& [from, to] : {link, std::make_pair(link.second, link.first)})
        {
            if (own.begin()->first > 0)
            {
                schedule.SetUp(Time(0), from, to, false);
            }
            for (const auto& [begin, k] : own)
            {
                if (begin > 0)
                {
                    schedule.SetUp(Seconds(begin), from, to, true);
                }
                if (rows.cols() == 5 && from < to) // a delay is that of both directions
                {
                    Event event{Seconds(begin), from, to, std::nullopt, std::nullopt};
                    event.delay = Seconds(rows(k, 4));
                    schedule.m_events.push_back(event);
                }
                schedule.SetUp(Seconds(rows(k, 3)), from, to, false);
            }
        }
    }
    return schedule;
}

void
LinkSchedule::SetUp(Time time, LearnerId from, LearnerId to, bool up)
{
    m_events.push_back({time, from, to, up, std::nullopt});
}

void
LinkSchedule::SetLoss(Time time, LearnerId from, LearnerId to, double loss)
{
    Require(loss >= 0 && loss <= 1,
            "links: loss from learner " + std::to_string(from) + " to " + std::to_string(to) +
                " must be in [0, 1], got ",
            loss);
    m_events.push_back({time, from, to, std::nullopt, loss});
}

std::vector<LinkSchedule::Event>
LinkSchedule::GetEvents(LearnerId from, LearnerId to) const
{
    std::vector<Event> own;
    std::copy_if(m_events.begin(), m_events.end(), std::back_inserter(own), [&](const Event& e) {
        return e.from == from && e.to == to;
    });
    std::stable_sort(own.begin(), own.end(), [](const Event& a, const Event& b) {
        return a.time < b.time;
    });
    return own;
}

std::vector<std::pair<Time, double>>
LinkSchedule::GetLosses(LearnerId from, LearnerId to, double loss) const
{
    std::vector<std::pair<Time, double>> losses;
    bool up = true;
    for (const Event& event : GetEvents(from, to))
    {
        up = event.up.value_or(up);
        loss = event.loss.value_or(loss);
        losses.emplace_back(event.time, up ? loss : 1);
    }
    return losses;
}

double
LinkSchedule::GetLargestLoss(LearnerId from, LearnerId to, double loss) const
{
    double largest = 0;
    Time since;
    for (const Event& event : GetEvents(from, to))
    {
        if (event.loss)
        {
            largest = event.time > since ? std::max(largest, loss) : largest;
            since = event.time;
            loss = *event.loss;
        }
    }
    return std::max(largest, loss);
}

} // namespace ns3::dlearn
