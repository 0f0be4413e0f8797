/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDAVG_PRIVACY_H
#define DLEARN_FEDAVG_PRIVACY_H

#include "dlearn-release-terms.h"

#include "ns3/dlearn-types.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * The privacy cost of a planned run of FedAvg with clipped updates and Gaussian noise, and the
 * noise that meets a target.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The parameters of a planned run of FedAvg that determine its privacy. Each client clips its
 * update to norm C; with LocalDp it adds noise of standard deviation s to the update, with
 * CentralDp the trusted server adds it to the weighted mean.
 *
 * The unit of privacy is all data of a client: neighbours differ in the data of one client, which
 * others replace, and agree in their number, which is public, as is the participation of clients.
 * Thus an update moves by at most 2C, and the mean by at most 2C w_i, w_i the weight of the
 * client's update. Rounds compose as Gaussian releases, exactly (rates of adaptive Gaussian
 * releases add up):
 *
 *   ldp: e = (2C)^2 / (2 s^2) for each update that is sent,
 *   cdp: e = (2C w_i)^2 / (2 s^2) for each model that holds an update of the client.
 *
 * There is no amplification by the sampling of clients: an observer of the messages, or of the
 * models, is assumed to know which clients took part. A plan counts every client in every round,
 * or, where groups say who takes part, in the rounds of its groups.
 */
struct FedAvgPlan
{
    Ptr<const ThreatModel> model;  //!< who is curious: LocalDp or CentralDp
    std::vector<uint32_t> samples; //!< n_i, with which the server weighs the update of each client;
                                   //!< ones for a plain mean
    std::vector<std::vector<LearnerId>> groups; //!< clients of each round, numbered from 1,
                                                //!< repeated when they end; empty: any may come
    uint32_t participants{0};                   //!< fewest updates of a round; 0 for all
    double clip{1};                             //!< C
    uint32_t rounds{100};                       //!< T
    double delta{1e-5};                         //!< of every epsilon
    double noise{0};                            //!< s
};

/**
 * @param plan the run
 * @param client its place in the plan's samples
 * @return largest weight w_i of its update among the fewest clients of a round:
 *         n_i / (n_i + sum of the smallest n_j of the others); 0 if it never takes part
 * @throw std::invalid_argument when the plan makes no sense, or there is no such client
 */
double FedAvgWeight(const FedAvgPlan& plan, size_t client);

/**
 * The unit of noise of the literature: z = 1 is noise whose standard deviation is the largest norm
 * that one client adds to what is released. For a mean of m clients of the same weight that is
 * C/m, so z is the standard deviation on the sum of their updates over C; with LocalDp it is C. A
 * round then costs at most e = 2 / z^2.
 *
 * @param plan the run; its noise does not count
 * @return the noise s for z = 1
 * @throw std::invalid_argument when the plan makes no sense
 */
double FedAvgNoiseUnit(const FedAvgPlan& plan);

/**
 * @param plan the run
 * @param client its place in the plan's samples
 * @return what the client's account has to know
 * @throw std::invalid_argument as FedAvgWeight()
 */
ReleaseTerms GetReleaseTerms(const FedAvgPlan& plan, size_t client);

/**
 * @param plan the run
 * @return what the client spends that spends most; infinity without noise
 * @throw std::invalid_argument when the plan makes no sense
 */
double PlanFedAvgEpsilon(const FedAvgPlan& plan);

/**
 * @param plan the run; its noise does not count
 * @param target epsilon, finite and greater than 0
 * @return the least noise s for which no client spends more than the target
 * @throw std::invalid_argument when the plan makes no sense
 */
double PlanFedAvgNoise(const FedAvgPlan& plan, double target);

} // namespace ns3::dlearn

#endif // DLEARN_FEDAVG_PRIVACY_H
