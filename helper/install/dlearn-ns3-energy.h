/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NS3_ENERGY_H
#define DLEARN_NS3_ENERGY_H

/**
 * @file
 * The classes of ns-3's module energy, which are in ns3 until ns-3.42 and in ns3::energy since
 * then, by their names alone.
 */

#include "ns3/device-energy-model.h"
#include "ns3/energy-source-container.h"
#include "ns3/energy-source.h"

namespace ns3::energy
{
} // namespace ns3::energy

namespace ns3::dlearn
{

using namespace ns3::energy;

} // namespace ns3::dlearn

#endif // DLEARN_NS3_ENERGY_H
