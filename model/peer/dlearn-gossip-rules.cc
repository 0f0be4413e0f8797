/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gossip-rules.h"

#include "dlearn-mixing.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(GossipRule);

TypeId
GossipRule::GetTypeId()
{
    static TypeId tid = AddSchedule(
        MakeTypeId<GossipRule, RoundRule>("ns3::dlearn::GossipRule"),
        &GossipRule::m_step,
        &GossipRule::IsSetUp,
        {"Step", "The step on the gradient, round by round.", "StepSize", "The step in round 0"},
        ConstantStep(0.1));
    return tid;
}

std::vector<RuleChannel>
GossipRule::GetChannels() const
{
    return {{ModelChannel::STATE, static_cast<uint32_t>(m_model.size()), GetNeighbors()}};
}

std::vector<std::string>
GossipRule::FindWarnings() const
{
    std::vector<std::string> warnings;
    if (GetNeighbors().in != GetNeighbors().out)
    {
        warnings.emplace_back("symmetric weights: those of the learner's in- and out-neighbours "
                              "differ");
    }
    if (const double weight = SumWeights(GetNeighbors().in); weight > 1 + 1e-9)
    {
        warnings.push_back(
            FormatText("weight of the learner's own vector: sum_j w_ij <= 1, got {}", weight));
    }
    return warnings;
}

Outbox
GossipRule::DoSend()
{
    m_vector = MakeVector();
    const Graph::Row& neighbors = GetNeighbors().out;
    if (neighbors.empty())
    {
        return {};
    }
    return {Address(ModelChannel::STATE, neighbors, Pack(m_vector))};
}

void
GossipRule::DoEndRound(const Inbox& inbox)
{
    if (!HasSent())
    {
        m_vector = MakeVector(); // the learner only listens
    }
    Move(inbox, HasSent() && inbox.transmitted);
}

NS_OBJECT_ENSURE_REGISTERED(ChocoSgd);

TypeId
ChocoSgd::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ChocoSgd, GossipRule>("ns3::dlearn::ChocoSgd")
            .AddAttribute("Gamma",
                          "Factor on the weights; the stronger the compression, the smaller it "
                          "must be. 1 is DSGD if nothing is compressed.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&ChocoSgd::m_gamma),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute(
                "RestartEvery",
                "Rounds after which public copies begin at 0 again, which ends the "
                "effect of lost differences; 0: never.",
                UintegerValue(0),
                MakeFixedAccessor(MakeUintegerAccessor(&ChocoSgd::m_restart), &ChocoSgd::IsSetUp),
                MakeUintegerChecker<uint32_t>());
    return tid;
}

void
ChocoSgd::DoSetup()
{
    GossipRule::DoSetup();
    m_own.values = ModelVector::Zero(m_model.size());
    for (const auto& [neighbor, weight] : GetNeighbors().in)
    {
        m_copies[neighbor] = m_own;
    }
}

bool
ChocoSgd::Refresh(Copy& copy, uint32_t round) const
{
    const uint32_t epoch = m_restart > 0 ? round / m_restart : 0;
    if (copy.epoch < epoch)
    {
        copy = {ModelVector::Zero(m_model.size()), epoch};
    }
    return copy.epoch == epoch;
}

void
ChocoSgd::Add(Copy& copy, uint32_t round, const ModelVector& difference) const
{
    if (Refresh(copy, round))
    {
        copy.values += difference;
    }
}

ModelVector
ChocoSgd::MakeVector()
{
    m_half = Descend(m_gradient);
    Refresh(m_own, m_round);
    return m_half - m_own.values;
}

ModelVector
ChocoSgd::Pack(const ModelVector& vector)
{
    m_sent = vector; // until Sent() says more
    return vector;
}

void
ChocoSgd::TakeLate(LearnerId sender, ModelChannel /* channel */, const Arrival& arrival)
{
    Add(m_copies.at(sender), arrival.round, arrival.values);
}

