/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_PLANS_H
#define DLEARN_PRIVACY_PLANS_H

#include "dlearn-gaussian-accounting.h"
#include "dlearn-noise-mechanism.h"
#include "dlearn-threat-model.h"

#include "ns3/dlearn-types.h"
#include "ns3/ptr.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * The epsilon of planned runs of CafCor, FedAvg and LDP-OL, and the noise for a target. All
 * functions refuse wrong plans with std::invalid_argument.
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
    NoiseScales noise;            //!< of each worker
    uint32_t batch{0};            //!< b, examples of a mini-batch; 0 for user level
    uint32_t samples{0};          //!< m, examples that a worker has; not used at user level
    uint32_t participants{0};     //!< fewest workers of a round, 0 for all: a trusted server's
                                  //!< mean of fewer costs each of them more
};

/** @return largest distance of a worker's messages of two neighbouring data sets: 2C, or 2C/b */
double CafCorSensitivity(const CafCorPlan& plan);

/** @return the properties that the account of a worker needs */
ReleaseTerms GetReleaseTerms(const CafCorPlan& plan);

/** @return probability that an example takes part in a round: 1 at user level, else b/m */
double CafCorSampling(const CafCorPlan& plan);

/** @return epsilon of every worker; infinity without protection */
double PlanCafCorEpsilon(const CafCorPlan& plan);

/** @return epsilon that every worker spends when all messages are seen: PlanCafCorEpsilon(), unless
 *          the plan's threat model leaves some out */
double PlanTranscriptEpsilon(const CafCorPlan& plan);

/** @return rate e that a round costs every worker, for a GaussianLedger; may be infinite */
double CafCorRate(const CafCorPlan& plan);

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
 * @throw std::invalid_argument when no noise of that shape protects, too
 */
NoiseScales PlanCafCorNoise(const CafCorPlan& plan, double target);

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
 *   cdp: e = (2C w_i)^2 / (2 s^2) for each model that holds an update of the client,
 *   air: e = (2C)^2 / (2 s^2) for each slot, s the least noise on an update of the largest weight.
 *
 * Unless sampling is secret, it does not amplify privacy: an observer of the messages, or of the
 * models, is assumed to know which clients took part. A plan counts every client in every round,
 * or, where groups say who takes part, in the rounds of its groups.
 *
 * Secret sampling (sampling q < 1, CentralDp): the trusted server draws each client with
 * probability q, independently, and divides the sum of n_i Delta_i by its expected divisor q sum_i
 * n_i, so that w_i = n_i / (q sum_i n_i) whoever else takes part (McMahan, Ramage, Talwar and
 * Zhang, "Learning Differentially Private Recurrent Language Models", 2018). Every client pays for
 * all rounds, as ComposeGaussians() says.
 *
 * With Adjacency::ADD_REMOVE neighbours differ in whether a client has data at all: without, its
 * update is 0 and all weights stay the same. Distances are then C instead of 2C.
 */
struct FedAvgPlan
{
    Ptr<const ThreatModel> model;               //!< LocalDp, CentralDp or AirDp
    std::vector<uint32_t> samples;              //!< n_i, the server's weights of the updates
    std::vector<std::vector<LearnerId>> groups; //!< clients of each round, numbered from 1,
                                                //!< repeated; empty: any may take part
    uint32_t participants{0};                   //!< fewest updates of a round; 0: all
    double sampling{1};                         //!< q of secret sampling; 1: none
    Adjacency adjacency{Adjacency::REPLACE};    //!< of neighbours
    double clip{1};                             //!< C
    uint32_t rounds{100};                       //!< T
    double delta{1e-5};                         //!< of every epsilon
    double noise{0};                            //!< s
};

/** @return the expected sum of the n_i of those who take part: q sum_i n_i */
double GetExpectedSamples(const FedAvgPlan& plan);

/**
 * The unit of noise of the literature: z = 1 is noise whose standard deviation is the largest norm
 * of one client's part of a release. For a mean of m clients of the same weight that is C/m, so z
 * is the standard deviation on the sum of their updates over C; with LocalDp it is C. A round then
 * costs at most e = 2 / z^2, or 1 / (2 z^2) with Adjacency::ADD_REMOVE.
 *
 * @param plan the run; its noise does not count
 * @return the noise s for z = 1
 */
double FedAvgNoiseUnit(const FedAvgPlan& plan);

/**
 * @param plan the run
 * @param client its place in the plan's samples
 * @return the properties that the account of the client needs
 */
ReleaseTerms GetReleaseTerms(const FedAvgPlan& plan, size_t client);

/** @return largest epsilon of a client; infinity without noise */
double PlanFedAvgEpsilon(const FedAvgPlan& plan);

/**
 * @param plan the run; its noise does not count
 * @param target epsilon, finite and greater than 0
 * @return the least noise s for which no client spends more than the target
 */
double PlanFedAvgNoise(const FedAvgPlan& plan, double target);

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
    double curvature{0};             //!< mu; negative: not known to be convex
    double stepSize{1};              //!< lambda_0
    double stepExponent{0.77};       //!< v
    double coupling{1};              //!< gamma_0
    double couplingExponent{0.65};   //!< u
    uint32_t historyWindow{0};       //!< batches in a gradient; 0: all
    NoiseLaw law{NoiseLaw::LAPLACE}; //!< of the noise
    double delta{1e-4};              //!< of epsilon, unless the noise is of Laplace's law
    TypeId unit;                     //!< the unit of protection, such as SampleUnit
    uint32_t batch{1};               //!< samples that a round draws
    uint32_t samples{1};             //!< of a learner, drawn in passes
};

/**
 * @ingroup dlearn
 * The properties of one learner of the plan. The noise of round t has the scale
 * noiseScale (t+1)^noiseExponent.
 */
struct PlannedLearner
{
    double inWeight{0};      //!< sum_j w_ij
    double noiseScale{1};    //!< scale of round 0
    double noiseExponent{0}; //!< s
};

/** @return epsilon of the learner's ledger in a run without loss */
double PlanEpsilon(const LdpOnlinePlan& plan, const PlannedLearner& learner);

/**
 * The least noise that meets a target; Laplace noise needs no search, as epsilon is inversely
 * proportional to the scale.
 *
 * @param plan the run
 * @param learner one learner of it; its noiseScale is ignored
 * @param target epsilon, finite and greater than 0
 * @return noiseScale for which PlanEpsilon() is the target; 0 when the run
 *         discloses nothing even without noise
 * @throw std::invalid_argument when epsilon is not finite, too
 */
double PlanNoiseScale(const LdpOnlinePlan& plan, const PlannedLearner& learner, double target);

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_PLANS_H
