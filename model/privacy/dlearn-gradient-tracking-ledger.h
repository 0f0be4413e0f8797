/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_TRACKING_LEDGER_H
#define DLEARN_GRADIENT_TRACKING_LEDGER_H

#include "dlearn-privacy-account.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The release of a learner with a tracker in one round. */
struct TrackingRelease
{
    uint32_t round{0};                   //!< k; rounds must come in increasing order
    uint32_t dimension{0};               //!< d, entries of state and tracker
    bool state{true};                    //!< whether the noisy state is released
    bool tracker{true};                  //!< whether the noisy tracker is released
    double stateScale{0};                //!< sigma_k of the state's noise; 0 for no noise
    double trackerScale{0};              //!< sigma_k of the tracker's noise; 0 for no noise
    NoiseLaw stateLaw{NoiseLaw::NONE};   //!< of the state's noise
    NoiseLaw trackerLaw{NoiseLaw::NONE}; //!< of the tracker's noise
};

/**
 * @ingroup dlearn
 * The dependence of a learner's state and tracker on the last ones in one round. After incomplete
 * messages the coupling of the entries is between realisedCoupling and realisedCoupling +
 * partialCoupling.
 */
struct TrackingUpdate
{
    uint32_t round{0};          //!< k; rounds must come in increasing order
    double stepSize{0};         //!< gamma, on the tracker
    double nominalCoupling{0};  //!< alpha sum_j R_ij over all neighbours
    double realisedCoupling{0}; //!< alpha sum_j R_ij over neighbours received completely
    double partialCoupling{0};  //!< alpha sum_j R_ij over neighbours received in part
    double nominalPush{0};      //!< beta sum_j C_ji, which step 5 takes from the tracker
    double realisedPush{0};     //!< the same; 0 if the message never left
};

/** @ingroup dlearn
 *  The bounds of the gradients of a learner with a tracker. */
struct TrackingConstants
{
    double sensitivity{0};    //!< C: bound on the distance of two samples' gradients at one state
    uint32_t samples{0};      //!< m_K: samples of a gradient, at least 1
    double smoothness{0};     //!< L: Lipschitz constant of one sample's gradient, regularization
                              //!< included; infinity: unknown
    double regularization{0}; //!< lambda: that of the regularization alone
    double spread{
        std::numeric_limits<double>::infinity()}; //!< S: bound on the distance of two
                                                  //!< samples' gradients at any two states, as
                                                  //!< clipping gives, without regularization
    uint32_t units{1}; //!< units of protection whose shares are passed to Refresh()
};

/**
 * @ingroup dlearn
 * Privacy account of one learner of DP-GT (Chen, Wang and Zhang, "Differentially Private
 * Gradient-Tracking-Based Distributed Stochastic Optimization over Directed Graphs"), by an O(1)
 * recursion per round. Dx_k, Dy_k and Dg_k bound the distance of states, trackers and gradients of
 * two runs on neighbouring data with the same messages:
 *
 *   Dx_0 = 0,     Dx_{k+1} = |1 - alpha r| Dx_k + gamma Dy_k,
 *   Dy_0 = Dg_0,  Dy_{k+1} = |1 - beta c| Dy_k + Dg_k + Dg_{k+1},
 *   Dg_k = min( C share_k + L Dx_k, S + lambda Dx_k ),
 *
 * r = sum_j R_ij, and c the coefficient that step 5 uses: the out-weights sum_j C_ji, where the
 * paper prints the in-weights (see GradientTracking). share_k is the part of the gradient that the
 * unit of protection contributes, 1/m_K as planned. Of the two bounds on Dg the first holds since a
 * sample's gradient moves by at most L times the distance of states; the second since two clipped
 * gradients differ by at most S = 2 clip at any states, and the regularization, with the constant
 * lambda, by lambda Dx. PrivacyLosses has the cost of a release with Dx_k on the state and Dy_k
 * on the tracker.
 *
 * With L = 0 this is Lemma 2 of the paper, Dg_k = C/m_K. Its proof takes the gradients of both runs
 * at the same state (step to eq. 252), although the states differ, and two real runs exceed it. The
 * attribute Smoothness = 0 selects it to reproduce the paper; the result is not a bound.
 *
 * The paper's C bounds the 1-norm (its Definition 5): attribute OneNorm. Clipping and
 * Task::GetSensitivity() bound the Euclidean norm, and a vector of d entries has a 1-norm of up to
 * sqrt(d) times that: the default.
 *
 * Two accounts (see PrivacyAccount): realised is with the neighbours whose messages arrived in r
 * (fewer contract less), with the actual shares, and without the releases that never left the node.
 *
 * Order within a round: Refresh() with a new gradient in the tracker, CanAfford() before a release,
 * Announce() when the network gets it, Release() when it is known whether it was sent, then
 * Update(). All but the first are optional.
 */
