/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-update-collector.h"

#include "ns3/dlearn-check.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

UpdateCollector::UpdateCollector()
    : m_secondPhase([this] { UseAnswers(); })
{
}

void
UpdateCollector::Setup(const std::vector<LearnerId>& clients,
                       Ptr<MessageExchange> exchange,
                       const Settings& settings,
                       const Listener& listener)
{
    m_settings = settings;
    m_listener = listener;
    m_exchange = exchange;
    m_buffer.Setup(settings.staleness,
                   settings.stalenessLimit,
                   settings.schedule->IsSynchronous() || settings.rule->CountsClientsOnce());
    m_tracker.Setup(clients,
                    settings.timeouts,
                    {listener.expired,
                     [this](uint32_t requestId) { m_exchange->Settle(requestId); },
                     listener.suspected,
                     [this](LearnerId client) { TakePartial(client); }});
}

void
UpdateCollector::Open(uint32_t round, const ModelVector& model)
{
    m_round = round;
    m_tracker.Open();
    m_buffer.Remember(round, model);
}

void
UpdateCollector::GiveAtOpening()
{
    Give(m_settings.schedule->ChooseAtOpening(m_round, m_tracker.GetIdle()));
}

void
UpdateCollector::GiveAgain()
{
    // Not for each of a thousand updates if the answer is known: rounds in lock-step give at
    // their opening only.
    if (m_settings.schedule->IsSynchronous())
    {
        return;
    }
    auto idle = m_tracker.GetIdle();
    const size_t busy = m_tracker.GetClients().size() - idle.size();
    if (m_settings.rule->CountsClientsOnce())
    {
        // They would train on the same model again, and what they send would reveal more for
        // nothing.
        const auto waits = [this](LearnerId client) { return m_buffer.HoldsNewest(client); };
        idle.erase(std::remove_if(idle.begin(), idle.end(), waits), idle.end());
    }
    Give(m_settings.schedule->ChooseAfterUpdate(idle, busy));
}

void
UpdateCollector::Give(const std::vector<LearnerId>& clients)
{
    if (!clients.empty())
    {
        const uint32_t requestId = m_tracker.Give(clients, m_round);
        m_exchange->Send(requestId, {ModelChannel::MODEL, clients, *m_buffer.GetNewest()});
    }
}

RoundWindow::Disposition
UpdateCollector::Classify(const RoundWindow::Source& source, uint32_t requestId) const
{
    switch (source.second)
    {
    case ModelChannel::UPDATE:
        return m_tracker.GetLog().Classify(source.first, requestId);
    case ModelChannel::ANSWER:
        return m_secondPhase.GetLog().Classify(source.first, requestId);
    default:
        return RoundWindow::Disposition::UNEXPECTED;
    }
}

RoundWindow::Disposition
UpdateCollector::Offer(const RoundWindow::Source& source,
                       uint32_t requestId,
                       std::optional<Arrival>& arrival,
                       uint32_t next)
{
    const LearnerId client = source.first;
    if (source.second == ModelChannel::UPDATE)
    {
        return OfferUpdate(client, requestId, arrival, next);
    }
    if (source.second == ModelChannel::ANSWER)
    {
        const auto disposition = m_secondPhase.Answer(client, requestId, arrival);
        m_tracker.RecordAnswer(client, disposition, arrival.has_value(), Time(0));
        return disposition;
    }
    return RoundWindow::Disposition::UNEXPECTED;
}

RoundWindow::Disposition
UpdateCollector::OfferUpdate(LearnerId client,
                             uint32_t requestId,
                             std::optional<Arrival>& arrival,
                             uint32_t next)
{
    const Dispatch* dispatch = m_tracker.GetLog().Find(client, requestId);
    const Time waited = dispatch ? m_tracker.GetWaited(*dispatch) : Time(0);
    auto update = dispatch && arrival ? m_buffer.Assess(client, requestId, dispatch->version, next)
                                      : std::optional<ClientUpdate>();
    const auto disposition = m_tracker.Answer(client, requestId, update.has_value());
    m_tracker.RecordAnswer(client, disposition, arrival.has_value(), waited);
    if (update)
    {
        const bool late = disposition == RequestLog::Disposition::LATE;
        Keep(std::move(*update), *arrival, late);
    }
    return disposition;
}

void
UpdateCollector::Keep(ClientUpdate update, Arrival& arrival, bool late)
{
    update.values = std::move(arrival.values);
    update.present = std::move(arrival.present);
    if (m_buffer.Keep(std::move(update), late))
    {
        m_tracker.TakeBack(1, false);
    }
}

