/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-server.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnFederatedServer");
NS_OBJECT_ENSURE_REGISTERED(FederatedServer);
DLEARN_STATE_ENSURE_REGISTERED(FederatedServer);

TypeId
FederatedServer::GetTypeId()
{
    static TypeId tid = AddWaiting(
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
            .AddTraceSource("Request",
                            "The clients that answered are asked once more, in the second phase "
                            "of a round.",
                            MakeTraceSourceAccessor(&FederatedServer::m_requestTrace),
                            "ns3::dlearn::FederatedServer::RequestTracedCallback"));
    return tid;
}

TypeId
FederatedServer::AddWaiting(TypeId tid)
{
    return tid
        .AddAttribute("ResponseTimeout",
                      "Longest wait for the answer to a model, whatever the schedule says; 0: "
                      "four times the time that messages take on the network, but at least 30 s, "
                      "and a deadline that is longer.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&FederatedServer::m_responseTimeout),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("SuspicionTimeout",
                      "Total time waited for a client since its last usable update, after "
                      "which it is suspected; 0: twice the response timeout, but at least "
                      "60 s.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&FederatedServer::m_suspicionTimeout),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("StalenessLimit",
                      "Versions that an update's model may be old; older ones are discarded "
                      "whatever their weight.",
                      UintegerValue(16),
                      MakeUintegerAccessor(&FederatedServer::m_stalenessLimit),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("UsePartial",
                      "Whether an update of which only some entries arrived until the round "
                      "closes is used (those entries) or counts as lost.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&FederatedServer::m_usePartial),
                      MakeBooleanChecker());
}

FederatedServer::FederatedServer() = default;

FederatedServer::~FederatedServer() = default;

void
FederatedServer::DoDispose()
{
    m_tracker.Stop();
    m_secondPhase.Drop();
    m_openEvent.Cancel();
    m_deadlineEvent.Cancel();
    m_rule = nullptr;
    m_schedule = nullptr;
    m_staleness = nullptr;
    LearnerApplication::DoDispose();
}

void
FederatedServer::SetTransferTime(Time transfer)
{
    m_transferTime = transfer;
}

Time
FederatedServer::GetResponseTimeout() const
{
    return GetTimeouts().response;
}

ResponseTimeouts
FederatedServer::GetTimeouts() const
{
    return ChooseTimeouts({m_responseTimeout, m_suspicionTimeout},
                          Max(Seconds(30), m_schedule->GetDeadline()),
                          m_transferTime);
}

void
FederatedServer::SetContext(const ServerContext& context, const Transport::Peers& addresses)
{
    NS_LOG_FUNCTION(this << context.id << context.samples.size());
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
    CheckPartialUpdates();
    m_buffer.Setup(m_staleness, m_stalenessLimit, m_schedule->IsSynchronous());
    const ResponseTimeouts timeouts = GetTimeouts();
    m_tracker.Setup(
        clients,
        timeouts.response,
        timeouts.suspicion,
        {[this] { Expired(); },
         [this](uint32_t requestId) { GetExchange()->Settle(requestId); },
         [this](LearnerId client) { NoteEvent(LearnerEvent::Kind::CLIENT_SUSPECTED, client); },
         [this](LearnerId client) { TakePartial(client); }});
    GetExchange()->SetLength(ModelChannel::REQUEST, m_rule->GetRequestLength());
    GetExchange()->SetLength(ModelChannel::ANSWER, context.initialModel.size());
    SetUp(context.id, addresses, context.initialModel.size());
    m_hasContext = true;
}

void
FederatedServer::CheckPartialUpdates() const
{
    if (m_usePartial)
    {
        Require(m_schedule->IsSynchronous(),
                "FederatedServer: UsePartial must be false with ",
                m_schedule->GetInstanceTypeId().GetName(),
                ", whose rounds close while updates are still under way; got true");
        m_rule->CheckPartialUpdates();
    }
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
    // Events of one time run in the order in which they were scheduled. A client that starts at
    // the same time on a later node calls the server, which has to listen by then, and has to
    // listen itself before the server sends.
    m_openEvent = Simulator::ScheduleNow(&FederatedServer::OpenRound, this);
}

void
FederatedServer::DoRestart()
{
    m_tracker.Reset();
    if (m_checkpoint.Restore(*m_rule))
    {
        NS_LOG_INFO("server " << m_self << " goes back to its last checkpoint");
        m_buffer.Forget();
    }
    OpenRound();
}

void
FederatedServer::DropRound()
{
    m_openEvent.Cancel();
    m_deadlineEvent.Cancel();
    m_tracker.GiveUpAll();
    m_buffer.Clear();
    m_aggregating.clear();
    if (m_secondPhase.GetLog().IsOpen())
    {
        m_secondPhase.Drop();
        ++m_round; // its record is closed
    }
    if (GetState() == State::TRAINING)
    {
        ++m_round; // its record is closed; the model stays what it was
    }
}

void
FederatedServer::OpenRound()
{
    if (IsLeaving())
    {
        m_checkpoint.Write(*m_rule);
    }
    if (IsLeaving() || m_round >= m_rounds)
    {
        SwitchToState(IsLeaving() ? State::STOPPED : State::FINISHED);
        return;
    }
    NS_LOG_FUNCTION(this << m_self << m_round);
    BeginRecord(m_round);
    m_tracker.Open();
    m_buffer.Remember(m_round, m_rule->GetModel());
    SwitchToState(State::EXCHANGING);
    m_roundBeginTrace(m_self, m_round);
    if (m_schedule->GetDeadline().IsStrictlyPositive())
    {
        const Time wait = GetClock().ToSimulated("the deadline", m_schedule->GetDeadline());
        m_deadlineEvent = Simulator::Schedule(wait, &FederatedServer::TryClose, this);
    }
    Give(m_schedule->ChooseAtOpening(m_round, m_tracker.GetIdle()));
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
    const uint32_t requestId = m_tracker.Give(clients, m_round);
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
        Give(m_schedule->ChooseAfterUpdate(m_tracker.GetIdle()));
    }
}

