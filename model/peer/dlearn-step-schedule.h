/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STEP_SCHEDULE_H
#define DLEARN_STEP_SCHEDULE_H

#include "ns3/object-factory.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a step, or a coupling, changes from round to round. A part of the rules of peers.
 */
class StepSchedule : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param round t, from 0
     * @return the step of round t, at least 0
     */
    virtual double Get(uint32_t round) const = 0;

    /** @throw std::invalid_argument when an attribute is out of its range */
    virtual void Check() const;

    /** @return the step of round 0 */
    double GetInitial() const
    {
        return m_initial;
    }

  private:
    double m_initial{0}; //!< attribute Initial
};

/**
 * @ingroup dlearn
 * Initial in every round.
 */
class ConstantSchedule : public StepSchedule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    double Get(uint32_t round) const override;
};

/**
 * @ingroup dlearn
 * Initial (t+1)^-Exponent.
 */
class PowerSchedule : public StepSchedule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    double Get(uint32_t round) const override;

    /** @return attribute Exponent */
    double GetExponent() const
    {
        return m_exponent;
    }

  private:
    double m_exponent{0}; //!< attribute Exponent
};

/**
 * @ingroup dlearn
 * Initial Ratio^t.
 */
class GeometricSchedule : public StepSchedule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    double Get(uint32_t round) const override;
    void Check() const override;

    /** @return attribute Ratio */
    double GetRatio() const
    {
        return m_ratio;
    }

  private:
    double m_ratio{0}; //!< attribute Ratio
};

/**
 * @ingroup dlearn
 * @param initial step of round 0
 * @param exponent the step decays as (t+1)^-exponent
 * @return makes a PowerSchedule
 */
ObjectFactory PowerScheduleFactory(double initial, double exponent);

/**
 * @ingroup dlearn
 * @param initial step of round 0
 * @param ratio of the steps of two rounds that follow each other
 * @return makes a GeometricSchedule
 */
ObjectFactory GeometricScheduleFactory(double initial, double ratio);

/**
 * @ingroup dlearn
 * @param schedule a schedule
 * @return v when it goes as (t+1)^-v, 0 for a constant one; NaN for all others
 */
double GetPowerExponent(const StepSchedule& schedule);

} // namespace ns3::dlearn

#endif // DLEARN_STEP_SCHEDULE_H
