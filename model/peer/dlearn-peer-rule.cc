/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-rule.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(PeerRule, RoundRule);

TypeId
PeerRule::AddParts(TypeId tid, const Parts& defaults, const DefaultSchedule& step)
{
    tid.AddAttribute("NoiseMechanism",
                     "The noise on every vector sent.",
                     TypeIdValue(defaults.noise),
                     MakePartAccessor(&PeerRule::m_noise, &PeerRule::IsSetUp),
                     MakePartChecker<NoiseMechanism>())
        .AddAttribute("Projection",
                      "The set that models must lie in.",
                      TypeIdValue(defaults.projection),
                      MakePartAccessor(&PeerRule::m_projection, &PeerRule::IsSetUp),
                      MakePartChecker<Projection>())
        .AddAttribute(
            "Smoothness",
            "Lipschitz constant L of one sample's gradient, for the privacy account. "
            "0 asks the task, which may know it.",
            DoubleValue(0.0),
            MakeFixedAccessor(MakeDoubleAccessor(&PeerRule::m_smoothness), &PeerRule::IsSetUp),
            MakeDoubleChecker<double>(0.0));
    AddSchedule(
        tid,
        &PeerRule::m_step,
        &PeerRule::IsSetUp,
        {"Step", "The step on the gradient, round by round.", "StepSize", "The step in round 0"},
        step);
    return AddMixing(AddPrivacy(tid, defaults.ledger, defaults.unit));
}

TypeId
PeerRule::AddMixing(TypeId tid)
{
    return tid
        .AddAttribute("Aggregator",
                      "Robust aggregation of the learner's and its neighbours' vectors, in place "
                      "of their weighted sum. ns3::dlearn::Aggregator itself for the weighted sum.",
                      TypeIdValue(Aggregator::GetTypeId()),
                      MakeOptionalPartAccessor(&PeerRule::m_aggregator, &PeerRule::IsSetUp),
                      MakePartChecker<Aggregator>())
        .AddAttribute(
            "Byzantine",
            "Most neighbours f that may be Byzantine, for robust aggregation; less "
            "than half of the learner and its neighbours.",
            UintegerValue(0),
            MakeFixedAccessor(MakeUintegerAccessor(&PeerRule::m_byzantine), &PeerRule::IsSetUp),
            MakeUintegerChecker<uint32_t>())
        .AddAttribute("MissingAreByzantine",
                      "Whether robust aggregation counts a neighbour without a message as "
                      "Byzantine; else f of the others may be.",
                      BooleanValue(false),
                      MakeFixedAccessor(MakeBooleanAccessor(&PeerRule::m_missingAreByzantine),
                                        &PeerRule::IsSetUp),
                      MakeBooleanChecker());
}

TypeId
PeerRule::AddCoupling(TypeId tid, double initial, double exponent)
{
    return AddSchedule(tid,
                       &PeerRule::m_coupling,
                       &PeerRule::IsSetUp,
                       {"Coupling",
                        "The factor on the weights, round by round.",
                        "Coupling",
                        "The factor on the weights in round 0"},
                       PowerStep(initial, exponent));
}

std::vector<Ptr<NoiseMechanism>>
PeerRule::GetMechanisms() const
{
    Require(m_noise != nullptr,
            "{}: has no parts; a rule of peers needs its own GetTypeId(), with "
            "PeerRule::AddParts()",
            GetName());
    return {m_noise};
}

void
PeerRule::DoSetup()
{
    m_step->Check();
    if (m_coupling)
    {
        m_coupling->Check();
    }
    m_projection->Project(m_model); // theta_0 lies in Theta; this also checks its attributes
    MakeMixing();
    SetUpPrivacy();
}

void
PeerRule::MakeMixing()
{
    if (!m_aggregator)
    {
        return;
    }
    Require(
        UsesMix(),
        "{}: has no weighted sum that {} could replace; leave the attribute Aggregator as it is",
        GetName(),
        m_aggregator->GetInstanceTypeId().GetName());
    ClaimPart(m_aggregator, *this);
    m_robust = std::make_unique<RobustMixing>(GetNeighbors().in,
                                              m_aggregator,
                                              m_byzantine,
                                              m_missingAreByzantine);
}

void
PeerRule::SetUpPrivacy()
{
    m_ledger = GetPrivacyLedger();
    if (!m_ledger)
    {
        return;
    }
    Require(!m_robust || m_robust->IsAccountable(),
            "{}: with the aggregator {} and its pre-aggregations no privacy account can be kept; "
            "use ns3::dlearn::MedianAggregator or ns3::dlearn::TrimmedMeanAggregator alone, or set "
            "PrivacyLedger to ns3::dlearn::PrivacyLedger for none",
            GetName(),
            m_aggregator ? m_aggregator->GetInstanceTypeId().GetName() : "");
    m_ledger->Accept(GetName(), GetRecursion());
    // A release without noise costs an infinite epsilon, whatever the constants.
    const auto known = [this](double constant) {
        const bool unknown = m_noise->IsNone() && !std::isfinite(constant);
        m_unknownConstants = m_unknownConstants || unknown;
        return unknown ? 1 : constant;
    };
    const Task& task = *m_context.task;
    const double smoothness = known(m_smoothness > 0 ? m_smoothness : task.GetSmoothness());
    Require(std::isfinite(smoothness),
            "{}: the privacy ledger needs the Lipschitz constant L of the gradient, which {} does "
            "not know; set the attribute Smoothness, or PrivacyLedger to "
            "ns3::dlearn::PrivacyLedger for none",
            GetName(),
            task.GetInstanceTypeId().GetName());
    GetPrivacyUnit()->Setup(m_context.stream->GetShard(), GetHistoryWindow());
    // Clipped gradients need not be those of a convex function; with 2 ClipNorm above the
    // sensitivity none is clipped.
    const double sensitivity = known(task.GetSensitivity());
    const double clip = task.GetClipNorm();
    const auto convex = dynamic_cast<const ConvexTask*>(&task);
    const bool curved = convex && (clip == 0 || 2 * clip > sensitivity);
    m_ledger->SetConstants(sensitivity,
                           smoothness,
                           curved ? convex->GetRegularization() : -1,
                           GetPrivacyUnit()->GetUnits());
    task.FixData();
}

