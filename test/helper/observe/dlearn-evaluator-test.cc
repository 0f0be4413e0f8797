/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-drift.h"
#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace ns3::dlearn
{
namespace
{

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
    }
    EXPECT_TRUE(evaluator.GetWarnings().empty());
}

// F is the same in every round: 20 samples of a regression, weights of two clients' shards.
TEST(FixedEvaluator, KnowsTheMinimumOfTheGivenSamples)
{
    auto set = std::make_shared<Dataset>();
    set->features = Eigen::MatrixXd::NullaryExpr(2, 20, [](auto i, auto j) {
        return std::sin(1.0 + i + 3 * j);
    });
    set->labels = Eigen::VectorXd::NullaryExpr(20, [](auto j) { return std::cos(2.0 * j); });
    auto task = CreateObject<LeastSquaresTask>();
    task->SetAttribute("Regularization", DoubleValue(0.1));
    task->SetData(set, nullptr);
    WeightedSamples samples;
    samples.weights = ModelVector::LinSpaced(10, 1, 10) / 55;
    for (uint32_t k = 0; k < 10; ++k)
    {
        samples.indices.push_back(2 * k);
    }
    const auto w = samples.weights.asDiagonal();
    Eigen::MatrixXd rows(10, 2);
    Eigen::VectorXd labels(10);
    for (uint32_t k = 0; k < 10; ++k)
    {
        rows.row(k) = set->features.col(2 * k);
        labels[k] = set->labels[2 * k];
    }
    const Eigen::Matrix2d normal = rows.transpose() * w * rows + 0.1 * Eigen::Matrix2d::Identity();
    const Eigen::Vector2d minimum = normal.inverse() * (rows.transpose() * (w * labels));
    const auto loss = [&](const Eigen::Vector2d& theta) {
        const Eigen::VectorXd residual = rows * theta - labels;
        return residual.dot(w * residual) / 2 + 0.05 * theta.squaredNorm();
    };
    Evaluator evaluator(task, samples);
    const Eigen::Vector2d model(1, -2);
    for (const uint32_t round : {0, 1, 9})
    {
        const Evaluation got = evaluator.Evaluate(round, {{0, model}}).at(0);
        EXPECT_NEAR(got.loss, loss(model), 1e-12);
        EXPECT_NEAR(got.error, (model - minimum).squaredNorm(), 1e-9);
        EXPECT_TRUE(std::isnan(got.regret)); // all was known from the start
        EXPECT_EQ(got.consensus, 0);
    }
}

