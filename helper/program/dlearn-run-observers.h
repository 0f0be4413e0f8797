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

class StateArchive;

/**
 * @ingroup dlearn
 * Meters and batteries of the learners of a run, as its options say. Without these options there
 * are none.
 */
class RunEnergy
{
  public:
    /**
     * @param spec what to run
     * @param learners on the network
     * @param begin simulated time from which joules count
     * @throw std::invalid_argument for options or columns of devices without effect, and for
     *        learners that share a node
     */
    RunEnergy(const RunSpec& spec, const RunLearners& learners, Time begin);

    /**
     * @param monitor is told when learners will start again and what all nodes have spent, and
     * tells when they have finished; must outlive the simulation, and not this
     */
    void TellMonitor(Monitor& monitor);

    /** @param results with their rows, which get joules, as do the nodes */
    void Complete(RunResults& results) const;

  private:
    static std::vector<DeviceProfile> MakeDevices(const RunSpec& spec, const RunLearners& learners);

    /** @return joules that all nodes have spent so far; NaN when those of none are known */
    double GetSpent() const;

    void RequireKnown() const;

    std::vector<Ptr<EnergyMeter>> m_meters;    //!< by learner; empty for none
    std::vector<EnergyMeter::Reading> m_atEnd; //!< at the end of learning; empty before
};

class StateArchive;

/**
 * @ingroup dlearn
 * Keeps models of evaluated rounds: the server's, or the mean of those of the honest peers.
 */
class ModelKeeper
{
  public:
    /**
     * @param choice `final`, `best`, `every:N` or `none`, see the option keep-model
     * @param evaluateEvery which rounds are evaluated
     * @throw std::invalid_argument for another choice, or an N that is not a multiple of
     *        @p evaluateEvery
     */
    ModelKeeper(const std::string& choice, uint32_t evaluateEvery);

    /** A round was evaluated. */
    void Note(const RoundSummary& summary, const std::map<LearnerId, ModelVector>& models);

    /** @param results get the models */
    void Complete(RunResults& results) const;

  private:
    std::string m_choice;
    uint32_t m_every{0}; //!< N; 0: no models of several rounds
    double m_best{0};    //!< score of the model, the larger the better
    uint32_t m_round{0}; //!< of the last evaluation
    ModelVector m_model;
    std::vector<ModelVector> m_models; //!< of the rounds 0, N, 2N, ...
};

/**
 * @ingroup dlearn
 * What looks at a run and changes nothing in it: the monitor, which also ends the simulation, and
 * what measures links, phases of rounds and places of nodes; on request a transcript, a file of
 * NetAnim and lines of a table.
 */
class RunObservers
{
  public:
    /**
     * @param spec what is run; must outlive this
     * @param learners on the network
     * @param network between them; must outlive this, as must the learners
     */
    RunObservers(const RunSpec& spec, const RunLearners& learners, const Network& network);
    ~RunObservers();

    RunObservers(const RunObservers&) = delete;
    RunObservers& operator=(const RunObservers&) = delete;

    /** @return keeps the timeline and the warnings */
    Monitor& GetMonitor() { return m_monitor; }

    /** @return the present, in times of results (GetOrigin()) */
    Time GetNow() const;

    /**
     * Write a line for each evaluated round, as it happens.
     *
     * @param table gets them; must outlive the simulation
     */
    void BeginTable(std::ostream& table);

    /** Begin the file of NetAnim, if one is asked for. */
    void BeginAnimation();

    /**
     * Begin transcript.csv, when it is asked for.
     * @return the file, for the caller to commit after EndTranscript(); null for none, and on ranks
     *         (Ranks) other than 0
     */
    std::shared_ptr<OutputFile> BeginTranscript();

    /** @return whether a transcript was begun, and not ended */
    bool HasTranscript() const { return m_transcript != nullptr; }

    /** Write no more to the transcript, but first, with ranks, all that they have seen. */
    void EndTranscript();

    /** The simulation is over: give the file of NetAnim its name. */
    void CommitAnimation();

    /**
     * The simulation is over. To be called once.
     *
     * @param results get rows, totals, timeline, warnings, links and motion
     * @throw std::logic_error when a conservation law does not hold
     */
    void Finish(RunResults& results);

    /**
     * After the simulation, before Finish().
     *
     * @param archive saves the results that only this rank (Ranks) knows, or loads those of another
     */
    void VisitRank(StateArchive& archive);

  private:
    const RunSpec& m_spec;                               //!< what is run
    Time m_origin;                                       //!< see GetOrigin()
    const RunLearners& m_learners;                       //!< all of them, with their graph
    const Network& m_network;                            //!< between them
    std::vector<Ptr<LearnerApplication>> m_applications; //!< the same learners
    RunPhases m_phases;                                  //!< where time goes
    LinkStatistics m_links;                              //!< of the devices
    PositionRecorder m_positions;                        //!< of the nodes
    Monitor m_monitor;                                   //!< of the learners
    WifiWatch m_wifi;                                    //!< of the radios
    ModelKeeper m_models;                                //!< of evaluated rounds
    std::unique_ptr<NetworkAnimation> m_animation;       //!< for NetAnim; null for none
    std::unique_ptr<Transcript> m_transcript;            //!< null unless asked for
    std::vector<TranscriptEvent> m_events;               //!< of the transcript, with ranks
    Transcript::Sink m_transcriptFile;    //!< gets these; empty on ranks other than 0
    std::vector<LinkRecord> m_otherLinks; //!< of other ranks, added; empty for none
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_OBSERVERS_H
