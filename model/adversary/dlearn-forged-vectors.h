/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FORGED_VECTORS_H
#define DLEARN_FORGED_VECTORS_H

/**
 * @file
 * What Byzantine learners send in place of their vectors, as pure functions of the h vectors
 * that they know: those of all honest learners for an omniscient coalition, fewer for others.
 * All members of a coalition send the same. All refuse an empty matrix, and all but
 * CopyHonest() one that is not finite, with std::invalid_argument.
 */

#include "ns3/dlearn-types.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * Inner-product manipulation, or fall of empires: -tau times the honest mean. With tau = 1 it
 * is sign flipping; when the own vector is the only row, its sign is flipped.
 *
 * Xie, Koyejo and Gupta 2020, "Fall of Empires: Breaking Byzantine-tolerant SGD by Inner
 * Product Manipulation", UAI (tau is epsilon there).
 *
 * @param honest h x d
 * @param tau factor
 * @return d numbers
 */
template <typename Scalar>
ColumnVector<Scalar> ForgeInnerProduct(RowMatrixRef<Scalar> honest, double tau);

/**
 * A little is enough: mean + tau times the standard deviation (of h - 1 degrees of freedom; 0
 * for a single vector) of each coordinate. Baruch et al. subtract: their z is -tau.
 *
 * Baruch, Baruch and Goldberg 2019, "A Little Is Enough: Circumventing Defenses For
 * Distributed Learning", NeurIPS.
 *
 * @param honest h x d
 * @param tau factor, of either sign
 * @return d numbers
 */
template <typename Scalar>
ColumnVector<Scalar> ForgeAlie(RowMatrixRef<Scalar> honest, double tau);

/**
 * The z of Baruch et al., Algorithm 3, as it is computed for learners of which f are
 * Byzantine: with s = floor(n / 2 + 1) - f, the largest z with Phi(z) at most
 * (n - f - s) / (n - f). It is 0 or less for small f / n; their attack is ForgeAlie() with
 * tau = -z.
 *
 * @param n all learners
 * @param f Byzantine ones, 2f < n
 * @return z
 * @throw std::invalid_argument when 2f >= n, or for fewer than 3 learners, of which z is
 *        infinite
 */
double GetAlieDeviation(uint32_t n, uint32_t f);

/**
 * Mimic: the vector of an honest learner, over and over.
 *
 * Karimireddy, He and Jaggi 2022, "Byzantine-Robust Learning on Heterogeneous Datasets via
 * Bucketing", ICLR.
 *
 * @param honest h x d
 * @param index which learner, from 0
 * @return d numbers
 * @throw std::invalid_argument when there is no such learner
 */
template <typename Scalar>
ColumnVector<Scalar> CopyHonest(RowMatrixRef<Scalar> honest, uint32_t index);

/** Where a search on a line went. */
struct LineSearch
{
    double best{0};                                   //!< place of the largest value
    double value{0};                                  //!< the value there
    std::vector<std::pair<double, double>> evaluated; //!< all places and their values, in order
};

/** How to search on a line. */
struct LineSearchOptions
{
    uint32_t evaluations{20}; //!< how often the function is evaluated, at least 1
    double start{0};          //!< first place
    double step{10};          //!< first step, greater than 0
    double ratio{0.8};        //!< what shrinks steps, between 0 and 1
};

/**
 * Look for a large value on a line: steps that double as long as the value grows, then steps
 * that shrink, forward only, taken when the value grows. As ByzFL's optimised attacks do
 * (Allouah et al. 2023, "Fixing by Mixing", appendix).
 *
 * @param function to be large
 * @param options how to search
 * @return the largest value found
 * @throw std::invalid_argument when an option is out of range
 */
LineSearch MaximizeOnLine(const std::function<double(double)>& function,
                          const LineSearchOptions& options);

} // namespace ns3::dlearn

#endif // DLEARN_FORGED_VECTORS_H
