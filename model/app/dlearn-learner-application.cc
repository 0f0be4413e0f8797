/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-application.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <cmath>
#include <utility>

namespace ns3::dlearn
{

const char*
ToString(Reception reception)
{
    static const char* const names[] = {"on-time", "late", "partial", "unusable"};
    return names[static_cast<size_t>(reception)];
}

NS_LOG_COMPONENT_DEFINE("DlearnLearnerApplication");
NS_OBJECT_ENSURE_REGISTERED(LearnerApplication);

TypeId
LearnerApplication::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<LearnerApplication, Application>("ns3::dlearn::LearnerApplication")
            .AddAttribute(
                "ComputeModel",
                "How long computation takes.",
                TypeIdValue(FlopsCompute::GetTypeId()),
                MakePartAccessor(&LearnerApplication::m_computeModel, &LearnerApplication::IsSetUp),
                MakePartChecker<ComputeModel>())
            .AddAttribute(
                "Exchange",
                "The message layer: its transport and its codec.",
                TypeIdValue(MessageExchange::GetTypeId()),
                MakePartAccessor(&LearnerApplication::m_exchange, &LearnerApplication::IsSetUp),
                MakePartChecker<MessageExchange>())
            .AddTraceSource("StateTransition",
                            "The learner changes its state.",
                            MakeTraceSourceAccessor(&LearnerApplication::m_stateTrace),
                            "ns3::dlearn::LearnerApplication::StateTracedCallback")
            .AddTraceSource("Compute",
                            "A computation begins: the time that it takes, and its floating-point "
                            "operations.",
                            MakeTraceSourceAccessor(&LearnerApplication::m_computeTrace),
                            "ns3::dlearn::LearnerApplication::ComputeTracedCallback")
            .AddTraceSource("RoundBegin",
                            "A round opens.",
                            MakeTraceSourceAccessor(&LearnerApplication::m_roundBeginTrace),
                            "ns3::dlearn::LearnerApplication::RoundTracedCallback")
            .AddTraceSource("ModelTx",
                            "The round's vectors are handed to the message layer.",
                            MakeTraceSourceAccessor(&LearnerApplication::m_modelTxTrace),
                            "ns3::dlearn::LearnerApplication::RoundTracedCallback")
            .AddTraceSource("ModelRx",
                            "A whole message came, usable or not.",
                            MakeTraceSourceAccessor(&LearnerApplication::m_modelRxTrace),
                            "ns3::dlearn::LearnerApplication::ModelRxTracedCallback")
            .AddTraceSource("MessageRx",
                            "A message came, of any channel, or a part of one is used.",
                            MakeTraceSourceAccessor(&LearnerApplication::m_messageRxTrace),
                            "ns3::dlearn::LearnerApplication::MessageRxTracedCallback")
            .AddTraceSource("RoundEnd",
                            "A round closes.",
                            MakeTraceSourceAccessor(&LearnerApplication::m_roundEndTrace),
                            "ns3::dlearn::LearnerApplication::RoundEndTracedCallback")
            .AddTraceSource("Event",
                            "The learner goes down, comes back, has spent its privacy budget or "
                            "its battery, or no longer waits for another learner.",
                            MakeTraceSourceAccessor(&LearnerApplication::m_eventTrace),
                            "ns3::dlearn::LearnerApplication::EventTracedCallback");
    return tid;
}

void
LearnerApplication::DoDispose()
{
    CancelCompute();
    CancelRequests();
    if (m_exchange)
    {
        m_exchange->Dispose();
    }
    m_exchange = nullptr;
    m_computeModel = nullptr;
    Application::DoDispose();
}

void
LearnerApplication::CheckBasics()
{
    Require(GetNode() != nullptr,
            "{}: add the application to a node first",
            GetInstanceTypeId().GetName());
}

void
LearnerApplication::SetUp(LearnerId self, const Transport::Peers& peers, uint32_t dimension)
{
    m_self = self;
    ClaimPart(m_exchange, *this);
    m_exchange->Setup(GetNode(), self, peers, dimension);
    m_exchange->SetSink(MakeCallback(&LearnerApplication::Classify, this),
                        MakeCallback(&LearnerApplication::Offer, this));
    m_setUp = true;
}

void
LearnerApplication::DoInitialize()
{
    for (const auto& [name, time] :
         {std::pair("start", m_startTime), std::pair("stop", m_stopTime)})
    {
        Require(!time.IsStrictlyNegative(),
                "{}: {} time of learner {} must be at least 0, got {}",
                GetInstanceTypeId().GetName(),
                name,
                m_self,
                time.As(Time::S));
    }
    Application::DoInitialize(); // schedules start and stop
}

void
LearnerApplication::StartApplication()
{
    NS_LOG_FUNCTION(this << m_self);
    Require(m_setUp,
            "{}: SetContext() must be called before the start",
            GetInstanceTypeId().GetName());
    Start();
}

void
LearnerApplication::StopApplication()
{
    NS_LOG_FUNCTION(this << m_self);
    Retire();
}

