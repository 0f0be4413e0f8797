/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-application.h"

#include "dlearn-latest-window.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-chosen-object.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnPeerApplication");
NS_OBJECT_ENSURE_REGISTERED(PeerApplication);

TypeId
PeerApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::PeerApplication")
            .SetParent<TrainingApplication>()
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
            .AddAttribute("Rounds",
                          "Number of rounds.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&PeerApplication::m_rounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ResponseTimeout",
                          "Longest wait for neighbours after sending, whatever the policies "
                          "say.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&PeerApplication::m_responseTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("SuspicionTimeout",
                          "Total time waited for a neighbour since its last new usable "
                          "message, after which it is believed gone.",
                          TimeValue(Seconds(2)),
                          MakeTimeAccessor(&PeerApplication::m_suspicionTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Ahead",
                          "How many rounds ahead of the learner's own a message may be.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&PeerApplication::m_ahead),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Byzantine",
                          "Neighbours that may lie about their round, f: a learner skips rounds "
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
    return tid;
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
    m_context.task = nullptr;
    m_context.stream = nullptr;
    TrainingApplication::DoDispose();
}

void
PeerApplication::SetContext(const LearnerContext& context, const Transport::Peers& addresses)
{
    CheckBasics();
    m_context = context;
    const auto missing =
        CreateChosen<MissingPolicy>(m_missingPolicyType, "PeerApplication", "MissingPolicy");
    const Ptr<UpdateRule> rule = GetRule();
    if (GetRoundPolicy()->IsAsynchronous())
    {
        CheckAsynchronous(*missing);
    }
    rule->Setup(context);
    for (const Graph::Row* row :
         {&context.inNeighbors, &context.outNeighbors, &context.trackerIn, &context.trackerOut})
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
    SetUp(context.id, addresses, context.task->GetDimension());
    for (const ModelChannel channel : {ModelChannel::STATE, ModelChannel::TRACKER})
    {
        // Only where it differs: vectors of a length of their own are never compressed.
        if (m_rule->GetLength(channel) != context.task->GetDimension())
        {
            GetExchange()->SetLength(channel, m_rule->GetLength(channel));
        }
    }
    m_wait.emplace(m_roundPolicy, missing, m_suspicionTimeout);
    const auto sources = m_rule->GetExpected();
    std::set<LearnerId> neighbors;
    for (const auto& [neighbor, channel] : sources)
    {
        neighbors.insert(neighbor);
    }
    m_believed.emplace(m_byzantine, neighbors);
    if (m_roundPolicy->IsAsynchronous())
    {
        m_window = std::make_unique<LatestWindow>(sources);
    }
    else
    {
        m_window = std::make_unique<RoundWindow>(sources, m_ahead);
    }
}

void
PeerApplication::CheckAsynchronous(const MissingPolicy& missing) const
{
    Require(missing.MayClose(),
            "PeerApplication: MissingPolicy must not be ",
            m_missingPolicyType.GetName(),
            " with an asynchronous RoundPolicy, which waits for nobody");
    Require(!m_rule->NeedsCommonRounds(),
            "PeerApplication: Rule must not be ",
            m_rule->GetInstanceTypeId().GetName(),
            " with an asynchronous RoundPolicy, as its messages count in their own round only");
    Require(
        !m_usePartial,
        "PeerApplication: UsePartial must be false with an asynchronous RoundPolicy, as what is "
        "missing of a message may still come");
    Require(m_roundPolicy->GetDeadline() <= m_responseTimeout,
            "PeerApplication: ResponseTimeout must be at least the Period of an asynchronous "
            "RoundPolicy, ",
            m_roundPolicy->GetDeadline().As(Time::S),
            ", got ",
            m_responseTimeout.As(Time::S));
}

void
PeerApplication::DoStart()
{
    OpenRound(0);
}

void
PeerApplication::DoRestart()
{
    m_wait->Reset();
    m_believed->Reset();
    if (m_roundPolicy->IsAsynchronous())
    {
        GoOn(); // there is no round of the others to join
        return;
    }
    SwitchToState(State::JOINING);
    m_patienceEvent = Simulator::Schedule(m_responseTimeout, &PeerApplication::Join, this);
}

void
PeerApplication::JoinBelieved()
{
    // All of them seem alive after a restart; of whom nothing came may be behind all others.
    const auto round = m_believed->Get([](LearnerId) { return true; });
    if (round && *round >= m_nextRound)
    {
        m_nextRound = *round;
        Join();
    }
}

void
PeerApplication::DropRound()
{
    m_deadlineEvent.Cancel();
    m_patienceEvent.Cancel();
    StopPublishing();
    if (GetState() == State::EXCHANGING)
    {
        m_rule->Abandon(GetExchange()->Settle(m_window->GetRound()));
    }
    m_window->Abandon();
    m_held.clear();
}

void
PeerApplication::Join()
{
    m_patienceEvent.Cancel();
    GoOn();
    OfferHeld();
}

void
PeerApplication::OfferHeld()
{
    while (!m_held.empty() && m_window->IsOpen())
    {
        const auto first = m_held.begin();
        const auto source = first->first;
        const uint32_t round = first->second.round;
        std::optional<Arrival> arrival = std::move(first->second);
        m_held.erase(first);
        Offer(source, round, arrival);
    }
    m_held.clear();
}

bool
PeerApplication::IsOutOfReach(uint32_t round) const
{
    return round > uint64_t{m_window->GetRound()} + m_ahead;
}

void
PeerApplication::CatchUp()
{
    // Whoever is out of reach is there, though nothing that it sends can be waited for.
    const auto round = m_believed->Get([this](LearnerId n) {
        return m_wait->IsAlive(n) || IsOutOfReach(m_believed->GetNewest(n).value_or(0));
    });
    if (round && IsOutOfReach(*round) && !m_roundPolicy->IsAsynchronous())
    {
        m_nextRound = std::max(m_nextRound, *round);
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
    OpenBooks();
    m_nextRound = round + 1;
    m_window->Open(round);
    m_rule->BeginRound(round);
    StartCompute(GetComputeModel()->GetTime(m_rule->GetWork(), m_context.task->GetFlopsPerSample()),
                 [rule = PeekPointer(m_rule)] { rule->Compute(); });
    SwitchToState(State::TRAINING);
    m_roundBeginTrace(m_context.id, round);
}

void
PeerApplication::FinishCompute()
{
    Outbox outbox = m_rule->Send();
    if (!m_rule->CanContinue())
    {
        NS_LOG_INFO("learner " << m_context.id << " stops: its privacy budget is spent");
        Halt(State::FINISHED);
        return;
    }
    Publish(m_window->GetRound(), std::move(outbox));
    if (GetState() != State::TRAINING)
    {
        return; // whoever listens to the trace stopped the learner
    }
    m_sent = Simulator::Now();
    WatchDeadlines();
    SwitchToState(State::EXCHANGING);
    m_modelTxTrace(m_context.id, m_window->GetRound());
    if (GetState() == State::EXCHANGING) // else whoever listens to the traces stopped the learner
    {
        TryClose(false);
    }
}

void
PeerApplication::OnPublished()
{
    if (GetState() == State::EXCHANGING) // else FinishCompute() goes on
    {
        TryClose(false);
    }
}

void
PeerApplication::WatchDeadlines()
{
    m_patienceEvent =
        Simulator::Schedule(m_responseTimeout, &PeerApplication::TryClose, this, true);
    const Time deadline = m_roundPolicy->GetDeadline();
    if (deadline.IsStrictlyPositive())
    {
        const Time left = m_opened + deadline - Simulator::Now();
        m_deadlineEvent =
            Simulator::Schedule(Max(left, Time(0)), &PeerApplication::TryClose, this, false);
    }
}

void
PeerApplication::TryClose(bool timedOut)
{
    if (!timedOut &&
        (IsPublishing() || !m_wait->ShouldClose(*m_window, Simulator::Now() - m_opened)))
    {
        return;
    }
    m_wait->RecordTimeouts(*m_window, Simulator::Now() - m_sent);
    CloseRound();
}

void
PeerApplication::TakePartials()
{
    const uint32_t round = m_window->GetRound();
    for (const auto& source : m_window->GetMissing())
    {
        if (auto partial = GetExchange()->TakePartial(source, round))
        {
            m_window->Offer(source, round, std::move(partial));
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
    const uint32_t round = m_window->GetRound();
    if (m_usePartial)
    {
        TakePartials();
    }
    Inbox inbox;
    inbox.transmitted = GetExchange()->Settle(round);
    inbox.arrivals = m_window->Close();
    m_wait->Complete(inbox, m_rule->GetExpected());
    m_rule->EndRound(inbox);

    RoundRecord& record = m_window->GetRecords().back();
    FillRecord(record);
    m_roundEndTrace(record);
    if (GetState() == State::EXCHANGING) // else whoever listens to the trace stopped the learner
    {
        CatchUp();
        GoOn();
    }
}

RoundWindow::Disposition
PeerApplication::Classify(const RoundWindow::Source& source, uint32_t round)
{
    return m_window->Classify(source, round);
}

bool
PeerApplication::IsSignOfLife(const RoundWindow::Source& source,
                              uint32_t round,
                              const std::optional<Arrival>& arrival) const
{
    using Disposition = RoundWindow::Disposition;
    if (!arrival || !arrival->IsComplete())
    {
        return false;
    }
    const Disposition disposition = m_window->Classify(source, round);
    const auto newest = m_believed->GetNewest(source.first);
    // Who falls behind must be waited for, or it would fall behind for good; what is sent again
    // tells nothing.
    const bool progress = !newest || round > *newest;
    return disposition == Disposition::ON_TIME || disposition == Disposition::EARLY ||
           (disposition == Disposition::LATE && progress);
}

bool
PeerApplication::Hold(const RoundWindow::Source& source,
                      uint32_t round,
                      std::optional<Arrival>& arrival)
{
    const bool whole = arrival && arrival->IsComplete();
    if (!whole || m_window->Classify(source, round) != RoundWindow::Disposition::TOO_EARLY)
    {
        return false;
    }
    const auto [held, fresh] = m_held.try_emplace(source, *arrival);
    if (!fresh && held->second.round < round)
    {
        std::swap(held->second, *arrival); // the older one is given to the window, to be counted
        m_window->Offer(source, arrival->round, std::move(arrival));
    }
    return true;
}

void
PeerApplication::Offer(const RoundWindow::Source& source,
                       uint32_t round,
                       std::optional<Arrival>& arrival)
{
    const bool usable = arrival.has_value();
    const bool whole = usable && arrival->IsComplete();
    const bool alive = IsSignOfLife(source, round, arrival);
    if (whole && round < m_rounds)
    {
        m_believed->Note(source.first, round);
    }
    if (GetState() == State::JOINING)
    {
        const bool held = Hold(source, round, arrival);
        JoinBelieved();
        if (held)
        {
            return;
        }
    }
    if (whole && m_window->Classify(source, round) == RoundWindow::Disposition::LATE)
    {
        m_wait->Remember(source, *arrival); // CloseRound() does it for the others
    }
    const std::optional<Arrival> copy = IsByzantine() ? arrival : std::nullopt;
    const auto disposition = m_window->Offer(source, round, std::move(arrival));
    NS_LOG_LOGIC("learner " << m_context.id << ": message of " << source.first << ", round "
                            << round << ": " << ToString(disposition));
    if (alive)
    {
        m_wait->RecordActivity(source.first);
    }
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

Ptr<UpdateRule>
PeerApplication::GetRule()
{
    return GetChosen(m_rule, m_ruleType, "PeerApplication", "Rule");
}

Ptr<RoundPolicy>
PeerApplication::GetRoundPolicy()
{
    return GetChosen(m_roundPolicy, m_roundPolicyType, "PeerApplication", "RoundPolicy");
}

const LearnerContext&
PeerApplication::GetContext() const
{
    return m_context;
}

const MessageWindow&
PeerApplication::GetWindow() const
{
    Require(m_window != nullptr, "PeerApplication: GetWindow() needs SetContext() first");
    return *m_window;
}

uint32_t
PeerApplication::GetRounds() const
{
    return m_rounds;
}

std::string
PeerApplication::GetRole() const
{
    return IsByzantine() ? "byzantine" : "peer";
}

Ptr<LearnerRule>
PeerApplication::GetLearnerRule()
{
    return GetRule();
}

const std::vector<RoundRecord>&
PeerApplication::GetRecords() const
{
    return GetWindow().GetRecords();
}

void
PeerApplication::CheckConservation() const
{
    GetWindow().CheckConservation();
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

} // namespace ns3::dlearn
