/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-task.h"

#include "dlearn-network-objective.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <limits>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(NetworkTask);

namespace
{

WeightedSamples
TakeAll(const Dataset& data)
{
    return EqualWeights(FirstSamples(data.GetSize()));
}

} // namespace

TypeId
NetworkTask::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<NetworkTask, Task>("ns3::dlearn::NetworkTask")
            .AddAttribute(
                "Channels",
                "Channels of an image. 0, as for Height and Width: the shape of the data.",
                UintegerValue(0),
                MakeUintegerAccessor(&NetworkTask::m_channels),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("Height",
                          "Rows of an image.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NetworkTask::m_height),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Width",
                          "Columns of an image.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NetworkTask::m_width),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

double
NetworkTask::GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    CheckSamples(samples);
    const double loss = m_objective->GetLoss(theta, GetTrain(), samples);
    return (std::isnan(loss) ? std::numeric_limits<double>::infinity() : loss) +
           0.5 * GetRegularization() * theta.squaredNorm();
}

void
NetworkTask::ClippedGradient(ConstVectorRef theta,
                             const WeightedSamples& samples,
                             double clipNorm,
                             VectorRef gradient) const
{
    CheckGradient(theta, samples, clipNorm, gradient);
    gradient = GetRegularization() * theta;
    m_objective->AddGradient(theta, GetTrain(), samples, clipNorm, gradient);
}

double
NetworkTask::GetAccuracy(ConstVectorRef theta) const
{
    CheckModel(theta);
    const Dataset& test = GetTest();
    return static_cast<double>(m_objective->CountRight(theta, test)) / test.GetSize();
}

ModelVector
NetworkTask::GetModelGradient(ConstVectorRef theta,
                              const Eigen::MatrixXd& features,
                              const Eigen::VectorXd& labels) const
{
    CheckModel(theta);
    const Dataset samples = MakeSamples(features, labels);
    ModelVector gradient = ModelVector::Zero(GetDimension());
    m_objective->AddGradient(theta, samples, TakeAll(samples), 0, gradient);
    return gradient;
}

Eigen::MatrixXd
NetworkTask::GetInputGradient(ConstVectorRef theta,
                              const Eigen::MatrixXd& features,
                              const Eigen::VectorXd& labels) const
{
    CheckModel(theta);
    const Dataset samples = MakeSamples(features, labels);
    return m_objective->GetInputGradient(theta, samples, TakeAll(samples));
}

void
NetworkTask::CheckData() const
{
    Require(GetTrain().classes >= 2,
            "{}: data must have at least 2 classes, got {} in '{}'",
            GetInstanceTypeId().GetName(),
            GetTrain().classes,
            GetTrain().name);
}

ImageShape
NetworkTask::GetNamedShape() const
{
    if (m_channels == 0 && m_height == 0 && m_width == 0)
    {
        return GetTrain().shape;
    }
    const uint32_t features = GetTrain().GetFeatures();
    const ImageShape shape{m_channels, m_height, m_width};
    Require(m_channels != 0 && m_height != 0 && m_width != 0 && shape.GetSize() == features,
            "{}: Channels x Height x Width must all be 0 or give the {} features of the data, got "
            "{} x {} x {}{}",
            GetInstanceTypeId().GetName(),
            features,
            m_channels,
            m_height,
            m_width,
            shape.GetSize() > features
                ? "; for a LIBSVM file whose last pixels are 0 in all samples "
                  "the option features sets their number"
                : "");
    return shape;
}

} // namespace ns3::dlearn
