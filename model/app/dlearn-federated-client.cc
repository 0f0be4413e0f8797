/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-client.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/// Names of the attribute Reports, and where a record has their figures; null: nowhere.
const std::map<std::string, double RoundRecord::*> REPORTS{{"samples", &RoundRecord::samples},
                                                           {"steps", &RoundRecord::steps},
                                                           {"loss", &RoundRecord::loss},
                                                           {"rms", nullptr},
                                                           {"seconds", &RoundRecord::seconds},
                                                           {"battery", nullptr},
                                                           {"rssi", nullptr}};

/// Those that depend on data.
const std::set<std::string> LOSSES{"loss", "rms"};

/** @return the names of REPORTS, as the attribute has them */
std::string
ListReports()
{
    std::vector<std::string> names;
    for (const auto& [name, column] : REPORTS)
    {
        names.push_back(name);
    }
    return "names with + between them, of " + JoinNames(names);
}

} // namespace

NS_LOG_COMPONENT_DEFINE("DlearnFederatedClient");
NS_OBJECT_ENSURE_REGISTERED(FederatedClient);

TypeId
FederatedClient::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<FederatedClient, TrainingApplication>("ns3::dlearn::FederatedClient")
            .AddAttribute("Rule",
                          "The client's training, a ns3::dlearn::ClientRule.",
                          TypeIdValue(LocalSgd::GetTypeId()),
                          MakePartAccessor(&FederatedClient::m_rule, &FederatedClient::IsSetUp),
                          MakePartChecker<ClientRule>())
            .AddAttribute("Reports",
                          "Figures that ride with each update: " + ListReports() +
                              "; none by default.",
                          StringValue(""),
                          MakeFixedAccessor(MakeStringAccessor(&FederatedClient::m_reports),
                                            &FederatedClient::IsSetUp),
                          MakeStringChecker())
            .AddTraceSource("Update",
                            "The client's rule has made an update, which an honest client sends "
                            "at once.",
                            MakeTraceSourceAccessor(&FederatedClient::m_updateTrace),
                            "ns3::dlearn::FederatedClient::UpdateTracedCallback");
    return tid;
}

void
FederatedClient::DoDispose()
{
    TrainingApplication::DoDispose(); // ends the rule's work on another thread
    if (m_rule)
    {
        m_rule->Dispose();
    }
    m_rule = nullptr;
}

void
FederatedClient::SetContext(LearnerId id,
                            const Transport::Peers& servers,
                            Ptr<LocalData> data,
                            uint32_t clients)
{
    NS_LOG_FUNCTION(this << id << servers.size());
    CheckBasics();
    ClaimPart(m_rule, *this);
    m_rule->SetClients(clients, id);
    m_rule->Setup(data);
    ClaimPart(data, *this);
    Require(m_rule->GetData() != nullptr || !data,
            "{}: GetData() must return the client's data after Setup(), got null",
            m_rule->GetInstanceTypeId().GetName());
    m_rule->TraceConnectWithoutContext("Exposure",
                                       MakeCallback(&UnrecordedExposure::Note, &m_exposure));
    m_sources.emplace("samples", [this] { return m_rule->GetData()->GetSampleCount(); });
    m_sources.emplace("steps", [this] {
        const auto steps = static_cast<double>(m_rule->CountSteps());
        return steps > 0 ? steps : std::numeric_limits<double>::quiet_NaN();
    });
    m_sources.emplace("loss", [this] { return m_loss; });
    m_sources.emplace("rms", [this] { return m_rms; });
    m_sources.emplace("seconds", [this] { return (Simulator::Now() - m_began).GetSeconds(); });
    ReadReports();
    m_hasServers = servers.size() > 1;
    SetUp(id, servers, GetFormat(ModelChannel::UPDATE).length);
    for (const ModelChannel channel : FEDERATION_CHANNELS)
    {
        GetExchange()->SetFormat(channel, GetFormat(channel));
    }
}

