/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-softmax-task.h"

#include "dlearn-sample-blocks.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(SoftmaxTask, ConvexTask);

namespace
{

/**
 * @param scores classes x samples; becomes the probability of each class
 */
void
ApplySoftmax(Eigen::MatrixXd& scores)
{
    // The largest score becomes 0, so that nothing overflows and the sum is at least 1.
    const Eigen::RowVectorXd largest = scores.colwise().maxCoeff();
    scores = (scores.rowwise() - largest).array().exp();
    scores.array().rowwise() /= scores.colwise().sum().array().eval();
}

} // namespace

uint32_t
SoftmaxTask::GetDimension() const
{
    return GetTrain().GetFeatures() * GetTrain().classes;
}

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
        // Written out because maxCoeff() does not promise which of equal entries it names.
        Eigen::Index best = 0;
        for (Eigen::Index k = 1; k < scores.rows(); ++k)
        {
            best = scores(k, i) > scores(best, i) ? k : best;
        }
        right += best == static_cast<Eigen::Index>(test.labels[i]);
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

double
SoftmaxTask::GetFlopsPerSample() const
{
    return 4.0 * GetDimension();
}

void
SoftmaxTask::CheckData() const
{
    Require(GetTrain().classes >= 2,
            "SoftmaxTask: data must have at least 2 classes, got ",
            GetTrain().classes,
            " in '",
            GetTrain().name,
            "'");
}

double
SoftmaxTask::GetGradientBound() const
{
    return std::sqrt(2.0) * GetMaxNorm();
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

uint32_t
SoftmaxTask::GetInputs() const
{
    return GetTrain().GetFeatures();
}

uint32_t
SoftmaxTask::GetClasses() const
{
    return GetTrain().classes;
}

} // namespace ns3::dlearn
