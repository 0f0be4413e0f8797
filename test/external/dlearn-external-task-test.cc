/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Runs whose learners are processes of Python, beside those of the same task in this program.
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-compute-pool.h"
#include "ns3/dlearn-external-task.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** What a run leaves behind. */
struct LearnedModel
{
    ModelVector model;
    Evaluation evaluation; //!< of the last round
    double end;            //!< in seconds
};

/** Learners in test/system/inputs/learner.py, and the logistic task that they repeat. */
class Learners : public testing::Test
{
  protected:
    Learners()
    {
        m_inside.learners = 5;
        m_inside.dataSamples = 60;
        m_inside.regularization = 0;
        m_inside.task = "logistic";
        m_inside.data = "generated";
        m_inside.network = "p2p";
        m_inside.rounds = 3;
        m_inside.floatBits = 64;
        m_inside.stepSize = 0.5;
        m_inside.batchSize = 5;
        m_inside.invocation.options.insert("data"); // else learners have their own
        m_outside = m_inside;
        m_outside.task = "auto";
        m_outside.learner = Command("5 0.5");
    }

    void SetUp() override
    {
        if (!std::getenv("DLEARN_INPUTS") || std::system("python3 -c pass") != 0)
        {
            GTEST_SKIP() << "needs python3, and DLEARN_INPUTS";
        }
    }

    ~Learners() override { ComputePool::Get().SetThreads(1); }

    static std::string Command(const std::string& arguments,
                               const std::string& script = "learner.py")
    {
        const char* inputs = std::getenv("DLEARN_INPUTS");
        const std::string folder = inputs ? inputs : "";
        return "PYTHONPATH=" + folder + "/../../../python python3 " + folder + "/" + script + " " +
               arguments;
    }

    static LearnedModel Learn(const RunSpec& spec)
    {
        LearnedModel learned;
        dlearn::Run run(spec);
        run.SetFinishHook([&](dlearn::Run& finished) {
            learned.model = spec.kind == RunKind::FEDERATION
                                ? finished.GetFederation().server->GetRule()->GetModel()
                                : ModelVector(finished.GetPeers().front()->GetRule()->GetModel());
            learned.evaluation = finished.GetSummaries().back().mean;
        });
        std::ostringstream table;
        learned.end = test::GetEnd(run.Execute(table));
        return learned;
    }

    /** Expect the same, but for the order of sums. */
    static void ExpectEqual(const LearnedModel& inside, const LearnedModel& outside)
    {
        EXPECT_LT((inside.model - outside.model).norm(), 1e-13);
        EXPECT_GT(inside.model.norm(), 0.1);
        EXPECT_NEAR(inside.evaluation.loss, outside.evaluation.loss, 1e-13);
        EXPECT_EQ(inside.evaluation.accuracy, outside.evaluation.accuracy);
    }

    RunSpec m_inside{FedAvgPreset("test")};
    RunSpec m_outside{FedAvgPreset("test")};
};

TEST_F(Learners, TrainAsTheTaskOfThisProgramDoes)
{
    const LearnedModel inside = Learn(m_inside);
    const LearnedModel one = Learn(m_outside);
    ExpectEqual(inside, one);
    m_outside.learnerProcesses = 2;
    const LearnedModel two = Learn(m_outside);
    EXPECT_EQ(one.model, two.model);
    EXPECT_EQ(one.evaluation.loss, two.evaluation.loss);
    EXPECT_EQ(one.end, two.end);
}

TEST_F(Learners, GiveGradientsToClients)
{
    m_inside.clientRule = m_outside.clientRule = "LocalSgd";
    m_inside.algorithm = m_outside.algorithm = "fedprox";
    ExpectEqual(Learn(m_inside), Learn(m_outside));
}

TEST_F(Learners, GiveGradientsToPeers)
{
    RunSpec peers = test::ThreePeers();
    peers.algorithm = "d2";
    peers.task = "logistic";
    peers.regularization = 0;
    RunSpec outside = peers;
    outside.task = "auto";
    outside.invocation.options.insert("data");
    outside.learner = m_outside.learner;
    ExpectEqual(Learn(peers), Learn(outside));
}

TEST_F(Learners, HaveTheirOwnDataByDefault)
{
    RunSpec spec = FedAvgPreset("test");
    spec.learner = Command("2 0.5");
    spec.rounds = 5;
    const LearnedModel first = Learn(spec);
    EXPECT_EQ(first.model.size(), 2);
    EXPECT_GE(first.evaluation.accuracy, 0.75);
    EXPECT_EQ(Learn(spec).model, first.model);
}

