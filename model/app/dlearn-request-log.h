/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REQUEST_LOG_H
#define DLEARN_REQUEST_LOG_H

#include "dlearn-round-window.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A model that a server gave to a client, to be answered by an update.
 */
struct Dispatch
{
    uint32_t requestId{0}; //!< its number: the round on the wire, both ways
    uint32_t version{0};   //!< the server's round when it was given
    Time sent;             //!< when
};

/**
 * @ingroup dlearn
 * Records which clients are working on a model of the server, and the outcome. Every dispatch
 * ends once: it is answered, or given up; an answer to one that was given up is late. A client
 * therefore counts once for each model that it was given, even when its answer arrives twice.
 *
 * A round's record counts the dispatches that ended in it: expected of them were answered
 * (received) or given up (late when the answer comes after all, else lost). Dispatches may
 * outlive rounds, as in asynchronous operation.
 *
 * The log knows neither time nor sockets.
 */
class RequestLog
{
  public:
    using Disposition = RoundWindow::Disposition; //!< of a request

    /** Numbers of messages, over the whole run. */
    struct Tally
    {
        uint64_t answered{0};   //!< first answers in time, usable or not
        uint64_t late{0};       //!< answers to dispatches that were given up
        uint64_t duplicate{0};  //!< answers that came before
        uint64_t unexpected{0}; //!< answers to nothing that was given
    };

    /**
     * @param client has no open dispatch
     * @param dispatch its requestId is larger than that of the client's last one
     */
    void Add(LearnerId client, Dispatch dispatch);

    /** @return whether the client has an open dispatch */
    bool IsOpen(LearnerId client) const { return m_open.count(client) > 0; }

    /** @return clients with an open dispatch, in order */
    const std::map<LearnerId, Dispatch>& GetOpen() const { return m_open; }

    /**
     * What would become of an answer, without giving it: ON_TIME, LATE, DUPLICATE or
     * UNEXPECTED.
     *
     * @param client who
     * @param requestId of the dispatch
     * @return the disposition that Answer() would return
     */
    Disposition Classify(LearnerId client, uint32_t requestId) const;

    /**
     * Give an answer.
     *
     * @param client who
     * @param requestId of the dispatch
     * @param usable whether it is handed to the rule; else it counts as rejected
     * @return what became of it
     */
    Disposition Answer(LearnerId client, uint32_t requestId, bool usable);

    /** @param client its open dispatch is not waited for any more */
    void GiveUp(LearnerId client);

    /**
     * @param client who
     * @param requestId of a dispatch
     * @return the dispatch, open or given up; null when there is none of this number
     */
    const Dispatch* Find(LearnerId client, uint32_t requestId) const;

    /**
     * End a round: what ended from now on belongs to the next.
     *
     * @param round its number
     */
    void Close(uint32_t round);

    /** @return the record of the round closed last, to complete it */
    RoundRecord& GetLastRecord() { return m_records.back(); }

    /**
     * Updates that count as used were thrown away before anything was made of them: they count as
     * rejected.
     *
     * @param updates how many
     * @param closed whether they are of the round closed last; else of the open one
     */
    void TakeBack(uint64_t updates, bool closed);

    /** @return what ended since the last round was closed */
    const RoundRecord& GetCurrent() const { return m_current; }

    /** @return one record a closed round, late answers counted as they come */
    const std::vector<RoundRecord>& GetRecords() const { return m_records; }

    /** @return numbers of messages over the whole run */
    const Tally& GetTally() const { return m_tally; }

    /**
     * Check the laws of RoundRecord on every record, and that every answer is in exactly one
     * record or one count of the tally.
     *
     * @throw std::logic_error naming the law, the round and the numbers
     */
    void CheckConservation() const;

  private:
    /** A dispatch that was given up. */
    struct Missed
    {
        Dispatch dispatch; //!< what
        size_t record;     //!< where it counts; the number of records for the open round
    };

    /**
     * @param index of a closed round
     * @return its record
     */
    RoundRecord& GetRecord(size_t index)
    {
        return index < m_records.size() ? m_records[index] : m_current;
    }

    std::map<LearnerId, Dispatch> m_open;                      //!< by client
    std::map<LearnerId, uint32_t> m_lastRequestId;             //!< by client
    std::map<std::pair<uint32_t, LearnerId>, Missed> m_missed; //!< by requestId: oldest first
    RoundRecord m_current;                                     //!< of the open round
    std::vector<RoundRecord> m_records;                        //!< of closed rounds
    Tally m_tally;                                             //!< over the whole run
};

} // namespace ns3::dlearn

#endif // DLEARN_REQUEST_LOG_H
