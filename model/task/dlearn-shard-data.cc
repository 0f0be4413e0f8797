/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-shard-data.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ShardData, LocalData);

ShardData::ShardData()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

ShardData::~ShardData() = default;

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
            "ShardData: shard must name no sample twice, got ",
            twice == sorted.end() ? 0 : *twice,
            " twice");
    const auto size = static_cast<uint32_t>(shard.size());
    m_count = samples == 0 ? size : std::min(samples, size);
    m_task = task;
    m_order = std::move(shard);
}

void
ShardData::BeginRound(uint32_t round)
{
    Require(m_task != nullptr, "ShardData: SetShard() must come before BeginRound()");
    StartRound(round);
    Shuffle(m_order, *m_random);
    m_samples.assign(m_order.begin(), m_order.begin() + m_count);
    SampleIndices pass = m_samples;
    for (uint32_t epoch = 1; epoch < m_epochs; ++epoch)
    {
        Shuffle(pass, *m_random);
        m_samples.insert(m_samples.end(), pass.begin(), pass.end());
    }
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
            "ShardData: ",
            what,
            " cannot change any more after set-up of the client, which has read it");
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

} // namespace ns3::dlearn
