/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BATTERY_H
#define DLEARN_BATTERY_H

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The battery of a learner's device, full at the beginning, which harvested power charges up to its
 * capacity. It is empty at 0 J.
 *
 * BasicEnergySource of ns-3 looks at its charge once a second and rounds what is drawn to
 * nanojoules; here the charge is known at every time, and so is when the battery will be empty.
 */
class Battery : public Object
{
  public:
    static constexpr double LEAST_CAPACITY = 1e-9; //!< smallest value of the attribute Capacity

    static TypeId GetTypeId();

    /**
     * To be called once, at time 0.
     * @throw std::invalid_argument for attributes that are not as they must be
     */
    void Begin();

    /** @return joules at the time of the last Use() */
    double GetCharge() const { return m_charge; }

    /** @return whether it was empty at the time of the last Use() */
    bool IsEmpty() const;

    /**
     * The battery goes on to the present.
     *
     * @param joules drawn since the last call, evenly
     * @return those of them that it had
     */
    double Use(double joules);

    /**
     * @param watts drawn from now on
     * @return how long the charge lasts then; nothing when it does for ever
     */
    std::optional<Time> FindEmpty(double watts) const;

    /** @return how long it takes, when nothing is drawn, until the learner restarts; nothing when
     *  it never does */
    std::optional<Time> FindRestart() const;

  private:
    /** Harvested power from a time on. */
    using Step = std::pair<Time, double>;

    /** @param text of a schedule: WATTS or WATTS@TIME,... */
    void ReadSchedule(const std::string& text);

    /**
     * Look for the time when the charge gets to a value.
     *
     * @param goal in joules
     * @param watts drawn from now on
     * @return how long it takes; nothing when it never does
     */
    std::optional<Time> Find(double goal, double watts) const;

    /** @return the step of the schedule that holds at a time; its end for none */
    std::vector<Step>::const_iterator FindStep(Time time) const;

    double m_capacity{10};          //!< attribute Capacity
    std::string m_harvested;        //!< attribute HarvestedPower
    double m_restartFraction{0.15}; //!< attribute RestartFraction
    std::vector<Step> m_steps;      //!< of the schedule, by time
    double m_charge{0};             //!< joules
    Time m_time;                    //!< of the charge
};

} // namespace ns3::dlearn

#endif // DLEARN_BATTERY_H