TEST_F(Learners, SayHowLongTrainingTakes)
{
    m_outside.learner = Command("5 0.5 0.25");
    m_outside.rounds = 1;
    const RunResults results = test::Execute(m_outside);
    std::map<LearnerId, double> seconds;
    for (const ResultRow& row : results.rows)
    {
        if (row.role == "client")
        {
            seconds[row.record.node] = row.record.compute.GetSeconds();
        }
    }
    ASSERT_EQ(seconds.size(), 5U);
    for (const auto& [client, time] : seconds)
    {
        EXPECT_EQ(time, 0.25 * client);
    }
    EXPECT_GT(test::GetEnd(results), 1.25);
}

TEST_F(Learners, ReportWhatOnlyTheyKnow)
{
    m_inside.algorithm = m_outside.algorithm = "fednova";
    const std::string command = m_outside.learner;
    ExpectRefused([&] { Learn(m_outside); }, "nothing in this run measures the figure steps");
    m_outside.learner = "FIGURE=steps " + command;
    ExpectEqual(Learn(m_inside), Learn(m_outside));
    m_outside.algorithm = "fedavg";
    m_outside.threatModel = "ldp";
    ExpectRefused([&] { Learn(m_outside); }, "does not cover the figure steps");
}

TEST_F(Learners, HaveMetricsOfTheirOwn)
{
    m_outside.rounds = 1;
    RunSpec measured = m_inside;
    measured.rounds = 1;
    measured.evaluator = Command("5 0.5"); // serves as a learner, too
    const auto byLearner = test::Execute(m_outside).rows.front().evaluation;
    const auto byEvaluator = test::Execute(measured).rows.front().evaluation;
    const double tests = 12; // a fifth of the samples
    ASSERT_TRUE(byLearner && byEvaluator);
    EXPECT_NEAR(byLearner->own.at("right"), byLearner->accuracy * tests, 1e-9);
    EXPECT_EQ(byEvaluator->own, byLearner->own);
}

TEST_F(Learners, PlanRounds)
{
    m_inside.rounds = m_outside.rounds = 4;
    m_inside.sampling = "plan";
    m_inside.samplePlan = "1,3;2,4,5";
    RunSpec planned = m_inside;
    planned.sampling = planned.samplePlan = "";
    planned.stepSize = 0.1; // until the first setting arrives
    planned.planner = Command("'{\"clients\": [[3, 1], [2, 4, 5]][view[\"round\"] % 2], "
                              "\"StepSize\": 0.5}'",
                              "planner.py");
    ExpectEqual(Learn(m_inside), Learn(planned));
    planned.planner = Command("'{\"clients\": [1, 2, 3], \"enough\": 2, \"deadline\": 3, "
                              "\"StepSize\": clients[1].get(\"loss\", 1)}'",
                              "planner.py");
    uint64_t received = 0;
    for (const ResultRow& row : test::Execute(planned).rows)
    {
        received += row.role == "server" ? row.record.received : 0;
    }
    EXPECT_EQ(received, 2U * 4);
}

TEST_F(Learners, PassSettingsToLearners)
{
    m_outside.learner = Command("5 0.1");
    m_outside.planner = Command("'{\"clients\": clients, \"StepSize\": 0.5}'", "planner.py");
    ExpectEqual(Learn(m_inside), Learn(m_outside));
}

TEST_F(Learners, EndARunOfWrongPlans)
{
    const std::map<std::string, std::string> plans{
        {"{\"clients\": [6]}", "must return StepSize"},
        {"{\"clients\": [6], \"StepSize\": 1}", "different numbers from 1 to 5, got 6"},
        {"{\"clients\": [2, 2], \"StepSize\": 1}", "different numbers from 1 to 5, got 2"},
        {"{\"clients\": [], \"StepSize\": 1}", "a round without clients needs a deadline"},
        {"{\"clients\": [1], \"StepSize\": float(\"nan\")}", "settings must be finite"},
        {"{\"clients\": [1], \"StepSize\": 1, \"deadline\": -1}", "the deadline must be"}};
    for (const auto& [plan, message] : plans)
    {
        m_inside.planner = Command("'" + plan + "'", "planner.py");
        ExpectRefused<std::runtime_error>([&] { Learn(m_inside); }, message);
    }
    m_inside.planner = Command("'{\"clients\": [1], \"StepSize\": -1}'", "planner.py");
    ExpectRefused<std::invalid_argument>([&] { Learn(m_inside); }, "cannot set StepSize to -1");
}

TEST_F(Learners, EndARunThatTheyFail)
{
    const auto expect = [&](const std::string& command, const std::string& message) {
        m_outside.learner = command;
        ExpectRefused<std::runtime_error>([&] { Learn(m_outside); }, message);
    };
    expect(Command("5 fast"), "could not convert string to float: 'fast'");
    expect("printf '\\5\\0\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0' >&3; cat <&3 >/dev/null",
           "has given a wrong answer to the question hello: it has version 1 of the protocol");
}

} // namespace
} // namespace ns3::dlearn
