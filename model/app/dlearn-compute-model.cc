/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-compute-model.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/simulator.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ComputeModel, Object);
NS_OBJECT_ENSURE_REGISTERED(FixedCompute);
NS_OBJECT_ENSURE_REGISTERED(FlopsCompute);
NS_OBJECT_ENSURE_REGISTERED(RandomCompute);

TypeId
FixedCompute::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::FixedCompute")
                            .SetParent<ComputeModel>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<FixedCompute>()
                            .AddAttribute("Duration",
                                          "Time of one round's gradient.",
                                          TimeValue(MilliSeconds(10)),
                                          MakeTimeAccessor(&FixedCompute::m_duration),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

TypeId
FlopsCompute::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::FlopsCompute")
            .SetParent<ComputeModel>()
            .SetGroupName("Dlearn")
            .AddConstructor<FlopsCompute>()
            .AddAttribute("Flops",
                          "Floating-point operations that the device does in a second.",
                          DoubleValue(1e9),
                          MakeDoubleAccessor(&FlopsCompute::m_flops),
                          MakeDoubleChecker<double>(LEAST_FLOPS))
            .AddAttribute("Overhead",
                          "Time of a round that does not depend on the work.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&FlopsCompute::m_overhead),
                          MakeTimeChecker(Time(0)));
    return tid;
}

Time
FlopsCompute::GetExpectedTime(uint64_t samples, double flopsPerSample) const
{
    return m_overhead +
           MakeTime("FlopsCompute: time of the work", samples * flopsPerSample / m_flops);
}

TypeId
RandomCompute::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::RandomCompute")
            .SetParent<ComputeModel>()
            .SetGroupName("Dlearn")
            .AddConstructor<RandomCompute>()
            .AddAttribute("Mean",
                          "Mean time of one round's gradient, in seconds.",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&RandomCompute::m_mean),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Spread",
                          "Standard deviation of the logarithm of the time, which is "
                          "log-normal.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RandomCompute::m_spread),
                          MakeDoubleChecker<double>(0));
    return tid;
}

Time
RandomCompute::GetTime(uint64_t /* samples */, double /* flopsPerSample */)
{
    // exp(N(mu, s^2)) has mean exp(mu + s^2/2): shift so that Mean is the mean.
    const double exponent = m_spread * m_random->GetValue() - m_spread * m_spread / 2;
    return MakeTime("RandomCompute: a time drawn", m_mean * std::exp(exponent));
}

int64_t
RandomCompute::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
LearnerComputation::SetCallback(std::function<void()> finished,
                                std::function<std::string()> describe)
{
    m_finished = std::move(finished);
    m_describe = std::move(describe);
}

void
LearnerComputation::Start(Time time, std::function<void()> work)
{
    Require(m_endEvent.IsExpired(), "LearnerComputation: another one is under way");
    m_time = time;
    m_endEvent = Simulator::Schedule(time, &LearnerComputation::End, this);
    if (work)
    {
        m_job = ComputePool::Get().Start(std::move(work));
    }
}

void
LearnerComputation::Cancel()
{
    if (!m_endEvent.IsExpired())
    {
        m_time -= Simulator::GetDelayLeft(m_endEvent);
    }
    m_endEvent.Cancel();
    ComputePool::Get().Drop(m_job);
}

void
LearnerComputation::End()
{
    try
    {
        if (m_job)
        {
            ComputePool::Get().Finish(m_job);
        }
        m_finished();
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(m_describe() + ": " + error.what());
    }
}

void
LearnerClock::BeginRound()
{
    m_rate = m_nextRate;
    m_opened = Simulator::Now();
}

Time
LearnerClock::GetDuration() const
{
    return Simulator::Now() - m_opened;
}

Time
LearnerClock::ToSimulated(const std::string& what, Time span) const
{
    if (m_rate != 1)
    {
        const double seconds = CheckSpan(what, Simulator::Now(), span).GetSeconds() / m_rate;
        CheckSpan(what, Simulator::Now(), MakeTime(what, seconds));
        span = Time(static_cast<int64_t>(std::ceil(span.GetTimeStep() / m_rate)));
    }
    return CheckSpan(what, Simulator::Now(), span);
}

Time
LearnerClock::ToLocal(Time span) const
{
    if (m_rate == 1)
    {
        return span;
    }
    return Time(static_cast<int64_t>(std::ceil(span.GetTimeStep() * m_rate)));
}

void
Alarm::Set(Time delay)
{
    Cancel();
    m_event = Simulator::Schedule(delay, m_ring);
}

bool
Alarm::PutOff(Time delay)
{
    const bool later = delay.IsStrictlyPositive();
    if (later)
    {
        Set(delay);
    }
    return later;
}

} // namespace ns3::dlearn
