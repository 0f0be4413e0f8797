/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_PRIVACY_H
#define DLEARN_FEDERATED_PRIVACY_H

#include "dlearn-federated-data.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-privacy-constants.h"
#include "ns3/dlearn-privacy-plans.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Who takes part in the rounds of a server.
 */
struct Participants
{
    uint32_t fewest{0};                         //!< updates of a round, at least; 0 for all
    std::vector<std::vector<LearnerId>> groups; //!< see FedAvgPlan
};

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
     * @param data what the clients learn from
     * @param participants who takes part in rounds
     */
    FederatedPrivacy(const RunSpec& spec, const FederatedData& data, Participants participants);

    /** @param federation gets noise and accounts; its rules are there, but not set up */
    void Install(const Federation& federation) const;

    /** @return the noise of each client, or of the server */
    const NoiseScales& GetNoiseScales() const { return m_noise; }

    /** @return noise of FedAvg in the unit of the literature, see FedAvgNoiseUnit() */
    double GetNoiseMultiplier() const;

    /** @return what the run will spend, if nothing is lost; infinite without noise */
    double GetPlannedEpsilon() const { return m_epsilon; }

    /** @return the epsilon that no client should exceed: the option's, or what is planned */
    double GetTargetEpsilon() const
    {
        return m_spec.noiseMultiplier > 0 ? m_epsilon : m_spec.targetEpsilon;
    }

    /** @return everything that an audit needs to know of the accounts */
    PrivacyConstants Describe() const;

  private:
    /**
     * @param samples of a worker
     * @return what its account assumes
     */
    CafCorPlan GetCafCorPlan(size_t samples) const;

    /** @return what the clients' accounts assume */
    FedAvgPlan GetFedAvgPlan() const;

    /** @return samples of the client that has the fewest */
    size_t GetFewest() const;

    /** @return rounds that a worker of CafCor pays for, at most */
    uint32_t CountPaidRounds() const;

    /** @param constants get sensitivity and sampling of each worker's account */
    void DescribeCafCor(PrivacyConstants& constants) const;

    const RunSpec& m_spec;           //!< what to run
    Participants m_participants;     //!< of rounds
    std::vector<size_t> m_shards;    //!< samples that each client has; empty for fresh ones
    std::vector<uint32_t> m_samples; //!< of a round of each client
    Ptr<const ThreatModel> m_threat; //!< who is curious; null for none
    NoiseScales m_noise;             //!< of each client, or of the server
    double m_epsilon;                //!< planned
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_PRIVACY_H
