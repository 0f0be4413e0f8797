/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run.h"

#include "dlearn-directed-learners.h"
#include "dlearn-federated-learners.h"
#include "dlearn-interruption.h"
#include "dlearn-peer-learners.h"
#include "dlearn-run-forecast.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-churn-schedule.h"
#include "ns3/dlearn-compute-pool.h"
#include "ns3/dlearn-learner-battery.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iomanip>

namespace ns3::dlearn
{

namespace
{

bool g_alive = false; //!< whether there is a run whose events are in the simulator

/**
 * @param table gets a column with the number, or with a dash when there is none
 * @param value the number
 * @param width of the column
 * @param decimals digits after the point; negative for four significant digits
 */
void
PrintCell(std::ostream& table, double value, int width, int decimals = -1)
{
    table << std::setw(width);
    if (std::isnan(value))
    {
        table << "-";
    }
    else if (decimals >= 0)
    {
        table << std::fixed << std::setprecision(decimals) << value;
    }
    else
    {
        table << std::defaultfloat << std::setprecision(4) << value;
    }
}

/**
 * @param table gets one line
 * @param summary of an evaluated round
 */
void
PrintRow(std::ostream& table, const RoundSummary& summary)
{
    const auto flags = table.flags();
    const auto precision = table.precision();
    PrintCell(table, summary.time.GetSeconds(), 10, 3);
    table << std::setw(7) << summary.round << std::setw(10) << summary.learners;
    PrintCell(table, summary.mean.loss, 12);
    PrintCell(table, summary.mean.accuracy, 10, 4);
    PrintCell(table, summary.mean.error, 12);
    PrintCell(table, summary.epsilon, 12);
    PrintCell(table, 100 * summary.delivered, 10, 1);
    table << "%" << std::endl;
    table.flags(flags); // the title of the next run has numbers, too
    table.precision(precision);
}

/** @return whether an option sets what only some networks have, see Network::HasEffect() */
bool
IsLinkOption(const std::string& option)
{
    return option == "rate" || option == "delay" || option == "trunk-rate" || option == "side" ||
           option == "cross-traffic";
}

/** @return the learners of a kind of run, with data and graph */
std::unique_ptr<RunLearners>
MakeLearners(const RunSpec& spec)
{
    switch (spec.kind)
    {
    case RunKind::PEERS:
        return std::make_unique<PeerLearners>(spec);
    case RunKind::DIRECTED:
        return std::make_unique<DirectedLearners>(spec);
    case RunKind::FEDERATION:
        break;
    }
    return std::make_unique<FederatedLearners>(spec);
}

} // namespace

Run::Run(const RunSpec& spec)
    : Run(spec, NetworkMaker())
{
}

Run::Run(const RunSpec& spec, std::unique_ptr<Network> network)
    : Run(spec, [&network](uint32_t) { return std::move(network); })
{
}

Run::Run(const RunSpec& spec, const NetworkMaker& make)
    : m_spec(spec),
      m_watch(spec.invocation.strict ? spec.invocation.attributes
                                     : std::map<std::string, std::string>())
{
    m_spec.Validate();
    RefuseUselessOptions(m_spec);
    RefuseOverwrittenAttributes(m_spec);
    Require(!g_alive,
            "Run: another run is there already; execute or destroy it before, as all of them "
            "share the simulator of ns-3");
    try
    {
        m_learners = MakeLearners(m_spec);
        BuildNetwork(make);
        m_learners->Install(*m_network);
        InstallCrossTraffic();
        m_learners->RequireEffect();
        m_watch.AddObjects(m_learners->GetHiddenParts());
        Watch();
        g_alive = true;
    }
    catch (...)
    {
        Simulator::Destroy(); // events of a run that never was must not reach into the next
        throw;
    }
}

Run::~Run()
{
    if (!m_destroyed)
    {
        Simulator::Destroy();
        g_alive = false;
    }
}

void
Run::BuildNetwork(const NetworkMaker& make)
{
    NetworkOptions network = m_learners->GetNetworkOptions();
    network.loss = m_spec.loss;
    network.delay = ParseTime("delay", m_spec.delay);
    network.rate = ParseDataRate("rate", m_spec.rate);
    network.trunkRate = ParseDataRate("trunk-rate", m_spec.trunkRate);
    if (m_spec.mtu > 0)
    {
        network.mtu = m_spec.mtu;
    }
    network.side = m_spec.side;
    network.mobility = m_spec.mobility;
    network.schedule = LinkSchedule::Parse(m_spec.links);
    m_network = make ? make(m_learners->GetGraph().GetSize()) : CreateNetwork(m_spec.network);
    Require(m_network != nullptr, "Run: there must be a network, got none");
    if (make)
    {
        const std::string name = m_network->GetName();
        Require(m_spec.network == name || m_spec.invocation.options.count("network") == 0,
                "network must be ",
                name,
                ", which this program makes; got '",
                m_spec.network,
                "'");
        m_spec.network = name;
    }
    CheckNetworkOptions();
    m_network->Build(m_learners->GetGraph(), network);
    m_network->AssignStreams(RunStreams::NETWORK);
}

void
Run::CheckNetworkOptions() const
{
    for (const std::string& option : m_spec.invocation.options)
    {
        // A random geometric graph is drawn in the square.
        const bool drawn = option == "side" && m_spec.graph.rfind("rgg:", 0) == 0;
        const bool general = !IsLinkOption(option) || drawn;
        Require(general || !m_spec.invocation.strict || m_network->HasEffect(option),
                "option ",
                option,
                " has no effect on network ",
                m_spec.network);
    }
    Require(m_spec.transport != "broadcast" || m_network->HasBroadcast(),
            "transport broadcast needs a shared medium (csma, wifi-adhoc or wifi-infra), network "
            "is ",
            m_spec.network);
}

void
Run::Watch()
{
    m_applications = m_learners->GetApplications();
    m_links = std::make_unique<LinkStatistics>(m_network->GetNodes());
    InstallBatteries(m_applications);
    const auto churn = ChurnSchedule::Parse(m_spec.churn);
    churn.Install(m_applications);
    m_monitor = std::make_unique<Monitor>(m_applications,
                                          m_learners->CreateEvaluator(),
                                          m_spec.evaluateEvery);
    if (m_spec.kind == RunKind::FEDERATION && m_spec.threatModel != "none")
    {
        m_target = std::make_unique<TargetWatch>(m_applications,
                                                 m_spec.targetEpsilon,
                                                 m_monitor->GetWatch());
    }
    for (const ChurnSchedule::Event& event : churn.GetEvents())
    {
        if (event.action == ChurnSchedule::Action::RESTART)
        {
            m_monitor->ExpectRestart(event.time, event.learner);
        }
    }
    const auto links = LinkSchedule::Parse(m_spec.links);
    for (const LinkSchedule::Event& event : links.GetEvents())
    {
        if (event.up)
        {
            m_monitor->GetWatch().Add(
                {event.time,
                 std::nullopt,
                 std::nullopt,
                 *event.up ? "link-up" : "link-down",
                 std::to_string(event.from) + " to " + std::to_string(event.to)});
        }
    }
    InstallFaults();
}

void
Run::InstallCrossTraffic()
{
    m_crossTraffic = CrossTraffic::Parse(m_spec.crossTraffic);
    m_crossTraffic.Install(*m_network, RunStreams::CROSS_TRAFFIC);
}

void
Run::AddCrossTraffic()
{
    if (!m_crossTraffic.GetFlows().empty())
    {
        const CrossTraffic::Counters counters = m_crossTraffic.GetCounters();
        m_results.totals["cross_traffic_sent_bytes"] = counters.sent;
        m_results.totals["cross_traffic_received_bytes"] = counters.received;
    }
}

void
Run::InstallFaults()
{
    using Kind = FaultEvent::Kind;
    if (m_spec.faults.empty())
    {
        return;
    }
    m_faults = FaultSchedule::Read(m_spec.faults);
    m_faults.Install(GetGraph(), *m_network, m_applications, RunStreams::FAULTS);
    for (const FaultEvent& event : m_faults.GetEvents())
    {
        if (event.kind == Kind::RESTART)
        {
            m_monitor->ExpectRestart(event.time, *event.learner);
        }
        const bool link = event.kind == Kind::DOWN || event.kind == Kind::UP;
        if (event.IsOfLinks() || event.kind == Kind::DRIFT ||
            event.kind == Kind::CHECKPOINT) // others are noted by the learner
        {
            m_monitor->GetWatch().Add({event.time,
                                       event.learner,
                                       std::nullopt,
                                       (link ? "link-" : "") + event.name,
                                       event.details});
        }
    }
}

void
Run::AddFaults()
{
    if (m_spec.faults.empty())
    {
        return;
    }
    const FaultFilter::Counters counters = m_faults.GetCounters();
    m_results.totals["fault_cut_packets"] = counters.cut;
    m_results.totals["fault_lost_packets"] = counters.lost;
    m_results.totals["fault_corrupted_packets"] = counters.corrupted;
    m_results.totals["fault_duplicated_packets"] = counters.duplicated;
    m_results.totals["fault_reordered_packets"] = counters.reordered;
    const auto events = m_faults.GetEvents();
    Time end;
    for (const ResultRow& row : m_results.rows)
    {
        end = Max(end, row.record.closed);
    }
    const auto late = std::find_if(events.begin(), events.end(), [end](const FaultEvent& event) {
        return event.time > end;
    });
    if (late != events.end() && m_results.status == "complete")
    {
        m_results.warnings.push_back("the run ended at " + NameTime(Simulator::Now()) +
                                     ", before " + std::to_string(events.end() - late) + " of " +
                                     std::to_string(events.size()) + " faults of " + m_spec.faults +
                                     "; the first of these is " + late->name + " at " +
                                     NameTime(late->time));
        Tell(m_results.warnings.size() - 1);
    }
}

void
Run::SetWarningListener(RunWarnings::Listener listener)
{
    m_listener = listener;
    m_monitor->GetWatch().GetWarnings().SetListener(std::move(listener));
}

void
Run::Announce(std::ostream& table)
{
    const RunForecast forecast(m_applications, *m_network);
    table << m_spec.program << ": ";
    m_learners->Describe(table);
    table << ", seed " << RngSeedManager::GetSeed() << " run " << RngSeedManager::GetRun() << "\n";
    const Ptr<const Task> task = GetTask();
    const std::string name = task ? task->GetInstanceTypeId().GetName() : m_spec.data;
    table << name.substr(name.rfind(':') + 1) << ", ";
    forecast.Describe(table);
    table << "\n\n"
          << "  time (s)  round  learners        loss  accuracy       error     epsilon  "
             "delivered\n";
    for (const std::string& warning : forecast.FindWarnings())
    {
        m_monitor->GetWatch().GetWarnings().Add(warning);
    }
}

void
Run::SetFinishHook(Hook hook)
{
    m_finish = std::move(hook);
}

RunResults
Run::Execute(std::ostream& table)
{
    Require(!m_destroyed, "a run can be executed only once");
    m_watch.CheckBuilt();
    BeginCheckpoints();
    Announce(table);
    m_monitor->SetSummaryCallback([&](const RoundSummary& summary) {
        m_summaries.push_back(summary);
        PrintRow(table, summary);
    });
    const bool ownTranscript = !m_transcript;
    const auto transcript = ownTranscript ? BeginTranscript() : nullptr;
    ComputePool::Get().SetThreads(m_spec.threads);
    std::exception_ptr failure;
    try
    {
        Simulate();
        Collect(false);
        RequireEffect();
        if (m_results.status == "complete")
        {
            m_checkpoints->Complete();
        }
        if (m_finish)
        {
            m_finish(*this);
        }
    }
    catch (const std::exception& error)
    {
        failure = std::current_exception();
        Abandon(error.what());
    }
    Simulator::Destroy();
    m_destroyed = true;
    g_alive = false;
    m_transcript.reset();
    if (transcript)
    {
        transcript->Commit();
    }
    if (failure)
    {
        std::rethrow_exception(failure);
    }
    return m_results;
}

void
Run::Abandon(const std::string& reason)
{
    if (m_checkpoints && m_checkpoints->HasBegun()) // else there is nothing to collect
    {
        m_results.status = "failed";
        m_results.reason = reason;
        Collect(true);
    }
}

void
Run::VisitState(StateArchive& archive)
{
    archive(m_summaries);
    archive(*m_learners, *m_network, m_faults, *m_monitor);
}

void
Run::BeginCheckpoints()
{
    m_checkpoints = std::make_unique<RunCheckpoints>(m_spec, m_applications, [this](auto& archive) {
        VisitState(archive);
    });
    m_checkpoints->Begin([this] {
        const std::string forgotten = FindForgotten(m_spec, m_faults.GetEvents());
        if (!forgotten.empty())
        {
            m_monitor->GetWatch().GetWarnings().Add(
                "the run goes on from a checkpoint at " + NameTime(Simulator::Now()) +
                ", which does not hold " + forgotten +
                ": the results may differ from those of a run without interruption");
        }
    });
}

const RunResults&
Run::GetResults() const
{
    return m_results;
}

void
Run::Simulate()
{
    const auto start = std::chrono::steady_clock::now();
    const auto measure = [&] {
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
        m_results.wallSeconds = wall.count();
    };
    try
    {
        Interruption::Simulate();
    }
    catch (...)
    {
        measure();
        throw;
    }
    measure();
    if (Interruption::GetSignal() != 0)
    {
        m_results.status = "interrupted";
        m_results.reason = Interruption::GetSignalName();
    }
}

void
Run::Collect(bool failed)
{
    RunResults& results = m_results;
    results.program = m_spec.program;
    results.command = m_spec.invocation.command;
    results.globals = m_spec.invocation.globals;
    results.parameters = GetParameters(m_spec);
    results.given = m_spec.invocation.options;
    m_watch.Compare();
    results.attributes = m_watch.GetUsed();
    results.seed = RngSeedManager::GetSeed();
    results.run = RngSeedManager::GetRun();
    results.graph = m_learners->GetGraph();
    results.positions = m_network->GetPositions();
    results.roles.clear();
    for (const auto& learner : m_applications)
    {
        results.roles.push_back(learner->GetRole());
    }
    results.simulatedSeconds = Simulator::Now().GetSeconds();
    results.events = m_checkpoints->CountEvents();
    try
    {
        if (results.rows.empty()) // not yet
        {
            results.links = m_links->GetRecords();
            if (m_target)
            {
                m_target->Finish();
            }
            m_monitor->Finish(results);
            AddCrossTraffic();
            AddFaults();
        }
        AddReason(failed);
        const size_t told = results.warnings.size();
        m_learners->Complete(results);
        Tell(told);
    }
    catch (const std::exception&)
    {
        // After a failure there may be nothing better than what is collected already.
        if (!failed)
        {
            throw;
        }
    }
}

void
Run::AddReason(bool failed)
{
    if (!m_results.reason.empty())
    {
        m_results.warnings.push_back(
            "the run " + std::string(failed ? "failed" : "was interrupted") + " after " +
            FormatSeconds(Simulator::Now()) +
            " s of simulated time, and these results are of what it did until then: " +
            m_results.reason);
        Tell(m_results.warnings.size() - 1);
        m_results.timeline.push_back(
            {Simulator::Now(), std::nullopt, std::nullopt, m_results.status, m_results.reason});
    }
}

void
Run::Tell(size_t first) const
{
    for (size_t k = first; m_listener && k < m_results.warnings.size(); ++k)
    {
        m_listener(m_results.warnings[k]);
    }
}

void
Run::RequireEffect() const
{
    if (m_results.status == "complete")
    {
        m_watch.RequireEffect();
    }
}

std::shared_ptr<OutputFile>
Run::BeginTranscript()
{
    if (!m_spec.transcript)
    {
        return nullptr;
    }
    MakeResultsDirectory(m_spec.out);
    const auto file = std::make_shared<OutputFile>(m_spec.out + "/transcript.csv");
    m_transcript = std::make_unique<Transcript>(m_applications, WriteTranscriptCsv(file));
    return file;
}

const RunSpec&
Run::GetSpec() const
{
    return m_spec;
}

const Graph&
Run::GetGraph() const
{
    return m_learners->GetGraph();
}

Network&
Run::GetNetwork()
{
    return *m_network;
}

Ptr<const Task>
Run::GetTask() const
{
    return m_learners->GetTask();
}

const std::vector<Ptr<PeerApplication>>&
Run::GetPeers() const
{
    return Get<PeerLearners>().GetPeers();
}

const Federation&
Run::GetFederation() const
{
    return Get<FederatedLearners>().GetFederation();
}

const std::vector<RoundSummary>&
Run::GetSummaries() const
{
    return m_summaries;
}

} // namespace ns3::dlearn
