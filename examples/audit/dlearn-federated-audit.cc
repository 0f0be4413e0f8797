/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-audit.h"

#include "dlearn-audited-loss.h"
#include "dlearn-random-faults.h"

#include "ns3/config.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace ns3::dlearn
{

namespace
{

constexpr int64_t FEDERATED_PLAN_STREAM =
    90000000; //!< the plan of a run, far from those of a scenario

using Kind = TranscriptEvent::Kind;

/** @return a random time in milliseconds, as text */
std::string
DrawTime(UniformRandomVariable& random, double least, double most)
{
    return std::to_string(
               random.GetInteger(static_cast<uint32_t>(least), static_cast<uint32_t>(most))) +
           "ms";
}

/** @return a learner that goes and comes back, as text */
std::string
MakeAbsence(uint32_t learner, const std::string& from, const std::string& to)
{
    const std::string name = std::to_string(learner) + "@";
    return "crash:" + name + from + ",restart:" + name + to;
}

/** @return a client that leaves and comes back */
std::string
DrawAbsences(UniformRandomVariable& random, uint32_t clients)
{
    std::string churn;
    for (uint32_t client = 1; client <= clients; ++client)
    {
        if (random.GetValue(0, 1) < 0.15)
        {
            churn += (churn.empty() ? "" : ",") +
                     MakeAbsence(client, DrawTime(random, 1, 100), DrawTime(random, 101, 250));
        }
    }
    return churn;
}

/** @return events: the server leaves, clients that trained meanwhile leave before they send, all
 * return */
std::string
DrawOutage(UniformRandomVariable& random, uint32_t clients)
{
    std::string churn = MakeAbsence(0, DrawTime(random, 2, 20), "200ms");
    for (uint32_t client = 1; client <= clients; ++client)
    {
        if (random.GetValue(0, 1) < 0.7)
        {
            churn += "," + MakeAbsence(client, DrawTime(random, 30, 150), "180ms");
        }
    }
    return churn;
}

/** @return what to run */
RunSpec
DrawOptions(UniformRandomVariable& random)
{
    RunSpec options = CafCorPreset("dlearn-audit");
    options.dataSamples = 200;
    options.batchSize = 5;
    options.rounds = random.GetInteger(2, 9);
    options.evaluateEvery = options.rounds;
    options.learners = random.GetInteger(4, 9);
    options.byzantine = random.GetInteger(0, (options.learners - 1) / 2);
    options.threatModel = Choose<std::string>(random, {"secldp", "byzldp", "byzldp", "ldp", "cdp"});
    if (options.threatModel == "secldp" && options.byzantine == 0)
    {
        options.threatModel = "byzldp";
    }
    options.aggregator = "Average";
    const bool shared = options.threatModel == "secldp" || options.threatModel == "byzldp";
    if (options.byzantine > 0 && shared)
    {
        options.attack = Choose<std::string>(random, {"none", "none", "SignFlipping", "LabelFlip"});
        options.omniscient = false;
        options.aggregator = "Caf";
    }
    options.noiseRecovery = shared && random.GetValue(0, 1) < 0.6;
    options.momentum = Choose<double>(random, {0, 0.5, 0.85, 0.95});
    const double budget = random.GetValue(0, 1) < 0.2 ? random.GetValue(5, 40) : 0;
    // What a trusted server does not release, because the budget is spent, is not in the
    // transcript.
    options.budget = options.threatModel == "cdp" ? 0 : budget;
    options.sharedNoise = Choose<std::string>(random, {"", "pairwise"});
    options.network = Choose<std::string>(random, {"ideal", "p2p", "p2p", "csma"});
    options.transport = Choose<std::string>(random, {"udp", "udp", "tcp"});
    options.loss = Choose<double>(random, {0, 0.05, 0.2});
    options.rate = Choose<std::string>(random, {"100Mbps", "1Mbps"});
    options.responseTimeout = "200ms";
    if (random.GetValue(0, 1) < 0.7)
    {
        options.deadline = DrawTime(random, 10, 60);
    }
    else
    {
        const double needed = (2.0 * options.byzantine + 1) / options.learners;
        options.quorum = random.GetValue(std::max(0.5, needed), 1);
    }
    if (options.transport == "tcp" && options.threatModel != "cdp" && random.GetValue(0, 1) < 0.5)
    {
        // A connection is tried again after half a second: wait for that.
        options.churn = DrawOutage(random, options.learners);
        options.deadline.clear();
        options.responseTimeout = "1s";
    }
    else
    {
        options.churn = DrawAbsences(random, options.learners);
    }
    return options;
}

/** @return what to run of FedAvg @param faults whether the run has faults */
RunSpec
DrawFedAvgOptions(UniformRandomVariable& random, bool faults)
{
    RunSpec options = FedAvgPreset("dlearn-audit");
    options.data = "generated";
    options.dataSamples = 200;
    options.rounds = random.GetInteger(2, 12);
    options.evaluateEvery = options.rounds;
    options.learners = random.GetInteger(2, 8);
    options.partition = Choose<std::string>(random, {"iid", "dirichlet:0.5"});
    options.threatModel = Choose<std::string>(random, {"ldp", "cdp"});
    const bool trusted = options.threatModel == "cdp";
    options.clip = Choose<double>(random, {0.1, 1});
    options.targetEpsilon = random.GetValue(0.5, 20);
    options.noiseMultiplier = random.GetValue(0, 1) < 0.3 ? random.GetValue(0.3, 5) : 0;
    options.momentum = Choose<double>(random, {0, 0.9});
    options.mode = trusted ? "sync" : Choose<std::string>(random, {"sync", "async", "buffered"});
    if (options.mode == "sync")
    {
        options.sampleFraction = Choose<double>(random, {1, 1, 0.5});
        options.samplePlan =
            options.sampleFraction == 1 && random.GetValue(0, 1) < 0.3 ? "1;1-2" : "";
        options.deadline = random.GetValue(0, 1) < 0.5 ? DrawTime(random, 10, 60) : "";
        options.quorum = options.deadline.empty() ? random.GetValue(0.3, 1) : 1;
    }
    if (options.mode == "async")
    {
        options.momentum = 0;
    }
    options.bufferSize = 2;
    // What a trusted server does not release is not in the transcript.
    options.budget = !trusted && random.GetValue(0, 1) < 0.2 ? random.GetValue(0.5, 10) : 0;
    options.network = Choose<std::string>(random, {"ideal", "p2p", "p2p", "csma"});
    options.transport = Choose<std::string>(random, {"udp", "tcp"});
    options.loss = Choose<double>(random, {0, 0.05, 0.2});
    options.rate = Choose<std::string>(random, {"100Mbps", "1Mbps"});
    options.responseTimeout = "200ms";
    options.churn = DrawAbsences(random, options.learners);
    if (trusted && !faults && random.GetValue(0, 1) < 0.4)
    {
        options.secretSampling = true;
        options.adjacency = "add-remove"; // with which epsilon is exact
        options.sampleFraction = random.GetValue(0.2, 0.8);
        options.samplePlan.clear();
        options.bufferSize = RunSpec(options.kind, options.program).bufferSize;
        options.deadline.clear();
        options.quorum = 1;
        options.responseTimeout.clear();
        options.loss = 0;
        options.network = Choose<std::string>(random, {"ideal", "p2p"});
        options.transport = "tcp";
        options.churn.clear();
    }
    return options;
}

/** A file of faults that lasts as long as the object. */
class FaultFile
{
  public:
    /** @param events one a line */
    explicit FaultFile(const std::vector<std::string>& events)
        : m_file(std::tmpfile(), &std::fclose)
    {
        Require(m_file != nullptr, "audit: a temporary file cannot be made");
        for (const std::string& event : events)
        {
            std::fputs((event + "\n").c_str(), m_file.get());
        }
        Require(std::fflush(m_file.get()) == 0, "audit: a temporary file cannot be written");
    }

    /** @return a path that opens it */
    std::string GetPath() const { return "/proc/self/fd/" + std::to_string(fileno(m_file.get())); }

  private:
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> m_file; //!< has no name, and is not left behind
};

/** @return faults of a run; in some the server goes back to a checkpoint */
std::vector<std::string>
DrawFaultEvents(UniformRandomVariable& random, const RunSpec& options)
{
    Graph star(options.learners + 1);
    for (LearnerId client = 1; client <= options.learners; ++client)
    {
        star.AddEdge(0, client);
    }
    const Time end = MilliSeconds(200); // many runs are over then
    auto events = DrawFaults(star, Time(0), end, {options.transport != "tcp", {}}, random);
    if (random.GetValue(0, 1) < 0.5)
    {
        events.push_back("checkpoint=" + std::to_string(random.GetInteger(2, 4)) + ":0@0s");
        const std::string crash = "crash:0@";
        const std::string begin = crash + DrawTime(random, 20, 90);
        const std::string end = "restart:0@" + DrawTime(random, 100, 180);
        const bool crashes = std::any_of(events.begin(), events.end(), [&](const auto& event) {
            return event.rfind(crash, 0) == 0;
        });
        if (!crashes)
        {
            events.push_back(begin);
            events.push_back(end);
        }
    }
    return events;
}

/** Gives clients devices of very different speed while it lives. */
class SlowDevices
{
  public:
    /** @param slow whether to do anything */
    explicit SlowDevices(bool slow)
    {
        const auto set = [this](const std::string& name, const AttributeValue& value) {
            m_before.emplace_back(name, Get(name));
            Config::SetDefault(name, value);
        };
        if (slow)
        {
            set("ns3::dlearn::LearnerApplication::ComputeModel",
                TypeIdValue(RandomCompute::GetTypeId()));
            set("ns3::dlearn::RandomCompute::Spread", DoubleValue(1.5));
        }
    }

    ~SlowDevices()
    {
        for (const auto& [name, value] : m_before)
        {
            Config::SetDefault(name, *value);
        }
    }

    SlowDevices(const SlowDevices&) = delete;
    SlowDevices& operator=(const SlowDevices&) = delete;

  private:
    static Ptr<const AttributeValue> Get(const std::string& name)
    {
        return FindAttribute(name).value().info.initialValue;
    }

    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_before;
};

/** @return the participants and their noise; clients are numbered from 0 */
GaussianAuditSetting
MakeSetting(const FederatedRun& run)
{
    GaussianAuditSetting setting;
    setting.workers = run.options.learners;
    for (uint32_t k = 0; k < run.options.byzantine; ++k)
    {
        setting.byzantine.insert(run.options.learners - 1 - k);
    }
    if (run.options.threatModel == "byzldp")
    {
        setting.colluding = setting.byzantine;
    }
    setting.noise = run.noise;
    setting.momentum = run.options.momentum;
    setting.sensitivity = 2 * run.options.clip;
    return setting;
}

/** @return whether an event is an update of a client that came in time */
bool
IsInTime(const TranscriptEvent& event)
{
    return event.kind == Kind::RECEIVE && event.node == 0 &&
           event.channel == ModelChannel::UPDATE &&
           event.reception == LearnerApplication::Reception::ON_TIME;
}

/** @return the rate of all that a trusted server revealed about a client */
double
GetReleasedRate(const FederatedRun& run, uint32_t client)
{
    ReleaseAudit audit(MakeSetting(run));
    std::map<uint32_t, std::map<uint32_t, uint32_t>> open; // round -> client -> round
    auto mark = run.marks.begin();
    for (size_t k = 0; k <= run.events.size(); ++k)
    {
        for (; mark != run.marks.end() && mark->events == k; ++mark)
        {
            for (const auto& [round, messages] : open)
            {
                // With fewer the server skips the round.
                if (mark->released && messages.size() > 2 * run.options.byzantine)
                {
                    audit.Release(round, messages);
                }
            }
            open.clear();
        }
        if (k == run.events.size())
        {
            break;
        }
        const TranscriptEvent& event = run.events[k];
        if (event.kind == Kind::DRAW)
        {
            audit.Draw(event.node - 1, event.round);
        }
        else if (IsInTime(event))
        {
            open[event.round][*event.peer - 1] = event.round;
        }
    }
    return audit.GetRate(client);
}

/** @return how many samples a client of FedAvg has: all of them are drawn in each of its rounds */
double
CountSamples(const FederatedRun& run, LearnerId client)
{
    std::set<uint32_t> positions;
    for (const TranscriptEvent& event : run.events)
    {
        if (event.kind == Kind::DRAW && event.node == client)
        {
            positions.insert(event.numbers.begin(), event.numbers.end());
        }
    }
    return static_cast<double>(positions.size());
}

/** @return the rate of all that was revealed about a client of FedAvg */
double
GetFedAvgRate(const FederatedRun& run, LearnerId client)
{
    const double sensitivity = 2 * run.options.clip / run.noise.independent;
    std::set<uint32_t> sent;
    std::set<LearnerId> open; // clients whose updates are in the next model
    double weights = 0;       // sum of squares over the models that were released
    auto mark = run.marks.begin();
    for (size_t k = 0; k <= run.events.size(); ++k)
    {
        for (; mark != run.marks.end() && mark->events == k; ++mark)
        {
            double total = 0;
            for (const LearnerId other : open)
            {
                total += CountSamples(run, other);
            }
            if (mark->released && open.count(client) > 0)
            {
                weights += std::pow(CountSamples(run, client) / total, 2);
            }
            open.clear();
        }
        if (k == run.events.size())
        {
            break;
        }
        const TranscriptEvent& event = run.events[k];
        if (event.kind == Kind::SEND && event.node == client &&
            event.channel == ModelChannel::UPDATE)
        {
            sent.insert(event.round);
        }
        else if (IsInTime(event))
        {
            open.insert(*event.peer);
        }
    }
    const bool trusted = run.options.threatModel == "cdp";
    return sensitivity * sensitivity / 2 * (trusted ? weights : static_cast<double>(sent.size()));
}

/** @return epsilon of all that was revealed about a client of FedAvg which takes part in secret */
double
GetSecretEpsilon(const FederatedRun& run, LearnerId client)
{
    double all = 0;
    for (const auto& [other, samples] : run.samples)
    {
        all += samples;
    }
    const double sampling = run.options.sampleFraction;
    const double weight = run.samples.at(client) / (sampling * all);
    return SolveSampledEpsilon(weight * run.options.clip / run.noise.independent,
                               static_cast<uint32_t>(run.marks.size()), // none without a model
                               sampling,
                               run.options.delta);
}

/** The server has a new model. */
void
NoteRoundEnd(FederatedRun* run, const RoundRecord& /* record */)
{
    run->marks.push_back({run->events.size(), true, Simulator::Now()});
}

/** Something happened to the server. */
void
NoteEvent(FederatedRun* run, const LearnerEvent& event)
{
    if (event.kind == LearnerEvent::Kind::CRASHED)
    {
        if (!run->marks.empty() && run->marks.back().time == Simulator::Now())
        {
            run->marks.back().released = false; // it was computing the model of a closed round
        }
        run->marks.push_back({run->events.size(), false, Simulator::Now()});
    }
}

} // namespace

FederatedAudit::FederatedAudit(std::string algorithm, bool faults, Account account)
    : m_algorithm(std::move(algorithm)),
      m_faults(faults),
      m_account(std::move(account))
{
    if (!m_account)
    {
        m_account = [](const FederatedRun& run, LearnerId client) {
            return run.accounts.at(client)->GetEpsilon();
        };
    }
}

double
FederatedAudit::GetTrueRate(const FederatedRun& run, LearnerId client)
{
    if (!run.options.IsCafCor())
    {
        return GetFedAvgRate(run, client);
    }
    if (run.options.threatModel == "cdp")
    {
        return GetReleasedRate(run, client - 1);
    }
    MessageAudit audit(MakeSetting(run));
    std::map<uint32_t, std::set<uint32_t>> lost;
    for (const TranscriptEvent& event : run.events)
    {
        if (event.kind == Kind::DRAW)
        {
            audit.Draw(event.node - 1, event.round);
        }
        else if (event.kind == Kind::SEND && event.channel == ModelChannel::UPDATE)
        {
            audit.Send(event.node - 1, event.round);
        }
        else if (event.kind == Kind::REQUEST)
        {
            for (const uint32_t node : event.numbers)
            {
                lost[event.round].insert(node - 1);
            }
        }
        else if (event.kind == Kind::ANSWER)
        {
            audit.Correct(event.node - 1, event.round, lost[event.round]);
        }
    }
    return audit.GetRate(client - 1);
}

AccountRatios
FederatedAudit::Run(uint64_t number) const
{
    RngSeedManager::SetRun(number);
    const auto random = CreateSeeded<UniformRandomVariable>(FEDERATED_PLAN_STREAM, 0);
    FederatedRun run;
    run.options =
        m_algorithm == "fedavg" ? DrawFedAvgOptions(*random, m_faults) : DrawOptions(*random);
    const SlowDevices devices(random->GetValue(0, 1) < 0.4);
    std::optional<FaultFile> file;
    if (m_faults)
    {
        file.emplace(DrawFaultEvents(*CreateSeeded<UniformRandomVariable>(FEDERATED_PLAN_STREAM, 1),
                                     run.options));
        run.options.faults = file->GetPath();
    }
    dlearn::Run scenario(run.options);
    run.noise = scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales();
    for (const auto& client : scenario.GetFederation().clients)
    {
        run.accounts[client->GetLearnerId()] = client->GetRule()->GetLedger();
        run.samples[client->GetLearnerId()] = client->GetRule()->GetData()->GetSampleCount();
    }
    const Transcript transcript(scenario.GetFederation().GetLearners(),
                                [&run](const TranscriptEvent& e) { run.events.push_back(e); });
    const auto& server = scenario.GetFederation().server;
    server->TraceConnectWithoutContext("RoundEnd", MakeBoundCallback(&NoteRoundEnd, &run));
    server->TraceConnectWithoutContext("Event", MakeBoundCallback(&NoteEvent, &run));
    std::ostringstream table;
    scenario.Execute(table);
    AccountRatios ratios;
    const uint32_t honest = run.options.learners - run.options.byzantine;
    for (LearnerId client = 1; client <= honest; ++client)
    {
        const double truth =
            run.options.secretSampling
                ? GetSecretEpsilon(run, client) * (1 - 2e-3) // for rounding
                : SolveGaussianEpsilon(GetTrueRate(run, client), run.options.delta);
        const double ratio = GetAccountRatio({m_account(run, client), 0}, {truth, 0});
        ratios.smallest = Least(ratios.smallest, ratio);
        ratios.largest = std::isinf(ratio) ? ratios.largest : std::max(ratios.largest, ratio);
    }
    return ratios;
}

} // namespace ns3::dlearn
