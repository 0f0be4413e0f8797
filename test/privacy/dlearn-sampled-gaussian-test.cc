/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-sampled-gaussian.h"
#include "ns3/dlearn-types.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

TEST(SampledGaussianRdp, AgreesWithFortyDigits)
{
    // Computed with mpmath at 40 digits: exact sums at integer orders, quadrature at others.
    // 1e-10 is what the header promises.
    struct Row
    {
        double sampling;
        double multiplier;
        double order;
        double rdp;
    };

    const Row rows[] = {
        {0.001, 0.7, 1.1, 3.6206689629662725e-06},
        {0.001, 0.7, 63, 57.26654359900664},
        {0.001, 1, 16, 0.6320600079259339},
        {0.001, 2, 128, 9.037852947183982},
        {0.001, 4, 32, 1.0339541043140594e-06},
        {0.01, 0.7, 2.5, 0.0009098691962844775},
        {0.01, 0.7, 63, 59.60626716124252},
        {0.01, 1, 63, 26.82055287552823},
        {0.01, 4, 1.5, 4.8354931756331885e-06},
        {0.01, 4, 32, 0.00010526360659081726},
        {0.1, 0.7, 10.9, 8.587279550423894},
        {0.1, 1, 10.9, 2.9153295564869475},
        {0.1, 2, 10.9, 0.021168934477355194},
        {0.1, 4, 2, 0.0006447367017961317},
        {0.5, 0.7, 2, 0.983658666166728},
        {0.5, 1, 3, 0.696889118598044},
        {0.5, 2, 10.9, 0.7001274654610443},
        {0.5, 4, 63, 1.286211544328529},
    };
    for (const Row& r : rows)
    {
        const double rdp = SampledGaussianRdp(r.sampling, r.multiplier, r.order);
        EXPECT_NEAR(rdp / r.rdp, 1, 1e-10) << r.sampling << " " << r.multiplier << " " << r.order;
    }
}

/** The defining integral by Simpson's rule: E over N(0, sigma^2) of (mixture/noise)^a. */
double
RdpBySimpson(double sampling, double sigma, double order)
{
    const double low = -15 * sigma;
    const double high = order + 15 * sigma;
    const int intervals = 200000;
    const double step = (high - low) / intervals;
    double sum = 0;
    for (int i = 0; i <= intervals; ++i)
    {
        const double z = low + i * step;
        const double ratio = 1 - sampling + sampling * std::exp((2 * z - 1) / (2 * sigma * sigma));
        const double value = std::exp(order * std::log(ratio) - z * z / (2 * sigma * sigma));
        sum += value * (i == 0 || i == intervals ? 1 : 2 + 2 * (i % 2));
    }
    return std::log(sum * step / 3 / (sigma * std::sqrt(2 * M_PI))) / (order - 1);
}

TEST(SampledGaussianRdp, IsItsIntegral)
{
    // Simpson's rule in plain doubles: 1e-13 of a moment near 1, hence 1e-12 / (order - 1).
    for (double sampling : {0.003, 0.05, 0.3, 0.5, 0.7, 0.99})
    {
        for (double sigma : {0.6, 1.0, 3.0, 20.0})
        {
            for (double order : {1.2, 1.9, 2.0, 3.5, 7.0, 20.25})
            {
                EXPECT_NEAR(SampledGaussianRdp(sampling, sigma, order),
                            RdpBySimpson(sampling, sigma, order),
                            1e-12 / (order - 1) * (1 + 10 * order / sigma))
                    << sampling << " " << sigma << " " << order;
            }
        }
    }
}

TEST(SampledGaussianRdp, EndsOfItsRange)
{
    EXPECT_EQ(SampledGaussianRdp(0, 0, 2), 0);
    EXPECT_EQ(SampledGaussianRdp(0.5, 0, 2), INFINITE);
    EXPECT_EQ(SampledGaussianRdp(0.5, 1e-200, 2.5), INFINITE);
    EXPECT_EQ(SampledGaussianRdp(0.5, INFINITE, 2.5), 0);
    EXPECT_EQ(SampledGaussianRdp(0.5, 1e200, 2.5), 0);
    EXPECT_DOUBLE_EQ(SampledGaussianRdp(1, 2, 5), 0.625);
    // Never NaN or negative, monotone in the order, continuous at integers, below no sampling.
    for (double sampling : {1e-12, 1e-4, 0.2, 0.5, 0.9, 1 - 1e-12})
    {
        for (double sigma : {1e-5, 0.01, 0.3, 5.0, 1e4})
        {
            double before = 0;
            for (double order : {1.0001, 1.1, 1.999999999, 2.0, 2.000000001, 17.3, 63.0})
            {
                const double rdp = SampledGaussianRdp(sampling, sigma, order);
                EXPECT_GE(rdp, before * (1 - 1e-9)) << sampling << " " << sigma << " " << order;
                EXPECT_LE(rdp, order / (2 * sigma * sigma) * (1 + 1e-9));
                before = rdp;
            }
            EXPECT_NEAR(SampledGaussianRdp(sampling, sigma, 2.000000001) /
                            SampledGaussianRdp(sampling, sigma, 2),
                        1,
                        1e-6);
        }
    }
}

TEST(SampledGaussianRdp, RefusesWhatMakesNoSense)
{
    ExpectRefused([] { SampledGaussianRdp(1.5, 1, 2); },
                  "SampledGaussianRdp: sampling must be in [0, 1], got 1.5");
    ExpectRefused([] { SampledGaussianRdp(0.5, -1, 2); }, "multiplier must be at least 0, got -1");
    ExpectRefused([] { SampledGaussianRdp(0.5, std::nan(""), 2); }, "got nan");
    ExpectRefused([] { SampledGaussianRdp(0.5, 1, 1); }, "order must be in (1, 10000], got 1");
    ExpectRefused([] { SampledGaussianRdp(0.5, 1, INFINITE); },
                  "order must be in (1, 10000], got inf");
}

} // namespace
