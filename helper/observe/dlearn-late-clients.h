/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LATE_CLIENTS_H
#define DLEARN_LATE_CLIENTS_H

#include "dlearn-run-results.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param results of a federation
 * @return a warning that names the clients whose updates all came after the end of their rounds;
 *         empty when there are none
 */
std::string DescribeLateClients(const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_LATE_CLIENTS_H
