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

namespace
{

/** @return how many channels, rows and columns an image has */
std::string
FormatShape(const ImageShape& shape)
{
    return std::to_string(shape.channels) + " x " + std::to_string(shape.height) + " x " +
           std::to_string(shape.width);
}

} // namespace

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
        TypeId("ns3::dlearn::Task")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
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
            GetInstanceTypeId().GetName(),
            ": ",
            attribute,
            " cannot change any more, as a privacy account counts on it");
}

void
Task::FixData() const
{
    FixConstants();
    m_dataFixed = true;
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
                name,
                ": test data must have ",
                train->GetFeatures(),
                " features as the training data have, got ",
                test->GetFeatures());
        const bool images = train->shape.GetSize() > 0 && test->shape.GetSize() > 0;
        Require(!images || FormatShape(test->shape) == FormatShape(train->shape),
                name,
                ": test images must have ",
                FormatShape(train->shape),
                " pixels as the training images have, got ",
                FormatShape(test->shape));
        Require(test->classes == train->classes,
                name,
                ": test data must have ",
                train->classes,
                " classes as the training data have, got ",
                test->classes);
    }

    m_train.swap(train);
    m_test.swap(test);
    const double maxNorm = std::exchange(m_maxNorm, m_train->GetMaxNorm());
    try
    {
        CheckData();
    }
    catch (...)
    {
        m_train.swap(train);
        m_test.swap(test);
        m_maxNorm = maxNorm;
        throw;
    }
    AdoptData();
}

const Dataset&
Task::GetTrain() const
{
    Require(m_train != nullptr, GetInstanceTypeId(), ": SetData must be called first");
    return *m_train;
}

const Dataset&
Task::GetTest() const
{
    return m_test ? *m_test : GetTrain();
}

void
Task::Gradient(ConstVectorRef theta, const WeightedSamples& samples, VectorRef gradient) const
{
    ClippedGradient(theta, samples, m_clipNorm, gradient);
    if (m_clipNorm > 0 && !gradient.allFinite())
    {
        AddFiniteGradients(theta, samples, gradient);
    }
}

void
Task::AddFiniteGradients(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         VectorRef gradient) const
{
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

void
Task::BatchGradient(ConstVectorRef theta, const SampleIndices& samples, VectorRef gradient) const
{
    Gradient(theta, EqualWeights(samples), gradient);
}

double
Task::GetSensitivity() const
{
    const double bound = GetGradientBound();
    return 2 * (m_clipNorm > 0 ? std::min(m_clipNorm, bound) : bound);
}

double
Task::GetSmoothness() const
{
    return std::numeric_limits<double>::infinity();
}

ModelVector
Task::DrawInitialModel(int64_t /* stream */) const
{
    return ModelVector::Zero(GetDimension());
}

std::unique_ptr<GradientHistory>
Task::CreateShortHistory(uint32_t /* window */) const
{
    return nullptr;
}

void
Task::CheckIndices(const SampleIndices& indices) const
{
    const uint32_t size = GetTrain().GetSize();
    Require(!indices.empty(), GetInstanceTypeId(), ": at least one sample is needed, got none");
    const uint32_t largest = *std::max_element(indices.begin(), indices.end());
    Require(largest < size,
            GetInstanceTypeId(),
            ": sample index must be less than ",
            size,
            ", got ",
            largest);
}

void
Task::CheckSize(const char* name, ConstVectorRef vector) const
{
    Require(vector.size() == static_cast<Eigen::Index>(GetDimension()),
            GetInstanceTypeId(),
            ": ",
            name,
            " must have ",
            GetDimension(),
            " entries, got ",
            vector.size());
}

void
Task::CheckModel(ConstVectorRef theta) const
{
    CheckSize("theta", theta);
    if (!theta.allFinite())
    {
        Eigen::Index entry = 0;
        while (std::isfinite(theta[entry]))
        {
            ++entry;
        }
        Require(false,
                GetInstanceTypeId(),
                ": theta must be finite (has the iteration diverged?), got theta[",
                entry,
                "] = ",
                theta[entry]);
    }
}

void
Task::AdoptData()
{
}

void
Task::CheckSamples(const WeightedSamples& samples) const
{
    CheckIndices(samples.indices);
    Require(samples.weights.size() == static_cast<Eigen::Index>(samples.indices.size()),
            GetInstanceTypeId(),
            ": weights must have ",
            samples.indices.size(),
            " entries, one an index, got ",
            samples.weights.size());
    for (double weight : samples.weights)
    {
        Require(weight >= 0 && std::isfinite(weight),
                GetInstanceTypeId(),
                ": weights must be finite and at least 0, got ",
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
            GetInstanceTypeId(),
            ": clipNorm must be finite and at least 0, got ",
            clipNorm);
}

std::optional<ModelVector>
ConvexTask::SolveFrom(ConstVectorRef /* start */, const WeightedSamples& /* samples */) const
{
    return std::nullopt;
}

double
ConvexTask::GetCurvature() const
{
    return GetRegularization();
}

} // namespace ns3::dlearn
