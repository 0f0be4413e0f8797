/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SERVER_RULE_H
#define DLEARN_SERVER_RULE_H

#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/object.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The surroundings of a server, before the first round.
 */
struct ServerContext
{
    LearnerId id{0};                       //!< the server's number
    std::map<LearnerId, uint32_t> samples; //!< clients, and the samples that each trains on
    ModelVector initialModel;              //!< w_0
    std::optional<UpdateKind> updates;     //!< what clients return, where that is known
};

/**
 * @ingroup dlearn
 * The update of a client.
 */
struct ClientUpdate
{
    LearnerId client{0};                     //!< who
    ModelVector values;                      //!< what it returned, see UpdateKind; entries that
                                             //!< did not arrive are 0
    std::vector<bool> present;               //!< which entries arrived; empty when all did
    std::shared_ptr<const ModelVector> base; //!< the model that it was given, as the server
                                             //!< holds it (not rounded as on the wire)
    uint32_t staleness{0};                   //!< versions that the server's model is ahead
    double weight{1};                        //!< of this staleness, see StalenessPolicy
    uint32_t round{0};                       //!< as the client counts rounds

    /** @return whether every entry arrived */
    bool IsComplete() const { return present.empty(); }
};

/**
 * @ingroup dlearn
 * The server's half of an algorithm: how updates change the model. A ServerSchedule decides when
 * and from which clients the application collects them.
 */
class ServerRule : public LearnerRule
{
  public:
    static TypeId GetTypeId();

    /**
     * Remember what the server has learned: the model, and what an overriding class adds to it,
     * such as momentum. Privacy accounts, noise, random streams and counters do not belong to it.
     *
     * @return brings the rule back to what it has learned now, as long as the rule lives
     */
    virtual std::function<void()> RememberLearned();

    /**
     * Check the whole configuration and prepare for the first round.
     *
     * @param context the server's surroundings
     * @throw std::invalid_argument naming the attribute, its value and the rule it breaks
     */
    void Setup(const ServerContext& context);

    /**
     * For a server that uses updates of which only some entries arrived; after Setup().
     * @throw std::invalid_argument when the rule cannot, as none can unless it overrides this
     */
    virtual void CheckPartialUpdates() const;

    /**
     * Move to the next version of the model. Without updates it stays as it is.
     *
     * @param updates in the order of the clients, then of arrival; of the model's dimension, and
     *        complete unless CheckPartialUpdates() allows others
     */
    void Aggregate(const std::vector<ClientUpdate>& updates);

    /**
     * @return whether only the newest update of a client counts in Aggregate(), for rules that
     * bound how many of the updates may be forged; false unless overridden
     */
    virtual bool CountsClientsOnce() const { return false; }

    /** @return whether ClientUpdate::weight makes a difference; true unless overridden */
    virtual bool UsesWeights() const { return true; }

    /** @return updates without which it skips a round, after Setup(); 1 unless overridden */
    virtual size_t CountNeeded() const { return 1; }

    /**
     * The second phase of a synchronous round: what is asked of the clients that answered, before
     * their updates are aggregated.
     *
     * @param updates the updates that arrived
     * @return the request, of GetRequestLength() entries; nothing, unless overridden, for none
     */
    virtual std::optional<ModelVector> GetRequest(const std::vector<ClientUpdate>& updates) const;

    /** @return entries of a request; one for each client unless overridden */
    virtual size_t GetRequestLength() const { return m_context.samples.size(); }

    /**
     * Use what clients answered to a request (ClientRule::Answer()).
     *
     * @param answers by client, of the model's dimension; none of a client that did not answer
     * @param updates as given to GetRequest(), to be changed
     */
    virtual void UseAnswers(const std::map<LearnerId, ModelVector>& answers,
                            std::vector<ClientUpdate>& updates) const;

    const ModelVector& GetModel() const final { return m_model; }

    /** @return 0: a server computes no gradients; see GetFlops() */
    uint64_t GetWork() const final { return 0; }

