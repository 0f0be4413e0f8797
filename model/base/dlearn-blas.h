/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BLAS_H
#define DLEARN_BLAS_H

/**
 * @file
 * The BLAS's own names, for sources that are built with one. Private to the library and its
 * benchmarks. Eigen could call them too (EIGEN_USE_BLAS), but then its templates would differ
 * between the source files of one library.
 */

#ifdef DLEARN_WITH_OPENBLAS
extern "C"
{
    void sgemm_(const char* transposedA,
                const char* transposedB,
                const int* m,
                const int* n,
                const int* k,
                const float* alpha,
                const float* a,
                const int* aStride,
                const float* b,
                const int* bStride,
                const float* beta,
                float* c,
                const int* cStride);
    void dgemm_(const char* transposedA,
                const char* transposedB,
                const int* m,
                const int* n,
                const int* k,
                const double* alpha,
                const double* a,
                const int* aStride,
                const double* b,
                const int* bStride,
                const double* beta,
                double* c,
                const int* cStride);
    void ssyrk_(const char* triangle,
                const char* transposed,
                const int* n,
                const int* k,
                const float* alpha,
                const float* a,
                const int* aStride,
                const float* beta,
                float* c,
                const int* cStride);
    void dsyrk_(const char* triangle,
                const char* transposed,
                const int* n,
                const int* k,
                const double* alpha,
                const double* a,
                const int* aStride,
                const double* beta,
                double* c,
                const int* cStride);
    void openblas_set_num_threads(int threads);
    char* openblas_get_corename();
}
#endif

#endif // DLEARN_BLAS_H
