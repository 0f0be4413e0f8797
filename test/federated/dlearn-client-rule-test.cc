/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "peer/dlearn-rule-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/uinteger.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** A regression of 3 parameters, and a client of it with a shard that it draws anew. */
class LocalTrainingTest : public testing::Test
{
  protected:
    /**
     * @param samples of the task
     * @param regularization of the task
     */
    void Build(uint32_t samples, double regularization = 0)
    {
        auto set = std::make_shared<Dataset>();
        set->features = Eigen::MatrixXd::NullaryExpr(3, samples, [](auto i, auto j) {
            return std::sin(1.0 + 2 * i + 3 * j + i * j * j);
        });
        set->labels = Eigen::VectorXd::NullaryExpr(samples, [](auto j) { return std::cos(j); });
        m_task = CreateObject<LeastSquaresTask>();
        m_task->SetAttribute("Regularization", DoubleValue(regularization));
        m_task->SetData(set, nullptr);
        SampleIndices shard(samples);
        for (uint32_t k = 0; k < samples; ++k)
        {
            shard[k] = k;
        }
        m_data = CreateObject<ShardData>();
        m_data->SetShard(m_task, shard, 0);
        m_data->AssignStreams(1);
    }

    /** @return w_i of a round, made of the update that the rule returns */
    ModelVector Train(const Ptr<ClientRule>& rule, uint32_t round, const ModelVector& start)
    {
        rule->BeginRound(round, start);
        EXPECT_EQ(rule->GetModel(), start);
        rule->Compute();
        const ModelVector update = rule->Send().values;
        EXPECT_LT((start + update - rule->GetModel()).norm(), 1e-15);
        return start + update;
    }

    /** @return features of the round's samples from @p begin on, one a row */
    Eigen::MatrixXd GetRows(size_t begin, size_t size) const
    {
        Eigen::MatrixXd rows(size, 3);
        for (size_t k = 0; k < size; ++k)
        {
            rows.row(k) = m_task->GetTrain().features.col(m_data->GetSamples()[begin + k]);
        }
        return rows;
    }

    Eigen::VectorXd GetLabels(size_t begin, size_t size) const
    {
        Eigen::VectorXd labels(size);
        for (size_t k = 0; k < size; ++k)
        {
            labels[k] = m_task->GetTrain().labels[m_data->GetSamples()[begin + k]];
        }
        return labels;
    }

    const ModelVector m_start{Eigen::Vector3d(0.5, -1, 2)};
    Ptr<LeastSquaresTask> m_task;
    Ptr<ShardData> m_data;
};

TEST_F(LocalTrainingTest, SgdIsGradientDescentOverDisjointBatches)
{
    for (const uint32_t steps : {1, 3, 11})
    {
        for (const double proximal : {0.0, 0.8})
        {
            Build(11, 0.1);
            const auto rule = CreateObject<LocalSgd>();
            rule->SetAttribute("LocalSteps", UintegerValue(steps));
            rule->SetAttribute("StepSize", DoubleValue(0.3));
            rule->SetAttribute("Proximal", DoubleValue(proximal));
            rule->Setup(m_data);
            EXPECT_EQ(rule->GetModel(), ModelVector::Zero(3));
            for (const uint32_t round : {0, 1, 7})
            {
                const ModelVector got = Train(rule, round, m_start);
                const size_t size = 11 / steps;
                EXPECT_EQ(rule->GetWork(), steps * size);
                Eigen::VectorXd model = m_start;
                for (uint32_t k = 0; k < steps; ++k)
                {
                    const Eigen::MatrixXd rows = GetRows(k * size, size);
                    const Eigen::VectorXd residual = rows * model - GetLabels(k * size, size);
                    model -= 0.3 * (rows.transpose() * residual / size + 0.1 * model +
                                    proximal * (model - m_start));
                }
                EXPECT_LT((got - model).norm(), 1e-14) << steps << " " << proximal;
            }
        }
    }
}

