/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENERGY_METER_H
#define DLEARN_ENERGY_METER_H

#include "dlearn-battery.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/energy-source-container.h"
#include "ns3/event-id.h"
#include "ns3/node.h"
#include "ns3/wifi-net-device.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The joules of a node's devices by ns-3's own energy models.
 *
 * A node that has energy sources (EnergySourceHelper) keeps them, with the models that draw on
 * them. Else each Wi-Fi device gets a WifiRadioEnergyModel on an endless BasicEnergySource: the
 * model counts the joules of the radio, and a Battery its charge. (In ns-3.37 to 3.48 a source of
 * that model that can run out keeps a fifth or more of its energy.)
 */
class RadioEnergy
{
  public:
    /**
     * @param node with its devices; null: there are none
     * @param changed called when the current of a radio is about to change; not for the node's own
     *        sources
     * @param efficiency of the amplifier: a radio that sends with the power p draws p / efficiency
     *        more than idle; 0: TxCurrentA at any power
     * @throw std::invalid_argument for a current that is too small for the time of ns-3
     */
    RadioEnergy(Ptr<Node> node, std::function<void()> changed, double efficiency = 0);

    RadioEnergy(const RadioEnergy&) = delete;
    RadioEnergy& operator=(const RadioEnergy&) = delete;

    /** @return whether the node had its own energy sources */
    bool HasOwnSources() const { return m_ownSources; }

    /** @return joules of all models since time 0 */
    double GetSpent() const { return m_off ? m_spent : AddUp() - m_skipped; }

    /** @return watts that all radios draw */
    double GetPower() const;

    /** @return joules left in the node's own sources */
    double GetCharge() const;

    void SwitchOff(); //!< the battery is empty
    void SwitchOn();  //!< the battery is charged again

  private:
    void AddModels(const EnergySourceContainer& sources);
    double AddUp() const;

    void HandleChange(double /* before */, double /* after */) { m_changed(); }

    std::function<void()> m_changed;
    bool m_ownSources;
    bool m_off{false};
    std::vector<Ptr<WifiNetDevice>> m_radios;
    std::vector<Ptr<EnergySource>> m_sources; //!< of the node, or the endless source
    std::vector<Ptr<DeviceEnergyModel>> m_models;
    double m_spent{0};   //!< joules when radios were switched off
    double m_skipped{0}; //!< joules of models while radios were off
};

/** Floating-point operations of a learner's computations: even over the time of each, which may end
 *  early. @ingroup dlearn */
class OperationCounter
{
  public:
    /** A computation of some operations begins; the one before must be over. */
    void Begin(Time time, double operations);

    void End(); //!< the computation is over, finished or not

    /** @return whether a computation has begun and is not over */
    bool IsBusy() const { return m_busy; }

    /** @return operations done so far, of all computations */
    double GetDone() const;

    /** @return watts of the present computation, at these joules an operation; 0 if it takes no
     * time
     */
    double GetPower(double joules) const;

  private:
    double m_done{0}; //!< of computations that are over
    bool m_busy{false};
    Time m_begin;
    Time m_time;
    double m_operations{0};
};

/**
 * @ingroup dlearn
 * Joules that a learner's node spends: on radio by RadioEnergy, on other devices by the bit, on
 * computation by the floating-point operation, evenly over its time, and the joules that it
 * radiates in slots of a MultipleAccessChannel.
 *
 * When a Battery is empty, the learner ends, and the devices are switched off and spend nothing.
 * Joules beyond its charge do not count. The learner restarts when harvested power has charged the
 * battery. A node with its own energy sources draws on these instead (InstallBatteries()).
 */
class EnergyMeter : public Object
{
  public:
    /** The meter's values when the learner closes a round. */
    struct Reading
    {
        uint32_t round{0}; //!< the closed round
        double spent{0};   //!< joules since the beginning; NaN: not known
        double charge{0};  //!< joules left; NaN without a battery
    };

