/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-softmax-inversion.h"

#include "ns3/dlearn-check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/**
 * @param scores Theta^T u
 * @param length s
 * @param label y
 * @return p - e_y for the image s u
 */
Eigen::VectorXd
GetResidual(const Eigen::VectorXd& scores, double length, Eigen::Index label)
{
    Eigen::VectorXd residual = length * scores;
    residual = (residual.array() - residual.maxCoeff()).exp();
    residual /= residual.sum();
    residual[label] -= 1;
    return residual;
}

/**
 * @param function of one number
 * @param low one side of a minimum
 * @param high other side of it
 * @return the minimum
 */
double
Refine(const std::function<double(double)>& function, double low, double high)
{
    for (int k = 0; k < 100; ++k) // ternary search
    {
        const double third = (high - low) / 3;
        if (function(low + third) <= function(high - third))
        {
            high -= third;
        }
        else
        {
            low += third;
        }
    }
    return (low + high) / 2;
}

/**
 * @param function of one number
 * @param largest end of the range, from 0
 * @param tolerance values that differ by less are equal
 * @return where in the range the function is least; the smallest of such numbers
 */
double
FindLeast(const std::function<double(double)>& function, double largest, double tolerance)
{
    constexpr int PLACES = 2000;
    std::vector<double> values(PLACES + 2, std::numeric_limits<double>::infinity());
    for (int k = 0; k <= PLACES; ++k)
    {
        values[k] = function(largest * k / PLACES);
    }
    double best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 1; k <= PLACES; ++k)
    {
        if (values[k] > values[k - 1] || values[k] > values[k + 1])
        {
            continue;
        }
        const double low = largest * (k - 1) / PLACES;
        const double high = std::min(largest, largest * (k + 1) / PLACES);
        const double place = Refine(function, low, high);
        const double value = function(place);
        if (value < least - tolerance)
        {
            least = value;
            best = place;
        }
    }
    return best;
}

} // namespace

InvertedGradient
InvertSoftmaxGradient(uint32_t inputs,
                      ConstVectorRef theta,
                      ConstVectorRef gradient,
                      double largest)
{
    RequireSize("InvertSoftmaxGradient", "gradient", gradient.size(), theta.size());
    Require(inputs > 0 && theta.size() % inputs == 0 && theta.size() / inputs >= 2,
            "InvertSoftmaxGradient: theta must have inputs x classes entries, at least 2 classes, "
            "got ",
            theta.size(),
            " for ",
            inputs,
            " inputs");
    Require(theta.allFinite(), "InvertSoftmaxGradient: theta must be finite");
    Require(gradient.allFinite() && gradient.squaredNorm() > 0,
            "InvertSoftmaxGradient: gradient must be finite and not 0");
    RequirePositive("InvertSoftmaxGradient", "largest", largest);
    const Eigen::Index classes = theta.size() / inputs;
    const Eigen::Map<const Eigen::MatrixXd> model(theta.data(), inputs, classes);
    const Eigen::Map<const Eigen::MatrixXd> observed(gradient.data(), inputs, classes);
    // r sums to 0: whatever of the gradient does not is noise.
    const Eigen::MatrixXd product = observed.colwise() - observed.rowwise().mean();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(product.transpose() * product);
    Eigen::VectorXd residual = solver.eigenvectors().col(classes - 1); // of the largest
    Eigen::VectorXd image = (product * residual).normalized();
    Eigen::Index label = 0;
    residual.cwiseAbs().maxCoeff(&label);
    const bool flip = classes > 2 ? residual[label] > 0 : image.sum() < 0;
    residual *= flip ? -1 : 1;
    image *= flip ? -1 : 1;
    residual.minCoeff(&label);
    const Eigen::VectorXd scores = model.transpose() * image;
    const Eigen::VectorXd seen = observed.transpose() * image;
    const double square = gradient.squaredNorm();
    const auto mismatch = [&](double length) {
        const Eigen::VectorXd r = GetResidual(scores, length, label);
        // ||s u r^T - M||^2, as ||u|| = 1.
        return length * length * r.squaredNorm() - 2 * length * seen.dot(r) + square;
    };
    const double length = FindLeast(mismatch, largest, 1e-9 * square);
    InvertedGradient result;
    result.features = length * image;
    result.labels = Eigen::VectorXd::Constant(1, static_cast<double>(label));
    result.mismatch = std::max(0.0, mismatch(length)) / square;
    result.evaluations = 1;
    return result;
}

} // namespace ns3::dlearn
