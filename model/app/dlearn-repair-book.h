/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPAIR_BOOK_H
#define DLEARN_REPAIR_BOOK_H

#include "dlearn-round-window.h"

#include "ns3/dlearn-server-rule.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A server's second exchange in a round, when the clients that answered are asked to correct
 * their updates for those that did not (ServerRule::FindLost()). It knows whom was asked and
 * who has answered; each answer counts once. It knows neither time nor sockets.
 */
class RepairBook
{
  public:
    using Disposition = RoundWindow::Disposition;

    /**
     * Ask.
     *
     * @param requestId number of the exchange on the wire, larger than that of the last one
     * @param asked clients that are asked, not empty
     */
    void Open(uint32_t requestId, const std::vector<LearnerId>& asked);

    /** @return whether an exchange is open */
    bool IsOpen() const;

    /** @return whether everybody has answered */
    bool IsComplete() const;

    /** @return number of the open exchange, or of the last one */
    uint32_t GetTicket() const;

    /**
     * @param client who
     * @param requestId number of an exchange
     * @return what would become of its answer: ON_TIME, DUPLICATE, LATE or UNEXPECTED
     */
    Disposition Classify(LearnerId client, uint32_t requestId) const;

    /**
     * Take an answer.
     *
     * @param client who
     * @param requestId number of an exchange
     * @param correction the vector; null when it can not be used
     * @return what became of it
     */
    Disposition Answer(LearnerId client, uint32_t requestId, const ModelVector* correction);

    /**
     * End the exchange: subtract what came.
     *
     * @param updates of the clients that were asked, maybe of others
     */
    void Close(std::vector<ClientUpdate>& updates);

    /** Give the exchange up, as in a crash. */
    void Drop();

    /** @param totals gets the numbers of answers over the whole run */
    void Count(std::map<std::string, uint64_t>& totals) const;

  private:
    uint32_t m_ticket{0};                           //!< of the open or last exchange
    bool m_open{false};                             //!< whether it is open
    std::set<LearnerId> m_asked;                    //!< in it
    std::set<LearnerId> m_pending;                  //!< asked, and have not answered
    std::map<LearnerId, ModelVector> m_corrections; //!< what came
    uint64_t m_expected{0};                         //!< answers asked for
    uint64_t m_used{0};                             //!< came in time and could be used
    uint64_t m_unusable{0};                         //!< came in time and could not
    uint64_t m_late{0};                             //!< came after the exchange was over
};

} // namespace ns3::dlearn

#endif // DLEARN_REPAIR_BOOK_H
