/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_THEORY_H
#define DLEARN_STUDY_THEORY_H

#include "dlearn-study-parameters.h"

/**
 * @file
 * Figures 1 to 3 of Ju, Yang, Liu et al. ("Can we theoretically quantify the impacts of local
 * updates on the generalization performance of federated learning?", MobiHoc 2024): the model
 * error of simulated federations beside its closed forms.
 */

namespace ns3::dlearn
{

/** What the figures depend on beside the numbers that the paper prints. */
struct TheoryParameters : StudyParameters
{
    using StudyParameters::StudyParameters;

    double stepSize1{0.1};   //!< alpha of Fig. 1, not printed
    double stepSize2{0.025}; //!< alpha of Fig. 2, not printed
};

/**
 * Fig. 1: error against rounds, for three distances of the initial model from the truth.
 *
 * @param parameters what the paper leaves open
 * @return whether simulation and theory agree, and show the effects of the paper
 */
bool RunStartFigure(const TheoryParameters& parameters);

/**
 * Fig. 2: error against local steps, for three numbers of clients.
 *
 * @copydetails RunStartFigure()
 */
bool RunLocalStepsFigure(const TheoryParameters& parameters);

/**
 * Fig. 3: error against the dimension of the model, after three numbers of rounds.
 *
 * @copydetails RunStartFigure()
 */
bool RunDimensionFigure(const TheoryParameters& parameters);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_THEORY_H
