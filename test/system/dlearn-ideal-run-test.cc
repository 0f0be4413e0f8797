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
 * Options that peers share with federations: unequal devices, the step, and the norm to which
 * gradients are clipped.
 */

#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"
#include "support/dlearn-known-noise.h"

#include "ns3/config.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cmath>
#include <filesystem>
#include <string>

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

/** @return the models that the learners start with */
std::vector<ModelVector>
GetInitialModels(double initial, const std::string& task = "auto")
{
    RunSpec options = SmallRun("ideal");
    options.algorithm = "dsgd";
    options.noise = 0;
    options.task = task;
    options.initStd = initial;
    const dlearn::Run scenario(options);
    std::vector<ModelVector> models;
    for (const auto& learner : scenario.GetPeers())
    {
        models.push_back(learner->GetRule()->GetModel());
    }
    Simulator::Destroy();
    return models;
}

TEST(InitialModels, AreZeroUnlessAskedFor)
{
    for (const ModelVector& model : GetInitialModels(0))
    {
        EXPECT_TRUE(model.isZero(0));
    }
}

TEST(InitialModels, AreIndependentNormalNumbers)
{
    const auto models = GetInitialModels(2);
    ASSERT_EQ(models.size(), 5U);
    double squares = 0;
    double sum = 0;
    double numbers = 0;
    for (size_t k = 0; k < models.size(); ++k)
    {
        squares += models[k].squaredNorm() / 4;
        sum += models[k].sum() / 2;
        numbers += models[k].size();
        EXPECT_NE(models[k], models[(k + 1) % models.size()]);
    }
    // Of n standard normal numbers the sum of squares has variance 2n, the sum variance n. Six
    // standard deviations: a false alarm has a probability of at most 1e-6.
    EXPECT_NEAR(squares, numbers, 6 * std::sqrt(2 * numbers));
    EXPECT_NEAR(sum, 0, 6 * std::sqrt(numbers));
    EXPECT_EQ(GetInitialModels(2), models) << "the same seed and run";
}

TEST(InitialModels, OfANeuralNetworkAreOneRandomModel)
{
    const auto models = GetInitialModels(0, "net:fc5,relu,fc2");
    EXPECT_GT(models[0].norm(), 0.1);
    const auto moved = GetInitialModels(0.01, "net:fc5,relu,fc2");
    for (size_t k = 0; k < models.size(); ++k)
    {
        EXPECT_EQ(models[k], models[0]);
        // Normal numbers of deviation 0.01; no one in ten thousand is beyond 6 of them.
        EXPECT_LE((moved[k] - models[0]).cwiseAbs().maxCoeff(), 0.06);
        EXPECT_NE(moved[k], models[k]);
    }
}

// Nothing is known of its curvature and its largest gradient, which accounts ask for.
TEST(NeuralNetworks, WithoutNoiseCostAnInfiniteEpsilon)
{
    RunSpec spec = SmallRun("ideal");
    spec.algorithm = "dsgd";
    spec.task = "net:fc5,relu,fc2";
    spec.noise = 0;
    const RunResults results = RunToEnd(spec).results;
    for (const ResultRow& row : results.rows)
    {
        EXPECT_EQ(row.record.epsilon, INFINITY) << row.record.round;
    }
    EXPECT_EQ(results.epsilon.at(0), INFINITY);
}

TEST(EvaluationSamples, MakeTheLossThatOfAFixedPart)
{
    RunSpec options = SmallRun("ideal");
    options.rounds = 10;
    options.noise = 0;
    const auto getLosses = [&](uint32_t samples) {
        options.evaluationSamples = samples;
        std::vector<double> losses;
        for (const RoundSummary& summary : RunToEnd(options).summaries)
        {
            losses.push_back(summary.mean.loss);
        }
        return losses;
    };
    const auto few = getLosses(40);
    EXPECT_EQ(getLosses(40), few);
    EXPECT_NE(getLosses(41), few);
    // More samples than there are: all of them, in whatever order.
    EXPECT_EQ(getLosses(100000), getLosses(200000));
}

class PeerOptions : public testing::Test
{
  protected:
    ~PeerOptions() override
    {
        std::filesystem::remove(m_table);
        Config::Reset();
    }

    /** @return the name of a table of devices */
    std::string Write(const std::string& text) const
    {
        WriteTextFile(m_table, text);
        return m_table;
    }

  private:
    const std::string m_table{testing::TempDir() + "peer-devices.csv"}; //!< of devices
};

/** @return how long a learner computes in its first round */
Time
GetComputeTime(const RunResults& results, LearnerId learner)
{
    for (const ResultRow& row : results.rows)
    {
        if (row.record.node == learner)
        {
            return row.record.compute;
        }
    }
    ADD_FAILURE() << "no row of learner " << learner;
    return Time(0);
}

// A gradient takes its operations over the speed of the device, without the Overhead.
TEST_F(PeerOptions, DevicesOfPeersHaveSpeedsOfTheirOwn)
{
    Config::SetDefault("ns3::dlearn::FlopsCompute::Overhead", TimeValue(Time(0)));
    RunSpec options = SmallRun("ideal");
    options.devices = Write("learner,flops\n0,1e6\n3,2e6\n4,1e7\n");
    const RunResults results = RunToEnd(options).results;
    const double slowest = GetComputeTime(results, 0).GetSeconds();
    EXPECT_GT(slowest, 0);
    EXPECT_NEAR(GetComputeTime(results, 3).GetSeconds(), slowest / 2, 1e-9);
    EXPECT_NEAR(GetComputeTime(results, 4).GetSeconds(), slowest / 10, 1e-9);
    EXPECT_EQ(GetComputeTime(results, 1), GetComputeTime(results, 2)) << "the common speed";
}

TEST_F(PeerOptions, LinksOfPeersMayDifferWhereTheyAreTheirs)
{
    RunSpec options = SmallRun("csma");
    options.devices = Write("learner,loss\n2,0.6\n");
    const RunResults results = RunToEnd(options).results;
    uint32_t lost = 0;
    for (const ResultRow& row : results.rows)
    {
        lost += row.record.node == 2 ? row.record.lost : 0;
        EXPECT_TRUE(row.record.node == 2 || row.record.lost == 0) << row.record.node;
    }
    EXPECT_GT(lost, 0U);
    options.network = "p2p";
    ExpectRefused([&] { dlearn::Run run(options); }, "p2p: links of a learner's own (client-rate");
    options.devices = Write("client,flops\n1,1e6\n");
    ExpectRefused([&] { dlearn::Run run(options); },
                  ":1: columns must be learner and any of rate, ");
    options.devices = Write("learner,flops\n5,1e6\n");
    ExpectRefused([&] { dlearn::Run run(options); },
                  ":2: column learner must be a whole number from 0 to 4, got '5'");
}

} // namespace
} // namespace ns3::dlearn
