/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * DP-GT against its matrix form, its invariant and its rate, and what a lossy network does to
 * it. No network takes part; test/system has that.
 */

#include "dlearn-tracking-fixture.h"

#include "ns3/config.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-ledger.h"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

/** diag(W 1) - W, or diag(1^T W) - W. */
Eigen::MatrixXd
Laplacian(const Graph& graph, bool in)
{
    const Eigen::Index n = graph.GetSize();
    Eigen::MatrixXd weights(n, n);
    for (LearnerId i = 0; i < n; ++i)
    {
        for (LearnerId j = 0; j < n; ++j)
        {
            weights(i, j) = graph.GetWeight(i, j);
        }
    }
    const Eigen::VectorXd sums =
        in ? weights.rowwise().sum() : weights.colwise().sum().transpose().eval();
    return Eigen::MatrixXd(sums.asDiagonal()) - weights;
}

TEST(GradientTracking, KeepsTheInvariantOverUnevenGraphs)
{
    TrackingLab lab(UnevenStates(), UnevenTrackers(), 4, 9);
    lab.factory.Set("Samples", UintegerValue(3));
    lab.Setup();
    for (uint32_t k = 0; k < 200; ++k)
    {
        lab.Begin(k);
        EXPECT_LE(lab.GetSurplus().cwiseAbs().maxCoeff(), 1e-12) << "after Send() of round " << k;
        lab.End();
        EXPECT_LE(lab.GetSurplus().cwiseAbs().maxCoeff(), 1e-12) << "after round " << k;
    }
}

/**
 * Eqs. (7) and (8) with matrices, one row a learner, with noise and sampling. The noise enters
 * through the neighbours only, as in Algorithm 1: off-diagonal parts of L_1 and L_2. (With their
 * diagonals, as printed, the learners would add their own noise to themselves too.)
 */
TEST(GradientTracking, EqualsTheCompactForm)
{
    const uint32_t samples = 5;
    TrackingLab lab(UnevenStates(), UnevenTrackers(), 4, 9);
    lab.SetNoise(KnownNoise::GetTypeId());
    lab.factory.Set("Samples", UintegerValue(samples));
    lab.factory.Set("Alpha", DoubleValue(0.4));
    lab.factory.Set("Beta", DoubleValue(0.6));
    lab.factory.Set("Gamma", DoubleValue(0.02));
    lab.Setup();

    const Eigen::Index n = 5;
    const Eigen::Index d = 4;
    const Eigen::MatrixXd first = Laplacian(lab.states, true);
    const Eigen::MatrixXd second = Laplacian(lab.trackers, false);
    Eigen::MatrixXd firstOff = first;
    Eigen::MatrixXd secondOff = second;
    firstOff.diagonal().setZero();
    secondOff.diagonal().setZero();
    std::vector<Ptr<SampleStream>> streams;
    Eigen::MatrixXd x(n, d);
    for (LearnerId i = 0; i < n; ++i)
    {
        streams.push_back(lab.MakeStream(i));
        x.row(i) = lab.GetContext(i).initialModel.transpose();
    }
    Eigen::MatrixXd y;
    Eigen::MatrixXd g;
    const auto gradients = [&](uint32_t round) {
        Eigen::MatrixXd result(n, d);
        for (LearnerId i = 0; i < n; ++i)
        {
            const auto drawn = streams[i]->DrawDistinct(round, samples);
            EXPECT_EQ(drawn.size(), samples);
            const auto [hessian, right] = lab.GetNormalEquations(drawn);
            result.row(i) = (hessian * x.row(i).transpose() - right).transpose();
        }
        return result;
    };
    g = gradients(0);
    y = g;
    const uint32_t rounds = 100;
    for (uint32_t k = 0; k < rounds; ++k)
    {
        Eigen::MatrixXd zeta(n, d);
        Eigen::MatrixXd eta(n, d);
        for (Eigen::Index i = 0; i < n; ++i)
        {
            for (Eigen::Index e = 0; e < d; ++e)
            {
                zeta(i, e) = KnownNoise::Wave(static_cast<double>(i), k, e);
                eta(i, e) = KnownNoise::Wave(100.0 + static_cast<double>(i), k, e);
            }
        }
        const Eigen::MatrixXd next = x - 0.4 * (first * x + firstOff * zeta) - 0.02 * y;
        y = y - 0.6 * (second * y + secondOff * eta);
        x = next;
        const Eigen::MatrixXd drawn = gradients(k + 1);
        y += drawn - g;
        g = drawn;
    }
    lab.Run(0, rounds - 1);
    lab.Begin(rounds);
    for (LearnerId i = 0; i < n; ++i)
    {
        EXPECT_LE((lab.rules[i]->GetModel() - x.row(i).transpose()).norm(), 1e-10 * x.norm());
        EXPECT_LE((lab.rules[i]->GetTracker() - y.row(i).transpose()).norm(), 1e-10 * y.norm());
    }
}

