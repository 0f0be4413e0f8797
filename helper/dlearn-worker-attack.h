/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WORKER_ATTACK_H
#define DLEARN_WORKER_ATTACK_H

#include "dlearn-federated-helper.h"

#include "ns3/dlearn-coalition.h"

#include <string>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * What the Byzantine clients of a federation do, as a user of a program writes it:
 *
 * - an attack on vectors, see ParseAttack(): the clients form a Coalition;
 * - silent, delay:TIME, replay:ROUNDS or flood:COPIES: each client has a ClientBehavior;
 * - none, or LabelFlip, which is done to the data (FlipLabels()): they are honest.
 */
class WorkerAttack
{
  public:
    /**
     * @param text as above
     * @throw std::invalid_argument naming the text and what it may be
     */
    explicit WorkerAttack(const std::string& text);

    /** @return whether the Byzantine clients' labels are flipped */
    bool FlipsLabels() const;

    /**
     * Make the last clients of a federation Byzantine.
     *
     * @param federation clients and server
     * @param byzantine how many
     * @param omniscient whether they learn the updates of all honest clients or only their own
     * @param defence the aggregation that they are up against
     * @param stream first random stream
     * @return number of streams used
     */
    int64_t Install(const Federation& federation,
                    uint32_t byzantine,
                    bool omniscient,
                    HonestView::Defence defence,
                    int64_t stream) const;

  private:
    Ptr<ClientBehavior> CreateBehavior() const;

    std::string m_text;     //!< as the user wrote it
    std::string m_name;     //!< before the colon
    std::string m_argument; //!< after it
    Ptr<Attack> m_attack;   //!< on vectors; null for others
};

/**
 * @param data labelled samples
 * @return the same with the labels y -> (classes - 1) - y
 * @throw std::invalid_argument for a regression
 */
Dataset FlipLabels(Dataset data);

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_WORKER_ATTACK_H