// With new labels the loss of a logistic model is that of its negative, and right is wrong.
TEST(FixedEvaluator, FollowsTheDriftOfTheData)
{
    const auto drift = CreateObjectWithAttributes<LabelDrift>("Round", UintegerValue(2));
    const auto make = [](const Eigen::RowVectorXd& features, const Eigen::VectorXd& labels) {
        const auto data = std::make_shared<Dataset>();
        data->features = features;
        data->labels = labels;
        data->classes = 2;
        return data;
    };
    const auto train = drift->Prepare(make(Eigen::RowVector3d(1, 2, -1), Eigen::Vector3d(1, 0, 0)));
    const auto test =
        drift->Prepare(make(Eigen::RowVector4d(1, 2, -1, 3), Eigen::Vector4d(1, 1, 0, 0)));
    const auto task = CreateObject<LogisticTask>();
    task->SetAttribute("Regularization", DoubleValue(REGULARIZATION));
    task->SetData(train, test);
    Evaluator evaluator(task, EqualWeights({0, 1, 2}));
    evaluator.SetDrift(drift, [](const DatasetPtr& tests) {
        const auto tester = CreateObject<LogisticTask>();
        tester->SetData(tests, nullptr);
        return tester;
    });
    const ModelVector model = ModelVector::Constant(1, 0.7);
    const auto loss = [](double a) {
        return (std::log1p(std::exp(-a)) + std::log1p(std::exp(2 * a)) + std::log1p(std::exp(-a))) /
                   3 +
               REGULARIZATION / 2 * a * a;
    };
    std::vector<double> errors;
    for (const uint32_t round : {0U, 1U, 2U, 5U})
    {
        const Evaluation evaluation = evaluator.Evaluate(round, {{0, model}}).at(0);
        const bool isNew = round >= 2;
        EXPECT_DOUBLE_EQ(evaluation.loss, loss(isNew ? -0.7 : 0.7)) << round;
        EXPECT_EQ(evaluation.accuracy, isNew ? 0.25 : 0.75);
        errors.push_back(std::sqrt(evaluation.error));
    }
    // Minima at a and -a.
    EXPECT_EQ(errors[0], errors[1]);
    EXPECT_NEAR(0.7 - errors[0] + 0.7 - errors[2], 0, 1e-9);
    EXPECT_EQ(errors[2], errors[3]);
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

/** One feature: losses (y - 2 x)^2 / 2 of y = 1, 2, 3, regularized, clipped. */
Ptr<LeastSquaresTask>
MakeTask()
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::MatrixXd::Constant(1, 3, 2);
    data->labels = Eigen::Vector3d(1, 2, 3);
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetAttribute("Regularization", DoubleValue(0.5));
    task->SetAttribute("ClipNorm", DoubleValue(1e-3)); // of learning, not of the observer
    task->SetData(data, nullptr);
    return task;
}

/** Learner 0 has one sample, learner 1 two, and both the same weight. */
const std::vector<SampleIndices> SHARDS{{0}, {1, 2}};

ModelVector
Model(double value)
{
    return ModelVector::Constant(1, value);
}

// By hand: F(x) = ((1 - 2x)^2 + ((2 - 2x)^2 + (3 - 2x)^2) / 2) / 4 + x^2 / 4, so
// F'(x) = -(1 - 2x) - ((2 - 2x) + (3 - 2x)) / 2 + x / 2 = -3.5 + 4.5 x; twice is enough.
TEST(GradientNormEvaluator, MeasuresTheGradientOfTheMeanObjective)
{
    GradientNormEvaluator evaluator(MakeTask(), SHARDS);
    const auto result =
        evaluator.Evaluate(3, {{0, Model(0)}, {4, Model(1)}, {7, Model(3.5 / 4.5)}});
    EXPECT_NEAR(result.at(0).error, 3.5 * 3.5, 1e-13);
    EXPECT_NEAR(result.at(4).error, 1, 1e-13);
    EXPECT_NEAR(result.at(7).error, 0, 1e-28);
    EXPECT_NEAR(result.at(0).loss, (1 + (4 + 9) / 2.0) / 4, 1e-13);
    const double mean = (1 + 3.5 / 4.5) / 3;
    EXPECT_NEAR(result.at(4).consensus, (1 - mean) * (1 - mean), 1e-13);
    EXPECT_TRUE(std::isnan(result.at(0).accuracy)) << "a regression has none";
    EXPECT_TRUE(std::isnan(result.at(0).regret));
    EXPECT_TRUE(evaluator.GetWarnings().empty());
}

TEST(GradientNormEvaluator, MeasuresTheLossElsewhereWhenAsked)
{
    GradientNormEvaluator evaluator(MakeTask(), SHARDS, EqualWeights({2}));
    const auto result = evaluator.Evaluate(0, {{0, Model(0)}});
    EXPECT_NEAR(result.at(0).loss, 4.5, 1e-13);
    EXPECT_NEAR(result.at(0).error, 3.5 * 3.5, 1e-13);
}

TEST(GradientNormEvaluator, ShowsWhatDiverged)
{
    GradientNormEvaluator evaluator(MakeTask(), SHARDS);
    const auto result = evaluator.Evaluate(0, {{0, Model(NAN)}, {1, Model(1e200)}});
    EXPECT_TRUE(std::isinf(result.at(0).error));
    EXPECT_TRUE(std::isinf(result.at(0).loss));
    EXPECT_TRUE(std::isinf(result.at(1).error)) << "its square is more than a double holds";
}

