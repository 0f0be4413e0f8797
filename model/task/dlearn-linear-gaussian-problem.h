/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINEAR_GAUSSIAN_PROBLEM_H
#define DLEARN_LINEAR_GAUSSIAN_PROBLEM_H

#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <deque>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Options of a LinearGaussianProblem.
 */
struct LinearGaussianProblemOptions
{
    uint32_t clients{3};                //!< m, at least 1
    uint32_t dimension{200};            //!< p, at least 1
    uint32_t sparsity{5};               //!< s, non-zero entries of w*, at most p; 0 for all p
    double initialError{1};             //!< D0 = ||w*_0 - w_0||^2, at least 0
    double heterogeneity{0.5};          //!< norm of every gamma_i, at least 0
    std::vector<double> noiseStds{0.7}; //!< sigma_i: one for all clients, or one each
    double drift{0}; //!< root of the mean squared step of w* from a round to the next
};

/**
 * @ingroup dlearn
 * The truth that the clients of a linear regression share, and how far each is from it
 * (Assumption 1 of Ju, Yang, Liu et al., "Can we theoretically quantify the impacts of local
 * updates on the generalization performance of federated learning?", MobiHoc 2024):
 *
 * - w*_0 has s non-zero entries in random places, a random direction and norm 1;
 * - the initial model is w_0 = (1 - sqrt(D0)) w*_0, so that ||w*_0 - w_0||^2 = D0;
 * - client i measures with the truth w*_t - gamma_i, where every gamma_i has the given norm
 *   and they sum to zero: in pairs (g, -g) of a random direction each, the last three of an
 *   odd number at 120 degrees in a random plane;
 * - from a round to the next each non-zero entry of w* moves by N(0, drift^2 / s).
 *
 * Clients are numbered 0 to m-1 here. All numbers but the drift are drawn in Draw(); the truths of
 * later rounds are drawn when they are first needed, in the order of the rounds, whatever the order
 * of the calls (so with drift > 0 from one thread only).
 */
class LinearGaussianProblem : public Object
{
  public:
    static TypeId GetTypeId();
    LinearGaussianProblem();
    ~LinearGaussianProblem() override;

    /**
     * Fix the random streams; must come before Draw().
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Draw the problem; may be called once.
     *
     * @param options what to draw
     * @throw std::invalid_argument naming the option, its value and the rule it breaks; when
     *        gammas that sum to zero do not exist (heterogeneity > 0 with one client, or with
     *        an odd number in one dimension)
     */
    void Draw(const LinearGaussianProblemOptions& options);

    /** @return the options that the problem was drawn with */
    const LinearGaussianProblemOptions& GetOptions() const;

    /** @return w_0, the model that all clients start from */
    const ModelVector& GetInitialModel() const;

    /**
     * @param round t, from 0
     * @return w*_t, the truth that the data of round t follow
     */
    const ModelVector& GetTruth(uint32_t round) const;

    /**
     * @param client from 0
     * @return gamma_i, how far the client's truth is from w*
     */
    const ModelVector& GetGamma(uint32_t client) const;

    /**
     * @param client from 0
     * @return sigma_i, the standard deviation of the noise on the client's targets
     */
    double GetNoiseStd(uint32_t client) const;

    /**
     * @param client from 0
     * @param round t, from 0
     * @return w*_t - gamma_i, the truth of the client
     */
    ModelVector GetClientTruth(uint32_t client, uint32_t round) const;

  private:
    /**
     * @param options what to draw
     * @throw std::invalid_argument naming the option, its value and the rule it breaks
     */
    static void CheckOptions(const LinearGaussianProblemOptions& options);

    /** Draw the gammas. */
    void DrawGammas();

    /** @return a random direction: a vector of norm 1 */
    ModelVector DrawDirection() const;

    /** @throw std::invalid_argument before Draw() */
    void CheckDrawn() const;

    /**
     * @param client number of a client
     * @throw std::invalid_argument before Draw(), or when there is no such client
     */
    void CheckClient(uint32_t client) const;

    LinearGaussianProblemOptions m_options; //!< what was drawn
    ModelVector m_initialModel;             //!< w_0
    std::vector<ModelVector> m_gammas;      //!< gamma_i of each client
    /** w*_t of the rounds so far; a deque, because its references outlive an extension. */
    mutable std::deque<ModelVector> m_truths;
    Ptr<UniformRandomVariable> m_places;      //!< where w* is not 0
    Ptr<NormalRandomVariable> m_values;       //!< direction of w*_0
    Ptr<NormalRandomVariable> m_gammaEntries; //!< directions of the gammas
    Ptr<NormalRandomVariable> m_driftEntries; //!< steps of w*
};

} // namespace ns3::dlearn

#endif // DLEARN_LINEAR_GAUSSIAN_PROBLEM_H
