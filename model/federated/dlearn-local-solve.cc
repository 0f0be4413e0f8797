/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-local-solve.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-newton.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LocalSolve, LocalTraining);

void
LocalSolve::CheckAttributes() const
{
    Require(DynamicCast<const ConvexTask>(m_task) != nullptr,
            "LocalSolve: the task must be a ConvexTask, got ",
            m_task->GetInstanceTypeId().GetName());
}

uint64_t
LocalSolve::GetWork() const
{
    const uint64_t samples = m_data->GetRoundSize();
    return samples * std::min<uint64_t>(samples, m_task->GetDimension());
}

ModelVector
LocalSolve::Train(const ModelVector& start, const SampleIndices& samples) const
{
    // No copy of a Ptr: this may run on another thread.
    const auto& task = dynamic_cast<const ConvexTask&>(*m_task);
    return MinimizeFrom(task, start, EqualWeights(samples));
}

} // namespace ns3::dlearn
