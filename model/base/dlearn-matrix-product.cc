/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-matrix-product.h"

#include <algorithm>
#ifdef DLEARN_WITH_OPENBLAS
#include <cblas.h>
#include <cstdlib>
#include <iostream>
#include <string>
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

void
AdviseOnCore()
{
    const char* better = nullptr;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    {
        better = "SkylakeX";
    }
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    {
        better = "Haswell";
    }
#endif
    if (better && std::string(openblas_get_corename()) == "Prescott" &&
        std::getenv("OPENBLAS_CORETYPE") == nullptr)
    {
        std::cerr << "dlearn: OpenBLAS does not know this processor and multiplies slowly; set "
                  << "OPENBLAS_CORETYPE=" << better << "\n";
    }
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
Multiply(RowMatrixRef<Scalar> a,
         RowMatrixRef<Scalar> b,
         Scalar keep,
         RowMatrixOut<Scalar> result,
         Transposed transposed)
{
    const bool first = transposed == Transposed::FIRST;
    const bool second = transposed == Transposed::SECOND;
#ifdef DLEARN_WITH_OPENBLAS
    PrepareOpenBlas();
    GEMM<Scalar>(CblasRowMajor,
                 first ? CblasTrans : CblasNoTrans,
                 second ? CblasTrans : CblasNoTrans,
                 static_cast<int>(result.rows()),
                 static_cast<int>(result.cols()),
                 static_cast<int>(first ? a.rows() : a.cols()),
                 1,
                 a.data(),
                 GetStride(a),
                 b.data(),
                 GetStride(b),
                 keep,
                 result.data(),
                 GetStride(result));
#else
    if (first)
    {
        Assign(a.transpose() * b, keep, result);
    }
    else if (second)
    {
        Assign(a * b.transpose(), keep, result);
    }
    else
    {
        Assign(a * b, keep, result);
    }
#endif
}

template void Multiply(RowMatrixRef<float>,
                       RowMatrixRef<float>,
                       float,
                       RowMatrixOut<float>,
                       Transposed);
template void Multiply(RowMatrixRef<double>,
                       RowMatrixRef<double>,
                       double,
                       RowMatrixOut<double>,
                       Transposed);

void
PrepareOpenBlas()
{
#ifdef DLEARN_WITH_OPENBLAS
    [[maybe_unused]] static const bool once = [] {
        openblas_set_num_threads(1);
        AdviseOnCore();
        return true;
    }();
#endif
}

} // namespace ns3::dlearn
