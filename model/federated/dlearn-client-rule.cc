/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-client-rule.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-newton.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(ClientRule);

TypeId
ClientRule::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ClientRule, LearnerRule>("ns3::dlearn::ClientRule")
            .AddAttribute("Release",
                          "Clipping, noise and privacy account of updates; none where the rule has "
                          "none of these.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&ClientRule::GetRelease),
                          MakePartChecker<ClientRelease>())
            .AddTraceSource(
                "Exposure",
                "An event elsewhere, such as noise that others revealed, cost the client "
                "privacy.",
                MakeTraceSourceAccessor(&ClientRule::m_exposureTrace),
                "ns3::dlearn::ClientRule::ExposureTracedCallback");
    return tid;
}

void
ClientRule::TakeSetting(const std::string& name, double value)
{
    const bool whole = value >= 0 && value == std::floor(value) && value < 1e19;
    Require((whole && SetAttributeFailSafe(name, UintegerValue(static_cast<uint64_t>(value)))) ||
                SetAttributeFailSafe(name, DoubleValue(value)),
            "{}: the server's schedule cannot set {} to {}",
            GetInstanceTypeId().GetName(),
            name,
            value);
}

NS_LOG_COMPONENT_DEFINE("DlearnLocalTraining");
NS_OBJECT_ENSURE_REGISTERED(LocalTraining);

TypeId
LocalTraining::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<LocalTraining, ClientRule>("ns3::dlearn::LocalTraining")
            .AddAttribute("ClipNorm",
                          "Largest norm C of the difference of models that is returned; 0 for no "
                          "clipping.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&LocalTraining::m_clipNorm),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("AdaptiveClip",
                          "Whether the server sets the largest norm with each model (ClipQuantile "
                          "of FedAvgServer) and is told whether the difference was longer.",
                          BooleanValue(false),
                          MakeFixedAccessor(MakeBooleanAccessor(&LocalTraining::m_adaptive),
                                            &LocalTraining::IsSetUp),
                          MakeBooleanChecker());
    return tid;
}

void
ReleasingClient::DoDispose()
{
    m_release->Dispose();
    m_data = nullptr;
    m_task = nullptr;
    ClientRule::DoDispose();
}

void
ReleasingClient::SetUpRelease(const std::string& name, double clip, double momentum)
{
    m_release->Setup(name, clip, momentum, [this](uint32_t round) { m_exposureTrace(round); });
}

std::vector<std::string>
ReleasingClient::GetWarnings() const
{
    return m_release->GetWarnings(IsObserved());
}

void
LocalTraining::Setup(Ptr<LocalData> data)
{
    const std::string name = GetInstanceTypeId().GetName();
    m_data = data;
    m_task = data->GetTask();
    CheckAttributes();
    const Ptr<const ThreatModel> model = m_release->GetTerms().model;
    Require(!model || DynamicCast<const LocalDp>(model) || DynamicCast<const CentralDp>(model),
            "{}: the threat model must be ns3::dlearn::LocalDp or ns3::dlearn::CentralDp, got {}",
            name,
            model ? model->GetInstanceTypeId().GetName() : "none");
    const uint32_t dimension = m_task->GetDimension();
    Require(!model || !model->TrustsServer() || GetFormat(ModelChannel::UPDATE).length <= dimension,
            "{}: with threat model {} nothing must follow the difference of models: the server's "
            "noise is on the model only",
            name,
            model ? model->GetInstanceTypeId().GetName() : "none");
    const std::vector<std::string> figures = GetFormat(ModelChannel::UPDATE).figures;
    Require(!m_adaptive || figures == std::vector<std::string>{"within"},
            "{}: AdaptiveClip needs a rule without other figures in its updates, got {}",
            name,
            JoinNames(figures));
    SetUpRelease(name, m_clipNorm, 0);
    SetInitialModel(ModelVector::Zero(dimension));
}

MessageFormat
LocalTraining::GetFormat(ModelChannel channel) const
{
    MessageFormat format = ClientRule::GetFormat(channel);
    if (m_adaptive && channel == ModelChannel::MODEL)
    {
        format.figures.emplace_back("clip");
    }
    if (m_adaptive && channel == ModelChannel::UPDATE)
    {
        format.figures.emplace_back("within");
    }
    return format;
}

void
LocalTraining::BeginRound(uint32_t round, const Message& message)
{
    NS_LOG_FUNCTION(this << round);
    m_data->BeginRound(round);
    m_round = round;
    const auto shared = std::min(message.values.size(), m_model.size());
    m_model.head(shared) = message.values.head(shared);
    m_start = m_model;
    m_received = {message.values.tail(message.values.size() - shared), message.figures};
    DoBeginRound();
}

void
LocalTraining::Compute()
{
    m_trained = Train(m_start, m_data->GetSamples());
    RequireSize(GetInstanceTypeId().GetName(),
                "the model that Train() returns",
                m_trained.size(),
                m_start.size());
}

