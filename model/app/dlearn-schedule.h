/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SCHEDULE_H
#define DLEARN_SCHEDULE_H

#include "dlearn-client-sampling.h"

#include "ns3/attribute.h"
#include "ns3/dlearn-message-receiver.h"
#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The state of a round, from which a policy decides whether it closes. */
struct RoundStatus
{
    uint32_t expected{0}; //!< expected messages
    uint32_t received{0}; //!< arrived messages
    uint32_t waitable{0}; //!< missing messages that may still arrive: their senders are
                          //!< neither suspected nor in a later round
    Time elapsed;         //!< since the round opened
};

/**
 * @ingroup dlearn
 * Decides when a round closes. The application asks whenever a message arrives and after
 * GetDeadline(). A derived policy overrides DoShouldClose() and GetDeadline().
 */
class RoundPolicy : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * A round also closes when no message may arrive any more, unless the policy is asynchronous.
     *
     * @param status of the open round
     * @return whether it closes now
     */
    bool ShouldClose(const RoundStatus& status) const
    {
        return (status.waitable == 0 && !IsAsynchronous()) || DoShouldClose(status);
    }

    /**
     * @param expected messages that a round awaits, from senders that are alive
     * @return after how many of them it closes, when they come at once
     */
    uint32_t CountEnough(uint32_t expected) const;

    /** @return time after the opening at which to ask again; 0: never */
    virtual Time GetDeadline() const = 0;

    /** @return whether learners do not go through the rounds together, so that a message's round
     *  does not matter (LatestTable); no unless overridden */
    virtual bool IsAsynchronous() const { return false; }

  private:
    /** As ShouldClose(), if a missing message may still arrive (RoundStatus::waitable > 0) or
     *  the policy is asynchronous. */
    virtual bool DoShouldClose(const RoundStatus& status) const = 0;
};

/** @ingroup dlearn
 *  A round closes when a message of every alive neighbour has arrived. */
class AllPolicy : public RoundPolicy
{
  public:
    static TypeId GetTypeId();

    Time GetDeadline() const override { return Time(0); }

  private:
    bool DoShouldClose(const RoundStatus& /* status */) const override { return false; }
};

/**
 * @ingroup dlearn
 * A round closes when a message of every alive neighbour has arrived, at the latest Deadline after
 * it opened.
 */
class DeadlinePolicy : public RoundPolicy
{
  public:
    static TypeId GetTypeId();

    Time GetDeadline() const override { return m_deadline; }

  private:
    bool DoShouldClose(const RoundStatus& status) const override
    {
        return status.elapsed >= m_deadline;
    }

    Time m_deadline;
};

/**
 * @ingroup dlearn
 * A round closes when the share Fraction of the expected messages has arrived (rounded up),
 * or when no other message may arrive, at the latest Deadline after it opened.
 */
class QuorumPolicy : public RoundPolicy
{
  public:
    static TypeId GetTypeId();

    Time GetDeadline() const override { return m_deadline; }

  private:
    bool DoShouldClose(const RoundStatus& status) const override;

    double m_fraction{1};
    Time m_deadline;
};

/**
 * @ingroup dlearn
 * Every learner has its own rounds and does not wait: a round closes when the learner has sent, at
 * the earliest after Period, and uses the newest message of every neighbour that arrived meanwhile.
 * Peers only.
 */
class AsynchronousPolicy : public RoundPolicy
{
  public:
    static TypeId GetTypeId();

    Time GetDeadline() const override { return m_period; }

    bool IsAsynchronous() const override { return true; }

  private:
    /** @throw std::invalid_argument when a round takes no time */
    bool DoShouldClose(const RoundStatus& status) const override;

    Time m_period;
};

/** @ingroup dlearn
 *  The treatment of messages that are missing when a round would close. */
class MissingPolicy : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return whether a round may close without a message of an alive neighbour */
    virtual bool MayClose() const { return true; }

    /** @return whether vectors of other rounds replace missing ones; false unless overridden */
    virtual bool HasStandIns() const { return false; }

    /** Called with every complete vector, on time or late. */
    virtual void Remember(const MessageSource& /* source */, const Arrival& /* arrival */) {}

    /** @return the vector that replaces a missing message; null: none */
    virtual const Arrival* GetStandIn(const MessageSource& /* source */) const { return nullptr; }
};

/** @ingroup dlearn
 *  The round continues without the missing message. */
class SkipMissing : public MissingPolicy
{
  public:
    static TypeId GetTypeId();
};

