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
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-local-data.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the clients of a run learn from.
 */
struct FederatedData
{
    std::vector<Ptr<LocalData>> clients; //!< one a client
    std::vector<size_t> shards;          //!< samples that each client has; empty for fresh ones
    std::map<LearnerId, SampleIndices> origins; //!< see RunLearners::GetOrigins()
    std::vector<std::vector<uint64_t>> labels;  //!< of these by label, see CountLabels()
    Ptr<LinearGaussianProblem> problem;         //!< null for data sets
    Ptr<Task> task;                             //!< of all honest data; null for a problem
    ModelVector initialModel;                   //!< w_0
    std::string title;                          //!< says what it is
};

/**
 * @ingroup dlearn
 * @param spec a federation on linear-gaussian data
 * @return fresh samples in each round
 */
FederatedData DrawLinearGaussian(const RunSpec& spec);

/**
 * @ingroup dlearn
 * The learners of a run of a server, learner 0, and its clients: FedAvg and its kin, or CafCor,
 * whose Byzantine workers are the last.
 */
class FederatedLearners : public RunLearners
{
  public:
    /** @param spec what to run, of kind FEDERATION */
    explicit FederatedLearners(const RunSpec& spec);

    /** @return the learners, to set or trace more before a run */
    const Federation& GetFederation() const { return m_federation; }

    /** @return noise and accounts of the clients */
    const FederatedPrivacy& GetPrivacy() const { return m_privacy; }

    /**
     * The expected model error of plain FedAvg that nothing disturbs: all clients in every
     * round, all messages in time.
     *
     * @return E||w* - w||^2 after each round; empty when no closed form is known, because the
     *         data are not linear-gaussian or the algorithm is not plain FedAvg
     */
    std::vector<double> GetTheory() const;

    /** @return whether nothing can disturb the run, so that theory holds for it */
    bool IsUndisturbed() const;

    NetworkSetup GetNetworkSetup() const override;
    void Install(Network& network) override;

    std::vector<Ptr<LearnerApplication>> GetApplications() const override
    {
        return m_federation.GetLearners();
    }

    std::set<LearnerId> GetColluders() const override;
    std::unique_ptr<ModelEvaluator> CreateEvaluator() const override;
    void Describe(std::ostream& title) const override;
    void Complete(RunResults& results) const override;

  private:
    /** @return a shard of a data set for each client */
    FederatedData ShareData(const LoadedData& loaded) const;

    /** @return gradient steps of a client in a round; 0: exact minimum */
    uint32_t GetLocalSteps() const;

    /** @return the option step-size, or what suits the task */
    double GetStepSize() const;

    /** @return the type of the server's rule */
    ObjectFactory GetServerRule() const;

    /** @return the type of the clients' rule */
    ObjectFactory GetClientRule() const;

    /** @return which clients train when */
    ObjectFactory GetSchedule() const;

    void ConfigureSchedule(ServerSchedule& schedule) const;

    /** @return who takes part in rounds */
    Participants FindParticipants() const;

    /** @return the weight of updates of old models */
    ObjectFactory GetStaleness() const;

    /** @param rule gets the optimizer that an option describes, unless it is empty */
    void GiveOptimizer(LearnerRule& rule, const char* option, const std::string& text) const;

    void ConfigureServer(FederatedServer& server) const;

    void ConfigureClient(FederatedClient& client, LearnerId id) const;

    std::string DescribeSamples() const;

    /** @return a warning that clients of unequal size count alike; empty when there is none */
    std::string DescribeWeights() const;

    /** @return a warning when the account of a sample does not know of its copies, or nothing */
    std::string DescribeCopies() const;

    /** Make the last clients attackers, if an option says so. */
    void InstallAttack();

    LearnerAttack m_attack;     //!< what the Byzantine clients do
    FederatedData m_data;       //!< what the clients learn from
    FederatedPrivacy m_privacy; //!< noise and accounts
    Federation m_federation;    //!< the learners
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_LEARNERS_H
