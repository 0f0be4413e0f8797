/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-local-data.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LocalData, Object);

void
LocalData::StartRound(uint32_t round)
{
    Require(!m_started || round > m_lastRound,
            "{}: round must be greater than {}, got {}",
            GetInstanceTypeId(),
            m_lastRound,
            round);
    m_started = true;
    m_lastRound = round;
}

void
LocalData::CheckStarted() const
{
    Require(m_started, GetInstanceTypeId(), ": BeginRound() must come before GetSamples()");
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ShardData, LocalData);

void
ShardData::SetShard(Ptr<const Task> task, SampleIndices shard, uint32_t samples)
{
    RequireUnused("the shard");
    Require(task != nullptr, "ShardData: task must be given, got null");
    Require(!shard.empty(), "ShardData: shard must not be empty");
    task->CheckIndices(shard);
    SampleIndices sorted(shard);
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    Require(twice == sorted.end(),
            "ShardData: shard must name no sample twice, got {} twice",
            twice == sorted.end() ? 0 : *twice);
    const auto size = static_cast<uint32_t>(shard.size());
    m_count = samples == 0 ? size : std::min(samples, size);
    m_task = task;
    m_order = std::move(shard);
}

void
ShardData::BeginRound(uint32_t round)
{
    StartRound(round);
    if (m_drift)
    {
        m_order = m_drift->Choose(m_task->GetTrain(), m_shard, round);
    }
    Shuffle(m_order, *m_random);
    m_samples.assign(m_order.begin(), m_order.begin() + m_count);
    SampleIndices pass = m_samples;
    for (uint32_t epoch = 1; epoch < m_epochs; ++epoch)
    {
        Shuffle(pass, *m_random);
        m_samples.insert(m_samples.end(), pass.begin(), pass.end());
    }
    if (m_isOther && m_isOther(round))
    {
        for (uint32_t& sample : m_samples)
        {
            sample += m_offset;
        }
    }
}

void
ShardData::SetDrift(Ptr<const DataDrift> drift)
{
    RequireUnused("the drift");
    m_shard = std::move(m_order);
    m_order = drift->Choose(m_task->GetTrain(), m_shard, 0);
    m_task->CheckIndices(m_order);
    m_count = std::min(m_count, static_cast<uint32_t>(m_order.size()));
    m_drift = drift;
}

void
ShardData::SetOther(uint32_t offset, std::function<bool(uint32_t round)> isOther)
{
    RequireUnused("other samples");
    m_task->CheckIndices({*std::max_element(m_order.begin(), m_order.end()) + offset});
    m_offset = offset;
    m_isOther = std::move(isOther);
}

void
ShardData::SetEpochs(uint32_t epochs)
{
    RequireUnused("the number of epochs");
    Require(epochs >= 1, "ShardData: epochs must be at least 1, got ", epochs);
    m_epochs = epochs;
}

void
ShardData::RequireUnused(const char* what) const
{
    Require(!IsClaimed(*this),
            "ShardData: {} cannot change any more after set-up of the client, which has read it",
            what);
}

Ptr<const Task>
ShardData::GetTask() const
{
    Require(m_task != nullptr, "ShardData: SetShard() must come before GetTask()");
    return m_task;
}

const SampleIndices&
ShardData::GetSamples() const
{
    CheckStarted();
    return m_samples;
}

int64_t
ShardData::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LinearGaussianProblem, Object);

int64_t
LinearGaussianProblem::AssignStreams(int64_t stream)
{
    m_places->SetStream(stream);
    m_values->SetStream(stream + 1);
    m_gammaEntries->SetStream(stream + 2);
    m_driftEntries->SetStream(stream + 3);
    return 4;
}

