/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SECOND_PHASE_H
#define DLEARN_SECOND_PHASE_H

#include "dlearn-alarm.h"
#include "dlearn-answer-log.h"

#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-server-rule.h"
#include "ns3/nstime.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The second phase of a server's round, in which it asks the clients that answered once more:
 *
 *  1. Ask(): the request of the server's rule (ServerRule::GetRequest()) goes to every client whose
 *     update is of the newest model, on the channel REQUEST.
 *  2. Each of them answers (ClientRule::Answer()) with a vector of the model's size, on the channel
 *     ANSWER: Answer().
 *  3. When all have answered, or their time is over, Close() returns the answers.
 *
 * Both messages carry the requestId of the models from which the updates were made. The AnswerLog
 * records the outcome.
 */
class SecondPhase
{
  public:
    /** @param over called when the time to answer is over */
    explicit SecondPhase(std::function<void()> over);

    /**
     * @param updates in the order of the clients
     * @param requestId of the round
     * @return the clients whose update answers it, each once
     */
    static std::vector<LearnerId> FindAnswered(const std::vector<ClientUpdate>& updates,
                                               uint32_t requestId);

    /**
     * Ask.
     *
     * @param exchange sends the request
     * @param requestId of the models that the updates were made from, larger than last time
     * @param asked clients that are asked, at least one
     * @param request what they are asked
     * @param wait the time to answer
     */
    void Ask(MessageExchange& exchange,
             uint32_t requestId,
             const std::vector<LearnerId>& asked,
             const ModelVector& request,
             Time wait);

    /**
     * @param client who
     * @param requestId number of a request
     * @param arrival the answer; nothing when it cannot be used
     * @return what became of it
     */
    AnswerLog::Disposition Answer(LearnerId client,
                                  uint32_t requestId,
                                  const std::optional<Arrival>& arrival);

    /** @return whether a request is open that all clients have answered */
    bool IsComplete() const { return m_log.IsOpen() && m_log.IsComplete(); }

    /**
     * End the phase.
     *
     * @param exchange need not send the request any more
     * @return the usable answers, by client
     */
    std::map<LearnerId, ModelVector> Close(MessageExchange& exchange);

    /** Give the phase up, as in a crash; nothing when none is open. */
    void Drop();

    /** @return who was asked, and has answered */
    const AnswerLog& GetLog() const { return m_log; }

  private:
    AnswerLog m_log; //!< who was asked, and has answered
    Alarm m_over;    //!< end of the time for it
};

} // namespace ns3::dlearn

#endif // DLEARN_SECOND_PHASE_H
