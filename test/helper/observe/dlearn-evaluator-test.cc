/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/double.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

constexpr uint32_t FEATURES = 3;
constexpr uint32_t SAMPLES = 24;
constexpr double REGULARIZATION = 0.05;

/** @return a small regression with noise */
DatasetPtr
MakeData()
{
    auto data = std::make_shared<Dataset>();
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    data->features.resize(FEATURES, SAMPLES);
    data->labels.resize(SAMPLES);
    for (uint32_t sample = 0; sample < SAMPLES; ++sample)
    {
        for (uint32_t feature = 0; feature < FEATURES; ++feature)
        {
            data->features(feature, sample) = uniform(random);
        }
        data->labels(sample) = 2 * data->features(0, sample) - 1 + uniform(random);
    }
    return data;
}

/** A task without a minimum: -(theta - 1)^2 / 2, which a ConvexTask should not be. */
class HillTask : public ConvexTask
{
  public:
    uint32_t GetDimension() const override { return 1; }

    double GetLoss(ConstVectorRef theta, const WeightedSamples&) const override
    {
        return -(theta(0) - 1) * (theta(0) - 1) / 2;
    }

    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples&,
                         double,
                         VectorRef gradient) const override
    {
        gradient(0) = 1 - theta(0);
    }

    double GetAccuracy(ConstVectorRef theta) const override { return theta(0) / 10; }

    double GetFlopsPerSample() const override { return 1; }

    Eigen::MatrixXd GetHessian(ConstVectorRef, const WeightedSamples&) const override
    {
        return -Eigen::MatrixXd::Identity(1, 1);
    }

    double GetSmoothness() const override { return 0; }

  protected:
    void CheckData() const override {}

    double GetGradientBound() const override { return 1; }
};

/** A task that knows no curvature. */
class PlainTask : public Task
{
  public:
    uint32_t GetDimension() const override { return 2; }

    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override
    {
        return theta.sum() * samples.weights.sum();
    }

    void ClippedGradient(ConstVectorRef,
                         const WeightedSamples&,
                         double,
                         VectorRef gradient) const override
    {
        gradient.setOnes();
    }

    double GetAccuracy(ConstVectorRef) const override { return 0.25; }

    double GetFlopsPerSample() const override { return 1; }

  protected:
    void CheckData() const override {}

    double GetGradientBound() const override { return 1; }
};

/**
 * @param shard samples of the learner
 * @param batchSize samples a round
 * @param number of the random stream
 * @return its stream
 */
Ptr<SampleStream>
MakeStream(const SampleIndices& shard, uint32_t batchSize, int64_t number)
{
    auto stream = CreateObject<SampleStream>();
    stream->SetShard(shard, batchSize);
    stream->AssignStreams(number);
    return stream;
}

/** Three learners with overlapping shards and different batches; the last joins in round 3. */
class EvaluatorTest : public testing::Test
{
  protected:
    EvaluatorTest()
    {
        m_task->SetAttribute("Regularization", DoubleValue(REGULARIZATION));
        m_task->SetData(m_data, nullptr);
    }

    /** @param round draw the samples of this round */
    void Draw(uint32_t round)
    {
        for (size_t learner = 0; learner < m_streams.size(); ++learner)
        {
            if (learner < 2 || round >= 3)
            {
                m_streams[learner]->Draw(round);
            }
        }
    }

    /**
     * F_t by its definition, from the raw logs.
     *
     * @param theta a model
     * @param round t
     * @return F_t(theta)
     */
    double GetObjective(const ModelVector& theta, uint32_t round) const
    {
        double sum = 0;
        uint32_t active = 0;
        for (const auto& stream : m_streams)
        {
            const size_t size = stream->GetLogSize(round);
            double mean = 0;
            for (size_t k = 0; k < size; ++k)
            {
                const auto sample = stream->GetLog()[k];
                const double miss =
                    m_data->labels(sample) - m_data->features.col(sample).dot(theta);
                mean += miss * miss / 2 / static_cast<double>(size);
            }
            sum += mean;
            active += size > 0 ? 1 : 0;
        }
        return sum / active + REGULARIZATION / 2 * theta.squaredNorm();
    }

