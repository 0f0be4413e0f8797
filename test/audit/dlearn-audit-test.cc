/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The audit of every algorithm, and the parts that it is made of.
 */

#include "audit/dlearn-audit.h"
#include "audit/dlearn-audited-loss.h"
#include "audit/dlearn-federated-audit.h"
#include "audit/dlearn-linear-task.h"
#include "audit/dlearn-random-faults.h"
#include "audit/dlearn-recorders.h"
#include "support/dlearn-expect-refused.h"
#include "support/dlearn-own-components.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

class EveryAlgorithm : public testing::TestWithParam<std::string>
{
};

// No account is below the truth; and the audit is sharp: somewhere the two are equal to rounding.
TEST_P(EveryAlgorithm, HasAnAccountThatHolds)
{
    const AuditResult result = AuditAlgorithm(GetParam(), 100, 1);
    EXPECT_EQ(result.algorithm, GetParam());
    EXPECT_EQ(result.runs, 100U);
    EXPECT_TRUE(result.IsGood()) << result.worst;
    EXPECT_LT(result.worst, 1.001);
    EXPECT_EQ(std::isnan(result.largest), GetParam() != "fedavg");
    EXPECT_GE(result.median, result.worst);
}

INSTANTIATE_TEST_SUITE_P(Audit,
                         EveryAlgorithm,
                         testing::ValuesIn(test::GetOwnComponents(GetAuditedAlgorithms())),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(Audit, SumsUpItsRuns)
{
    const std::vector<double> ratios{3, INFINITE, 2, 1.5};
    std::vector<uint64_t> runs;
    const auto audit = [&](uint64_t run) {
        runs.push_back(run);
        return ratios[run - 7];
    };
    const AuditResult result = Audit("name", 4, 7, audit);
    EXPECT_EQ(runs, (std::vector<uint64_t>{7, 8, 9, 10}));
    EXPECT_EQ(result.worst, 1); // no message revealed anything: 1
    EXPECT_EQ(result.median, 1.75);
    EXPECT_TRUE(result.IsGood());
    EXPECT_FALSE(Audit("", 1, 0, [](uint64_t) { return 1 - 1e-8; }).IsGood());
    EXPECT_TRUE(Audit("", 1, 0, [](uint64_t) { return 1 - 1e-10; }).IsGood());
    AuditResult loose = result;
    loose.largest = 1.04;
    EXPECT_TRUE(loose.IsGood());
    loose.largest = 1.06;
    EXPECT_FALSE(loose.IsGood()) << "an account far above the truth";
    EXPECT_FALSE(Audit("", 2, 0, [](uint64_t k) { return k == 0 ? NAN : 2; }).IsGood());
    EXPECT_TRUE(std::isnan(Audit("", 2, 0, [](uint64_t k) { return k == 0 ? NAN : 2; }).worst));
}

// The audit of FedAvg is exact in both directions: a tenth of a per cent too little and too much
// show.
TEST(FederatedAudit, SeesWhatIsWrongOnEitherSide)
{
    for (const double error : {0.999, 1.001})
    {
        bool secret = false;
        const FederatedAudit audit("fedavg", false, [&](const FederatedRun& run, LearnerId client) {
            secret = run.options.secretSampling;
            return error * run.accounts.at(client)->GetEpsilon();
        });
        uint32_t judged = 0;
        for (uint64_t run = 1; run <= 20; ++run)
        {
            const AccountRatios ratios = audit.Run(run);
            if (ratios.largest > 0)
            {
                // The account of secret sampling rounds up, by at most 2e-3.
                EXPECT_NEAR(ratios.smallest, error, secret ? 3e-3 : 1e-9) << run;
                EXPECT_NEAR(ratios.largest, error, secret ? 3e-3 : 1e-9) << run;
                ++judged;
            }
        }
        EXPECT_GT(judged, 10U) << "else nothing is tested";
    }
}

TEST(RecordedNoise, RepeatsWhatWasTold)
{
    const auto laplace = CreateObject<LaplaceMechanism>();
    laplace->AssignStreams(5);
    const auto first = CreateObject<RecordedNoise>();
    first->SetInner(laplace);
    ModelVector told = ModelVector::Constant(3, 1);
    ModelVector hidden = ModelVector::Constant(3, 2);
    first->Perturb(0, told);
    first->Perturb(4, hidden);
    const auto twin = CreateObject<RecordedNoise>();
    twin->SetInner(laplace);
    twin->Absorb({{first->GetRecords()[0], true, 0}, {first->GetRecords()[1], false, 0.5}});
    ModelVector other = ModelVector::Constant(3, 7);
    twin->Perturb(0, other);
    EXPECT_EQ(other, told);
    other.setConstant(9);
    twin->Perturb(4, other);
    EXPECT_LT((other - (hidden.array() + 7.5).matrix()).norm(), 1e-14) << "9 - 2 + 0.5 more";
    EXPECT_EQ(twin->GetRecords()[1].before, ModelVector::Constant(3, 9));
    EXPECT_THROW(twin->Perturb(5, other), std::logic_error);
}

TEST(LinearTask, HasTheGradientOfItsLoss)
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::MatrixXd(2, 2);
    data->features << 0.6, 0, 0.8, -1;
    data->labels = Eigen::VectorXd::Zero(2);
    const auto task = CreateObject<LinearTask>();
    task->SetAttribute("Regularization", DoubleValue(0.5));
    task->SetData(data, nullptr);
    EXPECT_EQ(task->GetSensitivity(), 2);
    EXPECT_EQ(task->GetSmoothness(), 0.5);
    ModelVector theta(2);
    theta << 3, -2;
    const WeightedSamples samples = EqualWeights({0, 1});
    ModelVector gradient(2);
    task->Gradient(theta, samples, gradient);
    const double step = 1e-6;
    for (int k = 0; k < 2; ++k)
    {
        ModelVector up = theta;
        ModelVector down = theta;
        up[k] += step;
        down[k] -= step;
        const double slope =
            (task->GetLoss(up, samples) - task->GetLoss(down, samples)) / (2 * step);
        EXPECT_NEAR(gradient[k], slope, 1e-8);
    }
    data = std::make_shared<Dataset>(*data);
    data->features *= 2;
    ExpectRefused([&] { task->SetData(data, nullptr); }, "norms of at most Bound, 1, got 2");
}

