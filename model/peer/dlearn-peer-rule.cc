/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-rule.h"

#include "dlearn-inbox-sums.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-chosen-object.h"
#include "ns3/double.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(PeerRule);

namespace
{

/**
 * Tell an account what part of the round's gradient a unit of protection is.
 *
 * @tparam Event ReleaseEvent or UpdateEvent
 * @param unit of protection
 * @param batch of the round
 * @param event gets batches and shares
 */
template <typename Event>
void
TellShares(const PrivacyUnit& unit, const SampleIndices& batch, Event& event)
{
    event.batches = unit.GetParts(batch.size());
    event.shares = unit.GetShares();
}

} // namespace

TypeId
PeerRule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::PeerRule").SetParent<RoundRule>().SetGroupName("Dlearn");
    return tid;
}

PeerRule::~PeerRule() = default;

TypeId
PeerRule::AddParts(TypeId tid, const Parts& defaults)
{
    return tid
        .AddAttribute("NoiseMechanism",
                      "Kind of noise on every vector sent; one object is made for each learner.",
                      TypeIdValue(defaults.noise),
                      MakeTypeIdAccessor(&PeerRule::m_noiseType),
                      MakeTypeIdChecker())
        .AddAttribute("PrivacyLedger",
                      "Kind of privacy account; one object is made for each learner. "
                      "ns3::dlearn::PrivacyLedger itself for none.",
                      TypeIdValue(defaults.ledger),
                      MakeTypeIdAccessor(&PeerRule::m_ledgerType),
                      MakeTypeIdChecker())
        .AddAttribute("PrivacyUnit",
                      "Kind of unit that the privacy account protects; one object is made for "
                      "each learner.",
                      TypeIdValue(defaults.unit),
                      MakeTypeIdAccessor(&PeerRule::m_unitType),
                      MakeTypeIdChecker())
        .AddAttribute("Projection",
                      "Kind of set that models must lie in; one object is made for each learner.",
                      TypeIdValue(defaults.projection),
                      MakeTypeIdAccessor(&PeerRule::m_projectionType),
                      MakeTypeIdChecker())
        .AddAttribute("Smoothness",
                      "Lipschitz constant L of one sample's gradient, for the privacy account. "
                      "0 asks the task, which may know it.",
                      DoubleValue(0.0),
                      MakeDoubleAccessor(&PeerRule::m_smoothness),
                      MakeDoubleChecker<double>(0.0))
        .AddAttribute("Aggregator",
                      "Kind of robust aggregation of the learner's and its neighbours' vectors, "
                      "in place of their weighted sum; one object is made for each learner. "
                      "ns3::dlearn::Aggregator itself for the weighted sum.",
                      TypeIdValue(Aggregator::GetTypeId()),
                      MakeTypeIdAccessor(&PeerRule::m_aggregatorType),
                      MakeTypeIdChecker())
        .AddAttribute("Byzantine",
                      "Most neighbours f that may be Byzantine, for robust aggregation; less "
                      "than half of the learner and its neighbours.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&PeerRule::m_byzantine),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("MissingAreByzantine",
                      "Whether robust aggregation takes a neighbour of whom nothing came for one "
                      "of the Byzantine ones, or leaves it out and goes on fearing as many.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&PeerRule::m_missingLie),
                      MakeBooleanChecker());
}

Ptr<NoiseMechanism>
PeerRule::GetNoiseMechanism()
{
    return GetChosen(m_noise, m_noiseType, "PeerRule", "NoiseMechanism");
}

Ptr<PrivacyLedger>
PeerRule::GetPrivacyLedger()
{
    return GetChosenOrNone(m_ledger, m_ledgerType, "PeerRule", "PrivacyLedger");
}

Ptr<PrivacyUnit>
PeerRule::GetPrivacyUnit()
{
    return GetChosen(m_unit, m_unitType, "PeerRule", "PrivacyUnit");
}

Ptr<Projection>
PeerRule::GetProjection()
{
    return GetChosen(m_projection, m_projectionType, "PeerRule", "Projection");
}

