/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SERVER_RULE_H
#define DLEARN_SERVER_RULE_H

#include "dlearn-update-kind.h"

#include "ns3/dlearn-learner-rule.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a server knows before the first round.
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
 * What a client returned.
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
 * The server's half of an algorithm: what it makes of the clients' updates. When and of which
 * clients the application collects them is for a ServerSchedule to say.
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
     * Whether a client counts at most once in Aggregate(), with its newest update, however many
     * it sent: for rules that bound how many of the updates may be forged.
     *
     * @return false unless overridden
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

    const ModelVector& GetModel() const final;

    /** @return 0: a server computes no gradients; see GetFlops() */
    uint64_t GetWork() const final;

    /**
     * @param updates number of updates
     * @return floating-point operations of Aggregate(), for compute time
     */
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

    /**
     * @param updates not empty
     * @return the next version of the model
     */
    virtual ModelVector Move(const std::vector<ClientUpdate>& updates) = 0;

    ServerContext m_context; //!< as given to Setup()
    ModelVector m_model;     //!< w_t
    uint64_t m_tooFew{0};    //!< rounds without enough usable messages
    uint64_t m_withheld{0};  //!< see GetWithheld()
};

} // namespace ns3::dlearn

#endif // DLEARN_SERVER_RULE_H
