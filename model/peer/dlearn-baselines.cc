/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-baselines.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"

#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Dsgd);

TypeId
Dsgd::GetTypeId()
{
    static TypeId tid = AddParts(MakeTypeId<Dsgd, PeerRule>("ns3::dlearn::Dsgd"),
                                 {LaplaceMechanism::GetTypeId(),
                                  DsgdLedger::GetTypeId(),
                                  LearnerUnit::GetTypeId(),
                                  NoProjection::GetTypeId()},
                                 PowerStep(0.1, 0.5));
    return tid;
}

NS_OBJECT_ENSURE_REGISTERED(Dola);

TypeId
Dola::GetTypeId()
{
    static TypeId tid = AddParts(MakeTypeId<Dola, PeerRule>("ns3::dlearn::Dola"),
                                 {LaplaceMechanism::GetTypeId(),
                                  DolaLedger::GetTypeId(),
                                  LearnerUnit::GetTypeId(),
                                  BallProjection::GetTypeId()},
                                 PowerStep(0.1, 0.5));
    return tid;
}

ModelVector
Dola::Move(const Inbox& inbox) const
{
    return Mix(m_noisy, inbox) - GetStepSize(m_round) * m_gradient;
}

NS_OBJECT_ENSURE_REGISTERED(Pdop);

TypeId
Pdop::GetTypeId()
{
    static TypeId tid = AddParts(MakeTypeId<Pdop, PeerRule>("ns3::dlearn::Pdop"),
                                 {GeometricDecayLaplace::GetTypeId(),
                                  PdopLedger::GetTypeId(),
                                  LearnerUnit::GetTypeId(),
                                  BallProjection::GetTypeId()},
                                 GeometricStep(0.1, 0.97));
    return tid;
}

std::vector<std::string>
Pdop::FindWarnings() const
{
    std::vector<std::string> warnings = PeerRule::FindWarnings();
    const auto steps = dynamic_cast<const GeometricSchedule*>(&GetStepSchedule());
    if (!steps)
    {
        warnings.push_back("alpha_t = c q^t (PDOP): StepSchedule = " +
                           GetStepSchedule().GetInstanceTypeId().GetName());
    }
    const auto decay = DynamicCast<const GeometricDecayLaplace>(GetNoiseMechanism());
    if (steps && decay && decay->GetScale(0) > 0 && !(steps->GetRatio() < decay->GetRatio()))
    {
        warnings.push_back(
            FormatText("q < p < 1 (PDOP): q = StepRatio = {}, p = Ratio of the noise = {}",
                       steps->GetRatio(),
                       decay->GetRatio()));
    }
    return warnings;
}

ModelVector
Pdop::Move(const Inbox& inbox) const
{
    const ModelVector mixed = Mix(m_noisy, inbox);
    ModelVector gradient(mixed.size());
    m_context.task->BatchGradient(mixed, m_batch, gradient);
    return mixed - GetStepSize(m_round) * gradient;
}

NS_OBJECT_ENSURE_REGISTERED(TernarySgd);

TypeId
TernarySgd::GetTypeId()
{
    static TypeId tid =
        AddCoupling(AddParts(MakeTypeId<TernarySgd, PeerRule>("ns3::dlearn::TernarySgd"),
                             {TernaryQuantizer::GetTypeId(),
                              LdpOnlineTheorem5Ledger::GetTypeId(),
                              LearnerUnit::GetTypeId(),
                              NoProjection::GetTypeId()},
                             PowerStep(0.1, 0.9)),
                    1,
                    0.6);
    return tid;
}

NS_OBJECT_ENSURE_REGISTERED(DpSgdGrowing);

