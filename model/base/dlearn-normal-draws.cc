/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-normal-draws.h"

#include "dlearn-state-archive.h"
#include "dlearn-stream-position.h"

#include <utility>

namespace ns3::dlearn
{

NormalDraws::NormalDraws(Ptr<NormalRandomVariable> random)
    : m_random(random)
{
}

void
NormalDraws::SetStream(int64_t stream)
{
    m_random->SetStream(stream);
    m_half = false; // though ns-3 keeps a number of the stream before, no number has been drawn yet
}

double
NormalDraws::GetValue()
{
    if (!m_half)
    {
        m_before = GetStreamPosition(*m_random);
    }
    m_half = !m_half;
    return m_random->GetValue();
}

void
NormalDraws::VisitState(StateArchive& archive)
{
    std::string position =
        archive.IsLoading() ? "" : (m_half ? m_before : GetStreamPosition(*m_random));
    archive(m_half, position);
    if (archive.IsLoading())
    {
        m_random = CreateObject<NormalRandomVariable>(); // which keeps no number
        SetStreamPosition(*m_random, position);
        if (std::exchange(m_half, false))
        {
            GetValue();
        }
    }
}

} // namespace ns3::dlearn
