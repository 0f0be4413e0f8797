/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-attack.h"

#include "dlearn-component-parser.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-message-behaviors.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-wire-attacks.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return attacks on messages */
const ComponentFamily&
GetBehaviorFamily()
{
    static const ComponentFamily family{"attack",
                                        ByzantineBehavior::GetTypeId(),
                                        {"Behavior"},
                                        true};
    return family;
}

/** @return attacks on data */
const ComponentFamily&
GetPoisoningFamily()
{
    static const ComponentFamily family{"attack", DataPoisoning::GetTypeId(), {"Poisoning"}};
    return family;
}

const std::string NONE = "none"; //!< the attack of honest learners

/** @return whether an attack is on messages, or none */
bool
IsOther(const std::string& text)
{
    return text == NONE || IsComponent(GetBehaviorFamily(), text);
}

/** @return the shorter of two times; 0 means none */
Time
GetShorter(Time one, Time other)
{
    return one.IsZero() || other.IsZero() ? Max(one, other) : Min(one, other);
}

/** @return the behaviour of an attack other than on vectors; null: none */
Ptr<ByzantineBehavior>
CreateOther(const std::string& text)
{
    if (text == NONE)
    {
        return nullptr;
    }
    return ParseComponent(GetBehaviorFamily(), text).Create<ByzantineBehavior>();
}

/** @return whether it is an attack on the wire */
bool
IsOnTheWire(const std::string& text)
{
    return IsComponentOf(GetBehaviorFamily(), text, WireBehavior::GetTypeId());
}

Address
GetSocketAddress(LearnerApplication& learner)
{
    const auto transport = learner.GetExchange()->GetTransport();
    UintegerValue port;
    transport->GetAttribute("Port", port);
    const auto addresses = ListAddresses(*learner.GetNode());
    const auto found = std::find_if(addresses.begin(), addresses.end(), [&](const auto& address) {
        return address.ip.IsIpv6() == transport->IsIpv6();
    });
    Require(found != addresses.end(), "node {} has no IP address", learner.GetNode()->GetId());
    return Endpoint{found->ip, static_cast<uint16_t>(port.Get())}.ToSocketAddress();
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
        // Empty where a limited coalition knows fewer honest learners than it has members.
        return aggregator->Aggregate(rows, f).vector;
    };
}

LearnerAttack::LearnerAttack(const std::string& text)
    : m_text(text)
{
    m_own = text;
    for (size_t plus = text.find('+'); TakeFirst(m_own.substr(0, plus)); plus = m_own.find('+'))
    {
        m_own = plus != std::string::npos ? m_own.substr(plus + 1)
                : m_poisoning             ? "honest"
                                          : "silent";
    }
    if (IsOther(m_own))
    {
        CreateOther(m_own); // refuses a wrong argument
        return;
    }
    Require(IsComponent(GetAttackFamily(), m_own),
            "attack must be one of {}; got '{}'",
            List(),
            GetComponentName(m_own));
    m_attack = ParseAttack(m_own);
}

bool
LearnerAttack::TakeFirst(const std::string& text)
{
    if (IsOnTheWire(text))
    {
        m_wire.push_back(text);
        CreateOther(text); // refuses a wrong argument
        return true;
    }
    if (!IsComponent(GetPoisoningFamily(), text))
    {
        return false;
    }
    Require(!m_poisoning, "attack {}: there must be at most one attack on data", m_text);
    m_poisoning = ParseComponent(GetPoisoningFamily(), text).Create<DataPoisoning>();
    return true;
}

void
LearnerAttack::SetDraw(Ptr<AttackerDraw> draw)
{
    Require(!m_attack && m_wire.empty(),
            "attackers drawn needs an attack on data or messages, such as scale, as the members of "
            "a coalition are fixed; got attack {}",
            m_text);
    m_draw = draw;
}

LoadedData
LearnerAttack::Poison(const LoadedData& data, SampleIndices& shard) const
{
    Dataset train = m_poisoning->Poison(*data.train, shard);
    const size_t size = shard.size();
    if (m_draw)
    {
        SampleIndices twice = shard;
        twice.insert(twice.end(), shard.begin(), shard.end());
        Dataset both = Subset(*data.train, twice);
        both.features.rightCols(size) = train.features;
        both.labels.tail(size) = train.labels;
        train = std::move(both);
    }
    LoadedData poisoned = data;
    poisoned.train = std::make_shared<const Dataset>(std::move(train));
    shard = FirstSamples(size);
    return poisoned;
}

std::string
LearnerAttack::List()
{
    std::vector<std::string> names{NONE};
    for (const ComponentFamily* family :
         {&GetPoisoningFamily(), &GetAttackFamily(), &GetBehaviorFamily()})
    {
        const auto more = GetComponentUsages(*family);
        names.insert(names.end(), more.begin(), more.end());
    }
    return JoinNames(names);
}

bool
LearnerAttack::Waits() const
{
    return SeesVectors() || IsComponentOf(GetBehaviorFamily(), m_own, DelayBehavior::GetTypeId());
}

void
LearnerAttack::RequireBegin(uint32_t rounds) const
{
    if (m_attack || !IsComponentOf(GetBehaviorFamily(), m_own, ReplayBehavior::GetTypeId()))
    {
        return;
    }
    UintegerValue age;
    CreateOther(m_own)->GetAttribute("Age", age);
    Require(age.Get() < rounds,
            "attack {} needs more than {} rounds, as it repeats the vectors of as many rounds ago; "
            "got {}",
            m_own,
            age.Get(),
            rounds);
}

