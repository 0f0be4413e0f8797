/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-external-task.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/rng-seed-manager.h"
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

constexpr uint32_t PROTOCOL_VERSION = 1;

using Question = LearnerProcess::Question;

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
                          TimeValue(Minutes(10)),
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

LearnerBytes
ExternalTask::MakeHello(uint32_t learners, const DatasetPtr& train, const DatasetPtr& test) const
{
    LearnerBytes hello;
    hello.Put(PROTOCOL_VERSION);
    hello.Put(learners);
    hello.Put(RngSeedManager::GetSeed());
    hello.Put(RngSeedManager::GetRun());
    hello.Put(train ? train->GetFeatures() : 0);
    hello.Put(train ? train->classes : 0);
    const Dataset none;
    for (const DatasetPtr& part : {train, test})
    {
        hello.PutArray(part ? part->features : none.features);
        hello.PutArray(part ? part->labels : none.labels);
    }
    return hello;
}

void
ExternalTask::ReadHello(LearnerBytes& answer, uint32_t learners, bool own)
{
    const auto version = answer.Take<uint32_t>();
    Require(version == PROTOCOL_VERSION,
            "it has version {} of the protocol, dlearn has {}",
            version,
            PROTOCOL_VERSION);
    m_abilities = answer.Take<uint32_t>();
    m_flops = answer.Take<double>();
    m_initial = answer.TakeArray<ModelVector>();
    m_samples = answer.TakeArray<std::vector<uint64_t>>();
    m_figures = {"samples"};
    for (auto left = answer.Take<uint32_t>(); left > 0; --left)
    {
        m_figures.push_back(answer.TakeArray<std::string>());
    }
    Require(m_initial.size() > 0 && m_initial.allFinite(),
            "the initial model must have numbers, all of them finite");
    Require(std::isfinite(m_flops) && m_flops >= 0,
            "operations of a sample must be finite and at least 0, got {}",
            m_flops);
    const uint64_t total = std::accumulate(m_samples.begin(), m_samples.end(), uint64_t{0});
    Require(!own || (m_samples.size() == learners &&
                     std::count(m_samples.begin(), m_samples.end(), 0U) == 0 &&
                     total < std::numeric_limits<uint32_t>::max()),
            "it must say how many samples each of the {} learners has, at least 1, as no option "
            "data gives it some; got {} numbers",
            learners,
            m_samples.size());
    if ((m_abilities & TRAINS) == 0)
    {
        m_figures.clear();
    }
}

DatasetPtr
ExternalTask::DivideOwnData(const std::vector<uint64_t>& samples)
{
    uint32_t total = 0;
    for (const uint64_t count : samples)
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
    const LearnerBytes hello = MakeHello(learners, train, test);
    std::string first;
    for (const auto& process : m_processes)
    {
        process->Ask(Question::HELLO, hello, [&](LearnerBytes& answer) {
            first = first.empty() ? answer.Get() : first;
            Require(answer.Get() == first, "it must be that of process 1");
            ReadHello(answer, learners, !train);
        });
    }
    const DatasetPtr data = train ? train : DivideOwnData(m_samples);
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
    return m_flops > 0 ? m_flops : 6.0 * GetDimension();
}

LearnerProcess&
ExternalTask::Choose() const
{
    return **std::min_element(
        m_processes.begin(),
        m_processes.end(),
        [](const auto& a, const auto& b) { return a->CountAsking() < b->CountAsking(); });
}

Figures
ExternalTask::Train(LearnerId client,
                    uint32_t round,
                    const SampleIndices& samples,
                    ModelVector& model) const
{
    LearnerBytes body;
    body.Put(client);
    body.Put(round);
    body.PutArray(samples);
    body.PutArray(model);
    Figures figures;
    LearnerProcess& process = *m_processes[(client - 1) % m_processes.size()];
    process.Ask(Question::TRAIN, body, [&](LearnerBytes& answer) {
        model = answer.TakeArray<ModelVector>();
        CheckSize("the model", model);
        figures = answer.TakeArray<Figures>();
        RequireSize("ExternalTask", "figures", figures.size(), m_figures.size());
        for (size_t k = 0; k < figures.size(); ++k)
        {
            Require(std::isfinite(figures[k]),
                    "the figure {} must be finite, got {}",
                    m_figures[k],
                    figures[k]);
        }
    });
    return figures;
}

std::pair<double, double>
ExternalTask::Evaluate(ConstVectorRef theta, const WeightedSamples& samples) const
{
    if ((m_abilities & EVALUATES) == 0)
    {
        return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    }
    LearnerBytes body;
    body.PutArray(samples.indices);
    body.PutArray(samples.weights);
    body.PutArray(theta);
    std::pair<double, double> result;
    Choose().Ask(Question::EVALUATE, body, [&](LearnerBytes& answer) {
        result.first = answer.Take<double>();
        result.second = answer.Take<double>();
    });
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_last = theta;
    m_accuracy = result.second;
    return result;
}

double
ExternalTask::GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const
{
    CheckModel(theta);
    CheckSamples(samples);
    return Evaluate(theta, samples).first;
}

double
ExternalTask::GetAccuracy(ConstVectorRef theta) const
{
    CheckModel(theta);
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        if (m_last.size() == theta.size() && m_last == theta)
        {
            return m_accuracy; // a loss of the same model was asked before, as usual
        }
    }
    return Evaluate(theta, EqualWeights(FirstSamples(GetTrain().GetSize()))).second;
}

void
ExternalTask::ClippedGradient(ConstVectorRef theta,
                              const WeightedSamples& samples,
                              double clipNorm,
                              VectorRef gradient) const
{
    CheckGradient(theta, samples, clipNorm, gradient);
    Require((m_abilities & HAS_GRADIENT) != 0,
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
    m_attached.figures = GetExternal().Train(GetSelf(), m_round, samples, model);
    return model;
}

} // namespace ns3::dlearn
