/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GAUSSIAN_LEDGER_H
#define DLEARN_GAUSSIAN_LEDGER_H

#include "dlearn-gaussian-accounting.h"
#include "dlearn-privacy-account.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The cost of a release. */
struct GaussianCost
{
    double planned{0};  //!< rate e, as planned
    double realised{0}; //!< rate e, as realised
    bool sampled{true}; //!< whether the samples are new, so that sampling amplifies privacy
};

/**
 * @ingroup dlearn
 * (epsilon, delta) account of one client whose messages hold Gaussian noise: it records every round
 * with its rate e (see dlearn-gaussian-accounting.h), and ComposeGaussians() converts all rounds to
 * one epsilon. There are two accounts:
 *
 * - nominal: every round as planned, sent, and without noise recovery;
 * - realised: with the actual messages.
 *
 * With Momentum (attribute, by default) a message contains the gradients of all earlier rounds. A
 * round whose message never left the node then costs nothing only until the next message leaves,
 * which discloses both; both count in full (the truth is between one and two).
 *
 * A ClientAccount determines how the network changes the rates. Release() records a message as
 * sent when the network gets it, so that epsilon is never below the truth; Withdraw() takes it
 * back. Raise() is for noise that others reveal later.
 *
 * Order: CanAfford(), then Release() once per round with increasing rounds, Withdraw() of the last
 * one, Raise() at any time.
 *
 * The account is that of the algorithm with ideal real-valued noise. This program's noise comes
 * from a reproducible generator and does not protect data.
 */
class GaussianLedger : public PrivacyAccount
{
  public:
    static TypeId GetTypeId();

    /**
     * Before any event, set the sampling of what the account protects, see ComposeGaussians().
     *
     * @param sampling probability that an example, or the client, takes part in a round; default 1
     * @param poisson adjacency of Poisson sampling; none: samples have a fixed size
     */
    void SetSampling(double sampling, std::optional<Adjacency> poisson = {});

    /**
     * @param round the next one
     * @param rate its rate
     * @param raised the largest rate of later Raise() calls, which all rounds count with
     * @return whether realised epsilon stays within the attribute Budget, up to a part of 1e-9
     *         for rounding; always true when Budget is 0 (none)
     */
    bool CanAfford(uint32_t round, double rate, double raised = 0) const;

    /** As the other CanAfford(), without Raise(). */
    bool CanAfford(uint32_t round, const GaussianCost& cost) const;

    /**
     * Record a round whose message left the node, or may leave it.
     *
     * @param round t; rounds must come in increasing order
     * @param cost rates, which may be infinite
     */
    void Release(uint32_t round, const GaussianCost& cost);

    /** The message of a round did not leave the node. Nominal epsilon stays. */
    void Withdraw(uint32_t round);

    /**
     * Noise of a round was revealed: raise its rate. Nominal epsilon stays.
     *
     * @param round t; without effect if it was not released
     * @param rate of the round without that noise
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
        bool left{false};   //!< whether its message left the node, or may leave it
    };

    /** Number of rounds, by rate and whether they are sampled. */
    using RateCounts = std::map<std::pair<double, bool>, uint64_t>;

    void SetMomentum(bool momentum);
    void CheckRelease(uint32_t round, double rate) const;

    /** @return the rounds that messages disclose */
    RateCounts CountTold() const;
    bool CanAfford(const RateCounts& counts) const;
    double GetEpsilon(const RateCounts& counts) const;

    bool m_momentum{true};              //!< attribute Momentum
    double m_sampling{1};               //!< see SetSampling()
    std::optional<Adjacency> m_poisson; //!< see SetSampling()
    std::vector<Entry> m_entries;       //!< in the order of rounds
    RateCounts m_nominal;               //!< as planned
};

} // namespace ns3::dlearn

#endif // DLEARN_GAUSSIAN_LEDGER_H
