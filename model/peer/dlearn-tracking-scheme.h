/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_SCHEME_H
#define DLEARN_TRACKING_SCHEME_H

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-noise-mechanism.h"

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/**
 * @file
 * The computable conditions of the theory of DP-GT (Chen, Wang and Zhang, "Differentially Private
 * Gradient-Tracking-Based Distributed Stochastic Optimization over Directed Graphs").
 */

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  Scale of a noise by round: sigma_k = base (k+1)^exponent. */
struct TrackingNoise
{
    double base{1};     //!< sigma_0
    double exponent{0}; //!< of (k+1)
};

/** @ingroup dlearn
 *  The constants of a scheme for a planned number of rounds; all but the noise stays the same. */
struct TrackingPlan
{
    uint32_t rounds{0};    //!< K, planned number of rounds
    double alpha{0};       //!< alpha_K, coupling of the states
    double beta{0};        //!< beta_K, coupling of the trackers
    double gamma{0};       //!< gamma_K, step along the tracker
    uint32_t samples{1};   //!< m_K, different samples of a gradient
    TrackingNoise state;   //!< sigma_k^zeta
    TrackingNoise tracker; //!< sigma_k^eta
};

/** @ingroup dlearn
 *  The part of the conditions that one learner knows. */
struct LearnerTracking
{
    double alpha{0};     //!< alpha_K
    double beta{0};      //!< beta_K
    double inWeight{0};  //!< sum_j R_ij
    double outWeight{0}; //!< sum_j C_ji: that of step 5, which the paper prints as sum_j C_ij
};

/** @return the conditions that a learner violates, with their names in the paper and the values */
std::vector<std::string> FindViolations(const LearnerTracking& learner);

/** @ingroup dlearn
 *  The input of the conditions on a whole run. */
struct TrackingNetwork
{
    Graph states{1};      //!< R
    Graph trackers{1};    //!< C
    double smoothness{0}; //!< L of Assumption 2; 0: unknown
    double curvature{0};  //!< mu of Assumption 3 (Polyak-Lojasiewicz); 0: unknown
};

/** @ingroup dlearn
 *  Numbers of Lemma 1 and Assumption 5. rho of a matrix is its spectral radius. */
struct TrackingSpectrum
{
    Eigen::VectorXd v1; //!< left null vector of L_1, entries sum to n
    Eigen::VectorXd v2; //!< right null vector of L_2, entries sum to n
    double rate1{0};    //!< r_L1: 1 - alpha r_L1 is rho of I - alpha L_1 - 1 v1^T / n
    double rate2{0};    //!< r_L2: 1 - beta r_L2 is rho of I - beta L_2 - v2 1^T / n
    double radius1{0};  //!< rho of L_1
    double overlap{0};  //!< v1^T v2
};

/**
 * @ingroup dlearn
 * @param states R
 * @param trackers C, as many learners
 * @param alpha alpha_K
 * @param beta beta_K
 * @return the numbers; nothing when the null vectors are not unique, against Assumption 1
 */
std::optional<TrackingSpectrum> FindSpectrum(const Graph& states,
                                             const Graph& trackers,
                                             double alpha,
                                             double beta);

/** @ingroup dlearn
 *  How DP-GT (GradientTracking) chooses its constants from the planned number of rounds K. */
class TrackingScheme
{
  public:
    virtual ~TrackingScheme() = default;

    /**
     * @param rounds K
     * @return the constants
     * @throw std::invalid_argument when a parameter is out of its range, or m_K beyond 2^32 - 1
     */
    virtual TrackingPlan GetPlan(uint32_t rounds) const = 0;

    /**
     * @param plan of GetPlan(), or changed by hand
     * @param network graphs and constants of the task
     * @return conditions that do not hold, or cannot be checked, with their names in the paper and
     *         values
     */
    virtual std::vector<std::string> FindViolations(const TrackingPlan& plan,
                                                    const TrackingNetwork& network) const = 0;
};

/**
 * @ingroup dlearn
 * Scheme (S1) of Chen, Wang and Zhang, section 3.2: polynomially small steps, polynomially many
 * samples, noise that may grow:
 *
 *   alpha = a1/(K+1)^pAlpha, beta = a2/(K+1)^pBeta, gamma = a3/(K+1)^pGamma,
 *   m_K = floor(a4 K^pSamples) + 1, sigma_k = (k+1)^p.
 *
 * The defaults are those of section 4.1 (with K = 2000: alpha 0.04, beta 0.005, gamma 0.05, 53
 * samples). Violations are those of Assumption 4 and Theorem 4, where a1, a2 and a3 are the
 * constants that give the steps of the plan.
 */
