/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-unit.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(PrivacyUnit, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LearnerUnit, PrivacyUnit);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(BatchUnit, PrivacyUnit);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(SampleUnit, PrivacyUnit);

void
LearnerUnit::Setup(const SampleIndices& /* shard */, uint32_t /* window */)
{
}

void
LearnerUnit::Take(const SampleIndices& /* batch */)
{
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
BatchUnit::GetParts(size_t /* samples */) const
{
    return std::max(1U, m_batches);
}

Eigen::ArrayXd
BatchUnit::GetShares() const
{
    return Eigen::ArrayXd::Constant(1, 1.0 / std::max(1U, m_batches));
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

} // namespace ns3::dlearn
