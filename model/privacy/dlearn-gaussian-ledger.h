/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GAUSSIAN_LEDGER_H
#define DLEARN_GAUSSIAN_LEDGER_H

#include "dlearn-privacy-account.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The cost of a release.
 */
struct GaussianCost
{
    double planned{0};  //!< rate e, as planned
    double realised{0}; //!< rate e, as it was
    bool sampled{true}; //!< whether the realised one is that of samples that were drawn afresh, so
                        //!< that sampling amplifies privacy
};

/**
 * @ingroup dlearn
 * (epsilon, delta) account of one worker whose messages hold Gaussian noise: every round is
 * recorded with its rate e (see dlearn-gaussian-accounting.h), and ComposeGaussians() makes one
 * epsilon of all rounds. It is kept twice, as PrivacyLedger is, whose events (a state with a
 * sensitivity, coupled to neighbours) do not fit a worker that starts from the server's model in
 * every round:
 *
 * - nominal: every round as planned, sent, and without noise recovery;
 * - realised: what actually happened.
 *
 * Momentum (attribute, on by default) means that a message contains what all earlier rounds added.
 * A round whose message never left the node then costs nothing only until the next message leaves,
 * which discloses both; both are recorded in full (the truth is between one and two).
 *
 * A ClientAccount determines how the network changes the rates. Release() records a message as
 * sent as soon as it is handed to the network, so that epsilon is never below the truth while it
 * is under way; Withdraw() takes it back. Raise() is for what others reveal afterwards.
 *
 * Order: CanAfford() before anything is released, Release() once per round with increasing rounds,
 * Withdraw() of the last one, Raise() at any time.
 *
 * The account is that of the algorithm with ideal real-valued noise. This program's noise comes
 * from a reproducible generator and does not protect data.
 */
class GaussianLedger : public PrivacyAccount
{
  public:
    static TypeId GetTypeId();

    /** Set the probability that an example takes part in a round, before any event; else it is 1.
     */
    void SetSampling(double sampling);

    /**
     * @param round a round that may follow
     * @param rate its rate
     * @param raised where noise may be revealed: the largest rate that Raise() may be called with;
     *        all rounds are counted as raised then, so that this cannot overspend
     * @return whether realised epsilon stays within the attribute Budget, up to a part of 1e-9
     *         for rounding, if its message leaves; always true when Budget is 0 (none)
     */
    bool CanAfford(uint32_t round, double rate, double raised = 0) const;

    /** @return as the other CanAfford(), where nothing is raised */
    bool CanAfford(uint32_t round, const GaussianCost& cost) const;

    /**
     * Record a round in which the worker's data entered its message, which left the node or may
     * leave it.
     *
     * @param round t; rounds must come in increasing order
     * @param cost rates, which may be infinite
     */
    void Release(uint32_t round, const GaussianCost& cost);

    /** Nothing of the message of a round left the node after all. Nominal epsilon stays. */
    void Withdraw(uint32_t round);

    /**
     * Noise of a round was revealed: record the round at a rate unless it already costs more.
     * Nominal epsilon does not change.
     *
     * @param round t; nothing happens when it was not released
     * @param rate what the round costs without that noise
     * @return whether its rate grew
     */
    bool Raise(uint32_t round, double rate);

    double GetEpsilon() const override { return GetEpsilon(CountTold()); }

    double GetNominalEpsilon() const override { return GetEpsilon(m_nominal); }

    /** @return the attribute Momentum */
    bool HasMomentum() const { return m_momentum; }

  protected:
    bool HasBegun() const override { return !m_entries.empty(); }

  private:
    /** One recorded round. */
    struct Entry
    {
        uint32_t round{0};  //!< t
        double rate{0};     //!< e
        bool sampled{true}; //!< whether sampling amplifies privacy
        bool left{false};   //!< whether its own message left the node, or may leave it
    };

    /** Rates, whether they are of sampled rounds, and the number of rounds of each kind. */
    using RateCounts = std::map<std::pair<double, bool>, uint64_t>;

    void SetMomentum(bool momentum);
    void CheckRelease(uint32_t round, double rate) const;

    /** @return the rounds of which a message told, by their rates */
    RateCounts CountTold() const;
    bool CanAfford(const RateCounts& counts) const;
    double GetEpsilon(const RateCounts& counts) const;

    bool m_momentum{true};        //!< attribute Momentum
    double m_sampling{1};         //!< probability that an example takes part
    std::vector<Entry> m_entries; //!< in the order of rounds
    RateCounts m_nominal;         //!< as planned
};

} // namespace ns3::dlearn

#endif // DLEARN_GAUSSIAN_LEDGER_H
