/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-update-collector.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnUpdateCollector");

void
UpdateCollector::Setup(const std::vector<LearnerId>& clients,
                       Ptr<MessageExchange> exchange,
                       const Settings& settings,
                       const Listener& listener)
{
    m_clients = clients;
    m_settings = settings;
    m_listener = listener;
    m_exchange = exchange;
    for (const LearnerId client : clients)
    {
        m_view.clients[client];
    }
    for (const auto& [client, samples] : settings.samples)
    {
        m_view.clients[client].figures["samples"] = samples;
    }
}

void
UpdateCollector::Stop()
{
    for (auto& [client, event] : m_expiry)
    {
        event.Cancel();
    }
    m_over.Cancel();
    m_settings = {};
    m_exchange = nullptr;
}

bool
UpdateCollector::Admit(LearnerId client)
{
    m_requests.RecordActivity(client);
    return m_view.clients.insert(m_absent.extract(client)).inserted;
}

bool
UpdateCollector::Dismiss(LearnerId client)
{
    return m_absent.insert(m_view.clients.extract(client)).inserted;
}

void
UpdateCollector::Open(uint32_t round, const ModelVector& model)
{
    m_round = round;
    m_closed = false;
    m_ended = m_requests.GetCurrent();
    m_models[round] = std::make_shared<const ModelVector>(model);
    while (uint64_t{m_models.begin()->first} + m_settings.stalenessLimit < round)
    {
        m_models.erase(m_models.begin());
    }
    m_plan = MakePlan();
    m_plan.deadline = HasClients() ? m_plan.deadline : m_settings.timeouts.GetResponse();
}

RoundPlan
UpdateCollector::MakePlan()
{
    m_view.round = m_round;
    for (auto& [client, view] : m_view.clients)
    {
        view.idle = !m_requests.IsOpen(client);
        view.suspected = !m_requests.IsAlive(client);
        view.waits = false;
    }
    for (const Entry& entry : m_buffer)
    {
        // A client whose update of the newest model waits would reveal more for no gain.
        GetView(entry.update.client).waits |=
            m_settings.rule->CountsClientsOnce() && entry.update.base == m_models.rbegin()->second;
    }
    RoundPlan plan = m_settings.schedule->Plan(m_view);
    for (auto client = plan.clients.begin(); client != plan.clients.end(); ++client)
    {
        const auto known = m_view.clients.find(*client);
        Require(known != m_view.clients.end() && known->second.idle &&
                    (client == plan.clients.begin() || *(client - 1) < *client),
                "{}: the clients of a plan must be idle and in order; client {} is not",
                m_settings.schedule->GetInstanceTypeId().GetName(),
                *client);
    }
    RequireSize("ServerSchedule",
                "figures of a plan",
                plan.figures.size(),
                m_settings.schedule->GetSettings().size());
    return plan;
}

void
UpdateCollector::Learn(LearnerId client, uint32_t requestId, const Arrival& arrival, Time waited)
{
    ClientView& view = GetView(client);
    const uint32_t version = m_given[requestId].version;
    if (view.answered > version)
    {
        return;
    }
    view.answered = version;
    view.duration = requestId < m_kept ? view.duration : waited;
    view.bytes = arrival.bytes;
    for (size_t k = 0; k < std::min(arrival.figures.size(), m_settings.figures.size()); ++k)
    {
        view.figures[m_settings.figures[k]] = arrival.figures[k];
    }
}

void
UpdateCollector::GiveAgain()
{
    if (!m_settings.schedule->IsSynchronous())
    {
        Give(MakePlan());
    }
}

namespace
{

/** @throw std::invalid_argument when a server broadcasts messages that are not for all */
void
RequireOneMessage(const Outbox& outbox, const MessageExchange& exchange)
{
    Require(
        outbox.size() <= 1 || !DynamicCast<const UdpBroadcastTransport>(exchange.GetTransport()),
        "FederatedServer: with {} all clients must get the same message, the server's rule makes "
        "{}",
        UdpBroadcastTransport::GetTypeId().GetName(),
        outbox.size());
}

} // namespace

