/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENERGY_METER_H
#define DLEARN_ENERGY_METER_H

#include "dlearn-battery.h"
#include "dlearn-device-bits.h"
#include "dlearn-learner-battery.h"
#include "dlearn-operation-counter.h"
#include "dlearn-radio-energy.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Joules that a learner's node spends: on radio by RadioEnergy, on other devices by the bit, on
 * computation by the floating-point operation. Computation draws its energy evenly over its time.
 *
 * With a Battery the learner ends when that is empty, the devices are switched off and nothing is
 * spent; of what empties it, only what it had counts. The learner starts again when harvested power
 * has charged the battery. A node with energy sources of its own draws on these instead, and they
 * say when they are empty (InstallBatteries()).
 */
class EnergyMeter : public Object
{
  public:
    /** What the meter shows when the learner closes a round. */
    struct Reading
    {
        uint32_t round{0}; //!< that is closed
        double spent{0};   //!< joules since time 0; NaN when not known
        double charge{0};  //!< joules left; NaN without a battery

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(round, spent, charge);
        }
    };

    /** Called with the time at which a learner will start again. */
    using RestartListener = std::function<void(Time time, LearnerId learner)>;

    static TypeId GetTypeId();
    EnergyMeter();
    ~EnergyMeter() override;

    /**
     * Begin to measure, at time 0. The meter is aggregated to the learner, so that it lives as
     * long. Where the node has energy sources, InstallBatteries() must have been called.
     *
     * @param learner set up, on its node
     * @param battery of its device; null for none
     * @throw std::invalid_argument for a learner that has a meter, for a battery where the node has
     * energy sources of its own, or what it spends is not known
     */
    void Install(Ptr<LearnerApplication> learner, Ptr<Battery> battery);

    /** @return whether it counts the bits of a device, as ns-3 has no energy model of it */
    bool CountsBits() const;

    /** @param over whether learning is over, so that an empty battery ends nothing any more */
    void NoteEnd(bool over);

    /** @param listener gets restarts of the learner */
    void SetRestartListener(RestartListener listener) { m_listener = std::move(listener); }

    /** @return whether what all devices of the node spend is known */
    bool IsKnown() const;

    /** @return what is missing when it is not known, in words */
    std::string GetUnknown() const
    {
        return "tx-joules-per-bit and rx-joules-per-bit, as ns-3 has no energy model of " +
               m_unknown;
    }

    /** @return joules since time 0; NaN when not known */
    double GetSpent() const;

    /** @return whether it has a battery; else the node may have energy sources of its own */
    bool HasBattery() const { return m_battery != nullptr; }

    /** @return joules left now; NaN without a battery or sources of the node */
    double GetCharge();

    /** @return whether it lets the learner restart no more, which has closed no round in 100
     * restarts */
    bool HasGivenUp() const;

    /** @return one for each round that the learner has closed, in order */
    const std::vector<Reading>& GetReadings() const { return m_readings; }

  protected:
    void DoDispose() override;

  private:
    void HandleCompute(Time time, double operations); //!< trace Compute
    /** Trace StateTransition. */
    void HandleState(LearnerApplication::State left, LearnerApplication::State entered);
    void HandleRoundEnd(const RoundRecord& record); //!< trace RoundEnd

    /** The computation is over, whether it is finished or not. */
    void EndComputation();

    /**
     * @param bits sent or received
     * @param joules of a bit
     * @param counter of the bits
     */
    void CountBits(uint64_t bits, double joules, uint64_t& counter);

    /** The battery goes on to the present; what follows draws another power, or less is left. */
    void Update();

    /** Look at this time, after all that happens now, when the battery will be empty. */
    void LookSoon();

    /** The battery is empty: devices are switched off. */
    void SwitchOff();

    /** Devices are switched on again. */
    void SwitchOn();

    /** Tell when the learner will start again. */
    void TellRestart() const;

    /** See whether the battery is empty or charged, and look again when it may be. */
    void Look();

    double m_joulesPerOperation{0}; //!< attribute JoulesPerOperation
    double m_txJoulesPerBit{0};     //!< attribute TxJoulesPerBit
    double m_rxJoulesPerBit{0};     //!< attribute RxJoulesPerBit

    Ptr<LearnerApplication> m_learner;    //!< measured
    Ptr<Battery> m_battery;               //!< null for none
    Ptr<LearnerBattery> m_draw;           //!< draws on the node's own sources; null for none
    std::unique_ptr<RadioEnergy> m_radio; //!< ns-3's models
    std::unique_ptr<DeviceBits> m_bits;   //!< of devices without such a model
    std::string m_unknown;                //!< device whose joules are not known; empty for none
    RestartListener m_listener;           //!< gets restarts
    bool m_over{false};                   //!< whether learning is over
    bool m_empty{false};                  //!< whether the battery is empty
    uint32_t m_restarts{0};               //!< since the learner closed a round
    uint64_t m_txBits{0};                 //!< sent by devices without models
    uint64_t m_rxBits{0};                 //!< received by them
    OperationCounter m_operations;        //!< of the learner
    double m_radioBefore{0};              //!< joules of radios before a state was loaded
    double m_used{0};                     //!< joules that the battery has given
    double m_missing{0};                  //!< joules that it did not have
    Time m_restart;                       //!< of an empty battery's learner; 0: never
    EventId m_look;                       //!< when the battery may be empty or charged
    std::vector<Reading> m_readings;      //!< of closed rounds
};

} // namespace ns3::dlearn

#endif // DLEARN_ENERGY_METER_H
