/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LDP_ONLINE_PLAN_H
#define DLEARN_LDP_ONLINE_PLAN_H

#include "dlearn-noise-law.h"

#include "ns3/type-id.h"

#include <cstdint>

/**
 * @file
 * The privacy cost of a planned run of LDP-OL: the ledger of a learner processes the events of a
 * run in which nothing is lost.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The parameters of a planned run of LDP-OL that determine its privacy. Steps are lambda_t =
 * stepSize / (t+1)^stepExponent, couplings gamma_t = coupling / (t+1)^couplingExponent.
 */
struct LdpOnlinePlan
{
    LdpOnlinePlan();

    TypeId ledger;                   //!< the ledger to keep, such as LdpOnlineRefinedLedger
    uint32_t rounds{2000};           //!< messages go out in rounds 0 to rounds - 1
    uint32_t dimension{1};           //!< d
    double sensitivity{2};           //!< C
    double smoothness{0.25};         //!< L, regularization included
    double curvature{0};             //!< mu; negative when the loss is not known to be convex
    double stepSize{1};              //!< lambda_0
    double stepExponent{0.77};       //!< v
    double coupling{1};              //!< gamma_0
    double couplingExponent{0.65};   //!< u
    uint32_t historyWindow{0};       //!< batches that a gradient averages over; 0 for all
    NoiseLaw law{NoiseLaw::LAPLACE}; //!< of the noise
    double delta{1e-4};              //!< of epsilon, unless the noise is of Laplace's law
    TypeId unit;                     //!< the unit of protection, such as SampleUnit
    uint32_t batch{1};               //!< samples that a round draws
    uint32_t samples{1};             //!< of a learner, drawn in passes: each once before any again
};

/**
 * @ingroup dlearn
 * The properties in which the learners of the plan differ. The noise of round t has the scale
 * noiseScale (t+1)^noiseExponent.
 */
struct PlannedLearner
{
    double inWeight{0};      //!< sum_j w_ij
    double noiseScale{1};    //!< scale of round 0
    double noiseExponent{0}; //!< s
};

/**
 * @param plan the run
 * @param learner one learner of it
 * @return epsilon that the learner spends
 * @throw std::invalid_argument when the ledger refuses a value or is not a PrivacyLedger
 */
double PlanEpsilon(const LdpOnlinePlan& plan, const PlannedLearner& learner);

/**
 * The least noise that meets a target: of Laplace's law without a search, as epsilon is inversely
 * proportional to the scale.
 *
 * @param plan the run
 * @param learner one learner of it; its noiseScale is ignored
 * @param target epsilon, finite and greater than 0
 * @return noiseScale for which PlanEpsilon() is the target; 0 when the run tells nothing
 *         even without noise
 * @throw std::invalid_argument as PlanEpsilon(), or when epsilon is not finite
 */
double PlanNoiseScale(const LdpOnlinePlan& plan, const PlannedLearner& learner, double target);

} // namespace ns3::dlearn

#endif // DLEARN_LDP_ONLINE_PLAN_H
