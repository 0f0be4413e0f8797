/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LDP_ONLINE_H
#define DLEARN_LDP_ONLINE_H

#include "dlearn-peer-rule.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The input of the convergence theory of LDP-OL (Chen and Wang, Assumption 4, Theorems 1 and 2)
 * that one learner knows.
 */
struct LdpOnlineConditions
{
    bool noisy{true};           //!< whether any noise is added
    double noiseExponent{0};    //!< s, growth of the noise; unused without noise
    double stepSize{0};         //!< lambda_0
    double stepExponent{0};     //!< v
    double coupling{0};         //!< gamma_0
    double couplingExponent{0}; //!< u
    bool convex{true};          //!< whether the loss is known to be convex
    double curvature{0};        //!< mu; 0 for a merely convex loss
    double smoothness{0};       //!< L
    double inWeight{0};         //!< sum_j w_ij
};

/** @return the conditions that a configuration violates, with their names in the paper and values
 */
std::vector<std::string> FindViolations(const LdpOnlineConditions& c);

/**
 * @ingroup dlearn
 * LDP-OL: locally differentially private distributed online learning (Chen and Wang,
 * "Locally Differentially Private Distributed Online Learning with Guaranteed Optimality",
 * Algorithm 1). Learner i in round t, with lambda_t = StepSize / (t+1)^StepExponent and
 * gamma_t = Coupling / (t+1)^CouplingExponent:
 *
 *  1. adds new samples to its history (BeginRound);
 *  2. evaluates d_t, the average over the whole history of the gradient at theta_t (Compute);
 *  3. sends y_t = theta_t + Laplace noise to its neighbours (Send);
 *  4. theta_hat = theta_t + sum_j gamma_t w_ij (y_t^j - theta_t) - lambda_t d_t (EndRound);
 *  5. theta_{t+1} = projection of theta_hat onto Theta (EndRound).
 *
 * With losses the sum of step 4 runs over the messages that arrived. Step 1 counts the rounds in
 * which the learner takes part; lambda_t and gamma_t follow the round number.
 * With HistoryWindow > 0 the average covers the newest batches only, which bounds the cost
 * of a general loss and leaves the paper's theory (a quadratic loss needs no window: its
 * history costs the same in every round).
 *
 * GetWarnings() names the violated conditions of Assumption 4 and Theorems 1 and 2 for the
 * learner's own noise and weights. Theorem 1's conditions on the first steps hold eigenvalues of W
 * (0 = delta_1 > delta_2 >= ... >= delta_m); GetWarnings() checks their consequences for the
 * learner's weight w = sum_j w_ij: as -delta_m >= w, gamma_0 <= 1/(-3 delta_m) needs gamma_0 <=
 * 1/(3 w); as -delta_2 <= 2 w, lambda_0 <= -gamma_0 delta_2 mu/(mu^2 + 8 L^2) needs lambda_0 <= 2 w
 * gamma_0 mu/(mu^2 + 8 L^2).
 */
class LdpOnline : public PeerRule
{
  public:
    static TypeId GetTypeId();

    /** @return samples of step 2 in this round */
    uint64_t GetWork() const override;

  protected:
    StateRecursion GetRecursion() const override { return StateRecursion::COUPLED; }

    ModelVector Move(const Inbox& inbox) const override { return MixAndDescend(inbox); }

    std::vector<std::string> FindWarnings() const override;
    void TakeBatch(const SampleIndices& batch) override;
    void ComputeGradient(VectorRef gradient) const override;

    uint32_t GetHistoryWindow() const override { return m_historyWindow; }

  private:
    /** @return samples of a history, or their largest possible number */
    uint64_t CountWork(const GradientHistory& history) const;
    void SetHistoryWindow(uint32_t window);

    bool m_exactWork{false};     //!< attribute ExactWork
    uint32_t m_historyWindow{0}; //!< attribute HistoryWindow
    std::unique_ptr<GradientHistory> m_history;
};

} // namespace ns3::dlearn

#endif // DLEARN_LDP_ONLINE_H