RoundWindow::Disposition
FederatedServer::Classify(const RoundWindow::Source& source, uint32_t round)
{
    if (source.second == ModelChannel::ANSWER)
    {
        return m_secondPhase.GetLog().Classify(source.first, round);
    }
    if (source.second != ModelChannel::UPDATE)
    {
        return RoundWindow::Disposition::UNEXPECTED;
    }
    return GetLog().Classify(source.first, round);
}

void
FederatedServer::Offer(const RoundWindow::Source& source,
                       uint32_t round,
                       std::optional<Arrival>& arrival)
{
    NS_LOG_FUNCTION(this << m_self << source.first << round << arrival.has_value());
    const LearnerId client = source.first;
    if (source.second == ModelChannel::ANSWER)
    {
        OfferAnswer(client, round, arrival);
        return;
    }
    const bool expected = source.second == ModelChannel::UPDATE;
    const Dispatch* dispatch = expected ? GetLog().Find(client, round) : nullptr;
    const Time waited = dispatch ? Simulator::Now() - dispatch->sent : Time(0);
    std::optional<ClientUpdate> update;
    if (dispatch && arrival)
    {
        // What comes while a model is being computed has to wait for the one after it.
        const uint32_t next = m_round + (GetState() == State::TRAINING ? 1 : 0);
        update = m_buffer.Assess(client, dispatch->version, next);
    }
    const auto disposition = expected ? m_tracker.Answer(client, round, update.has_value())
                                      : RoundWindow::Disposition::UNEXPECTED;
    m_tracker.RecordAnswer(client, disposition, arrival.has_value(), waited);
    NoteReceived(source, round, disposition, arrival.has_value());
    if (update)
    {
        Keep(std::move(*update), round, *arrival, disposition == RoundWindow::Disposition::LATE);
    }
    TryClose();
    GiveAgain();
}

void
FederatedServer::Keep(ClientUpdate update, uint32_t requestId, Arrival& arrival, bool late)
{
    update.values = std::move(arrival.values);
    update.present = std::move(arrival.present);
    update.round = requestId;
    m_buffer.Keep(std::move(update), late);
}

void
FederatedServer::TakePartial(LearnerId client)
{
    if (!m_usePartial)
    {
        return;
    }
    const Dispatch dispatch = GetLog().GetOpen().at(client);
    const RoundWindow::Source source{client, ModelChannel::UPDATE};
    auto partial = GetExchange()->TakePartial(source, dispatch.requestId);
    auto update = partial ? m_buffer.Assess(client, dispatch.version, m_round)
                          : std::optional<ClientUpdate>();
    if (update)
    {
        // It was waited for all the same: a client that never sends the rest is suspected.
        const auto disposition = m_tracker.Answer(client, dispatch.requestId, true);
        m_tracker.RecordAnswer(client, disposition, false, Simulator::Now() - dispatch.sent);
        NotePartial(source, dispatch.requestId);
        Keep(std::move(*update), dispatch.requestId, *partial, false);
    }
}

size_t
FederatedServer::CountWaitable() const
{
    // Out of lock-step a client that is idle is about to get a model.
    return m_schedule->IsSynchronous() ? m_tracker.CountAwaited() : m_tracker.CountAlive();
}

RoundStatus
FederatedServer::GetStatus() const
{
    RoundStatus status = m_tracker.GetStatus();
    status.elapsed = GetClock().ToLocal(Simulator::Now() - m_opened);
    status.waitable = CountWaitable();
    if (status.waitable == 0 && m_buffer.GetSize() == 0)
    {
        // All are suspected: give them their ResponseTimeout, or rounds would pass in no time.
        status.waitable = GetLog().GetOpen().size();
    }
    return status;
}