    /** @return floating-point operations of Aggregate(), for compute time */
    virtual double GetFlops(size_t updates) const = 0;

    /** @return rounds that left the model as it was, as usable messages or a budget were missing */
    uint64_t GetSkipped() const { return m_tooFew + m_withheld; }

    /** @return of these, those whose aggregate was not released, as a client's budget forbade it */
    uint64_t GetWithheld() const { return m_withheld; }

  protected:
    /** @throw std::invalid_argument when an attribute of the rule is out of its range */
    virtual void CheckAttributes() const = 0;

    /**
     * For rules that make use of the models of clients.
     * @throw std::invalid_argument when clients are known to return something else than differences
     */
    void RequireDifferences() const;

    /** @return the next version of the model, from at least one update */
    virtual ModelVector Move(const std::vector<ClientUpdate>& updates) = 0;

    ServerContext m_context; //!< as given to Setup()
    ModelVector m_model;     //!< w_t
    uint64_t m_tooFew{0};    //!< rounds without enough usable messages
    uint64_t m_withheld{0};  //!< see GetWithheld()
};

/**
 * @ingroup dlearn
 * A server that steps along an aggregate of the updates, with the step of a StepSchedule and with
 * momentum, and to whose aggregate a trusted server may add noise. Derived types declare the
 * attributes StepSchedule, LearningRate, Momentum and Noise.
 */
class SteppingServer : public ServerRule
{
  public:
    std::function<void()> RememberLearned() override;

  protected:
    void DoDispose() override;
    void CheckAttributes() const override;

    bool IsSetUp() const { return m_model.size() > 0; }

    /** @return the next version of the model: v <- Momentum v + aggregate, w <- w + sign eta_t v */
    ModelVector Step(const ModelVector& aggregate, double sign);

    Ptr<StepSchedule> m_step; //!< attribute StepSchedule
    double m_momentum{0};     //!< attribute Momentum
    Ptr<ServerNoise> m_noise; //!< attribute Noise, of a trusted server; null for none
    ModelVector m_velocity;   //!< v; empty before the first aggregate
    uint32_t m_moves{0};      //!< models since the initial one
};

/**
 * @ingroup dlearn
 * The worth of an update that was made from an old model: the weight s(tau), where tau is the
 * number of versions that the server's model is ahead of the one that the client was given.
 * s(0) = 1 for all policies. The forms are those of Xie, Koyejo, Gupta (FedAsync, 2019).
 */
class StalenessPolicy : public Object
{
  public:
    static TypeId GetTypeId();

    /** @throw std::invalid_argument when an attribute is out of its range */
    virtual void CheckAttributes() const {}

    /** @return s(tau), from 0 (discard the update) to 1; another weight ends the run */
    virtual double GetWeight(uint32_t staleness) const = 0;
};

/**
 * @ingroup dlearn
 * Only fresh updates count: s(tau) = 0 for tau > 0.
 */
class DiscardStale : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();

    double GetWeight(uint32_t staleness) const override { return staleness == 0 ? 1 : 0; }
};

/**
 * @ingroup dlearn
 * All updates are worth the same: s(tau) = 1.
 */
class ConstantStaleness : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();

    double GetWeight(uint32_t /* staleness */) const override { return 1; }
};

/**
 * @ingroup dlearn
 * s(tau) = (1 + tau)^(-Exponent). With Exponent 1/2 that is FedBuff's 1 / sqrt(1 + tau).
 */
class PolynomialStaleness : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();
    double GetWeight(uint32_t staleness) const override;

  private:
    double m_exponent{0.5}; //!< attribute Exponent
};

/**
 * @ingroup dlearn
 * s(tau) = 1 up to tau = Limit, then 1 / (Slope (tau - Limit) + 1).
 */