    /** Called with the time at which a learner will restart. */
    using RestartListener = std::function<void(Time time, LearnerId learner)>;

    static TypeId GetTypeId();
    EnergyMeter();
    ~EnergyMeter() override;

    /**
     * Measure from a time on. The meter is aggregated to the learner. Of several learners on a node
     * the first one has the joules of the devices, and the others those of their computations. If
     * the node has energy sources, which count from time 0, InstallBatteries() must be called
     * before.
     *
     * @param learner set up, on its node
     * @param battery of its device, full at the beginning; null: none
     * @param begin simulated time from which joules count
     * @throw std::invalid_argument for a learner that has a meter, or for a battery if the node has
     *        its own energy sources or not all joules are known
     */
    void Install(Ptr<LearnerApplication> learner, Ptr<Battery> battery, Time begin = Time(0));

    /** @return whether it counts the bits of a device without an energy model of ns-3 */
    bool CountsBits() const;

    /** @param over whether learning is over, so that batteries no longer matter */
    void NoteEnd(bool over);

    /** @param listener gets restarts of the learner */
    void SetRestartListener(RestartListener listener) { m_listener = std::move(listener); }

    /** @return whether the joules of all devices of the node are known */
    bool IsKnown() const;

    /** @return the missing attributes, in words */
    std::string GetUnknown() const
    {
        return "tx-joules-per-bit and rx-joules-per-bit, as ns-3 has no energy model of " +
               m_unknown;
    }

    /** @return joules since the beginning; NaN when not known */
    double GetSpent() const;

    /** @return whether it has a battery; else the node may have its own energy sources */
    bool HasBattery() const { return m_battery != nullptr; }

    /** @return joules left now; NaN without a battery or sources of the node */
    double GetCharge();

    /** @return whether the learner no longer restarts, as it closed no round in 100 restarts */
    bool HasGivenUp() const { return m_restarts > MOST_RESTARTS; }

    /** @return the readings of all closed rounds, in order */
    const std::vector<Reading>& GetReadings() const { return m_readings; }

  protected:
    void DoDispose() override;

  private:
    class OtherDevices;

    static constexpr uint32_t MOST_RESTARTS = 100; //!< of a learner that closes no round

    void Begin();
    void HandleCompute(Time time, double operations);
    void HandleState(LearnerApplication::State left, LearnerApplication::State entered);
    void HandleRoundEnd(const RoundRecord& record);
    void EndComputation();
    void CountBits(uint64_t bits, double joules, uint64_t& counter);
    void HandleRadiation(double joules);
    void Spend(double joules, const std::function<void()>& count);
    double GetWanted() const;
    void Update(); //!< take the spent joules from the battery; before the power changes
    void LookSoon();
    void Look(); //!< whether the battery is empty or charged, and again when it may be

    double m_joulesPerOperation{0};
    double m_txJoulesPerBit{0};
    double m_rxJoulesPerBit{0};
    double m_radioEfficiency{0};
    Ptr<LearnerApplication> m_learner;
    Ptr<Battery> m_battery;
    Ptr<LearnerBattery> m_draw; //!< draws on the node's own sources; null: none
    std::unique_ptr<RadioEnergy> m_radio;
    std::unique_ptr<OtherDevices> m_others;
    std::string m_unknown; //!< device whose joules are not known; empty: none
    RestartListener m_listener;
    bool m_begun{false};
    bool m_over{false};     //!< learning is over
    bool m_empty{false};    //!< the battery is empty
    uint32_t m_restarts{0}; //!< since the learner closed a round
    uint64_t m_txBits{0};   //!< of devices without models
    uint64_t m_rxBits{0};
    double m_radiated{0}; //!< joules
    OperationCounter m_operations;
    double m_before{0};  //!< joules before the beginning
    double m_used{0};    //!< joules that the battery has given
    double m_missing{0}; //!< joules that it did not have
    EventId m_look;
    std::vector<Reading> m_readings;
};

} // namespace ns3::dlearn

#endif // DLEARN_ENERGY_METER_H
