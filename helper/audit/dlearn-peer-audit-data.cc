/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-audit-data.h"

#include "ns3/dlearn-linear-task.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/double.h"

#include <cmath>
#include <memory>

namespace ns3::dlearn
{

namespace
{

constexpr int64_t DATA_STREAM = 0;     //!< features
constexpr int64_t SAMPLE_STREAM = 100; //!< samples of each learner

} // namespace

PeerAuditData::PeerAuditData(const PeerAuditPlan& plan, UniformRandomVariable& random)
    : m_plan(plan)
{
    // Where one batch differs, its samples should not be those of another batch, too.
    const uint32_t shard = random.GetValue(0, 1) < 0.5 ? 400 : 8;
    const uint32_t samples = shard * m_plan.learners;
    const auto normal = CreateSeeded<NormalRandomVariable>(DATA_STREAM, 1);
    Eigen::MatrixXd features(m_plan.dimension, samples);
    for (Eigen::Index k = 0; k < features.size(); ++k)
    {
        features.data()[k] = normal->GetValue();
    }
    if (m_plan.tight)
    {
        // All in one direction, in which 1-norm and 2-norm differ most.
        const double entry = 1 / std::sqrt(static_cast<double>(m_plan.dimension));
        features.colwise() = ModelVector(features.col(0).array().sign() * entry);
    }
    else
    {
        features.colwise().normalize();
    }
    Eigen::VectorXd labels = Eigen::VectorXd::Zero(samples);
    for (double& label : labels)
    {
        label = random.GetInteger(0, 1);
    }
    m_task = MakeTask(features, labels);
    m_shards.assign(m_plan.learners, {});
    for (uint32_t sample = 0; sample < samples; ++sample)
    {
        m_shards[sample % m_plan.learners].push_back(sample);
    }
}

Ptr<Task>
PeerAuditData::MakeTask(const Eigen::MatrixXd& features, const Eigen::VectorXd& labels) const
{
    auto data = std::make_shared<Dataset>();
    data->name = "audit";
    data->features = features;
    data->labels = labels;
    Ptr<Task> task;
    if (m_plan.tight)
    {
        task = CreateObject<LinearTask>();
        task->SetAttribute("Regularization", DoubleValue(m_plan.regularization));
    }
    else
    {
        data->classes = 2;
        task = CreateObject<LogisticTask>();
        task->SetAttribute("ClipNorm", DoubleValue(m_plan.clip));
        task->SetAttribute("Regularization", DoubleValue(0.05));
    }
    task->SetData(data, nullptr);
    return task;
}

Ptr<SampleStream>
PeerAuditData::MakeStream(LearnerId id) const
{
    const auto stream = CreateObject<SampleStream>();
    stream->SetShard(m_shards[id], m_plan.batch);
    stream->AssignStreams(SAMPLE_STREAM + id);
    return stream;
}

Ptr<Task>
PeerAuditData::MakeNeighbour(const SampleIndices& samples) const
{
    Eigen::MatrixXd features = m_task->GetTrain().features;
    Eigen::VectorXd labels = m_task->GetTrain().labels;
    for (const uint32_t sample : samples)
    {
        if (m_plan.tight)
        {
            features.col(sample) *= -1;
        }
        else
        {
            labels[sample] = 1 - labels[sample];
        }
    }
    return MakeTask(features, labels);
}

} // namespace ns3::dlearn