void
UpdateCollector::TakePartial(LearnerId client)
{
    if (!m_settings.usePartial)
    {
        return;
    }
    const Dispatch dispatch = m_tracker.GetLog().GetOpen().at(client);
    const RoundWindow::Source source{client, ModelChannel::UPDATE};
    auto partial = m_exchange->TakePartial(source, dispatch.requestId);
    auto update = partial ? m_buffer.Assess(client, dispatch.requestId, dispatch.version, m_round)
                          : std::optional<ClientUpdate>();
    if (update)
    {
        // It was waited for all the same: a client that never sends the rest is suspected.
        const auto disposition = m_tracker.Answer(client, dispatch.requestId, true);
        m_tracker.RecordAnswer(client, disposition, false, Simulator::Now() - dispatch.sent);
        m_listener.partial(source, dispatch.requestId);
        Keep(std::move(*update), *partial, false);
    }
}

size_t
UpdateCollector::CountWaitable() const
{
    if (m_settings.schedule->IsSynchronous())
    {
        return m_tracker.CountAwaited();
    }
    // Out of lock-step a client that is idle is about to get a model. Where each counts once, those
    // whose update is here add nothing: fewer clients than the buffer holds must not wait forever.
    return m_settings.rule->CountsClientsOnce() ? m_tracker.CountAlive(m_buffer.GetClients())
                                                : m_tracker.CountAlive();
}

bool
UpdateCollector::ShouldClose(Time elapsed) const
{
    if (IsAsking())
    {
        return m_secondPhase.IsComplete();
    }
    RoundStatus status = m_tracker.GetStatus();
    status.elapsed = elapsed;
    status.waitable = CountWaitable();
    if (status.waitable == 0 && m_buffer.GetSize() == 0)
    {
        // All are suspected: give them their ResponseTimeout, or rounds would pass in no time.
        status.waitable = m_tracker.GetLog().GetOpen().size();
    }
    return m_settings.schedule->ShouldClose(status, m_buffer.GetSize());
}

void
UpdateCollector::Close(const LearnerClock& clock)
{
    if (IsAsking())
    {
        UseAnswers();
        return;
    }
    if (m_settings.schedule->IsSynchronous())
    {
        const auto open = m_tracker.GetLog().GetOpen(); // a copy: who answers is not among them
        for (const auto& [client, dispatch] : open)
        {
            TakePartial(client);
        }
        m_tracker.GiveUpAll();
    }
    m_updates = m_buffer.Take();
    m_tracker.Close(m_round);
    if (!Ask(clock))
    {
        m_listener.collected(std::move(m_updates));
    }
}

bool
UpdateCollector::Ask(const LearnerClock& clock)
{
    const uint32_t requestId = m_tracker.GetLastRequestId(); // of all models of a round
    const auto asked = SecondPhase::FindAnswered(m_updates, requestId);
    const auto request = asked.empty() || !m_settings.schedule->IsSynchronous()
                             ? std::nullopt
                             : m_settings.rule->GetRequest(m_updates);
    if (!request)
    {
        return false;
    }
    RequireSize("FederatedServer", "request", request->size(), m_settings.rule->GetRequestLength());
    const Time deadline = m_settings.schedule->GetDeadline();
    const Time wait =
        deadline.IsStrictlyPositive() ? deadline : m_tracker.GetTimeouts().GetResponse();
    m_secondPhase.Ask(*m_exchange,
                      requestId,
                      asked,
                      *request,
                      clock.ToSimulated("waiting for answers", wait));
    m_listener.asked(requestId, *request);
    return true;
}

void
UpdateCollector::UseAnswers()
{
    m_settings.rule->UseAnswers(m_secondPhase.Close(*m_exchange), m_updates);
    m_listener.collected(std::move(m_updates));
}

void
UpdateCollector::Drop()
{
    m_tracker.DropAll();
    const auto [here, taken] = m_buffer.Drop();
    m_tracker.TakeBack(here, false);
    if (taken > 0)
    {
        m_tracker.TakeBack(taken, true);
    }
    m_secondPhase.Drop();
    m_updates.clear();
}

void
UpdateCollector::Count(std::map<std::string, uint64_t>& totals) const
{
    const RequestLog& log = m_tracker.GetLog();
    totals["duplicate"] += log.GetTally().duplicate;
    totals["unexpected"] += log.GetTally().unexpected;
    totals["updates_unanswered"] += log.GetOpen().size() + log.GetCurrent().lost;
    m_secondPhase.GetLog().Count(totals);
    m_buffer.Count(totals);
    if (m_settings.usePartial)
    {
        totals["updates_partial"] += m_buffer.GetCounters().partial;
    }
}

void
UpdateCollector::Stop()
{
    m_tracker.Stop();
    m_secondPhase.Drop();
    m_settings = {};
    m_exchange = nullptr;
}

} // namespace ns3::dlearn
