/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDERATED_NOISE_H
#define DLEARN_FEDERATED_NOISE_H

#include "dlearn-threat-model.h"

#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The noise of one round, times a factor. */
struct WeightedRound
{
    uint32_t round{0}; //!< t
    double weight{1};  //!< factor
};

/**
 * @ingroup dlearn
 * Noise that workers share: in round t worker i adds u_i = sum_j v_ij to its message, where
 * v_ij = -v_ji has standard deviation s_cor (attribute Scale) on every entry. The sum over all
 * workers is zero, to rounding; the mean over a set S of them keeps noise of variance
 * s_cor^2 (n-|S|)/|S| on every entry.
 *
 * One object serves all workers of a simulation. Its noise is a function of round, worker and the
 * vector's size: calls may come in any order and any number of times. Noise comes from ns-3's
 * random streams: suitable for simulation, not for the protection of data.
 *
 * Implementations: PairwiseCorrelatedNoise, JointCorrelatedNoise.
 */
class CorrelatedNoise : public Object
{
  public:
    static TypeId GetTypeId();

    /** Set once, before anything is added. @param workers n, at least 1, Byzantine ones included */
    void SetWorkers(uint32_t workers);

    /** @return n; 0 before SetWorkers() */
    uint32_t GetWorkers() const { return m_workers; }

    /** @return s_cor, the attribute Scale, of rounds that have no noise yet */
    double GetScale() const { return m_scale; }

    /** @return the Scale at the first use of a round: the same for all workers, as the account of
     *          each counts on the noise of the others */
    double GetScaleOf(uint32_t round) { return m_scales.try_emplace(round, m_scale).first->second; }

    /**
     * Add the noise of worker i to its message.
     *
     * @param round t
     * @param worker i, less than n
     * @param weight factor of the noise; -1 takes it away again
     * @param vector gets weight u_i added
     * @throw std::invalid_argument for other workers than those of SetWorkers()
     */
    void AddTo(uint32_t round, LearnerId worker, double weight, VectorRef vector);

    /**
     * Add the noise that worker i shares with others, which noise recovery removes when their
     * messages are lost: sum_{j in others} v_ij, summed over rounds, because a message with
     * momentum holds the noise of all rounds so far, with the weight (1-beta) beta^k k rounds ago.
     *
     * @param rounds of the noise, and factors
     * @param worker i, less than n
     * @param others workers other than i, in increasing order
     * @param vector gets the weighted sum added
     */
    virtual void AddSharedWith(const std::vector<WeightedRound>& rounds,
                               LearnerId worker,
                               const std::vector<LearnerId>& others,
                               VectorRef vector);

    /** @return whether AddSharedWith() knows the v_ij */
    virtual bool HasPairs() const { return false; }

    /** Fix the random streams, from @p stream on. @return number of streams used */
    int64_t AssignStreams(int64_t stream);

  protected:
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< gives keys

  private:
    /** As AddTo(), with scale = weight s_cor, not 0. */
    virtual void DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector) = 0;

    double m_scale{1};                   //!< attribute Scale
    uint32_t m_workers{0};               //!< n
    std::map<uint32_t, double> m_scales; //!< by round
};

/**
 * @ingroup dlearn
 * Correlated noise as in the protocol: each pair of workers has agreed once on a secret seed; v_ij
 * of a round is drawn from that seed and the round, the lower index adds it, the higher one
 * subtracts it (CafCor, section 3.1).
 *
 * The n (n-1)/2 seeds are drawn, in the order of the pairs, from one ns-3 stream when noise is
 * first needed; later nothing is drawn from ns-3's streams. A message costs (n-1) d normal numbers,
 * about 0.13 s for n = 100 and d = 431080; JointCorrelatedNoise has the same law for less.
 */
class PairwiseCorrelatedNoise : public CorrelatedNoise
{
  public:
    static TypeId GetTypeId();

    bool HasPairs() const override { return true; }

    void AddSharedWith(const std::vector<WeightedRound>& rounds,
                       LearnerId worker,
                       const std::vector<LearnerId>& others,
                       VectorRef vector) override;

