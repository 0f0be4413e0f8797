/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_PRIVACY_H
#define DLEARN_FEDERATED_PRIVACY_H

#include "dlearn-run-spec.h"

#include "ns3/dlearn-cafcor-privacy.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-privacy-constants.h"
#include "ns3/dlearn-robust-server.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The privacy of a federation: the noise that meets a target, on the clients or on a trusted
 * server, and an account for each client.
 */
class FederatedPrivacy
{
  public:
    /**
     * @param spec what to run; must outlive this
     * @param shards samples that each client has; empty for fresh ones
     */
    FederatedPrivacy(const RunSpec& spec, std::vector<size_t> shards);

    /** @param federation gets noise and accounts; its rules are there, but not set up */
    void Install(const Federation& federation) const;

    /** @return the noise of each client, or of the server */
    const NoiseScales& GetNoiseScales() const;

    /** @return what the run will spend, if nothing is lost; infinite without noise */
    const CafCorEpsilon& GetPlannedEpsilon() const;

    /** @return everything that an audit needs to know of the accounts */
    PrivacyConstants Describe() const;

  private:
    size_t GetFewest() const;
    CafCorPlan GetPlan(size_t samples) const;
    Ptr<WorkerNoise> CreateWorkerNoise() const;
    Ptr<ServerNoise> CreateServerNoise() const;
    void SetLedger(CafCorWorker& rule, size_t samples) const;

    const RunSpec& m_spec;           //!< what to run
    std::vector<size_t> m_shards;    //!< samples that each client has
    Ptr<const ThreatModel> m_threat; //!< who is curious; null for none
    NoiseScales m_noise;             //!< of each client, or of the server
    CafCorEpsilon m_epsilon;         //!< planned
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_PRIVACY_H
