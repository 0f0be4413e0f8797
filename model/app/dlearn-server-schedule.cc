/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-server-schedule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ServerSchedule, Object);
NS_OBJECT_ENSURE_REGISTERED(SynchronousSchedule);
NS_OBJECT_ENSURE_REGISTERED(BufferedSchedule);

bool
ServerSchedule::ShouldClose(const RoundStatus& status, size_t buffered) const
{
    return status.waitable == 0 || DoShouldClose(status, buffered);
}

TypeId
SynchronousSchedule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::SynchronousSchedule")
            .SetParent<ServerSchedule>()
            .SetGroupName("Dlearn")
            .AddConstructor<SynchronousSchedule>()
            .AddAttribute("RoundPolicy",
                          "When a round closes, a ns3::dlearn::RoundPolicy that is not for peers.",
                          TypeIdValue(AllPolicy::GetTypeId()),
                          MakePartAccessor(&SynchronousSchedule::m_roundPolicy,
                                           &SynchronousSchedule::IsSetUp),
                          MakePartChecker<RoundPolicy>())
            .AddAttribute(
                "Sampling",
                "Who takes part in a round, a ns3::dlearn::ClientSampling.",
                TypeIdValue(UniformSampling::GetTypeId()),
                MakePartAccessor(&SynchronousSchedule::m_sampling, &SynchronousSchedule::IsSetUp),
                MakePartChecker<ClientSampling>());
    return tid;
}

void
SynchronousSchedule::Setup(const std::vector<LearnerId>& clients)
{
    Require(!m_roundPolicy->IsAsynchronous(),
            "SynchronousSchedule: RoundPolicy must not be ",
            m_roundPolicy->GetInstanceTypeId().GetName(),
            ", which is for peers");
    ClaimPart(m_sampling, *this);
    m_sampling->Setup(clients);
    m_setUp = true;
}

std::vector<LearnerId>
SynchronousSchedule::ChooseAtOpening(uint32_t round, const std::vector<LearnerId>& /* idle */)
{
    return m_sampling->Choose(round);
}

std::vector<LearnerId>
SynchronousSchedule::ChooseAfterUpdate(const std::vector<LearnerId>& /* idle */, size_t /* busy */)
{
    return {};
}

bool
SynchronousSchedule::DoShouldClose(const RoundStatus& status, size_t /* buffered */) const
{
    return m_roundPolicy->ShouldClose(status);
}

CountRange
SynchronousSchedule::CountUpdates() const
{
    const CountRange chosen = m_sampling->CountChosen();
    // A policy that does not wait closes a round with the first update.
    return {std::max(m_roundPolicy->CountEnough(chosen.fewest), 1U),
            std::max(m_roundPolicy->CountEnough(chosen.most), 1U)};
}

Time
SynchronousSchedule::GetDeadline() const
{
    return m_roundPolicy->GetDeadline();
}

int64_t
SynchronousSchedule::AssignStreams(int64_t stream)
{
    return m_sampling->AssignStreams(stream);
}

TypeId
BufferedSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::BufferedSchedule")
                            .SetParent<ServerSchedule>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<BufferedSchedule>()
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

BufferedSchedule::BufferedSchedule()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

BufferedSchedule::~BufferedSchedule() = default;

void
BufferedSchedule::Setup(const std::vector<LearnerId>& clients)
{
    Require(m_bufferSize >= 1, "BufferedSchedule: BufferSize must be at least 1, got 0");
    Require(m_concurrency <= clients.size(),
            "BufferedSchedule: Concurrency must be at most the number of clients, ",
            clients.size(),
            "; got ",
            m_concurrency);
    m_clients = clients.size();
}

std::vector<LearnerId>
BufferedSchedule::ChooseAtOpening(uint32_t /* round */, const std::vector<LearnerId>& idle)
{
    return ChooseAfterUpdate(idle, m_clients - idle.size());
}

std::vector<LearnerId>
BufferedSchedule::ChooseAfterUpdate(const std::vector<LearnerId>& idle, size_t busy)
{
    const size_t wanted = m_concurrency > 0 ? m_concurrency : m_clients;
    const size_t room = wanted > busy ? wanted - busy : 0;
    return DrawWithoutReplacement(idle, std::min(room, idle.size()), *m_random);
}

bool
BufferedSchedule::DoShouldClose(const RoundStatus& /* status */, size_t buffered) const
{
    return buffered >= m_bufferSize;
}

CountRange
BufferedSchedule::CountUpdates() const
{
    return {m_bufferSize, m_bufferSize};
}

Time
BufferedSchedule::GetDeadline() const
{
    return Time(0);
}

int64_t
BufferedSchedule::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3::dlearn
