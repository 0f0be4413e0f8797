/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-request-tracker.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

RequestTracker::~RequestTracker()
{
    Stop();
}

void
RequestTracker::Stop()
{
    for (auto& [client, event] : m_expiry)
    {
        event.Cancel();
    }
}

void
RequestTracker::Setup(std::vector<LearnerId> clients,
                      const ResponseTimeouts& timeouts,
                      Listener listener)
{
    m_clients = std::move(clients);
    m_timeouts = timeouts;
    m_listener = std::move(listener);
}

uint32_t
RequestTracker::Give(const std::vector<LearnerId>& clients, uint32_t version)
{
    Require(!clients.empty(), "RequestTracker: a model must be given to a client");
    const uint32_t requestId = m_next++;
    m_open[requestId] = clients.size();
    for (const LearnerId client : clients)
    {
        m_log.Add(client, {requestId, version, Simulator::Now()});
        Await(client);
    }
    return requestId;
}

Time
RequestTracker::GetLeft(LearnerId client) const
{
    return m_timeouts.GetResponse() - (Simulator::Now() - m_log.GetOpen().at(client).sent);
}

void
RequestTracker::Await(LearnerId client)
{
    const Time left = Max(GetLeft(client), Time(0));
    EventId& expiry = m_expiry[client];
    expiry.Cancel();
    expiry = Simulator::Schedule(CheckSpan("ResponseTimeout", Simulator::Now(), left),
                                 &RequestTracker::Expire,
                                 this,
                                 client);
}

RequestLog::Disposition
RequestTracker::Answer(LearnerId client, uint32_t requestId, bool usable)
{
    const auto disposition = m_log.Answer(client, requestId, usable);
    if (disposition == RequestLog::Disposition::ON_TIME)
    {
        End(client, requestId);
    }
    return disposition;
}

Time
RequestTracker::GetWaited(const Dispatch& dispatch) const
{
    return dispatch.requestId < m_kept ? Time(0) : Simulator::Now() - dispatch.sent;
}

void
RequestTracker::RecordAnswer(LearnerId client,
                             RequestLog::Disposition disposition,
                             bool usable,
                             Time waited)
{
    const bool onTime = disposition == RequestLog::Disposition::ON_TIME;
    if (usable && (onTime || disposition == RequestLog::Disposition::LATE))
    {
        m_detector.RecordActivity(client);
        if (waited.IsStrictlyPositive() && m_timeouts.Record(waited))
        {
            for (const auto& [other, dispatch] : m_log.GetOpen())
            {
                Await(other); // no longer than this one tells
            }
        }
    }
    else if (onTime)
    {
        RecordTimeout(client, waited);
    }
}

void
RequestTracker::RecordTimeout(LearnerId client, Time waited)
{
    if (m_detector.RecordTimeout(client, waited, m_timeouts.GetSuspicion()) && m_listener.suspected)
    {
        m_listener.suspected(client);
    }
}

void
RequestTracker::Expire(LearnerId client)
{
    if (GetLeft(client).IsStrictlyPositive())
    {
        Await(client); // answers have become slower since it was asked
        return;
    }
    if (m_listener.expiring)
    {
        m_listener.expiring(client);
    }
    if (m_log.IsOpen(client))
    {
        GiveUp(client);
    }
    m_listener.expired(client);
}

void
RequestTracker::GiveUp(LearnerId client)
{
    RecordTimeout(client, Simulator::Now() - m_log.GetOpen().at(client).sent);
    Drop(client);
}

void
RequestTracker::Drop(LearnerId client)
{
    const uint32_t requestId = m_log.GetOpen().at(client).requestId;
    m_log.GiveUp(client);
    End(client, requestId);
}

void
RequestTracker::GiveUpAll()
{
    while (!m_log.GetOpen().empty())
    {
        GiveUp(m_log.GetOpen().begin()->first);
    }
}

void
RequestTracker::DropAll()
{
    while (!m_log.GetOpen().empty())
    {
        Drop(m_log.GetOpen().begin()->first);
    }
    m_kept = m_next;
}

void
RequestTracker::End(LearnerId client, uint32_t requestId)
{
    m_expiry[client].Cancel();
    if (--m_open.at(requestId) == 0)
    {
        m_open.erase(requestId);
        m_listener.over(requestId);
    }
}

std::vector<LearnerId>
RequestTracker::GetIdle() const
{
    std::vector<LearnerId> idle;
    for (const LearnerId client : m_clients)
    {
        if (!m_log.IsOpen(client))
        {
            idle.push_back(client);
        }
    }
    return idle;
}

size_t
RequestTracker::CountAlive(const std::vector<LearnerId>& without) const
{
    const auto& suspected = m_detector.GetSuspected();
    return m_clients.size() - suspected.size() -
           std::count_if(without.begin(), without.end(), [&](LearnerId client) {
               return suspected.count(client) == 0;
           });
}

size_t
RequestTracker::CountAwaited() const
{
    // The server asks after each of a thousand updates: few are suspected, but many are open.
    const auto& suspected = m_detector.GetSuspected();
    return m_log.GetOpen().size() -
           std::count_if(suspected.begin(), suspected.end(), [this](LearnerId client) {
               return m_log.IsOpen(client);
           });
}

RoundStatus
RequestTracker::GetStatus() const
{
    const RoundRecord& ended = m_log.GetCurrent();
    RoundStatus status;
    status.expected = ended.expected - m_ended.expected + m_log.GetOpen().size();
    status.received = ended.received - m_ended.received;
    return status;
}

} // namespace ns3::dlearn
