/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_CONSTANTS_H
#define DLEARN_PRIVACY_CONSTANTS_H

#include "ns3/dlearn-types.h"
#include "ns3/dlearn-update-rule.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace ns3::dlearn
{

class PeerApplication;

/**
 * @ingroup dlearn
 * One constant of privacy accounts: a number, a name, names and values of attributes; or, by
 * learner, a number, a number for each round, or a number for each of its neighbours.
 */
using PrivacyConstant = std::variant<double,
                                     std::string,
                                     std::map<std::string, std::string>,
                                     std::map<LearnerId, double>,
                                     std::map<LearnerId, std::vector<double>>,
                                     std::map<LearnerId, std::map<LearnerId, double>>>;

/**
 * @ingroup dlearn
 * Everything that is needed, in addition to transcript.csv, to compute the privacy accounts of a
 * run again: the member `privacy` of summary.json. The manual lists the names.
 */
using PrivacyConstants = std::map<std::string, PrivacyConstant>;

/**
 * @ingroup dlearn
 * @param rule of a peer
 * @return what its account protects: learner (all data of one learner), batch (that of one
 *         round) or sample; none without an account
 */
std::string DescribeUnit(const Ptr<UpdateRule>& rule);

/**
 * @ingroup dlearn
 * @param learners peers of a run, all with the same kind of rule
 * @param rounds for how many rounds to tell what changes with the round; 0 to leave that out
 * @return the constants of their accounts
 */
PrivacyConstants DescribePeers(const std::vector<Ptr<PeerApplication>>& learners, uint32_t rounds);

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_CONSTANTS_H
