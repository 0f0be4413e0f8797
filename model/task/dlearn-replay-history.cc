/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-replay-history.h"

#include "ns3/dlearn-check.h"

#include <algorithm>

namespace ns3::dlearn
{

ReplayHistory::ReplayHistory(const Task& task, uint32_t window)
    : m_task(task),
      m_window(window)
{
}

void
ReplayHistory::Add(const SampleIndices& batch)
{
    m_task.CheckIndices(batch);
    if (m_window > 0)
    {
        if (m_batches.size() == m_window)
        {
            Forget(m_batches.front());
            m_batches.pop_front();
        }
        m_batches.push_back(batch);
    }
    for (const uint32_t sample : batch)
    {
        ++m_draws[{sample, batch.size()}];
    }
    ++m_count;
    // Written from the counts each time: scaling the old weights would pile up rounding errors.
    m_samples.indices.clear();
    m_samples.weights.resize(static_cast<Eigen::Index>(m_draws.size()));
    for (const auto& [key, draws] : m_draws)
    {
        const auto& [sample, size] = key;
        const auto position = static_cast<Eigen::Index>(m_samples.indices.size());
        m_samples.weights[position] = draws / (static_cast<double>(size) * m_count);
        m_samples.indices.push_back(sample);
    }
}

void
ReplayHistory::Forget(const SampleIndices& batch)
{
    for (const uint32_t sample : batch)
    {
        const auto draws = m_draws.find({sample, batch.size()});
        if (--draws->second == 0)
        {
            m_draws.erase(draws);
        }
    }
    --m_count;
}

void
ReplayHistory::Gradient(ConstVectorRef theta, VectorRef gradient) const
{
    Require(m_count > 0, "ReplayHistory: Gradient needs at least one batch, got none");
    m_task.Gradient(theta, m_samples, gradient);
}

std::unique_ptr<GradientHistory>
CreateHistory(const Task& task, uint32_t window)
{
    std::unique_ptr<GradientHistory> history = task.CreateShortHistory(window);
    return history ? std::move(history) : std::make_unique<ReplayHistory>(task, window);
}

} // namespace ns3::dlearn
