/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SCALED_ERFC_H
#define DLEARN_SCALED_ERFC_H

#include <cmath>

namespace ns3::dlearn
{

/**
 * The scaled complementary error function, which neither over- nor underflows.
 *
 * @param x at least -1
 * @return exp(x^2) erfc(x), with a relative error below 1e-14
 */
inline double
ScaledErfc(double x)
{
    if (x < 5)
    {
        return std::exp(x * x) * std::erfc(x);
    }
    // Laplace's continued fraction 1/sqrt(pi) 1/(x + (1/2)/(x + (2/2)/(x + ...))), which needs
    // the fewer terms the larger x is; 40 are enough from 5 on.
    double denominator = x;
    for (int k = 40; k > 0; --k)
    {
        denominator = x + 0.5 * k / denominator;
    }
    return 1 / (std::sqrt(M_PI) * denominator);
}

} // namespace ns3::dlearn

#endif // DLEARN_SCALED_ERFC_H
