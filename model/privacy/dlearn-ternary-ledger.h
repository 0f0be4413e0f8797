/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TERNARY_LEDGER_H
#define DLEARN_TERNARY_LEDGER_H

#include "dlearn-ldp-online-ledgers.h"

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * (0, delta) account of a learner that sends what TernaryQuantizer makes of its state.
 *
 * One entry x, and x' on other data, both at most s. With Q(x) = s sign(x) with probability
 * |x| / s and else 0, the total variation distance of Q(x) and Q(x') is
 *
 *   |x - x'| / s          when x and x' have one sign,
 *   max(|x|, |x'|) / s    when they have not,
 *
 * at most |x - x'| / s in both cases; entries beyond s are brought no farther apart by being cut
 * off. Entries are independent and distances of products add up, so a release is (0, delta_t)
 * differentially private with
 *
 *   delta_t = ||x - x'||_1 / s <= sqrt(d) Phi_t / s_t,
 *
 * and deltas add up over the rounds (basic composition). No epsilon above 0 buys a smaller delta:
 * with x' = 0 and x > 0 the level s has probability x / s against none at all. Phi_t is that of
 * Theorem5Ledger, which lets every batch differ:
 *
 *   Phi_{t+1} = (|1 - c_t| + lambda_t L) Phi_t + lambda_t C.
 *
 * Formula and derivation are ours: of the paper that TernarySgd follows only the abstract was at
 * hand, and that it promises a delta and no epsilon.
 *
 * To be compared with other accounts, GetEpsilon() is the epsilon at the attribute Delta: 0 while
 * GetDelta() is at most that, infinity afterwards. GetDelta() never falls; Budget limits delta.
 */
class TernaryLedger : public Theorem5Ledger
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @return 0 while GetDelta() is at most the attribute Delta, else infinity */
    double GetEpsilon() const override;
    /** @return 0 while GetNominalDelta() is at most the attribute Delta, else infinity */
    double GetNominalEpsilon() const override;

    /** @return realised delta so far, at most 1: from then on nothing is promised */
    double GetDelta() const;

    /** @return nominal delta so far, at most 1 */
    double GetNominalDelta() const;

  protected:
    void CheckConstants() const override;

  private:
    double m_delta{1e-4}; //!< attribute Delta
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_TERNARY_LEDGER_H
