/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SERVER_RULE_H
#define DLEARN_SERVER_RULE_H

#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-optimizer.h"
#include "ns3/object.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The surroundings of a server, before the first round. */
struct ServerContext
{
    LearnerId id{0};                       //!< the server's number
    std::map<LearnerId, uint32_t> samples; //!< of each client
    ModelVector initialModel;              //!< w_0
    std::optional<UpdateKind> updates;     //!< the kind of updates, if known
    std::vector<std::string> figures{};    //!< names of those that ride with updates, in order
    uint32_t shared{0}; //!< entries of the model that clients get, the first ones; 0: all. What
                        //!< they do not get is as in the initial model for the server
};

/** @ingroup dlearn
 *  The update of a client, or the weighted mean of those of several ones. */
struct ClientUpdate
{
    LearnerId client{0};
    std::vector<LearnerId> members{};        //!< of a mean, in order, with the weights
                                             //!< ServerRule::GetPlannedWeight(); else empty
    ModelVector values;                      //!< see UpdateKind; missing entries are 0
    std::vector<bool> present;               //!< whether an entry arrived; empty: all
    std::shared_ptr<const ModelVector> base; //!< the client's model, not rounded as on the
                                             //!< wire
    uint32_t staleness{0};                   //!< versions that the server's model is ahead
    double weight{1};                        //!< of this staleness, see StalenessPolicy
    uint32_t round{0};                       //!< number of the request
    Figures figures{};                       //!< rode with it; none of an incomplete one

    /** @return whether every entry arrived */
    bool IsComplete() const { return present.empty(); }

    /** @return number of clients whose updates it has */
    size_t CountClients() const { return std::max<size_t>(members.size(), 1); }
};

/**
 * @ingroup dlearn
 * The server's half of an algorithm: the aggregation of updates. A ServerSchedule decides when and
 * from which clients the application collects them.
 */
class ServerRule : public LearnerRule
{
  public:
    static TypeId GetTypeId();

    /** Copy the learned state: the model, and that of a derived class, such as momentum, but not
     *  privacy accounts, noise, random streams and counters. @return restores it */
    virtual std::function<void()> RememberLearned();

    /** Prepare for the first round. @throw std::invalid_argument for a wrong configuration */
    void Setup(const ServerContext& context);

    /** After Setup(). @throw std::invalid_argument unless the rule can use incomplete updates;
     * always unless overridden */
    virtual void CheckPartialUpdates() const;

    /**
     * Make the next version of the model, the same one without updates unless
     * MovesWithoutUpdates().
     *
     * @param updates in the order of the clients, then of arrival; in the format of channel UPDATE,
     *        and complete unless CheckPartialUpdates() allows others
     */
    void Aggregate(const std::vector<ClientUpdate>& updates);

    /** @return whether only a client's newest update counts, as for rules that bound the number of
     *          forged ones; false unless overridden */
    virtual bool CountsClientsOnce() const { return false; }

    /** @return whether the rule uses ClientUpdate::weight; true unless overridden */
    virtual bool UsesWeights() const { return true; }

    /**
     * For the plan of a trusted server's noise.
     *
     * @param samples of a client
     * @return the weight of its updates, up to a common factor; 0 if it depends on more than that.
     *         The number of samples unless overridden
     */
    virtual uint32_t GetPlannedWeight(uint32_t samples) const { return samples; }

    /** @return whether an update may be a mean of several ones (ClientUpdate::members); false
     * unless overridden */
    virtual bool TakesMeans() const { return false; }

    /** @return fewest updates of a round, else it is skipped, after Setup(); 1 unless overridden */
    virtual size_t CountNeeded() const { return 1; }

    /** Answers to a later step of a round, by client. */
    using Replies = std::map<LearnerId, Message>;

    /**
     * A synchronous round may have steps after the first one, in which the server gives its model
     * and gets updates. Asked after each step what the next one asks.
     *
     * @param step its number, from 1
     * @param updates of the round, in the order of the clients, which the rule may change
     * @param replies to the step before; none for step 1
     * @return messages to clients, each client in at most one, in the format of channel REQUEST.
     *         Clients that have not answered the step before are left out. If it asks no client,
     * the round is complete, as unless overridden
     */
    virtual Outbox Ask(uint32_t /* step */,
                       std::vector<ClientUpdate>& /* updates */,
                       const Replies& /* replies */)
    {
        return {};
    }

    const ModelVector& GetModel() const final { return m_model; }

    /** After Setup(). @param model from which the next round begins, such as that of the server of
     *  the tier above */
    void SetModel(const ModelVector& model) { m_model = model; }

    /** @return samples behind an update: as reported by its figure samples, if there is one,
     *          else those of the client that were known before the run */
    double CountSamples(const ClientUpdate& update) const;

    /**
     * After Setup(). The clients' rules must return the same (ClientRule::GetFormat()).
     *
     * @return entries and names of figures of the messages of a channel. Unless overridden a
     *         request has an entry for each client, models and updates are as long as clients ask
     *         for (ServerContext::shared), but not longer than the model, answers as long as the
     *         model, and there are no figures. Those of updates are the clients' choice
     *         (ServerContext::figures), so that only their entries count
     */
    virtual MessageFormat GetFormat(ModelChannel channel) const;

