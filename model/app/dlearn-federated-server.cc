/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-server.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

void
ServerCheckpoint::SetInterval(uint32_t interval, ServerRule& rule)
{
    Require(interval >= 1, "ServerCheckpoint: the interval must be at least 1 round, got 0");
    m_interval = interval;
    m_used = true;
    Write(rule);
}

void
ServerCheckpoint::Update(ServerRule& rule)
{
    ++m_since;
    if (m_since >= m_interval)
    {
        Write(rule);
    }
}

void
ServerCheckpoint::Write(ServerRule& rule)
{
    m_since = 0;
    m_restore = m_interval > 1 ? rule.RememberLearned() : nullptr;
}

bool
ServerCheckpoint::Restore()
{
    if (m_since == 0)
    {
        return false;
    }
    m_restore();
    m_lost += m_since;
    m_since = 0;
    return true;
}

void
ServerCheckpoint::Count(std::map<std::string, uint64_t>& totals) const
{
    if (m_used)
    {
        totals["server_rounds_lost"] += m_lost;
    }
}

namespace
{

/** @return the clients of a server, which must have an address of each */
std::vector<LearnerId>
GetClientsOf(const ServerContext& context, const Transport::Peers& addresses)
{
    std::vector<LearnerId> clients;
    for (const auto& [client, samples] : context.samples)
    {
        Require(addresses.count(client) > 0,
                "FederatedServer: server {} has no address of its client {}",
                context.id,
                client);
        clients.push_back(client);
    }
    return clients;
}

/** @throw std::invalid_argument when incomplete updates cannot be used */
void
RequirePartialUpdates(const ServerSchedule& schedule, const ServerRule& rule)
{
    Require(schedule.IsSynchronous(),
            "FederatedServer: UsePartial must be false with {}, whose rounds close while updates "
            "are still under way; got true",
            schedule.GetInstanceTypeId().GetName());
    rule.CheckPartialUpdates();
}

/** @throw std::invalid_argument when the rule would ignore an update's weight */
void
RequireUsefulWeights(const ServerRule& rule, const StalenessPolicy& staleness, uint32_t limit)
{
    if (rule.UsesWeights())
    {
        return;
    }
    for (uint32_t old = 0; old <= std::min(limit, 1000U); ++old)
    {
        const double weight = staleness.GetWeight(old);
        Require(weight == 0 || weight == 1,
                "FederatedServer: Staleness must be ns3::dlearn::DiscardStale or "
                "ns3::dlearn::ConstantStaleness with {}, for which all updates weigh the same; {} "
                "gives a weight of {} to updates that are {}{}",
                rule.GetInstanceTypeId().GetName(),
                staleness.GetInstanceTypeId().GetName(),
                weight,
                old,
                old == 1 ? " version old" : " versions old");
    }
}

/** @throw std::invalid_argument when rounds close with fewer updates than the rule needs */
void
RequireEnoughUpdates(const ServerSchedule& schedule,
                     const StalenessPolicy& staleness,
                     uint32_t stalenessLimit,
                     const ServerRule& rule)
{
    if (schedule.IsSynchronous() && staleness.GetWeight(1) > 0 && stalenessLimit > 0)
    {
        return; // late updates of earlier rounds also count
    }
    const size_t most = schedule.CountUpdates().most;
    Require(rule.CountNeeded() <= most,
            "FederatedServer: Rule needs {} updates against its Byzantine clients, and Schedule "
            "closes a round with {}, so that nothing would be learned: expect fewer Byzantine "
            "clients, or let more clients take part in a round (BufferSize, Sampling, RoundPolicy)",
            rule.CountNeeded(),
            most);
}

} // namespace

NS_LOG_COMPONENT_DEFINE("DlearnFederatedServer");
NS_OBJECT_ENSURE_REGISTERED(FederatedServer);

