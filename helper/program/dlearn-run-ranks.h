/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_RANKS_H
#define DLEARN_RUN_RANKS_H

#include "dlearn-program-arguments.h"
#include "dlearn-run-learners.h"
#include "dlearn-run-network.h"
#include "dlearn-run-observers.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <streambuf>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A program that mpirun may have started in several processes (Ranks): rank 0 prints, the others
 * are silent, and an error on any rank ends all.
 */
class RankedProgram
{
  public:
    /**
     * Join the other ranks if the command line contains --mpi.
     *
     * @param argc as of main(); MPI may remove words
     * @param argv as of main()
     * @throw std::invalid_argument when ranks are not supported
     */
    RankedProgram(int& argc, char**& argv);
    ~RankedProgram();

    RankedProgram(const RankedProgram&) = delete;
    RankedProgram& operator=(const RankedProgram&) = delete;

    /**
     * Run the program. With ranks, an error before the simulation is thrown on all of them; an
     * error during the simulation is printed, and ends all processes with exit status 1.
     *
     * @param program name of the program
     * @param body the program
     */
    void Do(const std::string& program, const std::function<void()>& body) const;

  private:
    std::streambuf* m_error; //!< that of std::cerr, which is silent on ranks other than 0
};

/**
 * @ingroup dlearn
 * @param invocation command line of a program
 * @throw std::invalid_argument when mpirun has started several processes without --mpi on the
 *        command line: each of them would write the same results
 */
void RefuseSeveralWholeRuns(const Invocation& invocation);

/**
 * @ingroup dlearn
 * @param spec options of a run on several ranks
 * @throw std::invalid_argument for an option that needs all learners on one rank
 */
void RefuseOnRanks(const RunSpec& spec);

/**
 * @ingroup dlearn
 * Exchanges data between the monitors of all ranks (Ranks), at the same simulated times on all of
 * them: the states of learners, the rounds that rank 0 evaluates, signals of the user. So all ranks
 * end the simulation at the same simulated time. A single rank does the same alone.
 *
 * An exchange is an event at which ranks wait for each other. This requires that all ranks have the
 * same look-ahead, which Begin() ensures: then an event at one time is in the same time window of
 * ns-3's simulator on all of them.
 */
class RankExchange
{
  public:
    /**
     * @param learners learners of all ranks
     * @param monitor monitor of this rank; must outlive this
     * @param lookAhead shortest delay between two ranks; Time::Max() for a single rank
     */
    RankExchange(const RunLearners& learners, Monitor& monitor, Time lookAhead);

    ~RankExchange() { m_next.Cancel(); }

    RankExchange(const RankExchange&) = delete;
    RankExchange& operator=(const RankExchange&) = delete;

    /**
     * Wait for the other ranks, and schedule the first exchange.
     * @throw std::runtime_error when another rank has failed
     */
    void Begin();

    /**
     * Collect the results of learners, links and flows of all ranks on rank 0, after the
     * simulation. Models of learners stay on their ranks.
     *
     * @param observers observers of this rank
     * @param disturbances disturbances of this rank
     * @return whether this is rank 0
     */
    bool Gather(RunObservers& observers, RunDisturbances& disturbances);

    /** @return the number of events of the other ranks, minus the exchanges of all ranks */
    int64_t CountOthers() const { return m_otherEvents; }

  private:
    struct Standing;

    Standing Describe();
    void Exchange();
    void Follow(const std::vector<Standing>& all);
    void HandOver();
    Time GetInterval() const;

    std::vector<Ptr<LearnerApplication>> m_learners; //!< of all ranks
    std::vector<LearnerApplication::State> m_told;   //!< last states sent to other ranks
    Monitor& m_monitor;
    Time m_lookAhead;         //!< shortest delay between ranks
    uint64_t m_exchanges{0};  //!< number so far
    uint64_t m_events{0};     //!< number on all ranks, without exchanges
    Time m_busy;              //!< time of the last exchange with new events
    EventId m_next;           //!< next exchange
    int64_t m_otherEvents{0}; //!< see CountOthers()
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_RANKS_H
