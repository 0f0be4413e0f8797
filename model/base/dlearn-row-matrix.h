/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROW_MATRIX_H
#define DLEARN_ROW_MATRIX_H

/**
 * @file
 * Vectors of many learners as the rows of one matrix.
 */

#include <Eigen/Core>

namespace ns3::dlearn
{

/** n x d: one row a learner, stored row after row. */
template <typename Scalar>
using RowMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/** A read-only matrix argument: binds to such a matrix and to blocks of one without a copy. */
template <typename Scalar>
using RowMatrixRef = const Eigen::Ref<const RowMatrix<Scalar>>&;

/** A vector of d numbers of either kind; ModelVector for double. */
template <typename Scalar>
using ColumnVector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

} // namespace ns3::dlearn

#endif // DLEARN_ROW_MATRIX_H
