/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_LEDGER_H
#define DLEARN_PRIVACY_LEDGER_H

#include "dlearn-privacy-account.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

/**
 * @file
 * Ledgers of LDP-OL (Chen and Wang, "Locally Differentially Private Distributed Online Learning
 * with Guaranteed Optimality", Theorem 5), in the order of their bounds.
 *
 * They follow Phi_t, a bound on the Euclidean distance of the states of two runs with the same
 * messages and different data. With a = gamma_t sum_j w_ij the state of a run is
 *
 *   theta_{t+1} = Proj( (1 - a) theta_t - lambda_t d_t(theta_t) + messages of others ),
 *
 * Proj does not increase the distance of two points, and Phi_0 = 0. |1 - a| stands where the paper
 * writes 1 - a, which may be negative. Clipping a gradient is a projection onto a ball and does not
 * change its Lipschitz constant L.
 *
 * Unit of protection. The paper's sample xi_t is the whole batch of round t, its gradient the
 * batch's mean gradient. Two gradients of single samples differ by at most C, so do two means over
 * batches of one size: C needs no factor. The refined and
 * convex ledgers protect one unit, whose share of the average gradient is passed to them: in the
 * paper one batch of one learner, 1 / (t+1) (BatchUnit, event level, Definition 1 of the paper);
 * with SampleUnit one record, wherever it was drawn; with LearnerUnit all data.
 */

/**
 * @file
 * Ledgers of the baselines of LDP-OL, whose gradient is that of the newest batch alone. Phi_t
 * bounds the distance of the states theta_t of two runs that received and sent the same messages; C
 * bounds the distance of two batches' mean gradients (with per-sample clipping at c, C = 2c: the
 * factor 2 of the literature is inside C); c_t = sum of the weights of the neighbours received, so
 * that 1 - c_t is the weight of the learner's own vector. Projections do not increase the distance
 * of two points. share_t is the part of the round's gradient that the unit of protection
 * contributes: 1 for all data of a learner, as in the comparison of Chen and Wang (LearnerUnit), or
 * the actual share of one record (SampleUnit).
 *
 * The costs are those of Laplace noise; PrivacyLosses has the other laws.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The dependence of a peer's next state on its state and gradient, which bounds the distance of two
 * runs on neighbouring data with the same messages. A rule has one recursion, a privacy account
 * bounds one. y~ is a vector with its released noise, g the gradient, and M mixes a vector with the
 * messages of neighbours.
 */
enum class StateRecursion : uint8_t
{
    COUPLED,     //!< releases theta;             theta' = M(theta) - step g(theta)
    HALF_STEP,   //!< releases h = theta - step g(theta);    theta' = M(h)
    OWN_NOISY,   //!< releases theta;             theta' = M(y~) - step g(theta)
    STEP_BEHIND, //!< releases theta;             theta' = z - step g(z), z = M(y~)
    OTHER        //!< none of these
};

/** @return the recursion in words, for messages */
const char* ToString(StateRecursion recursion);

/** @ingroup dlearn
 *  A release of a learner, with all properties that determine its cost. */
struct ReleaseEvent
{
    uint32_t round{0};            //!< t; rounds must come in increasing order
    uint32_t dimension{0};        //!< d, entries of the released vector
    double noiseScale{0};         //!< rho_t, scale of the noise on each entry; 0 for no noise
    double stepSize{0};           //!< step of a gradient in the released vector; 0: the state
    NoiseLaw law{NoiseLaw::NONE}; //!< of the noise
    uint32_t batches{1};          //!< of that gradient, as in UpdateEvent
    Eigen::ArrayXd shares{};      //!< of that gradient, as in UpdateEvent
};

/**
 * @ingroup dlearn
 * The dependence of a learner's state on its last state and data in one round.
 *
 * After incomplete messages the coupling may differ between entries: it is between realisedCoupling
 * and realisedCoupling + partialCoupling. Robust aggregation has an unknown coupling that differs
 * between entries: up to openCoupling more than these, or than nominalCoupling.
 */
struct UpdateEvent
{
    uint32_t round{0};          //!< t; rounds must come in increasing order
    double stepSize{0};         //!< lambda_t, on the gradient
    double nominalCoupling{0};  //!< gamma_t sum_j w_ij over all neighbours
    double realisedCoupling{0}; //!< gamma_t sum_j w_ij over neighbours received completely
    uint32_t batches{1};        //!< parts of equal weight in the gradient (batches, samples);
                                //!< one may differ
    double partialCoupling{0};  //!< gamma_t sum_j w_ij over neighbours received in part
    double openCoupling{0};     //!< possible addition in both accounts
    Eigen::ArrayXd shares{};    //!< part of the gradient that each unit of protection contributed;
                                //!< empty: one unit, of 1 / batches
};