void
FederatedClient::ReadReports()
{
    std::set<std::string> known;
    auto figures = m_rule->GetFormat(ModelChannel::UPDATE).figures;
    for (const std::string& name : figures)
    {
        Require(known.insert(name).second,
                "FederatedClient: the figures of an update must have different names, got {} twice",
                name);
    }
    const auto reports = m_reports.empty() ? std::vector<std::string>() : SplitText(m_reports, '+');
    for (const std::string& name : reports)
    {
        Require(IsReport(name) && std::count(reports.begin(), reports.end(), name) == 1,
                "FederatedClient: Reports must be {}, each once; got {}",
                ListReports(),
                m_reports);
    }
    m_needed.insert(m_needed.begin(), reports.begin(), reports.end());
    for (const std::string& name : m_needed)
    {
        if (known.insert(name).second) // else the rule has it
        {
            Require(IsReport(name), "FederatedClient: clients cannot report the figure {}", name);
            m_reported.push_back(name);
        }
    }
    const auto answers = m_rule->GetFormat(ModelChannel::ANSWER).figures;
    figures.insert(figures.end(), answers.begin(), answers.end());
    Require(!m_rule->GetLedger() || m_settings.empty(),
            "FederatedClient: with a privacy account the server's schedule cannot set attributes, "
            "on which the account may rest; it sets {}",
            JoinNames(m_settings));
    if (!m_rule->GetLedger())
    {
        return;
    }
    if (m_rule->ProtectsFigures())
    {
        figures.clear();
    }
    // What the rule sends may depend on data, whatever its name, but for the number of samples.
    figures.erase(std::remove(figures.begin(), figures.end(), "samples"), figures.end());
    std::copy_if(m_reported.begin(),
                 m_reported.end(),
                 std::back_inserter(figures),
                 [](const std::string& name) { return LOSSES.count(name) > 0; });
    Require(figures.empty(),
            "FederatedClient: the privacy account does not cover the figure {}, which may depend "
            "on data and is sent without noise",
            JoinNames(figures));
}

MessageFormat
FederatedClient::GetFormat(ModelChannel channel) const
{
    MessageFormat format = m_rule->GetFormat(channel);
    if (channel == ModelChannel::UPDATE)
    {
        format.figures.insert(format.figures.end(), m_reported.begin(), m_reported.end());
    }
    if (channel == ModelChannel::MODEL)
    {
        format.figures.insert(format.figures.end(), m_settings.begin(), m_settings.end());
    }
    return format;
}

bool
FederatedClient::IsReport(const std::string& name) const
{
    return REPORTS.count(name) + m_sources.count(name) > 0;
}

double
FederatedClient::GetReport(const std::string& name) const
{
    const auto source = m_sources.find(name);
    const double value =
        source != m_sources.end() ? source->second() : std::numeric_limits<double>::quiet_NaN();
    Require(std::isfinite(value) || LOSSES.count(name) > 0,
            "FederatedClient: nothing in this run measures the figure {}",
            name);
    return value;
}

void
FederatedClient::DropRound()
{
    if (GetState() == State::TRAINING || GetState() == State::EXCHANGING)
    {
        ++m_tally.dropped;
    }
    StopPublishing();
    DropWaiting();
    CompleteRecord();
}

void
FederatedClient::DropWaiting()
{
    m_tally.superseded += m_waiting ? 1 : 0;
    m_waiting.reset();
}

bool
FederatedClient::IsListening() const
{
    return GetState() == State::IDLE || GetState() == State::TRAINING ||
           GetState() == State::EXCHANGING;
}

MessageDisposition
FederatedClient::Classify(const MessageSource& source, uint32_t round)
{
    using Disposition = MessageDisposition;
    if (IsListening() && source.second == ModelChannel::REQUEST)
    {
        return !IsOfLastRound(source.first, round) ? Disposition::LATE
               : round < m_round + m_answers       ? Disposition::DUPLICATE
                                                   : Disposition::ON_TIME;
    }
    if (!IsListening() || source.second != ModelChannel::MODEL)
    {
        return Disposition::UNEXPECTED;
    }
    const auto newest = m_newest.find(source.first);
    const auto unusable = m_unusable.find(source.first);
    if ((newest != m_newest.end() && round == newest->second) ||
        (unusable != m_unusable.end() && round == unusable->second))
    {
        return Disposition::DUPLICATE;
    }
    if (newest != m_newest.end() && round < newest->second)
    {
        return Disposition::LATE;
    }
    return GetState() == State::TRAINING ? Disposition::EARLY : Disposition::ON_TIME;
}

