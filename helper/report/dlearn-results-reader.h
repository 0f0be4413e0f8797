/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESULTS_READER_H
#define DLEARN_RESULTS_READER_H

#include "ns3/dlearn-run-results.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Read the results of a run back: summary.json, rounds.csv and results.jsonl of its
 * directory. Those of a part of a run are refused: there are as many rows as summary.json counts,
 * and a line of results.jsonl for each evaluated round.
 *
 * @param directory the value of --out of the run
 * @return program, command, status, seed, run, parameters, those without effect, attributes,
 * globals, warnings, totals, rows, each learner's epsilon, what was spent until the end of each
 * evaluated round, and the times; nothing of graph, positions and events
 * @throw std::runtime_error naming the file when it cannot be read
 * @throw std::invalid_argument naming the directory or the file, and what is wrong with it
 */
RunResults ReadResults(const std::string& directory);

} // namespace ns3::dlearn

#endif // DLEARN_RESULTS_READER_H
