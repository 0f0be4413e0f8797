/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-application.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

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
    m_timeout.Cancel();
    m_deadline.Cancel();
    m_timeout = Simulator::Schedule(m_clock->ToSimulated("ResponseTimeout", timeout),
                                    [this] { m_ask(true); });
    const Time deadline = m_policy->GetDeadline();
    if (deadline.IsStrictlyPositive())
    {
        m_deadline = Simulator::Schedule(m_clock->GetLeft("the deadline", deadline),
                                         &RoundTimer::PassDeadline,
                                         this);
    }
}

void
RoundTimer::PassDeadline()
{
    const Time left = m_clock->GetLeft("the deadline", m_policy->GetDeadline());
    if (left.IsStrictlyPositive())
    {
        m_deadline = Simulator::Schedule(left, &RoundTimer::PassDeadline, this);
        return;
    }
    m_ask(false);
}

Time
RoundTimer::GetWaited() const
{
    return m_clock->ToLocal(Simulator::Now() - m_started);
}

bool
RoundTimer::AwaitsTurn(uint32_t round)
{
    const Time deadline = m_policy->GetDeadline();
    const bool due = deadline.IsStrictlyPositive() && m_clock->GetElapsed() >= deadline;
    m_awaitsTurn = !due && m_exchange->GetTransport()->IsWaitingForTurn(round);
    return m_awaitsTurn;
}

void
RoundTimer::HandleMessageTx(const EncodedMessage& /* message */,
                            const std::vector<LearnerId>& /* recipients */)
{
    if (m_awaitsTurn)
    {
        m_awaitsTurn = false;
        m_turn.Cancel();
        m_turn = Simulator::ScheduleNow([this] { m_ask(false); }); // the transport is sending
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
                        "PeerApplication: learner {} has no address of its neighbour {}",
                        context.id,
                        neighbor);
            }
        }
    }
}

/** @throw std::invalid_argument for settings that the rule or an asynchronous policy cannot use */
void
RequireFitting(const RoundPolicy& policy,
               const UpdateRule& rule,
               const MissingPolicy& missing,
               bool usePartial,
               Time timeout)
{
    const std::string name = rule.GetInstanceTypeId().GetName();
    Require(!rule.NeedsCommonRounds() || !missing.HasStandIns(),
            "PeerApplication: MissingPolicy must not be {} with {}, whose messages count in their "
            "own round only",
            missing.GetInstanceTypeId().GetName(),
            name);
    Require(!rule.NeedsWholeVectors() || !usePartial,
            "PeerApplication: UsePartial must be false with {}, for which a vector counts as "
            "missing unless it is whole",
            name);
    if (!policy.IsAsynchronous())
    {
        return;
    }
    Require(missing.MayClose(),
            "PeerApplication: MissingPolicy must not be {} with an asynchronous RoundPolicy, which "
            "does not wait",
            missing.GetInstanceTypeId().GetName());
    Require(!rule.NeedsCommonRounds(),
            "PeerApplication: Rule must not be {} with an asynchronous RoundPolicy, as its "
            "messages count in their own round only",
            rule.GetInstanceTypeId().GetName());
    Require(
        !usePartial,
        "PeerApplication: UsePartial must be false with an asynchronous RoundPolicy, as the rest "
        "of a message may still come");
    Require(policy.GetDeadline() <= timeout,
            "PeerApplication: ResponseTimeout must be at least the Period of an asynchronous "
            "RoundPolicy, {}, got {}",
            policy.GetDeadline().As(Time::S),
            timeout.As(Time::S));
}

/** Set the formats of a rule's messages.
 *  @throw std::invalid_argument when a compressor would have no effect */
void
SetFormats(MessageExchange& exchange, const UpdateRule& rule, uint32_t dimension)
{
    bool compressible = false;
    for (const RuleChannel& channel : rule.GetChannels())
    {
        Require(channel.figures.empty() || !rule.GetLedger(),
                "PeerApplication: the privacy account of {} does not cover the figure {}, which is "
                "sent without noise",
                rule.GetInstanceTypeId().GetName(),
                JoinNames(channel.figures));
        // Vectors of other lengths than the model's are never compressed.
        exchange.SetFormat(channel.channel, {channel.length, channel.figures});
        compressible = compressible || channel.length == dimension;
    }
    Require(compressible || !exchange.GetCompressor(),
            "MessageExchange: there must be no Compressor with {}, whose vectors are not as long "
            "as the model and therefore never compressed",
            rule.GetInstanceTypeId().GetName());
}

/** @throw std::invalid_argument when a rule sends vectors that no neighbour expects */
void
RequireDeclared(const Outbox& outbox, const UpdateRule& rule)
{
    const auto channels = rule.GetChannels();
    for (const Outgoing& outgoing : outbox)
    {
        Require(std::any_of(channels.begin(),
                            channels.end(),
                            [&outgoing](const RuleChannel& channel) {
                                return channel.channel == outgoing.channel;
                            }),
                "{} sends a vector of channel {}, which is not in its GetChannels()",
                rule.GetInstanceTypeId().GetName(),
                ToString(outgoing.channel));
    }
}

} // namespace

