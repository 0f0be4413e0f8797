/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-optimizer.h"
#include "ns3/double.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

constexpr double ROUNDING = 1e-12; // of some tens of operations on numbers of order 1

/** @return an optimizer, as a user of a program writes it */
Ptr<Optimizer>
MakeOptimizer(const std::string& text)
{
    return ParseComponent(GetOptimizerFamily(), text).Create<Optimizer>();
}

/** @return the gradient in step k of one entry, of both signs and all sizes */
double
GetGradient(uint32_t k)
{
    return std::sin(3.0 * k + 1) * std::exp(std::cos(5.0 * k));
}

/** @return what 20 steps make of 0.5 and 5 with the gradients GetGradient() and twice these */
Eigen::Vector2d
Walk(const std::string& text)
{
    const auto optimizer = MakeOptimizer(text);
    Optimizer::State state;
    ModelVector model = Eigen::Vector2d(0.5, 5);
    for (uint32_t k = 0; k < 20; ++k)
    {
        const ModelVector gradient = Eigen::Vector2d(GetGradient(k), 2 * GetGradient(k));
        optimizer->MakeStep(k)(gradient, state, model);
    }
    EXPECT_EQ(state.steps, 20U) << text;
    return model;
}

/**
 * Expect that Walk() is what a recursion of one entry makes.
 * @param step returns the move in step k = 0, 1, ... along a gradient; begins anew when k = 0
 */
void
ExpectWalk(const std::string& text, const std::function<double(uint32_t k, double g)>& step)
{
    const Eigen::Vector2d end = Walk(text);
    for (uint32_t entry = 0; entry < 2; ++entry)
    {
        double model = entry == 0 ? 0.5 : 5;
        for (uint32_t k = 0; k < 20; ++k)
        {
            model += step(k, (entry + 1) * GetGradient(k));
        }
        EXPECT_NEAR(end[entry], model, ROUNDING) << text << " " << entry;
    }
}

TEST(Optimizer, SgdHasThreeForms)
{
    ExpectWalk("sgd", [](auto, double g) { return -0.1 * g; });
    double v = 0;
    ExpectWalk("sgd,momentum=0.9,learningrate=0.3", [&v](uint32_t k, double g) {
        v = k == 0 ? g : 0.9 * v + g;
        return -0.3 * v;
    });
    ExpectWalk("sgd,momentum=0.9,nesterov=true", [&v](uint32_t k, double g) {
        v = k == 0 ? g : 0.9 * v + g;
        return -0.1 * (g + 0.9 * v);
    });
}

// Kingma and Ba, Algorithm 1, with its defaults.
TEST(Optimizer, AdamIsThatOfKingmaAndBa)
{
    double m = 0;
    double v = 0;
    ExpectWalk("adam", [&](uint32_t k, double g) {
        m = 0.9 * (k == 0 ? 0 : m) + 0.1 * g;
        v = 0.999 * (k == 0 ? 0 : v) + 0.001 * g * g;
        const double mHat = m / (1 - std::pow(0.9, k + 1));
        const double vHat = v / (1 - std::pow(0.999, k + 1));
        return -0.001 * mHat / (std::sqrt(vHat) + 1e-8);
    });
}

// Reddi et al., Algorithm 2, with v_{-1} = tau^2.
TEST(Optimizer, ServersHaveThoseOfReddiAndOthers)
{
    constexpr double TAU = 1e-3;
    double m = 0;
    double v = 0;
    const auto begin = [&](uint32_t k) {
        m = k == 0 ? 0 : m;
        v = k == 0 ? TAU * TAU : v;
    };
    ExpectWalk("adam,beta2=0.99,epsilon=0.001,biascorrection=false,learningrate=0.1",
               [&](uint32_t k, double g) {
                   begin(k);
                   m = 0.9 * m + 0.1 * g;
                   v = 0.99 * v + 0.01 * g * g;
                   return -0.1 * m / (std::sqrt(v) + TAU);
               });
    ExpectWalk("yogi,beta2=0.99,learningrate=0.1", [&](uint32_t k, double g) {
        begin(k);
        m = 0.9 * m + 0.1 * g;
        const double sign = v > g * g ? 1 : v < g * g ? -1 : 0;
        v -= 0.01 * g * g * sign;
        return -0.1 * m / (std::sqrt(v) + TAU);
    });
    ExpectWalk("adagrad,epsilon=0.001,learningrate=0.1", [&](uint32_t k, double g) {
        begin(k);
        v += g * g;
        return -0.1 * g / (std::sqrt(v) + TAU);
    });
}

