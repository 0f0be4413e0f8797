/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-linear-task.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"

#include <limits>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(LinearTask);

TypeId
LinearTask::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LinearTask")
                            .SetParent<Task>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LinearTask>()
                            .AddAttribute("Bound",
                                          "Largest norm of a sample.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&LinearTask::m_bound),
                                          MakeDoubleChecker<double>(0));
    return tid;
}

uint32_t
LinearTask::GetDimension() const
{
    return GetTrain().GetFeatures();
}

double
LinearTask::GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const
{
    double loss = GetRegularization() / 2 * theta.squaredNorm();
    for (size_t k = 0; k < samples.indices.size(); ++k)
    {
        loss += samples.weights[k] * GetTrain().features.col(samples.indices[k]).dot(theta);
    }
    return loss;
}

void
LinearTask::ClippedGradient(ConstVectorRef theta,
                            const WeightedSamples& samples,
                            double clipNorm,
                            VectorRef gradient) const
{
    CheckGradient(theta, samples, clipNorm, gradient);
    gradient = GetRegularization() * theta;
    for (size_t k = 0; k < samples.indices.size(); ++k)
    {
        const ModelVector own = GetTrain().features.col(samples.indices[k]);
        const double norm = own.norm();
        const double factor = clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1;
        gradient += samples.weights[k] * factor * own;
    }
}

double
LinearTask::GetAccuracy(ConstVectorRef /* theta */) const
{
    return std::numeric_limits<double>::quiet_NaN();
}

double
LinearTask::GetFlopsPerSample() const
{
    return 4.0 * GetDimension();
}

double
LinearTask::GetSmoothness() const
{
    return GetRegularization();
}

void
LinearTask::CheckData() const
{
    const double largest = GetTrain().GetMaxNorm();
    Require(largest <= m_bound * (1 + 1e-12),
            "LinearTask: samples must have norms of at most Bound, {}, got {}",
            m_bound,
            largest);
}

} // namespace ns3::dlearn