void
PeerRule::TakeBatch(const SampleIndices& batch)
{
    if (m_ledger)
    {
        GetPrivacyUnit()->Take(batch);
    }
}

template <typename Event>
void
PeerRule::AddShares(Event& event) const
{
    if (m_ledger)
    {
        event.batches = GetPrivacyUnit()->GetParts(m_batch.size());
        event.shares = GetPrivacyUnit()->GetShares();
    }
}

Outbox
PeerRule::DoSend()
{
    m_noisy = GetReleased();
    const Graph::Row& neighbors = GetNeighbors().out;
    if (neighbors.empty())
    {
        return {};
    }
    ReleaseEvent event;
    event.round = m_round;
    event.dimension = static_cast<uint32_t>(m_noisy.size());
    event.noiseScale = m_noise->GetScale(m_round);
    event.stepSize = GetReleasedStep();
    event.law = m_noise->GetLaw();
    Require(!m_unknownConstants || event.noiseScale == 0,
            "{}: there was no noise at Setup(), so its privacy account has no bound of the "
            "gradients or their Lipschitz constant, and noise cannot begin during the run; got the "
            "scale {}",
            GetName(),
            event.noiseScale);
    AddShares(event);
    if (!m_pending.Request(m_ledger, event))
    {
        return {};
    }
    m_noise->Perturb(m_round, m_noisy);
    return {Address(ModelChannel::STATE, neighbors, Pack(m_noisy))};
}

UpdateEvent
PeerRule::GetUpdateEvent(const Inbox& inbox) const
{
    UpdateEvent event;
    event.round = m_round;
    event.stepSize = GetStepSize(m_round);
    const double coupling = GetCoupling(m_round);
    if (m_robust)
    {
        event.openCoupling = coupling * GetInWeight();
        return event;
    }
    const HeardWeight heard = MeasureHeard(GetNeighbors().in, inbox, ModelChannel::STATE);
    event.nominalCoupling = coupling * heard.all;
    event.realisedCoupling = coupling * heard.complete;
    event.partialCoupling = coupling * heard.partial;
    return event;
}

void
PeerRule::DoEndRound(const Inbox& inbox)
{
    if (!HasSent())
    {
        m_noisy = GetReleased();
    }
    SettleRelease(inbox.transmitted);
    if (m_ledger)
    {
        UpdateEvent event = GetUpdateEvent(inbox);
        AddShares(event);
        m_ledger->Update(event);
    }
    ModelVector model = Move(inbox);
    RequireSize(GetInstanceTypeId().GetName(),
                "the model that the rule makes",
                model.size(),
                m_model.size());
    m_model = std::move(model);
    m_projection->Project(m_model);
}

ModelVector
PeerRule::Mix(const ModelVector& own, const Inbox& inbox) const
{
    const double coupling = GetCoupling(m_round);
    return m_robust ? m_robust->Mix(own, coupling, inbox)
                    : MixHeard(own, GetNeighbors().in, inbox, ModelChannel::STATE, coupling);
}

std::vector<RuleChannel>
PeerRule::GetChannels() const
{
    return {{ModelChannel::STATE, static_cast<uint32_t>(m_model.size()), GetNeighbors()}};
}

std::vector<std::string>
PeerRule::FindWarnings() const
{
    std::vector<std::string> warnings;
    const double in = GetInWeight();
    const double out = SumWeights(GetNeighbors().out);
    if (std::abs(in - out) > 1e-9 * (in + out))
    {
        warnings.push_back(FormatText(
            "Assumption 2 (1^T W = 0, W 1 = 0): the weights that the neighbours give to the "
            "learner must sum to those it gives to them, got {} and {}",
            out,
            in));
    }
    if (m_aggregator)
    {
        warnings.push_back("weighted sum of the neighbours' vectors: " +
                           m_aggregator->GetInstanceTypeId().GetName() + " in its place");
        const size_t vectors = 1 + GetNeighbors().in.size(); // own included
        if (const auto weakness = m_aggregator->FindWeakness(m_byzantine, vectors);
            !weakness.empty())
        {
            warnings.push_back(weakness);
        }
    }
    const double coupling = GetCoupling(0) * in;
    if (coupling > 1)
    {
        warnings.push_back(
            FormatText("weight of the learner's own vector: gamma_0 sum_j w_ij <= 1, got {}",
                       coupling));
    }
    if (GetPrivacyLedger())
    {
        AddSmoothnessWarning("Smoothness", m_smoothness, warnings);
    }
    return warnings;
}

int64_t
PeerRule::AssignStreams(int64_t stream)
{
    const int64_t used = RoundRule::AssignStreams(stream);
    return used + (m_aggregator ? m_aggregator->AssignStreams(stream + used) : 0);
}

ModelVector
PeerRule::GetReleased() const
{
    const double step = GetReleasedStep();
    return step == 0 ? m_model : ModelVector(m_model - step * m_gradient);
}
} // namespace ns3::dlearn
