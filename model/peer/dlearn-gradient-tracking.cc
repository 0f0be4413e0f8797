/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-tracking.h"

#include "dlearn-inbox-sums.h"
#include "dlearn-tracking-conditions.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-chosen-object.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/double.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(GradientTracking);

namespace
{

const char* const NAME = "GradientTracking"; //!< for messages

} // namespace

TypeId
GradientTracking::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::GradientTracking")
            .SetParent<RoundRule>()
            .SetGroupName("Dlearn")
            .AddConstructor<GradientTracking>()
            .AddAttribute("Alpha",
                          "alpha_K: coupling of the states; times sum_j R_ij it should stay "
                          "below 1.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&GradientTracking::m_alpha),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Beta",
                          "beta_K: coupling of the trackers; times sum_j C_ji it should stay "
                          "below 1.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&GradientTracking::m_beta),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Gamma",
                          "gamma_K: step along the tracker.",
                          DoubleValue(0.05),
                          MakeDoubleAccessor(&GradientTracking::m_gamma),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Samples",
                          "m_K: different samples of a round's gradient. 0 for the whole shard.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&GradientTracking::m_samples),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("StateNoise",
                          "Kind of noise on the states sent; one object is made for each learner.",
                          TypeIdValue(LaplaceMechanism::GetTypeId()),
                          MakeTypeIdAccessor(&GradientTracking::m_stateNoiseType),
                          MakeTypeIdChecker())
            .AddAttribute("TrackerNoise",
                          "Kind of noise on the trackers sent; one object is made for each "
                          "learner.",
                          TypeIdValue(LaplaceMechanism::GetTypeId()),
                          MakeTypeIdAccessor(&GradientTracking::m_trackerNoiseType),
                          MakeTypeIdChecker())
            .AddAttribute("PrivacyLedger",
                          "Kind of privacy account, ns3::dlearn::GradientTrackingLedger; one "
                          "object is made for each learner. ns3::dlearn::PrivacyAccount for none.",
                          TypeIdValue(GradientTrackingLedger::GetTypeId()),
                          MakeTypeIdAccessor(&GradientTracking::m_ledgerType),
                          MakeTypeIdChecker())
            .AddAttribute("PrivacyUnit",
                          "Kind of unit that the privacy account protects; one object is made for "
                          "each learner.",
                          TypeIdValue(SampleUnit::GetTypeId()),
                          MakeTypeIdAccessor(&GradientTracking::m_unitType),
                          MakeTypeIdChecker())
            .AddAttribute("LossCompensation",
                          "What trackers are sent as, so that lost messages may do no harm; one "
                          "object is made for each learner.",
                          TypeIdValue(NoCompensation::GetTypeId()),
                          MakeTypeIdAccessor(&GradientTracking::m_compensationType),
                          MakeTypeIdChecker());
    return tid;
}

GradientTracking::GradientTracking() = default;

GradientTracking::~GradientTracking() = default;

Ptr<NoiseMechanism>
GradientTracking::GetStateNoise()
{
    return GetChosen(m_stateNoise, m_stateNoiseType, NAME, "StateNoise");
}

Ptr<NoiseMechanism>
GradientTracking::GetTrackerNoise()
{
    return GetChosen(m_trackerNoise, m_trackerNoiseType, NAME, "TrackerNoise");
}

Ptr<GradientTrackingLedger>
GradientTracking::GetTrackingLedger()
{
    if (!m_ledger && m_ledgerType != PrivacyAccount::GetTypeId())
    {
        m_ledger = DynamicCast<GradientTrackingLedger>(
            CreateChosen<PrivacyAccount>(m_ledgerType, NAME, "PrivacyLedger"));
        Require(m_ledger != nullptr,
                NAME,
                ": PrivacyLedger must be ns3::dlearn::GradientTrackingLedger or, for none, "
                "ns3::dlearn::PrivacyAccount, got ",
                m_ledgerType.GetName());
    }
    return m_ledger;
}

Ptr<PrivacyUnit>
GradientTracking::GetPrivacyUnit()
{
    return GetChosen(m_unit, m_unitType, NAME, "PrivacyUnit");
}

