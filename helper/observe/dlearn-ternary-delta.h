/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TERNARY_DELTA_H
#define DLEARN_TERNARY_DELTA_H

#include "ns3/ptr.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

class PeerApplication;

/**
 * @ingroup dlearn
 * @param learners peers of a run, after it
 * @return a warning that says why the epsilon of honest peers with ternary noise is infinite: what
 *         they released has used up more than the delta of their accounts; empty when there are
 *         none
 */
std::string DescribeTernaryDelta(const std::vector<Ptr<PeerApplication>>& learners);

} // namespace ns3::dlearn

#endif // DLEARN_TERNARY_DELTA_H
