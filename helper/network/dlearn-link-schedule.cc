/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-schedule.h"

#include "dlearn-event-effects.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <utility>

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

/** One event that was read. */
struct LinkChange
{
    std::string text;                      //!< as given
    Time time;                             //!< when
    std::vector<EventEffects::Link> links; //!< both directions, or one
    bool up{false};                        //!< without a loss: whether it is up from now on
    std::optional<double> loss;            //!< from now on
};

/**
 * @param text an event
 * @return what it changes
 */
LinkChange
ReadChange(const std::string& text)
{
    const Words words = Split(text);
    const bool known = words.action == "down" || words.action == "up" || words.loss;
    Require(known && words.link,
            "links: an event must be down:LINK@TIME, up:LINK@TIME or loss=P:LINK@TIME, with a LINK "
            "like 0-1 (both ways) or 0to1, got '",
            text,
            "'");
    LinkChange change;
    change.text = text;
    change.time = ParseTime("links: time of '" + text + "'", words.time);
    change.links = {{words.link->from, words.link->to}};
    if (words.link->bothWays)
    {
        change.links.emplace_back(words.link->to, words.link->from);
    }
    change.up = words.action == "up";
    change.loss = words.loss;
    return change;
}

/** Refuse events that change nothing. */
void
CheckChanges(std::vector<LinkChange> changes)
{
    std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
        return a.time < b.time;
    });
    EventEffects effects;
    for (const LinkChange& change : changes)
    {
        effects.Begin(change.time);
        // A loss of 0 counts as a change, too, as links can have another one without events.
        const std::string subject = change.loss ? "loss" : "down";
        const std::vector<double> value =
            change.up ? std::vector<double>() : std::vector<double>{change.loss.value_or(1)};
        bool any = false;
        for (const auto& link : change.links)
        {
            const bool changed = effects.Set(subject, link, value);
            any = any || changed;
            Require(changed || !change.up,
                    "links: '",
                    change.text,
                    "': no down from ",
                    link.first,
                    " to ",
                    link.second,
                    " that it could end holds at that time, so that it has no effect");
        }
        Require(any, "links: '", change.text, "': holds already, so that it has no effect");
        Require(!effects.GetReplaced(),
                "links: '",
                change.text,
                "': replaces '",
                changes[effects.GetReplaced().value_or(0)].text,
                "' at the same time, which has no effect then");
    }
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
    std::vector<LinkChange> changes;
    for (const std::string& event : SplitText(text, ','))
    {
        changes.push_back(ReadChange(event));
        for (const auto& [from, to] : changes.back().links)
        {
            if (changes.back().loss)
            {
                schedule.SetLoss(changes.back().time, from, to, *changes.back().loss);
            }
            else
            {
                schedule.SetUp(changes.back().time, from, to, changes.back().up);
            }
        }
    }
    CheckChanges(std::move(changes));
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
            "links: loss from learner ",
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
