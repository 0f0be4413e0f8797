/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fault-trial.h"

#include "ns3/dlearn-fault-draws.h"
#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3::dlearn
{

namespace
{

/** Of the schedules; no part of a run has it. */
constexpr int64_t SCHEDULE_STREAM = 700;

/** What a run left behind. */
struct Ending
{
    RunResults results;
    Time learning;       //!< until the last round closed
    double error{0};     //!< of the last round
    bool finite{true};   //!< whether all models are
    bool complete{true}; //!< see FaultTrial
};

/** @return the applications of a run that train or serve */
std::vector<Ptr<LearnerApplication>>
GetLearners(Run& run)
{
    std::vector<Ptr<LearnerApplication>> learners;
    const NodeContainer& nodes = run.GetNetwork().GetNodes();
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNApplications(); ++k)
        {
            const auto learner = DynamicCast<LearnerApplication>((*node)->GetApplication(k));
            if (learner)
            {
                learners.push_back(learner);
            }
        }
    }
    return learners;
}

/** Look at the learners of a run that is over. */
void
Inspect(Run& run, Ending& ending)
{
    using State = LearnerApplication::State;
    for (const auto& learner : GetLearners(run))
    {
        const bool bound = learner->GetRounds() > 0 && !learner->IsByzantine();
        ending.complete = ending.complete && (!bound || learner->GetState() == State::FINISHED);
        if (bound)
        {
            ending.finite = ending.finite && learner->GetLearnerRule()->GetModel().allFinite();
        }
    }
}

/** @return what a run leaves behind */
Ending
RunToEnd(const RunSpec& spec, Graph* graph = nullptr)
{
    Run run(spec);
    Ending ending;
    run.SetFinishHook([&](Run& over) { Inspect(over, ending); });
    std::ostringstream table;
    ending.results = run.Execute(table);
    if (graph)
    {
        *graph = run.GetGraph();
    }
    for (const ResultRow& row : ending.results.rows)
    {
        ending.learning = Max(ending.learning, row.record.closed);
    }
    const Evaluation& last = run.GetSummaries().back().mean;
    // The distance of a model with noise from the best one says nothing of a softmax.
    ending.error = spec.algorithm == "cafcor" ? last.loss : last.error;
    return ending;
}

/** A network, and the way over it. */
struct Way
{
    const char* network;
    const char* transport;
};

constexpr Way WAYS[] = {{"p2p", "udp"}, {"p2p", "tcp"}, {"ideal", "udp"}, {"csma", "tcp"}};

/**
 * Times as many rounds over TCP, after the same faults: a learner whose connection broke is back
 * only after a few retransmission timeouts and retries, which is longer than a hundred of these
 * rounds.
 */
constexpr uint32_t TCP_LENGTH = 4;

} // namespace

std::vector<FaultScenario>
GetFaultScenarios(const std::string& program)
{
    RunSpec online = LdpOnlinePreset(program);
    online.rounds = 300;
    online.noise = 0.01;
    online.dataSamples = 1000;
    online.deadline = "20ms";
    online.responseTimeout = "60ms";

    RunSpec tracking = GradientTrackingPreset(program);
    tracking.rounds = 500;
    tracking.noise = 0.01;
    tracking.dataSamples = 1000;
    tracking.compensation = "running-sum";
    tracking.deadline = "20ms";
    tracking.responseTimeout = "60ms";

    RunSpec averaging = FedAvgPreset(program);
    averaging.learners = 6;
    averaging.rounds = 100;
    averaging.dimension = 20;
    averaging.deadline = "50ms";
    averaging.responseTimeout = "200ms";

    RunSpec robust = CafCorPreset(program);
    robust.learners = 8;
    robust.byzantine = 1;
    robust.rounds = 60;
    robust.targetEpsilon = 2000;
    robust.dataSamples = 1000;
    robust.deadline = "50ms";
    robust.responseTimeout = "200ms";

    std::vector<FaultScenario> scenarios{{online, MilliSeconds(25), 1.5, 10},
                                         {tracking, MilliSeconds(25), 10, 2},
                                         {averaging, MilliSeconds(60), 1.5, 4},
                                         {robust, MilliSeconds(60), 1.2, 1.5}};
    for (FaultScenario& scenario : scenarios)
    {
        scenario.spec.evaluateEvery = scenario.spec.rounds;
    }
    return scenarios;
}

FaultTrial
TryFaults(RunSpec spec, const std::string& path)
{
    const Way& way = WAYS[RngSeedManager::GetRun() % std::size(WAYS)];
    spec.network = way.network;
    spec.transport = way.transport;
    FaultTrial trial;
    trial.tcp = spec.transport == "tcp";
    trial.description = spec.network + ", " + spec.transport;
    const uint32_t length = trial.tcp ? TCP_LENGTH : 1;
    spec.rounds *= length;
    spec.evaluateEvery *= length;
    Graph graph(1);
    const Ending calm = RunToEnd(spec, &graph);
    trial.calm = calm.error;

    const auto random = CreateSeeded<UniformRandomVariable>(SCHEDULE_STREAM, 0);
    const double tenth = calm.learning.GetSeconds() / length / 10;
    DrawableFaults drawable;
    drawable.reorder = !trial.tcp;
    if (spec.kind == RunKind::FEDERATION)
    {
        drawable.server = 0;
    }
    const auto events = DrawFaults(graph, Seconds(tenth), Seconds(5 * tenth), drawable, *random);
    trial.faults = events.size();
    std::string text;
    for (const std::string& event : events)
    {
        text += event + "\n";
    }
    WriteTextFile(path, text);

    spec.faults = path;
    const Ending ending = RunToEnd(spec);
    trial.error = ending.error;
    trial.finite = ending.finite && std::isfinite(ending.error);
    trial.complete = ending.complete && ending.results.status == "complete";
    for (const auto& [name, count] : ending.results.totals)
    {
        trial.packets += name.rfind("fault_", 0) == 0 ? count : 0;
    }
    trial.conserved = true;
    for (const ResultRow& row : ending.results.rows)
    {
        const RoundRecord& record = row.record;
        trial.conserved = trial.conserved &&
                          record.expected == record.received + record.late + record.lost &&
                          record.received == record.used + record.rejected;
        trial.longest = Max(trial.longest, record.duration);
    }
    return trial;
}

} // namespace ns3::dlearn