NS_LOG_COMPONENT_DEFINE("DlearnPeerApplication");
NS_OBJECT_ENSURE_REGISTERED(PeerApplication);

TypeId
PeerApplication::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<PeerApplication, TrainingApplication>("ns3::dlearn::PeerApplication")
            .AddAttribute("ResponseTimeout",
                          "Longest wait for neighbours after sending, whatever the policies say; "
                          "0: four times the wait for the slowest message, by the forecast, but at "
                          "least 1 s, and a deadline that is longer.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&PeerApplication::m_responseTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "SuspicionTimeout",
                "Total time waited for a neighbour since its last new usable message, after which "
                "it is believed to have failed; 0: twice the response timeout, but at least 2 s.",
                TimeValue(Time(0)),
                MakeFixedAccessor(MakeTimeAccessor(&PeerApplication::m_suspicionTimeout),
                                  &PeerApplication::IsSetUp),
                MakeTimeChecker(Time(0)))
            .AddAttribute("Ahead",
                          "Number of rounds that a message may be ahead of the learner.",
                          UintegerValue(8),
                          MakeFixedAccessor(MakeUintegerAccessor(&PeerApplication::m_ahead),
                                            &PeerApplication::IsSetUp),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Byzantine",
                          "Neighbours whose round may be false, f: a learner skips rounds "
                          "only up to the (f + 1)-th highest round of its neighbours; with 0 up "
                          "to their lower median.",
                          UintegerValue(0),
                          MakeFixedAccessor(MakeUintegerAccessor(&PeerApplication::m_byzantine),
                                            &PeerApplication::IsSetUp),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("UsePartial",
                          "Whether a vector that arrived in part is used "
                          "(those entries) or counts as missing.",
                          BooleanValue(false),
                          MakeFixedAccessor(MakeBooleanAccessor(&PeerApplication::m_usePartial),
                                            &PeerApplication::IsSetUp),
                          MakeBooleanChecker())
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
                "The meaning of a missing message.",
                TypeIdValue(SkipMissing::GetTypeId()),
                MakePartAccessor(&PeerApplication::m_missingPolicy, &PeerApplication::IsSetUp),
                MakePartChecker<MissingPolicy>())
            .AddAttribute("Rounds",
                          "Number of rounds.",
                          UintegerValue(100),
                          MakeFixedAccessor(MakeUintegerAccessor(&PeerApplication::m_rounds),
                                            &PeerApplication::IsSetUp),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

ResponseTimeouts
PeerApplication::GetTimeouts() const
{
    // Not from answers: a peer that is late in each round would make others wait ever longer.
    return ResponseTimeouts(
        {m_responseTimeout, m_suspicionTimeout, m_roundPolicy->GetDeadline(), m_forecast});
}

void
PeerApplication::DoDispose()
{
    TrainingApplication::DoDispose(); // ends the rule's work on another thread
    m_timer.Stop();
    m_joining.Cancel();
    m_rule = nullptr;
    m_roundPolicy = nullptr;
    m_missingPolicy = nullptr;
    m_context.task = nullptr;
    m_context.stream = nullptr;
}

void
PeerApplication::SetContext(const LearnerContext& context, const Transport::Peers& addresses)
{
    NS_LOG_FUNCTION(this << context.id << addresses.size());
    CheckBasics();
    m_context = context;
    RequireFitting(*m_roundPolicy, *m_rule, *m_missingPolicy, m_usePartial, GetResponseTimeout());
    ClaimPart(m_rule, *this);
    ClaimPart(m_missingPolicy, *this);
    m_rule->Setup(context);
    RequireAddresses(context, addresses);
    if (m_rule->CorrectsCompression())
    {
        GetExchange()->SetCorrected();
    }
    SetUp(context.id, addresses, context.task->GetDimension());
    m_timer.Setup(GetClock(), m_roundPolicy, GetExchange());
    SetFormats(*GetExchange(), *m_rule, context.task->GetDimension());
    m_tracker.emplace(m_rule->GetExpected(),
                      RoundTracker::Settings{m_roundPolicy,
                                             m_missingPolicy,
                                             m_rounds,
                                             m_ahead,
                                             m_byzantine,
                                             m_usePartial});
}

void
PeerApplication::DoRestart()
{
    NS_LOG_FUNCTION(this << m_context.id);
    m_tracker->Reset();
    if (m_roundPolicy->IsAsynchronous())
    {
        Continue(); // there is no common round
        return;
    }
    SwitchToState(State::JOINING);
    m_joining = Simulator::Schedule(GetClock().ToSimulated("ResponseTimeout", GetResponseTimeout()),
                                    &PeerApplication::Join,
                                    this);
}

void
PeerApplication::DropRound()
{
    m_timer.Stop();
    m_joining.Cancel();
    StopPublishing();
    if (GetState() == State::EXCHANGING)
    {
        m_rule->Abandon(GetExchange()->Settle(GetTable().GetRound()));
    }
    m_tracker->Abandon();
}

void
PeerApplication::Join()
{
    NS_LOG_FUNCTION(this << m_context.id);
    m_joining.Cancel();
    Continue();
    while (auto held = m_tracker->TakeHeld())
    {
        std::optional<Arrival> arrival = std::move(held->second);
        Offer(held->first, arrival->round, arrival);
    }
}

void
PeerApplication::Continue()
{
    if (!IsLeaving() && m_tracker->HasNext())
    {
        OpenRound();
        return;
    }
    GetExchange()->Finish(); // sockets stay open: the transport still sends
    SwitchToState(IsLeaving() ? State::STOPPED : State::FINISHED);
}

void
PeerApplication::OpenRound()
{
    const uint32_t round = m_tracker->OpenNext();
    NS_LOG_FUNCTION(this << m_context.id << round);
    BeginRecord(round);
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
    RequireDeclared(outbox, *m_rule);
    m_exposure.Note(GetTable().GetRound());
    Publish(GetTable().GetRound(), std::move(outbox));
    m_timer.Start(GetResponseTimeout());
    SwitchToState(State::EXCHANGING);
    m_modelTxTrace(m_context.id, GetTable().GetRound());
    TryClose(false);
}

void
PeerApplication::OnSent(const EncodedMessage& message)
{
    m_rule->Sent(*message.GetChannel(), [&message] { return message.Decode(); });
}

void
PeerApplication::TryClose(bool timedOut)
{
    if (GetState() != State::EXCHANGING || // FinishCompute() continues
        (!timedOut && (IsPublishing() || !m_tracker->ShouldClose(GetClock().GetElapsed()) ||
                       m_timer.AwaitsTurn(GetTable().GetRound()))))
    {
        return;
    }
    const Time suspicion = GetTimeouts().GetSuspicion();
    for (const auto& [kind, neighbor] :
         m_tracker->RecordTimeouts(m_timer.GetWaited(), timedOut, suspicion))
    {
        NoteEvent(kind, neighbor);
    }
    CloseRound();
}

void
PeerApplication::CloseRound()
{
    NS_LOG_FUNCTION(this << m_context.id);
    m_timer.Stop();
    StopPublishing();
    for (const auto& source : m_tracker->TakePartials(*GetExchange()))
    {
        NotePartial(source, GetTable().GetRound());
    }
    m_rule->EndRound(m_tracker->Close(*GetExchange()));
    FillRecord(*GetLastRecord());
    m_roundEndTrace(*GetLastRecord());
    Continue();
}

void
PeerApplication::Offer(const MessageSource& source, uint32_t round, std::optional<Arrival>& arrival)
{
    if (arrival && arrival->IsComplete() && !m_rule->IsUsable(source.second, arrival->values))
    {
        arrival.reset();
    }
    const bool usable = arrival.has_value();
    const bool alive = m_tracker->Observe(source, round, arrival);
    if (GetState() == State::JOINING)
    {
        const bool held = m_tracker->Hold(source, round, arrival);
        if (m_tracker->FindJoinRound())
        {
            Join();
        }
        if (held)
        {
            return;
        }
    }
    const bool whole = arrival && arrival->IsComplete();
    if (whole && Classify(source, round) == MessageDisposition::LATE)
    {
        m_rule->TakeLate(source.first, source.second, *arrival);
    }
    const std::optional<Arrival> copy = IsByzantine() ? arrival : std::nullopt;
    const auto disposition = m_tracker->Take(source, round, std::move(arrival), alive);
    NS_LOG_LOGIC("learner " << m_context.id << ": message of " << source.first << ", round "
                            << round << ": " << ToString(disposition));
    NoteReceived(source, round, disposition, usable);
    if (copy && copy->IsComplete() && disposition != MessageDisposition::TOO_EARLY)
    {
        NotifyReceived(source, round, *copy); // may close the round: only now
    }
    if (disposition != MessageDisposition::LATE)
    {
        TryClose(false);
    }
}

Time
PeerApplication::GetTrainingTime() const
{
    return m_tracker && m_rule->GetWork() > 0 // else it trains elsewhere
               ? GetComputeModel()->GetExpectedTime(m_rule->GetWork(),
                                                    m_context.task->GetFlopsPerSample())
               : Time(0);
}

const RoundTable&
PeerApplication::GetTable() const
{
    Require(m_tracker.has_value(), "PeerApplication: GetTable() needs SetContext() first");
    return m_tracker->GetTable();
}

RoundRecord*
PeerApplication::GetLastRecord()
{
    auto& records = m_tracker->GetTable().GetRecords();
    return records.empty() ? nullptr : &records.back();
}

void
PeerApplication::Finish(std::map<std::string, uint64_t>& totals)
{
    LearnerApplication::Finish(totals);
    GetTable().Count(totals);
    m_exposure.Record(m_context.id, *m_rule, m_tracker->GetTable().GetRecords());
}

} // namespace ns3::dlearn
