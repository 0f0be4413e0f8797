/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Over an ideal network a run of LDP-OL is the textbook iteration: with Theta the n x d
 * matrix of all models and the coupling matrix W (Chen and Wang, Algorithm 1),
 *
 *   Theta_{t+1} = Theta_t + gamma_t (W Theta_t + (W - diag W) Z_t) - lambda_t D_t,
 *
 * Z_t the noise and D_t the gradients of the history. It is written here with matrices from
 * the samples that the learners drew; no part of dlearn but the data takes part.
 */

#include "dlearn-system-fixture.h"
#include "support/dlearn-known-noise.h"

#include "ns3/config.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/double.h"

namespace ns3::dlearn
{
namespace
{

/** Mean over rounds 0..t of the mean gradient of each round's batch, by definition. */
Eigen::VectorXd
HistoryGradient(const Task& task,
                const SampleStream& stream,
                uint32_t round,
                const Eigen::VectorXd& theta,
                bool logistic,
                double regularization)
{
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(theta.size());
    const size_t seen = stream.GetLogSize(round);
    for (size_t k = 0; k < seen; ++k)
    {
        const uint32_t sample = stream.GetLog()[k];
        const Eigen::VectorXd x = task.GetTrain().features.col(sample);
        const double y = task.GetTrain().labels[sample];
        const double z = x.dot(theta);
        sum += (logistic ? 1 / (1 + std::exp(-z)) - y : z - y) * x;
    }
    return sum / seen + regularization * theta;
}

void
CompareWithMatrixIteration(const std::string& taskName)
{
    RunSpec options = SmallRun("ideal");
    options.task = taskName;
    options.partition = "sorted";
    options.graph = "er:0.5";
    options.learners = 7;
    options.edgeWeight = "metropolis";
    options.rounds = 60;
    options.noise = 1;
    Config::SetDefault("ns3::dlearn::LdpOnline::NoiseMechanism",
                       TypeIdValue(KnownNoise::GetTypeId()));
    // Squared losses have unbounded gradients, which the default ledger refuses.
    Config::SetDefault("ns3::dlearn::LdpOnline::PrivacyLedger",
                       TypeIdValue(PrivacyLedger::GetTypeId()));
    Ptr<const Task> task;
    std::vector<Ptr<SampleStream>> streams;
    Eigen::MatrixXd coupling;
    const Outcome outcome = RunToEnd(options, [&](dlearn::Run& scenario) {
        for (const auto& learner : scenario.GetPeers())
        {
            const auto rule = DynamicCast<PeerRule>(learner->GetRule());
            DynamicCast<KnownNoise>(rule->GetNoiseMechanism())->phase = learner->GetLearnerId();
        }
        task = scenario.GetTask();
        streams = scenario.Get<PeerLearners>().GetStreams();
        coupling = scenario.GetGraph().GetCouplingMatrix();
    });
    Config::Reset();

    const Eigen::Index n = 7;
    const Eigen::Index d = task->GetDimension();
    Eigen::MatrixXd offDiagonal = coupling;
    offDiagonal.diagonal().setZero();
    Eigen::MatrixXd theta = Eigen::MatrixXd::Zero(n, d);
    for (uint32_t t = 0; t < options.rounds; ++t)
    {
        Eigen::MatrixXd noise(n, d);
        Eigen::MatrixXd gradients(n, d);
        for (Eigen::Index i = 0; i < n; ++i)
        {
            for (Eigen::Index k = 0; k < d; ++k)
            {
                noise(i, k) = KnownNoise::Wave(i, t, k);
            }
            gradients.row(i) = HistoryGradient(*task,
                                               *streams[i],
                                               t,
                                               theta.row(i),
                                               taskName == "logistic",
                                               options.regularization);
        }
        theta = theta + std::pow(t + 1.0, -0.65) * (coupling * theta + offDiagonal * noise) -
                std::pow(t + 1.0, -0.77) * gradients;
    }
    for (Eigen::Index i = 0; i < n; ++i)
    {
        // 60 rounds of rounding errors of 1e-16 each stay far below 1e-10.
        EXPECT_LE((outcome.models[i] - theta.row(i).transpose()).norm(),
                  1e-10 * theta.row(i).norm())
            << "learner " << i;
    }
}

TEST(IdealRun, EqualsTheMatrixIterationForLogisticRegression)
{
    CompareWithMatrixIteration("logistic");
}

TEST(IdealRun, EqualsTheMatrixIterationForLeastSquares)
{
    CompareWithMatrixIteration("least-squares");
}

} // namespace
} // namespace ns3::dlearn