TEST_F(LocalTrainingTest, ClipsAsTheServerSaysAndTellsWhetherItDid)
{
    Build(11, 0.1);
    const auto rule = CreateObject<LocalSgd>();
    rule->SetAttribute("AdaptiveClip", BooleanValue(true));
    rule->Setup(m_data);
    EXPECT_EQ(rule->GetFormat(ModelChannel::MODEL).figures, std::vector<std::string>{"clip"});
    EXPECT_EQ(rule->GetFormat(ModelChannel::UPDATE).figures, std::vector<std::string>{"within"});
    const auto send = [&](uint32_t round, double clip) {
        rule->BeginRound(round, Message(m_start, {clip}));
        rule->Compute();
        return rule->Send();
    };
    const Message whole = send(0, 1e9);
    const double norm = whole.values.norm();
    EXPECT_EQ(whole.figures, Figures{0.5});
    EXPECT_EQ(send(1, 1.1 * norm).figures, Figures{0.5});
    const Message clipped = send(2, norm / 2);
    EXPECT_EQ(clipped.figures, Figures{-0.5});
    EXPECT_LT((clipped.values - whole.values / 2).norm(), 1e-13 * norm);
}

// With a strong pull and many steps on one batch the client ends where gradient and pull balance.
TEST_F(LocalTrainingTest, ProximalTermHoldsTheClientBack)
{
    double last = 1e9;
    for (const double proximal : {0.0, 1.0, 4.0})
    {
        Build(12);
        const auto rule = CreateObject<LocalSgd>();
        rule->SetAttribute("LocalSteps", UintegerValue(6));
        rule->SetAttribute("StepSize", DoubleValue(0.2));
        rule->SetAttribute("Proximal", DoubleValue(proximal));
        rule->Setup(m_data);
        const double moved = (Train(rule, 0, m_start) - m_start).norm();
        EXPECT_LT(moved, last);
        last = moved;
    }
}

// Steps that are far too long overflow within a round. The run goes on with an update that the
// server refuses, instead of ending in an exception.
TEST_F(LocalTrainingTest, SgdThatDivergesReturnsWhatThereIs)
{
    Build(12);
    const auto rule = CreateObject<LocalSgd>();
    rule->SetAttribute("LocalSteps", UintegerValue(6));
    rule->SetAttribute("StepSize", DoubleValue(1e200));
    rule->Setup(m_data);
    rule->BeginRound(0, m_start);
    rule->Compute();
    EXPECT_FALSE(rule->Send().values.allFinite());
    rule->BeginRound(1, m_start);
    EXPECT_EQ(rule->GetModel(), m_start);
}

// More samples than parameters: the normal equations.
TEST_F(LocalTrainingTest, SolveEndsAtTheLeastSquares)
{
    for (const double regularization : {0.0, 0.3})
    {
        Build(9, regularization);
        const auto rule = CreateObject<LocalSolve>();
        rule->Setup(m_data);
        const ModelVector got = Train(rule, 4, m_start);
        const Eigen::MatrixXd rows = GetRows(0, 9);
        const Eigen::MatrixXd normal =
            rows.transpose() * rows / 9 + regularization * Eigen::MatrixXd::Identity(3, 3);
        const Eigen::VectorXd right = rows.transpose() * GetLabels(0, 9) / 9;
        EXPECT_LT((got - normal.ldlt().solve(right)).norm(), 1e-10);
        EXPECT_EQ(rule->GetWork(), 9U * 3);
    }
}

// Fewer samples: the solution nearest to the start. KKT: it fits the samples, and the step is a
// combination of them.
TEST_F(LocalTrainingTest, SolveEndsAtTheNearestSolution)
{
    Build(2);
    const auto rule = CreateObject<LocalSolve>();
    rule->Setup(m_data);
    const ModelVector got = Train(rule, 0, m_start);
    const Eigen::MatrixXd rows = GetRows(0, 2);
    EXPECT_LT((rows * got - GetLabels(0, 2)).norm(), 1e-12);
    const Eigen::Vector3d normal = rows.row(0).head<3>().cross(rows.row(1).head<3>());
    EXPECT_NEAR(normal.dot(got - m_start), 0, 1e-12); // nothing along the null space
    EXPECT_EQ(rule->GetWork(), 2U * 2);
}

} // namespace
} // namespace ns3::dlearn
