/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TYPES_H
#define DLEARN_TYPES_H

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/**
 * @defgroup dlearn Distributed learning
 *
 * Learners that are ns-3 applications and exchange real model vectors.
 */

namespace ns3::dlearn
{

/**
 * A model, gradient, noise draw or message: one flat vector of doubles. ns3::Vector is a position.
 */
using ModelVector = Eigen::VectorXd;

/** A read-only vector argument: binds to vectors, columns and segments without a copy. */
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;

/** A vector argument that the callee writes; the caller owns its storage. */
using VectorRef = Eigen::Ref<Eigen::VectorXd>;

/** Number of a learner: 0 to n-1, the same in the graph, on the wire and in the results. */
using LearnerId = uint32_t;

/** Positions of samples in a Dataset, repetitions allowed. */
using SampleIndices = std::vector<uint32_t>;

/** No bound, such as an unlimited epsilon. */
constexpr double INFINITE = std::numeric_limits<double>::infinity();

/** Vectors of many learners, n x d: one row a learner, stored row after row. */
template <typename Scalar>
using RowMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/** A read-only matrix argument: binds to a RowMatrix and its blocks without a copy. */
template <typename Scalar>
using RowMatrixRef = const Eigen::Ref<const RowMatrix<Scalar>>&;

/** A vector of d numbers, float or double (ModelVector). */
template <typename Scalar>
using ColumnVector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/**
 * The sequence that steps, couplings and noise scales share: base (t+1)^exponent.
 *
 * @param base value of round 0
 * @param exponent of (t+1); negative for a decaying sequence
 * @param round t, from 0
 * @return value of round t
 */
inline double
PowerLaw(double base, double exponent, uint32_t round)
{
    return base * std::pow(round + 1.0, exponent);
}

} // namespace ns3::dlearn

#endif // DLEARN_TYPES_H
