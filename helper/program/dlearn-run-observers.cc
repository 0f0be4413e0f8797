/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-observers.h"

#include "dlearn-federated-learners.h"
#include "dlearn-run-network.h"
#include "dlearn-run-options.h"
#include "dlearn-run-table.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-round-phases.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <set>

namespace ns3::dlearn
{

namespace
{

void
FillRows(const std::vector<Ptr<EnergyMeter>>& meters, std::vector<ResultRow>& rows)
{
    std::vector<double> before(meters.size());
    MatchReadings(meters, rows, [&before](ResultRow& row, const EnergyMeter::Reading& reading) {
        double& spent = before[row.record.node];
        row.energy = reading.spent - spent;
        row.battery = reading.charge;
        spent = reading.spent;
    });
}

} // namespace

std::vector<DeviceProfile>
RunEnergy::MakeDevices(const RunSpec& spec, const RunLearners& learners)
{
    auto devices = learners.GetDevices();
    const size_t size = learners.GetGraph().GetSize();
    devices.resize(size);
    const bool columns = std::any_of(devices.begin(), devices.end(), [](const auto& device) {
        return device.battery || device.joulesPerOperation;
    });
    Require(!columns || spec.MeasuresEnergy(),
            "devices: columns battery and joules-per-operation need option energy");
    if (spec.battery.empty())
    {
        return devices;
    }
    Require(std::none_of(devices.begin(),
                         devices.end(),
                         [](const auto& device) { return device.battery.has_value(); }),
            "battery and a column battery of devices exclude each other");
    DeviceDistributions distributions;
    distributions.battery = spec.battery;
    const bool server = spec.kind == RunKind::FEDERATION;
    const auto drawn = DeviceProfiles::Draw(distributions,
                                            server ? size - 1 : size,
                                            RunStreams::DEVICES,
                                            GetDeviceOwners(spec.kind));
    for (LearnerId id = 0; id < (spec.HasEdges() ? spec.learners + 1 : size); ++id)
    {
        devices[id].battery = drawn[id].battery;
    }
    return devices;
}

RunEnergy::RunEnergy(const RunSpec& spec, const RunLearners& learners, Time begin)
{
    const auto devices = MakeDevices(spec, learners);
    if (!spec.MeasuresEnergy())
    {
        return;
    }
    std::map<uint32_t, LearnerId> nodes;
    for (const auto& learner : learners.GetApplications())
    {
        const LearnerId id = learner->GetLearnerId();
        const auto [other, isNew] = nodes.emplace(learner->GetNode()->GetId(), id);
        Require(isNew || learner->GetRole() == "edge-server",
                "energy needs a node for each learner, as it is that of nodes; learners ",
                other->second,
                " and ",
                id,
                " share one");
        const auto meter = CreateObject<EnergyMeter>();
        learners.GetOptions().Apply(*meter);
        if (!spec.uplinkPower.empty() && spec.radioEfficiency.empty())
        {
            meter->SetAttribute("RadioEfficiency", DoubleValue(0.1)); // as in ns-3
        }
        if (devices[id].joulesPerOperation)
        {
            meter->SetAttribute("JoulesPerOperation", DoubleValue(*devices[id].joulesPerOperation));
        }
        Ptr<Battery> battery;
        if (devices[id].battery)
        {
            battery = CreateObject<Battery>();
            const auto& options = learners.GetOptions();
            options.Apply(*battery);
            options.Give(*battery, "Capacity", DoubleValue(*devices[id].battery), spec.battery);
        }
        meter->Install(learner, battery, begin);
        if (const auto client = DynamicCast<FederatedClient>(learner))
        {
            client->AddReport("battery",
                              [meter = PeekPointer(meter)] { return meter->GetCharge(); });
        }
        m_meters.push_back(meter);
    }
    const auto& meters = m_meters;
    if (std::none_of(meters.begin(), meters.end(), [](const auto& m) { return m->CountsBits(); }))
    {
        spec.taken.erase(&spec.txJoulesPerBit); // ns-3 has the energy of all devices
        spec.taken.erase(&spec.rxJoulesPerBit);
    }
    if (spec.invocation.strict) // otherwise known from the first run
    {
        RequireKnown();
    }
}

void
RunEnergy::RequireKnown() const
{
    const bool known = std::any_of(m_meters.begin(), m_meters.end(), [](const auto& meter) {
        return meter->IsKnown();
    });
    Require(known, "option energy has no effect: it needs ", m_meters.front()->GetUnknown());
}

void
RunEnergy::TellMonitor(Monitor& monitor)
{
    for (const auto& meter : m_meters)
    {
        meter->SetRestartListener(
            [&monitor](Time time, LearnerId learner) { monitor.ExpectRestart(time, learner); });
    }
    if (!m_meters.empty())
    {
        monitor.SetMeter([this] { return GetSpent(); });
    }
    monitor.AddEndListener([this](bool over) {
        m_atEnd.clear();
        for (const auto& meter : m_meters)
        {
            meter->NoteEnd(over);
            if (over)
            {
                const double charge = meter->GetCharge(); // updates the spent energy
                m_atEnd.push_back({0, meter->GetSpent(), charge});
            }
        }
    });
}

double
RunEnergy::GetSpent() const
{
    double total = Evaluation::NONE;
    for (const auto& meter : m_meters)
    {
        total = AddJoules(total, meter->GetSpent());
    }
    return total;
}

void
RunEnergy::Complete(RunResults& results) const
{
    std::map<std::string, std::set<LearnerId>> unknown;
    std::set<LearnerId> down;
    for (LearnerId id = 0; id < m_meters.size(); ++id)
    {
        EnergyMeter& meter = *m_meters[id];
        if (meter.IsKnown())
        {
            // Byzantine learners may continue after the end of learning: their rows also count.
            const auto& readings = meter.GetReadings();
            const double ofRows = readings.empty() ? 0 : readings.back().spent;
            results.energy[id] =
                m_atEnd.empty() ? meter.GetSpent() : std::max(m_atEnd[id].spent, ofRows);
        }
        else
        {
            unknown[meter.GetUnknown()].insert(id);
        }
        if (meter.HasGivenUp())
        {
            down.insert(id);
        }
        // The energy source of a node may not be up to date by then.
        const bool known = meter.HasBattery() && !m_atEnd.empty();
        const double charge = known ? m_atEnd[id].charge : meter.GetCharge();
        if (!std::isnan(charge))
        {
            results.battery[id] = charge;
        }
    }
    for (const auto& [what, learners] : unknown)
    {
        results.warnings.push_back("energy is not known of " + NameLearners(learners) +
                                   ": it needs " + what);
    }
    if (!down.empty())
    {
        results.warnings.push_back("restarts have ended of " + NameLearners(down) +
                                   ": batteries or what they harvest do not last for a round, none "
                                   "of which was closed in 100 restarts");
    }
    FillRows(m_meters, results.rows);
}

namespace
{

/** Converts simulated times to times in results. */
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

ModelKeeper::ModelKeeper(const std::string& choice, uint32_t evaluateEvery)
    : m_choice(choice)
{
    static const std::string EVERY = "every:";
    if (choice.rfind(EVERY, 0) == 0)
    {
        m_every = ParseWholeNumber(choice.substr(EVERY.size())).value_or(0);
        Require(m_every > 0 && m_every % evaluateEvery == 0,
                "keep-model every:N needs a multiple of evaluate-every, {}, got '{}'",
                evaluateEvery,
                choice);
        return;
    }
    Require(choice == "final" || choice == "best" || choice == "none",
            "keep-model must be final, best, every:N or none, got '{}'",
            choice);
}

void
ModelKeeper::Note(const RoundSummary& summary, const std::map<LearnerId, ModelVector>& models)
{
    if (m_choice == "none" || models.empty())
    {
        return;
    }
    const Evaluation& mean = summary.mean;
    const double score = !std::isnan(mean.accuracy) ? mean.accuracy
                         : !std::isnan(mean.error)  ? -mean.error
                                                    : -mean.loss;
    if (m_choice == "best" && m_model.size() > 0 && !(score > m_best))
    {
        return;
    }
    m_best = score;
    m_model = ModelVector::Zero(models.begin()->second.size());
    for (const auto& [learner, model] : models)
    {
        m_model += model / static_cast<double>(models.size());
    }
    m_round = summary.round;
    if (m_every > 0 && m_round % m_every == 0)
    {
        m_models.push_back(m_model);
    }
}

void
ModelKeeper::Complete(RunResults& results) const
{
    results.model = m_model;
    results.models = m_models;
    if (m_every > 0 && m_round % m_every != 0)
    {
        results.models.push_back(m_model);
    }
}

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
      m_wifi(m_monitor.GetWatch().GetWarnings()),
      m_models(spec.keepModel, spec.evaluateEvery)
{
    m_monitor.GetWatch().GetWarnings().SetOrigin(m_origin);
    m_monitor.GetEvaluations().SetModelsCallback(
        [this](const RoundSummary& summary, const auto& models) {
            m_models.Note(summary, models);
        });
    m_monitor.GetEvaluations().SetOrigin(m_origin);
    m_monitor.AddEndListener([this](bool over) { m_links.NoteEnd(over); });
    if (m_origin.IsStrictlyPositive()) // association is not a part of learning
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
    m_monitor.GetEvaluations().SetSummaryCallback(
        [&table](const RoundSummary& summary) { PrintRound(table, summary); });
}

void
RunObservers::BeginAnimation()
{
    if (!m_spec.netanim.empty())
    {
        const auto folder = std::filesystem::path(m_spec.netanim).parent_path();
        std::error_code ignored; // errors are reported below
        if (std::filesystem::weakly_canonical(folder, ignored) ==
            std::filesystem::weakly_canonical(m_spec.out, ignored))
        {
            MakeResultsDirectory(m_spec.out); // if it does not exist
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
    results.withoutEffect = m_learners.GetOptions().FindUnused();
    std::exception_ptr failure; // the results so far still need their times
    try
    {
        m_monitor.Finish(results);
    }
    catch (...)
    {
        failure = std::current_exception();
    }
    CountFrom(m_origin, results);
    m_models.Complete(results);
    for (const auto& learner : m_applications)
    {
        if (m_spec.keepPersonal && learner->GetRole() != "server")
        {
            const auto client = DynamicCast<ClientRule>(learner->GetLearnerRule());
            const ModelVector* personal = client ? client->FindPersonalModel() : nullptr;
            results.personal.push_back(personal ? *personal
                                                : learner->GetLearnerRule()->GetModel());
        }
    }
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
