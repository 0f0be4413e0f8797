/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run.h"

#include "dlearn-directed-learners.h"
#include "dlearn-federated-learners.h"
#include "dlearn-peer-learners.h"
#include "dlearn-process-guards.h"
#include "dlearn-run-network.h"
#include "dlearn-run-observers.h"
#include "dlearn-run-options.h"
#include "dlearn-run-ranks.h"
#include "dlearn-run-table.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-battery.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-compute-pool.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <exception>

namespace ns3::dlearn
{

namespace
{

bool g_alive = false; //!< whether the simulator has events of a run

/** Mark that a run exists, until Simulator::Destroy(). */
std::shared_ptr<const bool>
BeginLife()
{
    const auto over = std::make_shared<bool>(false);
    Simulator::ScheduleDestroy([over] {
        *over = true;
        g_alive = false;
    });
    g_alive = true;
    return over;
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

Run::Run(const RunSpec& spec, Ptr<Network> network)
    : Run(spec, [&network](uint32_t) { return std::move(network); })
{
}

Run::Run(const RunSpec& spec, const NetworkMaker& make)
    : m_spec(ResolveAlgorithm(spec)),
      m_disturbances(std::make_unique<RunDisturbances>(m_spec))
{
    m_spec.Validate();
    m_results.attributes = GetChangedAttributes();
    for (const auto& [name, value] : m_spec.invocation.attributes)
    {
        m_results.attributes[name] = value; // as given, even if equal to the default
    }
    if (Ranks::AreEnabled())
    {
        RefuseOnRanks(m_spec);
    }
    Require(!g_alive,
            "Run: another run is there already; execute or destroy it before, as all of them "
            "share the simulator of ns-3");
    try
    {
        m_learners = MakeLearners(m_spec);
        m_network = MakeRunNetwork(m_spec, GetGraph().GetSize(), make);
        m_lookAhead = BuildRunNetwork(m_spec, *m_learners, *m_network);
        m_learners->Install(*m_network);
        m_disturbances->InstallCrossTraffic(*m_network);
        InstallBatteries(m_learners->GetApplications());
        m_energy = std::make_unique<RunEnergy>(m_spec, *m_learners, GetOrigin(m_spec, *m_network));
        Watch();
        m_unused = m_learners->GetOptions().RequireUsed();
        m_over = BeginLife();
    }
    catch (...)
    {
        Simulator::Destroy(); // events of a failed run must not affect the next one
        throw;
    }
}

Run::~Run()
{
    if (!*m_over)
    {
        Simulator::Destroy();
    }
}

void
Run::Watch()
{
    m_applications = m_learners->GetApplications();
    m_disturbances->InstallChurn(*m_network, m_applications);
    m_observers = std::make_unique<RunObservers>(m_spec, *m_learners, *m_network);
    Monitor& monitor = m_observers->GetMonitor();
    m_energy->TellMonitor(monitor);
    m_disturbances->TellMonitor(monitor);
    m_disturbances->InstallFaults(GetGraph(), *m_network, m_applications, monitor);
}

RunWarnings&
Run::GetWarnings()
{
    return m_observers->GetMonitor().GetWatch().GetWarnings();
}

void
Run::SetWarningListener(RunWarnings::Listener listener)
{
    m_listener = listener;
    GetWarnings().SetListener(std::move(listener));
}

void
Run::Announce(std::ostream& table)
{
    const RunForecast forecast(m_applications, *m_network);
    table << m_spec.program << ": ";
    m_learners->Describe(table);
    const std::string links = m_network->Describe();
    table << (links.empty() ? "" : ", " + links) << ", seed " << RngSeedManager::GetSeed()
          << " run " << RngSeedManager::GetRun() << "\n";
    const Ptr<const Task> task = GetTask();
    const std::string name = task ? task->GetInstanceTypeId().GetName() : m_spec.data;
    table << name.substr(name.rfind(':') + 1) << ", ";
    forecast.Describe(table);
    table << "\n\n";
    PrintRoundTitles(table);
    auto warnings = forecast.FindWarnings();
    m_learners->AddOutliers(warnings);
    warnings.insert(warnings.end(), m_unused.begin(), m_unused.end());
    warnings.resize(Ranks::GetOwn() == 0 ? warnings.size() : 0); // the other ranks find the same
    for (const std::string& warning : warnings)
    {
        GetWarnings().Add(warning);
    }
}

RunResults
Run::Execute(std::ostream& table)
{
    Require(!m_executed, "a run can be executed only once");
    Require(!*m_over, "Run: the run has ended with Simulator::Destroy(); build another one");
    m_observers->BeginAnimation();
    m_executed = true;
    Announce(table);
    m_observers->BeginTable(table);
    const auto transcript = m_observers->HasTranscript() ? nullptr : BeginTranscript();
    // One thread waits for each process of a learner, beside the one that simulates.
    ComputePool::Get().SetThreads(m_spec.learner.empty()
                                      ? m_spec.threads
                                      : std::max(m_spec.threads, 1 + m_spec.learnerProcesses));
    std::exception_ptr failure;
    try
    {
        Simulate();
        if (!m_exchange || m_exchange->Gather(*m_observers, *m_disturbances))
        {
            Conclude();
        }
    }
    catch (const std::exception& error)
    {
        failure = std::current_exception();
        Abandon(error.what());
    }
    m_observers->CommitAnimation();
    Simulator::Destroy();
    m_observers->EndTranscript();
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
Run::Conclude()
{
    Collect(false);
    if (m_finish)
    {
        m_finish(*this);
    }
}

void
Run::Abandon(const std::string& reason)
{
    m_results.status = "failed";
    m_results.reason = reason;
    Collect(true);
}

void
Run::Simulate()
{
    const auto start = std::chrono::steady_clock::now();
    const auto measure = [&] {
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
        m_results.wallSeconds = wall.count();
    };
    if (Ranks::AreEnabled())
    {
        m_exchange =
            std::make_unique<RankExchange>(*m_learners, m_observers->GetMonitor(), m_lookAhead);
        m_exchange->Begin();
    }
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
    results.graph = m_learners->GetGraph();
    results.positions = m_network->GetPositions();
    results.sites = m_network->GetSiteMap();
    results.roles.clear();
    for (const auto& learner : m_applications)
    {
        results.roles.push_back(learner->GetRole());
    }
    results.events = Simulator::GetEventCount() + (m_exchange ? m_exchange->CountOthers() : 0);
    try
    {
        if (results.rows.empty()) // not yet
        {
            m_observers->Finish(results);
            const size_t told = results.warnings.size();
            m_disturbances->Complete(results);
            m_energy->Complete(results);
            Tell(told);
        }
        AddReason(failed);
        const size_t told = results.warnings.size();
        m_learners->Complete(results);
        Tell(told);
    }
    catch (const std::exception&)
    {
        // After a failure, keep the results collected so far.
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
        const Time now = m_observers->GetNow();
        m_results.warnings.push_back(
            "the run " + std::string(failed ? "failed" : "was interrupted") + " after " +
            FormatSeconds(now) +
            " s of simulated time, and these results are of what it did until then: " +
            m_results.reason);
        Tell(m_results.warnings.size() - 1);
        m_results.timeline.push_back(
            {now, std::nullopt, std::nullopt, m_results.status, m_results.reason});
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

std::shared_ptr<OutputFile>
Run::BeginTranscript()
{
    return m_observers->BeginTranscript();
}

const Graph&
Run::GetGraph() const
{
    return m_learners->GetGraph();
}

Ptr<const Task>
Run::GetTask() const
{
    return m_learners->GetTask();
}

const std::vector<Ptr<PeerApplication>>&
Run::GetPeers() const
{
    Require(m_spec.kind != RunKind::FEDERATION,
            "Run: a federation has no peers; GetFederation() has its server and its clients");
    return Get<PeerLearners>().GetPeers();
}

const Federation&
Run::GetFederation() const
{
    Require(m_spec.kind == RunKind::FEDERATION,
            "Run: peers have neither a server nor clients; GetPeers() has them");
    return Get<FederatedLearners>().GetFederation();
}

const std::vector<RoundSummary>&
Run::GetSummaries() const
{
    return m_observers->GetMonitor().GetEvaluations().GetSummaries();
}

} // namespace ns3::dlearn
