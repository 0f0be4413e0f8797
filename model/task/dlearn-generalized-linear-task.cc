/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-generalized-linear-task.h"

#include "dlearn-sample-blocks.h"

#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(GeneralizedLinearTask, ConvexTask);

uint32_t
GeneralizedLinearTask::GetDimension() const
{
    return GetTrain().GetFeatures();
}

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

double
GeneralizedLinearTask::GetFlopsPerSample() const
{
    return 4.0 * GetDimension();
}

} // namespace ns3::dlearn
