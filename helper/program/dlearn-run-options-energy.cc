/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"

namespace ns3::dlearn
{

using namespace run_kinds;

void
AddEnergyOptions(RunSpec& s, OptionTable& table)
{
    const char* const measured = "energy or battery";
    table.Begin("Energy", TheoryEffect::DISTURBS);
    table
        .Add("energy",
             P | D | F,
             &s.energy,
             "count joules, of radios by ns-3's energy model of Wi-Fi: columns energy_j and "
             "battery_j of rounds.csv")
        .Theory(TheoryEffect::NONE);
    table
        .Add("battery",
             P | D | F,
             &s.battery,
             "joules of a learner's battery, not of a server's; the learner ends when it is empty: "
             "a value, uniform:A:B, lognormal:MEDIAN:SIGMA or exponential:MEAN; empty: none")
        .Governs({"Battery::Capacity"});
    table.Add("harvest", P | D | F, &s.harvest, "")
        .Sets({"Battery::HarvestedPower"})
        .Needs(!s.battery.empty() || (s.energy && !s.devices.empty()), "battery");
    table.Add("joules-per-operation", P | D | F, &s.joulesPerOperation, "")
        .Sets({"EnergyMeter::JoulesPerOperation"})
        .Needs(s.MeasuresEnergy(), measured)
        .Theory(TheoryEffect::NONE);
    table.Add("tx-joules-per-bit", P | D | F, &s.txJoulesPerBit, "")
        .Sets({"EnergyMeter::TxJoulesPerBit"})
        .Needs(s.MeasuresEnergy(), measured)
        .Theory(TheoryEffect::NONE);
    table.Add("rx-joules-per-bit", P | D | F, &s.rxJoulesPerBit, "")
        .Sets({"EnergyMeter::RxJoulesPerBit"})
        .Needs(s.MeasuresEnergy(), measured)
        .Theory(TheoryEffect::NONE);
}

} // namespace ns3::dlearn