void
LearnerApplication::Close()
{
    CancelCompute();
    if (m_setUp)
    {
        DropRound();
        m_exchange->Close();
    }
}

void
LearnerApplication::HandleState(State left, State entered)
{
    NS_LOG_FUNCTION(this << m_self << static_cast<int>(left) << static_cast<int>(entered));
    m_stateTrace(left, entered);
}

void
LearnerApplication::NoteReceived(const MessageSource& source,
                                 uint32_t round,
                                 MessageDisposition disposition,
                                 bool usable)
{
    m_modelRxTrace(m_self, source.first, round, disposition, usable);
    const bool onTime =
        disposition == MessageDisposition::ON_TIME || disposition == MessageDisposition::EARLY;
    const bool late = disposition == MessageDisposition::LATE;
    m_messageRxTrace(source,
                     round,
                     usable && onTime ? Reception::ON_TIME
                     : usable && late ? Reception::LATE
                                      : Reception::UNUSABLE);
}

void
LearnerApplication::NoteEvent(LearnerEvent::Kind kind, std::optional<LearnerId> other)
{
    NS_LOG_INFO("learner " << m_self << ": " << ToString(kind)
                           << (other ? " " + std::to_string(*other) : ""));
    m_eventTrace({kind, m_self, m_newest, other});
}

void
LearnerApplication::BeginRecord(uint32_t round)
{
    m_newest = round;
    m_clock.BeginRound();
}

void
LearnerApplication::SetClockDrift(double ppm)
{
    NS_LOG_FUNCTION(this << m_self << ppm);
    Require(ppm > -1e6 && std::isfinite(ppm),
            "{}: clock drift must be finite and more than -1000000 parts in a million, got {}",
            GetInstanceTypeId().GetName(),
            ppm);
    m_clock.SetDrift(ppm);
}

void
LearnerApplication::StartCompute(uint64_t samples,
                                 double flopsPerSample,
                                 std::function<void()> work,
                                 const std::function<double()>& told)
{
    NS_LOG_FUNCTION(this << m_self << samples << flopsPerSample);
    const bool elsewhere = GetLearnerRule()->Begin([this, round = m_newest] {
        if (GetState() == State::TRAINING && m_newest == round)
        {
            FinishCompute();
        }
    });
    if (elsewhere)
    {
        return;
    }
    if (told)
    {
        std::exchange(work, nullptr)();
    }
    const std::string what = m_computeModel->GetInstanceTypeId().GetName() + ": computing";
    const Time time = m_clock.ToSimulated(what,
                                          told ? MakeTime("the time of training", told())
                                               : m_computeModel->GetTime(samples, flopsPerSample));
    m_computeTrace(time, static_cast<double>(samples) * flopsPerSample);
    m_computeTime = time;
    m_computeEnd = Simulator::Schedule(time, &LearnerApplication::EndCompute, this);
    if (work)
    {
        m_computeJob = ComputePool::Get().Start(std::move(work));
    }
}

void
LearnerApplication::CancelCompute()
{
    if (!m_computeEnd.IsExpired())
    {
        m_computeTime -= Simulator::GetDelayLeft(m_computeEnd);
    }
    m_computeEnd.Cancel();
    ComputePool::Get().Drop(m_computeJob);
}

void
LearnerApplication::EndCompute()
{
    try
    {
        if (m_computeJob)
        {
            ComputePool::Get().Finish(m_computeJob);
        }
        FinishCompute();
    }
    catch (const std::invalid_argument& error)
    {
        const std::string round = m_newest ? FormatText(", round {}", *m_newest) : "";
        throw std::invalid_argument(FormatText("learner {}{}: {}", m_self, round, error.what()));
    }
}

void
LearnerApplication::FillRecord(RoundRecord& record)
{
    record.closed = Simulator::Now();
    record.node = m_self;
    record.SetPrivacy(*GetLearnerRule());
    m_bytes.Count(*m_exchange->GetTransport(), record);
    record.compute = m_computeTime;
    record.duration = m_clock.GetDuration();
    NS_LOG_INFO("learner " << m_self << " closes round " << record.round << ": " << record.received
                           << " of " << record.expected << " messages, epsilon " << record.epsilon);
}

void
LearnerApplication::Finish(std::map<std::string, uint64_t>& totals)
{
    m_exchange->Count(totals);
    m_bytes.Finish(*m_exchange->GetTransport(), GetLastRecord(), totals);
}

int64_t
LearnerApplication::AssignStreams(int64_t stream)
{
    int64_t used = GetLearnerRule()->AssignStreams(stream);
    used += GetComputeModel()->AssignStreams(stream + used);
    return used + GetExchange()->AssignStreams(stream + used);
}

void
RequireLearners(const std::string& who, const std::vector<Ptr<LearnerApplication>>& learners)
{
    for (size_t k = 0; k < learners.size(); ++k)
    {
        Require(learners[k] != nullptr, "{}: learner {} must not be null", who, k);
    }
}

} // namespace ns3::dlearn
