/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_BATTERY_H
#define DLEARN_LEARNER_BATTERY_H

#include "ns3/device-energy-model.h"
#include "ns3/dlearn-learner-application.h"

#include <vector>

namespace ns3::energy // where the classes of this module are since ns-3.43
{
} // namespace ns3::energy

namespace ns3::dlearn
{

using namespace ns3::energy;

/**
 * @ingroup dlearn
 * What a learner is to the energy source of its node: a device that draws no current, crashes when
 * the source is empty, and restarts when it is charged again.
 */
class LearnerBattery : public DeviceEnergyModel
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @param learner on a node that has energy sources */
    void SetLearner(Ptr<LearnerApplication> learner);

    void SetEnergySource(Ptr<EnergySource> source) override; //!< on which it draws
    double GetTotalEnergyConsumption() const override;       //!< in joules
    void ChangeState(int newState) override;                 //!< does nothing
    void HandleEnergyDepletion() override;                   //!< the battery is empty
    void HandleEnergyRecharged() override;                   //!< it is charged again
    void HandleEnergyChanged() override;                     //!< the charge has changed

  protected:
    void DoDispose() override;

  private:
    Ptr<LearnerApplication> m_learner; //!< ends with the energy
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

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_BATTERY_H