void
UpdateCollector::Give(const RoundPlan& plan)
{
    const auto& clients = plan.clients;
    if (clients.empty())
    {
        return;
    }
    const uint32_t requestId = m_given.size();
    m_given.push_back({m_round, Simulator::Now(), clients.size()});
    std::vector<LearnerId> waitable;
    for (const LearnerId client : clients)
    {
        m_requests.Expect(client, requestId);
        Await(client);
        if (m_requests.IsAlive(client))
        {
            waitable.push_back(client);
        }
    }
    m_exchange->Await(requestId, clients, waitable.empty() ? clients : waitable);
    Outbox models = m_settings.rule->GetModels(clients);
    RequireOneMessage(models, *m_exchange);
    for (Outgoing& model : models)
    {
        model.figures.insert(model.figures.end(), plan.figures.begin(), plan.figures.end());
        m_exchange->Send(requestId, std::move(model));
    }
}

Time
UpdateCollector::GetWaited(LearnerId client) const
{
    return Simulator::Now() - m_given[m_requests.GetOpen().at(client)].sent;
}

void
UpdateCollector::Await(LearnerId client)
{
    const Time left = Max(GetLeft(client), Time(0));
    EventId& expiry = m_expiry[client];
    expiry.Cancel();
    expiry = Simulator::Schedule(CheckSpan("ResponseTimeout", Simulator::Now(), left),
                                 &UpdateCollector::Expire,
                                 this,
                                 client);
}

void
UpdateCollector::Expire(LearnerId client)
{
    if (GetLeft(client).IsStrictlyPositive())
    {
        Await(client); // the timeout has grown since
        return;
    }
    TakeSum(client);
    if (!m_requests.IsOpen(client))
    {
        return; // the request of another one, which was not in the sum, expires, too
    }
    TakePartial(client);
    if (m_requests.IsOpen(client))
    {
        GiveUp(client);
    }
    m_listener.expired(client);
}

void
UpdateCollector::GiveUp(LearnerId client)
{
    RecordTimeout(client, GetWaited(client));
    DropRequest(client);
}

void
UpdateCollector::DropRequest(LearnerId client)
{
    const uint32_t requestId = m_requests.GetOpen().at(client);
    m_requests.GiveUp(client);
    End(client, requestId);
}

void
UpdateCollector::End(LearnerId client, uint32_t requestId)
{
    m_expiry[client].Cancel();
    if (--m_given[requestId].open == 0)
    {
        m_exchange->Settle(requestId);
    }
}

MessageDisposition
UpdateCollector::Classify(const MessageSource& source, uint32_t requestId) const
{
    const bool answer = source.second == ModelChannel::ANSWER;
    return (answer ? m_answers : m_requests).Classify(source, requestId);
}

MessageDisposition
UpdateCollector::Offer(const MessageSource& source,
                       uint32_t requestId,
                       std::optional<Arrival>& arrival,
                       uint32_t next)
{
    switch (source.second)
    {
    case ModelChannel::UPDATE:
        return OfferUpdate(source.first, requestId, arrival, next);
    case ModelChannel::ANSWER:
        return OfferAnswer(source.first, requestId, arrival);
    default:
        return MessageDisposition::UNEXPECTED;
    }
}

