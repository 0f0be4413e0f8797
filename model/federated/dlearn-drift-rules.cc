/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-drift-rules.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** @return the format of a message with a second vector behind a model or an update */
MessageFormat
DoubleFormat(MessageFormat format, ModelChannel channel)
{
    const bool both = channel == ModelChannel::MODEL || channel == ModelChannel::UPDATE;
    format.length *= both ? 2 : 1;
    return format;
}

} // namespace

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ControlledSgd, LocalSgd);

void
ControlledSgd::SetInitialModel(const ModelVector& model)
{
    LocalSgd::SetInitialModel(model);
    m_control = ModelVector::Zero(model.size());
}

void
ControlledSgd::DoBeginRound()
{
    LocalSgd::DoBeginRound();
    m_direction = GetDirection();
}

ModelVector
ControlledSgd::Train(const ModelVector& start, const SampleIndices& samples)
{
    ModelVector model = LocalSgd::Train(start, samples);
    m_converges = model.allFinite();
    m_next = GetNext(model - start);
    return model;
}

void
ControlledSgd::DoEndRound(bool transmitted)
{
    LocalSgd::DoEndRound(transmitted);
    if (transmitted && m_converges) // else the server refuses the update
    {
        m_control = m_next;
    }
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(Scaffold, ControlledSgd);

MessageFormat
Scaffold::GetFormat(ModelChannel channel) const
{
    return DoubleFormat(ControlledSgd::GetFormat(channel), channel);
}

void
Scaffold::CheckAttributes() const
{
    ControlledSgd::CheckAttributes();
    const auto sgd = dynamic_cast<const SgdOptimizer*>(&GetOptimizer());
    Require(sgd && sgd->GetMomentum() == 0,
            "Scaffold: the Optimizer must be a ns3::dlearn::SgdOptimizer with Momentum 0, got {}",
            sgd ? "Momentum " + std::to_string(sgd->GetMomentum())
                : GetOptimizer().GetInstanceTypeId().GetName());
}

void
Scaffold::DoBeginRound()
{
    ControlledSgd::DoBeginRound();
    m_rate = GetOptimizer().GetSchedule().Get(m_round);
}

ModelVector
Scaffold::Train(const ModelVector& start, const SampleIndices& samples)
{
    ModelVector model = ControlledSgd::Train(start, samples);
    m_attached.values = m_next;
    return model;
}

ModelVector
Scaffold::GetNext(const ModelVector& moved) const
{
    return -m_direction - moved / (CountSteps() * m_rate);
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ScaffoldServer, FedAvgServer);

MessageFormat
ScaffoldServer::GetFormat(ModelChannel channel) const
{
    return DoubleFormat(FedAvgServer::GetFormat(channel), channel);
}

Outbox
ScaffoldServer::GetModels(const std::vector<LearnerId>& clients) const
{
    ModelVector both(2 * m_model.size());
    both << m_model, GetControl();
    return {{ModelChannel::MODEL, clients, std::move(both)}};
}

ModelVector
ScaffoldServer::GetControl() const
{
    ModelVector sum = ModelVector::Zero(m_model.size());
    for (const auto& [client, control] : m_controls)
    {
        sum += control;
    }
    return sum / m_context.samples.size();
}

ModelVector
ScaffoldServer::Move(const std::vector<ClientUpdate>& updates)
{
    for (const ClientUpdate& update : updates)
    {
        m_controls[update.client] = update.values.tail(m_model.size());
    }
    return FedAvgServer::Move(updates);
}

std::function<void()>
ScaffoldServer::RememberLearned()
{
    return [this, restore = FedAvgServer::RememberLearned(), controls = m_controls] {
        restore();
        m_controls = controls;
    };
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(FedNovaServer, FedAvgServer);

void
FedNovaServer::CheckAttributes() const
{
    FedAvgServer::CheckAttributes();
    RequireFigure("steps");
}

ModelVector
FedNovaServer::Move(const std::vector<ClientUpdate>& updates)
{
    const auto steps = [this](const ClientUpdate& update) {
        constexpr double MOST = std::numeric_limits<uint32_t>::max();
        return std::clamp(FindFigure(update, "steps").value_or(1), 1.0, MOST);
    };
    double samples = 0;
    double sum = 0;
    for (const ClientUpdate& update : updates)
    {
        samples += GetSamples(update);
        sum += GetSamples(update) * steps(update);
    }
    std::vector<ClientUpdate> normalized = updates;
    for (ClientUpdate& update : normalized)
    {
        update.weight *= sum / samples / steps(update);
    }
    return FedAvgServer::Move(normalized);
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(FedDyn, ControlledSgd);

void
FedDyn::CheckAttributes() const
{
    ControlledSgd::CheckAttributes();
    RequirePositive("FedDyn", "Proximal", m_proximal);
}

NS_OBJECT_ENSURE_REGISTERED(FedDynServer);

TypeId
FedDynServer::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<FedDynServer, FedAvgServer>("ns3::dlearn::FedDynServer")
            .AddAttribute("Proximal",
                          "Strength alpha, greater than 0: Proximal of the clients.",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&FedDynServer::m_proximal),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
FedDynServer::CheckAttributes() const
{
    FedAvgServer::CheckAttributes();
    RequirePositive("FedDynServer", "Proximal", m_proximal);
}

ModelVector
FedDynServer::Move(const std::vector<ClientUpdate>& updates)
{
    m_share = static_cast<double>(updates.size()) / m_context.samples.size();
    return FedAvgServer::Move(updates);
}

ModelVector
FedDynServer::Step(const ModelVector& aggregate, double sign)
{
    const ModelVector change = -m_proximal * m_share * aggregate;
    m_control = m_control.size() > 0 ? ModelVector(m_control + change) : change;
    return FedAvgServer::Step(aggregate - m_control / m_proximal, sign);
}

std::function<void()>
FedDynServer::RememberLearned()
{
    return [this, restore = FedAvgServer::RememberLearned(), control = m_control] {
        restore();
        m_control = control;
    };
}

NS_OBJECT_ENSURE_REGISTERED(QFedAvgServer);

TypeId
QFedAvgServer::GetTypeId()
{
    static TypeId tid = MakeTypeId<QFedAvgServer, FedAvgServer>("ns3::dlearn::QFedAvgServer")
                            .AddAttribute("Q",
                                          "How much a large loss counts: q; 0 for the mean of all.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&QFedAvgServer::m_q),
                                          MakeDoubleChecker<double>(0.0))
                            .AddAttribute("ClientStep",
                                          "Step of the clients, greater than 0: 1 / L.",
                                          DoubleValue(0.1),
                                          MakeDoubleAccessor(&QFedAvgServer::m_clientStep),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
QFedAvgServer::CheckAttributes() const
{
    FedAvgServer::CheckAttributes();
    RequirePositive("QFedAvgServer", "ClientStep", m_clientStep);
    RequireFigure("loss");
}

ModelVector
QFedAvgServer::Move(const std::vector<ClientUpdate>& updates)
{
    constexpr double LEAST = 1e-10; // loss, of which powers below 0 are finite
    const double lipschitz = 1 / m_clientStep;
    double sum = 0;
    std::vector<ClientUpdate> weighted = updates;
    for (ClientUpdate& update : weighted)
    {
        const double loss = std::max(FindFigure(update, "loss").value_or(0), LEAST);
        const double factor = lipschitz * std::pow(loss, m_q);
        sum += m_q * std::pow(loss, m_q - 1) * (lipschitz * update.values).squaredNorm() + factor;
        update.weight *= updates.size() * factor;
    }
    for (ClientUpdate& update : weighted)
    {
        update.weight /= sum;
    }
    return FedAvgServer::Move(weighted);
}

} // namespace ns3::dlearn
