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

/** @return the help of --view */
std::string GetViewHelp();

/** @return the help of --adjacency */
std::string GetAdjacencyHelp();

/** @return the adjacency of a name: replace or add-remove */
Adjacency ParseAdjacency(const std::string& name);

/**
 * @param threatModel value of --threat-model
 * @param counted whether the mean number of clients of a round is given, and less than all
 * @throw std::invalid_argument when secret sampling does not hide who takes part
 */
void RequireSecretSampling(const std::string& threatModel, bool counted);

/**
 * Parse the threat model: the parties that a worker does not trust.
 *
 * @param name value of --threat-model: cdp (CentralDp), ldp (LocalDp), secldp (SecretLocalDp),
 *        byzldp (ByzantineLocalDp), or air or air-sum (AirDp, with and without ReceiverNoise)
 * @param view value of --view: transcript, or lemma, with which secldp and byzldp are those of the
 *        paper's figures (LemmaLocalDp); cdp and ldp are the same
 * @param byzantine f, all of which collude in byzldp
 * @param colluding q, the Byzantine workers that collude in secldp
 * @return the threat model
 * @throw std::invalid_argument naming the option, its value and the possible values
 */
Ptr<const ThreatModel> ParseThreatModel(const std::string& name,
                                        const std::string& view,
                                        uint32_t byzantine,
                                        uint32_t colluding = 0);

/**
 * @ingroup dlearn
 * The participants of the rounds of a server.
 */
struct Participants
{
    uint32_t fewest{0};                         //!< least number of updates in a round; 0: all
    double share{1};                            //!< of the clients, in a round
    std::vector<std::vector<LearnerId>> groups; //!< see FedAvgPlan
    Ptr<const ServerRule> rule;                 //!< gives updates their weights
};

/**
 * @ingroup dlearn
 * The privacy of a federation: the noise that achieves a target epsilon, added by the clients or by
 * a trusted server, and an account for each client.
 */
class FederatedPrivacy
{
  public:
    /**
     * @param spec options of the run; must outlive this
     * @param clients training data of the clients
     * @param shards number of samples of each client; empty for fresh samples
     * @param participants participants of the rounds
     */
    FederatedPrivacy(const RunSpec& spec,
                     const std::vector<Ptr<LocalData>>& clients,
                     const std::vector<size_t>& shards,
                     Participants participants);

    /** @param federation gets noise and accounts; has rules, which are not initialized yet */
    void Install(const Federation& federation) const;

    /** @return the noise of each client, or of the server */
    const NoiseScales& GetNoiseScales() const { return m_noise; }

    /** @return the noise multiplier of FedAvg as in the literature, see FedAvgNoiseUnit() */
    double GetNoiseMultiplier() const;

    /** @return the epsilon of the run without message loss; infinite without noise */
    double GetPlannedEpsilon() const { return m_epsilon; }

    /**
     * @return the epsilon that no client should exceed: that of the option or, with the option
     *         noise-multiplier, the planned one
     */
    double GetTargetEpsilon() const
    {
        return m_spec.noiseMultiplier > 0 ? m_epsilon : m_spec.targetEpsilon;
    }

    /** @return the constants of the accounts, for an audit */
    PrivacyConstants Describe() const;

  private:
    CafCorPlan GetCafCorPlan(size_t samples) const;

    /** @return the assumptions of the clients' accounts */
    FedAvgPlan GetFedAvgPlan() const;

    /** @return the least number of samples of a client */
    size_t GetFewest() const;

    /** @return the largest number of rounds for which a CafCor worker pays */
    uint32_t CountPaidRounds() const;

    void DescribeCafCor(PrivacyConstants& constants) const;

    const RunSpec& m_spec;
    Participants m_participants;
    std::vector<size_t> m_shards;    //!< of each client; empty for fresh samples
    std::vector<uint32_t> m_samples; //!< per round, of each client
    Ptr<const ThreatModel> m_threat; //!< may be null
    NoiseScales m_noise;             //!< of each client, or of the server
    double m_epsilon;                //!< planned
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_PRIVACY_H
