/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-linear-tasks.h"

#include "dlearn-task.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <Eigen/QR>
#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(GeneralizedLinearTask, ConvexTask);

double
GeneralizedLinearTask::GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    CheckSamples(samples);
    double loss = 0;
    ForEachBlock(GetTrain(), samples, [&](const SampleBlock& block) {
        const Values scores = (block.features.transpose() * theta).array();
        loss += (block.weights * GetLosses(scores, block.labels)).sum();
    });
    return loss + 0.5 * GetRegularization() * theta.squaredNorm();
}

void
GeneralizedLinearTask::ClippedGradient(ConstVectorRef theta,
                                       const WeightedSamples& samples,
                                       double clipNorm,
                                       VectorRef gradient) const
{
    CheckGradient(theta, samples, clipNorm, gradient);
    gradient = GetRegularization() * theta;
    ForEachBlock(GetTrain(), samples, [&](const SampleBlock& block) {
        const Values scores = (block.features.transpose() * theta).array();
        Values slopes = GetSlopes(scores, block.labels);
        if (clipNorm > 0)
        {
            // A sample of norm 0 has no gradient: its bound c / 0 = inf clamps nothing.
            const Values bounds = clipNorm / block.features.colwise().norm().transpose().array();
            slopes = slopes.min(bounds).max(-bounds);
        }
        gradient.noalias() += block.features * (block.weights * slopes).matrix();
    });
}

Eigen::MatrixXd
GeneralizedLinearTask::GetHessian(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    CheckSamples(samples);
    const auto dimension = static_cast<Eigen::Index>(GetDimension());
    Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(dimension, dimension);
    lower.diagonal().setConstant(GetRegularization());
    ForEachBlock(GetTrain(), samples, [&](const SampleBlock& block) {
        const Values scores = (block.features.transpose() * theta).array();
        const Values scale = (block.weights * GetCurvatures(scores)).sqrt();
        const Eigen::MatrixXd scaled = block.features * scale.matrix().asDiagonal();
        lower.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    });
    return lower.selfadjointView<Eigen::Lower>();
}

double
GeneralizedLinearTask::GetSmoothness() const
{
    return GetCurvatureBound() * GetMaxNorm() * GetMaxNorm() + GetRegularization();
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LeastSquaresTask, GeneralizedLinearTask);

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
            "LeastSquaresTask: data must be those of a regression (classes = 0), got {} classes in "
            "'{}'",
            GetTrain().classes,
            GetTrain().name);
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LogisticTask, GeneralizedLinearTask);

double
LogisticTask::GetAccuracy(ConstVectorRef theta) const
{
    CheckModel(theta);
    const Dataset& test = GetTest();
    const Values scores = (test.features.transpose() * theta).array();
    return ((scores > 0) == (test.labels.array() > 0)).cast<double>().mean();
}

void
LogisticTask::CheckData() const
{
    Require(GetTrain().classes == 2,
            "LogisticTask: data must have 2 classes, got {} in '{}'",
            GetTrain().classes,
            GetTrain().name);
}

GeneralizedLinearTask::Values
LogisticTask::GetLosses(const Values& scores, const Values& labels) const
{
    const Values wrong = (1 - 2 * labels) * scores;
    return wrong.max(0) + (-wrong.abs()).exp().log1p();
}

GeneralizedLinearTask::Values
LogisticTask::GetSlopes(const Values& scores, const Values& labels) const
{
    const Values side = 1 - 2 * labels;
    return side / (1 + (-side * scores).exp());
}

GeneralizedLinearTask::Values
LogisticTask::GetCurvatures(const Values& scores) const
{
    // Even in the score; from exp(-|z|) it neither overflows nor cancels.
    const Values tail = (-scores.abs()).exp();
    return tail / (1 + tail).square();
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(SoftmaxTask, ConvexTask);

namespace
{

/** Scores, classes x samples, become the probability of each class. */
void
ApplySoftmax(Eigen::MatrixXd& scores)
{
    // The largest score becomes 0, so that nothing overflows and the sum is at least 1.
    const Eigen::RowVectorXd largest = scores.colwise().maxCoeff();
    scores = (scores.rowwise() - largest).array().exp();
    scores.array().rowwise() /= scores.colwise().sum().array().eval();
}

} // namespace

double
SoftmaxTask::GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    CheckSamples(samples);
    double loss = 0;
    ForEachBlock(GetTrain(), samples, [&](const SampleBlock& block) {
        Eigen::MatrixXd scores = GetScores(block.features, theta);
        // Differences to the right class: log sum_k exp(z_k - z_y), the largest taken out.
        for (Eigen::Index i = 0; i < scores.cols(); ++i)
        {
            const double right = scores(static_cast<Eigen::Index>(block.labels[i]), i);
            scores.col(i).array() -= right;
        }
        const Eigen::RowVectorXd largest = scores.colwise().maxCoeff();
        const Eigen::RowVectorXd sums =
            (scores.rowwise() - largest).array().exp().matrix().colwise().sum();
        loss += (largest.array() + sums.array().log()).matrix().dot(block.weights.matrix());
    });
    return loss + 0.5 * GetRegularization() * theta.squaredNorm();
}

