/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_CONDITIONS_H
#define DLEARN_TRACKING_CONDITIONS_H

#include "dlearn-tracking-plan.h"

#include "ns3/dlearn-graph.h"

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

/**
 * @file
 * What the theory of DP-GT looks at (Chen, Wang and Zhang, "Differentially Private
 * Gradient-Tracking-Based Distributed Stochastic Optimization over Directed Graphs"), as far as
 * it can be computed.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What one learner knows of the conditions.
 */
struct LearnerTracking
{
    double alpha{0};     //!< alpha_K
    double beta{0};      //!< beta_K
    double inWeight{0};  //!< sum_j R_ij
    double outWeight{0}; //!< sum_j C_ji: that of step 5, which the paper prints as sum_j C_ij
};

/**
 * @ingroup dlearn
 * @param learner what it knows
 * @return the conditions that it violates, each with its name in the paper and the values
 */
std::vector<std::string> FindViolations(const LearnerTracking& learner);

/**
 * @ingroup dlearn
 * What the conditions on a whole run need.
 */
struct TrackingNetwork
{
    Graph states{1};      //!< R
    Graph trackers{1};    //!< C
    double smoothness{0}; //!< L of Assumption 2; 0 when not known
    double curvature{0};  //!< mu of Assumption 3 (Polyak-Lojasiewicz); 0 when not known
};

/**
 * @ingroup dlearn
 * Numbers of Lemma 1 and Assumption 5. rho of a matrix is its spectral radius.
 */
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
 * @return the numbers; nothing when the null vectors are not unique, which Assumption 1 grants
 */
std::optional<TrackingSpectrum> FindSpectrum(const Graph& states,
                                             const Graph& trackers,
                                             double alpha,
                                             double beta);

/**
 * @ingroup dlearn
 * Assumption 4 and Theorem 4, for scheme (S1). The constants a1, a2, a3 are those that give the
 * steps of the plan.
 *
 * @param scheme its exponents
 * @param plan its steps
 * @param network graphs and constants of the task
 * @return conditions that do not hold, or cannot be checked, with names and values
 */
std::vector<std::string> FindAssumption4Violations(const SchemeS1Constants& scheme,
                                                   const TrackingPlan& plan,
                                                   const TrackingNetwork& network);

/**
 * @ingroup dlearn
 * Assumption 5 and Theorem 5, for scheme (S2).
 *
 * @param scheme its bases
 * @param plan its steps
 * @param network graphs and constants of the task
 * @return conditions that do not hold, or cannot be checked, with names and values
 */
std::vector<std::string> FindAssumption5Violations(const SchemeS2Constants& scheme,
                                                   const TrackingPlan& plan,
                                                   const TrackingNetwork& network);

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_CONDITIONS_H