MessageDisposition
UpdateCollector::OfferUpdate(LearnerId client,
                             uint32_t requestId,
                             std::optional<Arrival>& arrival,
                             uint32_t next)
{
    const auto disposition = m_requests.Classify({client, ModelChannel::UPDATE}, requestId);
    const bool late = disposition == MessageDisposition::LATE;
    Time waited; // 0 after a crash of the server
    std::optional<ClientUpdate> update;
    if (late || disposition == MessageDisposition::ON_TIME)
    {
        waited = requestId < m_kept ? Time(0) : Simulator::Now() - m_given[requestId].sent;
        update = arrival ? Assess(client, requestId, next) : std::nullopt;
        if (arrival)
        {
            Learn(client, requestId, *arrival, waited);
        }
    }
    m_requests.Answer(client, requestId, update.has_value());
    if (disposition == MessageDisposition::ON_TIME)
    {
        End(client, requestId);
    }
    RecordAnswer(client, disposition, arrival.has_value(), waited);
    if (update)
    {
        Keep(std::move(*update), *arrival, late);
    }
    return disposition;
}

void
UpdateCollector::OfferSum(uint32_t requestId, const MultipleAccessChannel::Sum& sum)
{
    NS_LOG_FUNCTION(this << requestId << sum.members.size() << sum.truncated.size());
    m_requests.NoteTruncated(sum.truncated.size());
    for (const LearnerId client : sum.truncated)
    {
        m_requests.RecordActivity(client);
        DropRequest(client);
    }
    if (sum.members.empty())
    {
        return;
    }
    Arrival arrival;
    const Time waited = Simulator::Now() - m_given[requestId].sent;
    auto update = Assess(sum.members.front(), requestId, m_round);
    for (const LearnerId client : sum.members)
    {
        Learn(client, requestId, arrival, waited);
        const auto disposition = m_requests.Answer(client, requestId, update.has_value());
        End(client, requestId);
        RecordAnswer(client, disposition, true, waited);
        m_listener.summed({client, ModelChannel::UPDATE}, requestId);
    }
    if (update)
    {
        update->members = sum.members;
        arrival.values = sum.mean;
        Keep(std::move(*update), arrival, false);
    }
}

MessageDisposition
UpdateCollector::OfferAnswer(LearnerId client,
                             uint32_t requestId,
                             const std::optional<Arrival>& arrival)
{
    const auto disposition = m_answers.Answer(client, requestId, arrival.has_value());
    if (arrival && disposition == MessageDisposition::ON_TIME)
    {
        m_replies[client] = {arrival->values, arrival->figures};
    }
    RecordAnswer(client, disposition, arrival.has_value(), Time(0));
    return disposition;
}

void
UpdateCollector::RecordAnswer(LearnerId client,
                              MessageDisposition disposition,
                              bool usable,
                              Time waited)
{
    const bool onTime = disposition == MessageDisposition::ON_TIME;
    if (usable && (onTime || disposition == MessageDisposition::LATE))
    {
        m_requests.RecordActivity(client);
        if (waited.IsStrictlyPositive() && m_settings.timeouts.Record(waited))
        {
            for (const auto& [other, requestId] : m_requests.GetOpen())
            {
                Await(other); // the timeout is known now
            }
        }
    }
    else if (onTime)
    {
        RecordTimeout(client, waited);
    }
}

void
UpdateCollector::RecordTimeout(LearnerId client, Time waited)
{
    if (m_absent.count(client) == 0 &&
        m_requests.RecordTimeout(client, waited, m_settings.timeouts.GetSuspicion()))
    {
        m_listener.suspected(client);
    }
}

void
UpdateCollector::TakeSum(LearnerId client)
{
    const auto open = m_requests.GetOpen().find(client);
    if (open != m_requests.GetOpen().end())
    {
        const uint32_t requestId = open->second;
        if (const auto sum = m_exchange->TakeSum(requestId))
        {
            OfferSum(requestId, *sum);
        }
    }
}

void
UpdateCollector::TakePartial(LearnerId client)
{
    if (!m_settings.usePartial)
    {
        return;
    }
    const uint32_t requestId = m_requests.GetOpen().at(client);
    const MessageSource source{client, ModelChannel::UPDATE};
    auto partial = m_exchange->TakePartial(source, requestId);
    auto update = partial ? Assess(client, requestId, m_round) : std::nullopt;
    if (update)
    {
        // A client that never sends the rest becomes suspected.
        m_requests.Answer(client, requestId, true);
        End(client, requestId);
        RecordTimeout(client, Simulator::Now() - m_given[requestId].sent);
        m_listener.partial(source, requestId);
        Keep(std::move(*update), *partial, false);
    }
}

