/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_TRACKING_LEDGER_H
#define DLEARN_GRADIENT_TRACKING_LEDGER_H

#include "dlearn-privacy-account.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * What a learner with a tracker is about to release in one round.
 */
struct TrackingRelease
{
    uint32_t round{0};      //!< k; rounds must come in increasing order
    uint32_t dimension{0};  //!< d, entries of state and tracker
    bool state{true};       //!< whether the noisy state is released
    bool tracker{true};     //!< whether the noisy tracker is released
    double stateScale{0};   //!< sigma_k of the state's noise; 0 for no noise
    double trackerScale{0}; //!< sigma_k of the tracker's noise; 0 for no noise
};

/**
 * @ingroup dlearn
 * How state and tracker of a learner depended on themselves in one round. Entries of a state of
 * which neighbours' vectors arrived in part were coupled by anything between realisedCoupling
 * and realisedCoupling + partialCoupling.
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
 * Pure differential-privacy account of one learner of DP-GT (Chen, Wang and Zhang,
 * "Differentially Private Gradient-Tracking-Based Distributed Stochastic Optimization over
 * Directed Graphs", Lemmas 2 and 3), by an O(1) recursion a round that gives the double sums of
 * Lemma 2:
 *
 *   Dx_0 = 0,      Dx_{k+1} = |1 - alpha r| Dx_k + gamma Dy_k,
 *   Dy_0 = C/m_K,  Dy_{k+1} = |1 - beta c| Dy_k + 2C/m_K,
 *   epsilon = f sum_k (Dx_k / sigma_k^zeta + Dy_k / sigma_k^eta),
 *
 * r = sum_j R_ij, and c the coefficient that step 5 really uses: the out-weights sum_j C_ji,
 * where the paper prints the in-weights (see GradientTracking). m_K samples, of which one
 * differs, C a bound on the distance of two samples' gradients.
 *
 * The factor f: the paper's C bounds the 1-norm (its Definition 5), and f = 1: attribute
 * OneNorm. Clipping and Task::GetSensitivity() bound the Euclidean norm, and a vector of d
 * entries has a 1-norm of up to f = sqrt(d) times that: the default, as in PrivacyLedger.
 *
 * Two accounts, as in PrivacyLedger: nominal, as planned; realised, with the neighbours that
 * were truly heard in r (fewer contract less), and without the releases that never left the
 * node.
 *
 * What Lemma 2 leaves out: both runs release the same noisy vectors, so their states differ by
 * Dx_k, and their gradients of *all* samples are taken at different points; the proof takes them
 * at the same one (step to eq. 252). With the attribute Smoothness = L > 0 the gradients of two
 * runs are taken to differ by Dg_k = C/m_K + L Dx_k, and 2C/m_K becomes Dg_k + Dg_{k+1}. 0, the
 * default, is the paper.
 *
 * Order within a round: Refresh() when a new gradient has entered the tracker, CanAfford()
 * before anything is released, Release() (sent or not), then Update(). A round may lack either
 * of the last two. The account is that of ideal noise; this program's protects nobody.
 */
class GradientTrackingLedger : public PrivacyAccount
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * Constants of the learning problem, set once by the rule that owns the ledger.
     *
     * @param sensitivity C: bound on the distance of two samples' gradients
     * @param samples m_K: samples of a gradient, at least 1
     * @throw std::invalid_argument when one is not finite or out of its range
     */
    void SetConstants(double sensitivity, uint32_t samples);

    /** @param round k: its gradient has taken the place of the last one in the tracker */
    void Refresh(uint32_t round);

    /**
     * @param release what may follow
     * @return whether realised epsilon stays within the attribute Budget after it; always true
     *         when Budget is 0 (none)
     */
    bool CanAfford(const TrackingRelease& release) const;

    /**
     * @param release what was to be released
     * @param transmitted whether any message of it left the node
     */
    void Release(const TrackingRelease& release, bool transmitted);

    /** @param update how state and tracker were updated at the end of the round */
    void Update(const TrackingUpdate& update);

    double GetEpsilon() const override;
    double GetNominalEpsilon() const override;
    double GetBudget() const override;

    /** @return bound on the distance of the states of two runs in the nominal account, Dx_k */
    double GetStateSensitivity() const;

    /** @return bound on the distance of their trackers in the nominal account, Dy_k */
    double GetTrackerSensitivity() const;

  private:
    /** One of the two accounts. */
    struct Account
    {
        double state{0};    //!< Dx
        double tracker{0};  //!< Dy
        double gradient{0}; //!< Dg of the gradient that is in the tracker; 0 for none
        double epsilon{0};  //!< spent so far
    };

    void Refresh(Account& account) const;
    double GetCost(const Account& account, const TrackingRelease& release) const;
    void CheckRelease(const TrackingRelease& release) const;
    void CheckUpdate(const TrackingUpdate& update) const;

    double m_budget{0};        //!< attribute Budget
    double m_smoothness{0};    //!< attribute Smoothness
    bool m_oneNorm{false};     //!< attribute OneNorm
    double m_sensitivity{0};   //!< C
    uint32_t m_samples{0};     //!< m_K; 0 before SetConstants()
    Account m_nominal;         //!< as planned
    Account m_realised;        //!< as it happened
    uint64_t m_nextRefresh{0}; //!< first round that may still be refreshed
    uint64_t m_nextRelease{0}; //!< first round that may still be released
    uint64_t m_nextUpdate{0};  //!< first round that may still be updated
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_GRADIENT_TRACKING_LEDGER_H
