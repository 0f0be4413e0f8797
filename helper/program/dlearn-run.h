/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_H
#define DLEARN_RUN_H

#include "dlearn-run-learners.h"
#include "dlearn-run-network.h"
#include "dlearn-run-observers.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-run-ranks.h"
#include "ns3/dlearn-run-results.h"

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::dlearn
{

class RankExchange;
class RunDisturbances;
class RunEnergy;
class RunLearners;
class RunObservers;

/**
 * @ingroup dlearn
 * One run from values to results: data, network, learners, simulation, in the order in which a
 * script does it by hand.
 *
 * The constructor builds everything and refuses what does not fit with std::invalid_argument; what
 * is there can then be set and traced. Execute() runs the simulation and destroys it. As ns-3 has
 * one simulator for all, the next run can be built only when this one is executed or destroyed.
 * Random numbers depend on ns-3's seed and run only.
 */
class Run
{
  public:
    /** Looks at a run. */
    using Hook = std::function<void(Run&)>;

    /** Makes the network of a run, for so many learners, a server included. */
    using NetworkMaker = std::function<Ptr<Network>(uint32_t learners)>;

    /** @param spec what to run */
    explicit Run(const RunSpec& spec);

    /**
     * A run on a network that a script makes, on its own nodes for instance:
     *
     * @code
     *   Run run(spec, [](uint32_t learners) {
     *       NodeContainer nodes(learners);
     *       ... // devices, addresses and other traffic, as in any script of ns-3
     *       return CreateObject<ExistingNetwork>(nodes);
     *   });
     * @endcode
     *
     * @param spec what to run; its network is that of the script, by Network::GetName()
     * @param make makes a network, still to be built; an empty function for that of the options
     */
    Run(const RunSpec& spec, const NetworkMaker& make);

    /**
     * As above, for a network that is there.
     * @param spec what to run
     * @param network still to be built
     */
    Run(const RunSpec& spec, Ptr<Network> network);
    ~Run();

    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /**
     * @param hook called after the simulation, while all of its objects are still there
     */
    void SetFinishHook(Hook hook) { m_finish = std::move(hook); }

    /** @param listener gets each warning when it is known, one line without its end */
    void SetWarningListener(RunWarnings::Listener listener);

    /**
     * Begin transcript.csv, when the options ask for it. Execute() does it, too, and then gives the
     * file its name.
     *
     * @return the file, for the caller to commit after Execute(); null for none
     */
    std::shared_ptr<OutputFile> BeginTranscript();

    /**
     * Simulate. To be called once, and not after Simulator::Destroy(), with which the run ends.
     *
     * What the simulation throws comes from here, too; GetResults() then has what the run did until
     * then.
     *
     * @param table gets one line for each evaluated round, as it happens
     * @return everything the run leaves behind
     */
    RunResults Execute(std::ostream& table);

    /**
     * Collect what the run has done so far, when something ends it that is no exception, from
     * within Execute().
     * @param reason what it was
     */
    void Abandon(const std::string& reason);

    /** @return everything the run leaves behind; nothing before Execute() */
    const RunResults& GetResults() const { return m_results; }

    /** @return what is run */
    const RunSpec& GetSpec() const { return m_spec; }

    /** @return which learners exchange vectors */
    const Graph& GetGraph() const;

    /** @return the network, to add what is not a learner */
    Network& GetNetwork() { return *m_network; }

    /** @return what is learned, with the data of all honest learners; null for linear-gaussian */
    Ptr<const Task> GetTask() const;

    /**
     * @tparam Kind PeerLearners, DirectedLearners or FederatedLearners
     * @return the learners
     * @throw std::bad_cast for learners of another kind
     */
    template <typename Kind>
    const Kind& Get() const
    {
        return dynamic_cast<const Kind&>(*m_learners);
    }

    /**
     * @return the learners of a run of peers
     * @throw std::invalid_argument for a federation
     */
    const std::vector<Ptr<PeerApplication>>& GetPeers() const;

    /**
     * @return the learners of a federation
     * @throw std::invalid_argument for peers
     */
    const Federation& GetFederation() const;

    /** @return the evaluated rounds so far, in order */
    const std::vector<RoundSummary>& GetSummaries() const;

  private:
    /** Connect what observes and what disturbs the learners. */
    void Watch();

    /** @return the warnings so far */
    RunWarnings& GetWarnings();

    void Announce(std::ostream& table);

    /** Run the simulator until it ends, and note why and how long it took. */
    void Simulate();

    /** The simulation has ended well: collect, check, and call the hook. */
    void Conclude();

    /** Put together what the run leaves behind. */
    void Collect(bool failed);

    /** Add a warning that says why the run ended early, if it did. */
    void AddReason(bool failed);

    void Tell(size_t first) const;

    RunSpec m_spec;                                      //!< what is run
    std::shared_ptr<const bool> m_over;                  //!< whether Simulator::Destroy() has come
    std::vector<std::string> m_unused;                   //!< warnings of options
    std::unique_ptr<RunLearners> m_learners;             //!< with data and graph
    Ptr<Network> m_network;                              //!< what is between the learners
    std::vector<Ptr<LearnerApplication>> m_applications; //!< all learners
    std::unique_ptr<RunDisturbances> m_disturbances;     //!< cross traffic, churn and faults
    std::unique_ptr<RunEnergy> m_energy;                 //!< counts joules
    std::unique_ptr<RunObservers> m_observers;           //!< look at it
    bool m_executed{false};                              //!< whether Execute() was called
    Time m_lookAhead;                                    //!< shortest delay between ranks
    std::unique_ptr<RankExchange> m_exchange;            //!< with other ranks; null without
    RunResults m_results;                                //!< what it leaves behind
    Hook m_finish;                                       //!< called after the simulation
    RunWarnings::Listener m_listener;                    //!< gets warnings; may be empty
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_H