/** @ingroup dlearn
 *  The newest vector received from that neighbour replaces the missing one, however old. */
class LastReceived : public MissingPolicy
{
  public:
    static TypeId GetTypeId();

    bool HasStandIns() const override { return true; }

    void Remember(const MessageSource& source, const Arrival& arrival) override;
    const Arrival* GetStandIn(const MessageSource& source) const override;

  private:
    std::map<MessageSource, Arrival> m_last; //!< newest of each source
};

/**
 * @ingroup dlearn
 * The round stays open, past deadline and quorum, until the message has arrived, its sender is
 * suspected, or the learner's ResponseTimeout has passed.
 */
class WaitForMissing : public MissingPolicy
{
  public:
    static TypeId GetTypeId();

    bool MayClose() const override { return false; }
};

/** @ingroup dlearn
 *  The plan of a round of a server. */
struct RoundPlan
{
    std::vector<LearnerId> clients; //!< idle ones that get the model now, in order
    Time deadline{};                //!< after the opening, when the round closes; 0: none
    size_t minimum{1};              //!< with fewer updates the round is given up: no new model
    Figures figures{};              //!< ride with the model: see ServerSchedule::GetSettings()
};

/**
 * @ingroup dlearn
 * The rounds of a server: the clients that get the model, and when the server makes a new model
 * of their updates. A round is one version of the model.
 */
class ServerSchedule : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param clients all clients, in order
     * @throw std::invalid_argument when an attribute is out of its range or does not fit them
     */
    virtual void Setup(const std::vector<LearnerId>& clients) = 0;

    /**
     * Asked when a round opens. In asynchronous operation also after every update, and every
     * request given up, if the round stays open: then only the clients of the plan count.
     *
     * A synchronous round without clients lasts until its deadline, without one no time.
     */
    virtual RoundPlan Plan(const RoundView& view) = 0;

    /** @return attributes of the clients' rule, numbers that clients set as RoundPlan::figures says
     */
    virtual std::vector<std::string> GetSettings() const { return {}; }

    /** @return the figures of updates that Plan() needs (FederatedClient, Reports) */
    virtual std::vector<std::string> GetFigures() const { return {}; }

    /**
     * A round also closes when no update may arrive any more.
     *
     * @param status of the open round. Expected and received are updates of requests that end in
     *        it. Waitable are clients that are not suspected: in synchronous operation those with
     *        an open request, else all, without those that count once and whose update waits. If
     *        there are none and the buffer is empty, waitable are all open requests
     * @param buffered updates in the buffer
     * @return whether the round closes now
     */
    bool ShouldClose(const RoundStatus& status, size_t buffered) const
    {
        return status.waitable == 0 || DoShouldClose(status, buffered);
    }

    /** @return bounds of the number of updates of a round in which all clients answer in time,
     * after Setup() */
    virtual CountRange CountUpdates() const = 0;

    /** @return longest deadline of a plan; 0: none. Timeouts are not shorter */
    virtual Time GetDeadline() const = 0;

    /** @return whether a round that closes gives up its open requests, and a client counts at most
     *          once in a round, with its newest update */
    virtual bool IsSynchronous() const = 0;

    /** Fix the random streams, from @p stream on. @return number of streams used */
    virtual int64_t AssignStreams(int64_t stream) = 0;

  private:
    /** As ShouldClose(), if an update may still arrive (RoundStatus::waitable > 0). */
    virtual bool DoShouldClose(const RoundStatus& status, size_t buffered) const = 0;
};

/**
 * @ingroup dlearn
 * Synchronous rounds, as in FedAvg: the clients that Sampling chooses get the model, and the
 * RoundPolicy says when the round closes, at the latest with as many updates as are enough for
 * Sampling. With fewer than MinUpdates the model stays the same.
 */
class SynchronousSchedule : public ServerSchedule
{
  public:
    static TypeId GetTypeId();

    void Setup(const std::vector<LearnerId>& clients) override;

    RoundPlan Plan(const RoundView& view) override
    {
        return {m_sampling->Choose(view), GetDeadline(), m_minUpdates};
    }

    std::vector<std::string> GetFigures() const override { return m_sampling->GetFigures(); }

    CountRange CountUpdates() const override;

    Time GetDeadline() const override { return m_roundPolicy->GetDeadline(); }

    bool IsSynchronous() const override { return true; }

    int64_t AssignStreams(int64_t stream) override { return m_sampling->AssignStreams(stream); }

