/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LBFGS_H
#define DLEARN_LBFGS_H

#include "ns3/dlearn-types.h"

#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A function to minimise: gets a point, writes its gradient there, returns its value.
 */
using SmoothFunction = std::function<double(ConstVectorRef point, VectorRef gradient)>;

/**
 * @ingroup dlearn
 * Where a minimisation ended.
 */
struct LbfgsResult
{
    Eigen::VectorXd point;   //!< the best that was met
    double value{0};         //!< of the function, there
    uint32_t evaluations{0}; //!< of the function
    bool converged{false};   //!< whether the gradient or the progress became small
};

/** @return whether dlearn was built with liblbfgs */
bool HasLbfgs();

/**
 * @ingroup dlearn
 * Look for a minimum by L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large
 * scale optimization", 1989) with a backtracking line search, as liblbfgs has it. Where the line
 * search gets stuck, as it may at a kink, the best point so far is the result.
 *
 * @param function what to minimise; what it throws passes through. A value that is not finite
 *        makes a step too long
 * @param start where to start; there the value must be finite
 * @param iterations most iterations, at least 1
 * @param tolerance end when ||gradient|| <= tolerance max(1, ||point||), or when ten iterations
 *        improved the value by a share of less than that
 * @return where it ended
 * @throw std::runtime_error when dlearn was built without liblbfgs, saying how to get it
 */
LbfgsResult MinimizeLbfgs(const SmoothFunction& function,
                          const Eigen::VectorXd& start,
                          uint32_t iterations,
                          double tolerance);

} // namespace ns3::dlearn

#endif // DLEARN_LBFGS_H