void
UpdateCollector::Keep(ClientUpdate update, Arrival& arrival, bool late)
{
    update.values = std::move(arrival.values);
    update.present = std::move(arrival.present);
    update.figures = std::move(arrival.figures);
    Entry entry{std::move(update), late};
    const bool single =
        m_settings.schedule->IsSynchronous() || m_settings.rule->CountsClientsOnce();
    const auto same = std::find_if(m_buffer.begin(), m_buffer.end(), [&](const Entry& other) {
        return single && other.update.client == entry.update.client;
    });
    if (same == m_buffer.end())
    {
        m_buffer.push_back(std::move(entry));
        return;
    }
    ++m_counters.superseded; // by the newer of the two, whichever came first
    if (entry.update.round >= same->update.round)
    {
        std::swap(entry, *same);
    }
    if (!entry.late)
    {
        m_requests.TakeBack(1, false);
    }
}

std::optional<ClientUpdate>
UpdateCollector::Assess(LearnerId client, uint32_t requestId, uint32_t next)
{
    const uint32_t version = m_given[requestId].version;
    ClientUpdate update;
    update.client = client;
    update.round = requestId;
    update.staleness = next - version;
    update.weight = m_settings.staleness->GetWeight(update.staleness);
    Require(update.weight >= 0 && update.weight <= 1,
            "{}: the weight of an update must be from 0 to 1, got {} for staleness {}",
            m_settings.staleness->GetInstanceTypeId().GetName(),
            update.weight,
            update.staleness);
    const auto base = m_models.find(version);
    if (update.staleness > m_settings.stalenessLimit || update.weight <= 0 ||
        base == m_models.end() || requestId < m_oldest)
    {
        ++m_counters.discarded;
        return std::nullopt;
    }
    update.base = base->second;
    return update;
}

size_t
UpdateCollector::CountWaitable() const
{
    // Asked after each update: few clients are suspected, but many are open.
    const auto& suspected = m_requests.GetSuspected();
    if (m_settings.schedule->IsSynchronous())
    {
        return CountOpen() -
               std::count_if(suspected.begin(), suspected.end(), [this](LearnerId client) {
                   return m_requests.IsOpen(client) && m_absent.count(client) == 0;
               });
    }
    // An idle client is about to get a model. If each client counts once, one whose update is in
    // the buffer adds nothing: fewer clients than the buffer holds must not wait forever.
    const bool once = m_settings.rule->CountsClientsOnce();
    const auto isThere = [this](LearnerId client) { return m_absent.count(client) == 0; };
    return m_view.clients.size() - std::count_if(suspected.begin(), suspected.end(), isThere) -
           std::count_if(m_buffer.begin(), m_buffer.end(), [&](const Entry& entry) {
               return once && isThere(entry.update.client) &&
                      m_requests.IsAlive(entry.update.client);
           });
}

size_t
UpdateCollector::CountOpen() const
{
    return m_requests.GetOpen().size() -
           std::count_if(m_absent.begin(), m_absent.end(), [this](const auto& client) {
               return m_requests.IsOpen(client.first);
           });
}