TypeId
DpSgdGrowing::GetTypeId()
{
    static TypeId tid =
        AddCoupling(AddParts(MakeTypeId<DpSgdGrowing, PeerRule>("ns3::dlearn::DpSgdGrowing"),
                             {LaplaceMechanism::GetTypeId(),
                              LdpOnlineRefinedLedger::GetTypeId(),
                              SampleUnit::GetTypeId(),
                              NoProjection::GetTypeId()},
                             PowerStep(0.1, 0.9)),
                    1,
                    0.6)
            .AddAttribute("SampleFactor",
                          "a: round t takes floor(a t^p) + 1 samples.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DpSgdGrowing::m_sampleFactor),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("SampleExponent",
                          "p: round t takes floor(a t^p) + 1 samples.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DpSgdGrowing::m_sampleExponent),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

uint32_t
DpSgdGrowing::GetSampleCount(uint32_t round) const
{
    const auto all = static_cast<uint32_t>(m_context.stream->GetShard().size());
    const double wanted = std::floor(m_sampleFactor * std::pow(round, m_sampleExponent)) + 1;
    return wanted < all ? static_cast<uint32_t>(wanted) : all; // also when 0 * infinity is NaN
}

NS_OBJECT_ENSURE_REGISTERED(PushSumSgd);

TypeId
PushSumSgd::GetTypeId()
{
    static TypeId tid = AddParts(MakeTypeId<PushSumSgd, PeerRule>("ns3::dlearn::PushSumSgd"),
                                 {LaplaceMechanism::GetTypeId(),
                                  DsgdLedger::GetTypeId(),
                                  LearnerUnit::GetTypeId(),
                                  NoProjection::GetTypeId()},
                                 PowerStep(0.1, 0.5));
    return tid;
}

std::vector<std::string>
PushSumSgd::FindWarnings() const
{
    // Those of PeerRule are about the weights of the graph, which play no part here.
    std::vector<std::string> warnings;
    if (GetNeighbors().in.empty() != GetNeighbors().out.empty())
    {
        warnings.push_back("strongly connected graph (gradient push): the learner has " +
                           std::to_string(GetNeighbors().in.size()) + " in-neighbours and " +
                           std::to_string(GetNeighbors().out.size()) + " out-neighbours");
    }
    return warnings;
}

bool
PushSumSgd::IsUsable(ModelChannel /* channel */, const ModelVector& values) const
{
    return values[m_model.size()] > 0;
}

std::vector<RuleChannel>
PushSumSgd::GetChannels() const
{
    auto channels = PeerRule::GetChannels();
    ++channels.front().length;
    return channels;
}

ModelVector
PushSumSgd::Pack(const ModelVector& released)
{
    m_pushed = true;
    const double mass = GetShare() * m_mass;
    ModelVector share(released.size() + 1);
    share << mass * released, mass;
    return share;
}

void
PushSumSgd::DoAbandon(bool transmitted)
{
    PeerRule::DoAbandon(transmitted);
    if (m_pushed && transmitted)
    {
        m_mass *= GetShare(); // z stays, so x shrinks with it
    }
    m_pushed = false;
}

double
PushSumSgd::GetKeptMass(const Inbox& inbox) const
{
    return m_pushed && inbox.transmitted ? GetShare() * m_mass : m_mass;
}

const Arrival*
PushSumSgd::FindShare(LearnerId neighbor, const Inbox& inbox) const
{
    const Arrival* arrival = inbox.Find(neighbor, ModelChannel::STATE);
    const bool usable = arrival && arrival->IsComplete() && arrival->round == m_round &&
                        IsUsable(ModelChannel::STATE, arrival->values);
    return usable ? arrival : nullptr;
}

double
PushSumSgd::GetReceivedMass(const Inbox& inbox) const
{
    double mass = 0;
    for (const auto& [neighbor, weight] : GetNeighbors().in)
    {
        const Arrival* share = FindShare(neighbor, inbox);
        mass += share ? share->values[m_model.size()] : 0;
    }
    return mass;
}

ModelVector
PushSumSgd::Move(const Inbox& inbox) const
{
    ModelVector state = GetKeptMass(inbox) * GetReleased();
    for (const auto& [neighbor, weight] : GetNeighbors().in)
    {
        if (const Arrival* share = FindShare(neighbor, inbox))
        {
            state += share->values.head(state.size());
        }
    }
    return state / (GetKeptMass(inbox) + GetReceivedMass(inbox));
}

UpdateEvent
PushSumSgd::GetUpdateEvent(const Inbox& inbox) const
{
    const double received = GetReceivedMass(inbox);
    const auto coupling = [received](double kept) { return received / (kept + received); };
    UpdateEvent event;
    event.round = m_round;
    event.stepSize = GetStepSize(m_round);
    event.nominalCoupling = coupling(GetShare() * m_mass);
    event.realisedCoupling = coupling(GetKeptMass(inbox));
    return event;
}

void
PushSumSgd::DoEndRound(const Inbox& inbox)
{
    PeerRule::DoEndRound(inbox);
    m_mass = GetKeptMass(inbox) + GetReceivedMass(inbox);
    m_pushed = false;
}

} // namespace ns3::dlearn
