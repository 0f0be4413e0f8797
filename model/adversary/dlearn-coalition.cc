/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-coalition.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Coalition);

namespace
{

constexpr uint32_t BEHIND = 2; //!< rounds that members may be behind each other
constexpr size_t KEPT = 16;    //!< rounds at a time; honest peers may be some rounds ahead

} // namespace

/** A member leaves its vectors to the coalition. */
class CoalitionMember : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();

    explicit CoalitionMember(Ptr<Coalition> coalition)
        : m_coalition(coalition)
    {
    }

    void Deliver(const AttackContext& context) override
    {
        m_learner = context.learner;
        m_round = context.round;
        m_coalition->Observe(context.learner, context.round, context.outbox);
        m_coalition->Join(context);
    }

    void Cancel() override
    {
        if (m_coalition && m_learner)
        {
            m_coalition->Withdraw(*m_learner, m_round);
        }
    }

    void Receive(const std::pair<LearnerId, ModelChannel>& source,
                 uint32_t round,
                 const Arrival& arrival) override
    {
        m_coalition->Observe(source.first, round, {{source.second, {}, arrival.values}});
    }

  protected:
    void DoDispose() override
    {
        m_coalition = nullptr;
        ByzantineBehavior::DoDispose();
    }

  private:
    Ptr<Coalition> m_coalition;         //!< attribute Coalition: it belongs to
    std::optional<LearnerId> m_learner; //!< of the last call
    uint32_t m_round{0};                //!< of the last call
};

NS_OBJECT_ENSURE_REGISTERED(CoalitionMember);

TypeId
CoalitionMember::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::CoalitionMember")
                            .SetParent<ByzantineBehavior>()
                            .SetGroupName("Dlearn")
                            .AddAttribute("Coalition",
                                          "Learners that act together with this one.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&CoalitionMember::m_coalition),
                                          MakePartChecker<Coalition>());
    return tid;
}

TypeId
Coalition::GetTypeId()
{
    static TypeId tid = MakeTypeId<Coalition, Object>("ns3::dlearn::Coalition")
                            .AddAttribute("Wait",
                                          "Longest wait for vectors to learn from, since the "
                                          "first member was ready.",
                                          TimeValue(Seconds(1)),
                                          MakeTimeAccessor(&Coalition::m_wait),
                                          MakeTimeChecker(Time(0)))
                            .AddAttribute("Attack",
                                          "Attack that forges the vectors, set by Setup().",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&Coalition::m_attack),
                                          MakePartChecker<Attack>());
    return tid;
}

void
Coalition::DoDispose()
{
    for (auto& [number, round] : m_rounds)
    {
        round.timeout.Cancel();
    }
    m_rounds.clear();
    m_attack = nullptr;
    m_defence = nullptr;
    Object::DoDispose();
}

void
Coalition::Setup(Ptr<Attack> attack,
                 const std::set<LearnerId>& sources,
                 const std::set<LearnerId>& members,
                 HonestView::Defence defence,
                 uint32_t honest)
{
    Require(attack && !sources.empty() && !members.empty(),
            "Coalition: there must be an attack, sources and members");
    attack->Check(sources.size(), honest, members.size());
    m_honest = honest;
    m_attack = attack;
    m_sources = sources;
    m_members = members;
    m_defence = std::move(defence);
}

void
Coalition::Open(LearnerId /* learner */, uint32_t round)
{
    m_opened.emplace(round, Simulator::Now());
    while (m_opened.size() > KEPT)
    {
        m_opened.erase(m_opened.begin());
    }
}

Time
Coalition::GetWait(uint32_t round) const
{
    if (m_deadline.IsZero())
    {
        return m_wait;
    }
    const auto opened = m_opened.find(round);
    const Time spent = opened == m_opened.end() ? Time(0) : Simulator::Now() - opened->second;
    return Min(m_wait, Max(m_deadline - spent, Time(0)) / 2);
}

Ptr<ByzantineBehavior>
Coalition::CreateMember()
{
    return CreateObject<CoalitionMember>(this);
}

