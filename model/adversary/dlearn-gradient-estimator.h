/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_ESTIMATOR_H
#define DLEARN_GRADIENT_ESTIMATOR_H

#include "dlearn-eavesdropper.h"

#include "ns3/dlearn-graph.h"

#include <map>
#include <optional>
#include <utility>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The steps of LDP-OL, which the attacker knows: lambda_t = stepSize / (t+1)^stepExponent and
 * gamma_t = coupling / (t+1)^couplingExponent, as the attributes of LdpOnline say.
 */
struct LdpOnlineSteps
{
    double stepSize{1};            //!< lambda_0, more than 0
    double stepExponent{0.77};     //!< v
    double coupling{1};            //!< gamma_0
    double couplingExponent{0.65}; //!< u
};

/**
 * @ingroup dlearn
 * What an eavesdropper on LDP-OL (Chen and Wang, "Locally Differentially Private Distributed
 * Online Learning with Guaranteed Optimality", Algorithm 1) learns of the gradients. Learner i
 * does, unless its projection has something to do,
 *
 *   theta_{t+1} = theta_t + sum_j gamma_t w_ij (y_t^j - theta_t) - lambda_t d_t,
 *
 * and of all that only theta_t, theta_{t+1} and d_t are not sent. With y_t = theta_t + zeta_t in
 * the place of theta_t, for t and for t+1,
 *
 *   estimate = (y_t + sum_j gamma_t w_ij (y_t^j - y_t) - y_{t+1}) / lambda_t
 *            = d_t + ((1 - gamma_t w_i) zeta_t - zeta_{t+1}) / lambda_t,   w_i = sum_j w_ij.
 *
 * The noise of the neighbours cancels: the learner used what they sent. What remains is the noise
 * of two messages of the learner itself, divided by a step that decays: with Laplace noise of
 * scale rho_t every entry has variance 2 ((1 - gamma_t w_i)^2 rho_t^2 + rho_{t+1}^2) / lambda_t^2.
 * So the first rounds tell most. d_t is the mean over all samples so far, with regularization:
 * in round 0 that over the first batch alone.
 *
 * The attacker knows graph, weights and steps, and takes it that what it heard of a neighbour, the
 * learner received. Where that was not so the estimate is off by gamma_t w_ij (y_t^j - theta_t) /
 * lambda_t. Vectors that claim another sender are believed.
 */
class GradientEstimator
{
  public:
    /**
     * @param graph who mixes whose vectors with which weight
     * @param steps of all learners
     * @param rounds how many, from 0 on, to estimate gradients of; at least 1
     */
    GradientEstimator(Graph graph, const LdpOnlineSteps& steps, uint32_t rounds);

    /**
     * Take in what an Eavesdropper heard; can be connected to its trace source Overheard. Vectors
     * of later rounds and other channels are left out, of what is heard twice the first counts.
     *
     * @param overheard a vector
     */
    void Note(const Overheard& overheard);

    /**
     * @param learner i
     * @param round t, less than the number of rounds
     * @return the estimate of d_t; nothing when a vector is missing that it needs
     * @throw std::invalid_argument for a learner or round out of range
     */
    std::optional<ModelVector> Estimate(LearnerId learner, uint32_t round) const;

    /**
     * @param learner i
     * @param round t
     * @return y_t, which stands in for theta_t; null when it was not overheard
     */
    const ModelVector* FindModel(LearnerId learner, uint32_t round) const;

    /**
     * @param learner i
     * @param round t
     * @param scale rho_t, scale of its Laplace noise in this round
     * @param next rho_{t+1}
     * @return standard deviation of every entry of the estimate
     */
    double GetDeviation(LearnerId learner, uint32_t round, double scale, double next) const;

  private:
    /** @throw std::invalid_argument for a learner or round that there is not */
    void CheckRange(LearnerId learner, uint32_t round) const;

    /** @return step size of the learners in a round */
    double GetStepSize(uint32_t round) const;

    /** @return coupling of the learners in a round */
    double GetCoupling(uint32_t round) const;

    Graph m_graph;                                                   //!< which learner hears which
    LdpOnlineSteps m_steps;                                          //!< of all learners
    uint32_t m_rounds;                                               //!< how many
    std::map<std::pair<LearnerId, uint32_t>, ModelVector> m_vectors; //!< y, by sender and round
};

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_ESTIMATOR_H
