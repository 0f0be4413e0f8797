/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-privacy.h"

#include "ns3/dlearn-check.h"

#include <cmath>

namespace ns3::dlearn
{

void
PeerPrivacy::Setup(const std::string& name,
                   Ptr<PrivacyLedger> ledger,
                   Ptr<PrivacyUnit> unit,
                   const Facts& facts,
                   Ptr<const Task> task,
                   const SampleIndices& shard)
{
    m_ledger = ledger;
    m_unit = unit;
    if (!ledger)
    {
        return;
    }
    ledger->Accept(name, facts.recursion);
    m_name = name;
    // What leaves without noise costs an infinite epsilon, whatever these are.
    const auto known = [this, &facts](double constant) {
        const bool unknown = !facts.noisy && !std::isfinite(constant);
        m_unknown = m_unknown || unknown;
        return unknown ? 1 : constant;
    };
    const double smoothness =
        known(facts.smoothness > 0 ? facts.smoothness : task->GetSmoothness());
    Require(std::isfinite(smoothness),
            name,
            ": the privacy ledger needs the Lipschitz constant L of the gradient, which ",
            task->GetInstanceTypeId().GetName(),
            " does not know; set the attribute Smoothness, or PrivacyLedger to "
            "ns3::dlearn::PrivacyLedger for none");
    unit->Setup(shard, facts.historyWindow);
    // Clipped gradients need not be those of any convex function; 2 ClipNorm above the
    // sensitivity says that nothing is ever clipped.
    const double sensitivity = known(task->GetSensitivity());
    const double clip = task->GetClipNorm();
    const auto convex = DynamicCast<const ConvexTask>(task);
    const bool curved = convex && (clip == 0 || 2 * clip > sensitivity);
    ledger->SetConstants(sensitivity,
                         smoothness,
                         curved ? convex->GetRegularization() : -1,
                         unit->GetUnits());
    task->FixData();
}

void
PeerPrivacy::CheckNoise(double scale) const
{
    Require(!m_unknown || scale == 0,
            m_name,
            ": there was no noise at Setup(), so its privacy account does without a bound of the "
            "gradients or their Lipschitz constant, and noise cannot begin during the run; got "
            "the scale ",
            scale);
}

void
PeerPrivacy::Take(const SampleIndices& batch)
{
    if (m_ledger)
    {
        m_unit->Take(batch);
    }
}

} // namespace ns3::dlearn
