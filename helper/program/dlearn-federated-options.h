/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_OPTIONS_H
#define DLEARN_FEDERATED_OPTIONS_H

#include "dlearn-scenario-options.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The options of programs for a server and its clients. The server is learner 0, the clients
 * are learners 1, 2, ...
 */
struct FederatedOptions : ScenarioOptions
{
    /** @param program name of the program, for results/PROGRAM */
    explicit FederatedOptions(std::string program);

    void Validate() const override;

    /** @return whether data are those of a LinearGaussianProblem */
    bool IsLinearGaussian() const;

    /** @return K; 0 for infinity */
    uint32_t GetLocalSteps() const;

    /** @return sigma of all clients, or of each */
    std::vector<double> GetNoiseStds() const;

    uint32_t runs{1};            //!< independent runs
    uint32_t clients{3};         //!< m
    uint32_t samples{50};        //!< n, samples of a client and round
    std::string localSteps{"1"}; //!< K, or inf
    double stepSize{0.05};       //!< alpha
    double proximal{0};          //!< FedProx's mu

    uint32_t dimension{200};     //!< p, linear-gaussian
    std::string noiseStd{"0.7"}; //!< sigma, linear-gaussian; or one a client
    double heterogeneity{0.5};   //!< norm of every gamma_i, linear-gaussian
    double initialError{1};      //!< ||w* - w_0||^2, linear-gaussian
    uint32_t sparsity{5};        //!< non-zero entries of w*, linear-gaussian; 0 for all
    double drift{0};             //!< root mean squared step of w* a round, linear-gaussian

    std::string mode{"sync"};           //!< sync, async or buffered
    double sampleFraction{1};           //!< share of the clients in a round, sync
    uint32_t sampleCount{0};            //!< number of them; 0 to go by the share
    std::string samplePlan;             //!< see ScheduledSampling; empty for none
    uint32_t bufferSize{10};            //!< updates that make a model, buffered
    uint32_t concurrency{0};            //!< clients at work, async and buffered; 0 for all
    std::string staleness{"auto"};      //!< discard, constant, polynomial:A or hinge:B:A
    double mixing{0.6};                 //!< FedAsync's a, async
    double serverRate{1};               //!< server learning rate, sync and buffered
    double momentum{0};                 //!< server momentum, sync and buffered
    std::string responseTimeout{"30s"}; //!< longest wait for an answer

    std::string compressModel{"none"}; //!< of the server's model
    std::string devices;               //!< CSV of unequal devices; empty for none
    std::string clientRate;            //!< distribution, see DeviceDistributions
    std::string clientDelay;           //!< distribution
    std::string clientLoss;            //!< distribution
    std::string clientFlops;           //!< distribution

  protected:
    std::vector<ScenarioOption> List() override;
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_OPTIONS_H
