/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_RESULTS_H
#define DLEARN_RUN_RESULTS_H

#include "dlearn-link-record.h"
#include "dlearn-pair-record.h"
#include "dlearn-position-record.h"
#include "dlearn-privacy-constants.h"
#include "dlearn-round-phases.h"
#include "dlearn-run-event.h"

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-message-table.h"

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param received messages, in time
 * @param expected messages
 * @return received / expected; NaN when none was expected
 */
inline double
GetDeliveredShare(uint64_t received, uint64_t expected)
{
    return expected == 0 ? std::numeric_limits<double>::quiet_NaN()
                         : static_cast<double>(received) / static_cast<double>(expected);
}

/**
 * @ingroup dlearn
 * Metrics of a node's model at the end of a round, measured from outside of the network. NaN where
 * a figure does not apply.
 */
struct Evaluation
{
    static constexpr double NONE{std::numeric_limits<double>::quiet_NaN()}; //!< not applicable

    double loss{NONE};      //!< F_t(theta): objective over all data that all learners have seen
    double accuracy{NONE};  //!< share of test samples classified correctly
    double error{NONE};     //!< the task's own distance, such as ||theta - theta_t*||^2
    double consensus{NONE}; //!< ||theta - mean of all learners' theta||^2
    double regret{NONE};    //!< F_t(theta) - F_t(theta_t*), of learners whose data come with time

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(loss, accuracy, error, consensus, regret);
    }
};

/**
 * @ingroup dlearn
 * One row of rounds.csv.
 */
struct ResultRow
{
    RoundRecord record;                   //!< what the node itself knows
    std::string role{"peer"};             //!< peer, server, client or byzantine
    std::optional<Evaluation> evaluation; //!< absent for rounds that were not evaluated
    double energy{Evaluation::NONE};      //!< joules spent since the row before; NaN: not measured
    RoundPhases phases;                   //!< since the row before
    double battery{Evaluation::NONE};     //!< joules left at its end; NaN: no battery
};

/**
 * @ingroup dlearn
 * The largest epsilons that honest learners have spent until some time; NaN where none keeps an
 * account.
 */
struct SpentEpsilon
{
    double realised{Evaluation::NONE}; //!< by what left the nodes
    double nominal{Evaluation::NONE};  //!< as planned

    /** @param other what others have spent, or the same ones later */
    void Add(const SpentEpsilon& other)
    {
        realised = std::fmax(realised, other.realised);
        nominal = std::fmax(nominal, other.nominal);
    }

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(realised, nominal);
    }
};

/**
 * @ingroup dlearn
 * @param total joules so far; NaN: none measured
 * @param joules that come to them; NaN: not measured
 * @return joules that were measured; NaN: none
 */
inline double
AddJoules(double total, double joules)
{
    return std::isnan(joules) ? total : std::isnan(total) ? joules : total + joules;
}

/**
 * @ingroup dlearn
 * What all learners have spent until a time.
 */
struct SpentResources
{
    uint64_t txBytes{0};             //!< handed to sockets
    uint64_t rxBytes{0};             //!< taken from sockets
    double joules{Evaluation::NONE}; //!< NaN: not measured

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(txBytes, rxBytes, joules);
    }
};

/**
 * @ingroup dlearn
 * Everything a run leaves behind; the writers below turn it into files.
 */
struct RunResults
{
    std::string program;                                         //!< its name; a script may set it
    std::vector<std::pair<std::string, std::string>> parameters; //!< options and their values
    std::set<std::string> given;                   //!< names of the options that the user gave
    std::set<std::string> withoutEffect;           //!< names of those that others make idle
    std::map<std::string, std::string> attributes; //!< ns-3 attributes that are not at default
    std::map<std::string, std::string> globals;    //!< global values of ns-3 that were given
    std::string command;                           //!< command line, if there was one
    std::string status{"complete"};                //!< complete, interrupted or failed
    std::string reason;                            //!< of a run that is not complete
    uint64_t seed{0};                              //!< RngSeed
    uint64_t run{0};                               //!< RngRun
    std::vector<ResultRow> rows;                   //!< by time, then node
    std::vector<PairRecord> pairs;                 //!< messages by sender and receiver
    std::vector<LinkRecord> links;                 //!< packets by device, of a Run
    std::map<std::string, uint64_t> totals;        //!< counters of the whole run
    std::map<std::string, double> figures;         //!< numbers that only some programs have
    std::vector<std::string> warnings;             //!< of dead runs, then of the theory
    std::vector<RunEvent> timeline;                //!< what happened out of the ordinary, by time
    /**
     * Realised epsilon of each node at the end. It includes what a crashed node had sent in a round
     * that never closed and has no row. Nodes without an entry have the epsilon of their last row.
     */
    std::map<LearnerId, double> epsilon;
    /**
     * Largest until the end of each evaluated round: of the rounds that peers had closed by then,
     * of clients at that time. Without an entry it is that of rows.
     */
    std::map<uint32_t, SpentEpsilon> spent;
    /** Until the end of each evaluated round. Without an entry it is that of rows. */
    std::map<uint32_t, SpentResources> resources;
    /** Joules that each node has spent by the end; empty where energy is not measured. */
    std::map<LearnerId, double> energy;
    std::map<LearnerId, double> battery; //!< joules left at the end; of nodes with batteries
    std::vector<std::string> labels;     //!< names of the classes of the data; empty for none
    /** Training samples that each learner was given, by class. */
    std::map<LearnerId, std::vector<uint64_t>> samples;
    /** Updates that a server aggregated, by how many versions old they were; empty without. */
    std::map<uint32_t, uint64_t> staleness;
    PrivacyConstants privacy;           //!< of the accounts; empty when no learner keeps one
    Graph graph{1};                     //!< the learners' graph
    std::vector<PositionRecord> motion; //!< of nodes with a place, by node and time
    std::vector<std::pair<double, double>> positions; //!< in metres for the drawing; or empty
    SiteMap sites;                                    //!< of the network, for the drawing
    std::vector<std::string> roles;                   //!< role of each node, for the drawing
    double readySeconds{0};                           //!< of simulated time until all were ready
    double simulatedSeconds{0};                       //!< when the run ended
    double wallSeconds{0};                            //!< wall time of Simulator::Run
    uint64_t events{0};                               //!< simulator events executed

    /** @return joules that all nodes have spent; NaN where energy is not measured */
    double GetTotalEnergy() const
    {
        double total = energy.empty() ? Evaluation::NONE : 0;
        for (const auto& [node, joules] : energy)
        {
            total += joules;
        }
        return total;
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_RESULTS_H
