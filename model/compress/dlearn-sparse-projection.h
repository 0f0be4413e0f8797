/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SPARSE_PROJECTION_H
#define DLEARN_SPARSE_PROJECTION_H

#include "ns3/dlearn-types.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A random matrix A with s rows and d columns of length 1, s < d, which projects sparse vectors,
 * and the recovery of a sparse x from y = A x and noise. A = sqrt(n / s) R H S: random signs S, the
 * orthonormal Walsh-Hadamard transform H of the next power of two n >= d, and R, which keeps s
 * random rows. A product takes n log n operations and no more memory than 2 n numbers.
 */
class SparseProjection
{
  public:
    /**
     * @param entries d, at least 1
     * @param rows s, from 1 to d
     * @param random uniform random numbers, n + s are drawn
     */
    SparseProjection(uint32_t entries, uint32_t rows, UniformRandomVariable& random);

    /** @param sparse x, of d entries @return A x */
    ModelVector Apply(ConstVectorRef sparse) const;

    /**
     * Approximate message passing with soft thresholds (Donoho, Maleki and Montanari, PNAS 2009):
     *
     *   x <- eta(x + A^T z, tau ||z|| / sqrt(s)),   z <- y - A x + z ||x||_0 / s,
     *
     * where tau is the one with which most entries can be recovered at the given s / d, as
     * GetThreshold() says.
     *
     * @param received y, of s entries
     * @return x after 100 iterations, or earlier when they change it by less than 1e-9
     */
    ModelVector Recover(ConstVectorRef received) const;

    /**
     * The maximum over tau of rho = (1 - 2 m / delta) / (1 + tau^2 - 2 m), with m = (1 + tau^2)
     * Phi(-tau) - tau phi(tau): without noise, up to rho s entries are recovered (the same paper,
     * equation 5, for a matrix of independent normal numbers and s, d to infinity).
     *
     * @param delta s / d, in (0, 1]
     * @return tau, to 0.01, and rho
     */
    static std::pair<double, double> GetThreshold(double delta);

  private:
    /** @param vector of n entries, is transformed by H */
    static void Transform(ModelVector& vector);

    uint32_t m_entries;           //!< d
    ModelVector m_signs;          //!< of n entries
    std::vector<uint32_t> m_rows; //!< s of n
    double m_scale;               //!< sqrt(n / s)
};

} // namespace ns3::dlearn

#endif // DLEARN_SPARSE_PROJECTION_H