/**
 * @ingroup dlearn
 * The privacy account of a peer that releases one vector per round and combines it with the
 * releases of its neighbours.
 *
 * It follows Phi_t, a bound on the Euclidean distance of the states of two runs of the learner on
 * neighbouring data with the same messages; PrivacyLosses has the cost of a release with the
 * sensitivity Phi_t and the law of its noise. With Laplace noise that is epsilon_t =
 * sqrt(d) Phi_t / rho_t (Lemma 2 of Chen and Wang, "Locally Differentially Private Distributed
 * Online Learning with Guaranteed Optimality"); with Gaussian noise there is no sqrt(d). A state
 * that does not depend on data yet, Phi = 0, costs nothing, even without noise; otherwise a release
 * without noise costs infinity. An adversary that sees all releases may choose the messages of
 * others and their arrival; composition allows this.
 *
 * Two accounts (see PrivacyAccount): in the realised one a message that never left the node costs
 * nothing, fewer arrivals contract the learner's state less and cost more, and shares of the
 * gradient are those of the actual samples.
 *
 * The account follows each unit of protection whose shares it gets, and reports the highest cost.
 *
 * Post-processing of a released vector costs nothing: compression, rounding, error feedback
 * (without the messages that were withdrawn, see MessageExchange) and running sums.
 *
 * An account bounds the recursion that GetBounded() names; Accept() refuses all others. Order
 * within a round: CanAfford() before a release, Announce() when the network gets it, Release() when
 * it is known whether it was sent, then Update(); each is optional.
 */
class PrivacyLedger : public ReleaseAccount
{
  public:
    static TypeId GetTypeId();

    /** @throw std::invalid_argument unless the account bounds the recursion of a rule */
    void Accept(const std::string& rule, StateRecursion recursion) const;

    /** @return whether the attribute Budget allows a release */
    bool CanAfford(const ReleaseEvent& event) const;

    /** The network gets a release: it counts as sent. */
    void Announce(const ReleaseEvent& event);

    /** Record a release. @param transmitted whether any message of it left the node */
    void Release(const ReleaseEvent& event, bool transmitted);

    /** Record the update of the state at the end of the round. */
    void Update(const UpdateEvent& event);

    /**
     * Constants of the learning problem, set once by the rule that owns the ledger.
     *
     * @param sensitivity C of Assumption 5: bound on the distance of two samples' gradients
     * @param smoothness L: Lipschitz constant of one sample's gradient, regularization
     *        included
     * @param curvature mu >= 0: every sample's gradient is that of a twice differentiable
     *        convex loss with this strong convexity; negative: unknown (a loss that is not
     *        convex, or clipped gradients)
     * @param units of protection whose shares events have
     * @throw std::invalid_argument when a constant is not finite or out of its range
     */
    void SetConstants(double sensitivity, double smoothness, double curvature, uint32_t units = 1);

    double GetGradientSensitivity() const { return m_gradientSensitivity; }

    double GetSmoothness() const { return m_smoothness; }

    double GetCurvature() const { return m_curvature; }

  protected:
    /** One step of a bound: Phi <- keep Phi + (gain share + whole) C. */
    struct Step
    {
        double keep{1};  //!< factor on the previous distance
        double gain{0};  //!< on the distance of gradients at one point that differ in a share
        double whole{0}; //!< the same if they differ in all data
    };

    /** @return the recursion of the rules that this account bounds */
    virtual StateRecursion GetBounded() const = 0;

    /**
     * The recursion of the bound.
     *
     * @param event the round's update
     * @param coupling gamma_t sum_j w_ij, nominal or realised
     * @param released whether the round's release left the node
     * @return Phi_{t+1} from Phi_t
     */
    virtual Step NextStep(const UpdateEvent& event, double coupling, bool released) const = 0;

    /** @return step from Phi_t to the sensitivity of a release; none unless overridden */
    virtual Step ReleasedStep(const ReleaseEvent& event) const;

    /** @throw std::invalid_argument when this ledger needs more of the constants */
    virtual void CheckConstants() const {}

    double m_smoothness{0}; //!< L
    double m_curvature{0};  //!< mu; negative when not known to be convex

  private:
    /** One of the two accounts. */
    struct Account
    {
        Eigen::ArrayXd sensitivity;       //!< Phi_t of each unit
        std::optional<uint32_t> released; //!< round of the newest release that left the node
    };

    void CheckRelease(const ReleaseEvent& event) const;
    void CheckUpdate(const UpdateEvent& event) const;
    void CheckShares(uint32_t batches, const Eigen::ArrayXd& shares) const;

    /** @return the sensitivity of each unit after a step */
    Eigen::ArrayXd Move(const Step& step,
                        const Eigen::ArrayXd& sensitivity,
                        const Eigen::ArrayXd& shares) const;

    void Update(Account& account,
                const UpdateEvent& event,
                double least,
                double more,
                const Eigen::ArrayXd& shares) const;
    PrivacyLosses GetNominalCost(const ReleaseEvent& event) const;
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

/**
 * @ingroup dlearn
 * The bound printed in Theorem 5 (i), eqs. (18)-(19):
 *
 *   Phi_{t+1} = (|1 - a| + lambda_t L) Phi_t + lambda_t C.
 *
 * Every batch of the history may differ: it protects all data of a learner. Its sum over all rounds
 * is infinite.
 */
class LdpOnlineTheorem5Ledger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetBounded() const override { return StateRecursion::COUPLED; }