void
FederatedClient::Offer(const MessageSource& source, uint32_t round, std::optional<Arrival>& arrival)
{
    NS_LOG_FUNCTION(this << m_self << source.first << round << arrival.has_value());
    using Disposition = MessageDisposition;
    const Disposition disposition = Classify(source, round);
    NoteReceived(source, round, disposition, arrival.has_value());
    if (source.second == ModelChannel::REQUEST && disposition != Disposition::UNEXPECTED)
    {
        const bool usable = disposition == Disposition::ON_TIME && arrival;
        const bool answered = usable && AnswerRequest({arrival->values, arrival->figures});
        ++(answered ? m_tally.requests : m_tally.requestsMissed);
    }
    else if (disposition == Disposition::LATE)
    {
        ++m_tally.late;
    }
    else if (disposition == Disposition::DUPLICATE)
    {
        ++m_tally.duplicate;
    }
    else if (disposition == Disposition::UNEXPECTED)
    {
        ++m_tally.unexpected;
    }
    else if (!arrival)
    {
        ++m_tally.unusable;
        m_unusable[source.first] = round; // a copy is not another model
    }
    else
    {
        m_newest[source.first] = round;
        NotifyReceived(source, round, *arrival); // may end the behaviour's round
        Take({source.first, round, {std::move(arrival->values), std::move(arrival->figures)}});
    }
}

void
FederatedClient::Take(Model model)
{
    DropWaiting(); // an older one
    m_waiting = std::move(model);
    if (!IsListening()) // it stopped since
    {
        DropWaiting();
    }
    if (!m_waiting || IsLeaving()) // a restart may still keep it
    {
        return;
    }
    if (GetState() == State::EXCHANGING) // the behaviour waits too long
    {
        StopPublishing();
        ++m_tally.dropped;
    }
    if (GetState() != State::TRAINING)
    {
        Train();
    }
}

bool
FederatedClient::AnswerRequest(const Message& request)
{
    Message answer = m_rule->Answer(m_answers + 1, request);
    if (answer.values.size() == 0)
    {
        return false;
    }
    NS_LOG_INFO("client " << m_self << " answers the request of round " << m_round);
    GetExchange()->Send(
        m_round + m_answers++,
        {ModelChannel::ANSWER, {m_server}, std::move(answer.values), std::move(answer.figures)});
    return true;
}

void
FederatedClient::TakeSettings(Figures& figures)
{
    for (size_t k = m_settings.size(); k > 0; --k)
    {
        const double value = figures.back();
        figures.pop_back();
        m_rule->TakeSetting(m_settings[k - 1], value);
    }
}

void
FederatedClient::Train()
{
    Model model = *std::exchange(m_waiting, std::nullopt);
    NS_LOG_FUNCTION(this << m_self << model.server << model.round);
    CompleteRecord();
    TakeSettings(model.message.figures);
    BeginRecord(model.round);
    m_server = model.server;
    m_round = model.round;
    m_began = Simulator::Now();
    // Numbers of several servers may repeat.
    m_rule->BeginRound(m_hasServers ? m_trained++ : model.round, model.message);
    if (m_rule->GetData())
    {
        TrainHere();
    }
    else
    {
        StartCompute(0, 0); // elsewhere
    }
    SwitchToState(State::TRAINING);
    m_roundBeginTrace(m_self, m_round);
}

void
FederatedClient::TrainHere()
{
    const auto data = m_rule->GetData();
    std::function<void()> work = [rule = PeekPointer(m_rule)] { rule->Compute(); };
    if (ReportsLoss())
    {
        // No copy of a Ptr on another thread.
        work = [this,
                work,
                task = PeekPointer(data->GetTask()),
                samples = data->GetSamples(),
                start = m_rule->GetModel()] {
            FindLosses(*task, samples, start);
            work();
        };
    }
    std::function<double()> told;
    if (m_rule->FindTrainingTime())
    {
        told = [rule = PeekPointer(m_rule)] { return *rule->FindTrainingTime(); };
    }
    StartCompute(GetWork(), data->GetTask()->GetFlopsPerSample(), work, told);
}

