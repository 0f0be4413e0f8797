/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-findings.h"

#include "dlearn-federation-rounds.h"
#include "dlearn-isolation-watch.h"
#include "dlearn-silent-pairs.h"
#include "dlearn-skipped-rounds.h"

#include "ns3/dlearn-federated-server.h"
#include "ns3/dlearn-robust-server.h"

#include <map>
#include <set>

namespace ns3::dlearn
{

namespace
{

/** @return what to warn of a server's rule when the run is over; empty texts for nothing */
std::vector<std::string>
DescribeServerRounds(const RunResults& results, const ServerRule& rule)
{
    std::vector<std::string> warnings{DescribeWithheldRounds(results, rule)};
    if (const auto robust = dynamic_cast<const RobustServer*>(&rule))
    {
        warnings.push_back(DescribeSkippedRounds(results, *robust));
    }
    return warnings;
}

} // namespace

std::vector<std::string>
DescribeRun(const RunResults& results, const std::vector<Ptr<LearnerApplication>>& learners)
{
    std::vector<std::string> warnings;
    std::map<LearnerId, std::set<LearnerId>> senders;
    for (const auto& learner : learners)
    {
        if (learner->GetRole() == "peer")
        {
            senders[learner->GetLearnerId()] = GetSenders(*learner, learners);
        }
        if (const auto rule = DynamicCast<ServerRule>(learner->GetLearnerRule()))
        {
            const auto ofRule = DescribeServerRounds(results, *rule);
            warnings.insert(warnings.end(), ofRule.begin(), ofRule.end());
        }
        if (const auto server = DynamicCast<FederatedServer>(learner))
        {
            const auto rounds = DescribeFederationRounds(*server, learners, results.graph);
            warnings.insert(warnings.end(), rounds.begin(), rounds.end());
        }
    }
    warnings.push_back(DescribeSkippedMixings(learners));
    warnings.push_back(DescribeSilentPairs(results, senders));
    return warnings;
}

} // namespace ns3::dlearn
