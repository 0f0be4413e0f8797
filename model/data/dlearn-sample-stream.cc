/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sample-stream.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-type-id.h"

#include <iterator>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(SampleStream);

TypeId
SampleStream::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<SampleStream, Object>("ns3::dlearn::SampleStream")
            .AddAttribute("Replacement",
                          "Whether every sample is drawn from the whole shard; "
                          "else in passes, each once before any is repeated, "
                          "which bounds how much the run discloses about one record. "
                          "Rules that draw different samples in each round need the default.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&SampleStream::m_replacement),
                          MakeBooleanChecker());
    return tid;
}

void
SampleStream::SetShard(SampleIndices shard, uint32_t batchSize)
{
    Require(!shard.empty(), "SampleStream: shard must not be empty");
    Require(batchSize >= 1, "SampleStream: batch size must be at least 1, got ", batchSize);
    Require(m_logSizes.empty(),
            "SampleStream: the shard must not change once samples were drawn, got a new one after "
            "{} rounds",
            m_logSizes.size());
    m_shard = std::move(shard);
    m_present = m_shard;
    m_batchSize = batchSize;
}

void
SampleStream::SetDrift(Ptr<const DataDrift> drift, DatasetPtr data)
{
    Require(m_replacement, "SampleStream: Replacement=false needs data that do not change");
    m_drift = drift;
    m_data = data;
}

void
SampleStream::CheckRound(uint32_t round) const
{
    Require(!m_shard.empty(), "SampleStream: SetShard() must come before Draw()");
    if (!m_logSizes.empty())
    {
        const uint32_t last = m_logSizes.rbegin()->first;
        Require(round > last, "SampleStream: round must be greater than {}, got {}", last, round);
    }
}

SampleIndices
SampleStream::Draw(uint32_t round)
{
    CheckRound(round);
    Require(m_shuffled.empty(), "SampleStream: Draw() must not follow DrawDistinct()");
    if (m_drift)
    {
        m_present = m_drift->Choose(*m_data, m_shard, round);
    }
    SampleIndices batch(m_batchSize);
    for (auto& sample : batch)
    {
        sample = DrawOne();
    }
    m_log.insert(m_log.end(), batch.begin(), batch.end());
    m_logSizes.emplace_hint(m_logSizes.end(), round, m_log.size());
    return batch;
}

uint32_t
SampleStream::DrawOne()
{
    if (m_replacement)
    {
        return m_present[m_random->GetInteger(0, static_cast<uint32_t>(m_present.size() - 1))];
    }
    if (m_passed == m_pass.size())
    {
        m_pass = m_shard;
        ShuffleFirst(m_pass, m_pass.size(), *m_random);
        m_passed = 0;
    }
    return m_pass[m_passed++];
}

SampleIndices
SampleStream::DrawDistinct(uint32_t round, uint32_t count)
{
    CheckRound(round);
    Require(count >= 1 && count <= m_shard.size(),
            "SampleStream: different samples of a round must be between 1 and the size of the "
            "shard, {}, got {}",
            m_shard.size(),
            count);
    if (m_shuffled.empty())
    {
        Require(m_log.empty(), "SampleStream: DrawDistinct() must not follow Draw()");
        m_shuffled = m_shard;
        m_log = m_shard;
    }
    if (m_logSizes.size() > 1)
    {
        m_logSizes.erase(std::prev(m_logSizes.end())); // the log is the same since the first round
    }
    m_logSizes[round] = m_log.size();
    if (count == m_shard.size())
    {
        return m_shard;
    }
    ShuffleFirst(m_shuffled, count, *m_random);
    return {m_shuffled.begin(), m_shuffled.begin() + count};
}

size_t
SampleStream::GetLogSize(uint32_t round) const
{
    const auto next = m_logSizes.upper_bound(round);
    return next == m_logSizes.begin() ? 0 : std::prev(next)->second;
}

SampleStream::Draws
SampleStream::GetDraws(size_t first) const
{
    Draws draws;
    draws.samples.assign(m_log.begin() + first, m_log.end());
    for (auto size = m_logSizes.rbegin(); size != m_logSizes.rend() && size->second > first; ++size)
    {
        draws.sizes.insert(*size);
    }
    return draws;
}

void
SampleStream::AddDraws(const Draws& draws)
{
    m_log.insert(m_log.end(), draws.samples.begin(), draws.samples.end());
    m_logSizes.insert(draws.sizes.begin(), draws.sizes.end());
}

int64_t
SampleStream::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
