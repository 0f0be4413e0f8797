/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-schedule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** One event as text. */
struct Words
{
    std::string action;           //!< what happens
    std::optional<LinkName> link; //!< where
    std::string time;             //!< when
    std::optional<double> loss;   //!< after `loss=`
};

/**
 * @param text an event
 * @return its parts; no action when it cannot be taken apart
 */
Words
Split(const std::string& text)
{
    Words words;
    const size_t colon = text.find(':');
    const size_t at = text.find('@');
    if (colon == std::string::npos || at == std::string::npos || colon > at)
    {
        return words;
    }
    words.action = text.substr(0, colon);
    words.link = ParseLinkName(text.substr(colon + 1, at - colon - 1));
    words.time = text.substr(at + 1);
    if (words.action.rfind("loss=", 0) == 0)
    {
        words.loss = ParseNumber(words.action.substr(5));
    }
    return words;
}

} // namespace

LinkSchedule
LinkSchedule::Parse(const std::string& text)
{
    LinkSchedule schedule;
    if (text.empty())
    {
        return schedule;
    }
    for (const std::string& event : SplitText(text, ','))
    {
        const Words words = Split(event);
        const bool known = words.action == "down" || words.action == "up" || words.loss;
        Require(known && words.link,
                "LinkSchedule: an event must be down:LINK@TIME, up:LINK@TIME or loss=P:LINK@TIME, "
                "with a LINK like 0-1 (both ways) or 0to1, got '",
                event,
                "'");
        const Time time = ParseTime("LinkSchedule: time of '" + event + "'", words.time);
        const std::pair<LearnerId, LearnerId> there{words.link->from, words.link->to};
        const std::pair<LearnerId, LearnerId> back{words.link->to, words.link->from};
        for (const auto& [from, to] : {there, back})
        {
            if (words.loss)
            {
                schedule.SetLoss(time, from, to, *words.loss);
            }
            else
            {
                schedule.SetUp(time, from, to, words.action == "up");
            }
            if (!words.link->bothWays)
            {
                break;
            }
        }
    }
    for (const Event& end : schedule.m_events)
    {
        const auto& events = schedule.m_events;
        Require(!end.up || !*end.up ||
                    std::any_of(events.begin(),
                                events.end(),
                                [&](const Event& begin) {
                                    return begin.up && !*begin.up && begin.time <= end.time &&
                                           begin.from == end.from && begin.to == end.to;
                                }),
                "LinkSchedule: up of the link from ",
                end.from,
                " to ",
                end.to,
                ": no down that it could end comes before, so that it has no effect");
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
            "LinkSchedule: loss from learner ",
            from,
            " to ",
            to,
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