void
Coalition::Observe(LearnerId learner, uint32_t number, const Outbox& outbox)
{
    const uint32_t round = GetKey(number);
    if (m_sources.count(learner) == 0 || !m_attack || round < m_oldest)
    {
        return;
    }
    Round& open = m_rounds[round];
    if (!open.forged.empty())
    {
        return;
    }
    Vectors& vectors = open.known[learner];
    for (const Outgoing& outgoing : outbox)
    {
        if (m_synchronous)
        {
            vectors.emplace(outgoing.channel, outgoing.values);
        }
        else
        {
            vectors.insert_or_assign(outgoing.channel, outgoing.values);
        }
    }
    if (KnowsAll(open))
    {
        Answer(round);
    }
    while (m_rounds.size() > KEPT)
    {
        const uint32_t oldest = m_rounds.begin()->first;
        Answer(oldest);
        m_rounds.erase(oldest);
    }
}

void
Coalition::Join(const AttackContext& member)
{
    const uint32_t round = GetKey(member.round);
    m_oldest = std::max(m_oldest, std::max(round, BEHIND) - BEHIND);
    for (auto old = m_rounds.begin(); old != m_rounds.end() && old->first < m_oldest;)
    {
        old = old->second.ready.empty() ? m_rounds.erase(old) : std::next(old);
    }
    Round& open = m_rounds[round];
    const bool first = open.ready.empty();
    open.ready[member.learner] = member;
    if (KnowsAll(open))
    {
        Answer(round);
    }
    else if (first)
    {
        open.timeout = Simulator::Schedule(GetWait(member.round), &Coalition::Answer, this, round);
    }
}

void
Coalition::Withdraw(LearnerId member, uint32_t round)
{
    const auto open = m_rounds.find(GetKey(round));
    if (open != m_rounds.end())
    {
        open->second.ready.erase(member);
        if (open->second.ready.empty())
        {
            open->second.timeout.Cancel(); // the next member waits for the full time
        }
    }
}

void
Coalition::Answer(uint32_t round)
{
    Round& open = m_rounds[round];
    if (open.ready.empty())
    {
        return; // members are still training
    }
    open.timeout.Cancel();
    const Vectors forged = open.forged.empty() ? Forge(open) : open.forged;
    if (!m_synchronous)
    {
        open.waited = true;
    }
    else if (!forged.empty())
    {
        open.forged = forged;
        open.known.clear();
    }
    // Taken out first: a member that is done may begin the next round and come back here.
    const auto ready = std::move(open.ready);
    open.ready.clear();
    for (const auto& [learner, member] : ready)
    {
        for (Outgoing outgoing : member.outbox)
        {
            const auto found = forged.find(outgoing.channel);
            outgoing.values = found == forged.end() ? outgoing.values : found->second;
            member.port.send(outgoing);
        }
        member.port.done();
    }
}

Coalition::Vectors
Coalition::Forge(const Round& round) const
{
    std::map<ModelChannel, std::vector<const ModelVector*>> known;
    std::map<ModelChannel, std::vector<uint32_t>> places;
    for (const auto& [learner, vectors] : round.known)
    {
        for (const auto& [channel, vector] : vectors)
        {
            known[channel].push_back(&vector);
            places[channel].push_back(std::distance(m_sources.begin(), m_sources.find(learner)));
        }
    }
    Vectors forged;
    for (const auto& [channel, vectors] : known)
    {
        RowMatrix<double> rows(vectors.size(), vectors.front()->size());
        Eigen::Index row = 0;
        for (const ModelVector* vector : vectors)
        {
            rows.row(row++) = vector->transpose();
        }
        const auto members = static_cast<uint32_t>(m_members.size());
        ModelVector vector = m_attack->Forge({rows, members, m_defence, m_honest, places[channel]});
        if (vector.size() > 0)
        {
            forged[channel] = std::move(vector);
        }
    }
    return forged;
}

} // namespace ns3::dlearn
