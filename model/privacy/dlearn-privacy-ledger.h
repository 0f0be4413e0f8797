/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_LEDGER_H
#define DLEARN_PRIVACY_LEDGER_H

#include "dlearn-privacy-account.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * What a learner is about to release: everything a ledger needs to price it, nothing more.
 */
struct ReleaseEvent
{
    uint32_t round{0};     //!< t; rounds must come in increasing order
    uint32_t dimension{0}; //!< d, entries of the released vector
    double noiseScale{0};  //!< rho_t, scale of the noise on each entry; 0 for no noise
    double stepSize{0};    //!< step of a gradient that the released vector already contains;
                           //!< 0 when the bare state is released
};

/**
 * @ingroup dlearn
 * How a learner's state depended on its own past state and data in one round.
 *
 * The coupling really applied may differ between entries when a message arrived in part; it
 * then lies between realisedCoupling and realisedCoupling + partialCoupling. A mixing that is
 * no weighted sum applies a coupling that differs between entries, too, and is not known: it
 * then lies between these, or nominalCoupling, and openCoupling more.
 */
struct UpdateEvent
{
    uint32_t round{0};          //!< t; rounds must come in increasing order
    double stepSize{0};         //!< lambda_t, on the gradient
    double nominalCoupling{0};  //!< gamma_t sum_j w_ij over all neighbours
    double realisedCoupling{0}; //!< gamma_t sum_j w_ij over neighbours received completely
    uint32_t batches{1};        //!< parts of equal weight that the gradient averages over, of
                                //!< which one may differ: batches of a history, or samples
    double partialCoupling{0};  //!< gamma_t sum_j w_ij over neighbours received in part
    double openCoupling{0};     //!< what may come on top, in both accounts
};

/**
 * @ingroup dlearn
 * Pure differential-privacy account of one learner: a running epsilon under basic
 * composition, kept twice.
 *
 * - nominal: as the paper plans it, every message sent and every neighbour heard in every
 *   round that the learner took part in;
 * - realised: what truly happened. A message that never left the node costs nothing; fewer
 *   arrivals contract the learner's state less and so cost more.
 *
 * A release of d entries with Laplace noise of scale rho on a state whose Euclidean
 * sensitivity is Phi costs epsilon = sqrt(d) Phi / rho (the 1-norm is at most sqrt(d) times
 * the Euclidean one; Lemma 2 of Chen and Wang, "Locally Differentially Private Distributed
 * Online Learning with Guaranteed Optimality"). A state that does not yet depend on data,
 * Phi = 0, costs nothing, not even without noise; otherwise no noise costs infinity. What is
 * received from others, and whether messages arrive, counts as chosen by an adversary who
 * sees all that was released: basic composition of pure differential privacy allows that.
 *
 * The ledger never sees data, models or noise, only events. It refuses events that it can
 * not account for with std::invalid_argument. Order within a round: CanAfford() before
 * anything is released, Release() (sent or not), then Update(); a round may lack either.
 *
 * The account is that of the algorithm with ideal real-valued noise. This program's noise
 * comes from a reproducible generator and protects nobody.
 */
class PrivacyLedger : public PrivacyAccount
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param event a release that may follow
     * @return whether realised epsilon stays within the attribute Budget after it; always
     *         true when Budget is 0 (none)
     */
    bool CanAfford(const ReleaseEvent& event) const;

    /**
     * Book a release.
     *
     * @param event what was to be released
     * @param transmitted whether any message of it left the node
     */
    void Release(const ReleaseEvent& event, bool transmitted);

    /** @param event how the state was updated at the end of the round */
    void Update(const UpdateEvent& event);

    /** @return realised epsilon so far; infinity once something was released without noise */
    double GetEpsilon() const override;

    /** @return nominal epsilon so far */
    double GetNominalEpsilon() const override;

    /** @return the attribute Budget; 0 for none */
    double GetBudget() const override;

    /**
     * Constants of the learning problem, set once by the rule that owns the ledger.
     *
     * @param sensitivity C of Assumption 5: bound on the distance of two samples' gradients
     * @param smoothness L: Lipschitz constant of one sample's gradient, regularization
     *        included
     * @param curvature mu >= 0: every sample's gradient is that of a twice differentiable
     *        convex loss with this strong convexity; negative when that is not known (a
     *        loss that is not convex, or clipped gradients)
     * @throw std::invalid_argument when a constant is not finite or out of its range
     */
    void SetConstants(double sensitivity, double smoothness, double curvature);

  protected:
    /** One of the two accounts. */
    struct Account
    {
        double sensitivity{0}; //!< Phi_t, bound on the distance of the states of two runs
        double epsilon{0};     //!< spent so far
        bool released{false};  //!< whether this round's release left the node
    };

    /**
     * The recursion of the bound, which tells the ledgers apart.
     *
     * @param account holds Phi_t
     * @param event the round's update
     * @param coupling gamma_t sum_j w_ij, nominal or realised
     * @return Phi_{t+1}
     */
    virtual double NextSensitivity(const Account& account,
                                   const UpdateEvent& event,
                                   double coupling) const = 0;

    /**
     * @param sensitivity Phi_t
     * @param event a release
     * @return Euclidean sensitivity of what is released; Phi_t unless overridden
     */
    virtual double ReleasedSensitivity(double sensitivity, const ReleaseEvent& event) const;

    /** @throw std::invalid_argument when this ledger needs more of the constants */
    virtual void CheckConstants() const;

    /** @return the name of the ledger, for messages */
    std::string GetName() const;

    double m_gradientSensitivity{0}; //!< C
    double m_smoothness{0};          //!< L
    double m_curvature{0};           //!< mu; negative when not known to be convex

  private:
    void CheckRelease(const ReleaseEvent& event) const;
    void CheckUpdate(const UpdateEvent& event) const;
    double MaxSensitivity(const Account& account,
                          const UpdateEvent& event,
                          double least,
                          double more) const;
    double GetCost(const Account& account, const ReleaseEvent& event) const;

    double m_budget{0};        //!< attribute Budget
    bool m_constants{false};   //!< whether SetConstants() was called
    Account m_nominal;         //!< as planned
    Account m_realised;        //!< as it happened
    uint64_t m_nextRelease{0}; //!< first round that may still be released
    uint64_t m_nextUpdate{0};  //!< first round that may still be updated
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_PRIVACY_LEDGER_H
