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

/**
 * @ingroup dlearn
 * The release of a learner with a tracker in one round.
 */
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
 * How state and tracker of a learner depended on themselves in one round. Where the vectors of
 * neighbours arrived in part, the coupling of the entries is between realisedCoupling and
 * realisedCoupling + partialCoupling.
 */
struct TrackingUpdate
{
    uint32_t round{0};          //!< k; rounds must come in increasing order
    double stepSize{0};         //!< gamma, on the tracker
    double nominalCoupling{0};  //!< alpha sum_j R_ij over all neighbours
    double realisedCoupling{0}; //!< alpha sum_j R_ij over neighbours received completely
    double partialCoupling{0};  //!< alpha sum_j R_ij over neighbours received in part
    double nominalPush{0};      //!< beta sum_j C_ji, what step 5 takes from the tracker
    double realisedPush{0};     //!< the same; 0 when it never left and was taken back
};

/**
 * @ingroup dlearn
 * The bounds of the gradients of a learner with a tracker.
 */
struct TrackingConstants
{
    double sensitivity{0};    //!< C: bound on the distance of two samples' gradients at one state
    uint32_t samples{0};      //!< m_K: samples of a gradient, at least 1
    double smoothness{0};     //!< L: Lipschitz constant of one sample's gradient, regularization
                              //!< included; infinity when not known
    double regularization{0}; //!< lambda: that of the regularization alone
    double spread{
        std::numeric_limits<double>::infinity()}; //!< S: bound on the distance of two
                                                  //!< samples' gradients wherever each is taken,
                                                  //!< regularization not included, as clipping
                                                  //!< gives; infinity when there is none
    uint32_t units{1}; //!< units of protection whose shares are passed to Refresh()
};

/**
 * @ingroup dlearn
 * Privacy account of one learner of DP-GT (Chen, Wang and Zhang, "Differentially Private
 * Gradient-Tracking-Based Distributed Stochastic Optimization over Directed Graphs"), by an O(1)
 * recursion per round. Dx_k, Dy_k and Dg_k bound how far the states, trackers and gradients of two
 * runs on neighbouring data can be apart that released and received the same:
 *
 *   Dx_0 = 0,     Dx_{k+1} = |1 - alpha r| Dx_k + gamma Dy_k,
 *   Dy_0 = Dg_0,  Dy_{k+1} = |1 - beta c| Dy_k + Dg_k + Dg_{k+1},
 *   Dg_k = min( C share_k + L Dx_k, S + lambda Dx_k ),
 *
 * r = sum_j R_ij, and c the coefficient that step 5 uses: the out-weights sum_j C_ji, where the
 * paper prints the in-weights (see GradientTracking). share_k is the part of the gradient that the
 * unit of protection contributes, 1/m_K as planned. Of the two bounds on Dg the first holds since a
 * sample's gradient moves by at most L times what its state moves; the second since two clipped
 * gradients differ by at most S = 2 clip wherever they are taken, and the regularization, with the
 * constant lambda, by lambda Dx. A release costs what PrivacyLosses says for Dx_k on the state and
 * Dy_k on the tracker.
 *
 * With L = 0 this is Lemma 2 of the paper, Dg_k = C/m_K. Its proof takes the gradients of both runs
 * at the same state (step to eq. 252), although the states differ, and two real runs exceed it. The
 * attribute Smoothness = 0 selects it nevertheless, to reproduce the paper; the result is then not
 * a bound.
 *
 * The paper's C bounds the 1-norm (its Definition 5): attribute OneNorm. Clipping and
 * Task::GetSensitivity() bound the Euclidean norm, and a vector of d entries has a 1-norm of up to
 * sqrt(d) times that: the default.
 *
 * Two accounts (see PrivacyAccount): realised is with the neighbours whose messages arrived in r
 * (fewer contract less), with the shares that were actually drawn, and without the releases that
 * never left the node.
 *
 * Order within a round: Refresh() when a new gradient has entered the tracker, CanAfford()
 * before anything is released, Announce() when it is handed to the network, Release() when it is
 * known whether it was sent, then Update(). A round may lack any of these but the first.
 */
class GradientTrackingLedger : public ReleaseAccount
{
  public:
    static TypeId GetTypeId();

    /** Set the constants of the learning problem, once. */
    void SetConstants(const TrackingConstants& constants);

    /** @return what was set, with the attribute Smoothness in the place of L where it is given */
    const TrackingConstants& GetConstants() const { return m_constants; }

    /** @return whether the account is Lemma 2 as printed, which is not a bound */
    bool IsPrinted() const { return m_smoothness == 0; }

    /** @return the attribute OneNorm */
    bool HasOneNorm() const { return m_oneNorm; }

    /** @return the attribute Smoothness */
    double GetSmoothness() const { return m_smoothness; }

    /**
     * @param round k: its gradient has taken the place of the last one in the tracker
     * @param shares what part of it each unit of protection truly is; empty: one unit, of 1/m_K
     */
    void Refresh(uint32_t round, const Eigen::ArrayXd& shares = {});

    /** @return whether the attribute Budget allows a release that may follow */
    bool CanAfford(const TrackingRelease& release) const;

    /** @param release what is handed to the network: it counts as sent from now on */
    void Announce(const TrackingRelease& release);

    /**
     * @param release what was to be released
     * @param transmitted whether any message of it left the node
     */
    void Release(const TrackingRelease& release, bool transmitted);

    /** @param update how state and tracker were updated at the end of the round */
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
        Eigen::ArrayXd gradient; //!< Dg of the gradient that is in the tracker; 0 for none
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
