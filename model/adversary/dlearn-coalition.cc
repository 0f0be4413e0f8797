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
    Require(!attack->NeedsReceiver() || m_graph,
            "Coalition: {} needs a graph",
            attack->GetInstanceTypeId().GetName());
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
    const Forged forged = open.forged.empty() ? Forge(open) : open.forged;
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
        for (const Outgoing& outgoing : member.outbox)
        {
            Send(member, outgoing, forged);
        }
        member.port.done();
    }
}

void
Coalition::Send(const AttackContext& member, Outgoing outgoing, const Forged& forged) const
{
    const ModelVector own = outgoing.values;
    const auto send = [&](std::optional<LearnerId> receiver) {
        const auto vectors = forged.find(receiver);
        const bool known = vectors != forged.end() && vectors->second.count(outgoing.channel) > 0;
        outgoing.values = known ? vectors->second.at(outgoing.channel) : own;
        member.port.send(outgoing);
    };
    if (!m_attack->NeedsReceiver())
    {
        send(std::nullopt);
        return;
    }
    for (const LearnerId receiver : std::exchange(outgoing.recipients, {}))
    {
        outgoing.recipients = {receiver};
        send(receiver);
    }
}

Coalition::Forged
Coalition::Forge(const Round& round) const
{
    Forged forged;
    const auto forge = [&](std::optional<LearnerId> receiver) {
        if (auto vectors = Forge(round, receiver); !vectors.empty())
        {
            forged[receiver] = std::move(vectors);
        }
    };
    if (!m_attack->NeedsReceiver())
    {
        forge(std::nullopt);
        return forged;
    }
    for (const auto& [learner, vectors] : round.known)
    {
        forge(learner);
    }
    return forged;
}

std::optional<HonestView::Receiver>
Coalition::MakeReceiver(LearnerId receiver, const std::vector<LearnerId>& rows) const
{
    const auto own = std::find(rows.begin(), rows.end(), receiver);
    HonestView::Receiver view{own - rows.begin(), ModelVector(rows.size()), 0};
    for (size_t k = 0; k < rows.size(); ++k)
    {
        view.weights[k] = m_graph->GetWeight(receiver, rows[k]);
    }
    for (const LearnerId member : m_members)
    {
        view.byzantine += m_graph->GetWeight(receiver, member);
    }
    return own != rows.end() && view.byzantine > 0 ? std::make_optional(view) : std::nullopt;
}

Coalition::Vectors
Coalition::Forge(const Round& round, std::optional<LearnerId> receiver) const
{
    std::map<ModelChannel, std::vector<const ModelVector*>> known;
    std::map<ModelChannel, std::vector<LearnerId>> learners;
    for (const auto& [learner, vectors] : round.known)
    {
        for (const auto& [channel, vector] : vectors)
        {
            known[channel].push_back(&vector);
            learners[channel].push_back(learner);
        }
    }
    Vectors forged;
    for (const auto& [channel, vectors] : known)
    {
        RowMatrix<double> rows(vectors.size(), vectors.front()->size());
        std::vector<uint32_t> places;
        for (size_t row = 0; row < vectors.size(); ++row)
        {
            rows.row(row) = vectors[row]->transpose();
            const auto source = m_sources.find(learners[channel][row]);
            places.push_back(std::distance(m_sources.begin(), source));
        }
        const auto members = static_cast<uint32_t>(m_members.size());
        HonestView view{rows, members, m_defence, m_honest, places};
        if (receiver)
        {
            view.receiver = MakeReceiver(*receiver, learners[channel]);
        }
        ModelVector vector = receiver && !view.receiver ? ModelVector() : m_attack->Forge(view);
        if (vector.size() > 0)
        {
            forged[channel] = std::move(vector);
        }
    }
    return forged;
}

} // namespace ns3::dlearn