TEST(Optimizer, RefusesWhatIsOutOfRange)
{
    const auto check = [](const std::string& text) { MakeOptimizer(text)->Check("Owner", "Rate"); };
    ExpectRefused([&] { check("sgd,momentum=1"); },
                  "SgdOptimizer: Momentum must be in [0, 1), got");
    ExpectRefused([&] { check("adam,beta1=1"); }, "Beta1 must be in [0, 1), got 1");
    ExpectRefused([&] { check("adam,beta2=1"); }, "AdamOptimizer: Beta2 must be in [0, 1), got 1");
    ExpectRefused([&] { check("yogi,beta2=1"); }, "YogiOptimizer: Beta2 must be in [0, 1), got 1");
    ExpectRefused([&] { check("adagrad,epsilon=0"); }, "Epsilon must be finite and greater than 0");
    ExpectRefused([&] { check("sgd,learningrate=0"); }, "Owner: Rate must be finite and greater");
}

/** All optimizers of the library. */
class EveryOptimizer : public testing::TestWithParam<std::string>
{
  protected:
    /** @return the model after steps from (1, -2) along fixed gradients */
    ModelVector Go(uint32_t steps, Optimizer::State& state, double rate = 0.01) const
    {
        const auto optimizer = MakeOptimizer(GetParam());
        optimizer->SetAttribute("LearningRate", DoubleValue(rate));
        EXPECT_NO_THROW(optimizer->Check("Owner", "Rate"));
        ModelVector model = Eigen::Vector2d(1, -2);
        for (uint32_t k = 0; k < steps; ++k)
        {
            optimizer->MakeStep(0)(Eigen::Vector2d(3, -1), state, model);
        }
        return model;
    }
};

TEST_P(EveryOptimizer, GoesDownByWhatTheRateSays)
{
    Optimizer::State one;
    Optimizer::State other;
    const ModelVector move = Go(1, one) - Eigen::Vector2d(1, -2);
    EXPECT_LT(move[0], 0);
    EXPECT_GT(move[1], 0);
    const ModelVector twice = Go(1, other, 0.02) - Eigen::Vector2d(1, -2);
    EXPECT_LT((twice - 2 * move).norm(), ROUNDING);
}

TEST_P(EveryOptimizer, HasNoStateButTheOneItIsGiven)
{
    Optimizer::State state;
    Go(3, state);
    EXPECT_EQ(state.steps, 3U);
    Optimizer::State copy = state;
    const ModelVector next = Go(2, state);
    EXPECT_EQ(Go(2, copy), next);
    Optimizer::State anew;
    Optimizer::State again;
    EXPECT_EQ(Go(3, anew), Go(3, again));
}

TEST_P(EveryOptimizer, StaysWhereThereIsNoGradient)
{
    Optimizer::State state;
    ModelVector model = Eigen::Vector2d(1, -2);
    MakeOptimizer(GetParam())->MakeStep(0)(Eigen::Vector2d(0, 0), state, model);
    EXPECT_EQ(model, Eigen::Vector2d(1, -2));
}

TEST_P(EveryOptimizer, FollowsItsSchedule)
{
    const auto optimizer = MakeOptimizer(
        GetParam() + ",stepschedule=ns3::dlearn::StepDecaySchedule[Initial=0.5|Rounds=2]");
    EXPECT_EQ(optimizer->GetSchedule().Get(1), 0.5);
    ModelVector late = Eigen::Vector2d(0, 0);
    ModelVector early = late;
    Optimizer::State state;
    Optimizer::State other;
    optimizer->MakeStep(1)(Eigen::Vector2d(3, -1), state, early);
    optimizer->MakeStep(2)(Eigen::Vector2d(3, -1), other, late);
    EXPECT_LT((late - 0.1 * early).norm(), ROUNDING);
}

INSTANTIATE_TEST_SUITE_P(Optimizer,
                         EveryOptimizer,
                         testing::ValuesIn(GetComponentNames(GetOptimizerFamily())));

} // namespace
} // namespace ns3::dlearn
