/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FAULT_TRIAL_H
#define DLEARN_FAULT_TRIAL_H

#include "ns3/dlearn-run-spec.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What came of a run with faults that were drawn at random, and of the same run without them.
 */
struct FaultTrial
{
    uint32_t faults{0};    //!< events of the schedule
    uint64_t packets{0};   //!< packets that suffered one
    bool complete{false};  //!< whether all learners that were up in the end have closed all rounds
    bool conserved{false}; //!< whether the conservation laws of RoundRecord hold in every row
    bool finite{false};    //!< whether all models are
    Time longest;          //!< of all rounds
    double error{0};       //!< of the last round; of CafCor the loss
    double calm{0};        //!< the same without faults
    bool tcp{false};       //!< whether the transport is TCP
    std::string description; //!< network and transport

    /** @return error over calm */
    double GetRatio() const { return error / calm; }
};

/**
 * @ingroup dlearn
 * A run to try faults on, and what is promised of it.
 */
struct FaultScenario
{
    RunSpec spec;        //!< what to run
    Time longest;        //!< longest time that its round policy allows, with a clock 10 % slow
    double factor{1};    //!< largest FaultTrial::GetRatio() over UDP
    double tcpFactor{1}; //!< the same over TCP
};

/**
 * @ingroup dlearn
 * @param program name of the program
 * @return small runs of LDP-OL, DP-GT, FedAvg and CafCor, whose rounds have deadlines
 */
std::vector<FaultScenario> GetFaultScenarios(const std::string& program);

/**
 * @ingroup dlearn
 * Run a scenario without faults, draw a schedule (DrawFaults) for the second to the fifth tenth of
 * the time that its rounds took, and run it with the schedule. Over TCP the run goes on for four
 * times as many rounds. Everything random follows from ns-3's run.
 *
 * @param spec what to run, without faults; network and transport are replaced, by turns, with the
 *        numbers of ns-3's runs
 * @param path file that the schedule is written to
 * @return what came of it
 */
FaultTrial TryFaults(RunSpec spec, const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_FAULT_TRIAL_H
