/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-results.h"

#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-life-cycle.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

namespace
{

using Peers = std::vector<Ptr<PeerApplication>>;

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

double
GetNumber(const ObjectBase& object, const std::string& name)
{
    DoubleValue value;
    object.GetAttribute(name, value);
    return value.Get();
}

std::string
NameType(const Ptr<const Object>& object)
{
    return object->GetInstanceTypeId().GetName();
}

/** Add a number of each learner in each round; without rounds nothing. */
template <typename Rule>
void
AddSeries(const Peers& learners,
          uint32_t rounds,
          const std::string& name,
          double (*get)(Rule& rule, uint32_t round),
          PrivacyConstants& constants)
{
    std::map<LearnerId, std::vector<double>> all;
    for (const auto& learner : learners)
    {
        for (uint32_t round = 0; round < rounds; ++round)
        {
            all[learner->GetLearnerId()].push_back(
                get(dynamic_cast<Rule&>(*learner->GetRule()), round));
        }
    }
    if (rounds > 0)
    {
        constants[name] = all;
    }
}

void
AddWeights(const Peers& learners, PrivacyConstants& constants)
{
    std::map<LearnerId, std::map<LearnerId, double>> in;
    std::map<LearnerId, std::map<LearnerId, double>> trackerOut;
    for (const auto& learner : learners)
    {
        const LearnerContext& context = learner->GetContext();
        const Graph::Row& states = context.GetNeighbors(ModelChannel::STATE).in;
        const Graph::Row& trackers = context.GetNeighbors(ModelChannel::TRACKER).out;
        in[context.id] = {states.begin(), states.end()};
        trackerOut[context.id] = {trackers.begin(), trackers.end()};
    }
    constants["in_weights"] = in;
    if (DynamicCast<GradientTracking>(learners.front()->GetRule()))
    {
        constants["tracker_out_weights"] = trackerOut;
    }
}

void
AddPeerRule(const Peers& learners, PeerRule& rule, uint32_t rounds, PrivacyConstants& constants)
{
    constants["mechanism"] = NameType(rule.GetNoiseMechanism());
    constants["mechanism_attributes"] = ListAttributes(*rule.GetNoiseMechanism());
    if (const auto ledger = rule.GetPrivacyLedger())
    {
        constants["sensitivity"] = ledger->GetGradientSensitivity();
        constants["smoothness"] = ledger->GetSmoothness();
        constants["curvature"] = ledger->GetCurvature();
        constants["budget"] = ledger->GetBudget();
        constants["delta"] = ledger->GetDelta();
    }
    const auto add = [&](const std::string& name, double (*get)(PeerRule&, uint32_t)) {
        AddSeries(learners, rounds, name, get, constants);
    };
    add("noise_scale",
        [](PeerRule& own, uint32_t round) { return own.GetNoiseMechanism()->GetScale(round); });
    if (!rule.NeedsCommonRounds()) // in push-sum they depend on the masses under way
    {
        add("step", [](PeerRule& own, uint32_t round) { return own.GetStepSize(round); });
        add("coupling", [](PeerRule& own, uint32_t round) { return own.GetCoupling(round); });
    }
}

void
AddTracking(const Peers& learners,
            GradientTracking& rule,
            uint32_t rounds,
            PrivacyConstants& constants)
{
    constants["mechanism"] = NameType(rule.GetStateNoise());
    constants["tracker_mechanism"] = NameType(rule.GetTrackerNoise());
    constants["alpha"] = GetNumber(rule, "Alpha");
    constants["beta"] = GetNumber(rule, "Beta");
    constants["gamma"] = GetNumber(rule, "Gamma");
    if (const auto ledger = rule.GetTrackingLedger())
    {
        const TrackingConstants& known = ledger->GetConstants();
        constants["sensitivity"] = known.sensitivity;
        constants["smoothness"] = known.smoothness;
        constants["regularization"] = known.regularization;
        constants["spread"] = known.spread;
        constants["budget"] = ledger->GetBudget();
        constants["delta"] = ledger->GetDelta();
    }
    std::map<LearnerId, double> samples;
    for (const auto& learner : learners)
    {
        UintegerValue count;
        learner->GetRule()->GetAttribute("Samples", count);
        samples[learner->GetLearnerId()] = static_cast<double>(count.Get());
    }
    constants["samples"] = samples;
    const auto add = [&](const std::string& name, double (*get)(GradientTracking&, uint32_t)) {
        AddSeries(learners, rounds, name, get, constants);
    };
    add("noise_scale",
        [](GradientTracking& own, uint32_t round) { return own.GetStateNoise()->GetScale(round); });
    add("tracker_noise_scale", [](GradientTracking& own, uint32_t round) {
        return own.GetTrackerNoise()->GetScale(round);
    });
}

} // namespace

void
LinkRecord::Add(const LinkRecord& other)
{
    const auto add = [](std::optional<uint64_t>& total, const std::optional<uint64_t>& more) {
        total = total || more ? std::optional(total.value_or(0) + more.value_or(0)) : total;
    };
    txBytes += other.txBytes;
    queueDrops += other.queueDrops;
    add(loss, other.loss);
    add(again, other.again);
    queueMean += other.queueMean;
    queueWorst += other.queueWorst;
    busy += other.busy;
    rate = std::isnan(rate) ? other.rate : rate;
    snr = std::isnan(snr) ? other.snr : snr;
}

bool
IsEnd(const RunEvent& event)
{
    using Kind = LearnerEvent::Kind;
    static const std::set<std::string> ends{ToString(Kind::CRASHED),
                                            ToString(Kind::LEFT),
                                            ToString(Kind::STOPPED),
                                            ToString(Kind::BUDGET_SPENT),
                                            ToString(Kind::BATTERY_EMPTY)};
    return event.node && ends.count(event.event) > 0;
}

std::set<LearnerId>
FindEnded(const std::vector<RunEvent>& timeline)
{
    std::set<LearnerId> ended;
    for (const RunEvent& event : timeline)
    {
        if (IsEnd(event))
        {
            ended.insert(*event.node);
        }
        else if (event.node && event.event == ToString(LearnerEvent::Kind::RESTARTED))
        {
            ended.erase(*event.node);
        }
    }
    return ended;
}

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
DescribePeers(const Peers& learners, uint32_t rounds)
{
    PrivacyConstants constants;
    const Ptr<UpdateRule> rule = learners.front()->GetRule();
    constants["rule"] = NameType(rule);
    constants["rule_attributes"] = ListAttributes(*rule);
    constants["unit"] = DescribeUnit(rule);
    constants["dimension"] = static_cast<double>(rule->GetModel().size());
    AddWeights(learners, constants);
    if (const auto account = rule->GetLedger())
    {
        constants["account"] = NameType(account);
        constants["account_attributes"] = ListAttributes(*account);
    }
    if (const auto peer = DynamicCast<PeerRule>(rule))
    {
        AddPeerRule(learners, *peer, rounds, constants);
    }
    else if (const auto tracking = DynamicCast<GradientTracking>(rule))
    {
        AddTracking(learners, *tracking, rounds, constants);
    }
    return constants;
}

} // namespace ns3::dlearn
