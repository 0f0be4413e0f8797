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

#include "dlearn-types.h"

#include <string>

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
 * To be called before any function of OpenBLAS; works once in a process, and does nothing where
 * dlearn was built without OpenBLAS. OpenBLAS computes on the calling thread alone, as dlearn's
 * parallelism is above it. OpenBLAS takes a processor that is newer than itself for the oldest one
 * that it knows, Prescott, and is two to three times slower: then a line on standard error names
 * the setting that helps, unless the user has chosen by OPENBLAS_CORETYPE.
 */
void PrepareOpenBlas();

/** @return the library that multiplies: "OpenBLAS" and its name of the processor, or "Eigen" */
std::string DescribeMatrixLibrary();

} // namespace ns3::dlearn

#endif // DLEARN_MATRIX_PRODUCT_H
