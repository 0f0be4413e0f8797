/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-phase-meter.h"

namespace ns3::dlearn
{

PhaseMeter::PhaseMeter(const Ptr<LearnerApplication>& learner)
{
    m_traces.Add(learner, "Compute", MakeCallback(&PhaseMeter::HandleCompute, this));
    m_traces.Add(learner, "StateTransition", MakeCallback(&PhaseMeter::HandleState, this));
    m_traces.Add(learner, "RoundBegin", MakeCallback(&PhaseMeter::HandleRoundBegin, this));
    m_traces.Add(learner, "RoundEnd", MakeCallback(&PhaseMeter::HandleRoundEnd, this));
}

NodeActivity&
PhaseMeter::WatchDevice()
{
    m_watched = true;
    return m_activity;
}

void
PhaseMeter::HandleCompute(Time time, double /* operations */)
{
    m_activity.Compute(time);
}

void
PhaseMeter::HandleState(LearnerApplication::State left, LearnerApplication::State entered)
{
    using State = LearnerApplication::State;
    if (left == State::TRAINING && entered != State::TRAINING)
    {
        m_activity.Compute(Time(0));
    }
}

void
PhaseMeter::HandleRoundBegin(LearnerId /* learner */, uint32_t /* round */)
{
    if (m_readings.empty())
    {
        m_before = m_activity.GetTimes();
    }
}

void
PhaseMeter::HandleRoundEnd(const RoundRecord& record)
{
    if (!m_watched)
    {
        return;
    }
    const auto& times = m_activity.GetTimes();
    const auto since = [&](NodeActivity::Phase phase) { return times[phase] - m_before[phase]; };
    const Time dropped = since(NodeActivity::COMPUTING) - record.compute; // by a crash
    m_readings.push_back({record.round,
                          {since(NodeActivity::QUEUEING).GetSeconds(),
                           since(NodeActivity::SENDING).GetSeconds(),
                           since(NodeActivity::SENDING_AGAIN).GetSeconds(),
                           (since(NodeActivity::WAITING) + dropped).GetSeconds()}});
    m_before = times;
}

} // namespace ns3::dlearn
