/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-matrix-product.h"

#include "dlearn-blas.h"
#include "dlearn-openblas.h"

#include <algorithm>

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

void
CallGemm(const char* transposedA,
         const char* transposedB,
         const int (&sizes)[3],
         const float* a,
         int aStride,
         const float* b,
         int bStride,
         float keep,
         float* c,
         int cStride)
{
    const float one = 1;
    sgemm_(transposedA,
           transposedB,
           &sizes[0],
           &sizes[1],
           &sizes[2],
           &one,
           a,
           &aStride,
           b,
           &bStride,
           &keep,
           c,
           &cStride);
}

void
CallGemm(const char* transposedA,
         const char* transposedB,
         const int (&sizes)[3],
         const double* a,
         int aStride,
         const double* b,
         int bStride,
         double keep,
         double* c,
         int cStride)
{
    const double one = 1;
    dgemm_(transposedA,
           transposedB,
           &sizes[0],
           &sizes[1],
           &sizes[2],
           &one,
           a,
           &aStride,
           b,
           &bStride,
           &keep,
           c,
           &cStride);
}

/** @return distance of rows as the BLAS wants it: at least 1, even of a matrix without any */
template <typename Matrix>
int
GetStride(const Matrix& matrix)
{
    return static_cast<int>(std::max<Eigen::Index>(matrix.outerStride(), 1));
}

/** The BLAS thinks in columns: to it these are B^T A^T = C^T. */
template <typename Scalar>
void
CallRowGemm(bool transposedA,
            bool transposedB,
            Eigen::Index inner,
            RowMatrixRef<Scalar> a,
            RowMatrixRef<Scalar> b,
            Scalar keep,
            RowMatrixOut<Scalar> result)
{
    PrepareOpenBlas();
    CallGemm(
        transposedB ? "T" : "N",
        transposedA ? "T" : "N",
        {static_cast<int>(result.cols()), static_cast<int>(result.rows()), static_cast<int>(inner)},
        b.data(),
        GetStride(b),
        a.data(),
        GetStride(a),
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
    CallRowGemm<Scalar>(false, false, a.cols(), a, b, keep, result);
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
    CallRowGemm<Scalar>(true, false, a.rows(), a, b, keep, result);
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
    CallRowGemm<Scalar>(false, true, a.cols(), a, b, keep, result);
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
