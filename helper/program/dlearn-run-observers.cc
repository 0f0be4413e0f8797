/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-observers.h"

#include "dlearn-federated-learners.h"
#include "dlearn-run-network.h"
#include "dlearn-run-options.h"
#include "dlearn-run-table.h"

#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/simulator.h"

#include <exception>
#include <filesystem>

namespace ns3::dlearn
{

namespace
{

/**
 * The one place where simulated times become times of results.
 *
 * @param origin simulated time from which they count
 * @param results of the monitor, and places
 */
void
CountFrom(Time origin, RunResults& results)
{
    for (ResultRow& row : results.rows)
    {
        row.record.closed -= origin;
    }
    for (RunEvent& event : results.timeline)
    {
        event.time -= origin;
    }
    for (PositionRecord& record : results.motion)
    {
        record.time -= origin;
    }
    results.simulatedSeconds -= origin.GetSeconds();
}

} // namespace

RunObservers::RunObservers(const RunSpec& spec, const RunLearners& learners, const Network& network)
    : m_spec(spec),
      m_origin(GetOrigin(spec, network)),
      m_learners(learners),
      m_network(network),
      m_applications(learners.GetApplications()),
      m_phases(m_applications),
      m_links(
          network.GetNodes(),
          [this](const Node& node) { return m_phases.WatchDevice(node); },
          [this](const RunEvent& event) { m_monitor.GetWatch().Add(event); }),
      m_positions(network.GetNodes()),
      m_monitor(m_applications, learners.CreateEvaluator(), spec.evaluateEvery),
      m_wifi(m_monitor.GetWatch().GetWarnings())
{
    m_monitor.GetWatch().GetWarnings().SetOrigin(m_origin);
    m_monitor.GetEvaluations().SetOrigin(m_origin);
    m_monitor.AddEndListener([this](bool over) { m_links.NoteEnd(over); });
    if (m_origin.IsStrictlyPositive()) // what devices do to join others is not of learning
    {
        Simulator::Schedule(m_origin, &LinkStatistics::NoteBegin, &m_links);
    }
    const auto federation = dynamic_cast<const FederatedLearners*>(&learners);
    if (federation && spec.threatModel != "none")
    {
        m_monitor.GetWatch().WatchTarget(federation->GetPrivacy().GetTargetEpsilon());
    }
}

RunObservers::~RunObservers() = default;

Time
RunObservers::GetNow() const
{
    return Simulator::Now() - m_origin;
}

void
RunObservers::BeginTable(std::ostream& table)
{
    m_monitor.SetSummaryCallback(
        [&table](const RoundSummary& summary) { PrintRound(table, summary); });
}

void
RunObservers::BeginAnimation()
{
    if (!m_spec.netanim.empty())
    {
        const auto folder = std::filesystem::path(m_spec.netanim).parent_path();
        std::error_code ignored; // what cannot be written is refused below
        if (std::filesystem::weakly_canonical(folder, ignored) ==
            std::filesystem::weakly_canonical(m_spec.out, ignored))
        {
            MakeResultsDirectory(m_spec.out); // it may be new
        }
        const bool placed = !m_network.GetPositions().empty();
        m_animation = std::make_unique<NetworkAnimation>(m_spec.netanim,
                                                         m_applications,
                                                         placed ? m_network.GetPositions()
                                                                : m_learners.GetGraph().positions);
    }
}

void
RunObservers::CommitAnimation()
{
    if (m_animation)
    {
        m_animation->Commit();
    }
}

std::shared_ptr<OutputFile>
RunObservers::BeginTranscript()
{
    if (!m_spec.transcript)
    {
        return nullptr;
    }
    std::shared_ptr<OutputFile> file;
    if (Ranks::GetOwn() == 0)
    {
        MakeResultsDirectory(m_spec.out);
        file = std::make_shared<OutputFile>(m_spec.out + "/transcript.csv");
        m_transcriptFile = WriteTranscriptCsv(file, m_origin);
    }
    const auto keep = [this](const TranscriptEvent& event) { m_events.push_back(event); };
    const auto& sink = Ranks::AreEnabled() ? keep : m_transcriptFile;
    m_transcript = std::make_unique<Transcript>(m_applications, sink, m_learners.GetOrigins());
    return file;
}

void
RunObservers::EndTranscript()
{
    m_transcript.reset();
    if (m_transcriptFile)
    {
        ReplayTranscript(std::move(m_events), m_transcriptFile);
    }
    m_transcriptFile = nullptr;
}

void
RunObservers::Finish(RunResults& results)
{
    results.links = m_links.GetRecords();
    for (size_t k = 0; k < m_otherLinks.size(); ++k)
    {
        results.links[k].Add(m_otherLinks[k]);
    }
    results.readySeconds = m_network.GetReadyTime().GetSeconds();
    results.motion = m_positions.GetRecords();
    results.withoutEffect = FindIdleOptions(m_spec);
    std::exception_ptr failure; // what there is has its times nevertheless
    try
    {
        m_monitor.Finish(results);
    }
    catch (...)
    {
        failure = std::current_exception();
    }
    CountFrom(m_origin, results);
    if (failure)
    {
        std::rethrow_exception(failure);
    }
    m_phases.Complete(results.rows);
}

void
RunObservers::VisitRank(StateArchive& archive)
{
    RankReport report;
    std::vector<TranscriptEvent> events;
    std::vector<LinkRecord> links;
    if (!archive.IsLoading())
    {
        report = m_monitor.Report();
        for (LearnerOutcome& outcome : report.outcomes)
        {
            m_phases.Complete(outcome.rows);
        }
        events = m_events;
        links = m_links.GetRecords();
        archive(report, events, links);
        return;
    }
    archive(report, events, links);
    m_monitor.Take(std::move(report));
    m_events.insert(m_events.end(), events.begin(), events.end());
    m_otherLinks.resize(links.size());
    for (size_t k = 0; k < links.size(); ++k)
    {
        m_otherLinks[k].Add(links[k]);
    }
}

} // namespace ns3::dlearn
