/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_RESULTS_H
#define DLEARN_RUN_RESULTS_H

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-message-table.h"
#include "ns3/dlearn-types.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/nstime.h"
#include "ns3/vector.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace ns3::dlearn
{

class PeerApplication;

/** @return received / expected messages; NaN when none was expected @ingroup dlearn */
inline double
GetDeliveredShare(uint64_t received, uint64_t expected)
{
    return expected == 0 ? std::numeric_limits<double>::quiet_NaN()
                         : static_cast<double>(received) / static_cast<double>(expected);
}

/** Metrics of a node's model at the end of a round, measured from outside of the network. NaN: does
 *  not apply. @ingroup dlearn */
struct Evaluation
{
    static constexpr double NONE{std::numeric_limits<double>::quiet_NaN()}; //!< not applicable

    double loss{NONE};      //!< F_t(theta): objective over all data that learners have seen
    double accuracy{NONE};  //!< share of test samples classified correctly
    double error{NONE};     //!< the task's own distance, such as ||theta - theta_t*||^2
    double consensus{NONE}; //!< ||theta - mean of all learners' theta||^2
    double regret{NONE};    //!< F_t(theta) - F_t(theta_t*), for data that come with time

    double attackSuccess{NONE}; //!< share of what a backdoor wants, see AttackEvaluator

    std::map<std::string, double> own{}; //!< metrics of the task or evaluator itself, by name

    // Of clients on their own test samples, see ClientEvaluator: accuracies, else losses.
    double clientAccuracyMean{NONE};       //!< mean over the clients
    double clientAccuracySd{NONE};         //!< standard deviation
    double clientAccuracyWorstTenth{NONE}; //!< mean of the lowest tenth
    double clientAccuracyJain{NONE};       //!< Jain's index
    double clientLossMean{NONE};           //!< mean over the clients
    double clientLossSd{NONE};             //!< standard deviation
    double clientLossWorstTenth{NONE};     //!< mean of the highest tenth
    double clientLossJain{NONE};           //!< Jain's index
};

/** The time in which a learner did not compute, in seconds, since it closed the round before, or
 *  opened its first one. NaN where the devices of its node are not known. @ingroup dlearn */
struct RoundPhases
{
    double queue{Evaluation::NONE}; //!< packets waited in the node, or for the medium
    double air{Evaluation::NONE};   //!< its devices sent
    double again{Evaluation::NONE}; //!< its devices retransmitted a frame or a TCP segment
    double wait{Evaluation::NONE};  //!< the rest: it waited, was down, or computed a dropped round

    /** @return whether they are known */
    bool IsKnown() const { return !std::isnan(wait); }
};

/** One row of rounds.csv. @ingroup dlearn */
struct ResultRow
{
    RoundRecord record;                   //!< by the node itself
    std::string role{"peer"};             //!< peer, server, client or byzantine
    std::optional<Evaluation> evaluation; //!< absent for rounds that were not evaluated
    double energy{Evaluation::NONE};      //!< joules spent since the row before; NaN: not measured
    RoundPhases phases;                   //!< since the row before
    double battery{Evaluation::NONE};     //!< joules left at its end; NaN: no battery

    /** @return the values that StateArchive passes between ranks */
    auto Tie() { return std::tie(record, role, phases); }
};

/** One row of pairs.csv: the messages from one learner to another, in whole vectors. Always
 *  expected = received + late + lost. @ingroup dlearn */
struct PairRecord
{
    LearnerId from{0};    //!< sender
    LearnerId to{0};      //!< receiver
    uint64_t expected{0}; //!< at least one byte has left the sender
    uint64_t received{0}; //!< arrived whole before the receiver closed the round
    uint64_t late{0};     //!< arrived whole after that
    uint64_t lost{0};     //!< neither, by the end of the run
    Time latency;         //!< sum over arrived messages, from the first byte to the last
    bool partly{false};   //!< whether a part of a message was used

    /** @return mean latency in milliseconds; NaN when no message has arrived */
    double GetMeanLatency() const
    {
        const uint64_t arrived = received + late;
        return arrived > 0 ? latency.GetSeconds() * 1e3 / static_cast<double>(arrived)
                           : std::numeric_limits<double>::quiet_NaN();
    }
};

/** One row of links.csv: all packets that one device has sent over its link or shared medium, also
 *  those of protocols and of other applications. @ingroup dlearn */
struct LinkRecord
{
    std::string link;       //!< p2p, csma or wifi with the number of the channel, or lte with that
                            //!< of the cell: "p2p-3"
    std::string from;       //!< number of the learner that has the device, or "node K"
    std::string to;         //!< the other end of the link, named as from; empty: a shared medium
    uint64_t txBytes{0};    //!< sent, with all headers and retransmissions
    uint64_t queueDrops{0}; //!< dropped by the queue of the device or its queue disc
    /** Packets that the other end lost; on a bus, once for each receiver; on Wi-Fi, frames that
     *  reached the retry limit. Not known of LTE. */
    std::optional<uint64_t> loss;
    /** Segments that TCP retransmits; on Wi-Fi, failed transmissions that are tried again. Not
     *  known of LTE. */
    std::optional<uint64_t> again;
    double queueMean{0};  //!< mean time of a packet in both, in milliseconds; with LTE until the
                          //!< other end has it
    double queueWorst{0}; //!< 99th percentile, at most 1 % too large
    double busy{0};       //!< share of the time in which the device sent
    double rate{NAN};     //!< Wi-Fi: mean rate of the frames that it sent, in Mbit/s
    double snr{NAN};      //!< Wi-Fi: mean of the decibels of signal over noise where it received

    /** Add the figures of the same device on another rank (Ranks). Each figure is known on one
     * rank, and 0 on the others: losses where packets arrive, all others where they leave. */
    void Add(const LinkRecord& other);

    /** @return the values that StateArchive passes between ranks */
    auto Tie()
    {
        return std::tie(txBytes, queueDrops, loss, again, queueMean, queueWorst, busy, rate, snr);
    }
};

/** The position of a learner's node at some time. @ingroup dlearn */
struct PositionRecord
{
    Time time;         //!< simulated
    LearnerId node{0}; //!< the learner
    Vector position;   //!< in metres
};

/**
 * @ingroup dlearn
 * One row of events.csv: an unusual event of a learner or of the whole run. The names of the events
 * of a learner are those of LearnerEvent::Kind; a RunWatch adds
 *
 *  - `isolated`: a learner has closed its first rounds without any message;
 *  - `all-down`: all learners are down;
 *  - `waiting`: nothing happens until a learner restarts;
 *  - `ended-early`: nothing can change any more, and the run ends before its last round.
 *
 * A Run adds `link-down` and `link-up`, LinkStatistics the events of radio networks. FoldTimeouts()
 * replaces the events `timed-out`.
 */
struct RunEvent
{
    Time time;                     //!< simulated
    std::optional<LearnerId> node; //!< the learner; absent for the whole run
    std::optional<uint32_t> round; //!< newest round of the learner, if there is one
    std::string event;             //!< its name, one word
    std::string detail;            //!< may be empty

    /** @return the values that StateArchive passes between ranks */
    auto Tie() { return std::tie(time, node, round, event, detail); }
};

/** @return whether an event ends the work of its learner until a restart @ingroup dlearn */
bool IsEnd(const RunEvent& event);

/** @return the learners that were down at the end of a timeline, by time @ingroup dlearn */
std::set<LearnerId> FindEnded(const std::vector<RunEvent>& timeline);

/** The largest epsilons that honest learners have spent by a time; NaN: no accounts.
 *  @ingroup dlearn */
struct SpentEpsilon
{
    double realised{Evaluation::NONE}; //!< by the messages that left the nodes
    double nominal{Evaluation::NONE};  //!< as planned

    /** @param other of other learners, or of the same learners later */
    void Add(const SpentEpsilon& other)
    {
        realised = std::fmax(realised, other.realised);
        nominal = std::fmax(nominal, other.nominal);
    }
};

/** @return the sum of joules, of which NaN were not measured; NaN: none was @ingroup dlearn */
inline double
AddJoules(double total, double joules)
{
    return std::isnan(joules) ? total : std::isnan(total) ? joules : total + joules;
}

/** Resources that all learners have spent until a time. @ingroup dlearn */
struct SpentResources
{
    uint64_t txBytes{0};             //!< handed to sockets
    uint64_t rxBytes{0};             //!< taken from sockets
    double joules{Evaluation::NONE}; //!< NaN: not measured
};

/** Summary of an evaluated round, complete when all learners have finished it. @ingroup dlearn */
struct RoundSummary
{
    Time time;            //!< when the last learner closed it, see RoundEvaluations::SetOrigin()
    uint32_t round{0};    //!< t
    uint32_t learners{0}; //!< number of learners that closed it
    Evaluation mean;      //!< mean over the learners that closed it
    double epsilon{Evaluation::NONE}; //!< largest realised epsilon, see RunResults::spent
    /** Share of the expected messages that arrived in time; NaN: none was expected. */
    double delivered{Evaluation::NONE};
};

/** The results of one learner when the run is over. With several ranks (Ranks), each computes those
 *  of its own learners, and rank 0 joins them. @ingroup dlearn */
struct LearnerOutcome
{
    LearnerId node{0};                      //!< the learner
    std::vector<ResultRow> rows;            //!< of its rounds, not evaluated
    std::map<std::string, uint64_t> totals; //!< its share of RunResults::totals
    std::optional<double> epsilon;          //!< realised; absent without an account
    std::vector<std::string> warnings;      //!< of its rule
    uint64_t skipped{0};                    //!< rounds in which its rule did not aggregate
    uint64_t withheld{0};                   //!< skipped rounds that a budget forbade
    std::map<uint32_t, uint64_t> staleness; //!< see RunResults::staleness
    std::string violation;                  //!< of a conservation law; empty: none

    /** @return the values that StateArchive passes between ranks */
    auto Tie()
    {
        return std::tie(node,
                        rows,
                        totals,
                        epsilon,
                        warnings,
                        skipped,
                        withheld,
                        staleness,
                        violation);
    }
};

/** A constant of privacy accounts: a number, a name, names and values of attributes; or, by
 *  learner, a number, a number for each round, or a number for each neighbour. @ingroup dlearn */
using PrivacyConstant = std::variant<double,
                                     std::string,
                                     std::map<std::string, std::string>,
                                     std::map<LearnerId, double>,
                                     std::map<LearnerId, std::vector<double>>,
                                     std::map<LearnerId, std::map<LearnerId, double>>>;

/** All values needed, with transcript.csv, to recompute the privacy accounts of a run: the member
 *  `privacy` of summary.json. The manual lists the names. @ingroup dlearn */
using PrivacyConstants = std::map<std::string, PrivacyConstant>;

/**
 * @ingroup dlearn
 * @param rule of a peer
 * @return the unit that its account protects: learner (all data of one learner), batch (the data
 *         of one round) or sample; none without an account
 */
std::string DescribeUnit(const Ptr<UpdateRule>& rule);

/**
 * @ingroup dlearn
 * @param learners peers of a run, all with the same kind of rule
 * @param rounds for which values that change with the round are listed; 0: none
 * @return the constants of their accounts
 */
PrivacyConstants DescribePeers(const std::vector<Ptr<PeerApplication>>& learners, uint32_t rounds);

/** All results of a run, which the writers of helper/report turn into files. @ingroup dlearn */
struct RunResults
{
    std::string program;                                         //!< its name; a script may set it
    std::vector<std::pair<std::string, std::string>> parameters; //!< options and their values
    std::set<std::string> given;                   //!< names of the options that the user gave
    std::set<std::string> withoutEffect;           //!< names of options that others make idle
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
    std::vector<RunEvent> timeline;                //!< unusual events, by time
    /** Realised epsilon of each node at the end, with messages of a round that a crash left open.
     *  Nodes without an entry have the epsilon of their last row. */
    std::map<LearnerId, double> epsilon;
    /** Largest until the end of each evaluated round: of the rounds that peers had closed by then,
     *  of clients at that time. Rounds without an entry have that of their rows. */
    std::map<uint32_t, SpentEpsilon> spent;
    /** Until the end of each evaluated round. Rounds without an entry have those of their rows. */
    std::map<uint32_t, SpentResources> resources;
    std::map<LearnerId, double> energy;  //!< joules spent by the end; empty: not measured
    std::map<LearnerId, double> battery; //!< joules left at the end; of nodes with batteries
    std::vector<std::string> labels;     //!< names of the classes of the data; empty: none
    std::map<LearnerId, std::vector<uint64_t>> samples; //!< for training, by class
    /** Updates that a server aggregated, by their age in versions; empty without a server. */
    std::map<uint32_t, uint64_t> staleness;
    ModelVector model;                  //!< that is kept; empty: none
    std::vector<ModelVector> models;    //!< of several rounds, if they are kept
    std::vector<ModelVector> personal;  //!< of peers or clients at the end, if they are kept
    uint64_t skipped{0};                //!< rounds in which servers or peers did not aggregate
    PrivacyConstants privacy;           //!< of the accounts; empty when no learner keeps one
    Graph graph{1};                     //!< the learners' graph
    std::vector<PositionRecord> motion; //!< of nodes with a place, by node and time
    std::vector<std::pair<double, double>> positions; //!< in metres for the drawing; or empty
    SiteMap sites;                                    //!< of the network, for the drawing
    std::vector<std::string> roles;                   //!< role of each node, for the drawing
    double readySeconds{0};                           //!< simulated time when all were ready
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
