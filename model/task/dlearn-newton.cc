/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-newton.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t MAX_STEPS = 100;   //!< Newton steps before giving up
constexpr uint32_t MAX_HALVINGS = 70; //!< of one step: reaches steps of 1e-21
constexpr uint32_t MAX_STALLED = 4;   //!< steps in a row that only move rounding errors
constexpr double TARGET = 1e-10;      //!< gradient norm / (1 + ||theta||) to reach
constexpr double EXACT = 1e-16;       //!< the same, that no step makes smaller
constexpr double NEAR = 1e-12;        //!< distance to the minimum / (1 + ||theta||) to reach
constexpr double USABLE = 1e-6;       //!< the same, that still may be returned
constexpr double PRECISION = 1e-12;   //!< change of a loss F that matters, relative to 1 + F

/**
 * Solve (H + shift I) direction = -gradient for a positive semidefinite H.
 *
 * H may be singular (redundant features, the common offset of all softmax scores, saturated
 * losses), so a shift far below the curvature that matters keeps the factors finite. It does
 * not move the minimum: only the step is inexact, along directions so flat that they hardly
 * enter the gradient.
 *
 * @return a descent direction
 */
ModelVector
FindDirection(Eigen::MatrixXd hessian, const ModelVector& gradient)
{
    double shift = 1e-12 * std::max(hessian.diagonal().maxCoeff(), 1e-2);
    hessian.diagonal().array() += shift;
    Eigen::LLT<Eigen::MatrixXd> factors(hessian);
    while (factors.info() != Eigen::Success)
    {
        // Rounding made H slightly indefinite.
        hessian.diagonal().array() += 99 * shift;
        shift *= 100;
        factors.compute(hessian);
    }
    return -factors.solve(gradient);
}

/** A model, and the values of the objective there. */
struct Point
{
    Point(const ConvexTask& task, const WeightedSamples& samples, ModelVector model)
        : theta(std::move(model)),
          gradient(theta.size())
    {
        // First, because it refuses a start of the wrong size.
        loss = task.GetLoss(theta, samples);
        task.ClippedGradient(theta, samples, 0, gradient);
        error = gradient.norm() / (1 + theta.norm());
    }

    ModelVector theta;    //!< the model
    double loss{0};       //!< F(theta)
    ModelVector gradient; //!< of the unclipped F
    double error{0};      //!< norm of the gradient, relative to 1 + ||theta||
};

/**
 * Walk along a direction until the objective has fallen enough (Armijo's condition).
 *
 * @return the end; the start when the direction leads nowhere
 */
Point
Walk(const ConvexTask& task,
     const WeightedSamples& samples,
     const Point& from,
     const ModelVector& direction)
{
    const double slope = from.gradient.dot(direction);
    double length = 1;
    for (uint32_t halvings = 0; halvings < MAX_HALVINGS; ++halvings)
    {
        const ModelVector theta = from.theta + length * direction;
        const double change = task.GetLoss(theta, samples) - from.loss;
        const bool isFlat = std::abs(change) <= PRECISION * (1 + from.loss);
        if (isFlat && halvings == 0)
        {
            // Rounding errors may hide a decrease: near the minimum, trust the gradient.
            Point trial(task, samples, theta);
            if (trial.gradient.norm() <= 0.5 * from.gradient.norm())
            {
                return trial;
            }
        }
        if (change <= 1e-4 * length * slope)
        {
            return Point(task, samples, theta);
        }
        length /= 2;
    }
    return from;
}

/** @return the better one of a point near the minimum and where a full step leads from there */
ModelVector
Polish(const ConvexTask& task,
       const WeightedSamples& samples,
       const Point& from,
       const ModelVector& direction)
{
    const Point next(task, samples, from.theta + direction);
    return next.error < from.error ? next.theta : from.theta;
}

} // namespace

ModelVector
Minimize(const ConvexTask& task, const WeightedSamples& samples, ConstVectorRef start)
{
    Point point(task, samples, start);
    Point best = point;
    uint32_t stalled = 0;
    uint32_t steps = 0;
    for (; steps < MAX_STEPS && stalled < MAX_STALLED; ++steps)
    {
        // A small gradient is not enough: where all scores are saturated it is small however
        // far the minimum is. So the gap F - F* must be small too. It is at most
        // ||g||^2 / (2 mu), and about half the Newton decrement, which costs a Hessian.
        const double gap = PRECISION * (1 + point.loss);
        const bool isTarget = point.error <= TARGET;
        const bool isLow =
            isTarget && point.gradient.squaredNorm() <= 2 * task.GetCurvature() * gap;
        if (isLow && point.error <= std::max(EXACT, NEAR * task.GetCurvature()))
        {
            return point.theta;
        }
        const ModelVector direction =
            FindDirection(task.GetHessian(point.theta, samples), point.gradient);
        if (isLow || (isTarget && -point.gradient.dot(direction) <= 2 * gap))
        {
            return Polish(task, samples, point, direction);
        }
        point = Walk(task, samples, point, direction);
        const bool isLower = point.loss < best.loss - PRECISION * (1 + best.loss);
        stalled = isLower || point.error < 0.9 * best.error ? 0 : stalled + 1;
        if (isLower || point.error < best.error)
        {
            best = point;
        }
    }
    if (best.error > USABLE)
    {
        std::ostringstream message;
        message << "Minimize: " << task.GetInstanceTypeId() << ": the gradient norm must fall to "
                << USABLE << " (1 + ||theta||), after " << steps << " Newton steps it is "
                << best.error << " (1 + ||theta||)";
        throw std::runtime_error(message.str());
    }
    return best.theta;
}

ModelVector
MinimizeFrom(const ConvexTask& task, ConstVectorRef start, const WeightedSamples& samples)
{
    const std::optional<ModelVector> minimum = task.SolveFrom(start, samples);
    return minimum ? *minimum : Minimize(task, samples, start);
}

} // namespace ns3::dlearn
