/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-attack.h"

#include "dlearn-component-parser.h"
#include "dlearn-quantity-parser.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-equivocating-behavior.h"
#include "ns3/dlearn-malformed-behavior.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3
{
namespace dlearn
{

namespace
{

/**
 * @param text a whole number of at least 1
 * @param attack for the message
 * @return the number
 */
uint32_t
ParseCount(const std::string& text, const std::string& attack)
{
    const uint32_t count = ParseWholeNumber(text).value_or(0);
    Require(count >= 1, "attack ", attack, " needs a whole number of at least 1, got '", text, "'");
    return count;
}

/**
 * @param text a number of at least 0
 * @param attack for the message
 * @return the number
 */
double
ParseScale(const std::string& text, const std::string& attack)
{
    const double scale = ParseNumber(text).value_or(-1);
    Require(scale >= 0, "attack ", attack, " needs a number of at least 0, got '", text, "'");
    return scale;
}

/** An attack that is no Attack. */
struct OtherAttack
{
    std::string name;     //!< as the user writes it
    std::string argument; //!< what follows, for people; empty when nothing may

    /** Makes the behaviour of the argument; null for none. */
    Ptr<LearnerBehavior> (*create)(const std::string& argument);
};

/** @return all of them */
const std::vector<OtherAttack>&
GetOtherAttacks()
{
    using Text = const std::string&;
    using Made = Ptr<LearnerBehavior>;
    static const std::vector<OtherAttack> others{
        {"none", "", [](Text) -> Made { return nullptr; }},
        {"LabelFlip", "", [](Text) -> Made { return CreateObject<PlainBehavior>(); }},
        {"silent", "", [](Text) -> Made { return CreateObject<SilentBehavior>(); }},
        {"delay",
         "TIME",
         [](Text text) -> Made {
             const Time delay = ParseTime("attack delay", text);
             return CreateObjectWithAttributes<DelayingBehavior>("Delay", TimeValue(delay));
         }},
        {"replay",
         "ROUNDS",
         [](Text text) -> Made {
             const uint32_t age = ParseCount(text, "replay");
             return CreateObjectWithAttributes<ReplayingBehavior>("Age", UintegerValue(age));
         }},
        {"flood",
         "COPIES",
         [](Text text) -> Made {
             const uint32_t copies = ParseCount(text, "flood");
             return CreateObjectWithAttributes<FloodingBehavior>("Copies", UintegerValue(copies));
         }},
        {"malformed",
         "COPIES",
         [](Text text) -> Made {
             const uint32_t copies = ParseCount(text, "malformed");
             return CreateObjectWithAttributes<MalformedBehavior>("Copies", UintegerValue(copies));
         }},
        {"equivocate", "SCALE (peers only)", [](Text text) -> Made {
             const double scale = ParseScale(text, "equivocate");
             return CreateObjectWithAttributes<EquivocatingBehavior>("Scale", DoubleValue(scale));
         }}};
    return others;
}

/** @return the one of that name; null when there is none */
const OtherAttack*
FindOtherAttack(const std::string& name)
{
    for (const OtherAttack& other : GetOtherAttacks())
    {
        if (other.name == name)
        {
            return &other;
        }
    }
    return nullptr;
}

/** @return the shorter of two times, of which 0 means none */
Time
GetShorter(Time one, Time other)
{
    return one.IsZero() || other.IsZero() ? Max(one, other) : Min(one, other);
}

} // namespace

HonestView::Defence
MakeDefence(Ptr<const Aggregator> aggregator, uint32_t f)
{
    return [aggregator, f](RowMatrixRef<double> rows) -> ModelVector {
        if (!aggregator)
        {
            return rows.colwise().mean().transpose();
        }
        // A limited coalition may know of fewer honest learners than it has members.
        const bool possible = 2 * static_cast<Eigen::Index>(f) < rows.rows();
        return possible ? aggregator->Aggregate(rows, f).vector : ModelVector();
    };
}

Dataset
FlipLabels(Dataset data)
{
    Require(data.classes > 0, "labels can be flipped in a classification only");
    data.labels = (data.classes - 1.0) - data.labels.array();
    return data;
}

LoadedData
FlipLabels(const LoadedData& data, SampleIndices& shard)
{
    LoadedData flipped = data;
    flipped.train = std::make_shared<const Dataset>(FlipLabels(Subset(*data.train, shard)));
    shard = FirstSamples(shard.size());
    return flipped;
}

LearnerAttack::LearnerAttack(const std::string& text)
    : m_text(text)
{
    const size_t colon = text.find(':');
    m_name = text.substr(0, colon);
    m_argument = colon == std::string::npos ? "" : text.substr(colon + 1);
    const OtherAttack* other = FindOtherAttack(m_name);
    if (!other)
    {
        Require(GetAttackNames().count(m_name) > 0,
                "attack must be one of ",
                List(),
                "; got '",
                m_name,
                "'");
        m_attack = ParseAttack(text);
        return;
    }
    Require(!other->argument.empty() || colon == std::string::npos,
            "attack ",
            m_name,
            " has no parameter");
    CreateBehavior(); // refuses a wrong argument
}

std::string
LearnerAttack::List()
{
    std::string list;
    for (const std::string& name : GetAttackNames())
    {
        list += name + ", ";
    }
    for (const OtherAttack& other : GetOtherAttacks())
    {
        list += &other == &GetOtherAttacks().front() ? "" : ", ";
        list += other.name + (other.argument.empty() ? "" : ":" + other.argument);
    }
    return list;
}

bool
LearnerAttack::FlipsLabels() const
{
    return m_name == "LabelFlip";
}

Ptr<LearnerBehavior>
LearnerAttack::CreateBehavior() const
{
    return FindOtherAttack(m_name)->create(m_argument);
}

LearnerAttack::Sides
LearnerAttack::Split(const std::vector<Ptr<TrainingApplication>>& learners, uint32_t byzantine)
{
    Require(byzantine <= learners.size(),
            "there must be at most as many Byzantine learners as learners, ",
            learners.size(),
            ", got ",
            byzantine);
    const auto first = learners.end() - byzantine;
    return {{learners.begin(), first}, {first, learners.end()}};
}

int64_t
LearnerAttack::SetBehaviors(const Sides& sides, int64_t stream) const
{
    int64_t used = 0;
    for (const auto& learner : sides.byzantine)
    {
        const auto behavior = CreateBehavior();
        learner->SetBehavior(behavior);
        used += behavior ? behavior->AssignStreams(stream + used) : 0;
    }
    return used;
}

int64_t
LearnerAttack::FormCoalition(const Sides& sides,
                             std::set<LearnerId> limited,
                             bool omniscient,
                             Ptr<Coalition> coalition,
                             HonestView::Defence defence,
                             int64_t stream) const
{
    std::set<LearnerId> members;
    for (const auto& learner : sides.byzantine)
    {
        members.insert(learner->GetLearnerId());
        learner->SetBehavior(coalition->CreateMember());
    }
    std::set<LearnerId> honest;
    for (const auto& learner : sides.honest)
    {
        honest.insert(learner->GetLearnerId());
        if (omniscient)
        {
            learner->TraceConnectWithoutContext("Outbox",
                                                MakeCallback(&Coalition::Observe, coalition));
        }
    }
    const auto& sources = omniscient ? honest : limited.empty() ? members : limited;
    coalition->Setup(m_attack, sources, members, std::move(defence), honest.size());
    return m_attack->AssignStreams(stream);
}

int64_t
LearnerAttack::Install(const Federation& federation,
                       uint32_t byzantine,
                       bool omniscient,
                       HonestView::Defence defence,
                       int64_t stream) const
{
    Require(m_name != "equivocate",
            "attack ",
            m_text,
            ": clients send to their server alone; only peers can equivocate");
    const Sides sides = Split({federation.clients.begin(), federation.clients.end()}, byzantine);
    if (!m_attack)
    {
        return SetBehaviors(sides, stream);
    }
    const auto coalition = CreateObject<Coalition>();
    TimeValue patience;
    federation.server->GetAttribute("Patience", patience);
    coalition->SetDeadline(
        GetShorter(patience.Get(), federation.server->GetSchedule()->GetDeadline()));
    federation.server->TraceConnectWithoutContext("RoundBegin",
                                                  MakeCallback(&Coalition::Open, coalition));
    return FormCoalition(sides, {}, omniscient, coalition, std::move(defence), stream);
}

int64_t
LearnerAttack::Install(const std::vector<Ptr<PeerApplication>>& peers,
                       const Graph& graph,
                       uint32_t byzantine,
                       bool omniscient,
                       HonestView::Defence defence,
                       int64_t stream) const
{
    const Sides sides = Split({peers.begin(), peers.end()}, byzantine);
    if (!m_attack || sides.byzantine.empty())
    {
        return SetBehaviors(sides, stream);
    }
    Require(!sides.honest.empty(), "there must be a learner that is not Byzantine");
    std::set<LearnerId> neighbors;
    const auto coalition = CreateObject<Coalition>();
    TimeValue wait;
    coalition->GetAttribute("Wait", wait);
    Time deadline;
    for (const auto& learner : sides.byzantine)
    {
        for (const auto& [neighbor, weight] : graph.GetInNeighbors(learner->GetLearnerId()))
        {
            if (neighbor < sides.honest.size()) // those come first
            {
                neighbors.insert(neighbor);
            }
        }
        TimeValue patience;
        learner->GetAttribute("Patience", patience);
        wait.Set(Min(wait.Get(), patience.Get() / 2));
        const auto policy = DynamicCast<PeerApplication>(learner)->GetRoundPolicy();
        deadline = GetShorter(policy->GetDeadline(), deadline);
        learner->TraceConnectWithoutContext("RoundBegin",
                                            MakeCallback(&Coalition::Open, coalition));
    }
    coalition->SetAttribute("Wait", wait);
    coalition->SetDeadline(deadline);
    return FormCoalition(sides, neighbors, omniscient, coalition, std::move(defence), stream);
}

} // namespace dlearn
} // namespace ns3
