/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-task.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-compute-pool.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Task);

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ConvexTask, Task);

WeightedSamples
EqualWeights(SampleIndices indices)
{
    const auto size = static_cast<Eigen::Index>(indices.size());
    const double weight = 1.0 / static_cast<double>(indices.size());
    return {std::move(indices), ModelVector::Constant(size, weight)};
}

TypeId
Task::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<Task, Object>("ns3::dlearn::Task")
            .AddAttribute("Regularization",
                          "Factor r >= 0 of the term r/2 ||theta||^2 that is added to the loss.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Task::SetRegularization, &Task::GetRegularization),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("ClipNorm",
                          "Largest Euclidean norm of one sample's gradient: a longer one is "
                          "scaled to this norm before it is averaged. 0 does not change "
                          "gradients.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Task::SetClipNorm, &Task::GetClipNorm),
                          MakeDoubleChecker<double>(0));
    return tid;
}

void
Task::SetRegularization(double factor)
{
    RequireChangeable("Regularization", factor == m_regularization);
    ComputePool::Get().Settle();
    m_regularization = factor;
}

void
Task::SetClipNorm(double norm)
{
    RequireChangeable("ClipNorm", norm == m_clipNorm);
    ComputePool::Get().Settle();
    m_clipNorm = norm;
}

void
Task::RequireChangeable(const char* attribute, bool same) const
{
    Require(same || !m_fixed,
            "{}: {} cannot change any more, as a privacy account counts on it",
            GetInstanceTypeId().GetName(),
            attribute);
}

void
Task::SetData(DatasetPtr train, DatasetPtr test)
{
    RequireChangeable("the data", !m_dataFixed);
    const std::string name = GetInstanceTypeId().GetName();
    // Some releases of ns-3 do not run the checker on values given in brackets after a type.
    RequireNonNegative(name, "Regularization", m_regularization);
    RequireNonNegative(name, "ClipNorm", m_clipNorm);
    Require(train != nullptr, name, ": training data must be given, got null");
    Require(train->GetSize() > 0, name, ": training data must not be empty");
    train->Validate();
    if (test && test != train)
    {
        Require(test->GetSize() > 0, name, ": test data must not be empty");
        test->Validate();
        Require(test->GetFeatures() == train->GetFeatures(),
                "{}: test data must have {} features as the training data have, got {}",
                name,
                train->GetFeatures(),
                test->GetFeatures());
        Require(test->shape.GetSize() == 0 || train->shape.GetSize() == 0 ||
                    test->shape.Format() == train->shape.Format(),
                "{}: test images must have {} pixels as the training images have, got {}",
                name,
                train->shape.Format(),
                test->shape.Format());
        Require(test->classes == train->classes,
                "{}: test data must have {} classes as the training data have, got {}",
                name,
                train->classes,
                test->classes);
    }
    m_train = train;
    m_test = test;
    m_maxNorm = train->GetMaxNorm();
    CheckData();
    AdoptData();
}

const Dataset&
Task::GetTrain() const
{
    Require(m_train != nullptr, GetInstanceTypeId(), ": SetData must be called first");
    return *m_train;
}

void
Task::Gradient(ConstVectorRef theta, const WeightedSamples& samples, VectorRef gradient) const
{
    ClippedGradient(theta, samples, m_clipNorm, gradient);
    if (m_clipNorm == 0 || gradient.allFinite())
    {
        return;
    }
    gradient = m_regularization * theta;
    ModelVector one(theta.size());
    for (size_t k = 0; k < samples.indices.size(); ++k)
    {
        ClippedGradient(theta, EqualWeights({samples.indices[k]}), m_clipNorm, one);
        if (one.allFinite())
        {
            gradient += samples.weights[static_cast<Eigen::Index>(k)] *
                        (one - m_regularization * theta); // which is part of every gradient
        }
    }
}

double
Task::GetSensitivity() const
{
    const double bound = GetGradientBound();
    return 2 * (m_clipNorm > 0 ? std::min(m_clipNorm, bound) : bound);
}

void
Task::CheckIndices(const SampleIndices& indices) const
{
    const uint32_t size = GetTrain().GetSize();
    Require(!indices.empty(), GetInstanceTypeId(), ": at least one sample is needed, got none");
    const uint32_t largest = *std::max_element(indices.begin(), indices.end());
    Require(largest < size,
            "{}: sample index must be less than {}, got {}",
            GetInstanceTypeId(),
            size,
            largest);
}

void
Task::CheckSize(const char* name, ConstVectorRef vector) const
{
    Require(vector.size() == static_cast<Eigen::Index>(GetDimension()),
            "{}: {} must have {} entries, got {}",
            GetInstanceTypeId(),
            name,
            GetDimension(),
            vector.size());
}

void
Task::CheckModel(ConstVectorRef theta) const
{
    CheckSize("theta", theta);
    if (!theta.allFinite())
    {
        const auto entry = std::find_if_not(theta.begin(), theta.end(), [](double number) {
            return std::isfinite(number);
        });
        Require(false,
                "{}: theta must be finite (has the iteration diverged?), got theta[{}] = {}",
                GetInstanceTypeId(),
                entry - theta.begin(),
                *entry);
    }
}

void
Task::CheckSamples(const WeightedSamples& samples) const
{
    CheckIndices(samples.indices);
    Require(samples.weights.size() == static_cast<Eigen::Index>(samples.indices.size()),
            "{}: weights must have {} entries, one an index, got {}",
            GetInstanceTypeId(),
            samples.indices.size(),
            samples.weights.size());
    for (double weight : samples.weights)
    {
        Require(weight >= 0 && std::isfinite(weight),
                "{}: weights must be finite and at least 0, got {}",
                GetInstanceTypeId(),
                weight);
    }
}

void
Task::CheckGradient(ConstVectorRef theta,
                    const WeightedSamples& samples,
                    double clipNorm,
                    ConstVectorRef gradient) const
{
    CheckModel(theta);
    CheckSamples(samples);
    CheckSize("gradient", gradient);
    Require(clipNorm >= 0 && std::isfinite(clipNorm),
            "{}: clipNorm must be finite and at least 0, got {}",
            GetInstanceTypeId(),
            clipNorm);
}

Dataset
SampleLoss::MakeSamples(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels) const
{
    RequireSize("SampleLoss", "a sample", features.rows(), GetInputs());
    Require(features.cols() > 0, "SampleLoss: there must be at least 1 sample");
    Dataset samples;
    samples.name = "given samples";
    samples.features = features;
    samples.labels = labels;
    samples.classes = GetClasses();
    samples.Validate();
    return samples;
}

} // namespace ns3::dlearn
