/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-recorded-noise.h"

#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(RecordedNoise);

TypeId
RecordedNoise::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::RecordedNoise")
                            .SetParent<NoiseMechanism>()
                            .SetGroupName("DlearnAudit")
                            .AddConstructor<RecordedNoise>()
                            .HideFromDocumentation();
    return tid;
}

void
RecordedNoise::DoDispose()
{
    m_inner = nullptr;
    NoiseMechanism::DoDispose();
}

NoiseLaw
RecordedNoise::GetLaw() const
{
    return m_inner->GetLaw();
}

double
RecordedNoise::DoGetScale(uint32_t round) const
{
    return m_inner->GetScale(round);
}

void
RecordedNoise::Perturb(uint32_t round, VectorRef vector)
{
    NoiseRecord record{round, vector, {}};
    if (!m_absorbs)
    {
        m_inner->Perturb(round, vector);
    }
    else
    {
        if (m_records.size() >= m_targets.size() ||
            m_targets[m_records.size()].record.round != round)
        {
            throw std::logic_error("RecordedNoise: the audited run released nothing in round " +
                                   std::to_string(round));
        }
        const Target& target = m_targets[m_records.size()];
        const NoiseRecord& first = target.record;
        vector =
            target.told
                ? first.after
                : ModelVector((record.before + first.after - first.before).array() + target.shift);
    }
    record.after = vector;
    m_records.push_back(std::move(record));
}

int64_t
RecordedNoise::AssignStreams(int64_t stream)
{
    return m_inner->AssignStreams(stream);
}

void
RecordedNoise::Absorb(std::vector<Target> targets)
{
    m_absorbs = true;
    m_targets = std::move(targets);
}

} // namespace ns3::dlearn
