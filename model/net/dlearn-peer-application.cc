/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-application.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-chosen-object.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <set>

namespace ns3
{
namespace dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnPeerApplication");
NS_OBJECT_ENSURE_REGISTERED(PeerApplication);

TypeId
PeerApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::PeerApplication")
            .SetParent<Application>()
            .SetGroupName("Dlearn")
            .AddConstructor<PeerApplication>()
            .AddAttribute("Rule",
                          "The algorithm, a type derived from ns3::dlearn::UpdateRule.",
                          TypeIdValue(LdpOnline::GetTypeId()),
                          MakeTypeIdAccessor(&PeerApplication::m_ruleType),
                          MakeTypeIdChecker())
            .AddAttribute("RoundPolicy",
                          "When a round closes, a type derived from ns3::dlearn::RoundPolicy.",
                          TypeIdValue(AllPolicy::GetTypeId()),
                          MakeTypeIdAccessor(&PeerApplication::m_roundPolicyType),
                          MakeTypeIdChecker())
            .AddAttribute("MissingPolicy",
                          "What a missing message means, a type derived from "
                          "ns3::dlearn::MissingPolicy.",
                          TypeIdValue(SkipMissing::GetTypeId()),
                          MakeTypeIdAccessor(&PeerApplication::m_missingPolicyType),
                          MakeTypeIdChecker())
            .AddAttribute("ComputeModel",
                          "How long a gradient takes, a type derived from "
                          "ns3::dlearn::ComputeModel.",
                          TypeIdValue(FlopsCompute::GetTypeId()),
                          MakeTypeIdAccessor(&PeerApplication::m_computeModelType),
                          MakeTypeIdChecker())
            .AddAttribute("Rounds",
                          "Number of rounds.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&PeerApplication::m_rounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Patience",
                          "Longest wait for neighbours after sending, whatever the policies "
                          "say.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&PeerApplication::m_patience),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Tolerance",
                          "Total waiting in vain for a neighbour, since it was last heard, "
                          "after which it is believed gone.",
                          TimeValue(Seconds(2)),
                          MakeTimeAccessor(&PeerApplication::m_tolerance),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Ahead",
                          "How many rounds ahead of the learner's own a message may be.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&PeerApplication::m_ahead),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("UsePartial",
                          "Whether a vector of which only some entries arrived is used "
                          "(those entries) or counts as missing.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&PeerApplication::m_usePartial),
                          MakeBooleanChecker())
            .AddTraceSource("StateTransition",
                            "The learner changes its state.",
                            MakeTraceSourceAccessor(&PeerApplication::m_stateTrace),
                            "ns3::dlearn::PeerApplication::StateTracedCallback")
            .AddTraceSource("RoundBegin",
                            "A round opens.",
                            MakeTraceSourceAccessor(&PeerApplication::m_roundBeginTrace),
                            "ns3::dlearn::PeerApplication::RoundTracedCallback")
            .AddTraceSource("ModelTx",
                            "The round's vectors are handed to the message layer.",
                            MakeTraceSourceAccessor(&PeerApplication::m_modelTxTrace),
                            "ns3::dlearn::PeerApplication::RoundTracedCallback")
            .AddTraceSource("ModelRx",
                            "A whole message came, usable or not.",
                            MakeTraceSourceAccessor(&PeerApplication::m_modelRxTrace),
                            "ns3::dlearn::PeerApplication::ModelRxTracedCallback")
            .AddTraceSource("RoundEnd",
                            "A round closes.",
                            MakeTraceSourceAccessor(&PeerApplication::m_roundEndTrace),
                            "ns3::dlearn::PeerApplication::RoundEndTracedCallback");
    return tid;
}

PeerApplication::PeerApplication() = default;

PeerApplication::~PeerApplication() = default;

void
PeerApplication::DoDispose()
{
    m_computeEvent.Cancel();
    m_deadlineEvent.Cancel();
    m_patienceEvent.Cancel();
    if (m_exchange)
    {
        m_exchange->Dispose();
    }
    m_exchange = nullptr;
    m_rule = nullptr;
    m_roundPolicy = nullptr;
    m_missingPolicy = nullptr;
    m_computeModel = nullptr;
    m_context.task = nullptr;
    m_context.stream = nullptr;
    Application::DoDispose();
}

void
PeerApplication::SetContext(const LearnerContext& context, const Transport::Peers& addresses)
{
    Require(GetNode() != nullptr, "PeerApplication: add the application to a node first");
    m_context = context;
    m_missingPolicy =
        CreateChosen<MissingPolicy>(m_missingPolicyType, "PeerApplication", "MissingPolicy");
    GetRoundPolicy();
    GetComputeModel();
    GetRule()->Setup(context);
    for (const Graph::Row* row : {&context.inNeighbors, &context.outNeighbors})
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
    GetExchange()->Setup(GetNode(), context.id, addresses, context.task->GetDimension());
    m_exchange->SetSink(MakeCallback(&PeerApplication::Judge, this),
                        MakeCallback(&PeerApplication::Offer, this));
    m_watch.emplace(m_tolerance);
    m_window.emplace(m_rule->GetExpected(), m_ahead); // last: tells that all was well
}

