/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-missing-policy.h"

namespace ns3::dlearn
{

using namespace run_kinds;

namespace
{

void
AddRoundOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const bool waits =
        !federation && IsComponentOf(GetMissingFamily(), s.onMissing, WaitForMissing::GetTypeId());
    table
        .Add("deadline",
             P | D | F,
             &s.deadline,
             "longest time of a round, such as 200ms; empty: as long as timeout says")
        .Governs({"DeadlinePolicy::Deadline"})
        .Needs(!waits, "rounds that do not wait for all messages, as on-missing wait does");
    table
        .Add("quorum",
             P | D | F,
             &s.quorum,
             "share of the expected messages that closes a round, (0, 1]")
        .Governs({"QuorumPolicy::Fraction"})
        .Needs(!waits, "rounds that do not wait for all messages, as on-missing wait does");
    table
        .Add("timeout",
             P | D | F,
             &s.responseTimeout,
             std::string(federation
                             ? "longest wait for the answer to a model; empty: four times the "
                               "slowest answer so far, at most 30 s or four times the "
                               "forecast or the usual answer, and not less than forecast"
                             : "longest wait for neighbours after sending; empty: four "
                               "times the forecast of it") +
                 ", but at least 1 s; a learner that is waited for twice as long is suspected to "
                 "have failed")
        .Alias({"patience"})
        .Needs(s.synchrony.rfind("async", 0) != 0 || IsAttack(s.attack, &LearnerAttack::Waits),
               "rounds that wait for others, or attackers that do: in synchrony async none wait "
               "but those that forge vectors or delay them")
        .Governs(federation ? OptionTable::Names{"FederatedServer::ResponseTimeout",
                                                 "FederatedServer::SuspicionTimeout"}
                            : OptionTable::Names{});
    table
        .Add("on-missing",
             P | D,
             &s.onMissing,
             "what a missing message means: " + ListTypes(GetMissingFamily()))
        .Alias({"missing"})
        .Describes(GetMissingFamily())
        .Governs({"PeerApplication::MissingPolicy"});
    table.Add("synchrony",
              P | D,
              &s.synchrony,
              "rounds: learners go through them together; async: each at its own pace, without "
              "waiting; async:PERIOD: likewise, a round taking at least so long");
}

void
AddScheduleOptions(RunSpec& s, OptionTable& table)
{
    table.Add("mode", F, &s.mode, "sync, async (FedAsync) or buffered (FedBuff)")
        .Governs({"FederatedServer::Schedule"})
        .Theory(TheoryEffect::VOIDS);
    table.Add("sample-fraction", F, &s.sampleFraction, "sync:")
        .Sets({"UniformSampling::Fraction"})
        .Theory(TheoryEffect::VOIDS);
    table.Add("sample-count", F, &s.sampleCount, "sync:")
        .Sets({"UniformSampling::Count"})
        .Theory(TheoryEffect::VOIDS);
    table.Add("sample-plan", F, &s.samplePlan, "sync:")
        .Sets({"ScheduledSampling::Plan"})
        .Theory(TheoryEffect::VOIDS);
    table.Add("buffer-size", F, &s.bufferSize, "buffered: updates that make a new model")
        .Governs({"BufferedSchedule::BufferSize"})
        .Needs(s.mode == "buffered", "mode buffered");
    table.Add("concurrency", F, &s.concurrency, "async, buffered:")
        .Sets({"BufferedSchedule::Concurrency"});
    table
        .Add("staleness",
             F,
             &s.staleness,
             "weight of an update of an old model: " + ListTypes(GetStalenessFamily()) +
                 " with numbers, such as polynomial:A, (1+t)^-A, or hinge:B:A; or auto: discard "
                 "when sync, else constant with an aggregator and polynomial:0.5 without")
        .Describes(GetStalenessFamily())
        .Governs({"FederatedServer::Staleness"});
}

} // namespace

void
AddTimingOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Timing", TheoryEffect::DISTURBS);
    AddRoundOptions(s, table);
    AddScheduleOptions(s, table);
}

} // namespace ns3::dlearn
