/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The regret of rounds.csv is that of the definition. F_t of least squares is a quadratic, so that
 * F_t(theta) - F_t(theta_t*) = (theta - theta_t*)^T H_t (theta - theta_t*) / 2 with its Hessian
 * H_t, which is computed here from the samples that the learners have drawn.
 */

#include "dlearn-system-fixture.h"

#include "ns3/config.h"
#include "ns3/dlearn-rounds-csv.h"
#include "ns3/string.h"

#include <Eigen/LU>
#include <cmath>

namespace ns3::dlearn
{
namespace
{

/** F_t of least squares. */
struct Quadratic
{
    Eigen::MatrixXd hessian;   //!< H_t
    Eigen::VectorXd minimizer; //!< theta_t*
};

/** @return the objective over all that the learners had drawn by a round */
Quadratic
MakeObjective(const Task& task,
              const std::vector<Ptr<SampleStream>>& streams,
              uint32_t round,
              double regularization)
{
    const Eigen::Index d = task.GetDimension();
    Eigen::MatrixXd hessian = regularization * Eigen::MatrixXd::Identity(d, d);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(d);
    for (const auto& stream : streams)
    {
        const size_t seen = stream->GetLogSize(round);
        for (size_t k = 0; k < seen; ++k)
        {
            const uint32_t sample = stream->GetLog()[k];
            const Eigen::VectorXd x = task.GetTrain().features.col(sample);
            const double weight = 1.0 / (static_cast<double>(seen) * streams.size());
            hessian += weight * x * x.transpose();
            right += weight * task.GetTrain().labels[sample] * x;
        }
    }
    return {hessian, hessian.fullPivLu().solve(right)};
}

/** @return a run of five peers whose gradients are not accounted for, as they have no bound */
RunSpec
LeastSquaresRun()
{
    Config::SetDefault("ns3::dlearn::LdpOnline::PrivacyLedger",
                       TypeIdValue(PrivacyLedger::GetTypeId()));
    RunSpec options = SmallRun("p2p");
    options.task = "least-squares";
    options.partition = "sorted";
    options.noise = 1;
    return options;
}

/** @return the first line of rounds.csv */
std::string
GetHeader(const RunSpec& options)
{
    std::ostringstream table;
    const std::string csv = MakeRoundsCsv(dlearn::Run(options).Execute(table).rows);
    return csv.substr(0, csv.find('\n'));
}

TEST(Regret, IsTheQuadraticFormOfLeastSquares)
{
    RunSpec options = LeastSquaresRun();
    for (const uint32_t rounds : {1, 7, 20})
    {
        options.rounds = rounds;
        Ptr<const Task> task;
        std::vector<Ptr<SampleStream>> streams;
        const Outcome outcome = RunToEnd(options, [&](dlearn::Run& scenario) {
            task = scenario.GetTask();
            streams = scenario.Get<PeerLearners>().GetStreams();
        });
        const Quadratic objective =
            MakeObjective(*task, streams, rounds - 1, options.regularization);
        uint32_t compared = 0;
        for (const ResultRow& row : outcome.results.rows)
        {
            if (row.record.round + 1 == rounds)
            {
                const Eigen::VectorXd off = outcome.models[row.record.node] - objective.minimizer;
                const double regret = off.dot(objective.hessian * off) / 2;
                // The minimum is known to 1e-10, and losses of size 1 are subtracted.
                EXPECT_NEAR(row.evaluation->regret, regret, 1e-9 * (1 + regret));
                EXPECT_GT(regret, 1e-3);
                ++compared;
            }
        }
        EXPECT_EQ(compared, 5U);
    }
    Config::Reset();
}

TEST(Regret, IsTheLastColumnOfOnlineLearnersOnly)
{
    RunSpec options = LeastSquaresRun();
    EXPECT_NE(GetHeader(options).find(",wait_s,regret"), std::string::npos);
    options.evaluationSamples = 50; // F_t is that of all data, not of what was drawn
    EXPECT_EQ(GetHeader(options).find("regret"), std::string::npos);
    Config::Reset();

    RunSpec federation = FedAvgPreset("system-test");
    federation.data = "generated";
    federation.task = "logistic";
    federation.rounds = 3;
    const std::string header = GetHeader(federation);
    EXPECT_NE(header.find(",round_s"), std::string::npos);
    EXPECT_EQ(header.find("regret"), std::string::npos);
}

} // namespace
} // namespace ns3::dlearn
