/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-inversion.h"

#include "dlearn-lbfgs.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** Stop when ten iterations improve the mismatch by a share of less than this. */
constexpr double TOLERANCE = 1e-9;

void
CheckGradient(ConstVectorRef theta, ConstVectorRef gradient)
{
    RequireSize("GradientInversion", "gradient", gradient.size(), theta.size());
    Require(gradient.allFinite() && gradient.squaredNorm() > 0,
            "GradientInversion: gradient must be finite and not 0");
}

} // namespace

double
GetMismatch(const SampleLoss& loss,
            ConstVectorRef theta,
            ConstVectorRef gradient,
            const Eigen::MatrixXd& features,
            const Eigen::VectorXd& labels,
            Eigen::MatrixXd* slope)
{
    CheckGradient(theta, gradient);
    const ModelVector difference = loss.GetModelGradient(theta, features, labels) - gradient;
    const double scale = gradient.squaredNorm();
    const double norm = difference.norm();
    if (slope && norm > 0)
    {
        // The error of a central difference is least near the cube root of the rounding error.
        const double share = std::cbrt(std::numeric_limits<double>::epsilon());
        const double step = share * std::max(1.0, theta.norm()) / norm;
        *slope = loss.GetInputGradient(theta + step * difference, features, labels) -
                 loss.GetInputGradient(theta - step * difference, features, labels);
        *slope /= step * scale; // 2 from the square, 2 from both sides
    }
    else if (slope)
    {
        slope->setZero(features.rows(), features.cols());
    }
    return norm * norm / scale;
}

Eigen::VectorXd
GuessLabels(const SampleLoss& loss,
            ConstVectorRef theta,
            ConstVectorRef gradient,
            const Eigen::MatrixXd& features)
{
    CheckGradient(theta, gradient);
    Eigen::VectorXd labels(features.cols());
    ModelVector rest = gradient * static_cast<double>(features.cols());
    for (Eigen::Index sample = 0; sample < features.cols(); ++sample)
    {
        double least = std::numeric_limits<double>::infinity();
        ModelVector best;
        for (uint32_t label = 0; label < loss.GetClasses(); ++label)
        {
            ModelVector guess = loss.GetModelGradient(theta,
                                                      features.col(sample),
                                                      Eigen::VectorXd::Constant(1, label));
            const double distance = (guess - rest).squaredNorm();
            if (distance < least)
            {
                least = distance;
                labels[sample] = label;
                best = std::move(guess);
            }
        }
        rest -= best;
    }
    return labels;
}

InvertedGradient
InvertGradient(const SampleLoss& loss,
               ConstVectorRef theta,
               ConstVectorRef gradient,
               const InversionOptions& options,
               UniformRandomVariable& random)
{
    CheckGradient(theta, gradient);
    Require(options.samples >= 1 && options.starts >= 1 && options.iterations >= 1,
            "GradientInversion: samples, starts and iterations must be at least 1, got ",
            options.samples,
            ", ",
            options.starts,
            " and ",
            options.iterations);
    Require(options.low < options.high,
            "GradientInversion: low must be less than high, got ",
            options.low,
            " and ",
            options.high);
    const Eigen::Index rows = loss.GetInputs();
    const Eigen::Index columns = options.samples;
    InvertedGradient best;
    best.mismatch = std::numeric_limits<double>::infinity();
    uint32_t evaluations = 0;
    for (uint32_t k = 0; k < options.starts; ++k)
    {
        Eigen::MatrixXd start(rows, columns);
        for (double& pixel : start.reshaped())
        {
            pixel = random.GetValue(options.low, options.high);
        }
        const Eigen::VectorXd labels = GuessLabels(loss, theta, gradient, start);
        const SmoothFunction mismatch = [&](ConstVectorRef point, VectorRef slope) {
            Eigen::MatrixXd by;
            const double value =
                GetMismatch(loss, theta, gradient, point.reshaped(rows, columns), labels, &by);
            slope = by.reshaped();
            return value;
        };
        const LbfgsResult end =
            MinimizeLbfgs(mismatch, start.reshaped(), options.iterations, TOLERANCE);
        evaluations += end.evaluations;
        if (end.value < best.mismatch)
        {
            best.features = end.point.reshaped(rows, columns);
            best.labels = labels;
            best.mismatch = end.value;
        }
    }
    best.evaluations = evaluations;
    return best;
}

double
GetInversionError(const Eigen::MatrixXd& truth,
                  const Eigen::MatrixXd& found,
                  double low,
                  double high)
{
    RequireSize("GetInversionError", "a found image", found.rows(), truth.rows());
    Require(truth.size() > 0 && found.size() > 0, "GetInversionError: there must be images");
    Require(low < high, "GetInversionError: low must be less than high, got ", low, ", ", high);
    const Eigen::MatrixXd cut = found.cwiseMax(low).cwiseMin(high);
    double sum = 0;
    for (Eigen::Index k = 0; k < truth.cols(); ++k)
    {
        sum += (cut.colwise() - truth.col(k)).colwise().squaredNorm().minCoeff();
    }
    return sum / static_cast<double>(truth.size()) / ((high - low) * (high - low));
}

} // namespace ns3::dlearn
