/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_LEDGER_H
#define DLEARN_PRIVACY_LEDGER_H

#include "dlearn-release-account.h"
#include "dlearn-state-recursion.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a learner is about to release: everything a ledger needs to price it, nothing more.
 */
struct ReleaseEvent
{
    uint32_t round{0};            //!< t; rounds must come in increasing order
    uint32_t dimension{0};        //!< d, entries of the released vector
    double noiseScale{0};         //!< rho_t, scale of the noise on each entry; 0 for no noise
    double stepSize{0};           //!< step of a gradient that the released vector already contains;
                                  //!< 0 when the bare state is released
    NoiseLaw law{NoiseLaw::NONE}; //!< of the noise
    uint32_t batches{1};          //!< of that gradient, as in UpdateEvent
    Eigen::ArrayXd shares{};      //!< of that gradient, as in UpdateEvent
};

/**
 * @ingroup dlearn
 * How a learner's state depended on its own past state and data in one round.
 *
 * The applied coupling may differ between entries when a message arrived in part; it is then
 * between realisedCoupling and realisedCoupling + partialCoupling. Robust
 * aggregation applies a coupling that differs between entries, too, and is not known: it is then
 * between these, or nominalCoupling, and openCoupling more.
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
    double openCoupling{0};     //!< what may be added, in both accounts
    Eigen::ArrayXd shares{};    //!< part of the gradient that each unit of protection contributed;
                                //!< empty: one unit, of 1 / batches
};

/**
 * @ingroup dlearn
 * Privacy account of one peer that releases one vector per round and combines it with the releases
 * of its neighbours.
 *
 * It follows Phi_t, a bound on the Euclidean distance of the states of two runs of the learner on
 * neighbouring data that released and received the same; a release costs what PrivacyLosses says
 * for the sensitivity Phi_t and the law of its noise. With Laplace noise that is epsilon_t =
 * sqrt(d) Phi_t / rho_t (Lemma 2 of Chen and Wang, "Locally Differentially Private Distributed
 * Online Learning with Guaranteed Optimality"); with Gaussian noise there is no sqrt(d). A state
 * that does not yet depend on data, Phi = 0, costs nothing, even without noise; otherwise a release
 * without noise costs infinity. What is received from others, and whether messages arrive, counts
 * as chosen by an adversary that sees everything that was released; composition allows this.
 *
 * Two accounts (see PrivacyAccount): in the realised one a message that never left the node costs
 * nothing; fewer arrivals contract the learner's state less and so cost more; and shares of the
 * gradient are those of the samples that were actually drawn.
 *
 * What is protected is one unit of protection: the account follows each unit whose shares are
 * passed to it, and reports the one with the highest cost.
 *
 * What happens to a released vector afterwards costs nothing: compression, rounding and error
 * feedback are functions of what was released (MessageExchange takes back what a withdrawn message
 * left in the feedback), and so are running sums.
 *
 * An account bounds the recursions that Bounds() names; Accept() refuses all others. Order within a
 * round: CanAfford() before anything is released, Announce() when it is handed to the network,
 * Release() when it is known whether it was sent, then Update(); a round may lack any of them.
 */
class PrivacyLedger : public ReleaseAccount
{
  public:
    static TypeId GetTypeId();

    /**
     * Refuse rules that this account does not bound.
     *
     * @param rule name of the rule, for the message
     * @param recursion of its state
     * @throw std::invalid_argument naming both
     */
    void Accept(const std::string& rule, StateRecursion recursion) const;

    /**
     * @param event a release that may follow
     * @return whether realised epsilon stays within the attribute Budget after it; always
     *         true when Budget is 0 (none)
     */
    bool CanAfford(const ReleaseEvent& event) const;

    /** @param event a release that is handed to the network: it counts as sent from now on */
    void Announce(const ReleaseEvent& event);

    /**
     * Record a release.
     *
     * @param event what was to be released
     * @param transmitted whether any message of it left the node
     */
    void Release(const ReleaseEvent& event, bool transmitted);

    /** @param event how the state was updated at the end of the round */
    void Update(const UpdateEvent& event);

