/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-unit.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(PrivacyUnit);
NS_OBJECT_ENSURE_REGISTERED(LearnerUnit);
DLEARN_STATE_ENSURE_REGISTERED(LearnerUnit);
NS_OBJECT_ENSURE_REGISTERED(BatchUnit);
DLEARN_STATE_ENSURE_REGISTERED(BatchUnit);
NS_OBJECT_ENSURE_REGISTERED(SampleUnit);
DLEARN_STATE_ENSURE_REGISTERED(SampleUnit);

TypeId
PrivacyUnit::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::PrivacyUnit").SetParent<Object>().SetGroupName("Dlearn");
    return tid;
}

TypeId
LearnerUnit::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::LearnerUnit")
                            .SetParent<PrivacyUnit>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<LearnerUnit>();
    return tid;
}

void
LearnerUnit::Setup(const SampleIndices& /* shard */, uint32_t /* window */)
{
}

void
LearnerUnit::Take(const SampleIndices& /* batch */)
{
}

uint32_t
LearnerUnit::GetUnits() const
{
    return 1;
}

uint32_t
LearnerUnit::GetParts(size_t /* samples */) const
{
    return 1;
}

Eigen::ArrayXd
LearnerUnit::GetShares() const
{
    return Eigen::ArrayXd::Ones(1);
}

TypeId
BatchUnit::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::BatchUnit")
                            .SetParent<PrivacyUnit>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<BatchUnit>();
    return tid;
}

void
BatchUnit::Setup(const SampleIndices& /* shard */, uint32_t window)
{
    m_window = window;
}

void
BatchUnit::Take(const SampleIndices& /* batch */)
{
    m_batches = m_window > 0 ? std::min(m_batches + 1, m_window) : m_batches + 1;
}

uint32_t
BatchUnit::GetUnits() const
{
    return 1;
}

uint32_t
BatchUnit::GetParts(size_t /* samples */) const
{
    return std::max(1U, m_batches);
}

Eigen::ArrayXd
BatchUnit::GetShares() const
{
    return Eigen::ArrayXd::Constant(1, 1.0 / std::max(1U, m_batches));
}

TypeId
SampleUnit::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::SampleUnit")
                            .SetParent<PrivacyUnit>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<SampleUnit>();
    return tid;
}

void
SampleUnit::Setup(const SampleIndices& shard, uint32_t window)
{
    m_window = window;
    for (const uint32_t position : shard)
    {
        m_places.emplace(position, static_cast<uint32_t>(m_places.size()));
    }
    Require(!m_places.empty(), "SampleUnit: the shard must not be empty");
    m_sums = Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(m_places.size()));
}

void
SampleUnit::Count(const SampleIndices& batch)
{
    for (const uint32_t position : batch)
    {
        m_sums[m_places.at(position)] += 1 / static_cast<double>(batch.size());
    }
}

void
SampleUnit::Take(const SampleIndices& batch)
{
    Require(!batch.empty(), "SampleUnit: a batch must not be empty");
    if (m_window > 0)
    {
        m_kept.push_back(batch);
        if (m_kept.size() > m_window)
        {
            m_kept.pop_front();
        }
        // Summed again each time: subtracting old parts would leave rounding errors.
        m_sums.setZero();
        for (const SampleIndices& kept : m_kept)
        {
            Count(kept);
        }
        m_batches = static_cast<uint32_t>(m_kept.size());
        return;
    }
    Count(batch);
    ++m_batches;
}

uint32_t
SampleUnit::GetUnits() const
{
    return static_cast<uint32_t>(m_places.size());
}

uint32_t
SampleUnit::GetParts(size_t samples) const
{
    return static_cast<uint32_t>(samples);
}

Eigen::ArrayXd
SampleUnit::GetShares() const
{
    return m_sums / std::max(1U, m_batches);
}

void
BatchUnit::VisitState(StateArchive& archive)
{
    archive(m_batches);
}

void
SampleUnit::VisitState(StateArchive& archive)
{
    archive(m_batches, m_kept, m_sums);
}

} // namespace ns3::dlearn