TEST(DrawFaults, DrawsSchedulesThatAreAccepted)
{
    Graph graph(5);
    for (LearnerId k = 0; k < 5; ++k)
    {
        graph.AddEdge(k, (k + 1) % 5);
    }
    const auto random = CreateSeeded<UniformRandomVariable>(1, 0);
    std::map<FaultEvent::Kind, uint32_t> kinds;
    constexpr uint32_t SCHEDULES = 400;
    for (uint32_t k = 0; k < SCHEDULES; ++k)
    {
        FaultSchedule schedule;
        std::map<FaultEvent::Kind, uint32_t> own;
        for (const std::string& event :
             DrawFaults(graph, Seconds(1), Seconds(3), {true, {}}, *random))
        {
            schedule.Add(event);
        }
        EXPECT_NO_THROW(schedule.Check(graph));
        ASSERT_FALSE(schedule.GetEvents().empty());
        for (const std::string& event :
             DrawFaults(graph, Seconds(1), Seconds(3), {false, {}}, *random))
        {
            EXPECT_NE(event.rfind("reorder", 0), 0U) << event;
        }
        for (const FaultEvent& event : schedule.GetEvents())
        {
            EXPECT_GE(event.time, Seconds(1));
            EXPECT_LE(event.time, Seconds(3));
            EXPECT_EQ(event.IsEnd(), event.time > Seconds(2)) << event.name;
            own[event.kind] = 1;
        }
        for (const auto& [kind, one] : own)
        {
            kinds[kind] += one;
        }
    }
    // Hoeffding: a share of 400 is further than 0.15 from 1/2 with probability 2 exp(-18) = 3e-8.
    using Kind = FaultEvent::Kind;
    for (const Kind kind : {Kind::PARTITION,
                            Kind::DOWN,
                            Kind::BURST,
                            Kind::CORRUPT,
                            Kind::DUPLICATE,
                            Kind::REORDER,
                            Kind::CRASH,
                            Kind::DRIFT})
    {
        EXPECT_NEAR(kinds[kind] / double{SCHEDULES}, 0.5, 0.15) << static_cast<int>(kind);
    }
}

TEST(DrawFaults, AServerThatGoesBackToACheckpointCrashesToo)
{
    Graph star(4);
    for (LearnerId k = 1; k < 4; ++k)
    {
        star.AddEdge(0, k);
    }
    const auto random = CreateSeeded<UniformRandomVariable>(1, 0);
    uint32_t checkpoints = 0;
    constexpr uint32_t SCHEDULES = 400;
    for (uint32_t k = 0; k < SCHEDULES; ++k)
    {
        FaultSchedule schedule;
        for (const std::string& event :
             DrawFaults(star, Seconds(1), Seconds(3), {true, 0}, *random))
        {
            schedule.Add(event);
        }
        EXPECT_NO_THROW(schedule.Check(star));
        std::map<FaultEvent::Kind, uint32_t> ofServer;
        for (const FaultEvent& event : schedule.GetEvents())
        {
            ofServer[event.kind] += event.learner == LearnerId{0} ? 1 : 0;
        }
        using Kind = FaultEvent::Kind;
        if (ofServer[Kind::CHECKPOINT] > 0)
        {
            ++checkpoints;
            EXPECT_EQ(ofServer[Kind::CHECKPOINT], 1U);
            EXPECT_EQ(ofServer[Kind::CRASH], 1U);
            EXPECT_EQ(ofServer[Kind::RESTART], 1U);
        }
    }
    EXPECT_NEAR(checkpoints / double{SCHEDULES}, 0.5, 0.15); // as above
}

} // namespace
} // namespace ns3::dlearn
