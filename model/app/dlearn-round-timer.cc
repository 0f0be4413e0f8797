/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-timer.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3::dlearn
{

RoundTimer::RoundTimer(std::function<void(bool timedOut)> ask)
    : m_ask(std::move(ask)),
      m_deadline([this] { PassDeadline(); }),
      m_timeout([this] { m_ask(true); }),
      m_turn([this] { m_ask(false); })
{
}

void
RoundTimer::Setup(const LearnerClock& clock,
                  Ptr<const RoundPolicy> policy,
                  Ptr<MessageExchange> exchange)
{
    m_clock = &clock;
    m_policy = policy;
    m_exchange = exchange;
    exchange->TraceConnectWithoutContext("MessageTx",
                                         MakeCallback(&RoundTimer::HandleMessageTx, this));
}

void
RoundTimer::Start(Time timeout)
{
    m_started = Simulator::Now();
    m_timeout.Set(m_clock->ToSimulated("ResponseTimeout", timeout));
    const Time deadline = m_policy->GetDeadline();
    if (deadline.IsStrictlyPositive())
    {
        m_deadline.Set(m_clock->GetLeft("the deadline", deadline));
    }
}

void
RoundTimer::PassDeadline()
{
    if (!m_deadline.PutOff(m_clock->GetLeft("the deadline", m_policy->GetDeadline())))
    {
        m_ask(false);
    }
}

Time
RoundTimer::GetWaited() const
{
    return m_clock->ToLocal(Simulator::Now() - m_started);
}

bool
RoundTimer::IsDue() const
{
    const Time deadline = m_policy->GetDeadline();
    return deadline.IsStrictlyPositive() && m_clock->GetElapsed() >= deadline;
}

bool
RoundTimer::AwaitsTurn(uint32_t round)
{
    m_awaitsTurn = !IsDue() && m_exchange->GetTransport()->IsWaitingForTurn(round);
    return m_awaitsTurn;
}

void
RoundTimer::HandleMessageTx(const EncodedMessage& /* message */,
                            const std::vector<LearnerId>& /* recipients */)
{
    if (m_awaitsTurn)
    {
        m_awaitsTurn = false;
        m_turn.Set(Time(0)); // the transport is sending
    }
}

void
RoundTimer::Stop()
{
    m_awaitsTurn = false;
    m_deadline.Cancel();
    m_timeout.Cancel();
    m_turn.Cancel();
}

} // namespace ns3::dlearn
