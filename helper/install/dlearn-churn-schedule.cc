/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-churn-schedule.h"

#include "dlearn-placed-learner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"

#include <functional>
#include <map>

namespace ns3::dlearn
{

namespace
{

const std::map<std::string, ChurnSchedule::Action> ACTIONS{
    {"crash", ChurnSchedule::Action::CRASH},
    {"leave", ChurnSchedule::Action::LEAVE},
    {"restart", ChurnSchedule::Action::RESTART}};

ChurnSchedule::Event
ParseEvent(const std::string& text)
{
    ChurnSchedule::Event event;
    const size_t colon = text.find(':');
    const size_t at = text.find('@');
    bool good = colon != std::string::npos && at != std::string::npos && colon < at;
    if (good)
    {
        const std::string action = text.substr(0, colon);
        const auto learner = ParseWholeNumber(text.substr(colon + 1, at - colon - 1));
        const auto known = ACTIONS.find(action);
        good = known != ACTIONS.end() && learner.has_value();
        event.action = good ? known->second : ChurnSchedule::Action::CRASH;
        event.learner = learner.value_or(0);
    }
    Require(good,
            "churn: an event must be crash:LEARNER@TIME, leave:LEARNER@TIME or "
            "restart:LEARNER@TIME, got '",
            text,
            "'");
    event.time = ParseTime("churn: time of '" + text + "'", text.substr(at + 1));
    return event;
}

} // namespace

ChurnSchedule
ChurnSchedule::Parse(const std::string& text)
{
    ChurnSchedule schedule;
    if (text.empty())
    {
        return schedule;
    }
    for (const std::string& event : SplitText(text, ','))
    {
        schedule.m_events.push_back(ParseEvent(event));
    }
    return schedule;
}

void
ChurnSchedule::Add(Time time, LearnerId learner, Action action)
{
    m_events.push_back({time, learner, action});
}

Time
ChurnSchedule::GetEnd() const
{
    Time end;
    for (const Event& event : m_events)
    {
        end = Max(end, event.time);
    }
    return end;
}

void
ChurnSchedule::Install(const std::vector<Ptr<LearnerApplication>>& learners, Time origin) const
{
    for (const Event& event : m_events)
    {
        Require(event.learner < learners.size(),
                "churn: learner must be less than ",
                learners.size(),
                ", got ",
                event.learner);
        const auto action = event.action == Action::CRASH   ? &LearnerApplication::Crash
                            : event.action == Action::LEAVE ? &LearnerApplication::Leave
                                                            : &LearnerApplication::Restart;
        ScheduleForLearner(learners[event.learner], origin + event.time, std::mem_fn(action));
    }
}

} // namespace ns3::dlearn