void
ChocoSgd::Move(const Inbox& inbox, bool pushed)
{
    if (pushed)
    {
        m_own.values += m_sent;
    }
    m_model = m_half;
    for (const auto& [neighbor, weight] : GetNeighbors().in)
    {
        Copy& copy = m_copies.at(neighbor);
        if (const Arrival* arrival = inbox.Find(neighbor, ModelChannel::STATE))
        {
            Add(copy, arrival->round, arrival->values);
        }
        m_model += m_gamma * weight * (copy.values - m_own.values);
    }
}

void
ChocoSgd::DoAbandon(bool transmitted)
{
    if (HasSent() && transmitted)
    {
        m_own.values += m_sent;
    }
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(CorrectedRule, GossipRule);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(D2, CorrectedRule);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(Extra, CorrectedRule);

void
CorrectedRule::DoSetup()
{
    GossipRule::DoSetup();
    m_correction = ModelVector::Zero(m_model.size());
}

void
CorrectedRule::Move(const Inbox& inbox, bool /* pushed */)
{
    const Graph::Row& row = GetNeighbors().in;
    const ModelVector exchanged = MixHeard(m_vector, row, inbox, ModelChannel::STATE, 1);
    m_model = GetNext(exchanged);
    m_correction += GetPart() * (exchanged - m_vector);
    const HeardWeight heard = MeasureHeard(row, inbox, ModelChannel::STATE);
    if (heard.complete < heard.all)
    {
        m_missed[m_round] = m_vector;
    }
    m_missed.erase(m_missed.begin(), m_missed.lower_bound(std::max(m_round, LATEST) - LATEST));
}

void
CorrectedRule::TakeLate(LearnerId sender, ModelChannel /* channel */, const Arrival& arrival)
{
    const auto missed = m_missed.find(arrival.round);
    if (missed != m_missed.end())
    {
        const double weight = GetNeighbors().in.at(sender);
        m_correction += GetPart() * weight * (arrival.values - missed->second);
    }
}

NS_OBJECT_ENSURE_REGISTERED(PushDiging);

TypeId
PushDiging::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<PushDiging, GossipRule>("ns3::dlearn::PushDiging")
            .AddAttribute("LossCompensation",
                          "The encoding of messages, which may compensate for lost ones.",
                          TypeIdValue(NoCompensation::GetTypeId()),
                          MakePartAccessor(&PushDiging::m_compensation, &PushDiging::IsSetUp),
                          MakePartChecker<LossCompensation>());
    return tid;
}

std::vector<RuleChannel>
PushDiging::GetChannels() const
{
    auto channels = GossipRule::GetChannels();
    channels.front().length = 2 * channels.front().length + 1;
    return channels;
}

bool
PushDiging::IsUsable(ModelChannel /* channel */, const ModelVector& values) const
{
    return values[values.size() - 1] > 0;
}

void
PushDiging::DoSetup()
{
    GossipRule::DoSetup();
    ClaimPart(m_compensation, *this);
    const Eigen::Index d = m_model.size();
    m_tracked = ModelVector::Zero(d);
    m_late = ModelVector::Zero(2 * d + 1);
    m_state.resize(2 * d + 1);
    m_state << m_model, m_tracked, 1;
}

ModelVector
PushDiging::MakeVector()
{
    const Eigen::Index d = m_model.size();
    m_state.segment(d, d) += m_gradient - m_tracked;
    m_tracked = m_gradient;
    ModelVector vector = m_state;
    vector.head(d) -= GetStepSize(m_round) * m_state.segment(d, d);
    return vector;
}

void
PushDiging::TakeLate(LearnerId sender, ModelChannel /* channel */, const Arrival& arrival)
{
    m_late += m_compensation->Accept(sender, arrival);
}

void
PushDiging::Move(const Inbox& inbox, bool pushed)
{
    if (HasSent() && !pushed)
    {
        m_compensation->Revoke();
    }
    const Eigen::Index d = m_model.size();
    m_state = (pushed ? GetShare() : 1) * m_vector + m_late;
    m_late.setZero();
    for (const auto& [neighbor, weight] : GetNeighbors().in)
    {
        if (const Arrival* arrival = inbox.Find(neighbor, ModelChannel::STATE))
        {
            m_state += m_compensation->Accept(neighbor, *arrival);
        }
    }
    m_model = m_state.head(d) / m_state[2 * d];
}

