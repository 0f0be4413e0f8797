/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_ATTACK_H
#define DLEARN_LEARNER_ATTACK_H

#include "dlearn-federated-helper.h"

#include "ns3/dlearn-aggregator.h"
#include "ns3/dlearn-attacker-draw.h"
#include "ns3/dlearn-coalition.h"
#include "ns3/dlearn-data-loader.h"
#include "ns3/dlearn-data-poisoning.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-peer-application.h"

#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The attack of the Byzantine learners of a run, peers or clients, as a user of a program writes
 * it:
 *
 * - an attack on vectors, see ParseAttack(): they form a Coalition;
 * - silent, delay:TIME, replay:ROUNDS, scale:FACTOR, flood:COPIES, malformed:COPIES or, of peers,
 *   equivocate:SCALE: each has a ByzantineBehavior;
 * - impersonate:VICTIM, round-jump:ROUND, header-flood:PERIOD, poison, wrong-length or roster: a
 *   WireBehavior. Under its own name such an attacker is silent, or makes the attack after a plus
 *   sign: impersonate:1+SignFlipping, poison+roster+none;
 * - LabelFlip or Backdoor:TARGET, an attack on their data (DataPoisoning): they follow the
 * protocol, or make the attack after a plus sign: Backdoor:7+scale:10;
 * - none: they are honest.
 */
class LearnerAttack
{
  public:
    /**
     * @param text as above
     * @throw std::invalid_argument naming the text and the possible attacks
     */
    explicit LearnerAttack(const std::string& text);

    /** @return all attacks as users write them, without the parameters of those on vectors */
    static std::string List();

    /** @return the attack on the Byzantine learners' data; null: none */
    Ptr<const DataPoisoning> GetPoisoning() const { return m_poisoning; }

    /**
     * Poison the data of one learner, where there is a poisoning.
     *
     * @param data of all learners
     * @param shard positions of its samples; becomes positions in the result
     * @return a copy of the learner's training samples, poisoned, and the same test samples. With
     *         attackers that are drawn, the poisoned samples stand behind as many that are not
     * @throw std::invalid_argument unless the data fit
     */
    LoadedData Poison(const LoadedData& data, SampleIndices& shard) const;

    /**
     * Before Install() on a federation: in each round other clients attack. All of them count as
     * Byzantine.
     *
     * @param draw says which
     * @throw std::invalid_argument for an attack on vectors or on the wire, whose members are fixed
     */
    void SetDraw(Ptr<AttackerDraw> draw);

    /** @return who attacks in a round; null: always the same */
    Ptr<AttackerDraw> GetDraw() const { return m_draw; }

    /** @throw std::invalid_argument when the attack would begin after @p rounds */
    void RequireBegin(uint32_t rounds) const;

    /** @return whether they make their vectors from the vectors that they see */
    bool SeesVectors() const { return m_attack != nullptr; }

    /** @return whether they wait before they send */
    bool Waits() const;

    /**
     * @param learners number of clients or peers
     * @param first number of the first of them
     * @param byzantine number of attackers, which are the last learners
     * @return the members of the coalition; empty without
     */
    std::set<LearnerId> GetMembers(uint32_t learners, LearnerId first, uint32_t byzantine) const;

    /** @return how many of the clients of an edge server are among the last ones of all clients */
    static uint32_t CountAttackers(const EdgeServer& edge, uint32_t clients, uint32_t byzantine);

    /**
     * Make the last clients of a federation Byzantine. A coalition answers within the deadline of
     * the server's schedule, and its ResponseTimeout.
     *
     * @param federation clients and server
     * @param byzantine number of attackers
     * @param omniscient whether they learn the updates of all honest clients or only their own
     * @param defence their copy of the aggregation that they attack; null: a mean
     * @param stream first random stream
     * @return number of streams used
     */
    int64_t Install(const Federation& federation,
                    uint32_t byzantine,
                    bool omniscient,
                    Ptr<Aggregator> defence,
                    int64_t stream) const;

    /**
     * Make the last peers Byzantine. A coalition answers within the deadline of their rounds, and
     * waits for vectors of others at most half of their ResponseTimeout, so that its messages
     * arrive within the timeout of its neighbours.
     *
     * @param peers all, in the order of their numbers
     * @param graph of the learners that exchange vectors
     * @param byzantine number of attackers, not all
     * @param omniscient whether they learn the vectors of all honest peers or only those that they
     *        receive
     * @param defence their copy of the aggregation that they attack; null: a mean
     * @param stream first random stream
     * @return number of streams used
     */
    int64_t Install(const std::vector<Ptr<PeerApplication>>& peers,
                    const Graph& graph,
                    uint32_t byzantine,
                    bool omniscient,
                    Ptr<Aggregator> defence,
                    int64_t stream) const;

  private:
    struct Sides
    {
        std::vector<Ptr<TrainingApplication>> honest;
        std::vector<Ptr<TrainingApplication>> byzantine;
    };

    /** @return whether it is an attack on the wire or on data, which may precede another one */
    bool TakeFirst(const std::string& text);

    static Sides Split(const std::vector<Ptr<TrainingApplication>>& learners, uint32_t byzantine);
    void AddWireBehaviors(const Sides& sides, const std::set<LearnerId>& servers) const;
    int64_t SetBehaviors(const Sides& sides, int64_t stream) const;
    int64_t FormCoalition(const Sides& sides,
                          std::set<LearnerId> limited,
                          bool omniscient,
                          Ptr<Coalition> coalition,
                          Ptr<Aggregator> defence,
                          int64_t stream) const;

    std::string m_text;              //!< as the user wrote it
    std::vector<std::string> m_wire; //!< attacks on the wire, at the beginning of the text
    std::string m_own;               //!< the rest: the attack under the attackers' own names
    Ptr<DataPoisoning> m_poisoning;  //!< attack on data; null: none
    Ptr<Attack> m_attack;            //!< on vectors; null: other attacks
    Ptr<AttackerDraw> m_draw;        //!< null: attackers are fixed
};

/**
 * @param aggregator the rule of honest learners; null: the mean
 * @param f the number of Byzantine learners that they assume
 * @return the rule as an attacker tries it out: empty when half of the vectors may be forged
 */
HonestView::Defence MakeDefence(Ptr<const Aggregator> aggregator, uint32_t f);

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_ATTACK_H
