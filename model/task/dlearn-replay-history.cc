/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-replay-history.h"

#include "ns3/dlearn-check.h"

namespace ns3
{
namespace dlearn
{

ReplayHistory::ReplayHistory(const Task& task, uint32_t window) : m_task(task), m_window(window)
{
}

void ReplayHistory::Add(const SampleIndices& batch)
{
    m_task.CheckIndices(batch);
    SampleIndices& kept = m_samples.indices;
    if (m_window > 0 && m_sizes.size() == m_window)
    {
        kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(m_sizes.front()));
        m_sizes.pop_front();
    }
    kept.insert(kept.end(), batch.begin(), batch.end());
    m_sizes.push_back(batch.size());

    // Written from the sizes each time: scaling the old weights would pile up rounding errors.
    m_samples.weights.resize(static_cast<Eigen::Index>(kept.size()));
    Eigen::Index position = 0;
    for (size_t size : m_sizes)
    {
        const auto length = static_cast<Eigen::Index>(size);
        const double weight = 1.0 / (static_cast<double>(size) * m_sizes.size());
        m_samples.weights.segment(position, length).setConstant(weight);
        position += length;
    }
}

void ReplayHistory::Gradient(ConstVectorRef theta, VectorRef gradient) const
{
    Require(!m_sizes.empty(), "ReplayHistory: Gradient needs at least one batch, got none");
    m_task.Gradient(theta, m_samples, gradient);
}

uint32_t ReplayHistory::GetBatches() const
{
    return static_cast<uint32_t>(m_sizes.size());
}

uint64_t ReplayHistory::GetCost() const
{
    return m_samples.indices.size();
}

} // namespace dlearn
} // namespace ns3