/**
 * Noise-free, full gradients: (x, y) moves by one matrix M. The invariant gives it d eigenvalues
 * 1 that never show; the next largest modulus is the rate of convergence.
 */
TEST(GradientTracking, ConvergesAtTheRateOfTheIterationMatrix)
{
    TrackingLab lab(UnevenStates(), UnevenTrackers(), 3, 12);
    lab.Setup();
    const Eigen::Index n = 5;
    const Eigen::Index d = 3;
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
    const auto lift = [&](const Eigen::MatrixXd& small) {
        Eigen::MatrixXd large(n * d, n * d);
        for (Eigen::Index i = 0; i < n; ++i)
        {
            for (Eigen::Index j = 0; j < n; ++j)
            {
                large.block(i * d, j * d, d, d) = small(i, j) * identity;
            }
        }
        return large;
    };
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd a = lift(one - 0.5 * Laplacian(lab.states, true));
    const Eigen::MatrixXd b = lift(one - 0.5 * Laplacian(lab.trackers, false));
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(n * d, n * d);
    for (LearnerId i = 0; i < n; ++i)
    {
        h.block(i * d, i * d, d, d) = lab.GetNormalEquations(lab.shards[i]).first;
    }
    const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(n * d, n * d);
    Eigen::MatrixXd iteration(2 * n * d, 2 * n * d);
    iteration << a, -0.05 * all, h * (a - all), b - 0.05 * h;
    Eigen::VectorXd moduli = iteration.eigenvalues().cwiseAbs();
    std::sort(moduli.data(), moduli.data() + moduli.size(), std::greater<double>());
    for (Eigen::Index k = 0; k < d; ++k)
    {
        ASSERT_NEAR(moduli[k], 1, 1e-6); // defective eigenvalues are known to half the digits
    }
    const double rate = moduli[d];
    ASSERT_LT(rate, 0.99);

    // The square of the gradient's norm falls by rate^2 a round; measured over as many rounds as
    // it takes to fall by 1e-12, of which a changing direction costs less than 3 %.
    lab.Run(0, 99);
    const double before = lab.GetError();
    const auto rounds = static_cast<uint32_t>(std::log(1e-12) / (2 * std::log(rate)));
    lab.Run(100, 99 + rounds);
    const double measured = std::log(lab.GetError() / before) / rounds;
    EXPECT_NEAR(measured / (2 * std::log(rate)), 1, 0.03);
    lab.Run(100 + rounds, 100 + 3 * rounds);
    EXPECT_LT(lab.GetError(), 1e-20);
}

/** The study of the issue: eight learners, exponential graph, d = 20, loss 0, 0.1, 0.2, 0.3. */
double
LossyError(const char* compensation, double loss)
{
    TrackingLab lab(ExponentialGraph(8), ExponentialGraph(8), 20, 30);
    lab.factory.Set("LossCompensation", TypeIdValue(TypeId::LookupByName(compensation)));
    lab.Setup();
    lab.Run(0, 1499, loss);
    return lab.GetError();
}

TEST(GradientTracking, RunningSumSurvivesLossAndNoneStalls)
{
    // Without loss both are exact to rounding: gradients of order 10 in double precision.
    EXPECT_LT(LossyError("ns3::dlearn::NoCompensation", 0), 1e-26);
    EXPECT_LT(LossyError("ns3::dlearn::RunningSum", 0), 1e-26);
    for (const double loss : {0.1, 0.2, 0.3})
    {
        EXPECT_GT(LossyError("ns3::dlearn::NoCompensation", loss), 1e-2) << loss;
        EXPECT_LT(LossyError("ns3::dlearn::RunningSum", loss), 1e-26) << loss;
    }
}

