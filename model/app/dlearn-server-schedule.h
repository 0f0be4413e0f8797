/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SERVER_SCHEDULE_H
#define DLEARN_SERVER_SCHEDULE_H

#include "dlearn-client-sampling.h"
#include "dlearn-round-policy.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a server runs its rounds: to which clients it gives the model, and when it makes a new model
 * from their answers. A round is one version of the model.
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
     * Asked when a round opens.
     *
     * @param round the round
     * @param idle clients that have no open dispatch, in order
     * @return the clients to give the model to now
     */
    virtual std::vector<LearnerId> ChooseAtOpening(uint32_t round,
                                                   const std::vector<LearnerId>& idle) = 0;

    /**
     * Asked after every update, and every dispatch given up, that does not close the round.
     *
     * @param idle clients that have no open dispatch, in order; without those whose update of the
     *        newest model waits, where another one would only take its place
     * @param busy number of clients that have an open dispatch
     * @return the clients to give the model to now, of those that are idle
     */
    virtual std::vector<LearnerId> ChooseAfterUpdate(const std::vector<LearnerId>& idle,
                                                     size_t busy) = 0;

    /**
     * A round closes when nothing may come any more, whatever the schedule says.
     *
     * @param status of the open round. Expected and received are updates of dispatches that
     *        end in it. Waitable are clients believed alive: in synchronous operation those
     *        with an open dispatch, else all, without those that the rule counts once and whose
     *        update waits. As long as none is and nothing is buffered, all open dispatches are
     * @param buffered updates that wait to be aggregated
     * @return whether the round closes now
     */
    bool ShouldClose(const RoundStatus& status, size_t buffered) const;

    /**
     * @return with how many updates a round closes, when all clients are alive and answer in time;
     *         after Setup()
     */
    virtual CountRange CountUpdates() const = 0;

    /** @return time after the opening at which to ask again; zero for never */
    virtual Time GetDeadline() const = 0;

    /**
     * @return whether closing a round ends it for all: dispatches that are still open are given
     *         up, and a client counts at most once in a round, with its newest update
     */
    virtual bool IsSynchronous() const = 0;

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

  private:
    /**
     * @param status of the open round. An update may still come (RoundStatus::waitable is not 0)
     * @param buffered updates that wait to be aggregated
     * @return whether the round closes now
     */
    virtual bool DoShouldClose(const RoundStatus& status, size_t buffered) const = 0;
};

/**
 * @ingroup dlearn
 * Rounds in lock-step, as in FedAvg: the clients that Sampling chooses get the model, and the
 * RoundPolicy says when the round closes.
 */
class SynchronousSchedule : public ServerSchedule
{
  public:
    static TypeId GetTypeId();

    void Setup(const std::vector<LearnerId>& clients) override;
    std::vector<LearnerId> ChooseAtOpening(uint32_t round,
                                           const std::vector<LearnerId>& idle) override;
    std::vector<LearnerId> ChooseAfterUpdate(const std::vector<LearnerId>& idle,
                                             size_t busy) override;
    CountRange CountUpdates() const override;
    Time GetDeadline() const override;

    bool IsSynchronous() const override { return true; }

    int64_t AssignStreams(int64_t stream) override;

    /** @return when a round closes: the attribute RoundPolicy */
    Ptr<RoundPolicy> GetRoundPolicy() const { return m_roundPolicy; }

    /** @return who takes part: the attribute Sampling */
    Ptr<ClientSampling> GetSampling() const { return m_sampling; }

  private:
    bool DoShouldClose(const RoundStatus& status, size_t buffered) const override;

    /** @return whether Setup() was called */
    bool IsSetUp() const { return m_setUp; }

    Ptr<RoundPolicy> m_roundPolicy; //!< attribute RoundPolicy
    Ptr<ClientSampling> m_sampling; //!< attribute Sampling
    bool m_setUp{false};            //!< whether Setup() was called
};

/**
 * @ingroup dlearn
 * Asynchronous operation: Concurrency clients work at any time, each on the model that was the
 * newest when it became free, and a new model is made as soon as BufferSize updates are there,
 * from whatever versions. BufferSize 1 is apply-on-arrival (FedAsync: Xie, Koyejo, Gupta, 2019),
 * more is FedBuff (Nguyen et al., AISTATS 2022). Who is next among the idle is drawn uniformly.
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
    BufferedSchedule();
    ~BufferedSchedule() override;

    void Setup(const std::vector<LearnerId>& clients) override;
    std::vector<LearnerId> ChooseAtOpening(uint32_t round,
                                           const std::vector<LearnerId>& idle) override;
    std::vector<LearnerId> ChooseAfterUpdate(const std::vector<LearnerId>& idle,
                                             size_t busy) override;
    CountRange CountUpdates() const override;
    Time GetDeadline() const override;

    bool IsSynchronous() const override { return false; }

    int64_t AssignStreams(int64_t stream) override;

  private:
    bool DoShouldClose(const RoundStatus& status, size_t buffered) const override;

    uint32_t m_bufferSize{10};           //!< attribute BufferSize
    uint32_t m_concurrency{0};           //!< attribute Concurrency
    size_t m_clients{0};                 //!< number of clients
    Ptr<UniformRandomVariable> m_random; //!< who is next
};

} // namespace ns3::dlearn

#endif // DLEARN_SERVER_SCHEDULE_H
