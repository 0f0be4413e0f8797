/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESULTS_SUMMARY_H
#define DLEARN_RESULTS_SUMMARY_H

#include "ns3/dlearn-run-results.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Mean and range of some numbers.
 */
struct MetricSpread
{
    double sum{0};                 //!< of the numbers
    double low{Evaluation::NONE};  //!< smallest
    double high{Evaluation::NONE}; //!< largest
    uint32_t count{0};             //!< how many numbers there are

    /** @param value one more number; NaN does not apply, and is skipped */
    void Add(double value);

    /** @return mean of the numbers; NaN when there are none */
    double GetMean() const { return count == 0 ? Evaluation::NONE : sum / count; }
};

/**
 * @ingroup dlearn
 * A round that was evaluated, over all learners that closed it: the line that a program prints
 * about it, and of results.jsonl.
 */
struct EvaluatedRound
{
    uint32_t round{0};    //!< number, from 0
    Time time;            //!< when the last of these learners closed it
    uint32_t learners{0}; //!< how many closed it
    std::map<std::string, MetricSpread>
        metrics;                             //!< by name; those that apply to no learner are absent
    std::map<std::string, MetricSpread> own; //!< of the user, see Evaluation::own
    double epsilon{Evaluation::NONE};        //!< largest that an honest learner had spent
    double epsilonNominal{Evaluation::NONE}; //!< largest planned one of an honest learner
    uint64_t expected{0};                    //!< messages of these learners in this round
    uint64_t received{0};                    //!< messages that arrived in time
    uint64_t txBytes{0};                     //!< sent by all learners until then
    uint64_t rxBytes{0};                     //!< received by all learners until then
    double energy{Evaluation::NONE}; //!< joules of all learners until then; NaN: not measured
};

/** @return the evaluated rounds of a run, in order; its rows may have any order */
std::vector<EvaluatedRound> FindEvaluatedRounds(const RunResults& results);

/**
 * @ingroup dlearn
 * The figures that sum up the rows of a run; summary.json and report.html show the same ones.
 */
struct ResultsSummary
{
    uint32_t nodes{0};                   //!< nodes that closed at least one round
    uint64_t rows{0};                    //!< closed rounds over all nodes
    uint32_t rounds{0};                  //!< that the server closed, or the fastest of peers
    double delivered{Evaluation::NONE};  //!< of the messages that rounds of servers and honest
                                         //!< peers waited for, the share that came in time
    uint64_t expected{0};                //!< messages, over all rows, as are the next five
    uint64_t received{0};                //!< arrived in time
    uint64_t used{0};                    //!< handed to the update rule
    uint64_t rejected{0};                //!< arrived but not usable
    uint64_t late{0};                    //!< arrived too late
    uint64_t lost{0};                    //!< never arrived
    uint64_t txBytes{0};                 //!< sent, also by nodes that closed no round
    uint64_t rxBytes{0};                 //!< received, also by nodes that closed no round
    bool conserved{true};                //!< whether both laws of RoundRecord hold in every row
    EvaluatedRound last;                 //!< last evaluated round, with the time at which all of
                                         //!< them had ended; of no learner without one
    Time end;                            //!< when the last round was closed
    Evaluation final;                    //!< mean over the learners that closed the last round
    std::map<LearnerId, double> epsilon; //!< realised, at the end of each node
    std::map<LearnerId, double> epsilonNominal; //!< nominal, at each node's last round
    std::map<LearnerId, ResultRow> lastRows;    //!< each node's last closed round
    double epsilonMax{Evaluation::NONE};        //!< largest of epsilon, of honest learners
    double epsilonNominalMax{Evaluation::NONE}; //!< largest of epsilonNominal, of honest learners
};

/**
 * @ingroup dlearn
 * @param results of a run; the epsilons of its nodes count where they are known, else those of
 *        their rows
 * @return the sums, and the figures of the end
 */
ResultsSummary Summarize(const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_RESULTS_SUMMARY_H
