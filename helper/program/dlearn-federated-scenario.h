/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_SCENARIO_H
#define DLEARN_FEDERATED_SCENARIO_H

#include "dlearn-federated-options.h"
#include "dlearn-scenario.h"

#include "ns3/dlearn-device-profiles.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-linear-gaussian-problem.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run of a server and its clients.
 *
 * @code
 *   FederatedOptions options("my-study");
 *   options.network = "tree:32";
 *   FederatedScenario scenario(options);
 *   RunResults results = scenario.Run(std::cout);
 *   WriteResults(options.out, results);
 * @endcode
 */
class FederatedScenario : public Scenario
{
  public:
    /** @param options what to run */
    explicit FederatedScenario(const FederatedOptions& options);

    /** @return the learners, to set or trace more before Run() */
    const Federation& GetFederation() const;

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

    const ScenarioOptions& GetOptions() const override;

  protected:
    void PrintTitle(std::ostream& table) const override;
    void Complete(RunResults& results) const override;

  private:
    std::unique_ptr<ModelEvaluator> CreateLinearGaussian();
    std::unique_ptr<ModelEvaluator> CreateShards();
    void CreateDevices();
    void CreateFederation();
    void ConfigureServer(FederatedServer& server) const;
    void ConfigureSynchronous(SynchronousSchedule& schedule) const;
    void ConfigureStaleness(FederatedServer& server) const;
    void ConfigureClient(FederatedClient& client, LearnerId id) const;

    FederatedOptions m_options;           //!< what to run
    std::string m_title;                  //!< of the data
    Ptr<LinearGaussianProblem> m_problem; //!< the truth; null for a data set
    std::vector<Ptr<LocalData>> m_data;   //!< of each client
    ModelVector m_initialModel;           //!< w_0
    std::vector<DeviceProfile> m_devices; //!< of each learner; empty when all are alike
    Federation m_federation;              //!< the learners
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_SCENARIO_H