Ptr<LinearGaussianProblem>
MakeProblem()
{
    LinearGaussianProblemOptions options;
    options.clients = 3;
    options.dimension = 6;
    options.sparsity = 4;
    options.heterogeneity = 0.8;
    options.noiseStds = {0.5, 1, 0.2};
    options.drift = 0.3;
    const auto problem = CreateObject<LinearGaussianProblem>();
    problem->AssignStreams(5);
    problem->Draw(options);
    return problem;
}

// Samples y = x^T (w* - gamma_i) + sigma_i e, drawn here. Of l = (y - x^T w)^2 / 2 = s^2 chi^2 / 2
// the variance is s^4 / 2, so the mean of n has the standard deviation s^2 / sqrt(2 n); 6 of them
// are exceeded with probability 2e-9.
TEST(LinearGaussianEvaluator, LossIsWhatAMonteCarloSees)
{
    constexpr uint32_t SAMPLES = 200000;
    constexpr uint32_t ROUND = 3;
    const auto problem = MakeProblem();
    LinearGaussianEvaluator evaluator(problem);
    const ModelVector model = ModelVector::LinSpaced(6, -0.5, 1);
    const Evaluation got = evaluator.Evaluate(ROUND, {{0, model}}).at(0);
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    double loss = 0;
    double variance = 0;
    for (uint32_t client = 0; client < 3; ++client)
    {
        const Eigen::VectorXd truth = problem->GetClientTruth(client, ROUND + 1);
        double sum = 0;
        for (uint32_t k = 0; k < SAMPLES; ++k)
        {
            const Eigen::VectorXd x =
                Eigen::VectorXd::NullaryExpr(6, [&](auto) { return normal(engine); });
            const double y = x.dot(truth) + problem->GetNoiseStd(client) * normal(engine);
            sum += (y - x.dot(model)) * (y - x.dot(model)) / 2;
        }
        const double mean = sum / SAMPLES;
        loss += mean / 3;
        variance += 2 * mean * mean / SAMPLES / 9; // s^2 = 2 mean
    }
    EXPECT_NEAR(got.loss, loss, 6 * std::sqrt(variance));
    EXPECT_DOUBLE_EQ(got.error, (problem->GetTruth(ROUND + 1) - model).squaredNorm());
    EXPECT_EQ(got.consensus, 0);
    EXPECT_TRUE(std::isnan(got.accuracy));
    EXPECT_TRUE(std::isnan(got.regret));
    EXPECT_TRUE(evaluator.GetWarnings().empty());
}

TEST(LinearGaussianEvaluator, ModelsThatDivergedAreInfinitelyBad)
{
    LinearGaussianEvaluator evaluator(MakeProblem());
    ModelVector bad = ModelVector::Zero(6);
    bad[2] = std::nan("");
    const auto all = evaluator.Evaluate(0, {{1, ModelVector::Zero(6)}, {2, bad}});
    EXPECT_TRUE(std::isfinite(all.at(1).error));
    EXPECT_TRUE(std::isfinite(all.at(1).loss));
    EXPECT_TRUE(std::isinf(all.at(2).error));
    EXPECT_TRUE(std::isinf(all.at(2).loss));
    EXPECT_TRUE(std::isinf(all.at(2).consensus));
}

/** @return an evaluated round */
RoundSummary
MakeRound(uint32_t round, double loss, double error, double accuracy)
{
    RoundSummary summary;
    summary.round = round;
    summary.mean.loss = loss;
    summary.mean.error = error;
    summary.mean.accuracy = accuracy;
    return summary;
}

constexpr double NONE = Evaluation::NONE;