TypeId
FederatedServer::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<FederatedServer, LearnerApplication>("ns3::dlearn::FederatedServer")
            .AddAttribute("Rule",
                          "The aggregation of updates, a ns3::dlearn::ServerRule.",
                          TypeIdValue(FedAvgServer::GetTypeId()),
                          MakePartAccessor(&FederatedServer::m_rule, &FederatedServer::IsSetUp),
                          MakePartChecker<ServerRule>())
            .AddAttribute("Schedule",
                          "Who takes part and when a round closes, a ns3::dlearn::ServerSchedule.",
                          TypeIdValue(SynchronousSchedule::GetTypeId()),
                          MakePartAccessor(&FederatedServer::m_schedule, &FederatedServer::IsSetUp),
                          MakePartChecker<ServerSchedule>())
            .AddAttribute(
                "Staleness",
                "The weight of an update of an old model, a ns3::dlearn::StalenessPolicy.",
                TypeIdValue(DiscardStale::GetTypeId()),
                MakePartAccessor(&FederatedServer::m_staleness, &FederatedServer::IsSetUp),
                MakePartChecker<StalenessPolicy>())
            .AddAttribute("Rounds",
                          "Number of rounds, that is, of new models.",
                          UintegerValue(100),
                          MakeFixedAccessor(MakeUintegerAccessor(&FederatedServer::m_rounds),
                                            &FederatedServer::IsSetUp),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("Request",
                            "Clients that answered are asked once more, in a later step of a "
                            "round.",
                            MakeTraceSourceAccessor(&FederatedServer::m_requestTrace),
                            "ns3::dlearn::FederatedServer::RequestTracedCallback")
            .AddAttribute(
                "ResponseTimeout",
                "Longest wait for the answer to a model, whatever the schedule says; 0: as long as "
                "forecast, and four times the slowest answer so far, at most 30 s or four times "
                "the forecast or the usual answer, as before the first answer, but at least 1 s, "
                "and a deadline that is longer.",
                TimeValue(Time(0)),
                MakeFixedAccessor(MakeTimeAccessor(&FederatedServer::m_responseTimeout),
                                  &FederatedServer::IsSetUp),
                MakeTimeChecker(Time(0)))
            .AddAttribute(
                "SuspicionTimeout",
                "Total time waited for a client since its last usable update, after which it is "
                "suspected; 0: twice the response timeout, but at least 2 s.",
                TimeValue(Time(0)),
                MakeFixedAccessor(MakeTimeAccessor(&FederatedServer::m_suspicionTimeout),
                                  &FederatedServer::IsSetUp),
                MakeTimeChecker(Time(0)))
            .AddAttribute(
                "StalenessLimit",
                "Versions that an update's model may be old; older ones are discarded "
                "whatever their weight.",
                UintegerValue(16),
                MakeFixedAccessor(MakeUintegerAccessor(&FederatedServer::m_stalenessLimit),
                                  &FederatedServer::IsSetUp),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("UsePartial",
                          "Whether an update that has arrived in part until the round "
                          "closes is used (those entries) or counts as lost.",
                          BooleanValue(false),
                          MakeFixedAccessor(MakeBooleanAccessor(&FederatedServer::m_usePartial),
                                            &FederatedServer::IsSetUp),
                          MakeBooleanChecker());
    return tid;
}

void
FederatedServer::DoDispose()
{
    m_updates.Stop();
    m_opening.Cancel();
    m_deadline.Cancel();
    m_done = nullptr;
    m_rule = nullptr;
    m_schedule = nullptr;
    m_staleness = nullptr;
    LearnerApplication::DoDispose();
}

ResponseTimeouts
FederatedServer::MakeTimeouts(size_t clients) const
{
    return ResponseTimeouts({m_responseTimeout,
                             m_suspicionTimeout,
                             m_schedule->GetDeadline(),
                             m_forecast,
                             true,
                             clients});
}

void
FederatedServer::SetContext(const ServerContext& context, const Transport::Peers& addresses)
{
    NS_LOG_FUNCTION(this << context.id << context.samples.size());
    CheckBasics();
    ClaimPart(m_rule, *this);
    ClaimPart(m_schedule, *this);
    m_rule->Setup(context);
    m_staleness->CheckAttributes();
    const std::vector<LearnerId> clients = GetClientsOf(context, addresses);
    m_schedule->Setup(clients);
    RequireUsefulWeights(*m_rule, *m_staleness, m_stalenessLimit);
    RequireEnoughUpdates(*m_schedule, *m_staleness, m_stalenessLimit, *m_rule);
    if (m_usePartial)
    {
        RequirePartialUpdates(*m_schedule, *m_rule);
    }
    for (const std::string& name : m_schedule->GetFigures())
    {
        Require(std::count(context.figures.begin(), context.figures.end(), name) > 0,
                "FederatedServer: Schedule needs the figure {} with each update, which clients do "
                "not report",
                name);
    }
    m_updates.Setup(
        clients,
        GetExchange(),
        {m_rule,
         m_schedule,
         m_staleness,
         m_stalenessLimit,
         m_usePartial,
         MakeTimeouts(clients.size()),
         context.figures,
         context.samples},
        {[this](LearnerId client) { Expired(client); },
         [this](LearnerId client) { NoteEvent(LearnerEvent::Kind::CLIENT_SUSPECTED, client); },
         [this](const auto& source, uint32_t requestId) { NotePartial(source, requestId); },
         [this](const auto& source, uint32_t requestId) {
             NoteReceived(source, requestId, MessageDisposition::ON_TIME, true);
         },
         [this](uint32_t requestId, const auto& request) { m_requestTrace(requestId, request); },
         [this](auto updates) { StartAggregation(std::move(updates)); }});
    if (m_startsWithout)
    {
        std::for_each(clients.begin(), clients.end(), [this](LearnerId client) {
            m_updates.Dismiss(client);
        });
    }
    m_figures = context.figures;
    SetUp(context.id, addresses, GetFormat(ModelChannel::MODEL).length);
    for (const ModelChannel channel : FEDERATION_CHANNELS)
    {
        GetExchange()->SetFormat(channel, GetFormat(channel));
    }
    ReceiveSums(context);
}

void
FederatedServer::ReceiveSums(const ServerContext& context)
{
    const auto air = GetExchange()->GetAir();
    if (!air)
    {
        return;
    }
    Require(m_rule->TakesMeans(),
            "FederatedServer: on the air the server gets one sum of all updates, so that Rule must "
            "be ns3::dlearn::FedAvgServer, or one that takes means; {} needs the update of each "
            "client",
            m_rule->GetInstanceTypeId().GetName());
    Require(m_schedule->IsSynchronous(),
            "FederatedServer: on the air clients send at the same time, so that Schedule must have "
            "synchronous rounds, got {}",
            m_schedule->GetInstanceTypeId().GetName());
    std::map<LearnerId, double> weights;
    double most = 0;
    for (const auto& [client, samples] : context.samples)
    {
        weights[client] = m_rule->GetPlannedWeight(samples);
        most = std::max(most, weights[client]);
    }
    for (auto& [client, weight] : weights)
    {
        weight /= most;
    }
    air->SetReceiver(m_self, weights, [this](uint32_t requestId, const auto& sum) {
        m_updates.OfferSum(requestId, sum);
        TryClose();
    });
}

MessageFormat
FederatedServer::GetFormat(ModelChannel channel) const
{
    MessageFormat format = m_rule->GetFormat(channel);
    format.figures = channel == ModelChannel::UPDATE ? m_figures : format.figures;
    if (channel == ModelChannel::MODEL)
    {
        const auto settings = m_schedule->GetSettings();
        format.figures.insert(format.figures.end(), settings.begin(), settings.end());
    }
    return format;
}

void
FederatedServer::SetCheckpointInterval(uint32_t rounds)
{
    NS_LOG_FUNCTION(this << m_self << rounds);
    m_checkpoint.SetInterval(rounds, *m_rule);
}

void
FederatedServer::DoStart()
{
    if (m_servesOnly)
    {
        SwitchToState(State::IDLE);
        if (!m_done)
        {
            return;
        }
    }
    // A client that starts at the same time on a later node must listen before the server sends.
    m_opening = Simulator::ScheduleNow(&FederatedServer::OpenRound, this);
}

void
FederatedServer::DoRestart()
{
    m_updates.GetRequests().Trust();
    if (m_checkpoint.Restore())
    {
        NS_LOG_INFO("server " << m_self << " goes back to its last checkpoint");
        m_updates.Forget();
    }
    if (m_servesOnly)
    {
        SwitchToState(State::IDLE);
        return;
    }
    OpenRound();
}

void
FederatedServer::Serve(const ModelVector& model, uint32_t rounds, std::function<void()> done)
{
    NS_LOG_FUNCTION(this << m_self << rounds);
    const bool idle = GetState() == State::IDLE;
    Require(m_servesOnly && (idle || GetState() == State::NOT_STARTED),
            "FederatedServer: Serve() needs a server that is idle, server {} is not",
            m_self);
    m_rule->SetModel(model);
    m_end = m_round + rounds;
    m_served = rounds;
    m_samples = 0;
    m_done = std::move(done);
    if (idle)
    {
        OpenRound();
    }
}

void
FederatedServer::Admit(LearnerId client)
{
    const bool deserted = !HasClients();
    if (m_updates.Admit(client))
    {
        NoteEvent(LearnerEvent::Kind::CLIENT_JOINED, client);
        GiveAgain();
        if (deserted && GetState() == State::EXCHANGING && m_schedule->IsSynchronous())
        {
            m_deadline.Cancel();
            m_updates.Close(GetClock());
        }
    }
}

void
FederatedServer::Dismiss(LearnerId client)
{
    if (m_updates.Dismiss(client))
    {
        NoteEvent(LearnerEvent::Kind::CLIENT_LEFT, client);
        TryClose();
    }
}

void
FederatedServer::DropRound()
{
    m_opening.Cancel();
    m_deadline.Cancel();
    const bool closed = m_updates.HasClosed();
    m_updates.Drop();
    m_aggregating.clear();
    m_done = nullptr;
    if (closed) // the record is, but the model stays the same
    {
        CompleteRecord(GetState() == State::TRAINING);
        ++m_round;
    }
}

void
FederatedServer::OpenRound()
{
    if (IsLeaving())
    {
        m_checkpoint.Write(*m_rule);
    }
    if (IsLeaving() || m_round >= (m_servesOnly ? m_end : m_rounds))
    {
        const auto done = std::exchange(m_done, nullptr);
        SwitchToState(IsLeaving() ? State::STOPPED : m_servesOnly ? State::IDLE : State::FINISHED);
        if (done && GetState() == State::IDLE)
        {
            done();
        }
        return;
    }
    NS_LOG_FUNCTION(this << m_self << m_round);
    BeginRecord(m_round);
    m_updates.Open(m_round, m_rule->GetModel());
    SwitchToState(State::EXCHANGING);
    m_roundBeginTrace(m_self, m_round);
    if (m_updates.GetPlan().deadline.IsStrictlyPositive())
    {
        m_deadline =
            Simulator::Schedule(GetClock().GetLeft("the deadline", m_updates.GetPlan().deadline),
                                &FederatedServer::PassDeadline,
                                this);
    }
    m_updates.GiveAtOpening();
    m_modelTxTrace(m_self, m_round);
    TryClose(); // updates arrive while the server computes
}

void
FederatedServer::Expired(LearnerId client)
{
    if (m_schedule->IsSynchronous()) // else rounds wait for any client
    {
        NoteEvent(LearnerEvent::Kind::TIMED_OUT, client);
    }
    TryClose();
    if (m_updates.CountWaitable() > 0)
    {
        GiveAgain(); // another client may take its place
    }
}

void
FederatedServer::GiveAgain()
{
    if (GetState() == State::EXCHANGING)
    {
        m_updates.GiveAgain();
    }
}

void
FederatedServer::Offer(const MessageSource& source, uint32_t round, std::optional<Arrival>& arrival)
{
    NS_LOG_FUNCTION(this << m_self << source.first << round << arrival.has_value());
    // An update that arrives after the round was closed waits for the next one.
    const uint32_t next = m_round + (m_updates.HasClosed() ? 1 : 0);
    const auto disposition = m_updates.Offer(source, round, arrival, next);
    NoteReceived(source, round, disposition, arrival.has_value());
    TryClose();
    GiveAgain();
}

void
FederatedServer::PassDeadline()
{
    const Time left = GetClock().GetLeft("the deadline", m_updates.GetPlan().deadline);
    if (left.IsStrictlyPositive())
    {
        m_deadline = Simulator::Schedule(left, &FederatedServer::PassDeadline, this);
        return;
    }
    TryClose();
}

void
FederatedServer::TryClose()
{
    if (GetState() == State::EXCHANGING && m_updates.ShouldClose(GetClock().GetElapsed()))
    {
        m_deadline.Cancel();
        m_updates.Close(GetClock());
    }
}

void
FederatedServer::StartAggregation(std::vector<ClientUpdate> updates)
{
    NS_LOG_INFO("server " << m_self << " makes a model of the " << updates.size()
                          << " updates of round " << m_round);
    m_aggregating = std::move(updates);
    for (const ClientUpdate& update : m_aggregating)
    {
        m_samples += m_rule->CountSamples(update);
    }
    StartCompute(1, m_rule->GetFlops(m_aggregating.size()));
    RoundRecord& record = m_updates.GetRequests().GetRecords().back();
    FillRecord(record);
    record.clip = m_rule->GetClip();
    SwitchToState(State::TRAINING);
}

void
FederatedServer::CompleteRecord(bool computed)
{
    RoundRecord& record = m_updates.GetRequests().GetRecords().back();
    FillRecord(record);
    record.compute = computed ? record.compute : Time(0);
    m_roundEndTrace(record);
}

void
FederatedServer::FinishCompute()
{
    m_rule->Aggregate(m_aggregating);
    m_aggregating.clear();
    m_updates.Settle();
    CompleteRecord(true);
    ++m_round;
    m_checkpoint.Update(*m_rule);
    OpenRound();
}

RoundRecord*
FederatedServer::GetLastRecord()
{
    return GetRecords().empty() ? nullptr : &m_updates.GetRequests().GetRecords().back();
}

void
FederatedServer::Finish(std::map<std::string, uint64_t>& totals)
{
    LearnerApplication::Finish(totals);
    m_updates.Count(totals);
    m_checkpoint.Count(totals);
}

int64_t
FederatedServer::AssignStreams(int64_t stream)
{
    const int64_t used = LearnerApplication::AssignStreams(stream);
    return used + m_schedule->AssignStreams(stream + used);
}

} // namespace ns3::dlearn
