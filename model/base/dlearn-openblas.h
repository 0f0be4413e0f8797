/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OPENBLAS_H
#define DLEARN_OPENBLAS_H

#include <string>

namespace ns3::dlearn
{

/**
 * To be called before any function of OpenBLAS; does its work once in a process, and nothing
 * where dlearn was built without OpenBLAS.
 *
 * - OpenBLAS computes on the calling thread alone: dlearn's parallelism is above it.
 * - OpenBLAS takes a processor that is newer than itself for the oldest one that it knows,
 *   Prescott, and computes at a quarter of the speed. Where that happened although the processor
 *   has AVX-512 or AVX2, and the user has not chosen with OPENBLAS_CORETYPE, it chooses again,
 *   SkylakeX or Haswell.
 */
void PrepareOpenBlas();

/** @return who multiplies matrices: "OpenBLAS" and what it takes the processor for, or "Eigen" */
std::string DescribeMatrixLibrary();

} // namespace ns3::dlearn

#endif // DLEARN_OPENBLAS_H