void
SoftmaxTask::ClippedGradient(ConstVectorRef theta,
                             const WeightedSamples& samples,
                             double clipNorm,
                             VectorRef gradient) const
{
    CheckGradient(theta, samples, clipNorm, gradient);
    gradient = GetRegularization() * theta;
    Eigen::Map<Eigen::MatrixXd> columns(gradient.data(),
                                        GetTrain().GetFeatures(),
                                        GetTrain().classes);
    ForEachBlock(GetTrain(), samples, [&](const SampleBlock& block) {
        const Eigen::MatrixXd residuals =
            GetResiduals(block.features, block.labels.matrix(), theta);
        Eigen::ArrayXd scale = block.weights;
        if (clipNorm > 0)
        {
            // A gradient of norm 0 stays: c / 0 = inf is cut to 1.
            const Eigen::ArrayXd norms =
                (block.features.colwise().norm().array() * residuals.colwise().norm().array())
                    .transpose();
            scale *= (clipNorm / norms).min(1);
        }
        columns.noalias() += block.features * (residuals * scale.matrix().asDiagonal()).transpose();
    });
}

double
SoftmaxTask::GetAccuracy(ConstVectorRef theta) const
{
    CheckModel(theta);
    const Dataset& test = GetTest();
    const Eigen::MatrixXd scores = GetScores(test.features, theta);
    uint32_t right = 0;
    for (Eigen::Index i = 0; i < scores.cols(); ++i)
    {
        right += GetWinner(scores.col(i)) == static_cast<Eigen::Index>(test.labels[i]);
    }
    return static_cast<double>(right) / test.GetSize();
}

Eigen::MatrixXd
SoftmaxTask::GetHessian(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    CheckSamples(samples);
    const auto dimension = static_cast<Eigen::Index>(GetDimension());
    const auto features = static_cast<Eigen::Index>(GetTrain().GetFeatures());
    Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(dimension, dimension);
    hessian.diagonal().setConstant(GetRegularization());
    ForEachBlock(GetTrain(), samples, [&](const SampleBlock& block) {
        Eigen::MatrixXd chances = GetScores(block.features, theta);
        ApplySoftmax(chances);
        for (Eigen::Index a = 0; a < chances.rows(); ++a)
        {
            // Row a of diag(p) - p p^T. It sums to 0, and taking p_a (1 - p_a) from that sum
            // keeps its accuracy when p_a is near 1.
            Eigen::MatrixXd row = -chances * chances.row(a).asDiagonal();
            row.row(a).setZero();
            row.row(a) = -row.colwise().sum();
            row *= block.weights.matrix().asDiagonal();
            for (Eigen::Index b = 0; b <= a; ++b)
            {
                hessian.block(a * features, b * features, features, features).noalias() +=
                    block.features * row.row(b).asDiagonal() * block.features.transpose();
            }
        }
    });
    return hessian.selfadjointView<Eigen::Lower>();
}

double
SoftmaxTask::GetSmoothness() const
{
    return 0.5 * GetMaxNorm() * GetMaxNorm() + GetRegularization();
}

void
SoftmaxTask::CheckData() const
{
    Require(GetTrain().classes >= 2,
            "SoftmaxTask: data must have at least 2 classes, got {} in '{}'",
            GetTrain().classes,
            GetTrain().name);
}

Eigen::MatrixXd
SoftmaxTask::GetScores(const Eigen::Ref<const Eigen::MatrixXd>& features,
                       ConstVectorRef theta) const
{
    const Eigen::Map<const Eigen::MatrixXd> columns(theta.data(),
                                                    features.rows(),
                                                    GetTrain().classes);
    return columns.transpose() * features;
}

Eigen::MatrixXd
SoftmaxTask::GetResiduals(const Eigen::Ref<const Eigen::MatrixXd>& features,
                          ConstVectorRef labels,
                          ConstVectorRef theta) const
{
    Eigen::MatrixXd residuals = GetScores(features, theta);
    ApplySoftmax(residuals);
    for (Eigen::Index i = 0; i < residuals.cols(); ++i)
    {
        residuals(static_cast<Eigen::Index>(labels[i]), i) -= 1;
    }
    return residuals;
}

ModelVector
SoftmaxTask::GetModelGradient(ConstVectorRef theta,
                              const Eigen::MatrixXd& features,
                              const Eigen::VectorXd& labels) const
{
    CheckModel(theta);
    const Dataset samples = MakeSamples(features, labels);
    ModelVector gradient(GetDimension());
    Eigen::Map<Eigen::MatrixXd>(gradient.data(), GetInputs(), GetClasses()).noalias() =
        samples.features * GetResiduals(samples.features, samples.labels, theta).transpose() /
        samples.GetSize();
    return gradient;
}

Eigen::MatrixXd
SoftmaxTask::GetInputGradient(ConstVectorRef theta,
                              const Eigen::MatrixXd& features,
                              const Eigen::VectorXd& labels) const
{
    CheckModel(theta);
    const Dataset samples = MakeSamples(features, labels);
    const Eigen::Map<const Eigen::MatrixXd> columns(theta.data(), GetInputs(), GetClasses());
    return columns * GetResiduals(samples.features, samples.labels, theta) / samples.GetSize();
}

} // namespace ns3::dlearn