void
PushDiging::DoAbandon(bool transmitted)
{
    if (HasSent() && transmitted)
    {
        m_state *= GetShare(); // the model stays
    }
    else if (HasSent())
    {
        m_compensation->Revoke();
    }
}

NS_OBJECT_ENSURE_REGISTERED(ClippingRule);
NS_OBJECT_ENSURE_REGISTERED(ClippedGossip);
NS_OBJECT_ENSURE_REGISTERED(Scclip);

TypeId
ClippingRule::GetTypeId()
{
    static TypeId tid = MakeTypeId<ClippingRule, GossipRule>("ns3::dlearn::ClippingRule")
                            .AddAttribute("Momentum",
                                          "beta: the part of earlier gradients in a step.",
                                          DoubleValue(0),
                                          MakeDoubleAccessor(&ClippingRule::m_momentum),
                                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

ModelVector
ClippingRule::MakeVector()
{
    m_average = m_average.size() == 0
                    ? m_gradient
                    : ModelVector(m_momentum * m_average + (1 - m_momentum) * m_gradient);
    return Descend(m_average);
}

void
ClippingRule::Move(const Inbox& inbox, bool /* pushed */)
{
    Distances distances;
    std::vector<ModelVector> differences;
    for (const auto& [neighbor, weight] : GetNeighbors().in)
    {
        if (const Arrival* arrival = inbox.Find(neighbor, ModelChannel::STATE))
        {
            differences.push_back(arrival->values - m_vector);
            distances.emplace_back(differences.back().stableNorm(), weight);
        }
    }
    const double radius = GetRadius(distances);
    m_model = m_vector;
    for (size_t k = 0; k < distances.size(); ++k)
    {
        const auto& [distance, weight] = distances[k];
        m_model += weight * (distance > radius ? radius / distance : 1) * differences[k];
    }
}

TypeId
ClippedGossip::GetTypeId()
{
    static TypeId tid = MakeTypeId<ClippedGossip, ClippingRule>("ns3::dlearn::ClippedGossip")
                            .AddAttribute("Radius",
                                          "tau: largest distance at which a neighbour's vector "
                                          "counts fully.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&ClippedGossip::m_radius),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

TypeId
Scclip::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<Scclip, ClippingRule>("ns3::dlearn::Scclip")
            .AddAttribute(
                "Byzantine",
                "Most neighbours that may be Byzantine; 0: nothing is clipped.",
                UintegerValue(0),
                MakeFixedAccessor(MakeUintegerAccessor(&Scclip::m_byzantine), &Scclip::IsSetUp),
                MakeUintegerChecker<uint32_t>());
    return tid;
}

void
Scclip::DoSetup()
{
    ClippingRule::DoSetup();
    std::vector<double> weights;
    for (const auto& [neighbor, weight] : GetNeighbors().in)
    {
        weights.push_back(weight);
    }
    std::sort(weights.begin(), weights.end(), std::greater<>());
    weights.resize(std::min<size_t>(weights.size(), m_byzantine));
    m_byzantineWeight = std::accumulate(weights.begin(), weights.end(), 0.0);
}

double
Scclip::GetRadius(Distances distances) const
{
    if (m_byzantineWeight == 0)
    {
        return std::numeric_limits<double>::infinity();
    }
    std::sort(distances.begin(), distances.end());
    double weight = 1;
    for (const auto& [distance, share] : distances)
    {
        weight -= share;
    }
    double sum = 0;
    for (const auto& [distance, share] : distances)
    {
        if (weight >= 1 - m_byzantineWeight - 1e-12) // rounding of equal weights
        {
            break;
        }
        weight += share;
        sum += share * distance * distance;
    }
    return std::sqrt(sum / m_byzantineWeight);
}

} // namespace ns3::dlearn
