/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-random-faults.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace ns3::dlearn
{

namespace
{

/** Collects faults. */
class FaultWriter
{
  public:
    FaultWriter(const Graph& graph, Time begin, Time end, UniformRandomVariable& random)
        : m_graph(graph),
          m_begin(begin),
          m_end(end),
          m_random(random)
    {
    }

    /** @return whether a coin shows heads */
    bool Toss() { return m_random.GetValue(0, 1) < 0.5; }

    /** @return a probability up to a limit, of three digits */
    std::string DrawProbability(uint32_t thousandths)
    {
        return FormatShortest(m_random.GetInteger(1, thousandths) / 1000.0);
    }

    /** @return all links, or one, or one direction of it */
    std::string DrawLink()
    {
        if (Toss())
        {
            return "*";
        }
        const auto [a, b] = DrawPair();
        return std::to_string(a) + (Toss() ? "-" : "to") + std::to_string(b);
    }

    /** @return two neighbours */
    std::pair<LearnerId, LearnerId> DrawPair()
    {
        const auto pairs = m_graph.GetPairs();
        auto pair = pairs[m_random.GetInteger(0, pairs.size() - 1)];
        if (Toss())
        {
            std::swap(pair.first, pair.second);
        }
        return pair;
    }

    /** @return a learner */
    std::string DrawLearner()
    {
        return std::to_string(m_random.GetInteger(0, m_graph.GetSize() - 1));
    }

    /** Add an event, and the one that ends it. */
    void AddSpan(const std::string& begin, const std::string& end)
    {
        const double half = (m_end - m_begin).GetSeconds() / 2;
        const double first = m_random.GetValue(0, half);
        Add(begin, first);
        Add(end, m_random.GetValue(half, 2 * half));
    }

    /** Add a lasting event, at a number of seconds after the beginning. */
    void Add(const std::string& event, double seconds)
    {
        const Time time = Min(m_begin + Seconds(seconds), m_end);
        m_events.push_back(event + "@" + std::to_string(time.GetNanoSeconds()) + "ns");
    }

    void AddPartition()
    {
        const auto [one, other] = DrawPair();
        std::string group = std::to_string(one);
        for (LearnerId learner = 0; learner < m_graph.GetSize(); ++learner)
        {
            if (learner != one && learner != other && Toss())
            {
                group += "," + std::to_string(learner);
            }
        }
        AddSpan("partition:" + group, "heal");
    }

    void AddCrashes()
    {
        std::set<std::string> learners{DrawLearner(), DrawLearner()};
        for (const std::string& learner : learners)
        {
            AddSpan("crash:" + learner, "restart:" + learner);
        }
    }

    void AddCheckpoints(LearnerId server)
    {
        const std::string learner = std::to_string(server);
        const std::string crash = "crash:" + learner;
        Add("checkpoint=" + std::to_string(m_random.GetInteger(2, 20)) + ":" + learner, 0);
        const bool crashes =
            std::any_of(m_events.begin(), m_events.end(), [&](const std::string& event) {
                return event.rfind(crash + "@", 0) == 0;
            });
        if (!crashes)
        {
            AddSpan(crash, "restart:" + learner);
        }
    }

    /** Add one kind of fault. */
    void AddKind(uint32_t kind)
    {
        const std::string link = DrawLink();
        const auto [a, b] = DrawPair();
        const std::string pair = std::to_string(a) + "-" + std::to_string(b);
        switch (kind)
        {
        case 0:
            AddPartition();
            break;
        case 1:
            AddSpan("down:" + pair, "up:" + pair);
            break;
        case 2:
            AddSpan("burst=0," + DrawProbability(1000) + "," + DrawProbability(100) + "," +
                        DrawProbability(500) + ":" + link,
                    "burst=0,0,0,1:" + link);
            break;
        case 3:
            AddSpan("corrupt=" + DrawProbability(300) + ":" + link, "corrupt=0:" + link);
            break;
        case 4:
            AddSpan("duplicate=" + DrawProbability(500) + ":" + link, "duplicate=0:" + link);
            break;
        case REORDER:
            AddSpan("reorder=" + DrawProbability(500) + "," +
                        std::to_string(m_random.GetInteger(1, 20)) + "ms:" + link,
                    "reorder=0,1ms:" + link);
            break;
        case 6:
            AddCrashes();
            break;
        default:
            Add("drift=" + FormatShortest(m_random.GetInteger(1, 100000) * (Toss() ? 1.0 : -1.0)) +
                    ":" + DrawLearner(),
                0);
        }
    }

    /** Kinds of faults. */
    static constexpr uint32_t KINDS = 8;
    /** That of packets held back. */
    static constexpr uint32_t REORDER = 5;

    /** @return the events */
    const std::vector<std::string>& GetEvents() const { return m_events; }

  private:
    const Graph& m_graph; //!< which learners exchange messages
    Time m_begin;
    Time m_end;
    UniformRandomVariable& m_random;
    std::vector<std::string> m_events;
};

} // namespace

std::vector<std::string>
DrawFaults(const Graph& graph,
           Time begin,
           Time end,
           const DrawableFaults& drawable,
           UniformRandomVariable& random)
{
    Require(!graph.GetPairs().empty(), "DrawFaults: there must be neighbours");
    Require(begin < end, "DrawFaults: the span must end after its beginning");
    FaultWriter writer(graph, begin, end, random);
    for (uint32_t kind = 0; kind < FaultWriter::KINDS; ++kind)
    {
        const bool wanted = writer.Toss(); // also for skipped events, so that all others stay
        if (wanted && (drawable.reorder || kind != FaultWriter::REORDER))
        {
            writer.AddKind(kind);
        }
    }
    if (writer.GetEvents().empty())
    {
        writer.AddKind(random.GetInteger(0, FaultWriter::REORDER - 1));
    }
    if (drawable.server && writer.Toss())
    {
        writer.AddCheckpoints(*drawable.server);
    }
    return writer.GetEvents();
}

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
    // The distance of a model with noise from the best model means nothing for a softmax.
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
