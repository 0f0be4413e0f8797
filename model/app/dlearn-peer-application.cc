/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-application.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

namespace
{

/** @throw std::invalid_argument when a learner lacks the address of a neighbour */
void
RequireAddresses(const LearnerContext& context, const Transport::Peers& addresses)
{
    for (const auto& [channel, neighbors] : context.neighbors)
    {
        for (const Graph::Row* row : {&neighbors.in, &neighbors.out})
        {
            for (const auto& [neighbor, weight] : *row)
            {
                Require(addresses.count(neighbor) > 0,
                        "PeerApplication: learner ",
                        context.id,
                        " has no address of its neighbour ",
                        neighbor);
            }
        }
    }
}

} // namespace

NS_LOG_COMPONENT_DEFINE("DlearnPeerApplication");
NS_OBJECT_ENSURE_REGISTERED(PeerApplication);
DLEARN_STATE_ENSURE_REGISTERED(PeerApplication);

TypeId
PeerApplication::GetTypeId()
{
    static TypeId tid =
        AddWaiting(TypeId("ns3::dlearn::PeerApplication")
                       .SetParent<TrainingApplication>()
                       .SetGroupName("Dlearn")
                       .AddConstructor<PeerApplication>())
            .AddAttribute("Rule",
                          "The algorithm.",
                          TypeIdValue(LdpOnline::GetTypeId()),
                          MakePartAccessor(&PeerApplication::m_rule, &PeerApplication::IsSetUp),
                          MakePartChecker<UpdateRule>())
            .AddAttribute(
                "RoundPolicy",
                "When a round closes.",
                TypeIdValue(AllPolicy::GetTypeId()),
                MakePartAccessor(&PeerApplication::m_roundPolicy, &PeerApplication::IsSetUp),
                MakePartChecker<RoundPolicy>())
            .AddAttribute(
                "MissingPolicy",
                "What a missing message means.",
                TypeIdValue(SkipMissing::GetTypeId()),
                MakePartAccessor(&PeerApplication::m_missingPolicy, &PeerApplication::IsSetUp),
                MakePartChecker<MissingPolicy>())
            .AddAttribute("Rounds",
                          "Number of rounds.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&PeerApplication::m_rounds),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
PeerApplication::SetTransferTime(Time transfer)
{
    m_transferTime = transfer;
}

Time
PeerApplication::GetResponseTimeout() const
{
    return GetTimeouts().response;
}

ResponseTimeouts
PeerApplication::GetTimeouts() const
{
    return ChooseTimeouts({m_responseTimeout, m_suspicionTimeout},
                          Max(Seconds(1), m_roundPolicy->GetDeadline()),
                          m_transferTime);
}

TypeId
PeerApplication::AddWaiting(TypeId tid)
{
    return tid
        .AddAttribute("ResponseTimeout",
                      "Longest wait for neighbours after sending, whatever the policies "
                      "say; 0: four times the time that messages take on the network, but at least "
                      "1 s, and a deadline that is longer.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&PeerApplication::m_responseTimeout),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("SuspicionTimeout",
                      "Total time waited for a neighbour since its last new usable "
                      "message, after which it is believed to have failed; 0: twice the "
                      "response timeout, but at least 2 s.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&PeerApplication::m_suspicionTimeout),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("Ahead",
                      "How many rounds ahead of the learner's own a message may be.",
                      UintegerValue(8),
                      MakeUintegerAccessor(&PeerApplication::m_ahead),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("Byzantine",
                      "Neighbours whose round may be false, f: a learner skips rounds "
                      "only up to the (f + 1)-th highest round of its neighbours; with 0 up "
                      "to their lower median.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&PeerApplication::m_byzantine),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("UsePartial",
                      "Whether a vector of which only some entries arrived is used "
                      "(those entries) or counts as missing.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&PeerApplication::m_usePartial),
                      MakeBooleanChecker());
}

PeerApplication::PeerApplication() = default;

PeerApplication::~PeerApplication() = default;

void
PeerApplication::DoDispose()
{
    m_deadlineEvent.Cancel();
    m_patienceEvent.Cancel();
    m_rule = nullptr;
    m_roundPolicy = nullptr;
    m_missingPolicy = nullptr;
    m_context.task = nullptr;
    m_context.stream = nullptr;
    TrainingApplication::DoDispose();
}

void
PeerApplication::SetContext(const LearnerContext& context, const Transport::Peers& addresses)
{
    NS_LOG_FUNCTION(this << context.id << addresses.size());
    CheckBasics();
    m_context = context;
    if (m_roundPolicy->IsAsynchronous())
    {
        CheckAsynchronous();
    }
    ClaimPart(m_rule, *this);
    ClaimPart(m_missingPolicy, *this);
    m_rule->Setup(context);
    RequireAddresses(context, addresses);
    SetUp(context.id, addresses, context.task->GetDimension());
    GetExchange()->TraceConnectWithoutContext(
        "MessageTx",
        MakeCallback(&PeerApplication::HandleMessageTx, this));
    for (const RuleChannel& channel : m_rule->GetChannels())
    {
        // Only where it differs: vectors of other lengths than the model's are never compressed.
        if (channel.length != context.task->GetDimension())
        {
            GetExchange()->SetLength(channel.channel, channel.length);
        }
    }
    m_tracker.emplace(m_rule->GetExpected(),
                      RoundTracker::Settings{m_roundPolicy,
                                             m_missingPolicy,
                                             GetTimeouts().suspicion,
                                             m_rounds,
                                             m_ahead,
                                             m_byzantine});
}

void
PeerApplication::CheckAsynchronous() const
{
    Require(m_missingPolicy->MayClose(),
            "PeerApplication: MissingPolicy must not be ",
            m_missingPolicy->GetInstanceTypeId().GetName(),
            " with an asynchronous RoundPolicy, which does not wait");
    Require(!m_rule->NeedsCommonRounds(),
            "PeerApplication: Rule must not be ",
            m_rule->GetInstanceTypeId().GetName(),
            " with an asynchronous RoundPolicy, as its messages count in their own round only");
    Require(
        !m_usePartial,
        "PeerApplication: UsePartial must be false with an asynchronous RoundPolicy, as what is "
        "missing of a message may still come");
    Require(m_roundPolicy->GetDeadline() <= GetResponseTimeout(),
            "PeerApplication: ResponseTimeout must be at least the Period of an asynchronous "
            "RoundPolicy, ",
            m_roundPolicy->GetDeadline().As(Time::S),
            ", got ",
            GetResponseTimeout().As(Time::S));
}

void
PeerApplication::DoStart()
{
    NS_LOG_FUNCTION(this << m_context.id);
    OpenRound(0);
}

void
PeerApplication::DoRestart()
{
    NS_LOG_FUNCTION(this << m_context.id);
    m_tracker->Reset();
    if (m_roundPolicy->IsAsynchronous())
    {
        GoOn(); // there is no round of the others to join
        return;
    }
    SwitchToState(State::JOINING);
    const Time wait = GetClock().ToSimulated("ResponseTimeout", GetResponseTimeout());
    m_patienceEvent = Simulator::Schedule(wait, &PeerApplication::Join, this);
}

void
PeerApplication::JoinBelieved()
{
    const auto round = m_tracker->GetJoinRound();
    if (round && *round >= m_nextRound)
    {
        m_nextRound = *round;
        Join();
    }
}

void
PeerApplication::DropRound()
{
    NS_LOG_FUNCTION(this << m_context.id);
    m_deadlineEvent.Cancel();
    m_patienceEvent.Cancel();
    StopPublishing();
    if (GetState() == State::EXCHANGING)
    {
        m_rule->Abandon(GetExchange()->Settle(GetWindow().GetRound()));
    }
    m_tracker->Abandon();
}

void
PeerApplication::Join()
{
    NS_LOG_FUNCTION(this << m_context.id);
    m_patienceEvent.Cancel();
    GoOn();
    OfferHeld();
}

void
PeerApplication::OfferHeld()
{
    while (auto held = m_tracker->TakeHeld())
    {
        const uint32_t round = held->second.round;
        std::optional<Arrival> arrival = std::move(held->second);
        Offer(held->first, round, arrival);
    }
}

void
PeerApplication::GoOn()
{
    if (IsLeaving())
    {
        SwitchToState(State::STOPPED); // sockets stay open: what was handed over goes out
    }
    else if (m_nextRound < m_rounds)
    {
        OpenRound(m_nextRound);
    }
    else
    {
        SwitchToState(State::FINISHED);
    }
}

void
PeerApplication::OpenRound(uint32_t round)
{
    NS_LOG_FUNCTION(this << m_context.id << round);
    BeginRecord(round);
    m_nextRound = round + 1;
    m_tracker->GetWindow().Open(round);
    m_rule->BeginRound(round);
    StartCompute(m_rule->GetWork(),
                 m_context.task->GetFlopsPerSample(),
                 [rule = PeekPointer(m_rule)] { rule->Compute(); });
    SwitchToState(State::TRAINING);
    m_roundBeginTrace(m_context.id, round);
}

void
PeerApplication::FinishCompute()
{
    NS_LOG_FUNCTION(this << m_context.id);
    Outbox outbox = m_rule->Send();
    if (!m_rule->CanContinue())
    {
        NS_LOG_INFO("learner " << m_context.id << " stops: its privacy budget is spent");
        Halt(State::FINISHED);
        NoteEvent(LearnerEvent::Kind::BUDGET_SPENT);
        return;
    }
    Publish(GetWindow().GetRound(), std::move(outbox));
    m_sent = Simulator::Now();
    WatchDeadlines();
    SwitchToState(State::EXCHANGING);
    m_modelTxTrace(m_context.id, GetWindow().GetRound());
    TryClose(false);
}

void
PeerApplication::OnPublished()
{
    NS_LOG_FUNCTION(this << m_context.id);
    if (GetState() == State::EXCHANGING) // else FinishCompute() goes on
    {
        TryClose(false);
    }
}

void
PeerApplication::WatchDeadlines()
{
    NS_LOG_FUNCTION(this << m_context.id);
    const Time wait = GetClock().ToSimulated("ResponseTimeout", GetResponseTimeout());
    m_patienceEvent = Simulator::Schedule(wait, &PeerApplication::TryClose, this, true);
    const Time deadline = m_roundPolicy->GetDeadline();
    if (deadline.IsStrictlyPositive())
    {
        m_deadlineEvent = Simulator::Schedule(GetClock().GetLeft("the deadline", deadline),
                                              &PeerApplication::TryClose,
                                              this,
                                              false);
    }
}

void
PeerApplication::TryClose(bool timedOut)
{
    NS_LOG_FUNCTION(this << m_context.id << timedOut);
    if (!timedOut && (IsPublishing() || !m_tracker->ShouldClose(GetClock().GetElapsed())))
    {
        return;
    }
    m_awaitsTurn = !timedOut && IsWaitingForTurn();
    if (m_awaitsTurn)
    {
        return; // the others need them
    }
    for (const LearnerId neighbor :
         m_tracker->RecordTimeouts(GetClock().ToLocal(Simulator::Now() - m_sent)))
    {
        NoteEvent(LearnerEvent::Kind::NEIGHBOR_SUSPECTED, neighbor);
    }
    CloseRound();
}

bool
PeerApplication::IsWaitingForTurn() const
{
    const Time deadline = m_roundPolicy->GetDeadline();
    const bool due = deadline.IsStrictlyPositive() && GetClock().GetElapsed() >= deadline;
    return !due && GetExchange()->GetTransport()->IsWaitingForTurn(GetWindow().GetRound());
}

void
PeerApplication::HandleMessageTx(const EncodedMessage& /* message */,
                                 const std::vector<LearnerId>& /* recipients */)
{
    if (m_awaitsTurn)
    {
        m_awaitsTurn = false;
        Simulator::ScheduleNow(&PeerApplication::OnPublished, this); // the transport is sending
    }
}

void
PeerApplication::TakePartials()
{
    MessageWindow& window = m_tracker->GetWindow();
    const uint32_t round = window.GetRound();
    for (const auto& source : window.GetMissing())
    {
        if (auto partial = GetExchange()->TakePartial(source, round))
        {
            window.Offer(source, round, std::move(partial));
            NotePartial(source, round);
        }
    }
}

void
PeerApplication::CloseRound()
{
    m_deadlineEvent.Cancel();
    m_patienceEvent.Cancel();
    StopPublishing();
    NS_LOG_FUNCTION(this << m_context.id);
    if (m_usePartial)
    {
        TakePartials();
    }
    Inbox inbox;
    inbox.transmitted = GetExchange()->Settle(GetWindow().GetRound());
    m_tracker->Close(inbox);
    m_rule->EndRound(inbox);

    RoundRecord& record = m_tracker->GetWindow().GetRecords().back();
    FillRecord(record);
    m_roundEndTrace(record);
    m_nextRound = std::max(m_nextRound, m_tracker->GetCatchUpRound().value_or(0));
    GoOn();
}

RoundWindow::Disposition
PeerApplication::Classify(const RoundWindow::Source& source, uint32_t round)
{
    return GetWindow().Classify(source, round);
}

void
PeerApplication::Offer(const RoundWindow::Source& source,
                       uint32_t round,
                       std::optional<Arrival>& arrival)
{
    const bool usable = arrival.has_value();
    const bool alive = m_tracker->Observe(source, round, arrival);
    if (GetState() == State::JOINING)
    {
        const bool held = m_tracker->Hold(source, round, arrival);
        JoinBelieved();
        if (held)
        {
            return;
        }
    }
    const std::optional<Arrival> copy = IsByzantine() ? arrival : std::nullopt;
    const auto disposition = m_tracker->Take(source, round, std::move(arrival), alive);
    NS_LOG_LOGIC("learner " << m_context.id << ": message of " << source.first << ", round "
                            << round << ": " << ToString(disposition));
    NoteReceived(source, round, disposition, usable);
    if (copy && copy->IsComplete() && disposition != RoundWindow::Disposition::TOO_EARLY)
    {
        NotifyReceived(source, round, *copy); // may close the round: only now
    }
    const bool late = disposition == RoundWindow::Disposition::LATE;
    if (GetState() == State::EXCHANGING && !late)
    {
        TryClose(false);
    }
}

Time
PeerApplication::GetTrainingTime() const
{
    return m_tracker ? GetComputeModel()->GetExpectedTime(m_rule->GetWork(),
                                                          m_context.task->GetFlopsPerSample())
                     : Time(0);
}

const MessageWindow&
PeerApplication::GetWindow() const
{
    Require(m_tracker.has_value(), "PeerApplication: GetWindow() needs SetContext() first");
    return m_tracker->GetWindow();
}

void
PeerApplication::Finish(std::map<std::string, uint64_t>& totals)
{
    LearnerApplication::Finish(totals);
    const auto& tally = GetWindow().GetTally();
    totals["duplicate"] += tally.duplicate;
    totals["too_early"] += tally.tooEarly;
    totals["unexpected"] += tally.unexpected;
    totals["superseded"] += tally.superseded;
}

void
PeerApplication::VisitState(StateArchive& archive)
{
    TrainingApplication::VisitState(archive);
    archive(m_nextRound, m_sent);
    archive.VisitEvent(m_deadlineEvent, [this](Time delay) {
        return Simulator::Schedule(delay, &PeerApplication::TryClose, this, false);
    });
    archive.VisitEvent(m_patienceEvent, [this](Time delay) {
        return GetState() == State::JOINING
                   ? Simulator::Schedule(delay, &PeerApplication::Join, this)
                   : Simulator::Schedule(delay, &PeerApplication::TryClose, this, true);
    });
    archive(m_context.stream, m_rule, m_roundPolicy, m_missingPolicy, *m_tracker);
}

} // namespace ns3::dlearn
