/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-push-sum-sgd.h"

#include "ns3/dlearn-baseline-ledgers.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-power-schedule.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(PushSumSgd);

TypeId
PushSumSgd::GetTypeId()
{
    static TypeId tid =
        AddParts(TypeId("ns3::dlearn::PushSumSgd")
                     .SetParent<PeerRule>()
                     .SetGroupName("Dlearn")
                     .AddConstructor<PushSumSgd>(),
                 {LaplaceMechanism::GetTypeId(),
                  DsgdLedger::GetTypeId(),
                  LearnerUnit::GetTypeId(),
                  NoProjection::GetTypeId()})
            .AddAttribute("StepSize",
                          "alpha_0: step on the gradient in round 0.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&PushSumSgd::m_stepSize),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("StepExponent",
                          "The step decays as (t+1)^-StepExponent; 0 for a constant step.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&PushSumSgd::m_stepExponent),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
PushSumSgd::CheckAttributes() const
{
    RequireNonNegative("PushSumSgd", "StepSize", m_stepSize);
    RequireNonNegative("PushSumSgd", "StepExponent", m_stepExponent);
}

std::vector<std::string>
PushSumSgd::FindWarnings() const
{
    // Those of PeerRule are about the weights of the graph, which play no part here.
    std::vector<std::string> warnings;
    if (m_context.inNeighbors.empty() != m_context.outNeighbors.empty())
    {
        warnings.push_back("strongly connected graph (gradient push): the learner has " +
                           std::to_string(m_context.inNeighbors.size()) + " in-neighbours and " +
                           std::to_string(m_context.outNeighbors.size()) + " out-neighbours");
    }
    return warnings;
}

bool
PushSumSgd::NeedsCommonRounds() const
{
    return true;
}

uint32_t
PushSumSgd::GetLength(ModelChannel channel) const
{
    const uint32_t dimension = PeerRule::GetLength(channel);
    return channel == ModelChannel::STATE ? dimension + 1 : dimension;
}

double
PushSumSgd::GetMass() const
{
    return m_mass;
}

double
PushSumSgd::GetShare() const
{
    return 1.0 / static_cast<double>(1 + m_context.outNeighbors.size());
}

double
PushSumSgd::GetStepSize(uint32_t round) const
{
    return PowerSchedule(m_stepSize, -m_stepExponent, round) / m_mass;
}

double
PushSumSgd::GetReleasedStep() const
{
    return GetStepSize(m_round);
}

StateRecursion
PushSumSgd::GetRecursion() const
{
    return StateRecursion::HALF_STEP;
}

ModelVector
PushSumSgd::GetReleased() const
{
    return m_model - GetStepSize(m_round) * m_gradient;
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
                        arrival->values[m_model.size()] > 0;
    return usable ? arrival : nullptr;
}

double
PushSumSgd::GetReceivedMass(const Inbox& inbox) const
{
    double mass = 0;
    for (const auto& [neighbor, weight] : m_context.inNeighbors)
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
    for (const auto& [neighbor, weight] : m_context.inNeighbors)
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
