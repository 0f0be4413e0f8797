/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-checkpoints.h"

#include "dlearn-run-config.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return whether an attribute of a type has the default that ns-3 gives it */
bool
HasDefault(const std::string& type, const std::string& attribute)
{
    TypeId::AttributeInformation info;
    TypeId::LookupByName(type).LookupAttributeByName(attribute, &info);
    return info.initialValue->SerializeToString(info.checker) ==
           info.originalInitialValue->SerializeToString(info.checker);
}

/** @return what the checkpoint of a run does not hold; empty for nothing */
std::string
FindForgotten(const RunSpec& spec, const std::vector<FaultEvent>& faults)
{
    if (spec.network != "ideal")
    {
        return "what was under way in network " + spec.network +
               ", nor the state of its devices and of the transport, nor what links.csv counts";
    }
    if (spec.transport == "tcp")
    {
        return "the connections of transport tcp";
    }
    const bool slow = !HasDefault("ns3::SimpleChannel", "Delay") ||
                      !HasDefault("ns3::SimpleNetDevice", "DataRate");
    const bool late = std::any_of(faults.begin(), faults.end(), [](const FaultEvent& event) {
        return event.kind == FaultEvent::Kind::REORDER;
    });
    return slow || late ? "packets that were under way" : "";
}

} // namespace

RunCheckpoints::RunCheckpoints(const RunSpec& spec,
                               std::vector<Ptr<LearnerApplication>> learners,
                               Visitor visit)
    : m_spec(spec),
      m_learners(std::move(learners)),
      m_visit(std::move(visit)),
      m_next(spec.checkpointEvery)
{
}

RunCheckpoints::~RunCheckpoints()
{
    m_event.Cancel();
}

void
RunCheckpoints::Begin(std::function<void()> resumed)
{
    m_resumed = std::move(resumed);
    if (m_spec.checkpointEvery > 0)
    {
        StateArchive trial; // refuses what cannot be saved
        m_visit(trial);
        MakeResultsDirectory(m_spec.out);
        m_inputs = FindInputs(MakeRunConfig(m_spec));
        for (const auto& learner : m_learners)
        {
            learner->TraceConnectWithoutContext(
                "RoundEnd",
                MakeCallback(&RunCheckpoints::HandleRoundEnd, this));
        }
    }
    if (!m_spec.resume.empty())
    {
        Checkpoint checkpoint = ReadCheckpoint(m_spec.resume);
        m_state = std::move(checkpoint.state);
        for (const auto& learner : m_learners)
        {
            learner->Hibernate();
        }
        Simulator::Schedule(checkpoint.time, &RunCheckpoints::Load, this);
    }
}

bool
RunCheckpoints::Complete()
{
    if (m_spec.checkpointEvery > 0 || IsFromHere())
    {
        Save(true);
    }
    return HasFile();
}

bool
RunCheckpoints::IsFromHere() const
{
    std::error_code missing; // a folder that there is not is another one
    return !m_spec.resume.empty() &&
           std::filesystem::equivalent(m_spec.resume, m_spec.out, missing);
}

bool
RunCheckpoints::HasFile() const
{
    return m_saved || IsFromHere();
}

void
RunCheckpoints::RequireBegun() const
{
    if (!HasBegun())
    {
        throw std::runtime_error("the run was ended before the simulated time of its checkpoint; " +
                                 m_spec.out + " is as it was");
    }
}

bool
RunCheckpoints::HasBegun() const
{
    return m_spec.resume.empty() || m_loaded;
}

uint64_t
RunCheckpoints::CountEvents() const
{
    return Simulator::GetEventCount() + m_events;
}

uint32_t
RunCheckpoints::CountClosed() const
{
    constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();
    uint32_t least = NONE;
    for (const auto& learner : m_learners)
    {
        if (learner->GetRounds() > 0 && !learner->IsByzantine() && !learner->IsDone())
        {
            const auto& records = learner->GetRecords();
            least = std::min(least, records.empty() ? 0 : records.back().round + 1);
        }
    }
    return least == NONE ? 0 : least;
}

uint64_t
RunCheckpoints::CountSent() const
{
    uint64_t bytes = 0;
    for (const auto& learner : m_learners)
    {
        bytes += learner->GetExchange()->GetTransport()->GetTxBytes();
    }
    return bytes;
}

void
RunCheckpoints::SkipClosed()
{
    const uint32_t closed = CountClosed();
    m_next = closed - closed % m_spec.checkpointEvery + m_spec.checkpointEvery;
}

void
RunCheckpoints::HandleRoundEnd(const RoundRecord& record)
{
    if (record.round + 1 >= m_next && m_event.IsExpired() && CountClosed() >= m_next)
    {
        m_sent = CountSent();
        m_event = Simulator::Schedule(TimeStep(1), &RunCheckpoints::Check, this);
    }
}

void
RunCheckpoints::Check()
{
    --m_events; // a run without checkpoints has not this one
    if (CountClosed() < m_next)
    {
        return; // all have ended meanwhile
    }
    const uint64_t sent = CountSent();
    if (sent != m_sent)
    {
        // Events of this instant may still bring what was sent in it.
        m_sent = sent;
        m_event = Simulator::Schedule(TimeStep(1), &RunCheckpoints::Check, this);
        return;
    }
    SkipClosed();
    Save(false);
}

void
RunCheckpoints::Save(bool complete)
{
    Checkpoint checkpoint;
    checkpoint.program = m_spec.program;
    checkpoint.words = MakeRunConfig(m_spec);
    checkpoint.complete = complete;
    checkpoint.time = Simulator::Now();
    if (!complete)
    {
        StateArchive archive;
        uint64_t events = CountEvents();
        archive(events);
        m_visit(archive);
        checkpoint.state = archive.GetBytes();
        checkpoint.inputs = m_inputs;
    }
    WriteCheckpoint(m_spec.out, std::move(checkpoint));
    m_saved = true;
}

void
RunCheckpoints::Load()
{
    uint64_t events = 0;
    try
    {
        StateArchive archive(std::exchange(m_state, {}));
        archive(events);
        m_visit(archive);
        archive.CheckEnd();
        archive.ScheduleEvents();
    }
    catch (const std::invalid_argument& error)
    {
        Require(false, m_spec.resume, "/checkpoint.bin: ", error.what());
    }
    m_loaded = true;
    m_before = events;
    m_events = static_cast<int64_t>(events - Simulator::GetEventCount());
    if (m_spec.checkpointEvery > 0)
    {
        SkipClosed();
    }
    if (m_resumed)
    {
        m_resumed();
    }
}

void
WarnOfForgotten(const RunSpec& spec, const std::vector<FaultEvent>& faults, RunWarnings& warnings)
{
    const std::string forgotten = FindForgotten(spec, faults);
    if (!forgotten.empty())
    {
        warnings.Add("the run goes on from a checkpoint at " +
                     warnings.NameMoment(Simulator::Now()) + ", which does not hold " + forgotten +
                     ": the results may differ from those of a run without interruption");
    }
}

} // namespace ns3::dlearn
