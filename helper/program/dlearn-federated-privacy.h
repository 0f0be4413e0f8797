/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_PRIVACY_H
#define DLEARN_FEDERATED_PRIVACY_H

#include "dlearn-run-spec.h"

#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-privacy-plans.h"
#include "ns3/dlearn-run-results.h"
#include "ns3/dlearn-threat-model.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/** @return the help of --threat-model, without its value `none` */
std::string GetThreatModelHelp();

/** @return what --view means, for --help */
std::string GetViewHelp();

/**
 * Which parties the workers of CafCor do not trust, as a user of a program writes it.
 *
 * @param name of --threat-model: cdp (CentralDp), ldp (LocalDp), secldp (SecretLocalDp) or byzldp
 *        (ByzantineLocalDp)
 * @param view of --view: transcript; or lemma, where secldp and byzldp are those of the paper's
 *        figures (LemmaLocalDp). The others are the same in both
 * @param byzantine f, all of which collude in byzldp
 * @param colluding q, the Byzantine workers that collude in secldp
 * @return the threat model
 * @throw std::invalid_argument naming the option, its value and what it may be
 */
Ptr<const ThreatModel> ParseThreatModel(const std::string& name,
                                        const std::string& view,
                                        uint32_t byzantine,
                                        uint32_t colluding = 0);

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
     * @param clients what the clients learn from
     * @param shards samples that each client has; empty for fresh ones
     * @param participants who takes part in rounds
     */
    FederatedPrivacy(const RunSpec& spec,
                     const std::vector<Ptr<LocalData>>& clients,
                     const std::vector<size_t>& shards,
                     Participants participants);

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
    CafCorPlan GetCafCorPlan(size_t samples) const;

    /** @return what the clients' accounts assume */
    FedAvgPlan GetFedAvgPlan() const;

    /** @return samples of the client that has the fewest */
    size_t GetFewest() const;

    /** @return rounds that a worker of CafCor pays for, at most */
    uint32_t CountPaidRounds() const;

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
