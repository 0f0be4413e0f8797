/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CAFCOR_PRIVACY_H
#define DLEARN_CAFCOR_PRIVACY_H

#include "dlearn-release-terms.h"

#include "ns3/ptr.h"

#include <cstdint>

/**
 * @file
 * What a run of CafCor will spend, before it is run, and the noise that meets a target.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The parameters of a planned run of CafCor that determine its privacy.
 *
 * User level (batch = 0): neighbours differ in all data of one worker, whose clipped gradient
 * moves by at most 2C. Rounds compose as Gaussian releases, exactly.
 *
 * Example level (batch = b > 0, per-example clipping): neighbours differ in one of a worker's m
 * examples, which another one replaces; the mean of b clipped gradients moves by at most 2C/b, and
 * an example takes part with probability b/m: the b examples of a round are drawn without
 * replacement, and which ones is secret. See ComposeGaussians().
 */
struct CafCorPlan
{
    Ptr<const ThreatModel> model; //!< the adversary
    WorkerCounts counts;          //!< the workers
    double clip{2.25};            //!< C
    uint32_t rounds{30};          //!< T
    double delta{1e-4};           //!< of every epsilon
    NoiseScales noise;            //!< what each worker adds
    uint32_t batch{0};            //!< b, examples of a mini-batch; 0 for user level
    uint32_t samples{0};          //!< m, examples that a worker has; not used at user level
    uint32_t participants{0};     //!< fewest workers of a round, 0 for all: a trusted server's
                                  //!< mean of fewer costs each of them more
};

/**
 * @param plan the run
 * @return largest distance of what two neighbouring data sets let a worker send: 2C, or 2C/b
 * @throw std::invalid_argument when the plan makes no sense
 */
double CafCorSensitivity(const CafCorPlan& plan);

/**
 * @param plan the run
 * @return the properties that the account of a worker needs
 * @throw std::invalid_argument when the plan makes no sense
 */
ReleaseTerms GetReleaseTerms(const CafCorPlan& plan);

/**
 * @param plan the run
 * @return probability that an example takes part in a round: 1 at user level, else b/m
 * @throw std::invalid_argument when the plan makes no sense
 */
double CafCorSampling(const CafCorPlan& plan);

/**
 * @param plan the run
 * @return what every worker spends; infinity where nothing protects
 * @throw std::invalid_argument when the plan makes no sense
 */
double PlanCafCorEpsilon(const CafCorPlan& plan);

/**
 * @param plan the run
 * @return what every worker spends when all messages are seen: PlanCafCorEpsilon(), unless the
 *         plan's threat model leaves some out
 * @throw std::invalid_argument when the plan makes no sense
 */
double PlanTranscriptEpsilon(const CafCorPlan& plan);

/**
 * @param plan the run
 * @return rate e that a round costs every worker, for a GaussianLedger; may be infinite
 * @throw std::invalid_argument when the plan makes no sense
 */
double CafCorRate(const CafCorPlan& plan);

/**
 * @param plan the run
 * @param lost workers that were named in noise recoveries, less than n
 * @return rate of a worker that was not, see ThreatModel::GetRecoveredRate()
 * @throw std::invalid_argument when the plan makes no sense, or too many are lost
 */
double CafCorRecoveredRate(const CafCorPlan& plan, uint32_t lost);

/**
 * @param plan the run
 * @return rate of a worker that was named in a noise recovery: the others have revealed all noise
 *         that they share with it, so only its own protects it
 * @throw std::invalid_argument when the plan makes no sense
 */
double CafCorExposedRate(const CafCorPlan& plan);

/**
 * The least noise of a given shape that meets a target. Rates are inversely proportional to the
 * square of a common factor of both scales.
 *
 * Only the ratio s_ind/s_cor of the plan's noise counts, and only where the model knows
 * correlated noise; when the plan has none, the ratio is ThreatModel::GetShape().
 *
 * @param plan the run
 * @param target epsilon, finite and greater than 0
 * @return the noise for which PlanCafCorEpsilon() is the target
 * @throw std::invalid_argument when the plan makes no sense or no noise of that shape protects
 */
NoiseScales PlanCafCorNoise(const CafCorPlan& plan, double target);

} // namespace ns3::dlearn

#endif // DLEARN_CAFCOR_PRIVACY_H
