/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The audit of every algorithm, and the parts that it is made of.
 */

#include "audit/dlearn-audit.h"
#include "audit/dlearn-federated-audit.h"
#include "audit/dlearn-linear-task.h"
#include "audit/dlearn-recorders.h"
#include "support/dlearn-expect-refused.h"
#include "support/dlearn-own-components.h"

#include "audit/dlearn-audited-loss.h"
#include "ns3/dlearn-baselines.h"
#include "audit/dlearn-federated-audit.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

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

TEST(Audit, NamesWhatItKnows)
{
    const auto names = GetAuditedAlgorithms();
    for (const char* name : {"ldp-online", "dsgd", "dola", "pdop", "dp-gt", "cafcor", "fedavg"})
    {
        EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    }
    ExpectRefused([] { AuditAlgorithm("dsdg", 1, 1); },
                  "algorithm must be dola, dp-gt, dp-sgd, dsgd, ldp-online,");
    ExpectRefused([] { AuditAlgorithm("dsgd", 0, 1); }, "runs must be from 1 to 1000000, got 0");
}

TEST(Audit, IsTheSameForTheSameRun)
{
    EXPECT_EQ(AuditAlgorithm("dsgd", 10, 3).median, AuditAlgorithm("dsgd", 10, 3).median);
    EXPECT_NE(AuditAlgorithm("dsgd", 10, 3).median, AuditAlgorithm("dsgd", 10, 4).median);
}

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
        const FederatedAudit audit("fedavg", false, [&](const FederatedRun& run, LearnerId client) {
            return error * run.accounts.at(client)->GetEpsilon();
        });
        uint32_t judged = 0;
        for (uint64_t run = 1; run <= 20; ++run)
        {
            const AccountRatios ratios = audit.Run(run);
            if (ratios.largest > 0)
            {
                EXPECT_NEAR(ratios.smallest, error, 1e-9) << run;
                EXPECT_NEAR(ratios.largest, error, 1e-9) << run;
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

} // namespace
} // namespace ns3::dlearn
