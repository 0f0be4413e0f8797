/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MATRIX_PRODUCT_H
#define DLEARN_MATRIX_PRODUCT_H

/**
 * @file
 * Products of large matrices that lie row after row, on the calling thread alone.
 *
 * OpenBLAS multiplies where dlearn was built with it (DLEARN_WITH_OPENBLAS), as it picks the
 * instructions of the processor at run time; else Eigen. Results of the two differ by rounding,
 * and so do OpenBLAS's on processors of different kinds; but not from call to call or by the
 * number of threads that call. The sizes of blocks in which Eigen multiplies, which it would
 * choose by the caches of the machine, are fixed when the library is loaded.
 */

#include "dlearn-row-matrix.h"

namespace ns3::dlearn
{

/** A matrix that lies row after row, or columns of one; written by the callee. */
template <typename Scalar>
using RowMatrixOut = Eigen::Ref<RowMatrix<Scalar>>;

/**
 * Compute result = keep result + A B. No two arguments may overlap.
 *
 * @tparam Scalar float or double
 * @param a A, m x k
 * @param b B, k x n
 * @param keep 0 to overwrite the result whatever it was, 1 to add to it
 * @param result m x n
 */
template <typename Scalar>
void Multiply(RowMatrixRef<Scalar> a,
              RowMatrixRef<Scalar> b,
              Scalar keep,
              RowMatrixOut<Scalar> result);

/**
 * The same with A^T B.
 * @param a k x m
 * @param b k x n
 * @param keep see Multiply()
 * @param result m x n
 */
template <typename Scalar>
void MultiplyFirstTransposed(RowMatrixRef<Scalar> a,
                             RowMatrixRef<Scalar> b,
                             Scalar keep,
                             RowMatrixOut<Scalar> result);

/**
 * The same with A B^T.
 * @param a m x k
 * @param b n x k
 * @param keep see Multiply()
 * @param result m x n
 */
template <typename Scalar>
void MultiplySecondTransposed(RowMatrixRef<Scalar> a,
                              RowMatrixRef<Scalar> b,
                              Scalar keep,
                              RowMatrixOut<Scalar> result);

} // namespace ns3::dlearn

#endif // DLEARN_MATRIX_PRODUCT_H
