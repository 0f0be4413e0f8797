/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-tracking.h"

#include "dlearn-mixing.h"
#include "dlearn-tracking-scheme.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(LossCompensation, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(NoCompensation, LossCompensation);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(RunningSum, LossCompensation);

ModelVector
LossCompensation::Accept(LearnerId sender, const Arrival& arrival)
{
    const auto [newest, first] = m_newest.try_emplace(sender, arrival.round);
    if (!first)
    {
        if (arrival.round <= newest->second)
        {
            // its mass must not count twice
            return ModelVector::Zero(arrival.values.size());
        }
        newest->second = arrival.round;
    }
    return Extract(sender, arrival);
}

ModelVector
RunningSum::Push(const ModelVector& mass)
{
    if (m_sum.size() == 0)
    {
        m_sum = ModelVector::Zero(mass.size());
        m_carry = m_sum;
    }
    m_before = m_sum;
    m_carryBefore = m_carry;
    // Kahan's summation, or the sums would drift from the mass taken from the tracker.
    const ModelVector addend = mass - m_carry;
    m_sum += addend;
    m_carry = (m_sum - m_before) - addend;
    return m_sum;
}

void
RunningSum::Revoke()
{
    m_sum = m_before; // to the last bit, which subtracting would not be
    m_carry = m_carryBefore;
}

ModelVector
RunningSum::Extract(LearnerId sender, const Arrival& arrival)
{
    const auto [found, first] = m_seen.try_emplace(sender);
    AcceptedMass& seen = found->second;
    const auto size = static_cast<size_t>(arrival.values.size());
    if (first)
    {
        seen.values = ModelVector::Zero(arrival.values.size());
        seen.rounds.assign(size, AcceptedMass::NEVER);
    }
    ModelVector gained = ModelVector::Zero(seen.values.size());
    for (size_t k = 0; k < size; ++k)
    {
        if (arrival.IsComplete() || arrival.present[k])
        {
            gained[k] = arrival.values[k] - seen.values[k];
            seen.values[k] = arrival.values[k];
            seen.rounds[k] = arrival.round;
        }
    }
    return gained;
}

const AcceptedMass*
RunningSum::GetAccepted(LearnerId sender) const
{
    const auto found = m_seen.find(sender);
    return found == m_seen.end() ? nullptr : &found->second;
}

NS_OBJECT_ENSURE_REGISTERED(GradientTracking);

namespace
{

const char* const NAME = "GradientTracking"; //!< for messages

} // namespace

TypeId
GradientTracking::GetTypeId()
{
    static TypeId tid =
        AddPrivacy(MakeTypeId<GradientTracking, RoundRule>("ns3::dlearn::GradientTracking"),
                   GradientTrackingLedger::GetTypeId(),
                   SampleUnit::GetTypeId())
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
                          "m_K: different samples of a round's gradient; 0: the whole shard.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&GradientTracking::m_samples),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "StateNoise",
                "The noise on the states sent.",
                TypeIdValue(LaplaceMechanism::GetTypeId()),
                MakePartAccessor(&GradientTracking::m_stateNoise, &GradientTracking::IsSetUp),
                MakePartChecker<NoiseMechanism>())
            .AddAttribute(
                "TrackerNoise",
                "The noise on the trackers sent.",
                TypeIdValue(LaplaceMechanism::GetTypeId()),
                MakePartAccessor(&GradientTracking::m_trackerNoise, &GradientTracking::IsSetUp),
                MakePartChecker<NoiseMechanism>())
            .AddAttribute(
                "LossCompensation",
                "The encoding of sent trackers, which may compensate for lost messages.",
                TypeIdValue(NoCompensation::GetTypeId()),
                MakePartAccessor(&GradientTracking::m_compensation, &GradientTracking::IsSetUp),
                MakePartChecker<LossCompensation>());
    return tid;
}

std::vector<RuleChannel>
GradientTracking::GetChannels() const
{
    const auto length = static_cast<uint32_t>(m_model.size());
    return {{ModelChannel::STATE, length, GetNeighbors()},
            {ModelChannel::TRACKER, length, GetNeighbors(ModelChannel::TRACKER)}};
}

void
GradientTracking::DoSetup()
{
    const size_t shard = m_context.stream->GetShard().size();
    Require(shard > 0, "{}: SetShard() of the sample stream must come before Setup()", NAME);
    Require(m_samples <= shard,
            "{}: Samples must be at most the size of the learner's shard, {}, as they are drawn "
            "without replacement, got {}",
            NAME,
            shard,
            m_samples);
    m_samples = m_samples == 0 ? static_cast<uint32_t>(shard) : m_samples;
    ClaimPart(m_compensation, *this);
    m_tracker = ModelVector::Zero(m_model.size());
    m_tracked = ModelVector::Zero(m_model.size());
    m_ledger = GetTrackingLedger();
    if (m_ledger)
    {
        GetPrivacyUnit()->Setup(m_context.stream->GetShard(), 1);
        TrackingConstants constants;
        constants.sensitivity = m_context.task->GetSensitivity();
        constants.samples = GetPrivacyUnit()->GetParts(m_samples);
        constants.smoothness = m_context.task->GetSmoothness();
        constants.regularization = m_context.task->GetRegularization();
        constants.spread = constants.sensitivity; // Task::GetSensitivity() is over all states
        constants.units = GetPrivacyUnit()->GetUnits();
        m_ledger->SetConstants(constants);
        m_context.task->FixData();
    }
}