void
FederatedServer::TryClose()
{
    if (GetState() == State::EXCHANGING && !m_secondPhase.GetLog().IsOpen() &&
        m_schedule->ShouldClose(GetStatus(), m_buffer.GetSize()))
    {
        CloseRound();
    }
}

void
FederatedServer::CloseRound()
{
    NS_LOG_INFO("server " << m_self << " closes round " << m_round << " with " << m_buffer.GetSize()
                          << " updates");
    m_deadlineEvent.Cancel();
    if (m_schedule->IsSynchronous())
    {
        const auto open = m_tracker.GetLog().GetOpen(); // a copy: who answers is not among them
        for (const auto& [client, dispatch] : open)
        {
            TakePartial(client);
        }
        m_tracker.GiveUpAll();
    }
    m_aggregating = m_buffer.Take();
    m_tracker.Close(m_round);
    if (!StartSecondPhase())
    {
        StartAggregation();
    }
}

bool
FederatedServer::StartSecondPhase()
{
    const std::vector<LearnerId> asked = SecondPhase::FindAnswered(m_aggregating);
    if (asked.empty() || !m_schedule->IsSynchronous())
    {
        return false;
    }
    const auto request = m_rule->GetRequest(m_aggregating);
    if (!request)
    {
        return false;
    }
    RequireSize("FederatedServer", "request", request->size(), m_rule->GetRequestLength());
    const uint32_t requestId = m_tracker.GetLastRequestId(); // of all models of a round
    const Time deadline = m_schedule->GetDeadline();
    m_secondPhase.Ask(
        *GetExchange(),
        requestId,
        asked,
        *request,
        GetClock().ToSimulated("waiting for answers",
                               deadline.IsStrictlyPositive() ? deadline : GetResponseTimeout()),
        [this] { FinishSecondPhase(); });
    m_requestTrace(requestId, *request);
    return true;
}

void
FederatedServer::OfferAnswer(LearnerId client,
                             uint32_t requestId,
                             const std::optional<Arrival>& arrival)
{
    const auto disposition = m_secondPhase.Answer(client, requestId, arrival);
    m_tracker.RecordAnswer(client, disposition, arrival.has_value(), Time(0));
    NoteReceived({client, ModelChannel::ANSWER}, requestId, disposition, arrival.has_value());
    if (m_secondPhase.IsComplete())
    {
        FinishSecondPhase();
    }
}

void
FederatedServer::FinishSecondPhase()
{
    m_rule->UseAnswers(m_secondPhase.Close(*GetExchange()), m_aggregating);
    StartAggregation();
}

void
FederatedServer::StartAggregation()
{
    StartCompute(1, m_rule->GetFlops(m_aggregating.size()));
    FillRecord(m_tracker.GetLastRecord());
    SwitchToState(State::TRAINING);
}

void
FederatedServer::FinishCompute()
{
    m_rule->Aggregate(m_aggregating);
    m_aggregating.clear();
    FillRecord(m_tracker.GetLastRecord());
    m_roundEndTrace(m_tracker.GetLastRecord());
    ++m_round;
    m_checkpoint.Update(*m_rule);
    OpenRound();
}

void
FederatedServer::Finish(std::map<std::string, uint64_t>& totals)
{
    LearnerApplication::Finish(totals);
    totals["duplicate"] += GetLog().GetTally().duplicate;
    totals["unexpected"] += GetLog().GetTally().unexpected;
    m_secondPhase.GetLog().Count(totals);
    m_buffer.Count(totals);
    if (m_usePartial)
    {
        totals["updates_partial"] += m_buffer.GetCounters().partial;
    }
    m_checkpoint.Count(totals);
    totals["updates_unanswered"] += GetLog().GetOpen().size();
}

int64_t
FederatedServer::AssignStreams(int64_t stream)
{
    const int64_t used = LearnerApplication::AssignStreams(stream);
    return used + m_schedule->AssignStreams(stream + used);
}

void
FederatedServer::VisitState(StateArchive& archive)
{
    LearnerApplication::VisitState(archive);
    archive(m_rule, m_schedule, m_staleness, m_tracker, m_round, m_buffer, m_aggregating);
    archive(m_checkpoint);
    m_secondPhase.VisitState(archive, [this] { FinishSecondPhase(); });
    archive.VisitEvent(m_openEvent, [this](Time delay) {
        return Simulator::Schedule(delay, &FederatedServer::OpenRound, this);
    });
    archive.VisitEvent(m_deadlineEvent, [this](Time delay) {
        return Simulator::Schedule(delay, &FederatedServer::TryClose, this);
    });
}

} // namespace ns3::dlearn
