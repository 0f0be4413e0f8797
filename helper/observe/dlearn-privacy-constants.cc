/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-privacy-constants.h"

#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <functional>

namespace ns3::dlearn
{

namespace
{

/** @return names and values of all attributes of an object that have a value to show */
std::map<std::string, std::string>
ListAttributes(const ObjectBase& object)
{
    std::map<std::string, std::string> values;
    for (TypeId type = object.GetInstanceTypeId(); type != Object::GetTypeId();
         type = type.GetParent())
    {
        for (size_t k = 0; k < type.GetAttributeN(); ++k)
        {
            const TypeId::AttributeInformation info = type.GetAttribute(k);
            Ptr<AttributeValue> value = info.checker->Create();
            if (DynamicCast<PointerValue>(value))
            {
                value = Create<TypeIdValue>(); // of a part, see MakePartAccessor()
            }
            if (object.GetAttributeFailSafe(info.name, *value))
            {
                values[info.name] = value->SerializeToString(info.checker);
            }
        }
    }
    return values;
}

/** @return the value of a number that is an attribute */
double
GetNumber(const ObjectBase& object, const std::string& name)
{
    DoubleValue value;
    object.GetAttribute(name, value);
    return value.Get();
}

/** @return the weights of neighbours, by their number */
std::map<LearnerId, double>
MakeMap(const Graph::Row& row)
{
    return {row.begin(), row.end()};
}

/** Makes the constants of a run of peers. */
class PeerDescription
{
  public:
    /**
     * @param learners the peers
     * @param rounds for how many rounds to tell what changes with the round
     */
    PeerDescription(const std::vector<Ptr<PeerApplication>>& learners, uint32_t rounds)
        : m_learners(learners),
          m_rounds(rounds)
    {
    }

    /** @return the constants */
    PrivacyConstants Make()
    {
        const Ptr<UpdateRule> rule = m_learners.front()->GetRule();
        m_constants["rule"] = rule->GetInstanceTypeId().GetName();
        m_constants["rule_attributes"] = ListAttributes(*rule);
        m_constants["unit"] = DescribeUnit(rule);
        m_constants["dimension"] = static_cast<double>(rule->GetModel().size());
        AddWeights();
        if (const auto account = rule->GetLedger())
        {
            m_constants["account"] = account->GetInstanceTypeId().GetName();
            m_constants["account_attributes"] = ListAttributes(*account);
        }
        if (const auto peer = DynamicCast<PeerRule>(rule))
        {
            AddPeerRule(*peer);
        }
        else if (const auto tracking = DynamicCast<GradientTracking>(rule))
        {
            AddTracking(*tracking);
        }
        return std::move(m_constants);
    }

  private:
    /** A number of a learner in a round. */
    using Series = std::function<double(const Ptr<UpdateRule>&, uint32_t)>;

    void AddSeries(const std::string& name, const Series& series)
    {
        if (m_rounds == 0)
        {
            return;
        }
        std::map<LearnerId, std::vector<double>> all;
        for (const auto& learner : m_learners)
        {
            std::vector<double>& values = all[learner->GetLearnerId()];
            for (uint32_t round = 0; round < m_rounds; ++round)
            {
                values.push_back(series(learner->GetRule(), round));
            }
        }
        m_constants[name] = all;
    }

    void AddWeights()
    {
        std::map<LearnerId, std::map<LearnerId, double>> in;
        std::map<LearnerId, std::map<LearnerId, double>> trackerOut;
        for (const auto& learner : m_learners)
        {
            const LearnerContext& context = learner->GetContext();
            in[context.id] = MakeMap(context.GetNeighbors(ModelChannel::STATE).in);
            trackerOut[context.id] = MakeMap(context.GetNeighbors(ModelChannel::TRACKER).out);
        }
        m_constants["in_weights"] = in;
        if (DynamicCast<GradientTracking>(m_learners.front()->GetRule()))
        {
            m_constants["tracker_out_weights"] = trackerOut;
        }
    }

