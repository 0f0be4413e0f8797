/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SERVER_NOISE_H
#define DLEARN_SERVER_NOISE_H

#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A message in an aggregate.
 */
struct ReleasedMessage
{
    uint32_t round{0}; //!< as its client counts rounds
    double share{1};   //!< its factor, before the aggregate is divided by the total
};

/** The messages of an aggregate, by client; a client may have several, as in a buffer. */
using ReleasedMessages = std::multimap<LearnerId, ReleasedMessage>;

/**
 * @ingroup dlearn
 * What a trusted server is about to publish: an aggregate of the messages of some clients,
 * sum_i share_i message_i / total.
 */
struct ServerRelease
{
    uint32_t step{0};          //!< number of the noise, increasing
    ReleasedMessages messages; //!< what is in it
    double total{0};           //!< what the sum is divided by
};

/**
 * @ingroup dlearn
 * Keeps account of what a trusted server tells about a client.
 */
class ServerReleaseListener
{
  public:
    virtual ~ServerReleaseListener() = default;

    /**
     * @param release what the server would tell
     * @return whether the worker's budget allows it
     */
    virtual bool CanAfford(const ServerRelease& release) const = 0;

    /** @param release what the server tells */
    virtual void Record(const ServerRelease& release) = 0;
};

/**
 * @ingroup dlearn
 * The noise that a trusted server (CDP) adds to the aggregate of its clients' messages. It goes
 * through the same momentum as the gradients in them (none in updates of FedAvg),
 *
 *   w_t = Momentum w_{t-1} + (1 - Momentum) N_t,   N_t ~ N(0, Scale^2) in every entry,
 *
 * so that as long as all messages arrive the sum is that of a server that adds N_t to the mean
 * gradient of each round, as the paper has it. Attackers send before it is drawn, and what they
 * send does not escape it: it is added after the aggregation, whatever the rule.
 *
 * One object serves the server and the accounts of all workers. Nothing is released that a
 * worker's budget does not allow.
 */
class ServerNoise : public Object
{
  public:
    static TypeId GetTypeId();
    ServerNoise();
    ~ServerNoise() override;

    /** @return the attribute Scale */
    double GetScale() const;

    /** @return the attribute Momentum */
    double GetMomentum() const;

    /** @param listener is asked and notified from now on */
    void AddListener(ServerReleaseListener* listener) { m_listeners.push_back(listener); }

    /** @param listener is no longer asked or notified */
    void RemoveListener(ServerReleaseListener* listener);

    /** @return the first step that no release has had */
    uint32_t GetNextStep() const { return m_next; }

    /**
     * Add the noise to an aggregate, unless a client's budget forbids to tell it. The step of the
     * release is the newest round of its messages, or the one after the last step.
     *
     * @param messages what is in the aggregate
     * @param total what the sum was divided by
     * @param aggregate gets the noise added
     * @return whether all budgets allow it; else nothing has happened
     */
    bool Release(ReleasedMessages messages, double total, VectorRef aggregate);

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    /** @return whether the budgets of all accounts allow a release */
    bool CanAfford(const ServerRelease& release) const;

    /**
     * @param release of the server
     * @param aggregate gets its noise
     */
    void AddTo(const ServerRelease& release, VectorRef aggregate);

    double m_scale{0};                               //!< attribute Scale
    double m_momentum{0};                            //!< attribute Momentum
    Ptr<UniformRandomVariable> m_random;             //!< gives the key
    bool m_hasKey{false};                            //!< whether it did
    uint64_t m_key{0};                               //!< of all streams
    uint32_t m_next{0};                              //!< first step that the noise does not hold
    ModelVector m_noise;                             //!< w_t; empty before the first release
    std::vector<ServerReleaseListener*> m_listeners; //!< keep account
};

} // namespace ns3::dlearn

#endif // DLEARN_SERVER_NOISE_H
