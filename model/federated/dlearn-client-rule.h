/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_RULE_H
#define DLEARN_CLIENT_RULE_H

#include "dlearn-client-release.h"
#include "dlearn-update-kind.h"

#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/traced-callback.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A client's half of an algorithm with a server. It knows neither time nor packets: an
 * application calls it, for each model that the client takes up, in this order:
 *
 *  1. BeginRound(t, model): the server's model is there; fetch the round's data (draws random
 *     numbers).
 *  2. Compute(): the expensive part, a pure function of the client's own state. It touches no
 *     ns-3 object but the task, so that an application may run it on another thread.
 *  3. Send(): the update to return, noise included; it counts as sent. Not to be used, and not
 *     followed by EndRound(), when CanContinue() says no afterwards.
 *  4. EndRound(transmitted): whether any of the update left this node.
 *
 * A client that crashes may leave out 2 to 4, but after 3 comes 4. Rounds increase, but need not be
 * consecutive.
 */
class ClientRule : public LearnerRule
{
  public:
    static TypeId GetTypeId();

    /**
     * Check the whole configuration and prepare for the first round.
     *
     * @param data the client's own
     * @throw std::invalid_argument naming the attribute, its value and the rule it breaks
     */
    virtual void Setup(Ptr<LocalData> data) = 0;

    /**
     * @param round t, larger than that of any earlier call
     * @param model as it came from the server, of the task's dimension
     */
    virtual void BeginRound(uint32_t round, const ModelVector& model) = 0;

    /** The round's local training. */
    virtual void Compute() = 0;

    /** @return the update for the server, of the task's dimension */
    virtual ModelVector Send() = 0;

    /** @param transmitted whether any of the update left this node */
    virtual void EndRound(bool transmitted);

    /**
     * Answer to what the server asks in the second phase of a round (ServerRule::GetRequest()),
     * between Send() and EndRound(), at most once a round.
     *
     * @param request of GetRequestLength() entries
     * @return the answer, of the task's dimension; empty, unless overridden, where the rule does
     * not answer
     */
    virtual ModelVector Answer(const ModelVector& request);

    /**
     * @param clients number of all clients of the server
     * @return entries of a request, as of ServerRule::GetRequestLength(); one for each client
     * unless overridden
     */
    virtual size_t GetRequestLength(uint32_t clients) const { return clients; }

    /** @return what Send() returns; a difference of models unless overridden */
    virtual UpdateKind GetUpdateKind() const { return UpdateKind::DIFFERENCE; }

    /**
     * How the rule clips its updates, adds noise to them and accounts for them; to be configured
     * before Setup().
     * @return the attribute Release; null, unless overridden, for a rule that can do none of these
     */
    virtual Ptr<ClientRelease> GetRelease() const { return nullptr; }

    /** @return the client's data; null before Setup() */
    virtual Ptr<const LocalData> GetData() const = 0;

    /**
     * Signature of the trace Exposure.
     * @param round round of what happened, as the client counts rounds
     */
    using ExposureTracedCallback = void (*)(uint32_t round);

  protected:
    TracedCallback<uint32_t> m_exposureTrace; //!< Exposure
};

} // namespace ns3::dlearn

#endif // DLEARN_CLIENT_RULE_H