    /**
     * The minimum of F_t from the normal equations, summed over the raw logs.
     *
     * @param round t
     * @return theta_t*
     */
    ModelVector GetMinimizer(uint32_t round) const
    {
        Eigen::Matrix3d left = Eigen::Matrix3d::Zero();
        Eigen::Vector3d right = Eigen::Vector3d::Zero();
        uint32_t active = 0;
        for (const auto& stream : m_streams)
        {
            const size_t size = stream->GetLogSize(round);
            active += size > 0 ? 1 : 0;
            for (size_t k = 0; k < size; ++k)
            {
                const auto sample = stream->GetLog()[k];
                const Eigen::Vector3d x = m_data->features.col(sample);
                left += x * x.transpose() / static_cast<double>(size);
                right += x * m_data->labels(sample) / static_cast<double>(size);
            }
        }
        left /= active;
        left += REGULARIZATION * Eigen::Matrix3d::Identity();
        return left.fullPivLu().solve(right / active);
    }

    DatasetPtr m_data{MakeData()};                                  //!< what is learned from
    Ptr<LeastSquaresTask> m_task{CreateObject<LeastSquaresTask>()}; //!< what is learned
    std::vector<Ptr<SampleStream>> m_streams{MakeStream({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 1),
                                             MakeStream({8, 9, 10, 11, 12, 13}, 5, 2),
                                             MakeStream({14, 15, 16, 17, 20, 23}, 2, 3)};
};

TEST_F(EvaluatorTest, AgreesWithTheDefinitionInEveryRound)
{
    Evaluator evaluator(m_task, m_streams);
    for (uint32_t round = 0; round < 40; ++round)
    {
        Draw(round);
    }
    // All is drawn already: a round must count only what was drawn up to it. Rounds may be
    // left out.
    for (const uint32_t round : {0, 1, 2, 3, 4, 7, 20, 39, 39})
    {
        std::map<LearnerId, ModelVector> models;
        for (LearnerId node : {0, 2, 5})
        {
            models[node] = ModelVector::LinSpaced(FEATURES, -0.3 * node, 1 + 0.1 * round);
        }
        const auto evaluations = evaluator.Evaluate(round, models);
        const auto minimizer = GetMinimizer(round);
        const ModelVector mean = (models[0] + models[2] + models[5]) / 3;
        ASSERT_EQ(evaluations.size(), 3U);
        for (const auto& [node, evaluation] : evaluations)
        {
            const auto& theta = models[node];
            // Sums of a few hundred terms of size 1 in another order: 1e-12 is ample.
            const double loss = GetObjective(theta, round);
            EXPECT_NEAR(evaluation.loss, loss, 1e-12);
            EXPECT_TRUE(std::isnan(evaluation.accuracy));
            EXPECT_NEAR(evaluation.consensus, (theta - mean).squaredNorm(), 1e-12);
            // Newton stops at a gradient of 1e-10 (1 + ||theta*||); the curvature is at least
            // the regularization 0.05, so theta* is off by at most 1e-8.
            EXPECT_NEAR(evaluation.error, (theta - minimizer).squaredNorm(), 1e-6);
            EXPECT_NEAR(evaluation.regret, loss - GetObjective(minimizer, round), 1e-9);
            EXPECT_GE(evaluation.regret, 0);
        }
        EXPECT_NEAR((evaluator.GetMinimizer() - minimizer).norm(), 0, 1e-7);
        EXPECT_NEAR(evaluator.GetMinimum(), GetObjective(minimizer, round), 1e-12);
    }
    EXPECT_TRUE(evaluator.GetWarnings().empty());
}

TEST_F(EvaluatorTest, CostIsBoundedByTheDataSet)
{
    Evaluator evaluator(m_task, m_streams);
    for (uint32_t round = 0; round < 400; ++round)
    {
        Draw(round);
    }
    evaluator.Evaluate(399, {{0, ModelVector::Zero(FEATURES)}});
    // The shards have 20 samples between them; that one of them is not drawn in 400 rounds
    // has a probability below 1e-50.
    const auto& samples = evaluator.GetSamples();
    EXPECT_EQ(samples.indices.size(), 20U);
    EXPECT_EQ(samples.weights.size(), 20);
    EXPECT_NEAR(samples.weights.sum(), 1, 1e-12);
    EXPECT_TRUE(std::is_sorted(samples.indices.begin(), samples.indices.end()));
}

TEST_F(EvaluatorTest, AtTheMinimumErrorAndRegretVanish)
{
    Evaluator evaluator(m_task, m_streams);
    Draw(0);
    Draw(5);
    const auto evaluations = evaluator.Evaluate(5, {{1, GetMinimizer(5)}});
    EXPECT_NEAR(evaluations.at(1).error, 0, 1e-14); // the square of 1e-7
    EXPECT_NEAR(evaluations.at(1).regret, 0, 1e-12);
    EXPECT_EQ(evaluations.at(1).consensus, 0);
}

TEST_F(EvaluatorTest, WithoutSamplesOnlyConsensusExists)
{
    Evaluator evaluator(m_task, m_streams);
    const ModelVector one = ModelVector::Ones(FEATURES);
    const auto evaluations = evaluator.Evaluate(0, {{0, one}, {1, -one}});
    EXPECT_TRUE(std::isnan(evaluations.at(0).loss));
    EXPECT_TRUE(std::isnan(evaluations.at(0).error));
    EXPECT_TRUE(std::isnan(evaluations.at(0).regret));
    EXPECT_EQ(evaluations.at(0).consensus, 3);
    EXPECT_TRUE(std::isnan(evaluator.GetMinimum()));
    EXPECT_TRUE(evaluator.Evaluate(0, {}).empty());
}

TEST_F(EvaluatorTest, ADivergedModelIsNotHidden)
{
    Evaluator evaluator(m_task, m_streams);
    Draw(0);
    const ModelVector one = ModelVector::Ones(FEATURES);
    for (const double entry : {HUGE_VAL, -HUGE_VAL, std::nan("")})
    {
        ModelVector diverged = one;
        diverged(1) = entry;
        const auto evaluations = evaluator.Evaluate(0, {{0, diverged}, {1, one}});
        const auto& bad = evaluations.at(0);
        for (const double figure : {bad.loss, bad.error, bad.regret, bad.consensus})
        {
            EXPECT_EQ(figure, HUGE_VAL);
        }
        EXPECT_NEAR(evaluations.at(1).loss, GetObjective(one, 0), 1e-12);
        EXPECT_EQ(evaluations.at(1).consensus, HUGE_VAL); // there is no mean model
    }
}

TEST_F(EvaluatorTest, NoCurvatureNoMinimum)
{
    auto task = CreateObject<PlainTask>();
    task->SetData(m_data, nullptr);
    Evaluator evaluator(task, m_streams);
    Draw(0);
    const auto evaluation = evaluator.Evaluate(0, {{4, ModelVector::Ones(2)}}).at(4);
    EXPECT_NEAR(evaluation.loss, 2, 1e-12); // the weights sum to 1
    EXPECT_EQ(evaluation.accuracy, 0.25);
    EXPECT_TRUE(std::isnan(evaluation.error));
    EXPECT_TRUE(std::isnan(evaluation.regret));
    EXPECT_TRUE(evaluator.GetWarnings().empty());
}

TEST_F(EvaluatorTest, AMissingMinimumIsAWarningNotTheEndOfTheRun)
{
    auto task = CreateObject<HillTask>();
    task->SetData(m_data, nullptr);
    Evaluator evaluator(task, m_streams);
    for (uint32_t round = 0; round < 3; ++round)
    {
        Draw(round);
        const auto evaluation = evaluator.Evaluate(round, {{0, ModelVector::Constant(1, 5)}}).at(0);
        EXPECT_EQ(evaluation.loss, -8);
        EXPECT_EQ(evaluation.accuracy, 0.5);
        EXPECT_TRUE(std::isnan(evaluation.error));
        EXPECT_TRUE(std::isnan(evaluation.regret));
    }
    ASSERT_EQ(evaluator.GetWarnings().size(), 1U);
    EXPECT_NE(evaluator.GetWarnings()[0].find("error and regret are left out in round 0"),
              std::string::npos)
        << evaluator.GetWarnings()[0];
}

TEST_F(EvaluatorTest, RefusesWhatDoesNotFit)
{
    ExpectRefused([&] { Evaluator(nullptr, m_streams); }, "Evaluator: there must be a task");
    ExpectRefused([&] { Evaluator(m_task, std::vector<Ptr<SampleStream>>()); },
                  "Evaluator: there must be at least one sample stream");
    ExpectRefused(
        [&] {
            Evaluator(m_task, {m_streams[0], nullptr});
        },
        "Evaluator: sample stream 1 is a null pointer");

    Evaluator evaluator(m_task, m_streams);
    Draw(4);
    ExpectRefused(
        [&] {
            evaluator.Evaluate(4, {{7, ModelVector::Zero(2)}});
        },
        "Evaluator: model of node 7 must have 3 entries, got 2");
    evaluator.Evaluate(4, {});
    ExpectRefused([&] { evaluator.Evaluate(3, {}); },
                  "Evaluator: rounds must not go back, got 3 after 4");

    auto foreign = MakeStream({SAMPLES}, 1, 9);
    foreign->Draw(0);
    Evaluator mismatched(m_task, {foreign});
    ExpectRefused([&] { mismatched.Evaluate(0, {}); },
                  "Evaluator: a stream has sample 24, the task has 24");
}

} // namespace