// Two rounds are too few to say that nothing was learned, and enough for a model that has diverged.
// With far too much noise the accuracy is that of a coin, above that of the first round or not.
TEST(LearningCheck, ComparesTheFirstRoundWithTheLast)
{
    const std::string nothing = "nothing was learned after round 0: in the rounds 0 and 9, ";
    const RoundSummary middle = MakeRound(5, 7e17, 1e22, 0.465);
    const std::vector<std::pair<std::vector<RoundSummary>, std::string>> cases{
        {{MakeRound(0, 2.302, NONE, 0.1), middle, MakeRound(9, 2.64, NONE, 0.0864)},
         nothing + "loss 2.302 and 2.64, accuracy 0.1 and 0.0864"},
        {{MakeRound(0, 1, 2, NONE), MakeRound(5, 0.5, 1, NONE), MakeRound(9, 1, 2, NONE)},
         nothing + "loss 1 and 1, error 2 and 2"},
        {{MakeRound(0, 1, NONE, NONE), middle, MakeRound(9, INFINITY, NONE, NONE)},
         nothing + "loss 1 and inf"},
        {{MakeRound(0, 1, NONE, 0.5), MakeRound(9, 1.1, NONE, 0.4)}, ""},
        {{MakeRound(0, 1, NONE, 0.5), MakeRound(9, 100, NONE, 0.4)},
         nothing + "loss 1 and 100, accuracy 0.5 and 0.4"},
        {{MakeRound(0, 1, NONE, 0.5), MakeRound(9, 100, NONE, 0.6)},
         "the loss has grown to 100 times its beginning: in the rounds 0 and 9, loss 1 and 100, "
         "accuracy 0.5 and 0.6"},
        {{MakeRound(0, 1, 2, 0.5), middle, MakeRound(9, 0.9, 3, 0.4)}, ""},
        {{MakeRound(0, 1, 2, 0.5), middle, MakeRound(9, 2, 1.9, 0.4)}, ""},
        {{MakeRound(0, 1, 2, 0.5), middle, MakeRound(9, 2, 3, 0.6)}, ""},
        {{MakeRound(0, 3e17, 6e21, 0.4969), middle, MakeRound(9, 2.52e18, 5e22, 0.4981)},
         "the loss has grown to 8.4 times its beginning: in the rounds 0 and 9, loss 3e+17 and "
         "2.52e+18, error 6e+21 and 5e+22, accuracy 0.4969 and 0.4981"},
        {{MakeRound(0, 1, NONE, 0.5), middle, MakeRound(9, 4.9, NONE, 0.6)}, ""},
        {{MakeRound(0, 0, NONE, 0.5), middle, MakeRound(9, 1, NONE, 0.6)}, ""},
        {{MakeRound(0, NONE, NONE, 0.5), middle, MakeRound(9, NONE, NONE, 0.6)}, ""},
        {{MakeRound(0, NONE, NONE, NONE), middle, MakeRound(9, NONE, NONE, NONE)}, ""},
        {{MakeRound(0, 1, 2, 0.5)}, ""},
        {{}, ""}};
    for (const auto& [rounds, warning] : cases)
    {
        EXPECT_EQ(DescribeNoLearning(rounds), warning);
    }
}

/** Measures nothing. */
class BlindEvaluator : public ModelEvaluator
{
  public:
    std::map<LearnerId, Evaluation> Evaluate(
        uint32_t /* round */,
        const std::map<LearnerId, ModelVector>& models) override
    {
        std::map<LearnerId, Evaluation> evaluations;
        for (const auto& [learner, model] : models)
        {
            evaluations[learner] = {};
        }
        return evaluations;
    }
};

