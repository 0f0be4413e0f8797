/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-least-squares-task.h"

#include "dlearn-quadratic-history.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <Eigen/QR>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LeastSquaresTask, GeneralizedLinearTask);

double
LeastSquaresTask::GetAccuracy(ConstVectorRef theta) const
{
    CheckModel(theta);
    return std::numeric_limits<double>::quiet_NaN();
}

std::unique_ptr<GradientHistory>
LeastSquaresTask::CreateShortHistory(uint32_t window) const
{
    if (window == 0 && GetClipNorm() == 0)
    {
        return std::make_unique<QuadraticHistory>(*this);
    }
    return nullptr;
}

std::optional<ModelVector>
LeastSquaresTask::SolveFrom(ConstVectorRef start, const WeightedSamples& samples) const
{
    if (GetRegularization() > 0)
    {
        return std::nullopt;
    }
    CheckModel(start);
    CheckSamples(samples);
    const auto size = static_cast<Eigen::Index>(samples.indices.size());
    Eigen::MatrixXd rows(size, start.size());
    Eigen::VectorXd residuals(size);
    for (Eigen::Index k = 0; k < size; ++k)
    {
        const uint32_t sample = samples.indices[static_cast<size_t>(k)];
        ConstVectorRef features = GetTrain().features.col(sample);
        const double scale = std::sqrt(samples.weights[k]);
        rows.row(k) = scale * features.transpose();
        residuals[k] = scale * (GetTrain().labels[sample] - features.dot(start));
    }
    return ModelVector(start + rows.completeOrthogonalDecomposition().solve(residuals));
}

void
LeastSquaresTask::CheckData() const
{
    Require(GetTrain().classes == 0,
            "LeastSquaresTask: data must be those of a regression (classes = 0), got ",
            GetTrain().classes,
            " classes in '",
            GetTrain().name,
            "'");
}

double
LeastSquaresTask::GetGradientBound() const
{
    return std::numeric_limits<double>::infinity();
}

GeneralizedLinearTask::Values
LeastSquaresTask::GetCurvatures(const Values& scores) const
{
    return Values::Ones(scores.size());
}

} // namespace ns3::dlearn
