/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SERVER_CHECKPOINT_H
#define DLEARN_SERVER_CHECKPOINT_H

#include "ns3/dlearn-server-rule.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a server finds on its disk when it restarts: what its rule had learned at the last
 * checkpoint (ServerRule::RememberLearned()). One is written whenever so many rounds have passed.
 * By default that is after every round, so that nothing is lost, and nothing is kept here.
 *
 * Only what was learned goes back. Numbers of rounds and of messages, privacy accounts and the
 * position of every random stream do not: no number is given twice, what was released stays in the
 * accounts, and no noise is added a second time.
 */
class ServerCheckpoint
{
  public:
    /**
     * Write a checkpoint, and from now on another whenever so many rounds have passed.
     *
     * @param interval number of rounds, at least 1
     * @param rule what the server has learned
     * @throw std::invalid_argument for an interval of 0
     */
    void SetInterval(uint32_t interval, ServerRule& rule);

    /**
     * A round has made a model: write a checkpoint when it is time for one.
     *
     * @param rule what the server has learned
     */
    void Update(ServerRule& rule);

    /**
     * Write a checkpoint, as a server does that leaves in order.
     *
     * @param rule what the server has learned
     */
    void Write(ServerRule& rule);

    /**
     * Go back to the last checkpoint.
     *
     * @return whether rounds have made models since, which are lost
     */
    bool Restore();

    /** @param totals gets the number of rounds that were lost so, if checkpoints were asked for */
    void Count(std::map<std::string, uint64_t>& totals) const;

  private:
    uint32_t m_interval{1};          //!< rounds between checkpoints
    uint32_t m_since{0};             //!< rounds since the last one
    std::function<void()> m_restore; //!< goes back to the last one; empty: one after every round
    bool m_used{false};              //!< whether SetInterval() was called
    uint64_t m_lost{0};              //!< rounds that were lost
};

} // namespace ns3::dlearn

#endif // DLEARN_SERVER_CHECKPOINT_H
