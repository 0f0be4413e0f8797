/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-external-task.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

using Question = LearnerProcess::Question;

constexpr uint64_t MOST_SAMPLES = 100'000'000; //!< of all learners, of their own data

} // namespace

NS_OBJECT_ENSURE_REGISTERED(ExternalTask);

TypeId
ExternalTask::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ExternalTask, Task>("ns3::dlearn::ExternalTask")
            .AddAttribute("Command",
                          "Command of the shell that starts a process which learns, such as "
                          "python3 client.py.",
                          StringValue(""),
                          MakeStringAccessor(&ExternalTask::m_command),
                          MakeStringChecker())
            .AddAttribute("Processes",
                          "Processes among which the learners are divided; all of them compute at "
                          "the same time.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&ExternalTask::m_count),
                          MakeUintegerChecker<uint32_t>(1, 255))
            .AddAttribute("Timeout",
                          "Longest wait for an answer of a process, in real time.",
                          TimeValue(Minutes(LearnerProcess::PATIENCE.count())),
                          MakeTimeAccessor(&ExternalTask::m_timeout),
                          MakeTimeChecker(MilliSeconds(1)));
    return tid;
}

void
ExternalTask::DoDispose()
{
    m_processes.clear();
    Task::DoDispose();
}

DatasetPtr
ExternalTask::DivideOwnData()
{
    uint32_t total = 0;
    for (const uint64_t count : m_hello.samples)
    {
        SampleIndices shard(count);
        std::iota(shard.begin(), shard.end(), total);
        total += static_cast<uint32_t>(count);
        m_shards.push_back(std::move(shard));
    }
    auto data = std::make_shared<Dataset>();
    data->name = "data of the learner";
    data->features.resize(0, total);
    data->labels = Eigen::VectorXd::Zero(total);
    return data;
}

DatasetPtr
ExternalTask::Start(uint32_t learners, DatasetPtr train, DatasetPtr test)
{
    Require(!m_command.empty(), "ExternalTask: Command must be the command of a shell, got none");
    for (uint32_t k = 1; k <= m_count; ++k)
    {
        m_processes.push_back(std::make_unique<LearnerProcess>(
            m_command,
            k,
            std::chrono::milliseconds(m_timeout.GetMilliSeconds())));
    }
    const auto check = [&](const LearnerHello& hello) {
        Require(hello.initial.size() > 0 && hello.initial.allFinite(),
                "the initial model must have numbers, all of them finite");
        const auto& samples = hello.samples;
        const uint64_t total = std::accumulate(samples.begin(), samples.end(), uint64_t{0});
        const bool inRange = std::all_of(samples.begin(), samples.end(), [](uint64_t count) {
            return count > 0 && count <= MOST_SAMPLES;
        });
        Require(train || (samples.size() == learners && inRange && total <= MOST_SAMPLES),
                "it must say how many samples each of the {} learners has, at least 1 and at most "
                "{} in all, as no option data gives it some; got {} numbers, the least {}",
                learners,
                MOST_SAMPLES,
                samples.size(),
                samples.empty() ? 0 : *std::min_element(samples.begin(), samples.end()));
        const auto size = m_hello.initial.size(); // 0 before the first process
        Require(size == 0 || (hello.initial.size() == size && hello.Tie() == m_hello.Tie()),
                "it must be that of process 1");
        m_hello = hello;
    };
    const LearnerBytes greeting = LearnerProcess::MakeGreeting(learners, train, test);
    for (const auto& process : m_processes)
    {
        process->Greet(greeting, 0, check);
    }
    if ((m_hello.abilities & LearnerHello::TRAINS) != 0)
    {
        m_figures = m_hello.figures;
        m_figures.insert(m_figures.begin(), "samples");
    }
    const DatasetPtr data = train ? train : DivideOwnData();
    SetData(data, test);
    return data;
}

void
ExternalTask::CheckData() const
{
    Require(!m_processes.empty(), "ExternalTask: Start() gives it its data");
    Require(GetRegularization() == 0,
            "ExternalTask: Regularization must be 0, as the objective is that of the process; got "
            "{}",
            GetRegularization());
}

double
ExternalTask::GetFlopsPerSample() const
{
    return m_hello.flops > 0 ? m_hello.flops : 6.0 * GetDimension();
}

LearnerProcess&
ExternalTask::Choose() const
{
    return **std::min_element(
        m_processes.begin(),
        m_processes.end(),
        [](const auto& a, const auto& b) { return a->CountAsking() < b->CountAsking(); });
}

