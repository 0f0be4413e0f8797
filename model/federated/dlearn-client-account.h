/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_ACCOUNT_H
#define DLEARN_CLIENT_ACCOUNT_H

#include "dlearn-server-noise.h"

#include "ns3/dlearn-gaussian-ledger.h"
#include "ns3/dlearn-release-terms.h"
#include "ns3/dlearn-worker-noise.h"

#include <functional>
#include <map>
#include <vector>

/**
 * @file
 * What a client is charged with, from what happens on its node, on those of other clients and on
 * the server. The GaussianLedger adds up; who is curious decides what counts.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Keeps the ledger of one client.
 */
class ClientAccount
{
  public:
    /** Called when an event elsewhere costs the client privacy; gets the round. */
    using Exposed = std::function<void(uint32_t)>;

    virtual ~ClientAccount();

    /**
     * @param round t, later than any before
     * @return whether the client's budget allows it to send its message
     */
    virtual bool CanAfford(uint32_t round) const = 0;

    /**
     * The data of a round entered the client's message, which is about to be handed to the network:
     * it counts as sent.
     *
     * @param round t
     * @param observed whether attackers see it before it reaches the server
     */
    virtual void Send(uint32_t round, bool observed) = 0;

    /**
     * The sending of the last message is over.
     *
     * @param round t, as of Send()
     * @param transmitted whether any of it left the node
     */
    virtual void Settle(uint32_t round, bool transmitted) = 0;
};

/**
 * @ingroup dlearn
 * The account against those who see the messages: LDP, SecLDP, ByzLDP.
 *
 * Each round costs what ThreatModel says of a round whose noise was revealed as far as the
 * answers of all noise recoveries so far tell (WorkerNoise::GetRevealed()):
 *
 * - a worker that was named a dropout has only its own noise left, whether it was named before or
 * after it sent, or is training still;
 * - the others pay as if all that were ever named for the round had never taken part. With
 *   momentum an answer holds noise of all rounds so far, so that is the union of the sets that were
 *   named in this round and in later ones: to know less than all noise shared between two
 *   groups cannot cost more.
 */
class ClientMessageAccount : public ClientAccount
{
  public:
    /**
     * @param ledger adds up
     * @param terms what the account has to know
     * @param noise of all workers; null if none is added
     * @param worker number within the noise
     * @param exposed called when others reveal noise of rounds that are accounted for
     */
    ClientMessageAccount(Ptr<GaussianLedger> ledger,
                         ReleaseTerms terms,
                         Ptr<WorkerNoise> noise,
                         uint32_t worker,
                         Exposed exposed);
    ~ClientMessageAccount() override;

    ClientMessageAccount(const ClientMessageAccount&) = delete;
    ClientMessageAccount& operator=(const ClientMessageAccount&) = delete;

    bool CanAfford(uint32_t round) const override;
    void Send(uint32_t round, bool observed) override;
    void Settle(uint32_t round, bool transmitted) override;

  private:
    /** @return what a round cost, given the noise that was revealed */
    double GetRate(uint32_t round) const;

    /** @param rounds whose shared noise was revealed */
    void HandleReveal(const std::vector<uint32_t>& rounds);

    Ptr<GaussianLedger> m_ledger; //!< adds up
    ReleaseTerms m_terms;         //!< what it has to know
    Ptr<WorkerNoise> m_noise;     //!< of all workers; null for none
    uint32_t m_worker;            //!< number within the noise
    Exposed m_exposed;            //!< called when others reveal noise
};

/**
 * @ingroup dlearn
 * The account against those who see the models of a trusted server: CDP.
 *
 * The aggregate of the messages that came holds gradient j of this worker with a weight c_j (the
 * worker's share of the aggregate, as ServerRelease tells it, times what momentum leaves). Less
 * Momentum^g times the mean of g steps before, it has fresh noise of standard deviation (1 -
 * Momentum) Scale, and gradient j with weight d_j = c_j - Momentum^g c_j'. So the release is worth
 * (D sum_j |d_j|)^2 / 2 over the square of that. When all messages come, only the newest gradient
 * is left, with weight (1 - Momentum)/n: that is the plan. A message that is lost takes a whole
 * momentum out of the mean and puts it back later. Where older gradients take part, sampling
 * amplifies nothing.
 *
 * An update of FedAvg is such a message without momentum: each costs (D c)^2 / 2 over the square of
 * the noise, c the sum of the weights of all updates of this client in the aggregate. That holds
 * for old updates, too: each was made of models that were released before.
 *
 * Attackers that see a client's messages carry what they make of these into the model, where no
 * noise of the server was made for it: every release from then on costs infinity. The paper's
 * omniscient attackers are of this kind.
 *
 * With another aggregate than the mean this is the paper's convention and not a bound: nothing
 * limits how far one worker moves a robust aggregate to its share.
 */
class ServerReleaseAccount : public ClientAccount, public ServerReleaseListener
{
  public:
    /**
     * @param ledger adds up
     * @param terms what the account has to know
     * @param noise of the server
     * @param worker its number, as the server knows it
     * @param momentum of the worker
     * @param exposed called for every release that costs something
     */
    ServerReleaseAccount(Ptr<GaussianLedger> ledger,
                         ReleaseTerms terms,
                         Ptr<ServerNoise> noise,
                         LearnerId worker,
                         double momentum,
                         Exposed exposed);
    ~ServerReleaseAccount() override;

    ServerReleaseAccount(const ServerReleaseAccount&) = delete;
    ServerReleaseAccount& operator=(const ServerReleaseAccount&) = delete;

    bool CanAfford(uint32_t round) const override;
    void Send(uint32_t round, bool observed) override;
    void Settle(uint32_t round, bool transmitted) override;
    bool CanAfford(const ServerRelease& release) const override;
    void Record(const ServerRelease& release) override;

  private:
    /** @return how much of each of this client's gradients is in a release */
    std::vector<double> GetWeights(const ServerRelease& release) const;

    /**
     * @param release of the server
     * @param weights of this client's gradients in it
     * @return what it costs
     */
    GaussianCost GetCost(const ServerRelease& release, const std::vector<double>& weights) const;

    Ptr<GaussianLedger> m_ledger;  //!< adds up
    ReleaseTerms m_terms;          //!< what it has to know
    Ptr<ServerNoise> m_noise;      //!< of the server
    LearnerId m_worker;            //!< number, as the server knows it
    double m_momentum;             //!< of the worker
    Exposed m_exposed;             //!< called for releases
    bool m_observed{false};        //!< whether attackers have seen a message
    std::vector<uint32_t> m_drawn; //!< rounds whose gradients are in the momentum
    std::vector<double> m_weights; //!< of these in the last release; gradients since then: none
    uint32_t m_last{0};            //!< its step
};

} // namespace ns3::dlearn

#endif // DLEARN_CLIENT_ACCOUNT_H
