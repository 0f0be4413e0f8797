/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Whole runs of the rules of peers without noise: over an ideal network they are the iterations of
 * their papers, from the samples that the learners drew; what attackers and options do to them.
 */

#include "dlearn-system-fixture.h"
#include "peer/dlearn-gossip-oracles.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-gossip-rules.h"

#include <numeric>

namespace ns3::dlearn
{
namespace
{

using test::Matrix;

/** @return logistic gradients of the batches of a round, by definition */
Matrix
GetGradients(const Task& task,
             const std::vector<Ptr<SampleStream>>& streams,
             uint32_t round,
             const Matrix& models,
             double regularization)
{
    Matrix gradients = regularization * models;
    for (size_t i = 0; i < streams.size(); ++i)
    {
        const size_t first = round == 0 ? 0 : streams[i]->GetLogSize(round - 1);
        const size_t end = streams[i]->GetLogSize(round);
        for (size_t k = first; k < end; ++k)
        {
            const uint32_t sample = streams[i]->GetLog()[k];
            const Eigen::VectorXd x = task.GetTrain().features.col(sample);
            const double y = task.GetTrain().labels[sample];
            gradients.col(i) += (1 / (1 + std::exp(-x.dot(models.col(i)))) - y) * x / (end - first);
        }
    }
    return gradients;
}

RunSpec
SevenPeers(const std::string& algorithm)
{
    RunSpec options = SmallRun("ideal");
    options.task = "logistic";
    options.partition = "sorted";
    options.graph = "er:0.5";
    options.learners = 7;
    options.edgeWeight = "0.12";
    options.rounds = 40;
    options.algorithm = algorithm;
    return options;
}

/** Compare a run with the iteration of its paper. */
void
ExpectSame(const RunSpec& options, test::GossipOracle&& oracle)
{
    Ptr<const Task> task;
    std::vector<Ptr<SampleStream>> streams;
    const Outcome outcome = RunToEnd(options, [&](dlearn::Run& scenario) {
        task = scenario.GetTask();
        streams = scenario.Get<PeerLearners>().GetStreams();
        oracle.w = scenario.GetGraph().GetCouplingMatrix();
    });
    oracle.w.diagonal().setZero();
    oracle.x = Matrix::Zero(task->GetDimension(), 7);
    for (uint32_t t = 0; t < options.rounds; ++t)
    {
        oracle.Step(GetGradients(*task, streams, t, oracle.x, options.regularization),
                    Matrix::Ones(7, 7));
    }
    EXPECT_GT(oracle.x.norm(), 0.01);
    for (Eigen::Index i = 0; i < 7; ++i)
    {
        EXPECT_LT((outcome.models[i] - oracle.x.col(i)).norm(), 1e-10) << options.algorithm;
    }
}

/** @return the three entries of largest magnitude, of equal ones the first */
Eigen::VectorXd
KeepThree(const Eigen::VectorXd& vector)
{
    std::vector<Eigen::Index> order(vector.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
        return std::abs(vector[a]) > std::abs(vector[b]);
    });
    Eigen::VectorXd kept = Eigen::VectorXd::Zero(vector.size());
    for (size_t k = 0; k < 3; ++k)
    {
        kept[order[k]] = vector[order[k]];
    }
    return kept;
}

TEST(GossipRuns, EqualTheirPapersOverAnIdealNetwork)
{
    ExpectSame(SevenPeers("d2"), test::D2Oracle());
    ExpectSame(SevenPeers("extra"), test::ExtraOracle());
    ExpectSame(SevenPeers("push-diging"), test::PushDigingOracle());
    test::ClippingOracle clipping;
    clipping.radius = 0.05;
    clipping.beta = 0.9;
    ExpectSame(SevenPeers("clipped-gossip:0.05,momentum=0.9"), std::move(clipping));
    test::ClippingOracle adaptive;
    adaptive.byzantine = 1;
    ExpectSame(SevenPeers("scclip:1"), std::move(adaptive));
    RunSpec options = SevenPeers("choco:0.3");
    options.compress = "top-k:3";
    test::ChocoOracle choco;
    choco.gamma = 0.3;
    choco.compress = KeepThree;
    ExpectSame(options, std::move(choco));
}

TEST(GossipRuns, PushDigingEqualsItsPaperOnADirectedGraph)
{
    RunSpec options = GradientTrackingPreset("system-test");
    options.network = "ideal";
    options.task = "logistic";
    options.stateGraph = "exponential";
    options.learners = 7;
    options.rounds = 40;
    options.algorithm = "push-diging";
    options.gamma = 0.05;
    options.dataSamples = 200;
    test::PushDigingOracle oracle;
    oracle.eta = 0.05;
    ExpectSame(options, std::move(oracle));
}

/** @return the largest distance of two honest models, the last learner being Byzantine */
double
GetDissensus(const std::string& algorithm, const std::string& attack)
{
    RunSpec options = SevenPeers(algorithm);
    options.graph = "dumbbell";
    options.learners = 11;
    options.rounds = 100;
    options.byzantine = 1;
    options.attack = attack;
    const Outcome outcome = RunToEnd(options);
    double largest = 0;
    for (size_t i = 0; i < 10; ++i)
    {
        for (size_t j = 0; j < i; ++j)
        {
            largest = std::max(largest, (outcome.models[i] - outcome.models[j]).norm());
        }
    }
    return largest;
}

TEST(GossipRuns, ClippingLimitsDissensus)
{
    const double honest = GetDissensus("clipped-gossip:1e9", "silent");
    EXPECT_GT(GetDissensus("clipped-gossip:1e9", "Dissensus:1.5"), 1.1 * honest);
    for (const char* algorithm : {"clipped-gossip:0.02", "scclip"})
    {
        EXPECT_LT(GetDissensus(algorithm, "Dissensus:1.5"),
                  GetDissensus("clipped-gossip:1e9", "Dissensus:1.5"))
            << algorithm;
    }
}

// Rules without noise have no account: what needs one is refused in a line.
TEST(GossipRuns, RefuseNoiseAndBudgets)
{
    for (const char* algorithm :
         {"choco", "d2", "extra", "push-diging", "clipped-gossip", "scclip"})
    {
        for (const std::string option : {"noise", "budget", "mechanism", "aggregator"})
        {
            RunSpec options = SevenPeers(algorithm);
            options.budget = option == "budget" ? 1 : 0;
            options.mechanism = option == "mechanism" ? "gaussian" : "";
            options.aggregator = option == "aggregator" ? "Median" : "none";
            options.invocation.options = {option};
            ExpectRefused([&] { RunToEnd(options); }, option);
        }
    }
}

TEST(GossipRuns, RefuseWhatTheirMessagesCannotBear)
{
    RunSpec options = SevenPeers("push-diging");
    options.compress = "top-k:3";
    ExpectRefused([&] { RunToEnd(options); }, "therefore never compressed");
    options = SevenPeers("choco");
    options.synchrony = "async";
    ExpectRefused([&] { RunToEnd(options); }, "messages count in their own round only");
}

} // namespace
} // namespace ns3::dlearn