std::set<LearnerId>
LearnerAttack::GetMembers(uint32_t learners, LearnerId first, uint32_t byzantine) const
{
    std::set<LearnerId> members;
    for (uint32_t k = learners - std::min(learners, byzantine); SeesVectors() && k < learners; ++k)
    {
        members.insert(first + k);
    }
    return members;
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
                    "attack {}: the victim must be a learner that is not Byzantine, got {}",
                    *text,
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
            "there must be at most as many Byzantine learners as learners, {}, got {}",
            learners.size(),
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
        auto behavior = CreateOther(m_own);
        behavior = m_draw && behavior ? m_draw->CreateBehavior(behavior) : behavior;
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
                             Ptr<Aggregator> defence,
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
            const auto client = DynamicCast<ClientRule>(learner->GetLearnerRule());
            Require(!client || !client->GetRelease() ||
                        client->GetRelease()->GetTerms().secretShare == 0,
                    "secret-sampling needs omniscient false with attack {}, as attackers who see "
                    "the vectors of honest clients see who takes part",
                    m_text);
            learner->TraceConnectWithoutContext("Outbox",
                                                MakeCallback(&Coalition::Observe, coalition));
            learner->GetLearnerRule()->SetObserved(); // forged vectors reveal observed vectors
        }
    }
    const auto& sources = omniscient ? honest : limited.empty() ? members : limited;
    const auto tried = MakeDefence(defence, sides.byzantine.size());
    coalition->Setup(m_attack, sources, members, tried, honest.size());
    const int64_t used = m_attack->AssignStreams(stream);
    return used + (defence ? defence->AssignStreams(stream + used) : 0);
}

uint32_t
LearnerAttack::CountAttackers(const EdgeServer& edge, uint32_t clients, uint32_t byzantine)
{
    return std::count_if(edge.clients.begin(), edge.clients.end(), [=](LearnerId client) {
        return client + byzantine > clients;
    });
}

int64_t
LearnerAttack::Install(const Federation& federation,
                       uint32_t byzantine,
                       bool omniscient,
                       Ptr<Aggregator> defence,
                       int64_t stream) const
{
    Require(!IsComponentOf(GetBehaviorFamily(), m_own, EquivocateBehavior::GetTypeId()) &&
                !(m_attack && m_attack->NeedsReceiver()),
            "attack {}: clients send to their server alone; only peers can equivocate",
            m_text);
    if (!federation.edges.empty())
    {
        int64_t used = 0;
        for (const EdgeServer& edge : federation.edges) // attackers follow the rounds of their own
        {
            Federation own{edge.server, {}, {}};
            for (const LearnerId client : edge.clients)
            {
                own.clients.push_back(federation.clients.at(client - 1));
            }
            const auto attackers = CountAttackers(edge, federation.clients.size(), byzantine);
            Require(!m_attack || !omniscient || attackers == 0 || attackers < own.clients.size(),
                    "attack {} with omniscient needs a client that is not Byzantine at each edge "
                    "server with attackers, and edge server {} has {} Byzantine clients alone: set "
                    "omniscient to false, or a lower byzantine",
                    m_text,
                    edge.server->GetLearnerId(),
                    attackers);
            used += Install(own, attackers, omniscient, defence, stream + used);
        }
        return used;
    }
    const Sides sides = Split({federation.clients.begin(), federation.clients.end()},
                              m_draw ? federation.clients.size() : byzantine);
    int64_t used = 0;
    if (m_attack && !sides.byzantine.empty())
    {
        const auto coalition = CreateObject<Coalition>();
        coalition->SetSynchronous(federation.server->GetSchedule()->IsSynchronous());
        coalition->SetDeadline(GetShorter(federation.server->GetResponseTimeout(),
                                          federation.server->GetSchedule()->GetDeadline()));
        federation.server->TraceConnectWithoutContext("RoundBegin",
                                                      MakeCallback(&Coalition::Open, coalition));
        used = FormCoalition(sides, {}, omniscient, coalition, defence, stream);
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
                       Ptr<Aggregator> defence,
                       int64_t stream) const
{
    const Sides sides = Split({peers.begin(), peers.end()}, byzantine);
    int64_t used = 0;
    if (!m_attack || sides.byzantine.empty())
    {
        used = SetBehaviors(sides, stream);
    }
    else
    {
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
            const auto peer = DynamicCast<PeerApplication>(learner);
            wait.Set(Min(wait.Get(), peer->GetResponseTimeout() / 2));
            deadline = GetShorter(peer->GetRoundPolicy()->GetDeadline(), deadline);
            coalition->SetSynchronous(!peer->GetRoundPolicy()->IsAsynchronous());
            learner->TraceConnectWithoutContext("RoundBegin",
                                                MakeCallback(&Coalition::Open, coalition));
        }
        coalition->SetAttribute("Wait", wait);
        coalition->SetDeadline(deadline);
        coalition->SetGraph(graph);
        used = FormCoalition(sides, neighbors, omniscient, coalition, defence, stream);
    }
    if (!m_wire.empty())
    {
        AddWireBehaviors(sides, {});
    }
    return used;
}

} // namespace ns3::dlearn