Ptr<LossCompensation>
GradientTracking::GetLossCompensation()
{
    return GetChosen(m_compensation, m_compensationType, NAME, "LossCompensation");
}

void
GradientTracking::CheckAttributes()
{
    RequireNonNegative(NAME, "Alpha", m_alpha);
    RequireNonNegative(NAME, "Beta", m_beta);
    RequireNonNegative(NAME, "Gamma", m_gamma);
    const size_t shard = m_context.stream->GetShard().size();
    Require(shard > 0, NAME, ": SetShard() of the sample stream must come before Setup()");
    Require(m_samples <= shard,
            NAME,
            ": Samples must be at most the size of the learner's shard, ",
            shard,
            ", as they are drawn without replacement, got ",
            m_samples);
    m_samples = m_samples == 0 ? static_cast<uint32_t>(shard) : m_samples;
    GetStateNoise()->GetScale(0); // checks its attributes
    GetTrackerNoise()->GetScale(0);
    GetLossCompensation();
}

void
GradientTracking::DoSetup()
{
    CheckAttributes();
    m_tracker = ModelVector::Zero(m_model.size());
    m_tracked = ModelVector::Zero(m_model.size());
    if (GetTrackingLedger())
    {
        GetPrivacyUnit()->Setup(m_context.stream->GetShard(), 1);
        TrackingConstants constants;
        constants.sensitivity = m_context.task->GetSensitivity();
        constants.samples = m_unit->GetParts(m_samples);
        constants.smoothness = m_context.task->GetSmoothness();
        constants.regularization = m_context.task->GetRegularization();
        constants.spread = constants.sensitivity; // Task::GetSensitivity() is over all states
        constants.units = m_unit->GetUnits();
        m_ledger->SetConstants(constants);
    }
}

std::vector<std::string>
GradientTracking::FindWarnings() const
{
    LearnerTracking learner;
    learner.alpha = m_alpha;
    learner.beta = m_beta;
    learner.inWeight = SumWeights(m_context.inNeighbors);
    learner.outWeight = SumWeights(m_context.trackerOut);
    auto warnings = FindViolations(learner);
    if (m_ledger && m_ledger->IsPrinted())
    {
        warnings.push_back("a privacy account that is a bound: with Smoothness 0 of the "
                           "GradientTrackingLedger it is Lemma 2 as printed, and two runs may be "
                           "farther apart than it says");
    }
    return warnings;
}

SampleIndices
GradientTracking::DrawBatch(uint32_t round)
{
    return m_context.stream->DrawDistinct(round, m_samples);
}

void
GradientTracking::Track()
{
    m_tracker += m_gradient - m_tracked;
    m_tracked = m_gradient;
    if (m_ledger)
    {
        m_unit->Take(m_batch);
        m_ledger->Refresh(m_round, m_unit->GetShares());
    }
}

Outbox
GradientTracking::DoSend()
{
    Track();
    TrackingRelease release;
    release.round = m_round;
    release.dimension = static_cast<uint32_t>(m_model.size());
    release.state = !m_context.outNeighbors.empty();
    release.tracker = !m_context.trackerOut.empty();
    release.stateScale = m_stateNoise->GetScale(m_round);
    release.trackerScale = m_trackerNoise->GetScale(m_round);
    release.stateLaw = m_stateNoise->GetLaw();
    release.trackerLaw = m_trackerNoise->GetLaw();
    Outbox outbox;
    if ((!release.state && !release.tracker) || !m_pending.Request(m_ledger, release))
    {
        return outbox;
    }
    if (release.state)
    {
        ModelVector noisy = m_model;
        m_stateNoise->Perturb(m_round, noisy);
        outbox.push_back(Address(ModelChannel::STATE, m_context.outNeighbors, std::move(noisy)));
    }
    if (release.tracker)
    {
        ModelVector noisy = m_tracker;
        m_trackerNoise->Perturb(m_round, noisy);
        outbox.push_back(
            Address(ModelChannel::TRACKER, m_context.trackerOut, m_compensation->Push(noisy)));
    }
    return outbox;
}

