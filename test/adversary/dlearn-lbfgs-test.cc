/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-gradient-inversion.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** 50 of Rosenbrock's valleys side by side; the minimum is 0, where all numbers are 1. */
double
Rosenbrock(ConstVectorRef x, VectorRef gradient)
{
    double value = 0;
    for (Eigen::Index k = 0; k < x.size(); k += 2)
    {
        const double a = 1 - x[k];
        const double b = x[k + 1] - x[k] * x[k];
        value += a * a + 100 * b * b;
        gradient[k] = -2 * a - 400 * x[k] * b;
        gradient[k + 1] = 200 * b;
    }
    return value;
}

/** With liblbfgs; what there is without is another test. */
class Lbfgs : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!HasLbfgs())
        {
            GTEST_SKIP() << "built without liblbfgs";
        }
    }
};

TEST_F(Lbfgs, FindsAKnownMinimum)
{
    const Eigen::VectorXd start = Eigen::VectorXd::Constant(100, -1.2);
    const LbfgsResult result = MinimizeLbfgs(&Rosenbrock, start, 1000, 1e-10);
    EXPECT_TRUE(result.converged);
    EXPECT_LT((result.point.array() - 1).abs().maxCoeff(), 1e-6);
    EXPECT_LT(result.value, 1e-12);
    EXPECT_GT(result.evaluations, 10U);
    const LbfgsResult there = MinimizeLbfgs(&Rosenbrock, Eigen::VectorXd::Ones(100), 1000, 1e-10);
    EXPECT_TRUE(there.converged);
    EXPECT_EQ(there.value, 0);
}

TEST_F(Lbfgs, EndsEarlyWithTheBestSoFar)
{
    const Eigen::VectorXd start = Eigen::VectorXd::Constant(100, -1.2);
    Eigen::VectorXd unused(100);
    const LbfgsResult result = MinimizeLbfgs(&Rosenbrock, start, 3, 1e-10);
    EXPECT_FALSE(result.converged);
    EXPECT_LT(result.value, Rosenbrock(start, unused));
    EXPECT_EQ(result.value, Rosenbrock(result.point, unused));
}

TEST_F(Lbfgs, AKinkIsWhereItEnds)
{
    const auto corner = [](ConstVectorRef x, VectorRef gradient) {
        gradient = x.cwiseSign();
        return x.cwiseAbs().sum();
    };
    const LbfgsResult result =
        MinimizeLbfgs(corner, Eigen::VectorXd::LinSpaced(7, 0.1, 3), 100, 1e-10);
    EXPECT_LT(result.value, 7 * 3.1 / 2);
    EXPECT_EQ(result.value, result.point.cwiseAbs().sum());
}

TEST_F(Lbfgs, ThrowsWhatTheFunctionThrows)
{
    uint32_t calls = 0;
    const auto fails = [&calls](ConstVectorRef x, VectorRef gradient) -> double {
        if (++calls == 5)
        {
            throw std::domain_error("enough");
        }
        return Rosenbrock(x, gradient);
    };
    ExpectRefused<std::domain_error>(
        [&] { MinimizeLbfgs(fails, Eigen::VectorXd::Zero(4), 100, 1e-10); },
        "enough");
    EXPECT_EQ(calls, 5U); // not asked again
}

TEST_F(Lbfgs, StaysWhereValuesAreFinite)
{
    const auto wall = [](ConstVectorRef x, VectorRef gradient) {
        gradient[0] = 1 - 1 / x[0];
        return x[0] - std::log(x[0]); // NaN beyond the wall at 0, least at 1
    };
    const LbfgsResult result = MinimizeLbfgs(wall, Eigen::VectorXd::Constant(1, 50), 100, 1e-10);
    EXPECT_NEAR(result.point[0], 1, 1e-6);
}

TEST_F(Lbfgs, RefusesWhatItCanNotDo)
{
    const Eigen::VectorXd start = Eigen::VectorXd::Zero(2);
    ExpectRefused([&] { MinimizeLbfgs(&Rosenbrock, start, 0, 1e-3); },
                  "MinimizeLbfgs: iterations must be from 1 to 2147483647, got 0");
    ExpectRefused([&] { MinimizeLbfgs(&Rosenbrock, start, 5, 0); },
                  "MinimizeLbfgs: tolerance must be finite and greater than 0, got 0");
    ExpectRefused([&] { MinimizeLbfgs(&Rosenbrock, start.array() / 0, 5, 1e-3); },
                  "MinimizeLbfgs: start must be finite numbers");
    const auto undefined = [](ConstVectorRef, VectorRef) { return std::nan(""); };
    ExpectRefused([&] { MinimizeLbfgs(undefined, start, 5, 1e-3); },
                  "MinimizeLbfgs: the value must be finite at the start");
}

TEST(LbfgsLibrary, WithoutItTheMessageSaysHowToGetIt)
{
    if (HasLbfgs())
    {
        GTEST_SKIP() << "built with liblbfgs";
    }
    ExpectRefused<std::runtime_error>(
        [] { MinimizeLbfgs(&Rosenbrock, Eigen::VectorXd::Zero(2), 5, 1e-3); },
        "apt-get install liblbfgs-dev");
}

} // namespace
} // namespace ns3::dlearn