Ptr<Aggregator>
PeerRule::GetAggregator()
{
    return GetChosenOrNone(m_aggregator, m_aggregatorType, "PeerRule", "Aggregator");
}

void
PeerRule::SetAggregator(Ptr<Aggregator> aggregator)
{
    m_aggregator = aggregator;
}

uint64_t
PeerRule::GetSkippedMixings() const
{
    return m_mixing ? m_mixing->GetSkipped() : 0;
}

void
PeerRule::DoSetup()
{
    CheckAttributes();
    // theta_0 lies in Theta; this also checks the attributes of the projection, the next
    // line those of the noise.
    GetProjection()->Project(m_model);
    GetNoiseMechanism()->GetScale(0);
    MakeMixing();
    if (GetPrivacyLedger())
    {
        SetLedgerConstants();
    }
}

void
PeerRule::MakeMixing()
{
    if (GetAggregator())
    {
        Require(UsesMix(),
                GetName(),
                ": has no weighted sum that ",
                m_aggregator->GetInstanceTypeId().GetName(),
                " could replace; leave the attribute Aggregator as it is");
        using Missing = RobustMixing::Missing;
        m_mixing =
            std::make_unique<RobustMixing>(m_context.inNeighbors,
                                           m_aggregator,
                                           m_byzantine,
                                           m_missingLie ? Missing::BYZANTINE : Missing::ABSENT);
    }
    else
    {
        m_mixing = std::make_unique<WeightedMixing>(m_context.inNeighbors);
    }
}

void
PeerRule::SetLedgerConstants()
{
    Require(m_mixing->IsAccountable(),
            GetName(),
            ": with the aggregator ",
            m_aggregator ? m_aggregator->GetInstanceTypeId().GetName() : "",
            " and its pre-aggregations no privacy account can be kept; use "
            "ns3::dlearn::MedianAggregator or ns3::dlearn::TrimmedMeanAggregator alone, or set "
            "PrivacyLedger to ns3::dlearn::PrivacyLedger for none");
    m_ledger->Accept(GetName(), GetRecursion());
    const double smoothness = m_smoothness > 0 ? m_smoothness : m_context.task->GetSmoothness();
    Require(std::isfinite(smoothness),
            GetName(),
            ": the privacy ledger needs the Lipschitz constant L of the gradient, which ",
            m_context.task->GetInstanceTypeId().GetName(),
            " does not know; set the attribute Smoothness, or PrivacyLedger to "
            "ns3::dlearn::PrivacyLedger for none");
    GetPrivacyUnit()->Setup(m_context.stream->GetShard(), GetHistoryWindow());
    // Clipped gradients need not be those of any convex function; 2 ClipNorm above the
    // sensitivity says that nothing is ever clipped.
    const double sensitivity = m_context.task->GetSensitivity();
    const double clip = m_context.task->GetClipNorm();
    const auto convex = DynamicCast<const ConvexTask>(m_context.task);
    const bool curved = convex && (clip == 0 || 2 * clip > sensitivity);
    m_ledger->SetConstants(sensitivity,
                           smoothness,
                           curved ? convex->GetRegularization() : -1,
                           m_unit->GetUnits());
}

void
PeerRule::TakeBatch(const SampleIndices& batch)
{
    if (m_ledger)
    {
        m_unit->Take(batch);
    }
}

Outbox
PeerRule::DoSend()
{
    m_noisy = GetReleased();
    if (m_context.outNeighbors.empty())
    {
        return {};
    }
    ReleaseEvent event;
    event.round = m_round;
    event.dimension = static_cast<uint32_t>(m_noisy.size());
    event.noiseScale = m_noise->GetScale(m_round);
    event.stepSize = GetReleasedStep();
    event.law = m_noise->GetLaw();
    if (m_ledger)
    {
        TellShares(*m_unit, m_batch, event);
    }
    if (!m_pending.Request(m_ledger, event))
    {
        return {};
    }
    m_noise->Perturb(m_round, m_noisy);
    return {Address(ModelChannel::STATE, m_context.outNeighbors, Pack(m_noisy))};
}

