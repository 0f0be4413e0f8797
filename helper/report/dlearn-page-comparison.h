/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_COMPARISON_H
#define DLEARN_PAGE_COMPARISON_H

#include "dlearn-page.h"
#include "dlearn-run-groups.h"
#include "dlearn-target.h"

#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @param groups runs, two groups at least; the first is what the others are compared with
 * @param target what to say the cost of; nothing for none
 * @return tables: what was reached in the end; settings that differ; what privacy costs; where time
 *         goes; cost of the target; test of pairs
 */
PageJson MakeComparisonSection(const std::vector<RunGroup>& groups,
                               const std::optional<Target>& target);

/**
 * @param groups any
 * @return accuracy if there is any, else loss, else error: what the groups are compared by
 */
std::string ChooseMetric(const std::vector<RunGroup>& groups);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_COMPARISON_H
