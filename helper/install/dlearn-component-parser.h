/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPONENT_PARSER_H
#define DLEARN_COMPONENT_PARSER_H

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-component.h"
#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-vector-attacks.h"

#include <set>
#include <string>
#include <vector>

/**
 * @file
 * The families of parts that a user of a program chooses from, and what is made of the choice.
 * dlearn-component.h says how a part is written. GeometricMedian with nu or t is
 * SmoothedWeiszfeldAggregator, which other tools call by that name.
 */

namespace ns3::dlearn
{

/** @return the rules of peers: ldp-online, dsgd, ... */
const ComponentFamily& GetPeerRuleFamily();

/** Name of gradient tracking without noise. */
constexpr const char* NOISELESS_TRACKING = "gt";

/** @return likewise, with NOISELESS_TRACKING as a further name of gradient tracking */
const ComponentFamily& GetDirectedRuleFamily();

/** @return the rules of clients, by the names of their types: LocalSgd, ... */
const ComponentFamily& GetClientRuleFamily();

/** @return the rules of servers: FedAvg, ... */
const ComponentFamily& GetServerRuleFamily();

/** @return what a missing message means: last, skip, wait */
const ComponentFamily& GetMissingFamily();

/** @return weights of updates by their staleness: constant, discard, hinge, polynomial */
const ComponentFamily& GetStalenessFamily();

/** @return noise on what peers send: gaussian, laplace, ternary, ... */
const ComponentFamily& GetMechanismFamily();

/** @return what an account of a peer protects: batch, learner, sample */
const ComponentFamily& GetPrivacyUnitFamily();

/** @return what is done about lost trackers: none, running-sum */
const ComponentFamily& GetCompensationFamily();

/** @return how noise that workers share is drawn: joint, pairwise */
const ComponentFamily& GetSharedNoiseFamily();

/** @return what makes vectors smaller: qsgd, randk, top-k */
const ComponentFamily& GetCompressorFamily();

/** @return robust aggregation: Caf, Krum, ... */
const ComponentFamily& GetAggregatorFamily();

/** @return what is done to vectors before they are aggregated: Arc, Nnm, ... */
const ComponentFamily& GetPreAggregatorFamily();

/** @return attacks on vectors: Alie, ... */
const ComponentFamily& GetAttackFamily();

/** @return ns-3's congestion controls of TCP: new-reno, cubic, bbr, ... */
const ComponentFamily& GetCongestionControlFamily();

/**
 * @param text an aggregator
 * @return it, without pre-aggregators
 */
Ptr<Aggregator> ParseAggregator(const std::string& text);

/** @return names of the aggregators with which peers keep a privacy account, see IsMonotone() */
std::vector<std::string> GetMonotoneAggregators();

/**
 * Add pre-aggregators to an aggregator.
 *
 * @param text one, and more of them after a + each; empty for none
 * @param aggregator gets them
 */
void AddPreAggregators(const std::string& text, Ptr<Aggregator> aggregator);

/**
 * @param text an attack on vectors
 * @return the attack
 */
Ptr<Attack> ParseAttack(const std::string& text);

/** @return the names that ParseAttack() knows, in alphabetical order */
std::set<std::string> GetAttackNames();

/**
 * @param compressor what a user wrote; it may be wrong
 * @return whether it drops entries, which error feedback sends later
 */
bool DropsEntries(const std::string& compressor);

/** @return names of the compressors that drop no entries */
std::vector<std::string> GetWholeCompressors();

/**
 * Compress what an exchange sends.
 *
 * @param option name of the option, for messages
 * @param text none, fp16 (numbers of 16 bits) or a compressor; with error feedback where it drops
 *        entries
 * @param exchange not yet set up
 */
void Compress(const std::string& option, const std::string& text, MessageExchange& exchange);

} // namespace ns3::dlearn

#endif // DLEARN_COMPONENT_PARSER_H