/** Every kind of trouble at once must delay mass, not destroy it. */
TEST(GradientTracking, RunningSumKeepsTheInvariantThroughEverything)
{
    TrackingLab lab(UnevenStates(), UnevenTrackers(), 4, 9);
    lab.factory.Set("LossCompensation", TypeIdValue(RunningSum::GetTypeId()));
    lab.factory.Set("Samples", UintegerValue(4));
    lab.Setup();
    std::mt19937 engine(3);
    std::uniform_real_distribution<double> chance;
    std::vector<bool> down(5, false);
    double mostUnderWay = 0;
    for (uint32_t k = 0; k < 300; ++k)
    {
        lab.inboxes.assign(5, Inbox());
        for (LearnerId i = 0; i < 5; ++i)
        {
            down[i] = chance(engine) < 0.1; // sits the round out
            if (!down[i])
            {
                lab.Begin(k, i);
            }
        }
        for (LearnerId i = 0; i < 5; ++i)
        {
            Inbox& inbox = lab.inboxes[i];
            for (auto arrival = inbox.arrivals.begin(); arrival != inbox.arrivals.end();)
            {
                const double fate = chance(engine);
                if (fate < 0.3)
                {
                    arrival->second.present = {true, fate < 0.1, false, fate < 0.2};
                    for (Eigen::Index e = 0; e < 4; ++e)
                    {
                        arrival->second.values[e] *= arrival->second.present[e] ? 1 : 0;
                    }
                }
                arrival = fate > 0.8 ? inbox.arrivals.erase(arrival) : std::next(arrival);
            }
        }
        for (LearnerId i = 0; i < 5; ++i)
        {
            const double fate = chance(engine);
            if (!down[i] && fate < 0.05)
            {
                lab.rules[i]->Abandon(true); // crashed after its messages had left
            }
            else if (!down[i] && fate > 0.05)
            {
                lab.EndAndNote(i);
            }
        }
        const Eigen::VectorXd surplus = lab.GetSurplus();
        EXPECT_LE((surplus + lab.GetUnderWay()).cwiseAbs().maxCoeff(), 1e-12) << k;
        mostUnderWay = std::max(mostUnderWay, surplus.norm());
    }
    EXPECT_GT(mostUnderWay, 1) << "nothing was ever under way";
}

TEST(GradientTracking, WhatNeverLeftTheNodeStays)
{
    for (const TypeId& type : {NoCompensation::GetTypeId(), RunningSum::GetTypeId()})
    {
        TrackingLab lab(UnevenStates(), UnevenTrackers(), 4, 9);
        lab.factory.Set("LossCompensation", TypeIdValue(type));
        lab.Setup();
        for (uint32_t k = 0; k < 40; ++k)
        {
            const LearnerId mute = k % 5;
            lab.Begin(k);
            for (Inbox& inbox : lab.inboxes)
            {
                inbox.arrivals.erase({mute, ModelChannel::STATE});
                inbox.arrivals.erase({mute, ModelChannel::TRACKER});
            }
            lab.inboxes[mute].transmitted = false;
            lab.End();
            EXPECT_LE(lab.GetSurplus().norm(), 1e-11) << type.GetName() << " " << k;
        }
        // A crash between Send() and EndRound(): c = 0.9 for learner 0, beta = 0.5.
        lab.Begin(40);
        const ModelVector tracker = lab.rules[0]->GetTracker();
        lab.rules[0]->Abandon(false);
        EXPECT_EQ(lab.rules[0]->GetTracker(), tracker);
        lab.rules[0]->Abandon(true);
        EXPECT_EQ(lab.rules[0]->GetTracker(), tracker) << "settled already";
        lab.Begin(41, 0);
        const ModelVector sent = lab.rules[0]->GetTracker();
        lab.rules[0]->BeginRound(42); // whether it left was not reported: it counts as sent
        EXPECT_LE((lab.rules[0]->GetTracker() - 0.55 * sent).norm(), 1e-14 * sent.norm());
    }
}

