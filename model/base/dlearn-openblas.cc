/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-openblas.h"

#include "dlearn-blas.h"

#include <cstdlib>

#ifdef DLEARN_WITH_OPENBLAS
extern "C"
{
    // Not part of OpenBLAS's interface, hence weak: only builds that choose at run time have
    // them, and it does not matter where they are missing.
    void gotoblas_dynamic_init() __attribute__((weak));
    void gotoblas_dynamic_quit() __attribute__((weak));
}
#endif

namespace ns3::dlearn
{

namespace
{

#ifdef DLEARN_WITH_OPENBLAS

/** @return what a processor that OpenBLAS does not know is like; nullptr to leave it as it is */
const char*
FindBetterCore()
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (std::string(openblas_get_corename()) != "Prescott")
    {
        return nullptr;
    }
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

bool
Prepare()
{
    constexpr const char* VARIABLE = "OPENBLAS_CORETYPE";
    const char* core = FindBetterCore();
    if (core != nullptr && std::getenv(VARIABLE) == nullptr && gotoblas_dynamic_init != nullptr &&
        gotoblas_dynamic_quit != nullptr)
    {
        setenv(VARIABLE, core, 1);
        gotoblas_dynamic_quit();
        gotoblas_dynamic_init();
        unsetenv(VARIABLE);
    }
    openblas_set_num_threads(1);
    return true;
}

/** At load, as long as there is one thread only that could read the environment. */
[[maybe_unused]] const bool g_prepared = (PrepareOpenBlas(), true);

#endif

} // namespace

void
PrepareOpenBlas()
{
#ifdef DLEARN_WITH_OPENBLAS
    [[maybe_unused]] static const bool once = Prepare();
#endif
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