struct SchemeS1 : public TrackingScheme
{
    TrackingPlan GetPlan(uint32_t rounds) const override;
    std::vector<std::string> FindViolations(const TrackingPlan& plan,
                                            const TrackingNetwork& network) const override;

    double a1{72};         //!< of alpha
    double a2{0.95};       //!< of beta
    double a3{98};         //!< of gamma
    double a4{0.00007};    //!< of the samples
    double pAlpha{0.987};  //!< exponent of alpha
    double pBeta{0.69};    //!< exponent of beta
    double pGamma{0.997};  //!< exponent of gamma
    double pSamples{1.78}; //!< exponent of the samples, p_m
    double pState{0.1};    //!< exponent of the state's noise, p_zeta
    double pTracker{0.1};  //!< exponent of the tracker's noise, p_eta
};

/**
 * @ingroup dlearn
 * Scheme (S2) of the same section: constant steps, exponentially many samples, noise that is the
 * same in all rounds of a run:
 *
 *   m_K = floor(pSamples^K) + 1, sigma_k = p^K.
 *
 * The defaults are those of section 4.1 (with K = 2000: 55 samples). Violations are those of
 * Assumption 5 and Theorem 5.
 */
struct SchemeS2 : public TrackingScheme
{
    TrackingPlan GetPlan(uint32_t rounds) const override;
    std::vector<std::string> FindViolations(const TrackingPlan& plan,
                                            const TrackingNetwork& network) const override;

    double alpha{0.1};       //!< alpha
    double beta{0.01};       //!< beta
    double gamma{0.1};       //!< gamma
    double pSamples{1.002};  //!< base of the samples, p_m
    double pState{0.9996};   //!< base of the state's noise, p_zeta
    double pTracker{0.9996}; //!< base of the tracker's noise, p_eta
};

/**
 * @ingroup dlearn
 * Constants that do not depend on K, and noise sigma_k = (k+1)^p. No theorem of the paper covers
 * it.
 */
struct FreeScheme : public TrackingScheme
{
    TrackingPlan GetPlan(uint32_t rounds) const override;
    std::vector<std::string> FindViolations(const TrackingPlan& plan,
                                            const TrackingNetwork& network) const override;

    double alpha{0.5};    //!< alpha
    double beta{0.5};     //!< beta
    double gamma{0.05};   //!< gamma
    uint32_t samples{1};  //!< m
    double pState{0.1};   //!< exponent of the state's noise
    double pTracker{0.1}; //!< exponent of the tracker's noise
};

/** @ingroup dlearn
 *  The user's values; the others are the scheme's. */
struct TrackingChoice
{
    std::string scheme{"s1"};         //!< s1, s2 or free
    double alpha{0};                  //!< alpha_K; 0: the scheme's
    double beta{0};                   //!< beta_K; 0: the scheme's
    double gamma{0};                  //!< gamma_K; 0: the scheme's
    int64_t samples{0};               //!< m_K; 0: the scheme's
    std::string stateNoiseExponent;   //!< p_zeta as text; empty: the scheme's
    std::string trackerNoiseExponent; //!< p_eta as text; empty: the scheme's

    /** @return the scheme; @throw std::invalid_argument naming the option and its value */
    std::unique_ptr<TrackingScheme> MakeScheme() const;

    /**
     * @param rounds K
     * @return the constants of the scheme, replaced by the user's values
     * @throw std::invalid_argument naming the option and its value
     */
    TrackingPlan GetPlan(uint32_t rounds) const;
};

/** @ingroup dlearn
 *  A learner of a planned run of DP-GT. */
struct PlannedTracker
{
    double sensitivity{2};           //!< C: bound on the distance of two samples' gradients
    double inWeight{1};              //!< sum_j R_ij
    double outWeight{1};             //!< sum_j C_ji, the coefficient of step 5
    uint32_t dimension{1};           //!< d; 1 where C bounds the 1-norm, as in the paper
    double smoothness{0};            //!< L, may be infinite; 0: Lemma 2 as printed
    double regularization{0};        //!< L of the regularization alone
    NoiseLaw law{NoiseLaw::LAPLACE}; //!< of the noise on states and trackers
    double delta{1e-4};              //!< of epsilon, unless the noise is of Laplace's law
};

/**
 * @ingroup dlearn
 * The epsilon that a learner spends in rounds 0 to K of a run without loss: Lemma 3, accounted for
 * by a GradientTrackingLedger in the same way as GradientTracking does.
 *
 * @param plan K, steps, samples, noise
 * @param learner the learner
 * @return epsilon
 * @throw std::invalid_argument when a number is out of its range
 */
double PlanTrackingEpsilon(const TrackingPlan& plan, const PlannedTracker& learner);

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_SCHEME_H
