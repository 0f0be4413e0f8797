/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MATRIX_PRODUCT_H
#define DLEARN_MATRIX_PRODUCT_H

/**
 * @file
 * Products of large row-major matrices, on the calling thread alone.
 *
 * OpenBLAS multiplies if dlearn was built with it (DLEARN_WITH_OPENBLAS), because it selects the
 * instructions of the processor at run time; else Eigen. Results of the two differ by rounding, and
 * so do those of OpenBLAS on different kinds of processors, but not from call to call or with the
 * number of threads. The block sizes of Eigen, which would depend on the caches of the machine, are
 * fixed when the library is loaded.
 */

#include "dlearn-types.h"

namespace ns3::dlearn
{

/** A matrix that lies row after row, or columns of one; written by the callee. */
template <typename Scalar>
using RowMatrixOut = Eigen::Ref<RowMatrix<Scalar>>;

/** Which factor of a product is transposed. */
enum class Transposed
{
    NONE,
    FIRST,
    SECOND
};

/**
 * Compute result = keep result + A B, with A^T or B^T in place of A or B. No two arguments may
 * overlap.
 *
 * @tparam Scalar float or double
 * @param a A, m x k; k x m when it is transposed
 * @param b B, k x n; n x k when it is transposed
 * @param keep 0 to overwrite the result whatever it was, 1 to add to it
 * @param result m x n
 * @param transposed which factor
 */
template <typename Scalar>
void Multiply(RowMatrixRef<Scalar> a,
              RowMatrixRef<Scalar> b,
              Scalar keep,
              RowMatrixOut<Scalar> result,
              Transposed transposed = Transposed::NONE);

/**
 * To be called before any function of OpenBLAS: limits it to the calling thread. OpenBLAS takes an
 * unknown, newer processor for the oldest one, Prescott, and is then two to three times slower: a
 * line on standard error names the setting that helps, unless OPENBLAS_CORETYPE is set.
 */
void PrepareOpenBlas();

} // namespace ns3::dlearn

#endif // DLEARN_MATRIX_PRODUCT_H
