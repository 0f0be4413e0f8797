/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESULTS_JSON_H
#define DLEARN_RESULTS_JSON_H

#include "dlearn-results-summary.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** JSON whose members keep their order. */
using ResultsJson = nlohmann::ordered_json;

/**
 * @param value any number
 * @return it for JSON, which has neither NaN nor infinity: null for NaN, "inf" for infinity, which
 *         float() and pandas.to_numeric() understand
 */
ResultsJson MakeJsonNumber(double value);

/** @return the content of summary.json without the wall time: it is the same each time */
ResultsJson MakeSummary(const RunResults& results, const ResultsSummary& summary);

/**
 * @param results of a run, with rows in any order
 * @return the lines of results.jsonl: an object for each evaluated round, with the members round,
 *         time_s, learners; for each metric that applies its mean, and _low and _high over the
 *         learners; epsilon and epsilon_nominal where there are some; delivered where messages were
 *         expected; tx_bytes, rx_bytes, and energy_j where energy was measured
 */
std::vector<ResultsJson> MakeResultsLines(const RunResults& results);

/** @return a text, indented unless -1; bytes of a user's text that are not UTF-8 are replaced */
std::string DumpJson(const ResultsJson& json, int indent = -1);

} // namespace ns3::dlearn

#endif // DLEARN_RESULTS_JSON_H
