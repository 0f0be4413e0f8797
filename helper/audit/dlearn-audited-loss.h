/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_AUDITED_LOSS_H
#define DLEARN_AUDITED_LOSS_H

#include "dlearn-recorded-noise.h"

#include "ns3/dlearn-privacy-account.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What an account says that was spent.
 */
struct Spent
{
    double epsilon{0}; //!< at the account's delta
    double delta{0};   //!< of ternary rounding, at most 1
};

/**
 * @ingroup dlearn
 * @param account of a peer
 * @return what it says
 */
Spent GetSpent(const PrivacyAccount& account);

/**
 * @ingroup dlearn
 * What two runs on neighbouring data that released the same vectors have truly lost, added up over
 * the releases: of Laplace noise the distance in the 1-norm over the scale, exactly how much more
 * likely one run is than the other at worst; of Gaussian noise the squared distance over
 * 2 sigma^2 (see SolveGaussianEpsilon()); of ternary rounding the total variation distance of the
 * two laws.
 */
class AuditedLoss
{
  public:
    /**
     * @param law of the noise
     * @param scale of the noise
     * @param first what the one run had before its noise
     * @param second what the other had
     */
    void Add(NoiseLaw law, double scale, const ModelVector& first, const ModelVector& second);

    /**
     * @param delta of the account, in (0, 1)
     * @return what the account would have to say
     */
    Spent GetTruth(double delta) const;

  private:
    double m_epsilon{0};   //!< of Laplace noise
    double m_rate{0};      //!< of Gaussian noise
    double m_variation{0}; //!< of ternary rounding
};

/**
 * @ingroup dlearn
 * The epsilon of Gaussian releases, by the definition and without the accounts' code: the smallest
 * with Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu) <= delta, mu^2 = 2 rate.
 *
 * @param rate sum of distance^2 / (2 sigma^2) over the releases; may be infinite
 * @param delta in (0, 1), not tiny
 * @return epsilon
 */
double SolveGaussianEpsilon(double rate, double delta);

/**
 * @ingroup dlearn
 * @param one a ratio
 * @param other a ratio
 * @return the smaller of the two; NaN when one is
 */
double Least(double one, double other);

/**
 * @ingroup dlearn
 * @param account what an account says
 * @param truth what is true
 * @return account / truth, the smaller one of epsilon and delta: at least 1 when the account holds;
 *         infinity where there is no loss, 1 where both are infinite, NaN when the account is
 */
double GetAccountRatio(const Spent& account, const Spent& truth);

} // namespace ns3::dlearn

#endif // DLEARN_AUDITED_LOSS_H
