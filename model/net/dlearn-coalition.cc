/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-coalition.h"

#include "ns3/dlearn-check.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Coalition);

/** What a member does with its update: it leaves it to the coalition. */
class CoalitionMember : public ClientBehavior
{
  public:
    /** @param coalition it belongs to */
    explicit CoalitionMember(Ptr<Coalition> coalition)
        : m_coalition(coalition)
    {
    }

    void Deliver(LearnerId client,
                 uint32_t round,
                 const ModelVector& update,
                 SendCallback send,
                 DoneCallback done) override
    {
        m_client = client;
        m_round = round;
        m_coalition->Observe(client, round, update);
        m_coalition->Join(client, round, {update, send, done});
    }

    void Cancel() override
    {
        if (m_coalition)
        {
            m_coalition->Withdraw(m_client, m_round);
        }
    }

  protected:
    void DoDispose() override
    {
        m_coalition = nullptr;
        ClientBehavior::DoDispose();
    }

  private:
    Ptr<Coalition> m_coalition; //!< it belongs to
    LearnerId m_client{0};      //!< of the last call
    uint32_t m_round{0};        //!< of the last call
};

TypeId
Coalition::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::Coalition")
                            .SetParent<Object>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<Coalition>()
                            .AddAttribute("Wait",
                                          "Longest wait for updates to learn from, since the "
                                          "first member was ready.",
                                          TimeValue(Seconds(1)),
                                          MakeTimeAccessor(&Coalition::m_wait),
                                          MakeTimeChecker(Time(0)));
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
                 HonestView::Defence defence)
{
    Require(attack != nullptr, "Coalition: there must be an attack");
    Require(!sources.empty(), "Coalition: there must be clients to learn from");
    Require(!members.empty(), "Coalition: there must be members");
    m_attack = attack;
    m_sources = sources;
    m_members = members;
    m_defence = std::move(defence);
}

Ptr<ClientBehavior>
Coalition::CreateMember()
{
    return Create<CoalitionMember>(this);
}

void
Coalition::Observe(LearnerId client, uint32_t round, const ModelVector& update)
{
    if (m_sources.count(client) == 0 || !m_attack)
    {
        return;
    }
    m_rounds[round].known[client] = update;
    while (m_rounds.begin()->first + 2 < round) // nobody comes back to those
    {
        m_rounds.begin()->second.timeout.Cancel();
        m_rounds.erase(m_rounds.begin());
    }
    if (m_rounds[round].known.size() == m_sources.size())
    {
        Answer(round);
    }
}

void
Coalition::Join(LearnerId client, uint32_t round, Ready ready)
{
    Round& open = m_rounds[round];
    const bool first = open.ready.empty();
    open.ready[client] = std::move(ready);
    if (open.forged || open.known.size() == m_sources.size())
    {
        Answer(round);
    }
    else if (first)
    {
        open.timeout = Simulator::Schedule(m_wait, &Coalition::Answer, this, round);
    }
}

void
Coalition::Withdraw(LearnerId client, uint32_t round)
{
    const auto open = m_rounds.find(round);
    if (open != m_rounds.end())
    {
        open->second.ready.erase(client);
    }
}

void
Coalition::Answer(uint32_t round)
{
    Round& open = m_rounds[round];
    if (open.ready.empty())
    {
        return; // the members train still
    }
    open.timeout.Cancel();
    if (!open.forged)
    {
        open.forged = Forge(open);
    }
    // Taken out first: who is done may be given the next model at once, and come back here.
    const auto ready = std::move(open.ready);
    open.ready.clear();
    const auto forged = open.forged;
    for (const auto& [client, member] : ready)
    {
        member.send(forged ? *forged : member.honest);
        member.done();
    }
}

std::optional<ModelVector>
Coalition::Forge(const Round& round) const
{
    if (round.known.empty())
    {
        return std::nullopt;
    }
    RowMatrix<double> rows(round.known.size(), round.known.begin()->second.size());
    Eigen::Index row = 0;
    for (const auto& [client, update] : round.known)
    {
        rows.row(row++) = update.transpose();
    }
    return m_attack->Forge({rows, static_cast<uint32_t>(m_members.size()), m_defence});
}

} // namespace dlearn
} // namespace ns3
