/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_EPSILON_H
#define DLEARN_TRACKING_EPSILON_H

#include "dlearn-tracking-scheme.h"

#include "ns3/dlearn-noise-law.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a learner of a planned run of DP-GT is like.
 */
struct PlannedTracker
{
    double sensitivity{2};           //!< C: bound on the distance of two samples' gradients
    double inWeight{1};              //!< sum_j R_ij
    double outWeight{1};             //!< sum_j C_ji, the coefficient of step 5
    uint32_t dimension{1};           //!< d; 1 where C bounds the 1-norm, as in the paper
    double smoothness{0};            //!< L, may be infinite; 0 for Lemma 2 as printed (see
                                     //!< GradientTrackingLedger)
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

#endif // DLEARN_TRACKING_EPSILON_H
