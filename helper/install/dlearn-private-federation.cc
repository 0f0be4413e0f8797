/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-private-federation.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

namespace
{

/** What a run needs for privacy, made of its plan. */
struct Protection
{
    Ptr<WorkerNoise> ofClients; //!< null where the server adds the noise
    Ptr<ServerNoise> ofServer;  //!< null where clients do
    double delta{0};            //!< of the accounts
    double budget{0};           //!< of each client
    bool momentum{false};       //!< whether a message holds what all earlier rounds added
};

/** @return the rule of a client, which must be of a type */
template <typename Rule>
Ptr<Rule>
GetClientRule(const Federation& federation, size_t client)
{
    const auto rule = DynamicCast<Rule>(federation.clients[client]->GetRule());
    Require(rule != nullptr,
            "the plan needs clients with the rule ",
            Rule::GetTypeId().GetName(),
            ", got ",
            federation.clients[client]->GetRule()->GetInstanceTypeId().GetName());
    return rule;
}

/** Let the server add noise to all that it tells. */
void
SetServerNoise(const Federation& federation, const Ptr<ServerNoise>& noise)
{
    CheckWholeUpdates(federation);
    const auto rule = federation.server->GetRule();
    TypeId::AttributeInformation info;
    Require(rule->GetInstanceTypeId().LookupAttributeByName("Noise", &info),
            "threat model ns3::dlearn::CentralDp needs a server's rule that adds noise, got ",
            rule->GetInstanceTypeId().GetName());
    rule->SetAttribute("Noise", PointerValue(noise));
}

/** Make the noise of a plan. */
Protection
MakeProtection(const ThreatModel& model, const NoiseScales& scales, double momentum)
{
    Protection protection;
    protection.momentum = momentum > 0;
    if (model.TrustsServer())
    {
        protection.ofServer = CreateObject<ServerNoise>();
        protection.ofServer->SetAttribute("Scale", DoubleValue(scales.independent));
        protection.ofServer->SetAttribute("Momentum", DoubleValue(momentum));
    }
    else
    {
        protection.ofClients = CreateObject<WorkerNoise>();
        protection.ofClients->SetAttribute("Independent", DoubleValue(scales.independent));
    }
    return protection;
}

/** Give a client its noise and its account. */
void
ProtectClient(const Protection& protection,
              FederatedClient& client,
              uint32_t place,
              const ReleaseTerms& terms,
              double sampling)
{
    const auto ledger = CreateObject<GaussianLedger>();
    ledger->SetAttribute("Delta", DoubleValue(protection.delta));
    ledger->SetAttribute("Budget", DoubleValue(protection.budget));
    ledger->SetAttribute("Momentum", BooleanValue(protection.momentum));
    ledger->SetSampling(sampling);
    ClientRelease& release = *client.GetRule()->GetRelease();
    release.SetNoise(protection.ofClients, place);
    release.SetServerNoise(protection.ofServer, place + 1); // as FederatedHelper numbers learners
    release.SetLedger(ledger, terms);
}

/** Fix the random streams of the noise and tell the server of it. */
int64_t
Finish(const Federation& federation, const Protection& protection, int64_t stream)
{
    if (protection.ofServer)
    {
        SetServerNoise(federation, protection.ofServer);
        return protection.ofServer->AssignStreams(stream);
    }
    return protection.ofClients->AssignStreams(stream);
}

} // namespace

int64_t
ProtectFederation(const Federation& federation,
                  const FedAvgPlan& plan,
                  double budget,
                  int64_t stream)
{
    RequireSize("FedAvgPlan", "samples", plan.samples.size(), federation.clients.size());
    GetReleaseTerms(plan, 0); // refuses a plan that makes no sense
    Protection protection = MakeProtection(*plan.model, {0, plan.noise}, 0);
    protection.delta = plan.delta;
    protection.budget = budget;
    for (size_t k = 0; k < plan.samples.size(); ++k)
    {
        const auto rule = GetClientRule<LocalTraining>(federation, k);
        rule->SetAttribute("ClipNorm", DoubleValue(plan.clip));
        ProtectClient(protection, *federation.clients[k], k, GetReleaseTerms(plan, k), 1);
    }
    return Finish(federation, protection, stream);
}

int64_t
ProtectFederation(const Federation& federation,
                  const std::vector<CafCorPlan>& plans,
                  const CafCorNoiseOptions& options,
                  double budget,
                  int64_t stream)
{
    RequireSize("ProtectFederation", "plans", plans.size(), federation.clients.size());
    const CafCorPlan& first = plans.front();
    CafCorSensitivity(first); // refuses a plan that makes no sense
    const double momentum = GetClientRule<CafCorWorker>(federation, 0)->GetMomentum();
    Protection protection = MakeProtection(*first.model, first.noise, momentum);
    protection.delta = first.delta;
    protection.budget = budget;
    if (protection.ofClients)
    {
        protection.ofClients->SetAttribute("NoiseRecovery", BooleanValue(options.recovery));
        if (options.correlated && first.noise.correlated > 0)
        {
            options.correlated->SetAttribute("Scale", DoubleValue(first.noise.correlated));
            options.correlated->SetWorkers(plans.size());
            protection.ofClients->SetCorrelated(options.correlated);
        }
    }
    for (size_t k = 0; k < plans.size(); ++k)
    {
        const auto rule = GetClientRule<CafCorWorker>(federation, k);
        Require(rule->GetMomentum() == momentum, "all workers must have the same Momentum");
        rule->SetAttribute("ClipNorm", DoubleValue(plans[k].batch > 0 ? 0 : plans[k].clip));
        ProtectClient(protection,
                      *federation.clients[k],
                      k,
                      GetReleaseTerms(plans[k]),
                      CafCorSampling(plans[k]));
        rule->SetLedger(rule->GetRelease()->GetLedger(), plans[k]); // which knows its warnings
    }
    return Finish(federation, protection, stream);
}

} // namespace ns3::dlearn
