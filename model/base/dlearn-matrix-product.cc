/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-matrix-product.h"

#include "dlearn-openblas.h"

#include <algorithm>

#ifdef DLEARN_WITH_OPENBLAS
#include <cblas.h>
#endif

namespace ns3::dlearn
{

namespace
{

/**
 * Fix Eigen's block sizes, for the whole process, before main(): they decide in which order
 * sums are taken.
 */
[[maybe_unused]] const bool g_pinned = [] {
    Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20);
    return true;
}();

#ifdef DLEARN_WITH_OPENBLAS

/** C = A B + keep C of matrices that lie row after row. */
template <typename Scalar>
constexpr auto GEMM = &cblas_dgemm;

template <>
constexpr auto GEMM<float> = &cblas_sgemm;

/** @return distance of rows as the BLAS wants it: at least 1, even of a matrix without any */
template <typename Matrix>
int
GetStride(const Matrix& matrix)
{
    return static_cast<int>(std::max<Eigen::Index>(matrix.outerStride(), 1));
}

template <typename Scalar>
void
CallGemm(CBLAS_TRANSPOSE transposedA,
         CBLAS_TRANSPOSE transposedB,
         Eigen::Index inner,
         RowMatrixRef<Scalar> a,
         RowMatrixRef<Scalar> b,
         Scalar keep,
         RowMatrixOut<Scalar> result)
{
    PrepareOpenBlas();
    GEMM<Scalar>(CblasRowMajor,
                 transposedA,
                 transposedB,
                 static_cast<int>(result.rows()),
                 static_cast<int>(result.cols()),
                 static_cast<int>(inner),
                 1,
                 a.data(),
                 GetStride(a),
                 b.data(),
                 GetStride(b),
                 keep,
                 result.data(),
                 GetStride(result));
}

#else

/** @param product an expression of Eigen's */
template <typename Product, typename Scalar>
void
Assign(const Product& product, Scalar keep, RowMatrixOut<Scalar> result)
{
    if (keep == 0)
    {
        result.noalias() = product;
        return;
    }
    if (keep != 1)
    {
        result *= keep;
    }
    result.noalias() += product;
}

#endif

} // namespace

template <typename Scalar>
void
Multiply(RowMatrixRef<Scalar> a, RowMatrixRef<Scalar> b, Scalar keep, RowMatrixOut<Scalar> result)
{
#ifdef DLEARN_WITH_OPENBLAS
    CallGemm<Scalar>(CblasNoTrans, CblasNoTrans, a.cols(), a, b, keep, result);
#else
    Assign(a * b, keep, result);
#endif
}

template <typename Scalar>
void
MultiplyFirstTransposed(RowMatrixRef<Scalar> a,
                        RowMatrixRef<Scalar> b,
                        Scalar keep,
                        RowMatrixOut<Scalar> result)
{
#ifdef DLEARN_WITH_OPENBLAS
    CallGemm<Scalar>(CblasTrans, CblasNoTrans, a.rows(), a, b, keep, result);
#else
    Assign(a.transpose() * b, keep, result);
#endif
}

template <typename Scalar>
void
MultiplySecondTransposed(RowMatrixRef<Scalar> a,
                         RowMatrixRef<Scalar> b,
                         Scalar keep,
                         RowMatrixOut<Scalar> result)
{
#ifdef DLEARN_WITH_OPENBLAS
    CallGemm<Scalar>(CblasNoTrans, CblasTrans, a.cols(), a, b, keep, result);
#else
    Assign(a * b.transpose(), keep, result);
#endif
}

template void Multiply<float>(RowMatrixRef<float>, RowMatrixRef<float>, float, RowMatrixOut<float>);
template void Multiply<double>(RowMatrixRef<double>,
                               RowMatrixRef<double>,
                               double,
                               RowMatrixOut<double>);
template void MultiplyFirstTransposed<float>(RowMatrixRef<float>,
                                             RowMatrixRef<float>,
                                             float,
                                             RowMatrixOut<float>);
template void MultiplyFirstTransposed<double>(RowMatrixRef<double>,
                                              RowMatrixRef<double>,
                                              double,
                                              RowMatrixOut<double>);
template void MultiplySecondTransposed<float>(RowMatrixRef<float>,
                                              RowMatrixRef<float>,
                                              float,
                                              RowMatrixOut<float>);
template void MultiplySecondTransposed<double>(RowMatrixRef<double>,
                                               RowMatrixRef<double>,
                                               double,
                                               RowMatrixOut<double>);

} // namespace ns3::dlearn