bool
UpdateCollector::ShouldClose(Time elapsed) const
{
    if (m_step > 0)
    {
        return m_answers.GetOpen().empty();
    }
    const size_t open = m_requests.GetOpen().size();
    RoundStatus status;
    status.expected = m_requests.GetCurrent().expected - m_ended.expected + open;
    status.received = m_requests.GetCurrent().received - m_ended.received;
    status.elapsed = elapsed;
    status.waitable = CountWaitable();
    if (status.waitable == 0 && m_buffer.empty())
    {
        // All are suspected: wait for their ResponseTimeout, or rounds would take no time.
        status.waitable = CountOpen();
    }
    if (m_plan.deadline.IsStrictlyPositive() && elapsed >= m_plan.deadline)
    {
        return true;
    }
    // A round without clients lasts until its deadline, or no time.
    const bool lasts = (m_settings.schedule->IsSynchronous() || !HasClients()) &&
                       m_plan.clients.empty() && m_plan.deadline.IsStrictlyPositive();
    return !lasts && m_settings.schedule->ShouldClose(status, m_buffer.size());
}

void
UpdateCollector::Close(const LearnerClock& clock)
{
    if (m_step == 0)
    {
        TakeUpdates();
    }
    else
    {
        for (const auto& [client, requestId] : m_answers.GetOpen())
        {
            RecordTimeout(client, Simulator::Now() - m_asked);
        }
        m_exchange->Settle(GetLastRequestId());
    }
    if (!Ask(clock))
    {
        m_listener.collected(std::move(m_updates));
    }
}

void
UpdateCollector::TakeUpdates()
{
    if (m_settings.schedule->IsSynchronous())
    {
        const auto open = m_requests.GetOpen(); // a copy: those that answer are removed
        for (const auto& [client, requestId] : open)
        {
            TakeSum(client);
            if (m_requests.IsOpen(client))
            {
                TakePartial(client);
            }
        }
        while (!m_requests.GetOpen().empty())
        {
            GiveUp(m_requests.GetOpen().begin()->first);
        }
    }
    m_updates.clear();
    // The same sum on all networks, to the last bit, needs one order of the updates.
    std::stable_sort(m_buffer.begin(), m_buffer.end(), [](const Entry& a, const Entry& b) {
        return a.update.client < b.update.client;
    });
    for (Entry& entry : m_buffer)
    {
        ClientUpdate kept;
        kept.staleness = entry.update.staleness;
        kept.present = entry.update.present;
        kept.members = entry.update.members;
        m_taken.push_back({std::move(kept), entry.late});
        m_updates.push_back(std::move(entry.update));
    }
    m_buffer.clear();
    m_requests.Close(m_round);
    m_closed = true;
    size_t clients = 0;
    for (const ClientUpdate& update : m_updates)
    {
        clients += update.CountClients();
    }
    if (m_plan.minimum > 1 && clients < m_plan.minimum)
    {
        ++m_counters.roundsGivenUp;
        TakeBackTaken();
        m_updates.clear();
    }
}

bool
UpdateCollector::Ask(const LearnerClock& clock)
{
    if (!m_settings.schedule->IsSynchronous())
    {
        return false;
    }
    std::set<LearnerId> answered; // the step before
    for (const ClientUpdate& update : m_updates)
    {
        if (m_step == 0 && update.round == GetLastRequestId()) // of all models of a round
        {
            answered.insert(update.client);
        }
    }
    const uint32_t step = m_step + 1;
    const ServerRule::Replies replies = EndStep();
    for (const auto& [client, reply] : replies)
    {
        answered.insert(client);
    }
    if (step == 1 && answered.empty())
    {
        return false;
    }
    Outbox outbox = m_settings.rule->Ask(step, m_updates, replies);
    RequireOneMessage(outbox, *m_exchange);
    size_t asked = 0;
    for (Outgoing& request : outbox)
    {
        auto& to = request.recipients;
        to.erase(std::remove_if(to.begin(),
                                to.end(),
                                [&](LearnerId client) { return answered.count(client) == 0; }),
                 to.end());
        asked += to.size();
    }
    if (asked == 0)
    {
        return false;
    }
    if (step > 1)
    {
        m_given.push_back({m_round, Simulator::Now(), 0});
    }
    const uint32_t requestId = GetLastRequestId();
    NS_LOG_FUNCTION(this << requestId << step << asked);
    const Time wait =
        m_plan.deadline.IsStrictlyPositive() ? m_plan.deadline : m_settings.timeouts.GetResponse();
    m_step = step;
    m_asked = Simulator::Now();
    m_answers.Forget(requestId);
    m_over = Simulator::Schedule(clock.ToSimulated("waiting for answers", wait),
                                 &UpdateCollector::Close,
                                 this,
                                 std::cref(clock));
    for (Outgoing& request : outbox)
    {
        for (const LearnerId client : request.recipients)
        {
            m_answers.Expect(client, requestId);
        }
        if (!request.recipients.empty())
        {
            m_exchange->Send(requestId, request);
            m_listener.asked(requestId, request.values);
        }
    }
    return true;
}