    /** @return the secret of two different workers, in either order */
    uint64_t GetSeed(LearnerId one, LearnerId other);

  private:
    void DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector) override;
    void AddPair(uint32_t round, LearnerId worker, LearnerId other, double scale, VectorRef vector);

    std::vector<uint64_t> m_seeds; //!< of pairs (0,1), (0,2), (1,2), (0,3), ...
};

/**
 * @ingroup dlearn
 * Correlated noise of the same law as PairwiseCorrelatedNoise, without the pairs: the u_i of a
 * round are jointly Gaussian with covariance s_cor^2 (n I - 1 1^T) on every entry, which is also
 * the law of u_i = s_cor sqrt(n) (z_i - z_bar) with z_i independent standard normal and z_bar their
 * mean. A round costs 2 n d normal numbers instead of n (n-1) d, and 2 d numbers of memory.
 *
 * There are no v_ij to reveal: noise recovery needs PairwiseCorrelatedNoise.
 */
class JointCorrelatedNoise : public CorrelatedNoise
{
  public:
    static TypeId GetTypeId();

  private:
    void DoAddTo(uint32_t round, LearnerId worker, double scale, VectorRef vector) override;

    uint64_t GetRoundKey(uint32_t round);

    bool m_drawn{false};     //!< whether the key was drawn
    uint64_t m_key{0};       //!< of all rounds
    uint32_t m_meanRound{0}; //!< round of m_mean
    ModelVector m_mean;      //!< z_bar of the latest round
};

/**
 * @ingroup dlearn
 * The noise that workers add to their clipped gradients: independent noise (Independent), and
 * noise shared in pairs (CorrelatedNoise).
 *
 * One object serves all workers of a simulation; its noise is a function of round, worker and size
 * of the vector. It also notifies the accounts of all workers: with the attribute NoiseRecovery,
 * workers may reveal the noise that they share with others (AddSharedWith(), for the noise recovery
 * of RobustServer), and then the noise of those others is also known.
 */
class WorkerNoise : public Object
{
  public:
    static TypeId GetTypeId();

    /** @param noise shared in pairs; null, the default: none */
    void SetCorrelated(Ptr<CorrelatedNoise> noise) { m_correlated = noise; }

    /** Add the noise of a worker, from 0, in a round to its gradient. */
    void Add(uint32_t worker, uint32_t round, VectorRef gradient);

    /**
     * Reveal the noise that a worker shares in pairs with others, if there is correlated noise, see
     * CorrelatedNoise::AddSharedWith().
     *
     * @param rounds of the noise, and factors
     * @param worker number of the worker, from 0
     * @param others other workers, in increasing order
     * @param vector gets the weighted sum added
     * @throw std::invalid_argument without the attribute NoiseRecovery
     */
    void AddSharedWith(const std::vector<WeightedRound>& rounds,
                       uint32_t worker,
                       const std::vector<uint32_t>& others,
                       VectorRef vector);

    /**
     * A worker takes its number. Two workers with one number would have the same noise, which is
     * not in the difference of their messages.
     *
     * @param worker number of the worker, from 0
     * @throw std::invalid_argument when another one has it, or with the attribute NoiseRecovery and
     *        correlated noise that cannot be recovered (CorrelatedNoise::HasPairs())
     */
    void Claim(uint32_t worker);

    /** @return the attribute NoiseRecovery */
    bool CanRecover() const { return m_recovery; }

    /** @return the noise of each worker */
    NoiseScales GetScales() const;

    /** @return the noise of each worker in a round, see CorrelatedNoise::GetScaleOf() */
    NoiseScales GetScalesOf(uint32_t round);

    /** @return workers who share noise in pairs; 0 without correlated noise */
    uint32_t GetWorkers() const { return m_correlated ? m_correlated->GetWorkers() : 0; }

    /** @return workers whose shared noise of a round others have revealed */
    const std::set<uint32_t>& GetRevealed(uint32_t round) const;

