/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COALITION_H
#define DLEARN_COALITION_H

#include "dlearn-client-behavior.h"

#include "ns3/dlearn-attack.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * Byzantine clients that act together: in each round they learn the updates of some clients,
 * forge one vector from them (Attack), and all send it.
 *
 * Whose updates they learn is for the caller to say (Setup()). An omniscient coalition learns
 * those of all honest clients, at once and out of band, which is the assumption of the
 * literature: connect Observe() to the traces Update of the honest clients. A limited one knows
 * only what its own members would send, were they honest; nobody has to be observed.
 *
 * Members answer as soon as the last update is known, at the latest Wait after the first member
 * was ready; then they make do with what they know, and without anything they are honest.
 */
class Coalition : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param attack forges
     * @param sources clients whose updates it learns, not empty
     * @param members the clients that belong to it, not empty
     * @param defence the aggregation that it is up against; may be empty
     */
    void Setup(Ptr<Attack> attack,
               const std::set<LearnerId>& sources,
               const std::set<LearnerId>& members,
               HonestView::Defence defence);

    /**
     * @param client who made an update; ignored unless a source
     * @param round the round
     * @param update the update
     */
    void Observe(LearnerId client, uint32_t round, const ModelVector& update);

    /** @return a behaviour for a member, one for each */
    Ptr<ClientBehavior> CreateMember();

  protected:
    void DoDispose() override;

  private:
    friend class CoalitionMember;

    /** A member that is ready. */
    struct Ready
    {
        ModelVector honest;                //!< what it would send
        ClientBehavior::SendCallback send; //!< sends
        ClientBehavior::DoneCallback done; //!< ends the round
    };

    /** A round that is not over. */
    struct Round
    {
        std::map<LearnerId, ModelVector> known; //!< updates of sources
        std::map<LearnerId, Ready> ready;       //!< members
        std::optional<ModelVector> forged;      //!< once made
        EventId timeout;                        //!< end of Wait
    };

    void Join(LearnerId client, uint32_t round, Ready ready);
    void Withdraw(LearnerId client, uint32_t round);
    void Answer(uint32_t round);
    std::optional<ModelVector> Forge(const Round& round) const;

    Time m_wait;                        //!< attribute Wait
    Ptr<Attack> m_attack;               //!< forges
    std::set<LearnerId> m_sources;      //!< whose updates it learns
    std::set<LearnerId> m_members;      //!< who belongs to it
    HonestView::Defence m_defence;      //!< what it is up against
    std::map<uint32_t, Round> m_rounds; //!< newest rounds
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_COALITION_H
