/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STEP_SCHEDULE_H
#define DLEARN_STEP_SCHEDULE_H

#include "ns3/dlearn-part.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a step, or a coupling, changes from round to round. A part of the rules of peers, servers and
 * clients; its attributes have second names on them, see AddSchedule().
 */
class StepSchedule : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param round t, from 0
     * @return the step of round t, at least 0
     */
    virtual double Get(uint32_t round) const = 0;

    /** @throw std::invalid_argument when an attribute is out of its range */
    virtual void Check() const;

    /** @return the step of round 0 */
    double GetInitial() const { return m_initial; }

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
    static TypeId GetTypeId();
    double Get(uint32_t round) const override;

    /** @return attribute Exponent */
    double GetExponent() const { return m_exponent; }

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
    static TypeId GetTypeId();
    double Get(uint32_t round) const override;
    void Check() const override;

    /** @return attribute Ratio */
    double GetRatio() const { return m_ratio; }

  private:
    double m_ratio{0}; //!< attribute Ratio
};

/**
 * @ingroup dlearn
 * The schedule that an owner has by default.
 */
struct DefaultSchedule
{
    ObjectFactory factory; //!< makes it
    double initial;        //!< its attribute Initial
    std::string parameter; //!< the name of its other attribute; empty when it has none
    double value{0};       //!< the value of that
    double largest{0};     //!< that it may have
};

/**
 * @ingroup dlearn
 * @param initial step of all rounds
 * @return a ConstantSchedule
 */
DefaultSchedule ConstantStep(double initial);

/**
 * @ingroup dlearn
 * @param initial step of round 0
 * @param exponent the step decays as (t+1)^-exponent
 * @return a PowerSchedule
 */
DefaultSchedule PowerStep(double initial, double exponent);

/**
 * @ingroup dlearn
 * @param initial step of round 0
 * @param ratio by which the step is multiplied every round
 * @return a GeometricSchedule
 */
DefaultSchedule GeometricStep(double initial, double ratio);

/**
 * @ingroup dlearn
 * What an owner calls its schedule.
 */
struct ScheduleNames
{
    std::string prefix;      //!< of "Schedule", and of the other attribute: "Step", "StepExponent"
    std::string help;        //!< of the attribute that holds the schedule
    std::string initial;     //!< the name of its attribute Initial
    std::string initialHelp; //!< what that is, such as "The step in round 0"
};

/**
 * @ingroup dlearn
 * Add the attribute that holds a schedule to an owner, and second names of the schedule's own
 * attributes.
 *
 * @tparam Owner class that has the attributes
 * @param tid of the owner, or of a class derived from it
 * @param part where the owner keeps the schedule
 * @param isSetUp whether the owner takes no other schedule any more
 * @param names of the attributes
 * @param schedule the default
 * @return the TypeId with the attributes
 */
template <typename Owner>
TypeId
AddSchedule(TypeId tid,
            Ptr<StepSchedule> Owner::*part,
            typename internal::Identity<bool (Owner::*)() const>::Type isSetUp,
            const ScheduleNames& names,
            const DefaultSchedule& schedule)
{
    const std::string holder = names.prefix + "Schedule";
    tid.AddAttribute(holder,
                     names.help,
                     ObjectFactoryValue(schedule.factory),
                     MakePartAccessor(part, isSetUp),
                     MakePartChecker<StepSchedule>())
        .AddAttribute(names.initial,
                      names.initialHelp + ": Initial of the " + holder + ".",
                      PartDefault(schedule.initial),
                      MakePartAliasAccessor(part, "Initial"),
                      MakeDoubleChecker<double>(0.0));
    if (!schedule.parameter.empty())
    {
        tid.AddAttribute(names.prefix + schedule.parameter,
                         schedule.parameter + " of the " + holder + ".",
                         PartDefault(schedule.value),
                         MakePartAliasAccessor(part, schedule.parameter),
                         MakeDoubleChecker<double>(0.0, schedule.largest));
    }
    return tid;
}

/**
 * @ingroup dlearn
 * @param schedule a schedule
 * @return v when it goes as (t+1)^-v, 0 for a constant one; NaN for all others
 */
double GetPowerExponent(const StepSchedule& schedule);

} // namespace ns3::dlearn

#endif // DLEARN_STEP_SCHEDULE_H
