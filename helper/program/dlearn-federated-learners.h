/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_LEARNERS_H
#define DLEARN_FEDERATED_LEARNERS_H

#include "dlearn-federated-privacy.h"
#include "dlearn-run-learners.h"
#include "dlearn-run-spec.h"

#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-device-profiles.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-fltrust-server.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-local-data.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The training data of the clients of a run.
 */
struct FederatedData
{
    std::vector<Ptr<LocalData>> clients; //!< one per client
    std::vector<size_t> shards;   //!< number of samples of each client; empty for fresh samples
    std::vector<Ptr<Task>> tests; //!< on test samples of each client; null or fewer: without any
    SampleIndices heldOut;        //!< these samples, in order
    std::map<LearnerId, SampleIndices> origins; //!< see RunLearners::GetOrigins()
    std::vector<std::vector<uint64_t>> labels;  //!< their samples by label, see CountLabels()
    Ptr<LinearGaussianProblem> problem;         //!< null for data sets
    Ptr<Task> task;                             //!< of all honest data; null for a problem
    ModelVector initialModel;                   //!< w_0
    std::string title;                          //!< description
};

/**
 * @ingroup dlearn
 * @param spec a federation on linear-gaussian data
 * @return data with fresh samples in each round
 */
FederatedData DrawLinearGaussian(const RunSpec& spec);

/**
 * @ingroup dlearn
 * The learners of a run of a server, learner 0, and its clients: FedAvg and related methods, or
 * CafCor, whose last workers are Byzantine.
 */
class FederatedLearners : public RunLearners
{
  public:
    /** @param spec options of the run, of kind FEDERATION */
    explicit FederatedLearners(const RunSpec& spec);

    /** @return the learners, for example to set attributes or connect traces before a run */
    const Federation& GetFederation() const { return m_federation; }

    /** @return the noise and the privacy accounts of the clients */
    const FederatedPrivacy& GetPrivacy() const { return m_privacy; }

    /**
     * The expected model error of undisturbed plain FedAvg: all clients in every round, all
     * messages in time.
     *
     * @return E||w* - w||^2 after each round; empty without a closed form, that is for data other
     *         than linear-gaussian and algorithms other than plain FedAvg
     */
    std::vector<double> GetTheory() const;

    /** @return whether nothing can disturb the run, so that the theory holds */
    bool IsUndisturbed() const;

    NetworkSetup GetNetworkSetup() const override;
    void Install(Network& network) override;

    std::vector<Ptr<LearnerApplication>> GetApplications() const override
    {
        return m_federation.GetLearners();
    }

    std::set<LearnerId> GetColluders() const override;
    void Describe(std::ostream& title) const override;
    void Complete(RunResults& results) const override;

  private:
    std::unique_ptr<ModelEvaluator> DoCreateEvaluator() const override;

    /** @return a shard of a data set for each client */
    FederatedData ShareData(LoadedData loaded);

    /** @return gradient steps of a client in a round; 0: exact minimization */
    uint32_t GetLocalSteps() const;

    /** @return the option step-size, or the default for the task */
    double GetStepSize() const;

    ObjectFactory GetServerRule() const;

    /** @return the rule of edge servers */
    ObjectFactory GetEdgeRule() const;

    ObjectFactory GetClientRule() const;

    ObjectFactory GetSchedule() const;

    void ConfigureSchedule(ServerSchedule& schedule) const;

    /** @return the participants of rounds */
    Participants FindParticipants() const;

    /** @return the policy for the weights of stale updates */
    ObjectFactory GetStaleness(bool synchronous) const;

    /** Set the optimizer of a rule to that of an option, unless it is empty. */
    void GiveOptimizer(LearnerRule& rule, const char* option, const std::string& text) const;

    /** Refuse attributes of the clip of the server's noise, where there is none. */
    void RequireClip(const ServerRule& rule) const;

    void ConfigureServer(FederatedServer& server) const;

    /** Give a server samples that it trusts, and a rule that trains on them as clients do. */
    void GiveRoot(FlTrustServer& server) const;

    /** @return what the account of updates on the air rests on; empty: none */
    std::string DescribeTrust() const;

    /** Let updates add up on the air, if they do. */
    void InstallAir(const Network& network) const;

    void ConfigureEdge(const EdgeServer& edge) const;

    /** Let clients that move change their edge server. */
    void FollowClients(const Network& network);

    void ConfigureClient(FederatedClient& client, LearnerId id) const;

    void ConfigureClientRule(ClientRule& rule) const;

    std::string DescribeSamples() const;

    /**
     * @return a warning that clients with unequal numbers of samples have equal weights, or an
     *         empty text
     */
    std::string DescribeWeights() const;

    /** @return a warning that accounts of samples ignore copies of a sample, or an empty text */
    std::string DescribeCopies() const;

    /** Make the last clients attackers, if the options ask for it. */
    void InstallAttack();

    FederatedData m_data;
    EdgeClients m_edges;          //!< of the option tiers
    std::optional<Graph> m_peers; //!< of the option edge-graph
    FederatedPrivacy m_privacy;
    Federation m_federation;
    std::map<LearnerId, size_t> m_edgeOf; //!< the last one of each client that moves
    uint64_t m_handovers{0};              //!< between edge servers
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_LEARNERS_H
