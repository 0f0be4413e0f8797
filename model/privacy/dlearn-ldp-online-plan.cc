/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online-plan.h"

#include "dlearn-ldp-online-ledgers.h"
#include "dlearn-privacy-unit.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <numeric>

namespace ns3::dlearn
{

namespace
{

/**
 * Passes through a learner's data in one order. The first record is drawn as early and as often
 * as passes allow, so its share of the whole history, and with it its account, is the largest of
 * all orders. That is not so of a window.
 */
class Passes
{
  public:
    explicit Passes(const LdpOnlinePlan& plan)
        : m_samples(plan.samples),
          m_batch(plan.batch)
    {
        Require(plan.samples >= 1, "PlanEpsilon: samples must be at least 1, got 0");
        Require(plan.batch >= 1, "PlanEpsilon: batch must be at least 1, got 0");
    }

    /** @return positions of all samples */
    SampleIndices GetShard() const
    {
        SampleIndices shard(m_samples);
        std::iota(shard.begin(), shard.end(), 0U);
        return shard;
    }

    /** @return the next batch */
    const SampleIndices& Draw()
    {
        for (uint32_t& position : m_batch)
        {
            position = m_next;
            m_next = m_next + 1 < m_samples ? m_next + 1 : 0;
        }
        return m_batch;
    }

  private:
    uint32_t m_samples;    //!< of the learner
    uint32_t m_next{0};    //!< position to be drawn next
    SampleIndices m_batch; //!< drawn last
};

/** @return an object of a type that derives from Base */
template <typename Base>
Ptr<Base>
CreatePlanned(TypeId type, const char* name)
{
    Require(type.IsChildOf(Base::GetTypeId()) && type.HasConstructor(),
            "PlanEpsilon: ",
            name,
            " must be a ",
            Base::GetTypeId().GetName().substr(Base::GetTypeId().GetName().rfind(':') + 1),
            ", got ",
            type.GetName());
    ObjectFactory factory;
    factory.SetTypeId(type);
    return factory.Create<Base>();
}

} // namespace

LdpOnlinePlan::LdpOnlinePlan()
    : ledger(LdpOnlineRefinedLedger::GetTypeId()),
      unit(BatchUnit::GetTypeId())
{
}

double
PlanEpsilon(const LdpOnlinePlan& plan, const PlannedLearner& learner)
{
    RequireNonNegative("PlanEpsilon", "noiseScale", learner.noiseScale);
    const auto ledger = CreatePlanned<PrivacyLedger>(plan.ledger, "ledger");
    const auto unit = CreatePlanned<PrivacyUnit>(plan.unit, "unit");
    Require(plan.unit != SampleUnit::GetTypeId() || plan.historyWindow == 0,
            "PlanEpsilon: a history window must be 0 for SampleUnit, as what a record costs then "
            "depends on the order of the draws; got ",
            plan.historyWindow);
    Passes passes(plan);
    unit->Setup(passes.GetShard(), plan.historyWindow);
    ledger->SetAttribute("Delta", DoubleValue(plan.delta));
    ledger->SetConstants(plan.sensitivity, plan.smoothness, plan.curvature, unit->GetUnits());
    for (uint32_t t = 0; t < plan.rounds; ++t)
    {
        unit->Take(passes.Draw());
        ReleaseEvent release;
        release.round = t;
        release.dimension = plan.dimension;
        release.law = plan.law;
        release.batches = unit->GetParts(plan.batch);
        release.shares = unit->GetShares();
        release.noiseScale = PowerLaw(learner.noiseScale, learner.noiseExponent, t);
        ledger->Release(release, true);

        UpdateEvent update;
        update.round = t;
        update.stepSize = PowerLaw(plan.stepSize, -plan.stepExponent, t);
        update.nominalCoupling =
            PowerLaw(plan.coupling, -plan.couplingExponent, t) * learner.inWeight;
        update.realisedCoupling = update.nominalCoupling;
        update.batches = release.batches;
        update.shares = release.shares;
        ledger->Update(update);
    }
    return ledger->GetEpsilon();
}

double
PlanNoiseScale(const LdpOnlinePlan& plan, const PlannedLearner& learner, double target)
{
    RequirePositive("PlanNoiseScale", "target epsilon", target);
    PlannedLearner unit = learner;
    unit.noiseScale = 1;
    const double epsilon = PlanEpsilon(plan, unit);
    Require(std::isfinite(epsilon),
            "PlanNoiseScale: no noise meets the target ",
            target,
            ": epsilon is ",
            epsilon,
            " for scale 1");
    if (plan.law == NoiseLaw::LAPLACE || epsilon == 0)
    {
        return epsilon / target;
    }
    // Epsilon falls as the scale grows, between linearly and with its square.
    const auto meets = [&](double scale) {
        unit.noiseScale = scale;
        return PlanEpsilon(plan, unit) <= target;
    };
    double enough = 1;
    while (!meets(enough))
    {
        enough *= 2;
    }
    double tooLittle = enough / 2;
    while (tooLittle > 1e-300 && meets(tooLittle))
    {
        enough = tooLittle;
        tooLittle /= 2;
    }
    while (enough - tooLittle > 1e-9 * enough)
    {
        const double middle = (enough + tooLittle) / 2;
        (meets(middle) ? enough : tooLittle) = middle;
    }
    return enough;
}

} // namespace ns3::dlearn
