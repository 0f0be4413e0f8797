/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-linear-gaussian-data.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-type-id.h"

#include <memory>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LinearGaussianData, LocalData);

LinearGaussianData::LinearGaussianData() = default;

LinearGaussianData::~LinearGaussianData() = default;

void
LinearGaussianData::SetProblem(Ptr<const LinearGaussianProblem> problem,
                               uint32_t client,
                               uint32_t samples)
{
    const std::string where = "LinearGaussianData";
    Require(problem != nullptr, where, ": problem must be given, got null");
    problem->GetGamma(client); // refuses a client that is not there
    Require(samples >= 1, where, ": samples must be at least 1, got ", samples);
    const uint32_t dimension = problem->GetOptions().dimension;
    RequireDenseSize(where, dimension, samples);

    // A task knows its dimension by its data only.
    const auto empty = std::make_shared<Dataset>();
    empty->name = "linear-gaussian before the first round";
    empty->features = Eigen::MatrixXd::Zero(dimension, 1);
    empty->labels = Eigen::VectorXd::Zero(1);
    m_task = CreateObject<LeastSquaresTask>();
    m_task->SetData(empty, nullptr);

    m_problem = problem;
    m_client = client;
    m_samples = FirstSamples(samples);
}

void
LinearGaussianData::BeginRound(uint32_t round)
{
    Require(m_problem != nullptr, "LinearGaussianData: SetProblem() must come before BeginRound()");
    StartRound(round);
    const auto data = std::make_shared<Dataset>();
    data->name = "linear-gaussian";
    data->truth = m_problem->GetClientTruth(m_client, round);
    data->features.resize(data->truth.size(), static_cast<Eigen::Index>(m_samples.size()));
    DrawLinearGaussian(*data, m_problem->GetNoiseStd(m_client), *m_features, *m_noise);
    m_task->SetData(data, nullptr);
}

Ptr<const Task>
LinearGaussianData::GetTask() const
{
    Require(m_problem != nullptr, "LinearGaussianData: SetProblem() must come before GetTask()");
    return m_task;
}

const SampleIndices&
LinearGaussianData::GetSamples() const
{
    CheckStarted();
    return m_samples;
}

int64_t
LinearGaussianData::AssignStreams(int64_t stream)
{
    m_features->SetStream(stream);
    m_noise->SetStream(stream + 1);
    return 2;
}

} // namespace ns3::dlearn