void
FederatedClient::FinishCompute()
{
    Message update = m_rule->Send();
    if (!m_rule->CanContinue())
    {
        NS_LOG_INFO("client " << m_self << " stops: its privacy budget is spent");
        Halt(State::FINISHED);
        NoteEvent(LearnerEvent::Kind::BUDGET_SPENT);
        return;
    }
    m_values.clear();
    for (const std::string& name : m_reported)
    {
        m_values.push_back(GetReport(name));
    }
    update.figures.insert(update.figures.end(), m_values.begin(), m_values.end());
    m_unsettled = true;
    SwitchToState(State::EXCHANGING);
    m_updateTrace(m_self, m_round, update.values);
    if (GetState() != State::EXCHANGING)
    {
        return; // a listener stopped the client
    }
    Publish(
        m_round,
        {{ModelChannel::UPDATE, {m_server}, std::move(update.values), std::move(update.figures)}});
}

void
FederatedClient::OnPublished()
{
    RoundRecord record;
    record.round = m_round;
    record.expected = 1; // the model that this round was trained on
    record.received = 1;
    record.used = 1;
    for (size_t k = 0; k < m_values.size(); ++k)
    {
        const auto report = REPORTS.find(m_reported[k]);
        if (report != REPORTS.end() && report->second)
        {
            record.*report->second = m_values[k];
        }
    }
    FillRecord(record);
    m_records.push_back(record);
    m_recordOpen = true;
    m_exposure.Forget();
    m_answers = 0;
    SwitchToState(IsLeaving() ? State::STOPPED : State::IDLE); // sockets stay open
    m_modelTxTrace(m_self, m_round);
    m_roundEndTrace(record);
    if (IsLeaving() || GetState() == State::STOPPED) // by a listener
    {
        DropWaiting(); // too old after a restart
    }
    else if (m_waiting)
    {
        Train();
    }
}

void
FederatedClient::CompleteRecord()
{
    if (!m_unsettled)
    {
        return;
    }
    m_unsettled = false;
    const bool left = GetExchange()->Settle(m_round);
    for (uint32_t later = 1; later < m_answers; ++later)
    {
        GetExchange()->Settle(m_round + later);
    }
    m_rule->EndRound(left);
    if (!m_recordOpen)
    {
        return; // the round ended before its update was handed over
    }
    m_recordOpen = false;
    RoundRecord& record = m_records.back();
    m_bytes.CountSent(*GetExchange()->GetTransport(), record);
    if (const auto ledger = m_rule->GetLedger())
    {
        // An update that has not left costs nothing; later costs belong to the next record.
        record.epsilon = std::min(record.epsilon, ledger->GetEpsilon());
    }
}

bool
FederatedClient::ReportsLoss() const
{
    return std::any_of(m_reported.begin(), m_reported.end(), [](const std::string& name) {
        return LOSSES.count(name) > 0;
    });
}

void
FederatedClient::FindLosses(const Task& task,
                            const SampleIndices& samples,
                            const ModelVector& model)
{
    m_loss = task.GetLoss(model, EqualWeights(samples));
    if (std::count(m_reported.begin(), m_reported.end(), "rms") > 0)
    {
        double squares = 0;
        for (const uint32_t sample : samples)
        {
            squares += std::pow(task.GetLoss(model, EqualWeights({sample})), 2);
        }
        m_rms = std::sqrt(squares / samples.size());
    }
}

uint64_t
FederatedClient::GetWork() const
{
    return m_rule->GetWork() + (ReportsLoss() ? m_rule->GetData()->GetRoundSize() / 3 : 0);
}

Time
FederatedClient::GetTrainingTime() const
{
    const auto data = m_rule->GetData();
    return data
               ? GetComputeModel()->GetExpectedTime(GetWork(), data->GetTask()->GetFlopsPerSample())
               : Time(0);
}

void
FederatedClient::CheckConservation() const
{
    for (const RoundRecord& record : m_records)
    {
        record.CheckConservation();
    }
}

void
FederatedClient::Finish(std::map<std::string, uint64_t>& totals)
{
    CompleteRecord();
    LearnerApplication::Finish(totals);
    m_exposure.Record(m_self, *m_rule, m_records);
    totals["duplicate"] += m_tally.duplicate;
    totals["unexpected"] += m_tally.unexpected;
    if (m_tally.requests + m_tally.requestsMissed > 0)
    {
        totals["rosters_answered"] += m_tally.requests;
        totals["rosters_missed"] += m_tally.requestsMissed;
    }
    totals["models_late"] += m_tally.late;
    totals["models_superseded"] += m_tally.superseded;
    totals["models_unusable"] += m_tally.unusable;
    totals["models_dropped"] += m_tally.dropped;
}

} // namespace ns3::dlearn