    /** Signature of the trace Reveal.
     *  @param rounds whose GetRevealed() has grown, in increasing order */
    using RevealTracedCallback = void (*)(const std::vector<uint32_t>& rounds);

    /** Fix the random streams, from @p stream on. @return number of streams used */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    double m_independent{0};           //!< attribute Independent
    bool m_recovery{false};            //!< attribute NoiseRecovery
    Ptr<CorrelatedNoise> m_correlated; //!< attribute Correlated
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
    bool m_hasKey{false};
    uint64_t m_key{0};
    std::set<uint32_t> m_claimed;                               //!< numbers of workers
    std::map<uint32_t, std::set<uint32_t>> m_revealed;          //!< workers, by round
    TracedCallback<const std::vector<uint32_t>&> m_revealTrace; //!< Reveal
};

/** @ingroup dlearn
 *  A message in an aggregate. */
struct ReleasedMessage
{
    uint32_t round{0}; //!< as its client counts rounds
    double share{1};   //!< its factor, before the aggregate is divided by the total
};

/** The messages of an aggregate, by client; a client may have several, as in a buffer. */
using ReleasedMessages = std::multimap<LearnerId, ReleasedMessage>;

/**
 * @ingroup dlearn
 * The aggregate of some clients' messages that a trusted server is about to publish,
 * sum_i share_i message_i / total.
 */
struct ServerRelease
{
    uint32_t step{0};          //!< number of the noise, increasing
    ReleasedMessages messages; //!< in the aggregate
    double total{0};           //!< divisor of the sum
};

/** @ingroup dlearn
 *  Accounts for the releases of a trusted server that concern a client. */
class ServerReleaseListener
{
  public:
    virtual ~ServerReleaseListener() = default;

    /** @return whether the client's budget allows a release */
    virtual bool CanAfford(const ServerRelease& release) const = 0;

    /** Account for a release. */
    virtual void Record(const ServerRelease& release) = 0;
};

/**
 * @ingroup dlearn
 * The noise that a trusted server (CDP) adds to the aggregate of its clients' messages. It goes
 * through the same momentum as the gradients in them (none in updates of FedAvg),
 *
 *   w_t = Momentum w_{t-1} + (1 - Momentum) N_t,   N_t ~ N(0, Scale^2) in every entry,
 *
 * so that if all messages arrive the sum is that of a server that adds N_t to the mean gradient of
 * each round, as in the paper. It is added after the aggregation, also to the vectors of attackers.
 *
 * One object serves the server and the accounts of all workers. The server releases nothing that a
 * worker's budget forbids.
 */
class ServerNoise : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the attribute Scale */
    double GetScale() const { return m_scale; }

    /** @return the attribute Momentum */
    double GetMomentum() const;

    /** @param listener is asked and notified of releases */
    void AddListener(ServerReleaseListener* listener) { m_listeners.push_back(listener); }

    void RemoveListener(ServerReleaseListener* listener);

    /** @return the first unused step */
    uint32_t GetNextStep() const { return m_next; }

    /**
     * Add the noise to an aggregate, unless a client's budget forbids the release. The step of the
     * release is the newest round of its messages, or the one after the last step.
     *
     * @param messages in the aggregate
     * @param total divisor of the sum
     * @param aggregate gets the noise added
     * @return whether all budgets allow it; else there is no effect
     */
    bool Release(ReleasedMessages messages, double total, VectorRef aggregate);

    /** As Release() for an aggregate that has the noise already, as a sum on the air. */
    bool Release(ReleasedMessages messages, double total);

    /** Fix the random streams, from @p stream on. @return number of streams used */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    double m_scale{0};    //!< attribute Scale
    double m_momentum{0}; //!< attribute Momentum
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
    uint64_t m_key{0};
    uint32_t m_next{0};                              //!< first step that the noise does not hold
    ModelVector m_noise;                             //!< w_t; empty before the first release
    std::vector<ServerReleaseListener*> m_listeners; //!< keep account
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDERATED_NOISE_H