class HingeStaleness : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();

    double GetWeight(uint32_t staleness) const override
    {
        return staleness <= m_limit ? 1 : 1 / (m_slope * (staleness - m_limit) + 1);
    }

  private:
    uint32_t m_limit{4}; //!< attribute Limit
    double m_slope{10};  //!< attribute Slope
};

/**
 * @ingroup dlearn
 * Updates that came to a server and wait to be aggregated, and the versions of the model that
 * updates may still refer to. It knows what an update of an old model is worth.
 */
class UpdateBuffer
{
  public:
    /** Numbers of updates, over the whole run. */
    struct Counters
    {
        uint64_t discarded{0};                  //!< too old to be used
        uint64_t superseded{0};                 //!< replaced by a newer one of the same client
        uint64_t lateUsed{0};                   //!< taken although they came late
        uint64_t partial{0};                    //!< taken although only some entries came
        uint64_t lost{0};                       //!< dropped, as in a crash of the server
        std::map<uint32_t, uint64_t> staleness; //!< taken, by how many versions old they were
    };

    /** Set what an old update is worth, how old it may be, and whether one of a client is kept. */
    void Setup(Ptr<const StalenessPolicy> policy, uint32_t limit, bool single);

    /** Keep the model of a new version, or of the newest one again, as after a crash. */
    void Remember(uint32_t version, const ModelVector& model);

    /** @return the newest version's model */
    std::shared_ptr<const ModelVector> GetNewest() const;

    /**
     * What an update would be worth.
     *
     * @param client who made it
     * @param requestId of the request that it answers
     * @param version of the model that it was made from
     * @param next the version that it would be used for
     * @return the update, still without values; nothing when it is too old
     */
    std::optional<ClientUpdate> Assess(LearnerId client,
                                       uint32_t requestId,
                                       uint32_t version,
                                       uint32_t next);

    /**
     * @param update of Assess(), with its values
     * @param late whether it came late
     * @return whether an update that had not come late was thrown away, as only the newest of a
     *         client is kept
     */
    bool Keep(ClientUpdate update, bool late);

    /** @return number of updates */
    size_t GetSize() const { return m_entries.size(); }

    /** @return who made the updates, in the order of arrival */
    std::vector<LearnerId> GetClients() const;

    /** @return whether the update of a client, of which one is kept, is of the newest version */
    bool HoldsNewest(LearnerId client) const;

    /**
     * @return all updates, in the order of the clients, then of arrival: one order for all
     *         networks, so that the sum of the same updates is the same to the last bit
     */
    std::vector<ClientUpdate> Take();

    /** What was made of the updates that were taken last counts from now on. */
    void Settle();

    /**
     * Give up all updates, also those that were taken last, unless Settle() came after that.
     *
     * @return of those that had not come late, how many were still here and how many were taken
     */
    std::pair<uint64_t, uint64_t> Drop();

    /** Forget all models: updates of requests before the given one are not used any more. */
    void Forget(uint32_t requestId);

    /** @param totals gets the numbers of updates over the whole run */
    void Count(std::map<std::string, uint64_t>& totals) const;

    /** @return numbers over the whole run */
    const Counters& GetCounters() const { return m_counters; }

  private:
    /** An update and how it came. */
    struct Entry
    {
        ClientUpdate update; //!< what
        bool late;           //!< whether its dispatch had been given up
    };

    Ptr<const StalenessPolicy> m_policy; //!< what an old update is worth
    uint32_t m_limit{0};                 //!< versions that an update's model may be old
    bool m_single{false};                //!< whether only one update of a client is kept
    uint32_t m_oldest{0};                //!< first request whose model is not forgotten
    std::map<uint32_t, std::shared_ptr<const ModelVector>> m_models; //!< newest versions
    std::vector<Entry> m_entries;                                    //!< in the order of arrival
    std::vector<Entry> m_taken; //!< last, until Settle(); without values
    Counters m_counters;        //!< over the whole run
};

} // namespace ns3::dlearn

#endif // DLEARN_SERVER_RULE_H
