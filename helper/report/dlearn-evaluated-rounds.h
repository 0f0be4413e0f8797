/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EVALUATED_ROUNDS_H
#define DLEARN_EVALUATED_ROUNDS_H

#include "ns3/dlearn-run-results.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** What is shown around the mean of several numbers. */
enum class Band
{
    RANGE,     //!< from the smallest to the largest
    DEVIATION, //!< the standard deviation to either side
    INTERVAL   //!< the 95 % confidence interval of the mean, by Student's law
};

/**
 * @ingroup dlearn
 * Mean and spread of some numbers.
 */
struct MetricSpread
{
    double sum{0};                 //!< of the numbers
    double squares{0};             //!< sum of the squared distances from their mean
    double low{Evaluation::NONE};  //!< smallest
    double high{Evaluation::NONE}; //!< largest
    uint32_t count{0};             //!< how many numbers there are

    /** @param value one more number; NaN does not apply, and is skipped */
    void Add(double value);

    /** @return mean of the numbers; NaN when there are none */
    double GetMean() const { return count == 0 ? Evaluation::NONE : sum / count; }

    /** @return sample standard deviation; NaN for less than two numbers */
    double GetDeviation() const;

    /**
     * @param band which one
     * @return its ends; NaN where there are too few numbers
     */
    std::pair<double, double> GetBand(Band band) const;
};

/**
 * @ingroup dlearn
 * A round that was evaluated, over all learners that closed it: the line that a program prints
 * about it, and what the report, results.jsonl and comparisons of runs are made from.
 */
struct EvaluatedRound
{
    uint32_t round{0};    //!< number, from 0
    Time time;            //!< when the last of these learners closed it
    uint32_t learners{0}; //!< how many closed it
    std::map<std::string, MetricSpread>
        metrics;                             //!< by name; those that apply to no learner are absent
    double epsilon{Evaluation::NONE};        //!< largest that an honest learner had spent
    double epsilonNominal{Evaluation::NONE}; //!< largest planned one, likewise
    uint64_t expected{0};                    //!< messages of these learners in this round
    uint64_t received{0};                    //!< of these, arrived in time
    uint64_t txBytes{0};                     //!< sent by all learners until then
    uint64_t rxBytes{0};                     //!< received by all learners until then
    double energy{Evaluation::NONE}; //!< joules of all learners until then; NaN: not measured
};

/**
 * @ingroup dlearn
 * @param results of a run, with rows in any order
 * @return its evaluated rounds, in order
 */
std::vector<EvaluatedRound> FindEvaluatedRounds(const RunResults& results);

/**
 * @ingroup dlearn
 * @param rounds of a run, in order, at least one
 * @return the last of them, with what the run had taken when all of them had ended: time, bytes,
 *         joules and epsilon. Without a common clock an earlier one may have ended later, when a
 *         slow learner has dropped out since.
 */
EvaluatedRound GetEnd(const std::vector<EvaluatedRound>& rounds);

/**
 * @ingroup dlearn
 * @param results of a run, with rows in any order
 * @return the text of results.jsonl: a JSON object a line, one for each evaluated round, with the
 *         members round, time_s, learners; for each metric that applies its mean, and _low and
 *         _high over the learners; epsilon and epsilon_nominal where there are some; delivered
 *         where messages were expected; tx_bytes, rx_bytes, and energy_j where energy was measured
 */
std::string MakeResultsLines(const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_EVALUATED_ROUNDS_H
