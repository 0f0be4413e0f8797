/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OBJECT_WALK_H
#define DLEARN_OBJECT_WALK_H

#include "ns3/object.h"

#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Visit the objects of the simulation: all that paths of ns3::Config reach, beginning with nodes
 * and channels, through attributes that hold objects, and through aggregation. Each is visited
 * once.
 *
 * @param more objects to begin with, besides nodes and channels
 * @param visit called with each object
 */
void VisitObjects(const std::vector<Ptr<const Object>>& more,
                  const std::function<void(const Object&)>& visit);

} // namespace ns3::dlearn

#endif // DLEARN_OBJECT_WALK_H
