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
 * A program that mpirun may have started several times (Ranks): rank 0 prints, the others are
 * silent, and an error on any of them ends all.
 */
class RankedProgram
{
  public:
    /**
     * Join the other ranks if the words of the command line ask for it by --mpi.
     *
     * @param argc number of words, from which MPI may remove some
     * @param argv the words
     * @throw std::invalid_argument when ranks are not supported
     */
    RankedProgram(int& argc, char**& argv);
    ~RankedProgram();

    RankedProgram(const RankedProgram&) = delete;
    RankedProgram& operator=(const RankedProgram&) = delete;

    /**
     * Do the work. With ranks, an error before the simulation is thrown on all of them; one during
     * the simulation is printed, and ends all processes with exit status 1.
     *
     * @param program its name
     * @param body the work
     */
    void Do(const std::string& program, const std::function<void()>& body) const;

  private:
    std::streambuf* m_error; //!< of the standard error, which is silent on ranks other than 0
};

/**
 * @ingroup dlearn
 * @param invocation of a program
 * @throw std::invalid_argument when mpirun has started several processes and the command line does
 *        not say --mpi: each of them would write the same results
 */
void RefuseSeveralWholeRuns(const Invocation& invocation);

/**
 * @ingroup dlearn
 * @param spec to run on several ranks
 * @throw std::invalid_argument for an option that needs all learners on one rank
 */
void RefuseOnRanks(const RunSpec& spec);

/**
 * @ingroup dlearn
 * Exchanges between the monitors of all ranks (Ranks), at the same simulated times on all of them:
 * the states of learners, the rounds that rank 0 is to evaluate, signals of the user. So all ranks
 * know at the same simulated time that the simulation is over. A single rank does the same alone.
 *
 * An exchange is an event at which ranks wait for each other. That works because all of them have
 * the same look-ahead, so that an event of one time belongs to one time window of ns-3's simulator
 * on all of them; Begin() sees to that.
 */
class RankExchange
{
  public:
    /**
     * @param learners all, of all ranks
     * @param monitor of this rank; must outlive this
     * @param lookAhead shortest delay between two ranks; Time::Max() for a single rank
     */
    RankExchange(const RunLearners& learners, Monitor& monitor, Time lookAhead);

    ~RankExchange() { m_next.Cancel(); }

    RankExchange(const RankExchange&) = delete;
    RankExchange& operator=(const RankExchange&) = delete;

    /**
     * Agree with the other ranks that the simulation begins, and schedule the first exchange.
     * @throw std::runtime_error when another rank has failed
     */
    void Begin();

    /**
     * After the simulation: each rank computes the results of its own learners, links and flows,
     * and rank 0 puts them together. Models of learners stay where they are.
     *
     * @param observers of this rank
     * @param disturbances of this rank
     * @return whether this is rank 0
     */
    bool Gather(RunObservers& observers, RunDisturbances& disturbances);

    /** @return events of the other ranks, less the exchanges of all ranks */
    int64_t CountOthers() const { return m_otherEvents; }

  private:
    struct Standing;

    Standing Describe();
    void Exchange();
    void Follow(const std::vector<Standing>& all);
    void HandOver();
    Time GetInterval() const;

    std::vector<Ptr<LearnerApplication>> m_learners; //!< of all ranks
    std::vector<LearnerApplication::State> m_told;   //!< states that other ranks know
    Monitor& m_monitor;
    Time m_lookAhead;         //!< shortest delay between ranks
    uint64_t m_exchanges{0};  //!< so far
    uint64_t m_events{0};     //!< of all ranks, without exchanges
    Time m_busy;              //!< last exchange with new events
    EventId m_next;           //!< next exchange
    int64_t m_otherEvents{0}; //!< see CountOthers()
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_RANKS_H