    /** @return step 0 of a round: the model for some clients, one message for all of them or
     * several with different contents, on channel MODEL; one, of the entries of the model that
     * clients get, unless overridden */
    virtual Outbox GetModels(const std::vector<LearnerId>& clients) const
    {
        return {{ModelChannel::MODEL, clients, m_model.head(CountShared())}};
    }

    /** @return 0: a server computes no gradients; see GetFlops() */
    uint64_t GetWork() const final { return 0; }

    /** @return the largest norm of the clients' next updates, if the rule sets it; NaN, as unless
     *          overridden: it does not */
    virtual double GetClip() const { return std::numeric_limits<double>::quiet_NaN(); }

    /** @return floating-point operations of Aggregate(), for compute time */
    virtual double GetFlops(size_t updates) const = 0;

    /** @return rounds without a new model, for lack of usable messages or of a client's budget */
    uint64_t GetSkipped() const { return m_tooFew + m_withheld; }

    /** @return rounds whose aggregate was not released because of a client's budget */
    uint64_t GetWithheld() const { return m_withheld; }

  protected:
    /** @throw std::invalid_argument when an attribute of the rule is out of its range */
    virtual void CheckAttributes() const = 0;

    /** @throw std::invalid_argument unless clients return differences of models, as far as known */
    void RequireDifferences() const;

    /** @throw std::invalid_argument unless a figure rides with updates */
    void RequireFigure(const std::string& name) const;

    /** @return entries of the model that clients get, the first ones */
    Eigen::Index CountShared() const
    {
        return m_context.shared > 0 ? std::min<Eigen::Index>(m_context.shared, m_model.size())
                                    : m_model.size();
    }

    /** @return the figure of a name that rode with an update; nothing if none did */
    std::optional<double> FindFigure(const ClientUpdate& update, const std::string& name) const;

    /** @return whether Move() is called without updates; false unless overridden */
    virtual bool MovesWithoutUpdates() const { return false; }

    /** @return the next version of the model, from at least one update unless
     *          MovesWithoutUpdates(); entries of the model that clients keep for themselves are 0
     *          in updates */
    virtual ModelVector Move(const std::vector<ClientUpdate>& updates) = 0;

    ServerContext m_context; //!< as given to Setup()
    ModelVector m_model;     //!< w_t
    uint64_t m_tooFew{0};    //!< rounds without enough usable messages
    uint64_t m_withheld{0};  //!< see GetWithheld()
};

/**
 * @ingroup dlearn
 * A server that steps along an aggregate of the updates, with an Optimizer and the noise of a
 * trusted server, after which the steps cost no privacy.
 */
class SteppingServer : public ServerRule
{
  public:
    std::function<void()> RememberLearned() override;

  protected:
    void DoDispose() override;
    void CheckAttributes() const override;

    bool IsSetUp() const { return m_model.size() > 0; }

    /**
     * Add the attributes Optimizer, with aliases of its attributes StepSchedule, LearningRate and
     * Momentum, and Noise to a derived type.
     *
     * @param tid of the type
     * @param aggregate what the server steps along, in words
     * @param rate default of LearningRate
     */
    static TypeId AddAttributes(TypeId tid, const std::string& aggregate, double rate);

    /** @return the next version of the model, a step along sign times the aggregate */
    virtual ModelVector Step(const ModelVector& aggregate, double sign);

    Ptr<Optimizer> m_optimizer; //!< attribute Optimizer
    Optimizer::State m_state;   //!< of the optimizer, whose steps are the models so far
    Ptr<ServerNoise> m_noise;   //!< attribute Noise, of a trusted server; null: none
};

/**
 * @ingroup dlearn
 * The weight s(tau) of an update of an old model, where tau is the number of versions that the
 * server's model is ahead of the client's. s(0) = 1 for all policies. The forms are those of Xie,
 * Koyejo, Gupta (FedAsync, 2019).
 */
class StalenessPolicy : public Object
{
  public:
    static TypeId GetTypeId();

    /** @throw std::invalid_argument when an attribute is out of its range */
    virtual void CheckAttributes() const {}

    /** @return s(tau), from 0 (discard the update) to 1 */
    virtual double GetWeight(uint32_t staleness) const = 0;
};

/** @ingroup dlearn
 *  Only fresh updates count: s(tau) = 0 for tau > 0. */
class DiscardStale : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();

    double GetWeight(uint32_t staleness) const override { return staleness == 0 ? 1 : 0; }
};

/** @ingroup dlearn
 *  All updates have the same weight: s(tau) = 1. */
class ConstantStaleness : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();

    double GetWeight(uint32_t /* staleness */) const override { return 1; }
};

/** @ingroup dlearn
 *  s(tau) = (1 + tau)^(-Exponent). With Exponent 1/2 that is FedBuff's 1 / sqrt(1 + tau). */
class PolynomialStaleness : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();

    double GetWeight(uint32_t staleness) const override
    {
        return std::pow(1.0 + staleness, -m_exponent);
    }

  private:
    double m_exponent{0.5}; //!< attribute Exponent
};

/** @ingroup dlearn
 *  s(tau) = 1 up to tau = Limit, then 1 / (Slope (tau - Limit) + 1). */
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

} // namespace ns3::dlearn

#endif // DLEARN_SERVER_RULE_H
