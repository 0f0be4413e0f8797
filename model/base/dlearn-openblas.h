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
 * - What AdviseOpenBlas() says is printed on standard error.
 */
void PrepareOpenBlas();

/**
 * OpenBLAS takes a processor that is newer than itself for the oldest one that it knows, Prescott,
 * and computes two to three times slower than it could.
 *
 * @param core what OpenBLAS takes the processor for
 * @return one line that names the setting that helps; empty when the processor cannot do more, or
 *         when the user has chosen by the environment variable OPENBLAS_CORETYPE
 */
std::string AdviseOpenBlas(const std::string& core);

/** @return who multiplies matrices: "OpenBLAS" and what it takes the processor for, or "Eigen" */
std::string DescribeMatrixLibrary();

} // namespace ns3::dlearn

#endif // DLEARN_OPENBLAS_H
