/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-server.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-part.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnFederatedServer");
NS_OBJECT_ENSURE_REGISTERED(FederatedServer);

TypeId
FederatedServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::FederatedServer")
            .SetParent<LearnerApplication>()
            .SetGroupName("Dlearn")
            .AddConstructor<FederatedServer>()
            .AddAttribute("Rule",
                          "What is made of the updates, a ns3::dlearn::ServerRule.",
                          TypeIdValue(FedAvgServer::GetTypeId()),
                          MakePartAccessor(&FederatedServer::m_rule, &FederatedServer::HasContext),
                          MakePartChecker<ServerRule>())
            .AddAttribute(
                "Schedule",
                "Who takes part and when a round closes, a "
                "ns3::dlearn::ServerSchedule.",
                TypeIdValue(SynchronousSchedule::GetTypeId()),
                MakePartAccessor(&FederatedServer::m_schedule, &FederatedServer::HasContext),
                MakePartChecker<ServerSchedule>())
            .AddAttribute(
                "Staleness",
                "What an update of an old model is worth, a "
                "ns3::dlearn::StalenessPolicy.",
                TypeIdValue(DiscardStale::GetTypeId()),
                MakePartAccessor(&FederatedServer::m_staleness, &FederatedServer::HasContext),
                MakePartChecker<StalenessPolicy>())
            .AddAttribute("Rounds",
                          "Number of rounds, that is of new models.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&FederatedServer::m_rounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ResponseTimeout",
                          "Longest wait for the answer to a model, whatever the schedule says.",
                          TimeValue(Seconds(30)),
                          MakeTimeAccessor(&FederatedServer::m_responseTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("SuspicionTimeout",
                          "Total time waited for a client since its last usable update, after "
                          "which it is believed gone.",
                          TimeValue(Seconds(60)),
                          MakeTimeAccessor(&FederatedServer::m_suspicionTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("StalenessLimit",
                          "Versions that an update's model may be old; older ones are discarded "
                          "whatever their weight.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&FederatedServer::m_stalenessLimit),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Repair",
                            "Clients are asked to correct their updates for others that the "
                            "server missed.",
                            MakeTraceSourceAccessor(&FederatedServer::m_repairTrace),
                            "ns3::dlearn::FederatedServer::RepairTracedCallback");
    return tid;
}

FederatedServer::FederatedServer() = default;

FederatedServer::~FederatedServer() = default;

void
FederatedServer::DoDispose()
{
    m_desk.Stop();
    m_repair.Drop();
    m_openEvent.Cancel();
    m_deadlineEvent.Cancel();
    m_rule = nullptr;
    m_schedule = nullptr;
    m_staleness = nullptr;
    LearnerApplication::DoDispose();
}

void
FederatedServer::SetContext(const ServerContext& context, const Transport::Peers& addresses)
{
    CheckBasics();
    m_rule->Setup(context);
    m_staleness->CheckAttributes();
    std::vector<LearnerId> clients;
    for (const auto& [client, samples] : context.samples)
    {
        Require(addresses.count(client) > 0,
                "FederatedServer: server ",
                context.id,
                " has no address of its client ",
                client);
        clients.push_back(client);
    }
    m_schedule->Setup(clients);
    m_buffer.Setup(m_staleness, m_stalenessLimit, m_schedule->IsSynchronous());
    m_desk.Setup(
        clients,
        m_responseTimeout,
        m_suspicionTimeout,
        {[this] { Expired(); }, [this](uint32_t requestId) { GetExchange()->Settle(requestId); }});
    GetExchange()->SetLength(ModelChannel::ROSTER, clients.size());
    GetExchange()->SetLength(ModelChannel::CORRECTION, context.initialModel.size());
    SetUp(context.id, addresses, context.initialModel.size());
    m_hasContext = true;
}

void
FederatedServer::DoStart()
{
    // Events of one time run in the order in which they were scheduled. A client that starts at
    // the same time on a later node calls the server, which has to listen by then, and has to
    // listen itself before the server sends.
    m_openEvent = Simulator::ScheduleNow(&FederatedServer::OpenRound, this);
}

void
FederatedServer::DoRestart()
{
    m_desk.Reset();
    OpenRound();
}

void
FederatedServer::DropRound()
{
    m_openEvent.Cancel();
    m_deadlineEvent.Cancel();
    m_desk.GiveUpAll();
    m_buffer.Clear();
    m_aggregating.clear();
    if (m_repair.GetBook().IsOpen())
    {
        m_repair.Drop();
        ++m_round; // its book is closed
    }
    if (GetState() == State::TRAINING)
    {
        ++m_round; // its book is closed; the model stays what it was
    }
}

void
FederatedServer::OpenRound()
{
    if (IsLeaving() || m_round >= m_rounds)
    {
        SwitchToState(IsLeaving() ? State::STOPPED : State::FINISHED);
        return;
    }
    NS_LOG_FUNCTION(this << m_self << m_round);
    OpenBooks();
    m_ended = GetBook().GetCurrent();
    m_buffer.Remember(m_round, m_rule->GetModel());
    SwitchToState(State::EXCHANGING);
    m_roundBeginTrace(m_self, m_round);
    if (m_schedule->GetDeadline().IsStrictlyPositive())
    {
        m_deadlineEvent =
            Simulator::Schedule(m_schedule->GetDeadline(), &FederatedServer::TryClose, this);
    }
    Give(m_schedule->ChooseAtOpening(m_round, m_desk.GetIdle()));
    m_modelTxTrace(m_self, m_round);
    TryClose(); // enough may have come while the model was computed
}

void
FederatedServer::Give(const std::vector<LearnerId>& clients)
{
    if (clients.empty())
    {
        return;
    }
    const uint32_t requestId = m_desk.Give(clients, m_round);
    GetExchange()->Send(requestId, {ModelChannel::MODEL, clients, *m_buffer.GetNewest()});
}

void
FederatedServer::Expired()
{
    TryClose();
    if (CountWaitable() > 0)
    {
        GiveAgain(); // its place is free for another
    }
}

void
FederatedServer::GiveAgain()
{
    // Not for each of a thousand updates if the answer is known: rounds in lock-step give at
    // their opening only.
    if (GetState() == State::EXCHANGING && !m_schedule->IsSynchronous())
    {
        Give(m_schedule->ChooseAfterUpdate(m_desk.GetIdle()));
    }
}

RoundWindow::Disposition
FederatedServer::Classify(const RoundWindow::Source& source, uint32_t round)
{
    if (source.second == ModelChannel::CORRECTION)
    {
        return m_repair.GetBook().Classify(source.first, round);
    }
    if (source.second != ModelChannel::UPDATE)
    {
        return RoundWindow::Disposition::UNEXPECTED;
    }
    return GetBook().Classify(source.first, round);
}

void
FederatedServer::Offer(const RoundWindow::Source& source,
                       uint32_t round,
                       std::optional<Arrival>& arrival)
{
    const LearnerId client = source.first;
    if (source.second == ModelChannel::CORRECTION)
    {
        OfferCorrection(client, round, arrival);
        return;
    }
    const bool expected = source.second == ModelChannel::UPDATE;
    const Dispatch* dispatch = expected ? GetBook().Find(client, round) : nullptr;
    const Time waited = dispatch ? Simulator::Now() - dispatch->sent : Time(0);
    std::optional<ClientUpdate> update;
    if (dispatch && arrival)
    {
        // What comes while a model is being computed has to wait for the one after it.
        const uint32_t next = m_round + (GetState() == State::TRAINING ? 1 : 0);
        update = m_buffer.Assess(client, dispatch->version, next);
    }
    const auto disposition = expected ? m_desk.Answer(client, round, update.has_value())
                                      : RoundWindow::Disposition::UNEXPECTED;
    NoteLife(client, disposition, arrival.has_value(), waited);
    NoteReceived(source, round, disposition, arrival.has_value());
    if (update)
    {
        update->values = std::move(arrival->values);
        update->round = round;
        m_buffer.Keep(std::move(*update), disposition == RoundWindow::Disposition::LATE);
    }
    TryClose();
    GiveAgain();
}

void
FederatedServer::NoteLife(LearnerId client,
                          RoundWindow::Disposition disposition,
                          bool usable,
                          Time waited)
{
    // Whoever sends what nobody can use is not worth waiting for.
    if (usable && (disposition == RoundWindow::Disposition::ON_TIME ||
                   disposition == RoundWindow::Disposition::LATE))
    {
        m_desk.RecordActivity(client);
    }
    else if (disposition == RoundWindow::Disposition::ON_TIME)
    {
        m_desk.RecordTimeout(client, waited);
    }
}

size_t
FederatedServer::CountWaitable() const
{
    // Out of lock-step whoever is idle is about to get a model.
    return m_schedule->IsSynchronous() ? m_desk.CountAwaited() : m_desk.CountAlive();
}

RoundStatus
FederatedServer::GetStatus() const
{
    RoundStatus status;
    const auto& open = GetBook().GetOpen();
    const RoundRecord& ended = GetBook().GetCurrent();
    // What ended before the round opened, as in one that a crash cut short, does not count.
    status.expected = ended.expected - m_ended.expected + open.size();
    status.received = ended.received - m_ended.received;
    status.elapsed = Simulator::Now() - m_opened;
    status.waitable = CountWaitable();
    if (status.waitable == 0 && m_buffer.GetSize() == 0)
    {
        // All seem gone: give them their ResponseTimeout, lest the rounds pass in no time at all.
        status.waitable = open.size();
    }
    return status;
}

void
FederatedServer::TryClose()
{
    if (GetState() == State::EXCHANGING && !m_repair.GetBook().IsOpen() &&
        m_schedule->ShouldClose(GetStatus(), m_buffer.GetSize()))
    {
        CloseRound();
    }
}

void
FederatedServer::CloseRound()
{
    m_deadlineEvent.Cancel();
    if (m_schedule->IsSynchronous())
    {
        m_desk.GiveUpAll();
    }
    m_aggregating = m_buffer.Take();
    m_desk.Close(m_round);
    if (!AskForCorrections())
    {
        StartAggregation();
    }
}

bool
FederatedServer::AskForCorrections()
{
    const std::vector<LearnerId> lost = m_rule->FindLost(m_aggregating);
    const std::vector<LearnerId> asked = RepairExchange::FindAnswered(m_aggregating);
    if (lost.empty() || asked.empty() || !m_schedule->IsSynchronous())
    {
        return false;
    }
    const uint32_t requestId = m_desk.GetLastTicket(); // in lock-step that of all models of a round
    const Time deadline = m_schedule->GetDeadline();
    m_repair.Ask(*GetExchange(),
                 requestId,
                 asked,
                 RepairExchange::MakeRoster(m_desk.GetClients(), lost),
                 deadline.IsStrictlyPositive() ? deadline : m_responseTimeout,
                 [this] { FinishCorrections(); });
    m_repairTrace(requestId, lost);
    return true;
}

void
FederatedServer::OfferCorrection(LearnerId client,
                                 uint32_t requestId,
                                 const std::optional<Arrival>& arrival)
{
    const auto disposition = m_repair.Answer(client, requestId, arrival);
    NoteLife(client, disposition, arrival.has_value(), Time(0));
    NoteReceived({client, ModelChannel::CORRECTION}, requestId, disposition, arrival.has_value());
    if (m_repair.IsComplete())
    {
        FinishCorrections();
    }
}

void
FederatedServer::FinishCorrections()
{
    m_repair.Close(*GetExchange(), m_aggregating);
    StartAggregation();
}

void
FederatedServer::StartAggregation()
{
    StartCompute(GetComputeModel()->GetTime(1, m_rule->GetFlops(m_aggregating.size())));
    FillRecord(m_desk.GetLastRecord());
    SwitchToState(State::TRAINING);
}

void
FederatedServer::FinishCompute()
{
    m_rule->Aggregate(m_aggregating);
    m_aggregating.clear();
    FillRecord(m_desk.GetLastRecord());
    m_roundEndTrace(m_desk.GetLastRecord());
    if (GetState() == State::TRAINING) // else whoever listens to the trace stopped the server
    {
        ++m_round;
        OpenRound();
    }
}

bool
FederatedServer::HasContext() const
{
    return m_hasContext;
}

Ptr<ServerRule>
FederatedServer::GetRule() const
{
    return m_rule;
}

Ptr<ServerSchedule>
FederatedServer::GetSchedule() const
{
    return m_schedule;
}

Ptr<StalenessPolicy>
FederatedServer::GetStalenessPolicy() const
{
    return m_staleness;
}

const std::map<uint32_t, uint64_t>&
FederatedServer::GetStaleness() const
{
    return m_buffer.GetCounters().staleness;
}

const RequestLog&
FederatedServer::GetBook() const
{
    return m_desk.GetBook();
}

std::string
FederatedServer::GetRole() const
{
    return "server";
}

uint32_t
FederatedServer::GetRounds() const
{
    return m_rounds;
}

Ptr<LearnerRule>
FederatedServer::GetLearnerRule()
{
    return m_rule;
}

const std::vector<RoundRecord>&
FederatedServer::GetRecords() const
{
    return GetBook().GetRecords();
}

void
FederatedServer::CheckConservation() const
{
    GetBook().CheckConservation();
}

void
FederatedServer::Finish(std::map<std::string, uint64_t>& totals)
{
    LearnerApplication::Finish(totals);
    totals["duplicate"] += GetBook().GetTally().duplicate;
    totals["unexpected"] += GetBook().GetTally().unexpected;
    m_repair.GetBook().Count(totals);
    totals["updates_discarded_stale"] += m_buffer.GetCounters().discarded;
    totals["updates_late_used"] += m_buffer.GetCounters().lateUsed;
    totals["updates_superseded"] += m_buffer.GetCounters().superseded;
    totals["updates_unanswered"] += GetBook().GetOpen().size();
    for (const auto& [staleness, count] : GetStaleness())
    {
        totals["staleness_" + std::to_string(staleness)] += count;
    }
}

int64_t
FederatedServer::AssignStreams(int64_t stream)
{
    const int64_t used = LearnerApplication::AssignStreams(stream);
    return used + m_schedule->AssignStreams(stream + used);
}

} // namespace ns3::dlearn
