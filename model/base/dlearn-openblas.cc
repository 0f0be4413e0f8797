/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-openblas.h"

#include <cstdlib>
#include <iostream>

#ifdef DLEARN_WITH_OPENBLAS
#include <cblas.h>
#endif

namespace ns3::dlearn
{

namespace
{

/** @return the most capable kind of processor of OpenBLAS's that this one is; null for none */
const char*
FindBetterCore()
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    {
        return "SkylakeX";
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    {
        return "Haswell";
    }
#endif
    return nullptr;
}

} // namespace

void
PrepareOpenBlas()
{
#ifdef DLEARN_WITH_OPENBLAS
    [[maybe_unused]] static const bool once = [] {
        openblas_set_num_threads(1);
        std::cerr << AdviseOpenBlas(openblas_get_corename());
        return true;
    }();
#endif
}

std::string
AdviseOpenBlas(const std::string& core)
{
    constexpr const char* VARIABLE = "OPENBLAS_CORETYPE";
    const char* const better = FindBetterCore();
    if (core != "Prescott" || better == nullptr || std::getenv(VARIABLE) != nullptr)
    {
        return "";
    }
    return std::string(
               "dlearn: OpenBLAS does not know this processor and multiplies slowly; set ") +
           VARIABLE + "=" + better + "\n";
}

std::string
DescribeMatrixLibrary()
{
#ifdef DLEARN_WITH_OPENBLAS
    PrepareOpenBlas();
    return std::string("OpenBLAS (") + openblas_get_corename() + ")";
#else
    return "Eigen";
#endif
}

} // namespace ns3::dlearn
