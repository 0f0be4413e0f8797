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

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ComputeModel, Object);
NS_OBJECT_ENSURE_REGISTERED(FixedCompute);
NS_OBJECT_ENSURE_REGISTERED(FlopsCompute);
NS_OBJECT_ENSURE_REGISTERED(RandomCompute);

TypeId
FixedCompute::GetTypeId()
{
    static TypeId tid = MakeTypeId<FixedCompute, ComputeModel>("ns3::dlearn::FixedCompute")
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
        MakeTypeId<FlopsCompute, ComputeModel>("ns3::dlearn::FlopsCompute")
            .AddAttribute("Flops",
                          "Floating-point operations that the device does in a second.",
                          DoubleValue(1e9),
                          MakeDoubleAccessor(&FlopsCompute::m_flops),
                          MakeDoubleChecker<double>(LEAST_FLOPS))
            .AddAttribute("SampleTime",
                          "Time of the gradient of a sample; 0: by its operations and Flops.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FlopsCompute::m_sampleTime),
                          MakeTimeChecker(Time(0)))
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
    const double work = m_sampleTime.IsZero() ? samples * flopsPerSample / m_flops
                                              : samples * m_sampleTime.GetSeconds();
    return m_overhead + MakeTime("FlopsCompute: time of the work", work);
}

TypeId
RandomCompute::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<RandomCompute, ComputeModel>("ns3::dlearn::RandomCompute")
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
LearnerClock::BeginRound()
{
    m_rate = m_nextRate;
    m_opened = Simulator::Now();
}

Time
LearnerClock::ToSimulated(const std::string& name, Time span) const
{
    if (m_rate != 1)
    {
        const double seconds = CheckSpan(name, Simulator::Now(), span).GetSeconds() / m_rate;
        CheckSpan(name, Simulator::Now(), MakeTime(name, seconds));
        span = Time(static_cast<int64_t>(std::ceil(span.GetTimeStep() / m_rate)));
    }
    return CheckSpan(name, Simulator::Now(), span);
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

} // namespace ns3::dlearn
