/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPAIR_EXCHANGE_H
#define DLEARN_REPAIR_EXCHANGE_H

#include "dlearn-repair-book.h"

#include "ns3/dlearn-message-exchange.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <functional>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The second exchange of a server's round, by which the clients that answered make up for those
 * that did not:
 *
 *  1. Ask(): a ROSTER goes to every client whose update is of the newest model. It has one entry
 *     a client of the federation, in the order of their numbers: 1 for each that the server
 *     missed, else 0 (MakeRoster(), and on the client's side ReadRoster()).
 *  2. Each of them answers with a CORRECTION, of the model's size: Answer().
 *  3. When all have answered, or their time is over, Close() subtracts the corrections that came
 *     from the updates. A client that does not answer keeps its update as it was.
 *
 * Both messages bear the requestId of the models that the updates were made from. What came of it
 * is in the RepairBook.
 */
class RepairExchange
{
  public:
    RepairExchange() = default;
    RepairExchange(const RepairExchange&) = delete;
    RepairExchange& operator=(const RepairExchange&) = delete;
    ~RepairExchange();

    /**
     * @param clients all of the federation, in increasing order
     * @param lost those of them that were missed, in increasing order
     * @return the roster, one entry a client
     */
    static ModelVector MakeRoster(const std::vector<LearnerId>& clients,
                                  const std::vector<LearnerId>& lost);

    /**
     * @param roster as it came over the wire
     * @return places of the clients that were missed, in increasing order; none for a roster that
     *         names nobody, or has an entry that is neither 0 nor 1
     */
    static std::vector<uint32_t> ReadRoster(const ModelVector& roster);

    /**
     * @param updates in the order of the clients
     * @return the clients whose update is of the newest model, each once
     */
    static std::vector<LearnerId> FindAnswered(const std::vector<ClientUpdate>& updates);

    /**
     * Ask for corrections.
     *
     * @param exchange sends the roster
     * @param requestId of the models that the updates were made from, larger than last time
     * @param asked clients that are asked, at least one
     * @param roster what they are told
     * @param wait until `over` is called
     * @param over the time is over
     */
    void Ask(MessageExchange& exchange,
             uint32_t requestId,
             const std::vector<LearnerId>& asked,
             const ModelVector& roster,
             Time wait,
             std::function<void()> over);

    /**
     * @param client who
     * @param requestId number of an exchange
     * @param arrival the correction; nothing when it can not be used
     * @return what became of it
     */
    RepairBook::Disposition Answer(LearnerId client,
                                   uint32_t requestId,
                                   const std::optional<Arrival>& arrival);

    /** @return whether an exchange is open that everybody has answered */
    bool IsComplete() const;

    /**
     * End the exchange.
     *
     * @param exchange need not send the roster any more
     * @param updates lose the corrections that came
     */
    void Close(MessageExchange& exchange, std::vector<ClientUpdate>& updates);

    /** Give the exchange up, as in a crash; nothing when none is open. */
    void Drop();

    /** @return the books */
    const RepairBook& GetBook() const;

  private:
    RepairBook m_book; //!< who was asked, and has answered
    EventId m_over;    //!< end of the time for it
};

} // namespace ns3::dlearn

#endif // DLEARN_REPAIR_EXCHANGE_H