    Ptr<RoundPolicy> GetRoundPolicy() const { return m_roundPolicy; }

    Ptr<ClientSampling> GetSampling() const { return m_sampling; }

  private:
    bool DoShouldClose(const RoundStatus& status, size_t /* buffered */) const override
    {
        return status.received >= m_sampling->CountEnough() || m_roundPolicy->ShouldClose(status);
    }

    bool IsSetUp() const { return m_setUp; }

    Ptr<RoundPolicy> m_roundPolicy;
    Ptr<ClientSampling> m_sampling;
    uint32_t m_minUpdates{1};
    bool m_setUp{false};
};

/**
 * @ingroup dlearn
 * Asynchronous operation: Concurrency clients work at any time, each on the model that was the
 * newest when it became free, and a new model is made as soon as BufferSize updates are there,
 * from any versions. BufferSize 1 is apply-on-arrival (FedAsync: Xie, Koyejo, Gupta, 2019),
 * more is FedBuff (Nguyen et al., AISTATS 2022). Idle clients are drawn uniformly.
 *
 * A round also closes, with the updates in the buffer, when all clients are suspected. Where the
 * ServerRule counts each client once (RobustServer), a newer update replaces the one that waits, a
 * client whose update of the newest model waits gets no model, and a round also closes when every
 * client that is not suspected has an update in the buffer.
 */
class BufferedSchedule : public ServerSchedule
{
  public:
    static TypeId GetTypeId();

    void Setup(const std::vector<LearnerId>& clients) override;

    RoundPlan Plan(const RoundView& view) override;

    CountRange CountUpdates() const override { return {m_bufferSize, m_bufferSize}; }

    Time GetDeadline() const override { return Time(0); }

    bool IsSynchronous() const override { return false; }

    int64_t AssignStreams(int64_t stream) override;

  private:
    bool DoShouldClose(const RoundStatus& /* status */, size_t buffered) const override
    {
        return buffered >= m_bufferSize;
    }

    uint32_t m_bufferSize{10};
    uint32_t m_concurrency{0};
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
};

/**
 * @ingroup dlearn
 * The timeouts of a learner that waits for others. Without a user's choice they follow from the
 * forecast and from the answers so far:
 *
 *     response = max(1 s, D, F, R, min(M, 4 m)),    M = max(30 s, 4 F, 4 u),
 *     suspicion = 2 max(response, 1 s)
 *
 * D is the deadline of a round, F the forecast of the slowest answer, R the time of a
 * retransmission where packets are lost, and M bounds the cost of a sender that answers later each
 * time. m is the slowest answer: a slower one replaces it, another one moves it by 1 / (8 n) of the
 * difference, with n senders, as TCP smooths its times by 1 / 8 (RFC 6298). u is near the median of
 * the answers, which few senders cannot move: each answer above it makes it 5 % longer, each one
 * below it as much shorter. Before the first answer m is infinite. A learner that does not learn
 * from answers waits for max(1 s, D, 4 F, R).
 *
 * The factor is four because waiting too long for a failed sender costs time, but not waiting long
 * enough for a slow one costs its messages in every round.
 */
class ResponseTimeouts
{
  public:
    /** A forecast of answers. */
    struct Forecast
    {
        Time answer{};   //!< F, the slowest; 0: unknown
        Time recovery{}; //!< R; 0: no retransmissions
    };

    struct Settings
    {
        Time response{};     //!< chosen by the user; 0: none
        Time suspicion{};    //!< chosen by the user; 0: none
        Time deadline{};     //!< D; 0: none
        Forecast forecast{}; //!< F and R
        bool learns{false};  //!< whether to learn from answers
        uint64_t senders{1}; //!< n, at least 1
    };

    ResponseTimeouts() = default;

    explicit ResponseTimeouts(const Settings& settings)
        : m_settings(settings)
    {
    }

    /**
     * Learn from an answer, also from a late one.
     *
     * @param answer time from the question to the answer
     * @return whether it is the first one
     */
    bool Record(Time answer);

    /** @return longest wait for a message: the response timeout */
    Time GetResponse() const;

    /** @return the response timeout without m */
    Time GetLeast() const;

    /** @return total time waited for a learner, after which it is suspected to have failed */
    Time GetSuspicion() const;

  private:
    Settings m_settings;
    std::optional<Time> m_slowest; //!< m; nothing before the first answer
    Time m_usual;                  //!< u
};

} // namespace ns3::dlearn

#endif // DLEARN_SCHEDULE_H
