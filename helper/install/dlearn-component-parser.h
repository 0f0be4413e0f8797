/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPONENT_PARSER_H
#define DLEARN_COMPONENT_PARSER_H

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-attack.h"

#include <set>
#include <string>

/**
 * @file
 * Aggregators and attacks as a user of a program writes them: NAME[:parameter=value,...].
 *
 * NAME is the type's name without its ending: Krum is ns3::dlearn::KrumAggregator. Parameters
 * are its attributes, in capitals or not: MultiKrum:m=3,margin=2. GeometricMedian with nu or
 * t is SmoothedWeiszfeldAggregator, which other tools call by that name. What is unknown is
 * refused with std::invalid_argument, whose message lists what there is.
 */

namespace ns3::dlearn
{

/**
 * @param text NAME[:parameter=value,...]
 * @return the aggregator, without pre-aggregators
 */
Ptr<Aggregator> ParseAggregator(const std::string& text);

/**
 * Add pre-aggregators to an aggregator.
 *
 * @param text NAME[:parameter=value,...], and more of them after a + each; empty for none
 * @param aggregator gets them
 */
void AddPreAggregators(const std::string& text, Ptr<Aggregator> aggregator);

/**
 * @param text NAME[:parameter=value,...]
 * @return the attack
 */
Ptr<Attack> ParseAttack(const std::string& text);

/** @return the NAMEs that ParseAttack() knows, in alphabetical order */
std::set<std::string> GetAttackNames();

} // namespace ns3::dlearn

#endif // DLEARN_COMPONENT_PARSER_H
