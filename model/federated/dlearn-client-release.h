/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_RELEASE_H
#define DLEARN_CLIENT_RELEASE_H

#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-gaussian-ledger.h"
#include "ns3/dlearn-threat-model.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Records the events of one client, on its node and on the server, that cost privacy under the
 * threat model, in a GaussianLedger.
 */
class ClientAccount
{
  public:
    /** Called when an event elsewhere costs the client privacy; gets the round. */
    using Exposed = std::function<void(uint32_t)>;

    virtual ~ClientAccount() = default;

    /** @return whether the client's budget allows it to send its message of a round */
    virtual bool CanAfford(uint32_t round) const = 0;

    /** A message with the data of a round counts as sent. @param observed by attackers */
    virtual void Send(uint32_t round, bool observed) = 0;

    /** The last message has been sent. @param transmitted whether any of it left the node */
    virtual void Settle(uint32_t round, bool transmitted) = 0;
};

/**
 * @ingroup dlearn
 * Clips the vectors of a client's rule, adds noise and keeps the privacy account; each is optional.
 * A rule calls
 *
 *  1. Setup(), once;
 *  2. in each round with a message Begin(), which a spent budget forbids, then Clip() and
 *     AddNoise(), which are also allowed in rounds without a message;
 *  3. End(), when it is known whether any of the message left the node.
 *
 * A ledger records every round and all that others reveal about it. It needs only the objects that
 * all clients of a simulation share: their WorkerNoise, or the ServerNoise of a trusted server.
 * Setup() refuses a client that does less than the terms of the ledger say. Paths of ns3::Config
 * reach all of these objects.
 */
class ClientRelease : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Before Setup(), as the other setters.
     * @param noise that is added to the clipped vector; null, the default: none
     * @param worker number of this client within the noise, from 0
     */
    void SetNoise(Ptr<WorkerNoise> noise, uint32_t worker);

    /**
     * @param noise that the trusted server adds; null, the default: none
     * @param client number of this client, as the server knows it
     */
    void SetServerNoise(Ptr<ServerNoise> noise, LearnerId client);

    /**
     * @param ledger the client's own privacy account
     * @param terms the properties that it needs
     */
    void SetLedger(Ptr<GaussianLedger> ledger, ReleaseTerms terms);

    /**
     * Check the configuration and open the account.
     *
     * @param owner class of the rule, for messages
     * @param clip norm to which the rule clips, or to which its task clips each gradient; 0: none
     * @param momentum share of a message in the next one, in [0, 1)
     * @param exposed called when an event elsewhere costs the client privacy
     * @throw std::invalid_argument when the client does less than the account counts on
     */
    void Setup(const std::string& owner,
               double clip,
               double momentum,
               ClientAccount::Exposed exposed);

    /**
     * Clip(v; C) = v min(1, C / ||v||). A vector without a finite norm becomes 0, because any
     * receiver could distinguish it from all others.
     *
     * @param clip C; 0 to leave the vector as it is
     * @param vector is clipped
     */
    static void Clip(double clip, VectorRef vector);

    /**
     * A message is due. Unless the budget forbids it, it counts as sent from now on.
     *
     * @param round t, later than any before
     * @param clip as of Setup()
     * @param momentum as of Setup()
     * @param observed whether attackers see it before it leaves (LearnerRule::IsObserved())
     * @return whether it may be sent; always false after the first time
     * @throw std::invalid_argument when the client does less than the account counts on
     */
    bool Begin(uint32_t round, double clip, double momentum, bool observed);

    /** Add the client's noise of a round. */
    void AddNoise(uint32_t round, VectorRef vector);

    /** The message of a round has been sent. @param transmitted whether any of it left the node */
    void End(uint32_t round, bool transmitted);

    /**
     * Reveal the noise that earlier messages share with other workers. The client does not answer
     * about itself or about all others: nothing would hide its data.
     *
     * @param rounds of the noise, and factors
     * @param others places of other workers, in increasing order
     * @param size entries of a message
     * @return the weighted sum of the noise; empty where the client does not answer
     */
    ModelVector RevealSharedNoise(const std::vector<WeightedRound>& rounds,
                                  const std::vector<uint32_t>& others,
                                  Eigen::Index size);

    /** @return whether the budget is spent */
    bool IsExhausted() const { return m_exhausted; }

    /** @return the client's privacy account; null: none */
    Ptr<GaussianLedger> GetLedger() const { return m_ledger; }

    /** @return why the account is worthless, if attackers observe messages */
    std::vector<std::string> GetWarnings(bool observed) const;

    /** @return the terms of the account; without a model: no account */
    const ReleaseTerms& GetTerms() const { return m_terms; }

  protected:
    void DoDispose() override;

  private:
    void RequireBeforeSetup(const char* what) const;

    /** @throw std::invalid_argument when the client does less than the account counts on */
    void Check(const NoiseScales& added, double clip, double momentum) const;

    std::string m_owner;                      //!< empty before Setup()
    double m_momentum{0};                     //!< that the account counts on
    Ptr<WorkerNoise> m_noise;                 //!< attribute Noise
    uint32_t m_worker{0};                     //!< number within the noise
    Ptr<ServerNoise> m_serverNoise;           //!< attribute ServerNoise
    LearnerId m_client{0};                    //!< number, as the server knows it
    Ptr<GaussianLedger> m_ledger;             //!< attribute Ledger
    ReleaseTerms m_terms;                     //!< of the account
    std::unique_ptr<ClientAccount> m_account; //!< null: none
    bool m_exhausted{false};
};

} // namespace ns3::dlearn

#endif // DLEARN_CLIENT_RELEASE_H