class GradientTrackingLedger : public ReleaseAccount
{
  public:
    static TypeId GetTypeId();

    /** Set the constants of the learning problem, once. */
    void SetConstants(const TrackingConstants& constants);

    /** @return the constants, with the attribute Smoothness as L if it is set */
    const TrackingConstants& GetConstants() const { return m_constants; }

    /** @return whether the account is Lemma 2 as printed, which is not a bound */
    bool IsPrinted() const { return m_smoothness == 0; }

    /** @return the attribute OneNorm */
    bool HasOneNorm() const { return m_oneNorm; }

    /** @return the attribute Smoothness */
    double GetSmoothness() const { return m_smoothness; }

    /**
     * @param round k: its gradient has replaced the last one in the tracker
     * @param shares each unit's actual part of it; empty: one unit, of 1/m_K
     */
    void Refresh(uint32_t round, const Eigen::ArrayXd& shares = {});

    /** @return whether the attribute Budget allows a release */
    bool CanAfford(const TrackingRelease& release) const;

    /** The network gets a release: it counts as sent. */
    void Announce(const TrackingRelease& release);

    /** Record a release. @param transmitted whether any message of it left the node */
    void Release(const TrackingRelease& release, bool transmitted);

    /** Record the update of state and tracker at the end of the round. */
    void Update(const TrackingUpdate& update);

    /** @return bound on the distance of the states of two runs in the nominal account, Dx_k */
    double GetStateSensitivity() const { return m_nominal.state.maxCoeff(); }

    /** @return bound on the distance of their trackers in the nominal account, Dy_k */
    double GetTrackerSensitivity() const { return m_nominal.tracker.maxCoeff(); }

  private:
    /** One of the two accounts, by unit of protection. */
    struct Account
    {
        Eigen::ArrayXd state;    //!< Dx
        Eigen::ArrayXd tracker;  //!< Dy
        Eigen::ArrayXd gradient; //!< Dg of the gradient in the tracker
    };

    void SetSmoothness(double smoothness);
    void SetOneNorm(bool oneNorm);
    void Refresh(Account& account, const Eigen::ArrayXd& shares) const;
    PrivacyLosses GetCost(const Account& account, const TrackingRelease& release) const;
    void CheckRelease(const TrackingRelease& release) const;
    void CheckUpdate(const TrackingUpdate& update) const;

    double m_smoothness{-1};       //!< attribute Smoothness
    bool m_oneNorm{false};         //!< attribute OneNorm
    TrackingConstants m_constants; //!< samples are 0 before SetConstants()
    Account m_nominal;             //!< as planned
    Account m_realised;            //!< as it happened
    uint64_t m_nextRefresh{0};     //!< first round that may still be refreshed
    uint64_t m_nextRelease{0};     //!< first round that may still be released
    uint64_t m_nextUpdate{0};      //!< first round that may still be updated
};

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_TRACKING_LEDGER_H
