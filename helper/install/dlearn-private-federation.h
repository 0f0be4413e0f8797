/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVATE_FEDERATION_H
#define DLEARN_PRIVATE_FEDERATION_H

#include "dlearn-federated-helper.h"

#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-privacy-plans.h"

#include <vector>

/**
 * @file
 * Private federations: gives the clients and the server of a federation the noise and the accounts
 * that a plan tells of. Between FederatedHelper's Create() and Connect():
 *
 * @code
 *   FedAvgPlan plan;
 *   plan.model = CreateObject<LocalDp>(); // or CentralDp
 *   plan.samples = samples;               // of each client
 *   plan.clip = 0.5;
 *   plan.rounds = 100;
 *   plan.delta = 1e-5;
 *   plan.noise = PlanFedAvgNoise(plan, 8); // for an epsilon of 8
 *   ProtectFederation(federation, plan, 8, 500);
 * @endcode
 */

namespace ns3::dlearn
{

/**
 * Make FedAvg private: each client clips its updates to the norm of the plan (attribute ClipNorm of
 * its rule), has a GaussianLedger with the delta of the plan and a budget, and the noise of the
 * plan is added by the clients (LocalDp) or by the rule of the server (CentralDp; its attribute
 * Noise).
 *
 * @param federation of FederatedHelper::Create(); the rules of its clients are LocalTraining
 * @param plan the run, with its noise
 * @param budget epsilon that no client exceeds; 0 for none
 * @param stream first stream number of the noise
 * @return number of streams used
 * @throw std::invalid_argument when the plan makes no sense, or does not fit the federation
 */
int64_t ProtectFederation(const Federation& federation,
                          const FedAvgPlan& plan,
                          double budget,
                          int64_t stream);

/**
 * @ingroup dlearn
 * How the noise of CafCor is made.
 */
struct CafCorNoiseOptions
{
    Ptr<CorrelatedNoise> correlated; //!< how noise is shared, without workers yet; null for none
    bool recovery{false};            //!< whether noise shared with dropouts may be revealed
};

/**
 * Make CafCor private: as above, for clients whose rule is CafCorWorker and a server whose rule is
 * RobustServer. At example level the task clips, and so must have been configured.
 *
 * @param federation of FederatedHelper::Create()
 * @param plans of the workers, in order: they differ in their samples only
 * @param options how the noise is made
 * @param budget epsilon that no worker exceeds; 0 for none
 * @param stream first stream number of the noise
 * @return number of streams used
 * @throw std::invalid_argument when a plan makes no sense, or does not fit the federation
 */
int64_t ProtectFederation(const Federation& federation,
                          const std::vector<CafCorPlan>& plans,
                          const CafCorNoiseOptions& options,
                          double budget,
                          int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_PRIVATE_FEDERATION_H
