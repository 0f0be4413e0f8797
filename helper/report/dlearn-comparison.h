/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPARISON_H
#define DLEARN_COMPARISON_H

#include "dlearn-run-groups.h"
#include "dlearn-target.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Several runs on one page: curves over one another with bands over the seeds, what differs in
 * their settings, what a target costs, and whether the differences are more than chance.
 * Means, costs and tests are of complete runs only; the page says how many were left out.
 *
 * @param runs at least one; those of the same name differ in their random numbers only
 * @param target what to say the cost of; nothing for the highest accuracy of a ladder that all runs
 *        reach
 * @param band of the curves around means over the seeds
 * @return the page, as MakeHtmlReport() makes it for one run
 * @throw std::invalid_argument without runs, and when two runs of a name have the same seed and run
 */
std::string MakeComparison(const std::vector<NamedRun>& runs,
                           const std::optional<Target>& target = std::nullopt,
                           Band band = Band::RANGE);

/**
 * @ingroup dlearn
 * What MakeComparison() shows without drawings, for a terminal.
 *
 * @param runs likewise
 * @param target likewise
 * @return a sentence, and the tables of what the runs reached, cost and differ in
 */
std::string MakeComparisonText(const std::vector<NamedRun>& runs,
                               const std::optional<Target>& target = std::nullopt);

} // namespace ns3::dlearn

#endif // DLEARN_COMPARISON_H
