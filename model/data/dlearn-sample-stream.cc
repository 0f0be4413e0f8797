/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sample-stream.h"

#include "ns3/dlearn-check.h"

#include <iterator>
#include <utility>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(SampleStream);

TypeId
SampleStream::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::SampleStream")
                            .SetParent<Object>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<SampleStream>();
    return tid;
}

SampleStream::SampleStream()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

SampleStream::~SampleStream() = default;

void
SampleStream::SetShard(SampleIndices shard, uint32_t batchSize)
{
    Require(!shard.empty(), "SampleStream: shard must not be empty");
    Require(batchSize >= 1, "SampleStream: batch size must be at least 1, got ", batchSize);
    // The log would mix draws of two shards, and no evaluation could tell them apart.
    Require(m_logSizes.empty(),
            "SampleStream: the shard must not change once samples were drawn, got a new one after ",
            m_logSizes.size(),
            " rounds");
    m_shard = std::move(shard);
    m_batchSize = batchSize;
}

SampleIndices
SampleStream::Draw(uint32_t round)
{
    Require(!m_shard.empty(), "SampleStream: SetShard() must come before Draw()");
    if (!m_logSizes.empty())
    {
        const uint32_t last = m_logSizes.rbegin()->first;
        Require(round > last, "SampleStream: round must be greater than ", last, ", got ", round);
    }
    SampleIndices batch(m_batchSize);
    const auto largest = static_cast<uint32_t>(m_shard.size() - 1);
    for (auto& sample : batch)
    {
        sample = m_shard[m_random->GetInteger(0, largest)];
    }
    m_log.insert(m_log.end(), batch.begin(), batch.end());
    m_logSizes.emplace_hint(m_logSizes.end(), round, m_log.size());
    return batch;
}

const SampleIndices&
SampleStream::GetLog() const
{
    return m_log;
}

size_t
SampleStream::GetLogSize(uint32_t round) const
{
    const auto next = m_logSizes.upper_bound(round);
    return next == m_logSizes.begin() ? 0 : std::prev(next)->second;
}

const SampleIndices&
SampleStream::GetShard() const
{
    return m_shard;
}

uint32_t
SampleStream::GetBatchSize() const
{
    return m_batchSize;
}

int64_t
SampleStream::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace dlearn
} // namespace ns3
