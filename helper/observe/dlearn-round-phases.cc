/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-phases.h"

#include "ns3/dlearn-trace-connections.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3::dlearn
{

NodeActivity::Phase
NodeActivity::GetPhase() const
{
    if (m_computing > m_last)
    {
        return COMPUTING;
    }
    for (const bool again : {false, true})
    {
        if (m_sending[again] > 0 || m_radio[again] > m_last)
        {
            return again ? SENDING_AGAIN : SENDING;
        }
    }
    return m_waiting > 0 ? QUEUEING : WAITING;
}

void
NodeActivity::Update()
{
    const Time now = Simulator::Now();
    while (m_last < now)
    {
        Time end = now;
        for (const Time& until : {m_computing, m_radio[0], m_radio[1]})
        {
            end = until > m_last ? Min(end, until) : end;
        }
        m_times[GetPhase()] += end - m_last;
        m_last = end;
    }
}

void
NodeActivity::AddWaiting(int count)
{
    Update();
    m_waiting += count;
}

void
NodeActivity::BeginSending(bool again)
{
    Update();
    ++m_sending[again];
}

void
NodeActivity::EndSending(bool again)
{
    Update();
    m_sending[again] -= m_sending[again] > 0 ? 1 : 0;
}

void
NodeActivity::Send(Time duration, bool again)
{
    Update();
    m_radio[again] = Max(m_radio[again], Simulator::Now() + duration);
}

void
NodeActivity::Compute(Time duration)
{
    Update();
    m_computing = Simulator::Now() + duration;
}

const NodeActivity::Times&
NodeActivity::GetTimes()
{
    Update();
    return m_times;
}

/** The phases of one learner, which must be the only one on its node. */
class RunPhases::Meter
{
  public:
    /** The phases of a closed round since the round before; of the first, since it opened. */
    struct Reading
    {
        uint32_t round{0};
        RoundPhases phases;
    };

    explicit Meter(const Ptr<LearnerApplication>& learner)
    {
        m_traces.Add(learner, "Compute", MakeCallback(&Meter::HandleCompute, this));
        m_traces.Add(learner, "StateTransition", MakeCallback(&Meter::HandleState, this));
        m_traces.Add(learner, "RoundBegin", MakeCallback(&Meter::HandleRoundBegin, this));
        m_traces.Add(learner, "RoundEnd", MakeCallback(&Meter::HandleRoundEnd, this));
    }

    NodeActivity* WatchDevice()
    {
        m_watched = true;
        return &m_activity;
    }

    const std::vector<Reading>& GetReadings() const { return m_readings; }

  private:
    void HandleCompute(Time time, double /* operations */) { m_activity.Compute(time); }

    void HandleState(LearnerApplication::State left, LearnerApplication::State entered)
    {
        using State = LearnerApplication::State;
        if (left == State::TRAINING && entered != State::TRAINING)
        {
            m_activity.Compute(Time(0));
        }
    }

    void HandleRoundBegin(LearnerId /* learner */, uint32_t /* round */)
    {
        if (m_readings.empty())
        {
            m_before = m_activity.GetTimes();
        }
    }

    void HandleRoundEnd(const RoundRecord& record)
    {
        if (!m_watched)
        {
            return;
        }
        const auto& times = m_activity.GetTimes();
        const auto since = [&](NodeActivity::Phase phase) {
            return times[phase] - m_before[phase];
        };
        const Time dropped = since(NodeActivity::COMPUTING) - record.compute; // by a crash
        m_readings.push_back({record.round,
                              {since(NodeActivity::QUEUEING).GetSeconds(),
                               since(NodeActivity::SENDING).GetSeconds(),
                               since(NodeActivity::SENDING_AGAIN).GetSeconds(),
                               (since(NodeActivity::WAITING) + dropped).GetSeconds()}});
        m_before = times;
    }

    NodeActivity m_activity;
    bool m_watched{false};        //!< whether devices are watched
    NodeActivity::Times m_before; //!< of the activity at the last reading
    std::vector<Reading> m_readings;
    TraceConnections m_traces;
};

RunPhases::RunPhases(const std::vector<Ptr<LearnerApplication>>& learners)
{
    for (const auto& learner : learners)
    {
        m_meters.push_back(std::make_unique<Meter>(learner));
        const auto [meter, isFirst] =
            m_byNode.emplace(learner->GetNode()->GetId(), m_meters.back().get());
        if (!isFirst)
        {
            meter->second = nullptr; // the sender of a packet is not known
        }
    }
}

RunPhases::~RunPhases() = default;

NodeActivity*
RunPhases::WatchDevice(const Node& node)
{
    const auto meter = m_byNode.find(node.GetId());
    const bool known = meter != m_byNode.end() && meter->second;
    return known ? meter->second->WatchDevice() : nullptr;
}

void
RunPhases::Complete(std::vector<ResultRow>& rows) const
{
    MatchReadings(m_meters, rows, [](ResultRow& row, const Meter::Reading& reading) {
        row.phases = reading.phases;
    });
}

} // namespace ns3::dlearn
