/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPUTE_MODEL_H
#define DLEARN_COMPUTE_MODEL_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How long a gradient takes on the learner's device, in simulated time. No model is
 * free by default: a cost of 0 is FixedCompute with Duration 0.
 */
class ComputeModel : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param samples samples whose gradient is evaluated
     * @param flopsPerSample floating-point operations of one sample's gradient
     * @return simulated time
     */
    virtual Time GetTime(uint64_t samples, double flopsPerSample) = 0;

    /** The average of GetTime(); draws no random number.
     *  @return simulated time; 0 unless overridden: unknown */
    virtual Time GetExpectedTime(uint64_t /* samples */, double /* flopsPerSample */) const
    {
        return Time(0);
    }

    /** Fix the random streams, from @p stream on. @return number of streams used */
    virtual int64_t AssignStreams(int64_t /* stream */) { return 0; }
};

/** @ingroup dlearn
 *  The same time in every round. */
class FixedCompute : public ComputeModel
{
  public:
    static TypeId GetTypeId();

    Time GetTime(uint64_t /* samples */, double /* flopsPerSample */) override
    {
        return m_duration;
    }

    Time GetExpectedTime(uint64_t /* samples */, double /* flopsPerSample */) const override
    {
        return m_duration;
    }

  private:
    Time m_duration;
};

/** @ingroup dlearn
 *  Overhead + samples x operations a sample / operations a second; or, with SampleTime, which may
 *  have been measured, Overhead + samples x SampleTime. */
class FlopsCompute : public ComputeModel
{
  public:
    static constexpr double LEAST_FLOPS = 1; //!< smallest value of the attribute Flops

    static TypeId GetTypeId();

    Time GetTime(uint64_t samples, double flopsPerSample) override
    {
        return GetExpectedTime(samples, flopsPerSample);
    }

    Time GetExpectedTime(uint64_t samples, double flopsPerSample) const override;

  private:
    double m_flops{1e9};
    Time m_sampleTime;
    Time m_overhead;
};

/** @ingroup dlearn
 *  A time in seconds drawn anew in every round, whatever the work. */
class RandomCompute : public ComputeModel
{
  public:
    static TypeId GetTypeId();

    Time GetTime(uint64_t samples, double flopsPerSample) override;

    Time GetExpectedTime(uint64_t /* samples */, double /* flopsPerSample */) const override
    {
        return Seconds(m_mean);
    }

    int64_t AssignStreams(int64_t stream) override;

  private:
    double m_mean{0.01};
    double m_spread{0.5};
    Ptr<NormalRandomVariable> m_random{CreateObject<NormalRandomVariable>()};
};

/**
 * @ingroup dlearn
 * The clock of a learner, which may run too fast or too slow. It measures how long the round is
 * open.
 */
class LearnerClock
{
  public:
    /**
     * Let the clock run too fast or too slow from the next BeginRound() on: a timer that runs is
     * not wound up again.
     *
     * @param ppm by how many seconds in a million the clock is fast; negative when it is slow, more
     *        than -1000000
     */
    void SetDrift(double ppm) { m_nextRate = 1 + ppm / 1e6; }

    /** A round begins now. */
    void BeginRound();

    /** @return simulated time since the round began */
    Time GetDuration() const { return Simulator::Now() - m_opened; }

    /** @return the same by this clock */
    Time GetElapsed() const { return ToLocal(GetDuration()); }

    /**
     * @param name of the span, for the message
     * @param span a time by this clock, from the beginning of the round on
     * @return how much simulated time is left of it; 0 when it is over
     * @throw std::invalid_argument when it ends beyond the end of time
     */
    Time GetLeft(const std::string& name, Time span) const
    {
        return Max(ToSimulated(name, span) - GetDuration(), Time(0));
    }

    /**
     * @param name of the span, for the message
     * @param span a time by this clock
     * @return how long that is
     * @throw std::invalid_argument when it ends beyond the end of time
     */
    Time ToSimulated(const std::string& name, Time span) const;

    /**
     * @param span a time, at least 0
     * @return how long that is by this clock; at least a span that became this time by
     *         ToSimulated()
     */
    Time ToLocal(Time span) const;

  private:
    double m_rate{1};     //!< seconds of this clock in a second
    double m_nextRate{1}; //!< the same from the next round on
    Time m_opened;        //!< when the round began
};

} // namespace ns3::dlearn

#endif // DLEARN_COMPUTE_MODEL_H
