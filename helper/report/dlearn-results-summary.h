/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESULTS_SUMMARY_H
#define DLEARN_RESULTS_SUMMARY_H

#include "dlearn-evaluated-rounds.h"

#include "ns3/dlearn-run-results.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dlearn
{

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
    uint64_t expected{0};                //!< messages, over all rows; likewise the following
    uint64_t received{0};                //!< arrived in time
    uint64_t used{0};                    //!< handed to the update rule
    uint64_t rejected{0};                //!< arrived but not usable
    uint64_t late{0};                    //!< arrived too late
    uint64_t lost{0};                    //!< never arrived
    uint64_t txBytes{0};                 //!< sent, also by nodes that closed no round
    uint64_t rxBytes{0};                 //!< received, likewise
    Time compute;                        //!< simulated compute time
    double energy{Evaluation::NONE};     //!< joules; NaN: not measured
    bool conserved{true};                //!< whether both laws of RoundRecord hold in every row
    EvaluatedRound last;                 //!< last evaluated round; of no learner without one
    uint32_t evaluated{0};               //!< learners of the evaluated round that most closed
    Time end;                            //!< when the last round was closed
    Evaluation final;                    //!< mean over the learners that closed the last round
    std::map<LearnerId, double> epsilon; //!< realised, at the end of each node
    std::map<LearnerId, double> epsilonNominal; //!< nominal, at each node's last round
    std::map<LearnerId, ResultRow> lastRows;    //!< each node's last closed round
    double epsilonMax{Evaluation::NONE};        //!< largest of epsilon, of honest learners
    double epsilonNominalMax{Evaluation::NONE}; //!< likewise of epsilonNominal
};

/**
 * @ingroup dlearn
 * @param results of a run; the epsilons and joules of its nodes count where they are known, else
 * those of their rows
 * @return what they sum up to
 */
ResultsSummary Summarize(const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_RESULTS_SUMMARY_H