    Step NextStep(const UpdateEvent& event, double coupling, bool) const override
    {
        return {std::abs(1 - coupling) + event.stepSize * m_smoothness, 0, event.stepSize};
    }
};

/**
 * @ingroup dlearn
 * The finer bound of Theorem 5 (ii), eqs. (21)-(22): only a share of the average differs, in the
 * paper one batch of the t+1,
 *
 *   Phi_{t+1} = (|1 - a| + lambda_t L) Phi_t + lambda_t C share_t.
 *
 * With share = 1 / batches it starts at round 0 and holds for a batch of any round: one that joins
 * in round k adds the same terms from k on. With a window it adds terms after the batch has left
 * the average, and remains a bound. With u < v its sum over all rounds is finite (when the noise
 * does not shrink and the history has no window).
 */
class LdpOnlineRefinedLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetBounded() const override { return StateRecursion::COUPLED; }

    Step NextStep(const UpdateEvent& event, double coupling, bool) const override
    {
        return {std::abs(1 - coupling) + event.stepSize * m_smoothness, event.stepSize, 0};
    }
};

/**
 * @ingroup dlearn
 * A bound for convex losses, which is not in the paper:
 *
 *   Phi_{t+1} = max(|1 - a - lambda_t mu|, |1 - a - lambda_t L|) Phi_t + lambda_t C share_t.
 *
 * Derivation. Let d and d' be the average gradients of two runs whose histories differ in
 * one unit, delta = theta - theta' the difference of their states. Then
 *
 *   d(theta) - d'(theta') = (d(theta) - d'(theta)) + (d'(theta) - d'(theta'))
 *                         = e + M delta,  ||e|| <= C share_t,
 *   M = integral over s in [0, 1] of the Hessian of the second run's average loss at
 *       theta' + s delta.
 *
 * M is symmetric with eigenvalues in [mu, L] (every sample's loss is twice differentiable,
 * mu-strongly convex and L-smooth), so (1 - a) I - lambda_t M is symmetric with eigenvalues
 * in [1 - a - lambda_t L, 1 - a - lambda_t mu] and its norm is at most the maximum above.
 * While 1 - a - lambda_t L >= 0 the gradient step contracts where the paper's triangle
 * inequality lets it expand. When a differs between entries (partial messages), 1 - a is a
 * diagonal matrix and the eigenvalues are in [1 - a_max - lambda_t L, 1 - a_min - lambda_t mu]:
 * the maximum over both ends of a, which the base class takes, covers it.
 *
 * Refuses losses that are not convex, and clipped gradients, whose Jacobian need not be symmetric.
 */
class LdpOnlineConvexLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetBounded() const override { return StateRecursion::COUPLED; }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override;
    void CheckConstants() const override;
};

/**
 * @ingroup dlearn
 * DSGD. The release, theta - alpha g(theta), contains the step:
 *
 *   Psi_t = (1 + alpha_t L) Phi_t + alpha_t C share_t,
 *   epsilon_t = sqrt(d) Psi_t / rho_t,   Phi_{t+1} = |1 - c_t| Psi_t,
 *
 * because a learner mixes its own half-step without noise.
 */
class DsgdLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetBounded() const override { return StateRecursion::HALF_STEP; }

    Step NextStep(const UpdateEvent& event, double coupling, bool) const override
    {
        const double own = std::abs(1 - coupling);
        return {own * (1 + event.stepSize * m_smoothness), own * event.stepSize, 0};
    }

    Step ReleasedStep(const ReleaseEvent& event) const override;
};

/**
 * @ingroup dlearn
 * DOLA. A learner combines its own vector with its released noise, which discloses nothing new;
 * only the step at the noise-free theta_t does:
 *
 *   epsilon_t = sqrt(d) Phi_t / rho_t,   Phi_{t+1} = alpha_t (L Phi_t + C share_t) + own,
 *
 * own = 0 when the round's message left the node, |1 - c_t| Phi_t when it did not.
 */
class DolaLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetBounded() const override { return StateRecursion::OWN_NOISY; }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override
    {
        const double own = released ? 0 : std::abs(1 - coupling);
        return {own + event.stepSize * m_smoothness, event.stepSize, 0};
    }
};

/**
 * @ingroup dlearn
 * PDOP. As DOLA, but the step is taken at the mixed point z:
 *
 *   epsilon_t = sqrt(d) Phi_t / rho_t,   Phi_{t+1} = alpha_t C share_t + (1 + alpha_t L) own,
 *
 * own = 0 when the round's message left the node, |1 - c_t| Phi_t when it did not. While all
 * messages leave, epsilon_t = sqrt(d) alpha_{t-1} C / rho_t.
 */
class PdopLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetBounded() const override { return StateRecursion::STEP_BEHIND; }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override
    {
        const double own = released ? 0 : std::abs(1 - coupling);
        return {own * (1 + event.stepSize * m_smoothness), event.stepSize, 0};
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_LEDGER_H
