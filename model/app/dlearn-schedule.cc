/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-schedule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(RoundPolicy, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(AllPolicy, RoundPolicy);
NS_OBJECT_ENSURE_REGISTERED(DeadlinePolicy);
NS_OBJECT_ENSURE_REGISTERED(QuorumPolicy);
NS_OBJECT_ENSURE_REGISTERED(AsynchronousPolicy);

uint32_t
RoundPolicy::CountEnough(uint32_t expected) const
{
    RoundStatus status;
    status.expected = expected;
    for (; status.received < expected; ++status.received)
    {
        status.waitable = expected - status.received;
        if (ShouldClose(status))
        {
            break;
        }
    }
    return status.received;
}

TypeId
DeadlinePolicy::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<DeadlinePolicy, RoundPolicy>("ns3::dlearn::DeadlinePolicy")
            .AddAttribute("Deadline",
                          "Longest time that a round stays open, compute time included.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&DeadlinePolicy::m_deadline),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

TypeId
QuorumPolicy::GetTypeId()
{
    static TypeId tid = MakeTypeId<QuorumPolicy, RoundPolicy>("ns3::dlearn::QuorumPolicy")
                            .AddAttribute("Fraction",
                                          "Share of the expected messages that is enough.",
                                          DoubleValue(0.5),
                                          MakeDoubleAccessor(&QuorumPolicy::m_fraction),
                                          MakeDoubleChecker<double>(0, 1))
                            .AddAttribute("Deadline",
                                          "Longest time that a round stays open, compute time "
                                          "included; 0: any.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&QuorumPolicy::m_deadline),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

bool
QuorumPolicy::DoShouldClose(const RoundStatus& status) const
{
    // The tolerance keeps 0.3 of 10 at 3 in spite of binary fractions.
    return status.received >= std::ceil(m_fraction * status.expected - 1e-9) ||
           (m_deadline.IsStrictlyPositive() && status.elapsed >= m_deadline);
}

TypeId
AsynchronousPolicy::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<AsynchronousPolicy, RoundPolicy>("ns3::dlearn::AsynchronousPolicy")
            .AddAttribute("Period",
                          "Shortest time from one round to the next; 0: as long as it computes.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&AsynchronousPolicy::m_period),
                          MakeTimeChecker(Time(0)));
    return tid;
}

bool
AsynchronousPolicy::DoShouldClose(const RoundStatus& status) const
{
    Require(status.elapsed.IsStrictlyPositive() || m_period.IsStrictlyPositive(),
            "AsynchronousPolicy: a round must take some time, but neither computation nor Period "
            "does");
    return status.elapsed >= m_period;
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(MissingPolicy, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(SkipMissing, MissingPolicy);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(LastReceived, MissingPolicy);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(WaitForMissing, MissingPolicy);

void
LastReceived::Remember(const MessageSource& source, const Arrival& arrival)
{
    const auto known = m_last.find(source);
    if (known == m_last.end() || known->second.round <= arrival.round)
    {
        m_last.insert_or_assign(source, arrival);
    }
}

const Arrival*
LastReceived::GetStandIn(const MessageSource& source) const
{
    const auto known = m_last.find(source);
    return known == m_last.end() ? nullptr : &known->second;
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ServerSchedule, Object);
NS_OBJECT_ENSURE_REGISTERED(SynchronousSchedule);
NS_OBJECT_ENSURE_REGISTERED(BufferedSchedule);

TypeId
SynchronousSchedule::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<SynchronousSchedule, ServerSchedule>("ns3::dlearn::SynchronousSchedule")
            .AddAttribute(
                "RoundPolicy",
                "When a round closes, a ns3::dlearn::RoundPolicy that is not asynchronous.",
                TypeIdValue(AllPolicy::GetTypeId()),
                MakePartAccessor(&SynchronousSchedule::m_roundPolicy,
                                 &SynchronousSchedule::IsSetUp),
                MakePartChecker<RoundPolicy>())
            .AddAttribute(
                "Sampling",
                "The clients that take part in a round, a ns3::dlearn::ClientSampling.",
                TypeIdValue(UniformSampling::GetTypeId()),
                MakePartAccessor(&SynchronousSchedule::m_sampling, &SynchronousSchedule::IsSetUp),
                MakePartChecker<ClientSampling>())
            .AddAttribute(
                "MinUpdates",
                "Fewest updates of a round; with fewer it is given up, and the model "
                "stays the same.",
                UintegerValue(1),
                MakeFixedAccessor(MakeUintegerAccessor(&SynchronousSchedule::m_minUpdates),
                                  &SynchronousSchedule::IsSetUp),
                MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
SynchronousSchedule::Setup(const std::vector<LearnerId>& clients)
{
    Require(!m_roundPolicy->IsAsynchronous(),
            "SynchronousSchedule: RoundPolicy must not be {}, which is for peers",
            m_roundPolicy->GetInstanceTypeId().GetName());
    ClaimPart(m_sampling, *this);
    m_sampling->Setup(clients);
    Require(
        m_minUpdates <= CountUpdates().most,
        "SynchronousSchedule: MinUpdates must be at most the updates with which a round closes, "
        "{}; got {}",
        CountUpdates().most,
        m_minUpdates);
    m_setUp = true;
}

CountRange
SynchronousSchedule::CountUpdates() const
{
    const auto count = [this](size_t chosen) {
        const auto expected = static_cast<uint32_t>(chosen);
        const size_t most =
            std::min<size_t>(m_roundPolicy->CountEnough(expected), m_sampling->CountEnough());
        return std::max<size_t>(most, 1); // a policy that does not wait closes with the first
    };
    const CountRange chosen = m_sampling->CountChosen();
    return {count(chosen.fewest), count(chosen.most)};
}

TypeId
BufferedSchedule::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<BufferedSchedule, ServerSchedule>("ns3::dlearn::BufferedSchedule")
            .AddAttribute("BufferSize",
                          "Updates that make a new model.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&BufferedSchedule::m_bufferSize),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Concurrency",
                          "Clients that work at the same time; 0 for all.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&BufferedSchedule::m_concurrency),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
BufferedSchedule::Setup(const std::vector<LearnerId>& clients)
{
    Require(m_concurrency <= clients.size(),
            "BufferedSchedule: Concurrency must be at most the number of clients, {}; got {}",
            clients.size(),
            m_concurrency);
}

RoundPlan
BufferedSchedule::Plan(const RoundView& view)
{
    std::vector<LearnerId> candidates;
    size_t busy = 0;
    for (const auto& [id, client] : view.clients)
    {
        busy += client.idle ? 0 : 1;
        if (client.idle && !client.waits)
        {
            candidates.push_back(id);
        }
    }
    const size_t wanted = m_concurrency > 0 ? m_concurrency : view.clients.size();
    const size_t room = wanted > busy ? wanted - busy : 0;
    return {DrawWithoutReplacement(candidates, std::min(room, candidates.size()), *m_random)};
}

int64_t
BufferedSchedule::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

namespace
{

constexpr int64_t LEAST = 1;     //!< seconds, of a default response timeout
constexpr int64_t PATIENCE = 30; //!< seconds, before the first answer
constexpr int64_t CAUTION = 4;   //!< times the slowest answer
constexpr int64_t INERTIA = 8;   //!< answers of each sender
constexpr double PACE = 1.05;    //!< of the usual answer towards the median

} // namespace

bool
ResponseTimeouts::Record(Time answer)
{
    if (!m_slowest)
    {
        m_slowest = answer;
        m_usual = answer;
        return true;
    }
    if (answer > *m_slowest)
    {
        m_slowest = answer;
    }
    else
    {
        *m_slowest += (answer - *m_slowest) / (INERTIA * static_cast<int64_t>(m_settings.senders));
    }
    // One step more, as 5 % of a few steps round to 0.
    m_usual = answer > m_usual ? m_usual * PACE + TimeStep(1) : m_usual / PACE;
    return false;
}

Time
ResponseTimeouts::GetResponse() const
{
    if (!m_settings.response.IsZero())
    {
        return m_settings.response;
    }
    const Time most = Max(Seconds(PATIENCE), CAUTION * Max(m_settings.forecast.answer, m_usual));
    const Time seen = m_slowest ? Min(most, CAUTION * *m_slowest) : most;
    return m_settings.learns ? Max(GetLeast(), seen) : GetLeast();
}

Time
ResponseTimeouts::GetLeast() const
{
    if (!m_settings.response.IsZero())
    {
        return m_settings.response;
    }
    const Time answer = m_settings.forecast.answer;
    const Time known =
        Max(m_settings.learns ? answer : CAUTION * answer, m_settings.forecast.recovery);
    return Max(Seconds(LEAST), Max(m_settings.deadline, known));
}

Time
ResponseTimeouts::GetSuspicion() const
{
    return m_settings.suspicion.IsZero() ? 2 * Max(GetResponse(), Seconds(LEAST))
                                         : m_settings.suspicion;
}

} // namespace ns3::dlearn