TEST(AttackEvaluator, AddsTheShareThatIsClassifiedAsItWants)
{
    auto data = std::make_shared<Dataset>();
    data->features = Eigen::RowVector4d(1, 2, -3, 4);
    data->labels = Eigen::Vector4d::Ones();
    data->classes = 2;
    const auto task = CreateObject<LogisticTask>();
    task->SetData(data, data);
    AttackEvaluator evaluator(std::make_unique<BlindEvaluator>(), task);
    const auto evaluations = evaluator.Evaluate(0,
                                                {{0, ModelVector::Ones(1)},
                                                 {1, -ModelVector::Ones(1)},
                                                 {2, ModelVector::Constant(1, INFINITE)}});
    EXPECT_EQ(evaluations.at(0).attackSuccess, 0.75);
    EXPECT_EQ(evaluations.at(1).attackSuccess, 0.25);
    EXPECT_TRUE(std::isnan(evaluations.at(2).attackSuccess));
}

/** Rounds that learner 0 alone closes. */
class RoundEvaluationsTest : public testing::Test
{
  protected:
    RoundEvaluationsTest()
        : m_rounds(std::make_unique<BlindEvaluator>(), 1)
    {
    }

    /** Learner 0 closes a round, which is evaluated at once. */
    void CloseAndEvaluate(uint32_t round, Time closed, double epsilon)
    {
        m_rounds.NoteSpent(closed, {epsilon, epsilon});
        RoundRecord record;
        record.round = round;
        record.closed = closed;
        m_rounds.Add(record, 10, ModelVector::Zero(1));
        m_rounds.Evaluate([round](uint32_t other) { return other <= round; },
                          [] { return SpentEpsilon(); });
    }

    RoundEvaluations m_rounds; //!< under test
};

TEST_F(RoundEvaluationsTest, WhatIsSpentAtTheEndOfARoundCountsInWhateverOrderItIsNoted)
{
    CloseAndEvaluate(0, Seconds(1), 1);
    CloseAndEvaluate(1, Seconds(2), 2);
    m_rounds.NoteSpent(Seconds(2), {5, 6}); // by another learner, whose event is later
    EXPECT_EQ(m_rounds.GetSpent().at(0).realised, 1);
    EXPECT_EQ(m_rounds.GetSpent().at(1).realised, 5);
    EXPECT_EQ(m_rounds.GetSpent().at(1).nominal, 6);
}

// Learner 1 closes the round after learner 0, which has closed the next one by then.
TEST_F(RoundEvaluationsTest, ResourcesAreThoseOfTheEndOfTheRound)
{
    double joules = 0;
    m_rounds.SetMeter([&joules] {
        ++joules;
        return SpentResources{static_cast<uint64_t>(10 * joules), 7, joules};
    });
    RoundRecord record;
    for (const auto& [learner, round] : {std::pair(0, 0), {0, 1}, {1, 0}, {1, 1}})
    {
        record.node = learner;
        record.round = round;
        record.closed = Seconds(joules);
        m_rounds.Add(record, 10, ModelVector::Zero(1));
    }
    m_rounds.Evaluate([](uint32_t /* round */) { return true; }, [] { return SpentEpsilon(); });
    record.node = 2; // late, so that its round was evaluated without it
    m_rounds.Add(record, 10, ModelVector::Zero(1));
    ASSERT_EQ(m_rounds.GetResources().size(), 2U);
    for (const uint32_t round : {0, 1})
    {
        const SpentResources& spent = m_rounds.GetResources().at(round);
        EXPECT_EQ(spent.txBytes, 30 + 10 * round);
        EXPECT_EQ(spent.rxBytes, 7U);
        EXPECT_EQ(spent.joules, 3 + round);
    }
}

TEST_F(RoundEvaluationsTest, RoundsThatEndTogetherHaveSpentTheSame)
{
    CloseAndEvaluate(0, Seconds(2), 1);
    CloseAndEvaluate(1, Seconds(1), 1); // by those that did not take part in the round before
    m_rounds.NoteSpent(Seconds(2), {3, 3});
    EXPECT_EQ(m_rounds.GetSpent().at(0).realised, 3);
    EXPECT_EQ(m_rounds.GetSpent().at(1).realised, 1);
}

} // namespace
} // namespace ns3::dlearn
