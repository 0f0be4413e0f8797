/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_POSITION_RECORD_H
#define DLEARN_POSITION_RECORD_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"
#include "ns3/vector.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Where a learner's node was.
 */
struct PositionRecord
{
    Time time;         //!< simulated
    LearnerId node{0}; //!< the learner
    Vector position;   //!< in metres
};

} // namespace ns3::dlearn

#endif // DLEARN_POSITION_RECORD_H