std::vector<std::string>
GradientTracking::FindWarnings() const
{
    LearnerTracking learner;
    learner.alpha = m_alpha;
    learner.beta = m_beta;
    learner.inWeight = SumWeights(GetNeighbors().in);
    learner.outWeight = SumWeights(GetNeighbors(ModelChannel::TRACKER).out);
    auto warnings = FindViolations(learner);
    if (m_ledger && m_ledger->IsPrinted())
    {
        warnings.push_back("a privacy account that is a bound: with Smoothness 0 of the "
                           "GradientTrackingLedger it is Lemma 2 as printed, and two runs may be "
                           "farther apart than it says");
    }
    else if (m_ledger)
    {
        AddSmoothnessWarning("Smoothness of the GradientTrackingLedger",
                             m_ledger->GetSmoothness(),
                             warnings);
    }
    if (m_ledger && m_ledger->HasOneNorm())
    {
        warnings.push_back("a privacy account that is a bound: with OneNorm of the "
                           "GradientTrackingLedger it takes the sensitivity for one of 1-norms, "
                           "while tasks clip and bound the Euclidean norm");
    }
    return warnings;
}

void
GradientTracking::Track()
{
    m_tracker += m_gradient - m_tracked;
    m_tracked = m_gradient;
    if (m_ledger)
    {
        GetPrivacyUnit()->Take(m_batch);
        m_ledger->Refresh(m_round, GetPrivacyUnit()->GetShares());
    }
}

Outbox
GradientTracking::DoSend()
{
    Track();
    TrackingRelease release;
    release.round = m_round;
    release.dimension = static_cast<uint32_t>(m_model.size());
    release.state = !GetNeighbors().out.empty();
    release.tracker = !GetNeighbors(ModelChannel::TRACKER).out.empty();
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
        outbox.push_back(Address(ModelChannel::STATE, GetNeighbors().out, std::move(noisy)));
    }
    if (release.tracker)
    {
        ModelVector noisy = m_tracker;
        m_trackerNoise->Perturb(m_round, noisy);
        outbox.push_back(Address(ModelChannel::TRACKER,
                                 GetNeighbors(ModelChannel::TRACKER).out,
                                 m_compensation->Push(noisy)));
    }
    return outbox;
}

double
GradientTracking::Settle(bool transmitted)
{
    if (!SettleRelease(transmitted) || GetNeighbors(ModelChannel::TRACKER).out.empty())
    {
        return 0;
    }
    if (transmitted)
    {
        return m_beta * SumWeights(GetNeighbors(ModelChannel::TRACKER).out);
    }
    m_compensation->Revoke();
    return 0;
}

TrackingUpdate
GradientTracking::GetUpdate(double push) const
{
    TrackingUpdate update;
    update.round = m_round;
    update.nominalPush = m_beta * SumWeights(GetNeighbors(ModelChannel::TRACKER).out);
    update.realisedPush = push;
    return update;
}

void
GradientTracking::DoEndRound(const Inbox& inbox)
{
    if (!HasSent())
    {
        Track(); // the learner only listens
    }
    const double push = Settle(inbox.transmitted);
    if (m_ledger)
    {
        const HeardWeight heard = MeasureHeard(GetNeighbors().in, inbox, ModelChannel::STATE);
        TrackingUpdate update = GetUpdate(push);
        update.stepSize = m_gamma;
        update.nominalCoupling = m_alpha * heard.all;
        update.realisedCoupling = m_alpha * heard.complete;
        update.partialCoupling = m_alpha * heard.partial;
        m_ledger->Update(update);
    }
    m_model = MixHeard(m_model, GetNeighbors().in, inbox, ModelChannel::STATE, m_alpha) -
              m_gamma * m_tracker;
    m_tracker *= 1 - push;
    for (const auto& [neighbor, weight] : GetNeighbors(ModelChannel::TRACKER).in)
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

Graph::Row
GradientTracking::GetTrackerWeights() const
{
    Graph::Row weights = GetNeighbors(ModelChannel::TRACKER).in;
    for (auto& [neighbor, weight] : weights)
    {
        weight *= m_beta;
    }
    return weights;
}

} // namespace ns3::dlearn
