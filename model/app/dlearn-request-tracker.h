/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REQUEST_TRACKER_H
#define DLEARN_REQUEST_TRACKER_H

#include "dlearn-failure-detector.h"
#include "dlearn-request-log.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Where a server gives its models to clients and waits for their answers, each for a limited
 * time:
 *
 *  1. Give() opens a dispatch for each of some clients; together they have one requestId.
 *  2. Answer() ends the client's dispatch; so does GiveUp(), which patience brings about where
 *     the server does not. A client that was waited for without success for a total time since
 *     it was last heard (RecordActivity()), is believed gone; that is for the server to act on.
 *  3. When the last dispatch of a requestId has ended, nothing of it needs to be sent any more.
 *
 * The books are a RequestLog. The desk knows the clock, but no sockets.
 */
class RequestTracker
{
  public:
    /** What the server wants to be told. */
    struct Listener
    {
        std::function<void()> expired;                //!< a dispatch was given up out of patience
        std::function<void(uint32_t requestId)> over; //!< all dispatches of a requestId have ended
    };

    RequestTracker() = default;
    RequestTracker(const RequestTracker&) = delete;
    RequestTracker& operator=(const RequestTracker&) = delete;
    ~RequestTracker();

    /**
     * Call once, before anything else.
     *
     * @param clients all, in increasing order
     * @param patience longest wait for an answer, more than 0
     * @param tolerance total time waited after which a client is believed gone, more than 0
     * @param listener both of its functions set
     */
    void Setup(std::vector<LearnerId> clients,
               Time responseTimeout,
               Time suspicionTimeout,
               Listener listener);

    /**
     * Give the model to clients.
     *
     * @param clients idle ones, at least one
     * @param version of the model: the server's round
     * @return the requestId: the number on the wire, larger than that of any earlier call
     */
    uint32_t Give(const std::vector<LearnerId>& clients, uint32_t version);

    /** @return the requestId of the last Give(), which there was */
    uint32_t GetLastTicket() const;

    /**
     * Take an answer.
     *
     * @param client who
     * @param requestId of the dispatch
     * @param usable whether it is handed to the rule; else it is booked as rejected
     * @return what became of it
     */
    RequestLog::Disposition Answer(LearnerId client, uint32_t requestId, bool usable);

    /** @param client sent an answer that can be used, in time or late; each counts once */
    void RecordActivity(LearnerId client);

    /**
     * @param client sent something in time that is not usable
     * @param waited how long it was waited for
     */
    void RecordTimeout(LearnerId client, Time waited);

    /** Wait for none of the open dispatches any more. */
    void GiveUpAll();

    /** Be patient for ever: nobody is told anything any more, as at the end of a simulation. */
    void Stop();

    /** Believe that all clients are there again. */
    void Reset();

    /** @return all clients, in increasing order */
    const std::vector<LearnerId>& GetClients() const;

    /** @return clients without an open dispatch, in increasing order */
    std::vector<LearnerId> GetIdle() const;

    /** @return number of clients that are not believed gone */
    size_t CountAlive() const;

    /** @return number of those of them that have an open dispatch */
    size_t CountAwaited() const;

    /**
     * End a round in the books: what ended from now on belongs to the next.
     *
     * @param round its number
     */
    void Close(uint32_t round);

    /** @return the record of the round closed last, to complete it */
    RoundRecord& GetLastRecord();

    /** @return the books, to read: only the desk opens and ends dispatches */
    const RequestLog& GetBook() const;

  private:
    void Expire(LearnerId client);
    void GiveUp(LearnerId client);
    void End(LearnerId client, uint32_t requestId);

    std::vector<LearnerId> m_clients;       //!< all, in order
    Time m_responseTimeout;                 //!< longest wait for an answer
    Listener m_listener;                    //!< the server
    RequestLog m_book;                      //!< who has a model
    std::optional<FailureDetector> m_watch; //!< whom to wait for
    uint32_t m_ticket{0};                   //!< of the next Give()
    std::map<uint32_t, size_t> m_tickets;   //!< requestId -> its open dispatches
    std::map<LearnerId, EventId> m_expiry;  //!< ends of open dispatches
};

} // namespace ns3::dlearn

#endif // DLEARN_REQUEST_TRACKER_H
