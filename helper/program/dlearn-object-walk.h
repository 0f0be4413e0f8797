/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OBJECT_WALK_H
#define DLEARN_OBJECT_WALK_H

#include "ns3/object.h"

#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Visit the objects of the simulation: all that paths of ns3::Config reach, beginning with nodes
 * and channels, through attributes that hold objects, and through aggregation. Each is visited
 * once.
 *
 * @param visit called with each object
 */
void VisitObjects(const std::function<void(const Object&)>& visit);

} // namespace ns3::dlearn

#endif // DLEARN_OBJECT_WALK_H