void
PeerApplication::StartApplication()
{
    Require(m_window.has_value(), "PeerApplication: SetContext() must be called before the start");
    m_exchange->Open();
    OpenRound(0);
}

void
PeerApplication::StopApplication()
{
    m_retired = true;
    Halt(State::STOPPED);
}

void
PeerApplication::Crash()
{
    if (m_state == State::TRAINING || m_state == State::EXCHANGING || m_state == State::JOINING)
    {
        Halt(State::STOPPED);
    }
}

void
PeerApplication::Halt(State state)
{
    m_computeEvent.Cancel();
    m_deadlineEvent.Cancel();
    m_patienceEvent.Cancel();
    if (m_window) // else it was never set up
    {
        if (m_state == State::EXCHANGING)
        {
            m_rule->Abandon(m_exchange->Settle(m_window->GetRound()));
        }
        m_window->Abandon();
        m_exchange->Close();
    }
    SwitchToState(state);
}

void
PeerApplication::Restart()
{
    if (m_state != State::STOPPED || m_retired)
    {
        return;
    }
    m_exchange->Open();
    m_watch->Reset();
    SwitchToState(State::JOINING);
    m_patienceEvent = Simulator::Schedule(m_patience, &PeerApplication::Join, this);
}

void
PeerApplication::Join()
{
    m_patienceEvent.Cancel();
    GoOn();
}

void
PeerApplication::GoOn()
{
    if (m_nextRound < m_rounds)
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
    m_opened = Simulator::Now();
    m_nextRound = round + 1;
    m_txBytes = m_exchange->GetTransport()->GetTxBytes();
    m_rxBytes = m_exchange->GetTransport()->GetRxBytes();
    m_window->Open(round);
    m_rule->BeginRound(round);
    m_compute = m_computeModel->GetTime(m_rule->GetWork(), m_context.task->GetFlopsPerSample());
    m_computeEvent = Simulator::Schedule(m_compute, &PeerApplication::FinishCompute, this);
    SwitchToState(State::TRAINING);
    m_roundBeginTrace(m_context.id, round);
}

void
PeerApplication::FinishCompute()
{
    m_rule->Compute();
    Outbox outbox = m_rule->Send();
    if (!m_rule->CanContinue())
    {
        NS_LOG_INFO("learner " << m_context.id << " stops: its privacy budget is spent");
        Halt(State::FINISHED);
        return;
    }
    for (Outgoing& outgoing : outbox)
    {
        m_exchange->Send(m_window->GetRound(), std::move(outgoing));
    }
    m_sent = Simulator::Now();
    WatchDeadlines();
    SwitchToState(State::EXCHANGING);
    m_modelTxTrace(m_context.id, m_window->GetRound());
    if (m_state == State::EXCHANGING) // else whoever listens to the traces stopped the learner
    {
        TryClose(false);
    }
}

void
PeerApplication::WatchDeadlines()
{
    m_patienceEvent = Simulator::Schedule(m_patience, &PeerApplication::TryClose, this, true);
    const Time deadline = m_roundPolicy->GetDeadline();
    if (deadline.IsStrictlyPositive())
    {
        const Time left = m_opened + deadline - Simulator::Now();
        m_deadlineEvent =
            Simulator::Schedule(Max(left, Time(0)), &PeerApplication::TryClose, this, false);
    }
}

void
PeerApplication::TryClose(bool patienceOver)
{
    RoundStatus status;
    status.expected = m_window->GetExpected();
    status.received = m_window->GetReceived();
    status.elapsed = Simulator::Now() - m_opened;
    for (const auto& source : m_window->GetMissing())
    {
        const bool mayCome = m_watch->IsAlive(source.first) && !m_window->HasPassed(source);
        status.waitable += mayCome ? 1 : 0;
    }
    const bool held = status.waitable > 0 && !m_missingPolicy->MayClose();
    if (!patienceOver && (held || !m_roundPolicy->ShouldClose(status)))
    {
        return;
    }
    std::set<LearnerId> missing; // each once, however many of its channels are missing
    for (const auto& source : m_window->GetMissing())
    {
        missing.insert(source.first);
    }
    for (const LearnerId neighbor : missing)
    {
        m_watch->Missed(neighbor, Simulator::Now() - m_sent);
    }
    CloseRound();
}

void
PeerApplication::TakePartials()
{
    const uint32_t round = m_window->GetRound();
    for (const auto& source : m_window->GetMissing())
    {
        if (auto partial = m_exchange->TakePartial(source, round))
        {
            m_window->Offer(source, round, std::move(partial));
        }
    }
}

void
PeerApplication::AddStandIns(Inbox& inbox) const
{
    for (const auto& source : m_rule->GetExpected())
    {
        const Arrival* standIn = m_missingPolicy->GetStandIn(source);
        if (standIn && inbox.arrivals.count(source) == 0)
        {
            inbox.arrivals.emplace(source, *standIn);
        }
    }
}

