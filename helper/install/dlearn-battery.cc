/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-battery.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Battery);

namespace
{

/** Share of the capacity below which a charge is what rounding leaves. */
constexpr double ROUNDING = 1e-12;

/** Part of a nanosecond that is rounding, too. */
constexpr double TIME_ROUNDING = 1e-4;

} // namespace

TypeId
Battery::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::Battery")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddConstructor<Battery>()
            .AddAttribute("Capacity",
                          "Joules of the full battery, which it has at the beginning.",
                          DoubleValue(10),
                          MakeDoubleAccessor(&Battery::m_capacity),
                          MakeDoubleChecker<double>(LEAST_CAPACITY))
            .AddAttribute(
                "HarvestedPower",
                "Power that charges a battery, in watts: a number, or WATTS@TIME,... for one "
                "from each of these times on, such as 0.5@0s,2@6h.",
                StringValue("0"),
                MakeStringAccessor(&Battery::m_harvested),
                MakeStringChecker())
            .AddAttribute("RestartFraction",
                          "Share of the capacity from which on the learner of an empty battery "
                          "starts again.",
                          DoubleValue(0.15),
                          MakeDoubleAccessor(&Battery::m_restartFraction),
                          MakeDoubleChecker<double>(0.001, 1));
    return tid;
}

void
Battery::Begin()
{
    ReadSchedule(m_harvested);
    m_charge = m_capacity;
}

void
Battery::ReadSchedule(const std::string& text)
{
    m_steps.clear();
    for (const std::string& step : SplitText(text, ','))
    {
        const size_t at = step.find('@');
        const auto watts = ParseNumber(step.substr(0, at));
        Require(watts && *watts >= 0 && (at != std::string::npos || step == text),
                "Battery: HarvestedPower must be a number of watts of at least 0, or "
                "WATTS@TIME,..., got '",
                text,
                "'");
        const Time time = at == std::string::npos
                              ? Time(0)
                              : ParseTime("Battery: time of '" + step + "' in HarvestedPower",
                                          step.substr(at + 1));
        Require(m_steps.empty() || m_steps.back().first < time,
                "Battery: times of HarvestedPower must increase, got '",
                text,
                "'");
        m_steps.emplace_back(time, *watts);
    }
}

std::vector<Battery::Step>::const_iterator
Battery::FindStep(Time time) const
{
    const auto next =
        std::upper_bound(m_steps.begin(), m_steps.end(), time, [](Time t, const Step& step) {
            return t < step.first;
        });
    return next == m_steps.begin() ? m_steps.end() : next - 1;
}

bool
Battery::IsEmpty() const
{
    return m_charge <= m_capacity * ROUNDING;
}

double
Battery::Use(double joules)
{
    const Time now = Simulator::Now();
    const double span = (now - m_time).GetSeconds();
    if (span <= 0)
    {
        const double given = std::min(m_charge, joules);
        m_charge -= given;
        return given;
    }
    double missing = 0;
    while (m_time < now)
    {
        const auto step = FindStep(m_time);
        const auto next = step == m_steps.end() ? m_steps.begin() : step + 1;
        const Time end = next == m_steps.end() ? now : Min(now, next->first);
        const double part = (end - m_time).GetSeconds();
        const double harvested = step == m_steps.end() ? 0 : step->second * part;
        m_charge += harvested - joules * (part / span);
        missing += std::max(0.0, -m_charge);
        m_charge = std::min(m_capacity, std::max(0.0, m_charge));
        m_time = end;
    }
    return joules - missing;
}

std::optional<Time>
Battery::Find(double goal, double watts) const
{
    double charge = m_charge;
    Time time = m_time;
    while (true)
    {
        const auto step = FindStep(time);
        const auto next = step == m_steps.end() ? m_steps.begin() : step + 1;
        const double net = (step == m_steps.end() ? 0 : step->second) - watts;
        const double wait = (goal - charge) / net; // negative or infinite for never
        const double left = next == m_steps.end() ? INFINITY : (next->first - time).GetSeconds();
        if (wait >= 0 && wait <= left)
        {
            const double delay =
                (time - m_time).GetSeconds() * 1e9 + std::ceil(wait * 1e9 - TIME_ROUNDING);
            return delay < END_OF_TIME ? std::optional<Time>(NanoSeconds(
                                             static_cast<uint64_t>(std::max(1.0, delay))))
                                       : std::nullopt;
        }
        if (next == m_steps.end())
        {
            return std::nullopt;
        }
        charge = std::min(m_capacity, charge + net * left);
        time = next->first;
    }
}

std::optional<Time>
Battery::FindEmpty(double watts) const
{
    return Find(0, watts);
}

std::optional<Time>
Battery::FindRestart() const
{
    return Find(m_restartFraction * m_capacity, 0);
}

} // namespace ns3::dlearn
