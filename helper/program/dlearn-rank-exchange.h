/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RANK_EXCHANGE_H
#define DLEARN_RANK_EXCHANGE_H

#include "dlearn-run-learners.h"
#include "dlearn-run-network.h"
#include "dlearn-run-observers.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Tells the monitors of all ranks (Ranks) what the others do, at the same simulated times on all of
 * them: the states of learners, the rounds that rank 0 is to evaluate, signals of the user. So all
 * ranks know at the same simulated time that the simulation is over. Without other ranks it does
 * the same for the only one.
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
    ~RankExchange();

    RankExchange(const RankExchange&) = delete;
    RankExchange& operator=(const RankExchange&) = delete;

    /**
     * Agree with the other ranks that the simulation begins, and schedule the first exchange.
     * @throw std::runtime_error when another rank has failed
     */
    void Begin();

    /**
     * After the simulation: bring together on rank 0 what all ranks know, but not the models of
     * learners, which stay where they are.
     *
     * @param observers of this rank
     * @param disturbances of this rank
     * @return whether this is rank 0
     */
    bool Gather(RunObservers& observers, RunDisturbances& disturbances);

    /** @return events of the other ranks, less those of all ranks that the exchanges were */
    int64_t CountOthers() const { return m_otherEvents; }

  private:
    /** What a rank tells at an exchange. */
    struct Standing;

    /** @return what this rank has to tell */
    Standing Describe();

    /** Exchange, and schedule the next one. */
    void Exchange();

    /** @param all what all ranks tell */
    void Follow(const std::vector<Standing>& all);

    /** Give rank 0 what is to be evaluated there. */
    void HandOver();

    /** @return time until the next exchange */
    Time GetInterval() const;

    std::vector<Ptr<LearnerApplication>> m_learners; //!< all
    std::vector<LearnerApplication::State> m_told;   //!< states that others know
    Monitor& m_monitor;                              //!< of this rank
    Time m_lookAhead;                                //!< shortest delay between ranks
    uint64_t m_exchanges{0};                         //!< so far
    uint64_t m_events{0};                            //!< of all ranks, without exchanges
    Time m_busy;                                     //!< last exchange with new events
    EventId m_next;                                  //!< next exchange
    size_t m_dimension;                              //!< numbers of a large model, else 0
    int64_t m_otherEvents{0};                        //!< see CountOthers()
};

/**
 * @ingroup dlearn
 * @param spec what to run on several ranks
 * @throw std::invalid_argument for what needs to be seen or done by one rank
 */
void RefuseOnRanks(const RunSpec& spec);

} // namespace ns3::dlearn

#endif // DLEARN_RANK_EXCHANGE_H