void
PeerApplication::CloseRound()
{
    m_deadlineEvent.Cancel();
    m_patienceEvent.Cancel();
    const uint32_t round = m_window->GetRound();
    if (m_usePartial)
    {
        TakePartials();
    }
    Inbox inbox;
    inbox.transmitted = m_exchange->Settle(round);
    inbox.arrivals = m_window->Close();
    for (const auto& [source, arrival] : inbox.arrivals)
    {
        if (arrival.IsComplete())
        {
            m_missingPolicy->Remember(source, arrival);
        }
    }
    AddStandIns(inbox);
    m_rule->EndRound(inbox);

    RoundRecord& record = m_window->GetRecords().back();
    record.closed = Simulator::Now();
    record.node = m_context.id;
    if (const auto ledger = m_rule->GetLedger())
    {
        record.epsilon = ledger->GetEpsilon();
        record.epsilonNominal = ledger->GetNominalEpsilon();
    }
    record.txBytes = m_exchange->GetTransport()->GetTxBytes() - m_txBytes;
    record.rxBytes = m_exchange->GetTransport()->GetRxBytes() - m_rxBytes;
    record.compute = m_compute;
    record.duration = Simulator::Now() - m_opened;
    m_roundEndTrace(record);
    if (m_state == State::EXCHANGING) // else whoever listens to the trace stopped the learner
    {
        GoOn();
    }
}

RoundWindow::Verdict
PeerApplication::Judge(const RoundWindow::Source& source, uint32_t round)
{
    m_watch->Heard(source.first);
    if (m_state == State::JOINING && round >= m_nextRound && round < m_rounds)
    {
        // A neighbour's message tells which round the others are in: join it there.
        m_nextRound = round;
        Join();
    }
    const auto verdict = m_window->Judge(source, round);
    if (verdict == RoundWindow::Verdict::TOO_EARLY && round < m_rounds)
    {
        // Left behind by more rounds than fit the waiting room: skip to where the others are.
        m_nextRound = std::max(m_nextRound, round);
    }
    return verdict;
}

void
PeerApplication::Offer(const RoundWindow::Source& source,
                       uint32_t round,
                       std::optional<Arrival>& arrival)
{
    const bool usable = arrival.has_value();
    if (usable && arrival->IsComplete() &&
        m_window->Judge(source, round) == RoundWindow::Verdict::LATE)
    {
        m_missingPolicy->Remember(source, *arrival); // CloseRound() does it for the others
    }
    const auto verdict = m_window->Offer(source, round, std::move(arrival));
    NS_LOG_LOGIC("learner " << m_context.id << ": message of " << source.first << ", round "
                            << round << ": " << ToString(verdict));
    m_modelRxTrace(m_context.id, source.first, round, verdict, usable);
    const bool late = verdict == RoundWindow::Verdict::LATE;
    if (m_state == State::EXCHANGING && !late)
    {
        TryClose(false);
    }
}

void
PeerApplication::SwitchToState(State state)
{
    NS_LOG_FUNCTION(this << m_context.id << static_cast<int>(m_state) << static_cast<int>(state));
    const State left = m_state;
    m_state = state; // first: who listens to the trace may stop the learner
    m_stateTrace(left, state);
}

PeerApplication::State
PeerApplication::GetState() const
{
    return m_state;
}

bool
PeerApplication::IsDone() const
{
    return m_state == State::FINISHED || m_state == State::STOPPED;
}

Ptr<UpdateRule>
PeerApplication::GetRule()
{
    if (!m_rule)
    {
        m_rule = CreateChosen<UpdateRule>(m_ruleType, "PeerApplication", "Rule");
    }
    return m_rule;
}

Ptr<RoundPolicy>
PeerApplication::GetRoundPolicy()
{
    if (!m_roundPolicy)
    {
        m_roundPolicy =
            CreateChosen<RoundPolicy>(m_roundPolicyType, "PeerApplication", "RoundPolicy");
    }
    return m_roundPolicy;
}

Ptr<ComputeModel>
PeerApplication::GetComputeModel()
{
    if (!m_computeModel)
    {
        m_computeModel =
            CreateChosen<ComputeModel>(m_computeModelType, "PeerApplication", "ComputeModel");
    }
    return m_computeModel;
}

Ptr<MessageExchange>
PeerApplication::GetExchange()
{
    if (!m_exchange)
    {
        m_exchange = CreateObject<MessageExchange>();
    }
    return m_exchange;
}

const RoundWindow&
PeerApplication::GetWindow() const
{
    return m_window.value();
}

LearnerId
PeerApplication::GetLearnerId() const
{
    return m_context.id;
}

uint32_t
PeerApplication::GetRounds() const
{
    return m_rounds;
}

int64_t
PeerApplication::AssignStreams(int64_t stream)
{
    int64_t used = GetRule()->AssignStreams(stream);
    used += GetComputeModel()->AssignStreams(stream + used);
    return used;
}

} // namespace dlearn
} // namespace ns3
