/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COALITION_H
#define DLEARN_COALITION_H

#include "dlearn-vector-attacks.h"

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-training-application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Byzantine learners that act together: in each round they learn the vectors of their sources,
 * forge one vector for each channel (Attack), and all send it.
 *
 * An omniscient coalition learns the vectors of all honest learners at once and out of band, as the
 * literature assumes: connect Observe() to the traces Outbox of the honest learners. A limited
 * coalition knows the vectors that its members received from honest neighbours (peers), or would
 * send if they were honest (clients).
 *
 * Members answer as soon as every source has sent, at the latest Wait after the first member was
 * ready, with the vectors known by then. If they know none, they behave like honest learners. If a
 * round has a deadline (SetDeadline()), they wait at most half of the remaining time: the other
 * half is for the transmission of their answers.
 *
 * If learners are not synchronous (SetSynchronous()), as with a buffer or asynchronous peers, round
 * numbers do not determine which vectors are aggregated together. Members then forge from the
 * newest vector of each source, and wait only until they know a first vector of each source.
 */
class Coalition : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param attack forges the vectors
     * @param sources learners whose vectors the coalition learns, not empty
     * @param members the learners of the coalition, not empty
     * @param defence the aggregation that the coalition attacks; null: unknown
     * @param honest number of honest learners, sources or not
     * @throw std::invalid_argument when the attack does not fit them
     */
    void Setup(Ptr<Attack> attack,
               const std::set<LearnerId>& sources,
               const std::set<LearnerId>& members,
               HonestView::Defence defence,
               uint32_t honest);

    /** @param deadline longest time of a round since it was opened; 0, the default: none */
    void SetDeadline(Time deadline) { m_deadline = deadline; }

    /** @param synchronous whether vectors of a round belong together, the default */
    void SetSynchronous(bool synchronous) { m_synchronous = synchronous; }

    /** @param graph of the learners, for attacks that need the receivers of their vectors */
    void SetGraph(const Graph& graph) { m_graph = graph; }

    /** A round was opened; for the trace RoundBegin of the learners that have the deadline. */
    void Open(LearnerId learner, uint32_t round);

    /**
     * Learn vectors. Of synchronous learners the first vector counts, and vectors that come after
     * the round's vector is forged are ignored.
     *
     * @param learner owner of the vectors; ignored unless a source
     * @param round the round
     * @param outbox the vectors
     */
    void Observe(LearnerId learner, uint32_t round, const Outbox& outbox);

    /** @return a behaviour for one member */
    Ptr<ByzantineBehavior> CreateMember();

  protected:
    void DoDispose() override;

  private:
    friend class CoalitionMember;

    using Vectors = std::map<ModelChannel, ModelVector>; //!< of one learner

    /** By receiver, or for all. */
    using Forged = std::map<std::optional<LearnerId>, Vectors>;

    struct Round
    {
        std::map<LearnerId, Vectors> known;       //!< of sources; until the vector is forged
        std::map<LearnerId, AttackContext> ready; //!< members that may send
        Forged forged;                            //!< empty before, and if not synchronous
        bool waited{false}; //!< if not synchronous: whether members have answered
        EventId timeout;    //!< end of Wait
    };

    void Join(const AttackContext& member);

    void Withdraw(LearnerId member, uint32_t round);

    uint32_t GetKey(uint32_t round) const { return m_synchronous ? round : 0; }

    Time GetWait(uint32_t round) const;

    bool KnowsAll(const Round& round) const
    {
        return !round.forged.empty() || round.waited || round.known.size() == m_sources.size();
    }

    void Answer(uint32_t round);

    Forged Forge(const Round& round) const;

    /** @return the vectors for one receiver, or for all */
    Vectors Forge(const Round& round, std::optional<LearnerId> receiver) const;

    /** @return the receiver's view of the learners of some vectors; nothing if it is none of them
     *          or has no Byzantine neighbour */
    std::optional<HonestView::Receiver> MakeReceiver(LearnerId receiver,
                                                     const std::vector<LearnerId>& rows) const;

    /** Send a member's vector, forged. */
    void Send(const AttackContext& member, Outgoing outgoing, const Forged& forged) const;

    Time m_wait;                       //!< attribute Wait
    Time m_deadline;                   //!< longest time of a round; 0 for none
    bool m_synchronous{true};          //!< whether vectors of a round belong together
    std::map<uint32_t, Time> m_opened; //!< when the newest rounds were opened first
    uint32_t m_honest{0};
    Ptr<Attack> m_attack;         //!< attribute Attack: forges
    std::optional<Graph> m_graph; //!< if receivers are known
    std::set<LearnerId> m_sources;
    std::set<LearnerId> m_members;
    HonestView::Defence m_defence;      //!< the aggregation that it attacks
    std::map<uint32_t, Round> m_rounds; //!< newest rounds; one if not synchronous
    uint32_t m_oldest{0};               //!< rounds before it are over
};

} // namespace ns3::dlearn

#endif // DLEARN_COALITION_H
