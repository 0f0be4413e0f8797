/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RADIO_ENERGY_H
#define DLEARN_RADIO_ENERGY_H

#include "dlearn-ns3-energy.h"

#include "ns3/node.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-radio-energy-model.h"

#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the devices of a node spend by ns-3's own energy models.
 *
 * A node that has energy sources of its own (EnergySourceHelper) keeps them, with the models that
 * draw on them. Else each Wi-Fi device gets a WifiRadioEnergyModel, on a BasicEnergySource that
 * never runs out: this says what the radio spends, and a Battery what is left of it. (In ns-3.37 to
 * 3.48 the model takes a radio for switched off when what was left at an earlier time would have
 * been spent at the current of then, and a source that can run out keeps a fifth or more of its
 * energy.)
 */
class RadioEnergy
{
  public:
    /**
     * @param node with its devices
     * @param changed called when the current of a radio is about to change; not for sources that
     *        were there
     * @throw std::invalid_argument for a current that is too small for the time of ns-3
     */
    RadioEnergy(Ptr<Node> node, std::function<void()> changed);

    RadioEnergy(const RadioEnergy&) = delete;
    RadioEnergy& operator=(const RadioEnergy&) = delete;

    /** @return whether the node had energy sources of its own */
    bool HasOwnSources() const { return m_ownSources; }

    /** @return whether a model says what a device spends: Wi-Fi only */
    bool Covers(Ptr<NetDevice> device) const;

    /** @return joules that all models say were spent since time 0 */
    double GetSpent() const;

    /** @return watts that all radios draw */
    double GetPower() const;

    /** @return joules left in the node's own sources */
    double GetCharge() const;

    /** The battery is empty: radios are switched off. */
    void SwitchOff();

    /** Radios are switched on again. */
    void SwitchOn();

  private:
    /** A radio with the model that it was given. */
    struct Radio
    {
        Ptr<WifiNetDevice> device;       //!< of the node
        Ptr<WifiRadioEnergyModel> model; //!< null where the node has its own sources
    };

    /** @param sources of the node, whose models count */
    void AddModels(const EnergySourceContainer& sources);

    /** Give each radio a model. */
    void InstallModels();

    /** @return joules of all models, also of radios that are off */
    double AddUp() const;

    /** Trace TotalEnergyConsumption of a model. */
    void HandleChange(double before, double after);

    std::function<void()> m_changed;              //!< called before the power changes
    bool m_ownSources;                            //!< whether the node had some
    bool m_off{false};                            //!< whether radios are switched off
    std::vector<Radio> m_radios;                  //!< of the node
    std::vector<Ptr<EnergySource>> m_sources;     //!< of the node, or that which never runs out
    std::vector<Ptr<DeviceEnergyModel>> m_models; //!< all that count
    double m_spent{0};                            //!< joules when radios were switched off
    double m_skipped{0};                          //!< joules of models while radios were off
};

} // namespace ns3::dlearn

#endif // DLEARN_RADIO_ENERGY_H
