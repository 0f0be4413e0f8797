/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPUTE_MODEL_H
#define DLEARN_COMPUTE_MODEL_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How long a gradient takes on the learner's device, in simulated time. There is no model
 * that is free: a cost of zero has to be asked for (FixedCompute with Duration 0).
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

    /**
     * What GetTime() is on average; draws no random number.
     *
     * @param samples samples whose gradient is evaluated
     * @param flopsPerSample floating-point operations of one sample's gradient
     * @return simulated time; 0, unless overridden, where it is not known
     */
    virtual Time GetExpectedTime(uint64_t samples, double flopsPerSample) const;

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);
};

/**
 * @ingroup dlearn
 * The same time in every round.
 */
class FixedCompute : public ComputeModel
{
  public:
    static TypeId GetTypeId();
    Time GetTime(uint64_t samples, double flopsPerSample) override;
    Time GetExpectedTime(uint64_t samples, double flopsPerSample) const override;

  private:
    Time m_duration; //!< attribute Duration
};

/**
 * @ingroup dlearn
 * Overhead + samples x operations a sample / operations a second.
 */
class FlopsCompute : public ComputeModel
{
  public:
    static constexpr double LEAST_FLOPS = 1; //!< smallest value of the attribute Flops

    static TypeId GetTypeId();
    Time GetTime(uint64_t samples, double flopsPerSample) override;
    Time GetExpectedTime(uint64_t samples, double flopsPerSample) const override;

  private:
    double m_flops{1e9}; //!< attribute Flops
    Time m_overhead;     //!< attribute Overhead
};

/**
 * @ingroup dlearn
 * A time in seconds drawn anew in every round, whatever the work.
 */
class RandomCompute : public ComputeModel
{
  public:
    static TypeId GetTypeId();

    Time GetTime(uint64_t samples, double flopsPerSample) override;
    Time GetExpectedTime(uint64_t samples, double flopsPerSample) const override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    double m_mean{0.01};  //!< attribute Mean
    double m_spread{0.5}; //!< attribute Spread
    Ptr<NormalRandomVariable> m_random{
        CreateObject<NormalRandomVariable>()}; //!< standard normal numbers
};

} // namespace ns3::dlearn

#endif // DLEARN_COMPUTE_MODEL_H
