/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fault-event.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ns3::dlearn
{

namespace
{

using Kind = FaultEvent::Kind;

/** What an event acts on. */
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
    const char* name;  //!< its word
    Kind kind;         //!< what it does
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

/** An event in pieces. */
struct Words
{
    std::string name;                  //!< before all signs
    std::vector<std::string> values;   //!< after the sign of equality
    std::optional<std::string> target; //!< after the colon
    std::optional<std::string> time;   //!< after the last sign
};

Words
Split(const std::string& text)
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

/** @return whether the text is a link, which the event gets then */
bool
ReadLink(const std::string& text, FaultEvent& event)
{
    if (text == "*")
    {
        return true;
    }
    const auto ends = ParseLinkName(text);
    if (ends)
    {
        event.bothWays = ends->bothWays;
        event.link = {ends->from, ends->to};
    }
    return ends.has_value();
}

/** Largest number of rounds between two checkpoints. */
constexpr uint32_t MOST_ROUNDS = 1000000000;

/** @return whether the text is groups of learners, which the event gets then */
bool
ReadGroups(const std::string& text, FaultEvent& event)
{
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

/** @return whether what follows the colon is what the form needs; the event gets it then */
bool
ReadTarget(const Words& words, Target target, FaultEvent& event)
{
    if (!words.target || target == Target::NOTHING)
    {
        return words.target.has_value() == (target != Target::NOTHING);
    }
    switch (target)
    {
    case Target::LEARNER:
        event.learner = ParseWholeNumber(*words.target);
        return event.learner.has_value();
    case Target::LINK:
        return ReadLink(*words.target, event);
    default:
        return ReadGroups(*words.target, event);
    }
}

/** @return the numbers after the sign of equality; a delay is left out */
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
CheckValues(const FaultEvent& event, const std::string& what)
{
    if (event.kind == Kind::DRIFT)
    {
        Require(event.values[0] >= -500000 && event.values[0] <= 500000,
                what,
                "drift must be from -500000 to 500000 parts in a million, got ",
                event.values[0]);
        return;
    }
    if (event.kind == Kind::CHECKPOINT)
    {
        const double rounds = event.values[0];
        Require(rounds >= 1 && rounds <= MOST_ROUNDS && rounds == std::floor(rounds),
                what,
                "checkpoints must be a whole number of rounds apart, from 1 to ",
                MOST_ROUNDS,
                ", got ",
                FormatShortest(rounds));
        return;
    }
    for (const double value : event.values)
    {
        Require(value >= 0 && value <= 1,
                what,
                "a probability must be in [0, 1], got ",
                FormatShortest(value));
    }
    if (event.kind == Kind::BURST)
    {
        Require(event.values[3] > 0,
                what,
                "P_BG must be more than 0, or a burst never ends; got ",
                event.values[3]);
    }
}

/** Refuse learners that are named twice. */
void
CheckGroups(const FaultEvent& event, const std::string& what)
{
    std::set<LearnerId> seen;
    for (const auto& group : event.groups)
    {
        for (const LearnerId learner : group)
        {
            Require(seen.insert(learner).second,
                    what,
                    "learner ",
                    learner,
                    " must be in one group of the partition, is named twice");
        }
    }
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
    Words words = Split(text);
    const auto form = std::find_if(std::begin(FORMS), std::end(FORMS), [&](const Form& f) {
        return f.name == words.name;
    });
    if (form == std::end(FORMS))
    {
        std::vector<std::string> names;
        for (const Form& known : FORMS)
        {
            names.emplace_back(known.name);
        }
        Require(false, place, ": a fault must be one of ", JoinNames(names), ", got '", text, "'");
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
    Require(good && values, place, ": a fault must be like ", form->usage, ", got '", text, "'");
    const std::string what = place + ": '" + text + "': ";
    event.values = *values;
    event.time = ParseTime(place + ": time of '" + text + "'", *words.time);
    if (form->kind == Kind::REORDER)
    {
        event.delay = ParseTime(place + ": delay of '" + text + "'", delay);
        Require(event.delay.IsStrictlyPositive(), what, "the delay must be more than 0");
    }
    const size_t name = event.name.size();
    event.details = text.substr(name, text.rfind('@') - name);
    if (!event.details.empty())
    {
        event.details.erase(0, 1); // the sign after the name
    }
    CheckValues(event, what);
    CheckGroups(event, what);
    return event;
}

} // namespace ns3::dlearn
