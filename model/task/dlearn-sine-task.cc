/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sine-task.h"

#include "dlearn-task.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <limits>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(SineTask, Task);

double
SineTask::GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    CheckSamples(samples);
    const Eigen::ArrayXd squares = theta.array().sin().square();
    const Eigen::VectorXd slopes = (squares + 2 * theta.array().cos()).matrix();
    double loss = 0;
    ForEachBlock(GetTrain(), samples, [&](const SampleBlock& block) {
        const Eigen::ArrayXd scores = (block.features.transpose() * slopes).array();
        for (Eigen::Index k = 0; k < scores.size(); ++k)
        {
            const double parabola = (theta.array() - block.labels[k]).square().sum();
            loss += block.weights[k] * (parabola + 3 * squares.sum() + scores[k]);
        }
    });
    return loss + 0.5 * GetRegularization() * theta.squaredNorm();
}

void
SineTask::ClippedGradient(ConstVectorRef theta,
                          const WeightedSamples& samples,
                          double clipNorm,
                          VectorRef gradient) const
{
    CheckGradient(theta, samples, clipNorm, gradient);
    const Eigen::ArrayXd twice = (2 * theta.array()).sin();
    const Eigen::ArrayXd fixed = 2 * theta.array() + 3 * twice;
    const Eigen::ArrayXd factor = twice - 2 * theta.array().sin();
    gradient = GetRegularization() * theta;
    ForEachBlock(GetTrain(), samples, [&](const SampleBlock& block) {
        for (Eigen::Index k = 0; k < block.labels.size(); ++k)
        {
            const Eigen::VectorXd one =
                (fixed + factor * block.features.col(k).array() - 2 * block.labels[k]).matrix();
            const double norm = clipNorm > 0 ? one.norm() : 0;
            gradient += block.weights[k] * (norm > clipNorm ? clipNorm / norm : 1) * one;
        }
    });
}

double
SineTask::GetSmoothness() const
{
    const auto features = GetTrain().features.array();
    return 2 + 2 * ((3 + features).abs() + features.abs()).maxCoeff() + GetRegularization();
}

void
SineTask::CheckData() const
{
    Require(GetTrain().classes == 0,
            "SineTask: data must be those of a regression (classes = 0), got {} classes in '{}'",
            GetTrain().classes,
            GetTrain().name);
}

} // namespace ns3::dlearn
