/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BATTERY_H
#define DLEARN_BATTERY_H

#include "ns3/device-energy-model.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/energy-source.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::energy
{
} // namespace ns3::energy

namespace ns3::dlearn
{

using namespace ns3::energy; // classes of ns-3's module energy are in ns3 until ns-3.42, then here

/**
 * @ingroup dlearn
 * The battery of a learner's device, full at the beginning, which harvested power charges up to its
 * capacity. It is empty at 0 J.
 *
 * Unlike BasicEnergySource of ns-3, which updates its charge once a second and rounds draws to
 * nanojoules, it knows its charge at every time, and predicts when it will be empty.
 */
class Battery : public Object
{
  public:
    static constexpr double LEAST_CAPACITY = 1e-9; //!< smallest value of the attribute Capacity

    static TypeId GetTypeId();

    /**
     * To be called once, before the first Use().
     *
     * @param time when the battery is full, and from which the times of HarvestedPower count
     * @throw std::invalid_argument for attributes out of range
     */
    void Begin(Time time = Time(0));

    /** @return joules at the time of the last Use() */
    double GetCharge() const { return m_charge; }

    /** @return whether it was empty at the time of the last Use() */
    bool IsEmpty() const;

    /**
     * Draw until now.
     *
     * @param joules drawn since the last call, evenly
     * @return joules that the battery had
     */
    double Use(double joules);

    /** @return time until the battery is empty at a power of @p watts from now on; absent: never */
    std::optional<Time> FindEmpty(double watts) const { return Find(0, watts); }

    /** @return time until the learner restarts when it draws no power; absent: never */
    std::optional<Time> FindRestart() const { return Find(m_restartFraction * m_capacity, 0); }

  private:
    using Step = std::pair<Time, double>; //!< watts harvested from a time on

    std::optional<Time> Find(double goal, double watts) const;
    std::vector<Step>::const_iterator FindStep(Time time) const;

    double m_capacity{10};
    std::string m_harvested; //!< attribute HarvestedPower
    double m_restartFraction{0.15};
    std::vector<Step> m_steps; //!< by time since Begin()
    double m_charge{0};        //!< joules
    Time m_begin;
    Time m_time;
};

/** A learner as a device of an energy source of its node: it loses its power when the source is
 *  empty, and restarts when the source is charged again. An EnergyMeter reports its consumption.
 *  @ingroup dlearn */
class LearnerBattery : public DeviceEnergyModel
{
  public:
    static TypeId GetTypeId();

    /** @param learner on a node that has energy sources */
    void SetLearner(Ptr<LearnerApplication> learner) { m_learner = learner; }

    /** @return the learner */
    Ptr<LearnerApplication> GetLearner() const { return m_learner; }

    /** @return whether the source is empty */
    bool IsDepleted() const { return m_depleted; }

    /** @param joules drawn within a microsecond */
    void Draw(double joules);

    /** Draw @p joules evenly over a time, or until EndDraw(). @param time 0: at once */
    void BeginDraw(double joules, Time time);

    void EndDraw(); //!< BeginDraw() is over, maybe early

    void SetEnergySource(Ptr<EnergySource> source) override { m_source = source; }

    double GetTotalEnergyConsumption() const override;

    void ChangeState(int /* newState */) override {}

    void HandleEnergyDepletion() override;
    void HandleEnergyRecharged() override;

    void HandleEnergyChanged() override {}

  protected:
    void DoDispose() override;

  private:
    double DoGetCurrentA() const override { return m_current; }

    void ChangeCurrent(double amperes);

    Ptr<LearnerApplication> m_learner;
    Ptr<EnergySource> m_source;
    bool m_depleted{false};
    double m_steady{0};  //!< amperes of BeginDraw()
    double m_current{0}; //!< amperes in all
    double m_total{0};   //!< joules until m_changed
    Time m_changed;      //!< when the current changed last
};

/**
 * @ingroup dlearn
 * Let learners end when an energy source of their node (EnergySourceHelper) is empty, as the source
 * decides: BasicEnergySource is empty at BasicEnergyLowBatteryThreshold, a tenth of its energy, and
 * full again at BasicEnergyHighBatteryThreshold. A Run does this for its learners.
 *
 * With its default currents, WifiRadioEnergyModel of ns-3.37 ceases to draw current while a source
 * keeps more than a fifth, which is then never empty unless the lower threshold is 0.3.
 *
 * @param learners on their nodes; those on nodes without energy sources do not change
 */
void InstallBatteries(const std::vector<Ptr<LearnerApplication>>& learners);

/** @return the battery that InstallBatteries() made of a learner for the first energy source of its
 *  node; null: none @ingroup dlearn */
Ptr<LearnerBattery> FindLearnerBattery(const LearnerApplication& learner);

} // namespace ns3::dlearn

#endif // DLEARN_BATTERY_H
