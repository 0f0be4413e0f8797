/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RENYI_LEDGER_H
#define DLEARN_RENYI_LEDGER_H

#include "dlearn-privacy-account.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * (epsilon, delta) account of one worker whose messages hold Gaussian noise, kept in Renyi form:
 * every round is booked with its rate e (see dlearn-renyi-accounting.h), rates add up, and the
 * sum is converted. It is kept twice, as PrivacyLedger is, whose events (a state with a
 * sensitivity, coupled to neighbours) do not fit a worker that starts from the server's model in
 * every round:
 *
 * - nominal: every round as planned, sent and never repaired;
 * - realised: what truly happened.
 *
 * Momentum (attribute, on by default) means that a message holds what all earlier rounds added.
 * Then
 * - a round whose message never left the node costs nothing only until the next message leaves,
 *   which tells about both; both are booked in full (the truth is between one and two);
 * - when a repair reveals noise of a message, that is noise of all rounds so far, and all are
 *   booked anew. One weighted sum of their noise is known, which can tell as much as
 *   (1+beta)/(1-beta) rounds without that noise: to book the one round alone is too little.
 *
 * What may follow a repair in round t, for lemma A.4's CafCor (ThreatModel):
 * - a worker whose message left its node, but was named lost: Raise(t, rate of LDP), since the
 *   others revealed all the noise it shared with them;
 * - a worker whose message arrived: Raise(t, GetRepairedRate()), since it revealed the noise it
 *   shared with the lost.
 *
 * Order: CanAfford() before anything is released, Release() once a round with increasing rounds,
 * Raise() at any time for rounds that were released.
 *
 * The account is that of the algorithm with ideal real-valued noise. This program's noise comes
 * from a reproducible generator and protects nobody.
 */
class RenyiLedger : public PrivacyAccount
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * Set once, before any event; 1 (user level) otherwise.
     *
     * @param sampling probability that an example takes part in a round, in (0, 1]
     * @throw std::invalid_argument when out of range, or after an event
     */
    void SetSampling(double sampling);

    /**
     * @param round a round that may follow
     * @param rate its rate
     * @param raised where repairs may follow: the largest rate that Raise() may be called with;
     *        all rounds are counted as raised then, so that a repair can not overspend
     * @return whether realised epsilon stays within the attribute Budget, up to a part of 1e-9
     *         for rounding, if its message leaves; always true when Budget is 0 (none)
     */
    bool CanAfford(uint32_t round, double rate, double raised = 0) const;

    /**
     * Book a round in which the worker's data entered its message.
     *
     * @param round t; rounds must come in increasing order
     * @param rate its rate; may be infinite
     * @param transmitted whether the message left the node
     */
    void Release(uint32_t round, double rate, bool transmitted);

    /**
     * A repair revealed noise: book a round, with momentum all rounds up to it, at a rate
     * unless they already cost more. Nominal epsilon stays.
     *
     * @param round t; may be one that was not released, if momentum tells about earlier ones
     * @param rate what the rounds cost without that noise
     */
    void Raise(uint32_t round, double rate);

    /** @return realised epsilon so far, classic conversion; may be infinite */
    double GetEpsilon() const override;

    /** @return realised epsilon so far, tight conversion; may be infinite */
    double GetTightEpsilon() const;

    /** @return nominal epsilon so far, classic conversion; may be infinite */
    double GetNominalEpsilon() const override;

  private:
    /** One booked round. */
    struct Entry
    {
        uint32_t round{0}; //!< t
        double rate{0};    //!< e
        bool told{false};  //!< whether a message that holds it left the node
    };

    /** Rates and the number of rounds that have each. */
    using RateCounts = std::map<double, uint64_t>;

    void CheckRelease(uint32_t round, double rate) const;
    RateCounts CountTold() const;
    double ConvertClassically(const RateCounts& counts) const;
    std::vector<double> GetCurve(const RateCounts& counts) const;

    bool m_momentum{true};        //!< attribute Momentum
    double m_sampling{1};         //!< probability that an example takes part
    std::vector<Entry> m_entries; //!< in the order of rounds
    RateCounts m_nominal;         //!< as planned
    mutable std::map<double, std::vector<double>> m_curves; //!< rate -> RDP of a sampled round
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_RENYI_LEDGER_H
