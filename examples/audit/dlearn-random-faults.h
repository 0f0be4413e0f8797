/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RANDOM_FAULTS_H
#define DLEARN_RANDOM_FAULTS_H

#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** @return one of some values, each as likely as the others */
template <typename Value>
Value
Choose(UniformRandomVariable& random, const std::vector<Value>& values)
{
    return values[random.GetInteger(0, static_cast<uint32_t>(values.size() - 1))];
}

/** The faults that a run can have besides those of all runs. @ingroup dlearn */
struct DrawableFaults
{
    bool reorder{true};              //!< packets held back, which TCP of ns-3 does not survive
    std::optional<LearnerId> server; //!< that goes back to a checkpoint; none among peers
};

/**
 * @ingroup dlearn
 * Draw a schedule of faults at random. Each kind of fault occurs with probability 1/2, at least one
 * does: a partition, a link down, bursts of losses, flipped bits, copies, packets held back, one or
 * two learners that crash, a clock that is up to 10 % wrong, and a server that crashes and goes
 * back to a checkpoint of up to 20 rounds before. A fault begins in the first half of a span of
 * time and has ended when it is over, but for the clock, which stays wrong, and the checkpoints,
 * which stay that rare.
 *
 * @param graph which learners exchange messages, at least one pair
 * @param begin of the span
 * @param end of the span, later
 * @param drawable further faults that the run can have
 * @param random draws
 * @return the events, as lines of a file of faults
 */
std::vector<std::string> DrawFaults(const Graph& graph,
                                    Time begin,
                                    Time end,
                                    const DrawableFaults& drawable,
                                    UniformRandomVariable& random);

/** The outcome of a run with random faults, and of the same run without them. @ingroup dlearn */
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

/** A run to try faults on, and the bounds that it must keep. @ingroup dlearn */
struct FaultScenario
{
    RunSpec spec;        //!< what to run
    Time longest;        //!< longest time that its round policy allows, with a clock 10 % slow
    double factor{1};    //!< largest FaultTrial::GetRatio() over UDP
    double tcpFactor{1}; //!< the same over TCP
};

/** @return small runs of LDP-OL, DP-GT, FedAvg and CafCor, whose rounds have deadlines */
std::vector<FaultScenario> GetFaultScenarios(const std::string& program);

/**
 * @ingroup dlearn
 * Run a scenario without faults, draw a schedule (DrawFaults) for the second to the fifth tenth of
 * the time that its rounds took, and run it with the schedule. Over TCP the run lasts four
 * times as many rounds. Everything random follows from ns-3's run.
 *
 * @param spec what to run, without faults; network and transport are replaced, by turns, with the
 *        numbers of ns-3's runs
 * @param path file that the schedule is written to
 * @return the outcome
 */
FaultTrial TryFaults(RunSpec spec, const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_RANDOM_FAULTS_H