    void AddPeerRule(PeerRule& rule)
    {
        m_constants["mechanism"] = rule.GetNoiseMechanism()->GetInstanceTypeId().GetName();
        m_constants["mechanism_attributes"] = ListAttributes(*rule.GetNoiseMechanism());
        if (const auto ledger = rule.GetPrivacyLedger())
        {
            m_constants["sensitivity"] = ledger->GetGradientSensitivity();
            m_constants["smoothness"] = ledger->GetSmoothness();
            m_constants["curvature"] = ledger->GetCurvature();
            m_constants["budget"] = ledger->GetBudget();
            m_constants["delta"] = ledger->GetDelta();
        }
        AddSeries("noise_scale", [](const Ptr<UpdateRule>& r, uint32_t round) {
            return DynamicCast<PeerRule>(r)->GetNoiseMechanism()->GetScale(round);
        });
        if (rule.NeedsCommonRounds())
        {
            return; // step and coupling of push-sum are of the masses on the way
        }
        AddSeries("step", [](const Ptr<UpdateRule>& r, uint32_t round) {
            return DynamicCast<PeerRule>(r)->GetStepSize(round);
        });
        AddSeries("coupling", [](const Ptr<UpdateRule>& r, uint32_t round) {
            return DynamicCast<PeerRule>(r)->GetCoupling(round);
        });
    }

    void AddTracking(GradientTracking& rule)
    {
        m_constants["mechanism"] = rule.GetStateNoise()->GetInstanceTypeId().GetName();
        m_constants["tracker_mechanism"] = rule.GetTrackerNoise()->GetInstanceTypeId().GetName();
        m_constants["alpha"] = GetNumber(rule, "Alpha");
        m_constants["beta"] = GetNumber(rule, "Beta");
        m_constants["gamma"] = GetNumber(rule, "Gamma");
        if (const auto ledger = rule.GetTrackingLedger())
        {
            const TrackingConstants& constants = ledger->GetConstants();
            m_constants["sensitivity"] = constants.sensitivity;
            m_constants["smoothness"] = constants.smoothness;
            m_constants["regularization"] = constants.regularization;
            m_constants["spread"] = constants.spread;
            m_constants["budget"] = ledger->GetBudget();
            m_constants["delta"] = ledger->GetDelta();
        }
        std::map<LearnerId, double> samples;
        for (const auto& learner : m_learners)
        {
            UintegerValue count;
            learner->GetRule()->GetAttribute("Samples", count);
            samples[learner->GetLearnerId()] = static_cast<double>(count.Get());
        }
        m_constants["samples"] = samples;
        AddSeries("noise_scale", [](const Ptr<UpdateRule>& r, uint32_t round) {
            return DynamicCast<GradientTracking>(r)->GetStateNoise()->GetScale(round);
        });
        AddSeries("tracker_noise_scale", [](const Ptr<UpdateRule>& r, uint32_t round) {
            return DynamicCast<GradientTracking>(r)->GetTrackerNoise()->GetScale(round);
        });
    }

    const std::vector<Ptr<PeerApplication>>& m_learners; //!< the peers
    uint32_t m_rounds;                                   //!< for how many rounds
    PrivacyConstants m_constants;                        //!< so far
};

} // namespace

std::string
DescribeUnit(const Ptr<UpdateRule>& rule)
{
    Ptr<PrivacyUnit> unit;
    if (const auto peer = DynamicCast<PeerRule>(rule))
    {
        unit = peer->GetPrivacyUnit();
    }
    else if (const auto tracking = DynamicCast<GradientTracking>(rule))
    {
        unit = tracking->GetPrivacyUnit();
    }
    if (!unit || !rule->GetLedger())
    {
        return "none";
    }
    return DynamicCast<SampleUnit>(unit)  ? "sample"
           : DynamicCast<BatchUnit>(unit) ? "batch"
                                          : "learner";
}

PrivacyConstants
DescribePeers(const std::vector<Ptr<PeerApplication>>& learners, uint32_t rounds)
{
    return PeerDescription(learners, rounds).Make();
}

} // namespace ns3::dlearn
