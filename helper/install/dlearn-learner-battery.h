/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_BATTERY_H
#define DLEARN_LEARNER_BATTERY_H

#include "dlearn-ns3-energy.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/nstime.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a learner is to the energy source of its node: a device that loses its power when the source
 * is empty, and restarts when it is charged again. It draws current when an EnergyMeter tells it
 * what the learner spends.
 */
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

    /** @param joules drawn at once, which takes a microsecond */
    void Draw(double joules);

    /**
     * Draw evenly until EndDraw().
     * @param joules that are drawn in all
     * @param time that it takes; 0: at once
     */
    void BeginDraw(double joules, Time time);

    void EndDraw(); //!< BeginDraw() is over, maybe early

    void SetEnergySource(Ptr<EnergySource> source) override
    {
        m_source = source;
    } //!< on which it draws

    double GetTotalEnergyConsumption() const override; //!< in joules
    void ChangeState(int newState) override;           //!< does nothing
    void HandleEnergyDepletion() override;             //!< the battery is empty
    void HandleEnergyRecharged() override;             //!< it is charged again
    void HandleEnergyChanged() override;               //!< the charge has changed

  protected:
    void DoDispose() override;

  private:
    double DoGetCurrentA() const override { return m_current; } //!< in amperes

    /** @param change of the current, in amperes */
    void ChangeCurrent(double change);

    Ptr<LearnerApplication> m_learner; //!< ends with the energy
    Ptr<EnergySource> m_source;        //!< on which it draws
    bool m_depleted{false};            //!< whether the source is empty
    double m_steady{0};                //!< amperes of BeginDraw()
    double m_current{0};               //!< amperes in all
    double m_total{0};                 //!< joules until the current changed last
    Time m_changed;                    //!< when that was
};

/**
 * @ingroup dlearn
 * Let learners end when an energy source of their node (EnergySourceHelper) is empty, which the
 * source decides: BasicEnergySource is empty at BasicEnergyLowBatteryThreshold, a tenth of its
 * energy, and full again at BasicEnergyHighBatteryThreshold. A Run does this for its learners.
 *
 * WifiRadioEnergyModel of ns-3.37 ceases to draw current when what was left at an earlier time
 * would have been spent at the current of sending, so with its default currents a source with a
 * radio keeps more than a fifth, and is never empty unless the lower threshold is 0.3.
 *
 * @param learners on their nodes; those on nodes without energy sources are left alone
 */
void InstallBatteries(const std::vector<Ptr<LearnerApplication>>& learners);

/**
 * @ingroup dlearn
 * @param learner on a node
 * @return what InstallBatteries() made of it for the first energy source of the node; null for none
 */
Ptr<LearnerBattery> FindLearnerBattery(const LearnerApplication& learner);

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_BATTERY_H
