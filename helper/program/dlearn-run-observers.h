/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_OBSERVERS_H
#define DLEARN_RUN_OBSERVERS_H

#include "dlearn-run-learners.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-energy-meter.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-link-statistics.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-network-animation.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-round-phases.h"
#include "ns3/dlearn-run-results.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/dlearn-run-watch.h"
#include "ns3/dlearn-transcript.h"

#include <map>
#include <memory>
#include <ostream>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Energy meters and batteries of the learners of a run, if the options ask for them.
 */
class RunEnergy
{
  public:
    /**
     * @param spec options of the run
     * @param learners learners on the network
     * @param begin simulated time from which joules count
     * @throw std::invalid_argument for options or columns of the devices file without an effect,
     *        and for learners that share a node
     */
    RunEnergy(const RunSpec& spec, const RunLearners& learners, Time begin);

    /**
     * @param monitor gets the restart times of learners and the joules of all nodes, and reports
     *        when learners have finished; must outlive the simulation, but not this
     */
    void TellMonitor(Monitor& monitor);

    /** @param results whose rows and nodes get joules */
    void Complete(RunResults& results) const;

  private:
    static std::vector<DeviceProfile> MakeDevices(const RunSpec& spec, const RunLearners& learners);

    /** @return joules that all nodes have spent so far; NaN if unknown for all */
    double GetSpent() const;

    void RequireKnown() const;

    std::vector<Ptr<EnergyMeter>> m_meters;    //!< one per learner, or none
    std::vector<EnergyMeter::Reading> m_atEnd; //!< at the end of learning; empty before
};

class StateArchive;

/**
 * @ingroup dlearn
 * Keeps models of evaluated rounds: that of the server, or the mean of the honest peers' models.
 */
class ModelKeeper
{
  public:
    /**
     * @param choice value of the option keep-model: `final`, `best`, `every:N` or `none`
     * @param evaluateEvery interval between evaluated rounds
     * @throw std::invalid_argument for another choice, or an N that is not a multiple of
     *        @p evaluateEvery
     */
    ModelKeeper(const std::string& choice, uint32_t evaluateEvery);

    /** Handle an evaluated round. */
    void Note(const RoundSummary& summary, const std::map<LearnerId, ModelVector>& models);

    /** @param results get the models */
    void Complete(RunResults& results) const;

  private:
    std::string m_choice;
    uint32_t m_every{0}; //!< N, or 0
    double m_best{0};    //!< score of m_model; larger is better
    uint32_t m_round{0}; //!< of the last evaluation
    ModelVector m_model;
    std::vector<ModelVector> m_models; //!< of the rounds 0, N, 2N, ...
};

/**
 * @ingroup dlearn
 * Observers of a run, which do not affect it: the monitor, which also ends the simulation,
 * statistics of links, phases of rounds and positions of nodes; on request a transcript, a NetAnim
 * file and a table.
 */
class RunObservers
{
  public:
    /**
     * @param spec options of the run; must outlive this
     * @param learners learners on the network; must outlive this
     * @param network network of the learners; must outlive this
     */
    RunObservers(const RunSpec& spec, const RunLearners& learners, const Network& network);
    ~RunObservers();

    RunObservers(const RunObservers&) = delete;
    RunObservers& operator=(const RunObservers&) = delete;

    /** @return the monitor with the timeline and the warnings */
    Monitor& GetMonitor() { return m_monitor; }

    /** @return the current time in results, see GetOrigin() */
    Time GetNow() const;

    /**
     * Write a line for each evaluated round, as it happens.
     *
     * @param table gets the lines; must outlive the simulation
     */
    void BeginTable(std::ostream& table);

    /** Begin the NetAnim file, if an option asks for it. */
    void BeginAnimation();

    /**
     * Begin transcript.csv, if an option asks for it.
     * @return the file, which the caller commits after EndTranscript(); null without a transcript,
     *         and on ranks (Ranks) other than 0
     */
    std::shared_ptr<OutputFile> BeginTranscript();

    /** @return whether a transcript was begun and not ended */
    bool HasTranscript() const { return m_transcript != nullptr; }

    /** End the transcript. With ranks, first write the events of all ranks. */
    void EndTranscript();

    /** Give the NetAnim file its name, after the simulation. */
    void CommitAnimation();

    /**
     * Collect the results. Call once, after the simulation.
     *
     * @param results get rows, totals, timeline, warnings, links and motion
     * @throw std::logic_error when a conservation law does not hold
     */
    void Finish(RunResults& results);

    /**
     * Exchange results between ranks. Call after the simulation, before Finish().
     *
     * @param archive saves the results of this rank (Ranks), or adds those of another one
     */
    void VisitRank(StateArchive& archive);

  private:
    const RunSpec& m_spec;
    Time m_origin; //!< see GetOrigin()
    const RunLearners& m_learners;
    const Network& m_network;
    std::vector<Ptr<LearnerApplication>> m_applications; //!< of all learners
    RunPhases m_phases;
    LinkStatistics m_links;                        //!< of the devices
    PositionRecorder m_positions;                  //!< of the nodes
    Monitor m_monitor;                             //!< of the learners
    WifiWatch m_wifi;                              //!< of the radios
    ModelKeeper m_models;                          //!< of evaluated rounds
    std::unique_ptr<NetworkAnimation> m_animation; //!< may be null
    std::unique_ptr<Transcript> m_transcript;      //!< may be null
    std::vector<TranscriptEvent> m_events;         //!< of the transcript, if there are ranks
    Transcript::Sink m_transcriptFile;             //!< empty on ranks other than 0
    std::vector<LinkRecord> m_otherLinks;          //!< sum over other ranks; may be empty
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_OBSERVERS_H
