/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MOBILITY_RANGES_H
#define DLEARN_MOBILITY_RANGES_H

#include "ns3/mobility-model.h"
#include "ns3/ptr.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Refuse a mobility model that would not move, would leave the range of ns-3's times, or would need
 * an event at every instant. Random attributes are tried with a thousand values.
 *
 * @param what the network and the model, for the message
 * @param model of a node: a model without one is freed before the event that its constructor has
 *        scheduled
 * @throw std::invalid_argument naming the attribute, its range and the value
 */
void CheckMobilityModel(const std::string& what, const Ptr<MobilityModel>& model);

} // namespace ns3::dlearn

#endif // DLEARN_MOBILITY_RANGES_H
