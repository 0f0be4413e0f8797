/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-audit.h"

#include "dlearn-federated-audit.h"
#include "dlearn-peer-audit.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** The most runs that can be asked for. */
constexpr uint32_t MOST_RUNS = 1000000;

/** Names of the algorithms with a server. */
const char* const CAFCOR = "cafcor";
const char* const FEDAVG = "fedavg";

/** @return the result of auditing a rule of peers */
AuditResult
AuditPeers(const std::string& name, TypeId rule, uint32_t runs, uint64_t first, bool faults)
{
    PeerAuditParts parts;
    parts.rule = rule;
    parts.faults = faults;
    PeerAudit audit(parts);
    AuditResult result = Audit(name, runs, first, [&audit](uint64_t k) { return audit.Run(k); });
    result.worst = audit.IsNoisePlausible() ? result.worst : 0;
    return result;
}

} // namespace

bool
AuditResult::IsGood() const
{
    return worst >= 1 - 1e-9 && !(largest > LARGEST); // not of a NaN that is the worst
}

AuditResult
Audit(const std::string& algorithm, uint32_t runs, uint64_t first, const AuditRun& audit)
{
    Require(runs >= 1 && runs <= MOST_RUNS, "runs must be from 1 to {}, got {}", MOST_RUNS, runs);
    std::vector<double> ratios;
    bool failed = false;
    for (uint32_t run = 0; run < runs; ++run)
    {
        const double ratio = audit(first + run);
        failed = failed || std::isnan(ratio);
        ratios.push_back(std::isinf(ratio) ? 1 : ratio);
    }
    AuditResult result;
    result.algorithm = algorithm;
    result.runs = runs;
    if (failed)
    {
        result.worst = std::nan("");
        result.median = result.worst;
        return result;
    }
    std::sort(ratios.begin(), ratios.end());
    result.worst = ratios.front();
    result.median = (ratios[(runs - 1) / 2] + ratios[runs / 2]) / 2;
    return result;
}

std::vector<std::string>
GetAuditedAlgorithms()
{
    std::vector<std::string> names = GetComponentNames(GetPeerRuleFamily());
    const auto end = std::remove_if(names.begin(), names.end(), [](const std::string& name) {
        TypeId::AttributeInformation account;
        return !ParseComponent(GetPeerRuleFamily(), name)
                    .GetTypeId()
                    .LookupAttributeByName("PrivacyLedger", &account);
    });
    names.erase(end, names.end()); // rules without noise
    names.emplace_back(CAFCOR);
    names.emplace_back(FEDAVG);
    return names;
}

AuditResult
AuditAlgorithm(const std::string& algorithm, uint32_t runs, uint64_t run, bool faults)
{
    const uint64_t first = run * MOST_RUNS;
    if (IsComponent(GetPeerRuleFamily(), algorithm))
    {
        const TypeId rule = ParseComponent(GetPeerRuleFamily(), algorithm).GetTypeId();
        return AuditPeers(algorithm, rule, runs, first, faults);
    }
    if (algorithm == CAFCOR || algorithm == FEDAVG)
    {
        const FederatedAudit audit(algorithm, faults);
        double largest = 0;
        AuditResult result = Audit(algorithm, runs, first, [&](uint64_t k) {
            const AccountRatios ratios = audit.Run(k);
            largest = std::max(largest, ratios.largest);
            return ratios.smallest;
        });
        // Accounts of CafCor may be bounds, as where noise is revealed.
        result.largest = algorithm == FEDAVG ? largest : NAN;
        return result;
    }
    Require(false,
            "algorithm must be {} or all, got '{}'",
            JoinNames(GetAuditedAlgorithms()),
            algorithm);
    return {};
}

} // namespace ns3::dlearn