void
LinearGaussianProblem::Draw(const LinearGaussianProblemOptions& options)
{
    const std::string where = "LinearGaussianProblem";
    Require(options.clients >= 1, "{}: clients must be at least 1, got {}", where, options.clients);
    Require(options.dimension >= 1,
            "{}: dimension must be at least 1, got {}",
            where,
            options.dimension);
    Require(options.sparsity <= options.dimension,
            "{}: sparsity must be at most {} (dimension), got {}",
            where,
            options.dimension,
            options.sparsity);
    RequireNonNegative(where, "initialError", options.initialError);
    RequireNonNegative(where, "heterogeneity", options.heterogeneity);
    RequireNonNegative(where, "drift", options.drift);
    Require(options.noiseStds.size() == 1 || options.noiseStds.size() == options.clients,
            "{}: noiseStds must have 1 entry or {}, one a client, got {}",
            where,
            options.clients,
            options.noiseStds.size());
    for (const double noiseStd : options.noiseStds)
    {
        RequireNonNegative(where, "noiseStds", noiseStd);
    }
    const bool isOdd = options.clients % 2 == 1;
    Require(options.heterogeneity == 0 || options.clients > 1,
            "{}: heterogeneity must be 0 for 1 client, which has no other to differ from, got {}",
            where,
            options.heterogeneity);
    Require(options.heterogeneity == 0 || !isOdd || options.dimension > 1,
            "{}: heterogeneity must be 0 for an odd number of clients in 1 dimension, where no "
            "gammas of equal size sum to 0, got {}",
            where,
            options.heterogeneity);
    m_options = options;
    const uint32_t nonZeros = options.sparsity > 0 ? options.sparsity : options.dimension;
    const ModelVector truth =
        DrawSparse(options.dimension, nonZeros, *m_places, *m_values).normalized();
    m_initialModel = (1 - std::sqrt(options.initialError)) * truth;
    DrawGammas();
    m_truths.push_back(truth);
}

ModelVector
LinearGaussianProblem::DrawDirection() const
{
    ModelVector direction(m_options.dimension);
    for (auto& entry : direction)
    {
        entry = m_gammaEntries->GetValue(0, 1);
    }
    return direction.normalized();
}

void
LinearGaussianProblem::DrawGammas()
{
    const uint32_t clients = m_options.clients;
    const double size = m_options.heterogeneity;
    if (size == 0)
    {
        m_gammas.assign(clients, ModelVector::Zero(m_options.dimension));
        return;
    }
    const uint32_t paired = clients % 2 == 0 ? clients : clients - 3;
    while (m_gammas.size() < paired)
    {
        const ModelVector gamma = size * DrawDirection();
        m_gammas.push_back(gamma);
        m_gammas.push_back(-gamma);
    }
    if (paired < clients)
    {
        const ModelVector first = DrawDirection();
        const ModelVector other = DrawDirection();
        const ModelVector second = (other - first.dot(other) * first).normalized();
        const ModelVector half = -0.5 * size * first;
        const ModelVector side = std::sqrt(0.75) * size * second;
        m_gammas.emplace_back(size * first);
        m_gammas.emplace_back(half + side);
        m_gammas.emplace_back(half - side);
    }
}

const ModelVector&
LinearGaussianProblem::GetTruth(uint32_t round) const
{
    if (m_options.drift == 0)
    {
        return m_truths.front();
    }
    const Eigen::Array<bool, Eigen::Dynamic, 1> support = m_truths.front().array() != 0;
    const double scale = m_options.drift / std::sqrt(static_cast<double>(support.count()));
    while (m_truths.size() <= round)
    {
        ModelVector truth = m_truths.back();
        for (Eigen::Index entry = 0; entry < truth.size(); ++entry)
        {
            if (support[entry])
            {
                truth[entry] += scale * m_driftEntries->GetValue(0, 1);
            }
        }
        m_truths.push_back(truth);
    }
    return m_truths[round];
}

double
LinearGaussianProblem::GetNoiseStd(uint32_t client) const
{
    return m_options.noiseStds.size() == 1 ? m_options.noiseStds.front()
                                           : m_options.noiseStds[client];
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LinearGaussianData, LocalData);

void
LinearGaussianData::SetProblem(Ptr<const LinearGaussianProblem> problem,
                               uint32_t client,
                               uint32_t samples)
{
    Require(samples >= 1, "LinearGaussianData: samples must be at least 1, got {}", samples);
    const uint32_t dimension = problem->GetOptions().dimension;
    RequireDenseSize("LinearGaussianData", dimension, samples);
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
    StartRound(round);
    const auto data = std::make_shared<Dataset>();
    data->name = "linear-gaussian";
    data->truth = m_problem->GetClientTruth(m_client, round);
    data->features.resize(data->truth.size(), static_cast<Eigen::Index>(m_samples.size()));
    DrawLinearGaussian(*data, m_problem->GetNoiseStd(m_client), *m_features, *m_noise);
    m_task->SetData(data, nullptr);
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
