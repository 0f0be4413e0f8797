/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-loss-compensation.h"

#include "ns3/dlearn-type-id.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LossCompensation, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(NoCompensation, LossCompensation);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(RunningSum, LossCompensation);

ModelVector
LossCompensation::Accept(LearnerId sender, const Arrival& arrival)
{
    const auto [newest, first] = m_newest.try_emplace(sender, arrival.round);
    if (!first)
    {
        if (arrival.round <= newest->second)
        {
            // A stand-in that was used before: its mass must not count twice.
            return ModelVector::Zero(arrival.values.size());
        }
        newest->second = arrival.round;
    }
    return Extract(sender, arrival);
}

void
NoCompensation::Revoke()
{
}

ModelVector
NoCompensation::Extract(LearnerId, const Arrival& arrival)
{
    return arrival.values; // entries that did not arrive are 0
}

const AcceptedMass*
NoCompensation::GetAccepted(LearnerId) const
{
    return nullptr;
}

ModelVector
RunningSum::Push(const ModelVector& mass)
{
    if (m_sum.size() == 0)
    {
        m_sum = ModelVector::Zero(mass.size());
        m_carry = m_sum;
    }
    m_before = m_sum;
    m_carryBefore = m_carry;
    // Kahan's summation: what rounding took from one sum goes into the next, or the sums would
    // drift away from what their sender has taken from its tracker.
    const ModelVector addend = mass - m_carry;
    m_sum += addend;
    m_carry = (m_sum - m_before) - addend;
    return m_sum;
}

void
RunningSum::Revoke()
{
    m_sum = m_before; // to the last bit, which subtracting would not be
    m_carry = m_carryBefore;
}

ModelVector
RunningSum::Extract(LearnerId sender, const Arrival& arrival)
{
    const auto [found, first] = m_seen.try_emplace(sender);
    AcceptedMass& seen = found->second;
    const auto size = static_cast<size_t>(arrival.values.size());
    if (first)
    {
        seen.values = ModelVector::Zero(arrival.values.size());
        seen.rounds.assign(size, AcceptedMass::NEVER);
    }
    ModelVector gained = ModelVector::Zero(seen.values.size());
    for (size_t k = 0; k < size; ++k)
    {
        if (arrival.IsComplete() || arrival.present[k])
        {
            gained[k] = arrival.values[k] - seen.values[k];
            seen.values[k] = arrival.values[k];
            seen.rounds[k] = arrival.round;
        }
    }
    return gained;
}

const AcceptedMass*
RunningSum::GetAccepted(LearnerId sender) const
{
    const auto found = m_seen.find(sender);
    return found == m_seen.end() ? nullptr : &found->second;
}

} // namespace ns3::dlearn