TEST(GradientTracking, StandInsBringNoMassTwice)
{
    for (const TypeId& type : {NoCompensation::GetTypeId(), RunningSum::GetTypeId()})
    {
        TrackingLab lab(UnevenStates(), UnevenTrackers(), 4, 9);
        lab.factory.Set("LossCompensation", TypeIdValue(type));
        lab.Setup();
        lab.Begin(0);
        const Arrival old = *lab.inboxes[0].Find(1, ModelChannel::TRACKER);
        const Arrival state = *lab.inboxes[0].Find(4, ModelChannel::STATE);
        lab.End();
        lab.Begin(1);
        Inbox with = lab.inboxes[0];
        Inbox without = lab.inboxes[0];
        with.arrivals[{1, ModelChannel::TRACKER}] = old;
        without.arrivals.erase({1, ModelChannel::TRACKER});
        with.arrivals[{4, ModelChannel::STATE}] = state;
        // The same learner once more, in the same state.
        TrackingLab twin(UnevenStates(), UnevenTrackers(), 4, 9);
        twin.factory.Set("LossCompensation", TypeIdValue(type));
        twin.Setup();
        twin.Run(0, 0);
        twin.Begin(1);
        const ModelVector before = lab.rules[0]->GetModel();
        const ModelVector tracker = lab.rules[0]->GetTracker();
        lab.rules[0]->EndRound(with);
        twin.rules[0]->EndRound(without);
        EXPECT_EQ(lab.rules[0]->GetTracker(), twin.rules[0]->GetTracker()) << type.GetName();
        // A state that stands in counts as received: R_04 = 1, alpha = 0.5, gamma = 0.05.
        EXPECT_LE((lab.rules[0]->GetModel() - (0.5 * before + 0.5 * state.values - 0.05 * tracker))
                      .norm(),
                  1e-14);
    }
}

/** Rules with Laplace noise and a ledger; clipping bounds the gradients. */
class PrivateTracking : public testing::Test
{
  protected:
    PrivateTracking()
        : lab(UnevenStates(), UnevenTrackers(), 4, 9)
    {
        lab.task->SetAttribute("ClipNorm", DoubleValue(0.5));
        lab.SetNoise(LaplaceMechanism::GetTypeId());
        lab.factory.Set("PrivacyLedger", TypeIdValue(GradientTrackingLedger::GetTypeId()));
        lab.factory.Set("Samples", UintegerValue(3));
    }

    TrackingLab lab; //!< five learners, noise, accounts
};

TEST_F(PrivateTracking, LedgerIsToldWhatHappened)
{
    const std::string smoothness = "ns3::dlearn::GradientTrackingLedger::Smoothness";
    Config::SetDefault(smoothness, DoubleValue(0)); // Lemma 2 as printed
    lab.factory.Set("Samples", UintegerValue(9));
    lab.Setup();
    Config::SetDefault(smoothness, DoubleValue(-1));
    EXPECT_NE(lab.rules[2]->GetWarnings().back().find("Lemma 2 as printed"), std::string::npos);
    // Learner 2: r = 1, c = 0.9, C = 1, m = 9, d = 4, sigma_k = (k+1)^0.1; it receives
    // nothing in round 1, and none of its messages leaves in round 2.
    const double share = 1.0 / 9;
    double nominal = 0;
    double realised = 0;
    double x = 0;
    double y = share;
    double realisedX = 0;
    double realisedY = share;
    for (uint32_t k = 0; k < 4; ++k)
    {
        lab.Begin(k);
        if (k == 1)
        {
            lab.inboxes[2].arrivals.clear();
        }
        lab.inboxes[2].transmitted = k != 2;
        lab.End();
        const double scale = std::pow(k + 1, 0.1);
        nominal += 2 * (x + y) / scale;
        realised += k == 2 ? 0 : 2 * (realisedX + realisedY) / scale;
        x = 0.5 * x + 0.05 * y;
        realisedX = (k == 1 ? 1 : 0.5) * realisedX + 0.05 * realisedY;
        y = (1 - 0.45) * y + 2 * share;
        realisedY = (k == 2 ? 1 : 1 - 0.45) * realisedY + 2 * share;
        EXPECT_NEAR(lab.rules[2]->GetLedger()->GetNominalEpsilon(), nominal, 1e-13);
        EXPECT_NEAR(lab.rules[2]->GetLedger()->GetEpsilon(), realised, 1e-13);
    }
    EXPECT_EQ(lab.rules[0]->AssignStreams(1), 2);
}

TEST_F(PrivateTracking, WarnsOfASmoothnessBelowThatOfTheTask)
{
    const std::string smoothness = "ns3::dlearn::GradientTrackingLedger::Smoothness";
    const double known = lab.task->GetSmoothness();
    Config::SetDefault(smoothness, DoubleValue(known / 2));
    lab.Setup();
    Config::SetDefault(smoothness, DoubleValue(-1));
    EXPECT_NE(lab.rules[2]->GetWarnings().back().find("Smoothness of the GradientTrackingLedger is "
                                                      "less than the Lipschitz constant"),
              std::string::npos);
}

} // namespace