ExternalTask::Report
ExternalTask::Train(LearnerId client,
                    uint32_t round,
                    const SampleIndices& samples,
                    const std::map<std::string, double>& settings,
                    ModelVector& model) const
{
    LearnerBytes body;
    body.Put(client);
    body.Put(round);
    body.PutArray(samples);
    body.PutArray(model);
    body.Put(static_cast<uint32_t>(settings.size()));
    for (const auto& [name, value] : settings)
    {
        body.PutArray(name);
        body.Put(value);
    }
    Report report;
    LearnerProcess& process = *m_processes[(client - 1) % m_processes.size()];
    process.Ask(Question::TRAIN, body, [&](LearnerBytes& answer) {
        model = answer.TakeArray<ModelVector>();
        CheckSize("the model", model);
        report.figures = answer.TakeArray<Figures>();
        RequireSize("ExternalTask", "figures", report.figures.size(), m_figures.size());
        for (size_t k = 0; k < m_figures.size(); ++k)
        {
            Require(std::isfinite(report.figures[k]),
                    "the figure {} must be finite, got {}",
                    m_figures[k],
                    report.figures[k]);
        }
        report.seconds = answer.Take<double>();
        Require(!TellsTime() || (std::isfinite(report.seconds) && report.seconds >= 0),
                "the seconds that training takes must be finite and at least 0, got {}",
                report.seconds);
    });
    return report;
}

LearnerScores
ExternalTask::Evaluate(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    if ((m_hello.abilities & LearnerHello::EVALUATES) == 0)
    {
        return {};
    }
    const LearnerScores scores = Choose().Evaluate(theta, samples, m_hello.metrics);
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_last = theta;
    m_scores = scores;
    return scores;
}

LearnerScores
ExternalTask::Recall(ConstVectorRef theta) const
{
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        if (m_last.size() == theta.size() && m_last == theta)
        {
            return m_scores; // a loss of the same model was asked before, as usual
        }
    }
    return Evaluate(theta, EqualWeights(FirstSamples(GetTrain().GetSize())));
}

double
ExternalTask::GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckSamples(samples);
    return Evaluate(theta, samples).loss;
}

double
ExternalTask::GetAccuracy(ConstVectorRef theta) const
{
    return Recall(theta).accuracy;
}

std::map<std::string, double>
ExternalTask::GetMetrics(ConstVectorRef theta) const
{
    return Recall(theta).metrics;
}

void
ExternalTask::ClippedGradient(ConstVectorRef theta,
                              const WeightedSamples& samples,
                              double clipNorm,
                              VectorRef gradient) const
{
    CheckGradient(theta, samples, clipNorm, gradient);
    Require((m_hello.abilities & LearnerHello::HAS_GRADIENT) != 0,
            "ExternalTask: the process of '{}' has no gradients, which the rule of a learner needs",
            m_command);
    LearnerBytes body;
    body.PutArray(samples.indices);
    body.PutArray(samples.weights);
    body.Put(clipNorm);
    body.PutArray(theta);
    Choose().Ask(Question::GRADIENT, body, [&](LearnerBytes& answer) {
        const auto received = answer.TakeArray<ModelVector>();
        CheckSize("the gradient", received);
        gradient = received;
    });
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ExternalTraining, LocalTraining);

MessageFormat
ExternalTraining::GetFormat(ModelChannel channel) const
{
    MessageFormat format = LocalTraining::GetFormat(channel);
    if (channel == ModelChannel::UPDATE)
    {
        format.figures = GetExternal().GetFigures();
    }
    return format;
}

void
ExternalTraining::CheckAttributes() const
{
    const auto task = dynamic_cast<const ExternalTask*>(PeekPointer(m_task));
    Require(task != nullptr,
            "ExternalTraining: the task must be an ExternalTask, which the option learner makes; "
            "got {}",
            m_task->GetInstanceTypeId().GetName());
    Require(!task->GetFigures().empty(),
            "ExternalTraining: the process of the option learner does not train; rules that take "
            "its gradients, such as client-rule LocalSgd, can");
}

ModelVector
ExternalTraining::Train(const ModelVector& start, const SampleIndices& samples)
{
    ModelVector model = start;
    const auto report = GetExternal().Train(GetSelf(), m_round, samples, m_settings, model);
    m_attached.figures = report.figures;
    m_seconds = report.seconds;
    return model;
}

std::optional<double>
ExternalTraining::FindTrainingTime() const
{
    return GetExternal().TellsTime() ? std::optional(m_seconds) : std::nullopt;
}

} // namespace ns3::dlearn
