/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NEWTON_H
#define DLEARN_NEWTON_H

#include "dlearn-task.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Central, noise-free minimum of the unclipped objective by damped Newton steps.
 *
 * A small gradient alone is not sufficient: far from the minimum, where all scores are saturated,
 * it may be tiny. Therefore the result also has F(theta) - F* <= 1e-12 (1 + F(theta)), up to
 * rounding. Unless the distance to the minimum is below 1e-12 (1 + ||theta||) then, as strong
 * convexity may tell, one more step squares it, but for rounding errors in the gradient: with a
 * smallest curvature c it ends at about 1e-16 / c.
 *
 * A step factors the Hessian: with p parameters it takes p^2 doubles and p^3 / 3 operations. Where
 * the minimum is not unique, the result is one of the minima; where there is none, as for separable
 * classes without regularization, it is a point with such a small gradient.
 *
 * @param task the objective; its ClipNorm is ignored
 * @param samples of the average; not empty
 * @param start first guess: the answer for slightly fewer samples makes this fast
 * @return theta with ||grad F(theta)|| <= 1e-10 (1 + ||theta||), the most accurate reached
 * @throw std::runtime_error when 100 Newton steps, or as many as rounding errors allow, do not
 *        get below 1e-6 (1 + ||theta||)
 */
ModelVector Minimize(const ConvexTask& task, const WeightedSamples& samples, ConstVectorRef start);

/**
 * @ingroup dlearn
 * A minimum of the unclipped objective: the limit of endless local training.
 *
 * @param task the objective; its ClipNorm is ignored
 * @param start it chooses among several minima, see ConvexTask::SolveFrom()
 * @param samples of the average; not empty
 * @return the minimum of ConvexTask::SolveFrom(), else of Minimize()
 * @throw std::runtime_error as Minimize() does
 */
ModelVector MinimizeFrom(const ConvexTask& task,
                         ConstVectorRef start,
                         const WeightedSamples& samples);

} // namespace ns3::dlearn

#endif // DLEARN_NEWTON_H
