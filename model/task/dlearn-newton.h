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
 * @param task what to minimise; its ClipNorm is ignored
 * @param samples what to average over; not empty
 * @param start first guess: the answer for slightly fewer samples makes this fast
 * @return theta with ||grad F(theta)|| <= 1e-10 (1 + ||theta||), the most accurate reached
 * @throw std::runtime_error when 100 Newton steps, or as many as rounding errors allow, do not
 *        get below 1e-6 (1 + ||theta||)
 */
ModelVector Minimize(const ConvexTask& task, const WeightedSamples& samples, ConstVectorRef start);

/**
 * @ingroup dlearn
 * A minimum of the unclipped objective: the end of local training that goes on for ever.
 *
 * @param task what to minimise; its ClipNorm is ignored
 * @param start where to start; where there are several minima, ConvexTask::SolveFrom() says to
 *        which it leads
 * @param samples what to average over; not empty
 * @return what ConvexTask::SolveFrom() finds, or else Minimize()
 * @throw std::runtime_error as Minimize() does
 */
ModelVector MinimizeFrom(const ConvexTask& task,
                         ConstVectorRef start,
                         const WeightedSamples& samples);

} // namespace ns3::dlearn

#endif // DLEARN_NEWTON_H
