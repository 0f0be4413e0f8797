/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REQUEST_TRACKER_H
#define DLEARN_REQUEST_TRACKER_H

#include "dlearn-failure-detector.h"
#include "dlearn-request-log.h"
#include "dlearn-response-timeouts.h"
#include "dlearn-round-policy.h"

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
 * Gives a server's models to clients and waits for their answers, each for a limited time:
 *
 *  1. Give() opens a dispatch for each of some clients; together they have one requestId.
 *  2. Answer() ends the client's dispatch; so does GiveUpAll(), or the ResponseTimeout, which
 *     may change with the answers (ResponseTimeouts). A client that was waited for without success
 * for a total time since its last answer (RecordAnswer()) is suspected; the server decides what
 * follows from that.
 *  3. When the last dispatch of a requestId has ended, its messages need not be sent any more.
 *
 * A RequestLog records the outcome of each. The tracker knows the clock, but no sockets.
 */
class RequestTracker
{
  public:
    /** The callbacks of the server. */
    struct Listener
    {
        std::function<void(LearnerId client)> expired; //!< a dispatch was given up after the
                                                       //!< ResponseTimeout
        std::function<void(uint32_t requestId)> over;  //!< all dispatches of a requestId have ended
        std::function<void(LearnerId client)> suspected{}; //!< a client is suspected from now on
        std::function<void(LearnerId client)> expiring{};  //!< a dispatch is about to be given up
                                                           //!< unless it is answered now
    };

    RequestTracker() = default;
    RequestTracker(const RequestTracker&) = delete;
    RequestTracker& operator=(const RequestTracker&) = delete;
    ~RequestTracker();

    /**
     * Call once, before anything else.
     *
     * @param clients all, in increasing order
     * @param timeouts longest wait for an answer, and total time waited after which a client is
     *        suspected
     * @param listener all of its functions set, but `suspected` and `expiring` may be empty
     */
    void Setup(std::vector<LearnerId> clients, const ResponseTimeouts& timeouts, Listener listener);

    /**
     * Give the model to clients.
     *
     * @param clients idle ones, at least one
     * @param version of the model: the server's round
     * @return the requestId: the number on the wire, larger than that of any earlier call
     */
    uint32_t Give(const std::vector<LearnerId>& clients, uint32_t version);

    /** @return the requestId of the last Give(), which there was */
    uint32_t GetLastRequestId() const { return m_next - 1; }

    /**
     * Take an answer.
     *
     * @param client who
     * @param requestId of the dispatch
     * @param usable whether it is handed to the rule; else it counts as rejected
     * @return what became of it
     */
    RequestLog::Disposition Answer(LearnerId client, uint32_t requestId, bool usable);

    /**
     * @param dispatch open or given up
     * @return time since it was opened; 0 when the server gave all up since then (DropAll())
     */
    Time GetWaited(const Dispatch& dispatch) const;

    /**
     * Learn from an answer whether its client works, and how long answers take: a client works that
     * sends a usable answer, in time or late. To wait for a client whose answers are in time but
     * not usable counts as waiting without success.
     *
     * @param client who
     * @param disposition what became of its answer; each counts once
     * @param usable whether it can be used
     * @param waited how long it was waited for; 0 when that says nothing
     */
    void RecordAnswer(LearnerId client,
                      RequestLog::Disposition disposition,
                      bool usable,
                      Time waited);

    /** The open dispatches have been waited for without success. */
    void GiveUpAll();

    /** Wait for none of the open dispatches any more, which says nothing of their clients. */
    void DropAll();

    /** Cancel all timers: the server is notified no more, as at the end of a simulation. */
    void Stop();

    /** Suspect no client any more. */
    void Reset() { m_detector.Reset(); }

    /** @return all clients, in increasing order */
    const std::vector<LearnerId>& GetClients() const { return m_clients; }

    /** @return clients without an open dispatch, in increasing order */
    std::vector<LearnerId> GetIdle() const;

    /**
     * @param without clients that do not count, each of them once
     * @return number of clients that are not suspected
     */
    size_t CountAlive(const std::vector<LearnerId>& without = {}) const;

    /** @return number of those of them that have an open dispatch */
    size_t CountAwaited() const;

    /** A round opens: what ended before, as in one that a crash cut short, is not of it. */
    void Open() { m_ended = m_log.GetCurrent(); }

    /** @return what was expected and received since Open(), and what is expected still */
    RoundStatus GetStatus() const;

    /**
     * End a round in the log: what ended from now on belongs to the next.
     *
     * @param round its number
     */
    void Close(uint32_t round) { m_log.Close(round); }

    /** @return the record of the round closed last, to complete it */
    RoundRecord& GetLastRecord() { return m_log.GetLastRecord(); }

    /** See RequestLog::TakeBack(). */
    void TakeBack(uint64_t updates, bool closed) { m_log.TakeBack(updates, closed); }

    /** @return how long clients are waited for at present */
    const ResponseTimeouts& GetTimeouts() const { return m_timeouts; }

    /** @return the log, to read: only the tracker opens and ends dispatches */
    const RequestLog& GetLog() const { return m_log; }

  private:
    /**
     * @param client that did not answer
     * @param waited how long it was waited for
     */
    void RecordTimeout(LearnerId client, Time waited);

    /** @return how long a client is still waited for, as the response timeout is now */
    Time GetLeft(LearnerId client) const;

    /** @param client who has an open dispatch, which expires when nothing is left to wait */
    void Await(LearnerId client);

    /** @param client that was waited for as long as the response timeout said */
    void Expire(LearnerId client);

    /** @param client that was waited for without success */
    void GiveUp(LearnerId client);

    /** @param client that is not waited for any longer */
    void Drop(LearnerId client);

    /**
     * @param client whose request is over
     * @param requestId number of the request, which may be over for all
     */
    void End(LearnerId client, uint32_t requestId);

    std::vector<LearnerId> m_clients;      //!< all, in order
    ResponseTimeouts m_timeouts;           //!< longest wait for an answer
    Listener m_listener;                   //!< the server
    RequestLog m_log;                      //!< who has a model
    FailureDetector m_detector;            //!< says which senders to wait for
    uint32_t m_next{0};                    //!< requestId of the next Give()
    uint32_t m_kept{0};                    //!< first requestId since the last DropAll()
    std::map<uint32_t, size_t> m_open;     //!< requestId -> number of its open dispatches
    RoundRecord m_ended;                   //!< what had ended when the round opened
    std::map<LearnerId, EventId> m_expiry; //!< ends of open dispatches
};

} // namespace ns3::dlearn

#endif // DLEARN_REQUEST_TRACKER_H