/**
 * Book what was sent in this round, once, and say what became of the mass.
 *
 * @param transmitted whether any of it left the node
 * @return the part of the tracker that was pushed
 */
double
GradientTracking::Settle(bool transmitted)
{
    const auto release = m_pending.Settle(m_ledger, transmitted || IsObserved());
    if (!release || !release->tracker)
    {
        return 0;
    }
    if (transmitted)
    {
        return m_beta * SumWeights(m_context.trackerOut);
    }
    m_compensation->Revoke();
    return 0;
}

TrackingUpdate
GradientTracking::GetUpdate(double push) const
{
    TrackingUpdate update;
    update.round = m_round;
    update.nominalPush = m_beta * SumWeights(m_context.trackerOut);
    update.realisedPush = push;
    return update;
}

void
GradientTracking::DoEndRound(const Inbox& inbox)
{
    const auto size = static_cast<size_t>(m_model.size());
    CheckHeard(NAME, m_context.inNeighbors, inbox, ModelChannel::STATE, size);
    CheckHeard(NAME, m_context.trackerIn, inbox, ModelChannel::TRACKER, size);
    if (!HasSent())
    {
        Track(); // a learner that listens only
    }
    const double push = Settle(inbox.transmitted);
    if (m_ledger)
    {
        const HeardWeight heard = MeasureHeard(m_context.inNeighbors, inbox, ModelChannel::STATE);
        TrackingUpdate update = GetUpdate(push);
        update.stepSize = m_gamma;
        update.nominalCoupling = m_alpha * heard.all;
        update.realisedCoupling = m_alpha * heard.complete;
        update.partialCoupling = m_alpha * heard.partial;
        m_ledger->Update(update);
    }
    m_model = MixHeard(m_model, m_context.inNeighbors, inbox, ModelChannel::STATE, m_alpha) -
              m_gamma * m_tracker;
    m_tracker *= 1 - push;
    for (const auto& [neighbor, weight] : m_context.trackerIn)
    {
        if (const Arrival* arrival = inbox.Find(neighbor, ModelChannel::TRACKER))
        {
            m_tracker += m_beta * weight * m_compensation->Accept(neighbor, *arrival);
        }
    }
}

void
GradientTracking::DoAbandon(bool transmitted)
{
    if (!m_pending.IsPending())
    {
        return;
    }
    const double push = Settle(transmitted);
    m_tracker *= 1 - push;
    if (m_ledger)
    {
        m_ledger->Update(GetUpdate(push)); // the state did not move
    }
}

std::vector<std::pair<LearnerId, ModelChannel>>
GradientTracking::GetExpected() const
{
    std::vector<std::pair<LearnerId, ModelChannel>> expected;
    for (const auto& [neighbor, weight] : m_context.inNeighbors)
    {
        expected.emplace_back(neighbor, ModelChannel::STATE);
    }
    for (const auto& [neighbor, weight] : m_context.trackerIn)
    {
        expected.emplace_back(neighbor, ModelChannel::TRACKER);
    }
    std::sort(expected.begin(), expected.end());
    return expected;
}

bool
GradientTracking::CanContinue() const
{
    return !m_pending.IsExhausted();
}

Ptr<const PrivacyAccount>
GradientTracking::GetLedger() const
{
    return m_ledger;
}

int64_t
GradientTracking::AssignStreams(int64_t stream)
{
    const int64_t used = GetStateNoise()->AssignStreams(stream);
    return used + GetTrackerNoise()->AssignStreams(stream + used);
}

const ModelVector&
GradientTracking::GetTracker() const
{
    return m_tracker;
}

const ModelVector&
GradientTracking::GetTrackedGradient() const
{
    return m_tracked;
}

Graph::Row
GradientTracking::GetTrackerWeights() const
{
    Graph::Row weights = m_context.trackerIn;
    for (auto& [neighbor, weight] : weights)
    {
        weight *= m_beta;
    }
    return weights;
}

} // namespace ns3::dlearn
