/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run.h"

#include "dlearn-directed-learners.h"
#include "dlearn-federated-learners.h"
#include "dlearn-peer-learners.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-churn-schedule.h"
#include "ns3/dlearn-compute-pool.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iomanip>

namespace ns3::dlearn
{

namespace
{

bool g_alive = false; //!< whether there is a run whose events are in the simulator

/**
 * @param table gets a number in a column of its own, or a dash for one that does not exist
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
    PrintCell(table, summary.time.GetSeconds(), 10, 3);
    table << std::setw(7) << summary.round << std::setw(10) << summary.learners;
    PrintCell(table, summary.mean.loss, 12);
    PrintCell(table, summary.mean.accuracy, 10, 4);
    PrintCell(table, summary.mean.error, 12);
    PrintCell(table, summary.epsilon, 12);
    PrintCell(table, 100 * summary.delivered, 10, 1);
    table << "%" << std::endl;
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
    : m_spec(spec)
{
    m_spec.Validate();
    RefuseOverwrittenAttributes(m_spec);
    Require(!g_alive,
            "Run: another run is there already; execute or destroy it before, as all of them "
            "share the simulator of ns-3");
    try
    {
        m_learners = MakeLearners(m_spec);
        BuildNetwork();
        m_learners->Install(*m_network);
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
Run::BuildNetwork()
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
    m_network = CreateNetwork(m_spec.network);
    Require(m_spec.transport != "broadcast" || m_network->HasBroadcast(),
            "transport broadcast needs a shared medium (csma, wifi-adhoc or wifi-infra), network "
            "is ",
            m_spec.network);
    m_network->Build(m_learners->GetGraph(), network);
    m_network->AssignStreams(RunStreams::NETWORK);
}

void
Run::Watch()
{
    m_applications = m_learners->GetApplications();
    const auto churn = ChurnSchedule::Parse(m_spec.churn);
    churn.Install(m_applications);
    m_monitor = std::make_unique<Monitor>(m_applications,
                                          m_learners->CreateEvaluator(),
                                          m_spec.evaluateEvery);
    m_monitor->KeepAliveUntil(churn.GetEnd());
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
    table << m_spec.program << ": ";
    m_learners->Describe(table);
    table << ", seed " << RngSeedManager::GetSeed() << " run " << RngSeedManager::GetRun() << "\n\n"
          << "  time (s)  round  learners        loss  accuracy       error     epsilon  "
             "delivered\n";
    m_monitor->SetSummaryCallback([&](const RoundSummary& summary) {
        m_summaries.push_back(summary);
        PrintRow(table, summary);
    });
    WriteTranscript();
    ComputePool::Get().SetThreads(m_spec.threads);
    const auto start = std::chrono::steady_clock::now();
    Simulator::Run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const RunResults results = Collect(wall.count());
    if (m_finish)
    {
        m_finish(*this);
    }
    Simulator::Destroy();
    m_destroyed = true;
    g_alive = false;
    m_transcript.reset(); // which closes its file
    if (!m_spec.transcript)
    {
        // That of an earlier run would not fit these results.
        std::remove((m_spec.out + "/transcript.csv").c_str());
    }
    return results;
}

RunResults
Run::Collect(double wallSeconds)
{
    RunResults results;
    results.program = m_spec.program;
    results.parameters = GetParameters(m_spec);
    results.attributes = GetChangedAttributes();
    results.seed = RngSeedManager::GetSeed();
    results.run = RngSeedManager::GetRun();
    results.graph = m_learners->GetGraph();
    results.positions = m_network->GetPositions();
    for (const auto& learner : m_applications)
    {
        results.roles.push_back(learner->GetRole());
    }
    results.simulatedSeconds = Simulator::Now().GetSeconds();
    results.wallSeconds = wallSeconds;
    results.events = Simulator::GetEventCount();
    m_monitor->Finish(results);
    m_learners->Complete(results);
    return results;
}

void
Run::WriteTranscript()
{
    if (m_spec.transcript)
    {
        MakeResultsDirectory(m_spec.out);
        m_transcript =
            std::make_unique<Transcript>(m_applications,
                                         WriteTranscriptCsv(m_spec.out + "/transcript.csv"));
    }
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
