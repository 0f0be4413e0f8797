/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-attack.h"

#include "dlearn-component-parser.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-equivocate-behavior.h"
#include "ns3/dlearn-malformed-behavior.h"
#include "ns3/dlearn-message-behaviors.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-wire-attacks.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3::dlearn
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
 * @param text a whole number
 * @param attack for the message
 * @return the number
 */
uint32_t
ParseNumberFrom0(const std::string& text, const std::string& attack)
{
    const auto number = ParseWholeNumber(text);
    Require(number.has_value(), "attack ", attack, " needs a whole number, got '", text, "'");
    return *number;
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
    Ptr<ByzantineBehavior> (*create)(const std::string& argument);
};

/** @return all of them */
const std::vector<OtherAttack>&
GetOtherAttacks()
{
    using Text = const std::string&;
    using Made = Ptr<ByzantineBehavior>;
    static const std::vector<OtherAttack> others{
        {"none", "", [](Text) -> Made { return nullptr; }},
        {"LabelFlip", "", [](Text) -> Made { return CreateObject<HonestBehavior>(); }},
        {"silent", "", [](Text) -> Made { return CreateObject<SilentBehavior>(); }},
        {"delay",
         "TIME",
         [](Text text) -> Made {
             const Time delay = ParseTime("attack delay", text);
             return CreateObjectWithAttributes<DelayBehavior>("Delay", TimeValue(delay));
         }},
        {"replay",
         "ROUNDS",
         [](Text text) -> Made {
             const uint32_t age = ParseCount(text, "replay");
             return CreateObjectWithAttributes<ReplayBehavior>("Age", UintegerValue(age));
         }},
        {"flood",
         "COPIES",
         [](Text text) -> Made {
             const uint32_t copies = ParseCount(text, "flood");
             return CreateObjectWithAttributes<FloodBehavior>("Copies", UintegerValue(copies));
         }},
        {"malformed",
         "COPIES",
         [](Text text) -> Made {
             const uint32_t copies = ParseCount(text, "malformed");
             return CreateObjectWithAttributes<MalformedBehavior>("Copies", UintegerValue(copies));
         }},
        {"equivocate",
         "SCALE (peers only)",
         [](Text text) -> Made {
             const double scale = ParseScale(text, "equivocate");
             return CreateObjectWithAttributes<EquivocateBehavior>("Scale", DoubleValue(scale));
         }},
        {"impersonate",
         "VICTIM",
         [](Text text) -> Made {
             const uint32_t victim = ParseNumberFrom0(text, "impersonate");
             return CreateObjectWithAttributes<ImpersonateBehavior>("Victim",
                                                                    UintegerValue(victim));
         }},
        {"round-jump",
         "ROUND",
         [](Text text) -> Made {
             const uint32_t round = ParseNumberFrom0(text, "round-jump");
             return CreateObjectWithAttributes<RoundJumpBehavior>("Round", UintegerValue(round));
         }},
        {"header-flood",
         "PERIOD",
         [](Text text) -> Made {
             const Time period = ParseTime("attack header-flood", text);
             Require(period.IsStrictlyPositive(),
                     "attack header-flood needs a time greater than 0, got '",
                     text,
                     "'");
             return CreateObjectWithAttributes<HeaderFloodBehavior>("Period", TimeValue(period));
         }},
        {"poison", "", [](Text) -> Made { return CreateObject<PoisonBehavior>(); }},
        {"wrong-length", "", [](Text) -> Made { return CreateObject<WrongLengthBehavior>(); }},
        {"roster", "", [](Text) -> Made { return CreateObject<RosterBehavior>(); }}};
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

/**
 * @param text NAME or NAME:ARGUMENT
 * @return the behaviour of an attack other than on vectors; null for none
 */
Ptr<ByzantineBehavior>
CreateOther(const std::string& text)
{
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const OtherAttack* other = FindOtherAttack(name);
    Require(!other->argument.empty() || colon == std::string::npos,
            "attack ",
            name,
            " has no parameter");
    return other->create(colon == std::string::npos ? "" : text.substr(colon + 1));
}

/**
 * @param text NAME or NAME:ARGUMENT
 * @return whether it is an attack on the wire
 */
bool
IsOnTheWire(const std::string& text)
{
    const bool other = FindOtherAttack(text.substr(0, text.find(':'))) != nullptr;
    return other && DynamicCast<WireBehavior>(CreateOther(text)) != nullptr;
}

/**
 * @param learner set up, on a node with an address
 * @return where it listens
 */
Address
GetSocketAddress(LearnerApplication& learner)
{
    const Ptr<Ipv4> ipv4 = learner.GetNode()->GetObject<Ipv4>();
    UintegerValue port;
    learner.GetExchange()->GetTransport()->GetAttribute("Port", port);
    return InetSocketAddress(ipv4->GetAddress(1, 0).GetLocal(), port.Get()); // 0 is loopback
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
    m_own = text;
    for (size_t plus = text.find('+'); IsOnTheWire(m_own.substr(0, plus)); plus = m_own.find('+'))
    {
        m_wire.push_back(m_own.substr(0, plus));
        m_own = plus == std::string::npos ? "silent" : m_own.substr(plus + 1);
    }
    m_name = m_own.substr(0, m_own.find(':'));
    if (FindOtherAttack(m_name))
    {
        CreateBehavior(); // refuses a wrong argument
        return;
    }
    Require(GetAttackNames().count(m_name) > 0,
            "attack must be one of ",
            List(),
            "; got '",
            m_name,
            "'");
    m_attack = ParseAttack(m_own);
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

Ptr<ByzantineBehavior>
LearnerAttack::CreateBehavior() const
{
    return CreateOther(m_own);
}

void
LearnerAttack::AddWireBehaviors(const Sides& sides, const std::set<LearnerId>& servers) const
{
    std::set<LearnerId> victims = servers;
    for (const auto& learner : sides.honest)
    {
        victims.insert(learner->GetLearnerId());
    }
    Require(!victims.empty(), "there must be a learner that is not Byzantine");
    for (const auto& learner : sides.byzantine)
    {
        Ptr<ByzantineBehavior> inner = learner->GetBehavior();
        if (!inner)
        {
            inner = CreateObject<HonestBehavior>(); // none: honest under its own name
        }
        for (auto text = m_wire.rbegin(); text != m_wire.rend(); ++text)
        {
            const auto wire = DynamicCast<WireBehavior>(CreateOther(*text));
            UintegerValue victim(*victims.begin());
            wire->GetAttributeFailSafe("Victim", victim);
            Require(victims.count(victim.Get()) > 0,
                    "attack ",
                    *text,
                    ": the victim must be a learner that is not Byzantine, got ",
                    victim.Get());
            wire->SetInner(inner);
            inner = wire;
        }
        learner->SetBehavior(inner);
    }
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
            learner->GetLearnerRule()->SetObserved(); // lies tell what the liars have seen
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
    int64_t used = 0;
    if (m_attack)
    {
        const auto coalition = CreateObject<Coalition>();
        TimeValue responseTimeout;
        federation.server->GetAttribute("ResponseTimeout", responseTimeout);
        coalition->SetDeadline(
            GetShorter(responseTimeout.Get(), federation.server->GetSchedule()->GetDeadline()));
        federation.server->TraceConnectWithoutContext("RoundBegin",
                                                      MakeCallback(&Coalition::Open, coalition));
        used = FormCoalition(sides, {}, omniscient, coalition, std::move(defence), stream);
    }
    else
    {
        used = SetBehaviors(sides, stream);
    }
    if (m_wire.empty())
    {
        return used;
    }
    AddWireBehaviors(sides, {federation.server->GetLearnerId()});
    for (const auto& learner : sides.byzantine)
    {
        std::map<LearnerId, Address> strangers;
        for (const auto& client : federation.clients)
        {
            if (client != learner)
            {
                strangers[client->GetLearnerId()] = GetSocketAddress(*client);
            }
        }
        DynamicCast<WireBehavior>(learner->GetBehavior())->SetStrangers(strangers);
    }
    return used;
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
        const int64_t used = SetBehaviors(sides, stream);
        if (!m_wire.empty())
        {
            AddWireBehaviors(sides, {});
        }
        return used;
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
        TimeValue responseTimeout;
        learner->GetAttribute("ResponseTimeout", responseTimeout);
        wait.Set(Min(wait.Get(), responseTimeout.Get() / 2));
        const auto policy = DynamicCast<PeerApplication>(learner)->GetRoundPolicy();
        deadline = GetShorter(policy->GetDeadline(), deadline);
        learner->TraceConnectWithoutContext("RoundBegin",
                                            MakeCallback(&Coalition::Open, coalition));
    }
    coalition->SetAttribute("Wait", wait);
    coalition->SetDeadline(deadline);
    const int64_t used =
        FormCoalition(sides, neighbors, omniscient, coalition, std::move(defence), stream);
    if (!m_wire.empty())
    {
        AddWireBehaviors(sides, {});
    }
    return used;
}

} // namespace ns3::dlearn