ServerRule::Replies
UpdateCollector::EndStep()
{
    m_over.Cancel();
    m_step = 0;
    while (!m_answers.GetOpen().empty())
    {
        m_answers.GiveUp(m_answers.GetOpen().begin()->first);
    }
    return std::exchange(m_replies, {});
}

void
UpdateCollector::Settle()
{
    for (const Entry& entry : m_taken)
    {
        m_counters.staleness[entry.update.staleness] += entry.update.CountClients();
        m_counters.lateUsed += entry.late ? 1 : 0;
        m_counters.partial += entry.update.IsComplete() ? 0 : 1;
    }
    m_taken.clear();
    m_closed = false;
}

void
UpdateCollector::Forget()
{
    m_models.clear();
    m_oldest = m_given.size();
}

size_t
UpdateCollector::CountOnTime(const std::vector<Entry>& entries)
{
    size_t count = 0;
    for (const Entry& entry : entries)
    {
        count += entry.late ? 0 : entry.update.CountClients();
    }
    return count;
}

void
UpdateCollector::TakeBackTaken()
{
    if (CountOnTime(m_taken) > 0) // else there may be no record
    {
        m_requests.TakeBack(CountOnTime(m_taken), true);
    }
    m_taken.clear();
}

void
UpdateCollector::Drop()
{
    while (!m_requests.GetOpen().empty())
    {
        DropRequest(m_requests.GetOpen().begin()->first);
    }
    m_kept = m_given.size();
    m_counters.lost += m_buffer.size() + m_taken.size();
    m_requests.TakeBack(CountOnTime(m_buffer), false);
    m_buffer.clear();
    TakeBackTaken();
    m_answers.TakeBack(EndStep().size(), false);
    m_updates.clear();
    m_closed = false;
}

void
UpdateCollector::Count(std::map<std::string, uint64_t>& totals) const
{
    totals["duplicate"] += m_requests.GetTally().duplicate;
    totals["unexpected"] += m_requests.GetTally().unexpected;
    totals["updates_unanswered"] += m_requests.GetOpen().size() + m_requests.GetCurrent().lost;
    const RoundRecord& answers = m_answers.GetCurrent();
    const size_t open = m_answers.GetOpen().size();
    if (answers.expected + open > 0)
    {
        totals["corrections_asked"] += answers.expected + open;
        totals["corrections_used"] += answers.used;
        totals["corrections_unusable"] += answers.rejected;
        totals["corrections_late"] += answers.late;
        totals["corrections_lost"] += answers.lost + open;
    }
    totals["updates_discarded_stale"] += m_counters.discarded;
    if (m_counters.lost > 0)
    {
        totals["updates_lost_in_crash"] += m_counters.lost;
    }
    if (m_counters.roundsGivenUp > 0)
    {
        totals["rounds_given_up"] += m_counters.roundsGivenUp;
    }
    totals["updates_late_used"] += m_counters.lateUsed;
    totals["updates_superseded"] += m_counters.superseded;
    for (const auto& [staleness, count] : m_counters.staleness)
    {
        totals["staleness_" + std::to_string(staleness)] += count;
    }
    if (m_settings.usePartial)
    {
        totals["updates_partial"] += m_counters.partial;
    }
}

} // namespace ns3::dlearn
