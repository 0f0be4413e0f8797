/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The steps of clients and servers come from a StepSchedule, as those of peers do.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-fedavg-server.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-local-sgd.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

const std::string HALVING = "ns3::dlearn::GeometricSchedule[Initial=0.4|Ratio=0.5]";

/** @return the value of an attribute */
double
GetNumber(const ObjectBase& object, const std::string& name)
{
    DoubleValue value;
    object.GetAttribute(name, value);
    return value.Get();
}

/** @return all data of a client, whose gradient at a model is the same in all rounds */
Ptr<LocalData>
MakeSteadyData()
{
    auto set = std::make_shared<Dataset>();
    set->features = Eigen::MatrixXd::NullaryExpr(2, 4, [](auto i, auto j) {
        return 1 + std::sin(1.0 + 2 * i + 3 * j);
    });
    set->labels = Eigen::VectorXd::LinSpaced(4, 1, 2);
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetData(set, nullptr);
    const auto data = CreateObject<ShardData>();
    data->SetShard(task, {0, 1, 2, 3}, 0);
    data->AssignStreams(1);
    return data;
}

/** @return the update of a round, of one gradient step from the same model */
ModelVector
TakeStep(LocalSgd& rule, uint32_t round)
{
    rule.BeginRound(round, Eigen::Vector2d(0.5, -1));
    rule.Compute();
    const ModelVector update = rule.Send();
    rule.EndRound(true);
    return update;
}

// The order of the samples, and so the rounding of their sum, differs between rounds.
TEST(FederatedSteps, AClientsStepFollowsItsSchedule)
{
    const auto rule = CreateObject<LocalSgd>();
    rule->SetAttribute("StepSchedule", StringValue(HALVING));
    rule->Setup(MakeSteadyData());
    const ModelVector first = TakeStep(*rule, 0);
    EXPECT_GT(first.norm(), 0.1);
    for (const uint32_t round : {1, 3})
    {
        const ModelVector expected = first * std::pow(0.5, round);
        EXPECT_LT((TakeStep(*rule, round) - expected).norm(), 1e-14) << round;
    }
}

TEST(FederatedSteps, AClientsStepIsConstantByDefault)
{
    const auto rule = CreateObject<LocalSgd>();
    EXPECT_EQ(GetNumber(*rule, "StepSize"), 0.1);
    rule->SetAttribute("StepSize", DoubleValue(0.3));
    EXPECT_EQ(GetNumber(*rule, "StepSize"), 0.3);
    rule->Setup(MakeSteadyData());
    const ModelVector first = TakeStep(*rule, 0);
    EXPECT_LT((TakeStep(*rule, 9) - first).norm(), 1e-14);
    ExpectRefused([&] { rule->SetAttribute("StepSchedule", StringValue(HALVING)); },
                  "LocalSgd: StepSchedule cannot be replaced after set-up");
}

/** A server of one client whose updates, or gradients, are all 1. */
template <typename Rule>
class ServersSteps : public testing::Test
{
  protected:
    /** @param schedule of the steps; empty for the default */
    void Setup(const std::string& schedule)
    {
        if (!schedule.empty())
        {
            m_rule->SetAttribute("StepSchedule", StringValue(schedule));
        }
        if (const auto robust = DynamicCast<RobustServer>(m_rule))
        {
            robust->SetAggregator(CreateObject<MedianAggregator>());
        }
        ServerContext context;
        context.samples = {{1, 1}};
        context.initialModel = ModelVector::Zero(2);
        context.updates = UpdateKind::DIFFERENCE;
        m_rule->Setup(context);
        m_rule->AssignStreams(1);
    }

    /** @return how far the model moves */
    double Move()
    {
        const double before = m_rule->GetModel()[0];
        ClientUpdate update;
        update.client = 1;
        update.values = ModelVector::Ones(2);
        m_rule->Aggregate({update});
        return m_rule->GetModel()[0] - before;
    }

    Ptr<ServerRule> m_rule{CreateObject<Rule>()};
};

using ServersWithSteps = testing::Types<FedAvgServer, RobustServer>;
TYPED_TEST_SUITE(ServersSteps, ServersWithSteps);

TYPED_TEST(ServersSteps, FollowTheScheduleModelByModel)
{
    this->Setup(HALVING);
    EXPECT_EQ(GetNumber(*this->m_rule, "LearningRate"), 0.4);
    for (const double step : {0.4, 0.2, 0.1})
    {
        EXPECT_NEAR(this->Move(), step, 1e-15);
        this->m_rule->Aggregate({}); // without updates there is no new model
    }
}

TYPED_TEST(ServersSteps, AreConstantByDefault)
{
    this->m_rule->SetAttribute("LearningRate", DoubleValue(0.25));
    this->Setup("");
    for (int model = 0; model < 3; ++model)
    {
        EXPECT_EQ(this->Move(), 0.25);
    }
    ExpectRefused([this] { this->m_rule->SetAttribute("StepSchedule", StringValue(HALVING)); },
                  "StepSchedule cannot be replaced after set-up");
}

// Who goes back to an earlier model goes back to its step.
TYPED_TEST(ServersSteps, GoBackWithTheModel)
{
    this->Setup(HALVING);
    this->Move();
    const auto goBack = this->m_rule->RememberLearned();
    EXPECT_NEAR(this->Move(), 0.2, 1e-15);
    EXPECT_NEAR(this->Move(), 0.1, 1e-15);
    goBack();
    EXPECT_NEAR(this->Move(), 0.2, 1e-15);
}

} // namespace
} // namespace ns3::dlearn