Message
LocalTraining::Send()
{
    NS_LOG_FUNCTION(this << m_round);
    m_model = m_trained;
    DoSend();
    const auto shared =
        std::min<Eigen::Index>(m_model.size(), GetFormat(ModelChannel::UPDATE).length);
    Message message((m_model - m_start).head(shared), m_attached.figures);
    ModelVector& update = message.values;
    if (!m_release->Begin(m_round, m_clipNorm, 0, IsObserved()))
    {
        return message; // not to be used
    }
    NS_LOG_INFO("round " << m_round << ": " << m_data->GetSamples().size()
                         << " samples move the model by " << update.norm());
    NoteDraw(m_round, m_data->GetSamples());
    update.conservativeResize(update.size() + m_attached.values.size());
    update.tail(m_attached.values.size()) = m_attached.values;
    const double clip = m_adaptive ? m_received.figures.at(0) : m_clipNorm;
    if (m_adaptive)
    {
        message.figures = {update.norm() <= clip ? 0.5 : -0.5};
    }
    ClientRelease::Clip(clip, update);
    m_release->AddNoise(m_round, update);
    return message;
}

NS_OBJECT_ENSURE_REGISTERED(LocalSgd);

TypeId
LocalSgd::GetTypeId()
{
    static TypeId tid = AddOptimizer<LocalSgd>(
        MakeTypeId<LocalSgd, LocalTraining>("ns3::dlearn::LocalSgd")
            .AddAttribute("LocalSteps",
                          "Gradient steps K of a round, at most the samples of a round; without "
                          "effect with BatchSize.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&LocalSgd::m_steps),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("BatchSize",
                          "Samples of a gradient step; 0: as many as LocalSteps makes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&LocalSgd::m_batch),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Proximal",
                          "Strength mu of FedProx's pull to the received model, at least 0.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&LocalSgd::m_proximal),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("KeepState",
                          "Whether the state of the Optimizer goes on from round to round.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&LocalSgd::m_keeps),
                          MakeBooleanChecker()),
        &LocalSgd::m_optimizer,
        &LocalSgd::IsSetUp,
        "a client along a gradient",
        "StepSize",
        0.1);
    return tid;
}

void
LocalSgd::CheckAttributes() const
{
    m_optimizer->Check("LocalSgd", "StepSize");
    const uint32_t samples = m_data->GetSampleCount();
    Require(m_batch > 0 || (m_steps >= 1 && m_steps <= samples),
            "LocalSgd: LocalSteps must be from 1 to the number of samples of a round, {}; got {}",
            samples,
            m_steps);
}

void
LocalSgd::DoBeginRound()
{
    CheckAttributes(); // they may have changed
    m_training = {m_steps,
                  m_batch,
                  m_proximal,
                  m_optimizer->MakeStep(m_round),
                  m_keeps ? m_state : Optimizer::State()};
}

void
LocalSgd::DoEndRound(bool transmitted)
{
    if (m_keeps && transmitted)
    {
        m_state = std::move(m_training.state);
    }
}

std::vector<SampleIndices>
LocalSgd::GetBatches(const SampleIndices& samples) const
{
    std::vector<SampleIndices> batches;
    const auto cut = [&](size_t begin, size_t end) {
        batches.emplace_back(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                             samples.begin() + static_cast<std::ptrdiff_t>(end));
    };
    if (m_training.batch == 0)
    {
        const size_t size = samples.size() / m_training.steps;
        for (size_t step = 0; step < m_training.steps; ++step)
        {
            cut(step * size, (step + 1) * size);
        }
        return batches;
    }
    const size_t count = m_data->GetSampleCount(); // of a pass
    for (size_t pass = 0; pass < samples.size(); pass += count)
    {
        for (size_t begin = 0; begin < count; begin += m_training.batch)
        {
            cut(pass + begin, pass + std::min<size_t>(begin + m_training.batch, count));
        }
    }
    return batches;
}

uint64_t
LocalSgd::GetWork() const
{
    const uint64_t samples = m_data->GetRoundSize();
    return m_batch > 0 ? samples : m_steps * (samples / m_steps);
}

ModelVector
LocalSgd::Train(const ModelVector& start, const SampleIndices& samples)
{
    return Descend(start, start, m_training.proximal, samples, m_training.state);
}

ModelVector
LocalSgd::Descend(ModelVector model,
                  const ModelVector& anchor,
                  double pull,
                  const SampleIndices& samples,
                  Optimizer::State& state) const
{
    ModelVector gradient(model.size());
    for (const SampleIndices& batch : GetBatches(samples))
    {
        // Too long steps diverge, and no task has a gradient at infinity. The server refuses the
        // update.
        if (!model.allFinite())
        {
            break;
        }
        m_task->BatchGradient(model, batch, gradient);
        if (pull > 0)
        {
            gradient += pull * (model - anchor);
        }
        if (m_direction.size() > 0)
        {
            gradient += m_direction;
        }
        m_training.step(gradient, state, model);
    }
    return model;
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LocalSolve, LocalTraining);

void
LocalSolve::CheckAttributes() const
{
    Require(DynamicCast<const ConvexTask>(m_task) != nullptr,
            "LocalSolve: the task must be a ConvexTask, got {}",
            m_task->GetInstanceTypeId().GetName());
}

uint64_t
LocalSolve::GetWork() const
{
    const uint64_t samples = m_data->GetRoundSize();
    return samples * std::min<uint64_t>(samples, m_task->GetDimension());
}

ModelVector
LocalSolve::Train(const ModelVector& start, const SampleIndices& samples)
{
    // No copy of a Ptr: this may run on another thread.
    const auto& task = dynamic_cast<const ConvexTask&>(*m_task);
    return MinimizeFrom(task, start, EqualWeights(samples));
}

} // namespace ns3::dlearn
