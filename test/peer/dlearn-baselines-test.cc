/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rule-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-dola.h"
#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-geometric-decay-laplace.h"
#include "ns3/dlearn-pdop.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

/** A of the baselines, I + W, with the weight of lost neighbours back on the diagonal. */
Eigen::MatrixXd
MixingMatrix(const Ring& ring)
{
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(Ring::LEARNERS, Ring::LEARNERS);
    for (LearnerId i = 0; i < Ring::LEARNERS; ++i)
    {
        double rest = 1;
        for (const auto& [j, weight] : ring.graph.GetInNeighbors(i))
        {
            if (ring.inboxes[i].Find(j, ModelChannel::STATE))
            {
                a(i, j) = weight;
                rest -= weight;
            }
        }
        a(i, i) = rest;
    }
    return a;
}

/** Drop some messages: others in every round, from round 3 on. */
void
Lose(Ring& ring, uint32_t round)
{
    if (round >= 3)
    {
        ring.inboxes[round % 5].arrivals.clear();
        ring.inboxes[(round + 1) % 5].arrivals.erase({(round + 2) % 5, ModelChannel::STATE});
    }
}

/** In every round: what was sent, the model before, the weights, then what must follow. */
template <typename Expect>
void
ExpectRounds(const TypeId& type, Expect expect)
{
    Ring ring(type);
    ring.Setup();
    for (uint32_t t = 0; t < 40; ++t)
    {
        const Eigen::MatrixXd theta = ring.GetModels();
        const Eigen::MatrixXd y = ring.Begin(t);
        Lose(ring, t);
        const Eigen::MatrixXd expected = expect(ring, t, theta, y, MixingMatrix(ring));
        ring.End();
        ASSERT_LT((ring.GetModels() - expected).cwiseAbs().maxCoeff(), 1e-12) << "round " << t;
        ASSERT_GT((y - theta).norm(), 0) << "there is noise";
    }
}

TEST(Dsgd, EqualsTheMatrixForm)
{
    ExpectRounds(Dsgd::GetTypeId(),
                 [](const Ring& ring,
                    uint32_t t,
                    const Eigen::MatrixXd& theta,
                    const Eigen::MatrixXd& y,
                    const Eigen::MatrixXd& a) {
                     const Eigen::MatrixXd half =
                         theta - 0.1 / std::sqrt(t + 1.0) * ring.Gradients(theta, false);
                     const Eigen::MatrixXd own = a.diagonal().asDiagonal();
                     return Eigen::MatrixXd(half * own + y * (a - own).transpose());
                 });
}

TEST(Dola, EqualsTheMatrixForm)
{
    ExpectRounds(Dola::GetTypeId(),
                 [](const Ring& ring,
                    uint32_t t,
                    const Eigen::MatrixXd& theta,
                    const Eigen::MatrixXd& y,
                    const Eigen::MatrixXd& a) {
                     return Eigen::MatrixXd(y * a.transpose() - 0.1 / std::sqrt(t + 1.0) *
                                                                    ring.Gradients(theta, false));
                 });
}

TEST(Pdop, EqualsTheMatrixForm)
{
    ExpectRounds(Pdop::GetTypeId(),
                 [](const Ring& ring,
                    uint32_t t,
                    const Eigen::MatrixXd&,
                    const Eigen::MatrixXd& y,
                    const Eigen::MatrixXd& a) {
                     const Eigen::MatrixXd z = y * a.transpose();
                     return Eigen::MatrixXd(z - 0.1 * std::pow(0.97, t) * ring.Gradients(z, false));
                 });
}

// DSGD's noise: what it sends is the half-step plus noise, and the first release already
// costs sqrt(3) * 0.1 * C / rho_0 with C = 2, rho_0 = 1.
TEST(Dsgd, FirstReleaseIsPriced)
{
    Ring ring(Dsgd::GetTypeId());
    ring.Setup();
    ring.Begin(0);
    ring.End();
    EXPECT_NEAR(ring.rules[0]->GetLedger()->GetEpsilon(), std::sqrt(3.0) * 0.1 * 2, 1e-15);
}

// PDOP over a lossless network: sqrt(d) C alpha_0 q^(t-1) / (b p^t) in round t.
TEST(Pdop, RoundsArePricedByTheirNewestStep)
{
    Ring ring(Pdop::GetTypeId());
    ring.Setup();
    double expected = 0;
    for (uint32_t t = 0; t < 20; ++t)
    {
        ring.Begin(t);
        ring.End();
        expected +=
            t == 0 ? 0
                   : std::sqrt(3.0) * 2 * 0.1 * std::pow(0.97, t - 1) / (0.5 * std::pow(0.98, t));
    }
    EXPECT_NEAR(ring.rules[3]->GetLedger()->GetEpsilon(), expected, 1e-12 * expected);
}

TEST(Pdop, WarnsWhenTheNoiseDecaysFasterThanTheStep)
{
    Ring ring(Pdop::GetTypeId());
    ring.rules[0]->SetAttribute("StepRatio", DoubleValue(0.99));
    ring.Setup();
    ASSERT_EQ(ring.rules[0]->GetWarnings().size(), 1U);
    EXPECT_EQ(ring.rules[0]->GetWarnings()[0],
              "q < p < 1 (PDOP): q = StepRatio = 0.99, p = Ratio of the noise = 0.98");
    EXPECT_TRUE(ring.rules[1]->GetWarnings().empty());
}

TEST(Pdop, RefusesStepRatioZero)
{
    Ring ring(Pdop::GetTypeId());
    ring.rules[0]->SetAttribute("StepRatio", DoubleValue(0));
    ExpectRefused([&] { ring.Setup(); }, "GeometricSchedule: Ratio must be in (0, 1], got 0");
}

} // namespace
