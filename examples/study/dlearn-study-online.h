/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_ONLINE_H
#define DLEARN_STUDY_ONLINE_H

#include "dlearn-study-parameters.h"

#include "ns3/dlearn-presets.h"

/**
 * @file
 * The first experiment of Chen and Wang, "Locally Differentially Private Distributed Online
 * Learning with Guaranteed Optimality", section VII-A, in parts.
 */

namespace ns3::dlearn
{

/** What the parts have in common, and what the paper leaves open. */
struct OnlineParameters : StudyParameters
{
    using StudyParameters::StudyParameters;

    uint32_t batch{3};         //!< N_i: with r = 1/N the hitting times come closest to Table I
    double regularization{-1}; //!< r_i, "proportional to 1/N_i"; -1: 1/N
    double initial{1};         //!< theta_0^i is random in the paper; standard normal entries
    bool unitNorm{true};       //!< raw features have L = 5.25 + r and make epsilon useless

    /** @return what all runs share */
    RunSpec MakeOptions() const;
};

/**
 * Fig. 1: LDP-OL and the baselines of the paper.
 *
 * @param p what the parts have in common
 * @return whether the paper's ordering shows
 */
bool RunOnlineComparison(const OnlineParameters& p);

/**
 * Ours: the baselines of other papers in the same experiment. All but the growing samples see their
 * data little by little; those know them from the start, and are measured by the optimum over all.
 *
 * @param p what the parts have in common
 * @return true: there is no claim
 */
bool RunOnlineBaselines(const OnlineParameters& p);

/**
 * Table I: rounds until the mean model is close to the optimum, and epsilon spent by then.
 *
 * @param p what the parts have in common
 * @return whether more noise always takes more rounds and spends less
 */
bool RunOnlineBudget(const OnlineParameters& p);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_ONLINE_H