UpdateEvent
PeerRule::GetUpdateEvent(const Inbox& inbox) const
{
    UpdateEvent event;
    event.round = m_round;
    event.stepSize = GetStepSize(m_round);
    m_mixing->Book(GetCoupling(m_round), inbox, event);
    return event;
}

void
PeerRule::DoEndRound(const Inbox& inbox)
{
    CheckHeard(GetName(),
               m_context.inNeighbors,
               inbox,
               ModelChannel::STATE,
               GetLength(ModelChannel::STATE));
    if (!HasSent())
    {
        m_noisy = GetReleased();
    }
    m_pending.Settle(m_ledger, inbox.transmitted || IsObserved());
    if (m_ledger)
    {
        UpdateEvent event = GetUpdateEvent(inbox);
        TellShares(*m_unit, m_batch, event);
        m_ledger->Update(event);
    }
    m_model = Move(inbox);
    m_projection->Project(m_model);
}

void
PeerRule::DoAbandon(bool transmitted)
{
    m_pending.Settle(m_ledger, transmitted || IsObserved());
}

ModelVector
PeerRule::Mix(const ModelVector& own, const Inbox& inbox) const
{
    return m_mixing->Mix(own, GetCoupling(m_round), inbox);
}

Ptr<const NoiseMechanism>
PeerRule::GetNoise() const
{
    return m_noise;
}

double
PeerRule::GetInWeight() const
{
    return SumWeights(m_context.inNeighbors);
}

std::vector<std::pair<LearnerId, ModelChannel>>
PeerRule::GetExpected() const
{
    std::vector<std::pair<LearnerId, ModelChannel>> expected;
    for (const auto& [neighbor, weight] : m_context.inNeighbors)
    {
        expected.emplace_back(neighbor, ModelChannel::STATE);
    }
    return expected;
}

bool
PeerRule::CanContinue() const
{
    return !m_pending.IsExhausted();
}

Ptr<const PrivacyAccount>
PeerRule::GetLedger() const
{
    return m_ledger;
}

std::vector<std::string>
PeerRule::FindWarnings() const
{
    std::vector<std::string> warnings;
    const double in = GetInWeight();
    const double out = SumWeights(m_context.outNeighbors);
    if (std::abs(in - out) > 1e-9 * (in + out))
    {
        std::ostringstream text;
        text << "Assumption 2 (1^T W = 0, W 1 = 0): the weights that the neighbours give to the "
                "learner must sum to those it gives to them, got "
             << out << " and " << in;
        warnings.push_back(text.str());
    }
    if (m_aggregator)
    {
        warnings.push_back("weighted sum of the neighbours' vectors: " +
                           m_aggregator->GetInstanceTypeId().GetName() + " in its place");
    }
    const double coupling = GetCoupling(0) * in;
    if (coupling > 1)
    {
        std::ostringstream text;
        text << "weight of the learner's own vector: gamma_0 sum_j w_ij <= 1, got " << coupling;
        warnings.push_back(text.str());
    }
    return warnings;
}

int64_t
PeerRule::AssignStreams(int64_t stream)
{
    const int64_t used = GetNoiseMechanism()->AssignStreams(stream);
    return used + (GetAggregator() ? m_aggregator->AssignStreams(stream + used) : 0);
}

SampleIndices
PeerRule::DrawBatch(uint32_t round)
{
    return m_context.stream->Draw(round);
}

ModelVector
PeerRule::Pack(const ModelVector& released)
{
    return released;
}

bool
PeerRule::UsesMix() const
{
    return true;
}

ModelVector
PeerRule::GetReleased() const
{
    return m_model;
}

double
PeerRule::GetReleasedStep() const
{
    return 0;
}

uint32_t
PeerRule::GetHistoryWindow() const
{
    return 1;
}

StateRecursion
PeerRule::GetRecursion() const
{
    return StateRecursion::OTHER;
}

double
PeerRule::GetCoupling(uint32_t) const
{
    return 1;
}

} // namespace ns3::dlearn
