/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-push-sum-sgd.h"

#include "ns3/dlearn-baseline-ledgers.h"
#include "ns3/dlearn-laplace-mechanism.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(PushSumSgd);

TypeId
PushSumSgd::GetTypeId()
{
    static TypeId tid = AddParts(TypeId("ns3::dlearn::PushSumSgd")
                                     .SetParent<PeerRule>()
                                     .SetGroupName("Dlearn")
                                     .AddConstructor<PushSumSgd>(),
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

double
PushSumSgd::GetShare() const
{
    return 1.0 / static_cast<double>(1 + GetNeighbors().out.size());
}

double
PushSumSgd::GetStepSize(uint32_t round) const
{
    return PeerRule::GetStepSize(round) / m_mass;
}

double
PushSumSgd::GetReleasedStep() const
{
    return GetStepSize(m_round);
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

bool
PushSumSgd::UsesMix() const
{
    return false; // shares are added up; a robust choice among them would lose mass
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
