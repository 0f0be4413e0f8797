/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ANSWER_LOG_H
#define DLEARN_ANSWER_LOG_H

#include "dlearn-round-window.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The second phase of a round, as a server logs it: which clients were asked, and which have
 * answered what. Each answer counts once. It knows neither time nor sockets.
 */
class AnswerLog
{
  public:
    using Disposition = RoundWindow::Disposition; //!< of an answer

    /**
     * Ask.
     *
     * @param requestId number of the request on the wire, larger than that of the last one
     * @param asked clients that are asked, not empty
     */
    void Open(uint32_t requestId, const std::vector<LearnerId>& asked);

    /** @return whether a request is open */
    bool IsOpen() const { return m_open; }

    /** @return whether all clients that were asked have answered */
    bool IsComplete() const { return m_pending.empty(); }

    /** @return number of the open request, or of the last one */
    uint32_t GetRequestId() const { return m_requestId; }

    /**
     * @param client who
     * @param requestId number of a request
     * @return what would become of its answer: ON_TIME, DUPLICATE, LATE or UNEXPECTED
     */
    Disposition Classify(LearnerId client, uint32_t requestId) const;

    /**
     * Take an answer.
     *
     * @param client who
     * @param requestId number of a request
     * @param answer the vector; null when it cannot be used
     * @return what became of it
     */
    Disposition Answer(LearnerId client, uint32_t requestId, const ModelVector* answer);

    /**
     * End the request.
     * @return the answers that came in time and can be used
     */
    std::map<LearnerId, ModelVector> Close();

    /** Give the request up, as in a crash. */
    void Drop();

    /** @param totals gets the numbers of answers over the whole run */
    void Count(std::map<std::string, uint64_t>& totals) const;

  private:
    uint32_t m_requestId{0};                    //!< of the open or last request
    bool m_open{false};                         //!< whether it is open
    std::set<LearnerId> m_asked;                //!< clients
    std::set<LearnerId> m_pending;              //!< asked, and have not answered
    std::map<LearnerId, ModelVector> m_answers; //!< received in time, usable
    uint64_t m_expected{0};                     //!< answers asked for
    uint64_t m_used{0};                         //!< came in time, and could be used
    uint64_t m_unusable{0};                     //!< came in time, but were not, as in a crash
    uint64_t m_late{0};                         //!< came after the request was over
};

} // namespace ns3::dlearn

#endif // DLEARN_ANSWER_LOG_H
