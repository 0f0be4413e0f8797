/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_LINKS_H
#define DLEARN_PAGE_LINKS_H

#include "dlearn-page.h"

#include "ns3/dlearn-run-results.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @param pairs messages by sender and receiver
 * @return a part of type heat with a line for each receiver and a column for each sender; of many
 *         learners those that miss most. Null when there are no pairs.
 */
PageJson MakeLinksPart(const std::vector<PairRecord>& pairs);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_LINKS_H
