/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDAVG_THEORY_H
#define DLEARN_FEDAVG_THEORY_H

#include "ns3/dlearn-types.h"

#include <vector>

/**
 * @file
 * Closed forms of the model error of FedAvg with K local steps on linear regression with Gaussian
 * data: the average of runs without loss.
 *
 * Setting (Ju, Yang, Liu et al., "Can we theoretically quantify the impacts of local updates
 * on the generalization performance of federated learning?", MobiHoc 2024, called P4 here).
 * In round t client i draws n_i fresh samples x ~ N(0, I_p),
 * y = x^T (w* - gamma_i) + N(0, sigma_i^2), starts from the common model w and takes K
 * gradient steps of size alpha_i on half the mean squared error, each on its own
 * n~_i = floor(n_i / K) of the samples; K = infinity takes the minimum on all of them that is
 * nearest to w. The server averages with the weights pi_i = n_i / sum_j n_j.
 *
 * Derivation. Let Delta = w* - w and, for one client, u = Delta - gamma_i: the distance from
 * the client's own truth. Each local step maps
 *
 *   u -> (I - alpha S) u - (alpha / n~) X noise,  S = X X^T / n~,
 *
 * where E S = I and E S^2 = (1 + (p+1) / n~) I. So after local training there is
 * Delta_i' = gamma_i + u' with
 *
 *   E[u' | u] = c u,   E[||u'||^2 | u] = q ||u||^2 + v,
 *
 * and the three constants are
 *
 *   K finite:          c = (1 - alpha)^K,  q = A^K,
 *                      v = (p alpha^2 sigma^2 / n~) (1 + A + ... + A^(K-1)),
 *                      A = (1 - alpha)^2 + alpha^2 (p+1) / n~;
 *   K infinite, p > n: c = q = 1 - n/p (a projection on a random subspace is left of u),
 *                      v = n sigma^2 / (p-n-1), infinite for p = n + 1;
 *   K infinite, p <= n: c = q = 0 (ordinary least squares forgets the start),
 *                      v = p sigma^2 / (n-p-1), infinite for p = n and p = n - 1.
 *
 * The clients' samples are independent. Therefore, given Delta, the mean of the next difference
 * Delta' = sum_i pi_i Delta_i' is c_ Delta + b with c_ = sum_i pi_i c_i and
 * b = sum_i pi_i (1 - c_i) gamma_i, and its variance is the sum of theirs. With
 * e = E||Delta||^2 and g = E[Delta]:
 *
 *   g' = c_ g + b
 *   e' = c_^2 e + 2 c_ b^T g + ||b||^2
 *        + sum_i pi_i^2 ((q_i - c_i^2) (e - 2 gamma_i^T g + ||gamma_i||^2) + v_i) + drift^2.
 *
 * Where w* itself moves between rounds by independent steps of mean 0 and mean square drift^2
 * (not in P4), Delta gains such a step, which adds the last term and leaves g alone.
 *
 * Relation to P4. For one K these are P4's general results, expanded differently. K = 1 is
 * Theorem 1: the factor of e is H_t, all else G_t. K finite is Theorem 2, eqs. (61)-(65):
 * J_t and Q_t, where B_(i),t,k follows E||gamma_i + u||^2 through the local steps as q and v
 * follow E||u||^2. K infinite is Theorem 3, eqs. (21)-(27): C_t and D_t. The simple form of
 * Theorem 3 has an error: by its own eq. (25), gammas of sum 0 leave the term
 * (n / (m p)) (1 - n/p) times the mean of ||gamma_i||^2 in D, where eq. (30) prints n/p.
 */

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  One client of a FedAvgSetting. */
struct FedAvgTheoryClient
{
    uint32_t samples{50};   //!< n_i, samples of a round, at least 1
    uint32_t localSteps{1}; //!< K, at most n_i; 0 for infinity
    double stepSize{0.1};   //!< alpha_i, at least 0; without effect when K is infinite
    double noiseStd{0.7};   //!< sigma_i, at least 0
    ModelVector gamma;      //!< w* minus the client's truth; p entries
};

/** @ingroup dlearn
 *  All that the error depends on. */
struct FedAvgSetting
{
    std::vector<FedAvgTheoryClient> clients; //!< at least 1
    ModelVector initialOffset;               //!< Delta_0 = w*_0 - w_0; its size is p
    double drift{0}; //!< root of the mean squared step of w* from a round to the next
};

/**
 * @ingroup dlearn
 * The expected squared model error before each round and after the last.
 *
 * Entry t is E||w*_t - w_t||^2, where w_t is the model after t rounds and w*_t the truth that
 * the data of round t (from 0) follow: the error as the next round finds it. With drift, the
 * error of w_t to the truth w*_(t-1) it was learned from is smaller by drift^2.
 *
 * @param setting the clients and the start
 * @param rounds T
 * @return T + 1 numbers; infinity where the expectation does not exist or overflows
 */
std::vector<double> FedAvgErrorCurve(const FedAvgSetting& setting, uint32_t rounds);

/** @ingroup dlearn
 *  Equal clients whose gammas sum to zero: the error depends on norms only. */
struct FedAvgBalancedSetting
{
    uint32_t clients{3};           //!< m, at least 1
    uint32_t samples{50};          //!< n, samples of a client and round, at least 1
    uint32_t dimension{200};       //!< p, at least 1
    double stepSize{0.1};          //!< alpha, at least 0; without effect when K is infinite
    double noiseStd{0.7};          //!< sigma, at least 0
    double meanSquaredGamma{0.25}; //!< mean of ||gamma_i||^2, at least 0
    double initialError{1};        //!< D0 = ||w* - w_0||^2, at least 0
};

/**
 * @ingroup dlearn
 * The simple forms of P4's Theorems 1 (K = 1), 2 (K finite) and 3 (K infinite; corrected),
 *
 *   E||w* - w_t||^2 = J^t D0 + (1 - J^t) / (1 - J) ((q - c^2) mean ||gamma_i||^2 + v) / m,
 *   J = (q + (m-1) c^2) / m,
 *
 * where those of Theorem 2 are extended by gammas other than 0.
 *
 * @param setting the clients and the start
 * @param localSteps K, at most n; 0 for infinity
 * @param rounds t
 * @return the expected squared model error after t rounds; infinity where it does not exist
 */
double FedAvgBalancedError(const FedAvgBalancedSetting& setting,
                           uint32_t localSteps,
                           uint32_t rounds);

/**
 * @ingroup dlearn
 * K_opt of P4's Proposition 1 (3), where n is given: more steps move further, on fewer
 * samples each. (Its lower bound, eq. (20), does not hold: eq. (33) in its proof has a wrong
 * derivative of z(K)^K, which is z^K (ln z + K z' / z).)
 *
 * @param setting the clients and the start
 * @param rounds t, at least 1
 * @return the K from 1 to n with the smallest error after t rounds; the least of equals
 */
uint32_t FedAvgBestLocalSteps(const FedAvgBalancedSetting& setting, uint32_t rounds);

} // namespace ns3::dlearn

#endif // DLEARN_FEDAVG_THEORY_H
