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
 * The families of parts from which a user of a program chooses, and the creation of the parts. See
 * dlearn-component.h for the text of a part. GeometricMedian with nu or t is
 * SmoothedWeiszfeldAggregator, which has this name in other tools.
 */

namespace ns3::dlearn
{

/**
 * @name The families, by the option that chooses from them.
 * @{
 */
constexpr const char* NOISELESS_TRACKING = "gt"; //!< gradient tracking without noise

const ComponentFamily& GetPeerRuleFamily();          //!< rules of peers: ldp-online, dsgd, ...
const ComponentFamily& GetDirectedRuleFamily();      //!< the same and NOISELESS_TRACKING
const ComponentFamily& GetClientRuleFamily();        //!< rules of clients: LocalSgd, ...
const ComponentFamily& GetServerRuleFamily();        //!< rules of servers: FedAvg, ...
const ComponentFamily& GetScheduleFamily();          //!< when servers ask: synchronous, buffered
const ComponentFamily& GetOptimizerFamily();         //!< steps of servers and clients: sgd, adam
const ComponentFamily& GetSamplingFamily();          //!< clients of a round: uniform, oort, ...
const ComponentFamily& GetUplinkAllocationFamily();  //!< shares of a band: equal, ...
const ComponentFamily& GetDataDriftFamily();         //!< data that change: label, window
const ComponentFamily& GetUplinkPowerFamily();       //!< powers of radios: highest-rate, ...
const ComponentFamily& GetPowerControlFamily();      //!< powers on the air: full-power, ...
const ComponentFamily& GetMissingFamily();           //!< missing messages: last, skip, wait
const ComponentFamily& GetStalenessFamily();         //!< weights of late updates: constant, ...
const ComponentFamily& GetMechanismFamily();         //!< noise of peers: gaussian, laplace, ...
const ComponentFamily& GetPrivacyUnitFamily();       //!< units of accounts: batch, learner, sample
const ComponentFamily& GetCompensationFamily();      //!< of lost trackers: none, running-sum
const ComponentFamily& GetSharedNoiseFamily();       //!< noise of several clients: joint, pairwise
const ComponentFamily& GetCompressorFamily();        //!< qsgd, randk, top-k
const ComponentFamily& GetAggregatorFamily();        //!< robust aggregation: Caf, Krum, ...
const ComponentFamily& GetPreAggregatorFamily();     //!< before aggregation: Arc, Nnm, ...
const ComponentFamily& GetAttackFamily();            //!< attacks on vectors: Alie, ...
const ComponentFamily& GetCongestionControlFamily(); //!< TCP of ns-3: new-reno, cubic, bbr, ...
/** @} */

/** @return an aggregator without pre-aggregators */
Ptr<Aggregator> ParseAggregator(const std::string& text);

/** @return names of the aggregators with which peers keep a privacy account, see IsMonotone() */
std::vector<std::string> GetMonotoneAggregators();

/** Add pre-aggregators, separated by +, to an aggregator. @param text empty: none */
void AddPreAggregators(const std::string& text, Ptr<Aggregator> aggregator);

/** @return an attack on vectors */
Ptr<Attack> ParseAttack(const std::string& text);

/** @return the names that ParseAttack() knows, in alphabetical order */
std::set<std::string> GetAttackNames();

/** @return whether a compressor drops entries, which error feedback sends later; false for a wrong
 *          text */
bool DropsEntries(const std::string& compressor);

/** @return names of the compressors that drop no entries */
std::vector<std::string> GetWholeCompressors();

/**
 * Compress the messages of an exchange.
 *
 * @param option name of the option, for messages
 * @param text none, fp16 (numbers of 16 bits) or a compressor; with error feedback if it drops
 *        entries
 * @param exchange not yet set up
 */
void Compress(const std::string& option, const std::string& text, MessageExchange& exchange);

} // namespace ns3::dlearn

#endif // DLEARN_COMPONENT_PARSER_H