    /**
     * Constants of the learning problem, set once by the rule that owns the ledger.
     *
     * @param sensitivity C of Assumption 5: bound on the distance of two samples' gradients
     * @param smoothness L: Lipschitz constant of one sample's gradient, regularization
     *        included
     * @param curvature mu >= 0: every sample's gradient is that of a twice differentiable
     *        convex loss with this strong convexity; negative when that is not known (a
     *        loss that is not convex, or clipped gradients)
     * @param units of protection whose shares events tell
     * @throw std::invalid_argument when a constant is not finite or out of its range
     */
    void SetConstants(double sensitivity, double smoothness, double curvature, uint32_t units = 1);

    /** @return C of SetConstants() */
    double GetGradientSensitivity() const { return m_gradientSensitivity; }

    /** @return L of SetConstants() */
    double GetSmoothness() const { return m_smoothness; }

    /** @return mu of SetConstants() */
    double GetCurvature() const { return m_curvature; }

  protected:
    /** One step of a bound: Phi becomes keep Phi + (gain share + whole) C. */
    struct Step
    {
        double keep{1}; //!< factor on the previous distance
        double gain{0}; //!< on the distance of the gradients at one point, of which a share differs
        double whole{0}; //!< the same where all of it differs, whatever the share
    };

    /** @return whether this account bounds rules with such a recursion */
    virtual bool Bounds(StateRecursion recursion) const = 0;

    /**
     * The recursion of the bound, which tells the ledgers apart.
     *
     * @param event the round's update
     * @param coupling gamma_t sum_j w_ij, nominal or realised
     * @param released whether the round's release left the node
     * @return Phi_{t+1} from Phi_t
     */
    virtual Step NextStep(const UpdateEvent& event, double coupling, bool released) const = 0;

    /**
     * @param event a release
     * @return Euclidean sensitivity of what is released, from Phi_t; Phi_t unless overridden
     */
    virtual Step ReleasedStep(const ReleaseEvent& event) const;

    /** @throw std::invalid_argument when this ledger needs more of the constants */
    virtual void CheckConstants() const;

    double m_smoothness{0}; //!< L
    double m_curvature{0};  //!< mu; negative when not known to be convex

  private:
    /** One of the two accounts. */
    struct Account
    {
        Eigen::ArrayXd sensitivity;       //!< Phi_t of each unit
        std::optional<uint32_t> released; //!< round of the newest release that left the node
    };

    /** @throw std::invalid_argument for a release that cannot follow what was told before */
    void CheckRelease(const ReleaseEvent& event) const;

    /** @throw std::invalid_argument for an update that cannot follow what was told before */
    void CheckUpdate(const UpdateEvent& event) const;

    /**
     * @param batches of the update
     * @param shares of each unit of protection in them
     * @throw std::invalid_argument for shares that do not fit
     */
    void CheckShares(uint32_t batches, const Eigen::ArrayXd& shares) const;

    /**
     * @param step of the recursion
     * @param sensitivity of the state before it, of each unit
     * @param shares of each unit in the gradient
     * @return the sensitivity after it
     */
    Eigen::ArrayXd Move(const Step& step,
                        const Eigen::ArrayXd& sensitivity,
                        const Eigen::ArrayXd& shares) const;

    void Update(Account& account,
                const UpdateEvent& event,
                double least,
                double more,
                const Eigen::ArrayXd& shares) const;

    /** @return what a release costs as planned */
    PrivacyLosses GetNominalCost(const ReleaseEvent& event) const;

    /** @return what a release costs as it happened */
    PrivacyLosses GetRealisedCost(const ReleaseEvent& event) const;

    PrivacyLosses GetCost(const Account& account,
                          const ReleaseEvent& event,
                          const Eigen::ArrayXd& shares) const;

    bool m_constants{false};         //!< whether SetConstants() was called
    double m_gradientSensitivity{0}; //!< C
    Account m_nominal;               //!< as planned
    Account m_realised;              //!< as it happened
    uint64_t m_nextRelease{0};       //!< first round that may still be released
    uint64_t m_nextUpdate{0};        //!< first round that may still be updated
};

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_LEDGER_H
