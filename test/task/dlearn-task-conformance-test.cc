/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What every Task must do. A new task joins with one line in AllTasks().
 */

#include "dlearn-task-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-gradient-history.h"
#include "ns3/dlearn-newton.h"
#include "ns3/dlearn-task.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <ostream>
#include <thread>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

namespace
{

/** A task and the kind of data that it learns from. */
struct TaskCase
{
    std::string type;                              //!< name of the TypeId
    uint32_t classes;                              //!< of the data; 0 for a regression
    std::map<std::string, std::string> attributes; //!< beside those of Task
};

/** @return every task of the module */
std::vector<TaskCase>
AllTasks()
{
    return {
        {"ns3::dlearn::LeastSquaresTask", 0, {}},
        {"ns3::dlearn::LogisticTask", 2, {}},
        {"ns3::dlearn::SineTask", 0, {}},
        {"ns3::dlearn::SoftmaxTask", 2, {}},
        {"ns3::dlearn::SoftmaxTask", 4, {}},
        {"ns3::dlearn::NeuralNetworkTask", 2, {{"Layers", "fc4,relu,fc2"}, {"FloatBits", "64"}}},
        {"ns3::dlearn::NeuralNetworkTask",
         4,
         {{"Layers", "conv3x1,relu,pool1,conv2x1,fc4"}, {"FloatBits", "64"}}},
    };
}

/**
 * @param taskCase which task
 * @param regularization attribute Regularization
 * @param clipNorm attribute ClipNorm
 * @return the task, without data
 */
Ptr<Task>
CreateTask(const TaskCase& taskCase, double regularization, double clipNorm)
{
    ObjectFactory factory(taskCase.type);
    factory.Set("Regularization", DoubleValue(regularization));
    factory.Set("ClipNorm", DoubleValue(clipNorm));
    for (const auto& [name, value] : taskCase.attributes)
    {
        factory.Set(name, StringValue(value));
    }
    return factory.Create<Task>();
}

/** @return those of AllTasks() that are convex */
std::vector<TaskCase>
ConvexTasks()
{
    std::vector<TaskCase> convex;
    for (const TaskCase& taskCase : AllTasks())
    {
        if (DynamicCast<ConvexTask>(CreateTask(taskCase, 0, 0)))
        {
            convex.push_back(taskCase);
        }
    }
    return convex;
}

/**
 * @param info a case
 * @return its name in the list of tests
 */
std::string
GetCaseName(const testing::TestParamInfo<TaskCase>& info)
{
    const std::string type = info.param.type.substr(info.param.type.rfind(':') + 1);
    return type + std::to_string(info.param.classes) + "n" + std::to_string(info.index);
}

/**
 * Lets GoogleTest print a case.
 * @param os where to
 * @param taskCase the case
 */
void
PrintTo(const TaskCase& taskCase, std::ostream* os)
{
    *os << taskCase.type << " on " << taskCase.classes << " classes";
}

/** Makes tasks on random data. */
class TaskConformance : public testing::TestWithParam<TaskCase>
{
  protected:
    static constexpr uint32_t FEATURES = 5;  //!< of the data
    static constexpr uint32_t SAMPLES = 700; //!< more than a task handles in one piece

    /**
     * @param regularization attribute Regularization
     * @param clipNorm attribute ClipNorm
     * @return a task on random data
     */
    Ptr<Task> MakeTask(double regularization = 0, double clipNorm = 0)
    {
        Ptr<Task> task = CreateTask(GetParam(), regularization, clipNorm);
        task->SetData(m_data, nullptr);
        return task;
    }

    /**
     * Samples in no order, some twice, of different weights.
     * @param count how many
     * @return the samples; their weights sum to 1
     */
    WeightedSamples MakeSamples(uint32_t count)
    {
        std::uniform_int_distribution<uint32_t> index(0, SAMPLES - 1);
        WeightedSamples samples;
        for (uint32_t i = 0; i < count; ++i)
        {
            samples.indices.push_back(index(m_engine));
        }
        samples.weights = RandomVector(m_engine, count).cwiseAbs();
        samples.weights /= samples.weights.sum();
        return samples;
    }

    /**
     * @param scale standard deviation of an entry
     * @return a random model
     */
    ModelVector MakeModel(double scale = 1)
    {
        return RandomVector(m_engine, MakeTask()->GetDimension(), scale);
    }

    Engine m_engine{7}; //!< random numbers
    std::shared_ptr<Dataset> m_data{RandomData(GetParam().classes, FEATURES, SAMPLES)}; //!< data
};

/** Those tests that only a ConvexTask can stand. */
class ConvexTaskConformance : public TaskConformance
{
  protected:
    /**
     * @param regularization attribute Regularization
     * @param clipNorm attribute ClipNorm
     * @return a convex task on random data
     */
    Ptr<ConvexTask> MakeConvexTask(double regularization, double clipNorm = 0)
    {
        return DynamicCast<ConvexTask>(MakeTask(regularization, clipNorm));
    }
};

// Truncation error of the difference is about h^2 = 1e-10, rounding 1e-16 / h = 1e-11.
TEST_P(TaskConformance, GradientIsTheDerivativeOfTheLoss)
{
    constexpr double H = 1e-5;
    for (double regularization : {0.0, 0.3})
    {
        Ptr<Task> task = MakeTask(regularization);
        const WeightedSamples samples = MakeSamples(30);
        for (double scale : {0.0, 0.3, 3.0})
        {
            const ModelVector theta = MakeModel(scale);
            ModelVector difference(theta.size());
            for (Eigen::Index i = 0; i < theta.size(); ++i)
            {
                const ModelVector step = H * ModelVector::Unit(theta.size(), i);
                difference[i] =
                    (task->GetLoss(theta + step, samples) - task->GetLoss(theta - step, samples)) /
                    (2 * H);
            }
            const ModelVector gradient = GradientAt(*task, theta, samples);
            EXPECT_LE((gradient - difference).norm(), 1e-6 * (gradient.norm() + 1e-2));
        }
    }
}

// Sample by sample, with the clipping written down as in its definition.
TEST_P(TaskConformance, ClippedGradientIsTheSumOfClippedGradients)
{
    constexpr double REGULARIZATION = 0.2;
    Ptr<Task> task = MakeTask(REGULARIZATION);
    const WeightedSamples samples = MakeSamples(SAMPLES);
    const ModelVector theta = MakeModel();
    for (double clipNorm : {0.0, 1e-3, 0.5, 2.0, 1e6})
    {
        ModelVector expected = REGULARIZATION * theta;
        for (size_t i = 0; i < samples.indices.size(); ++i)
        {
            ModelVector one = GradientAt(*task, theta, EqualWeights({samples.indices[i]}));
            one -= REGULARIZATION * theta;
            const double norm = one.norm();
            if (clipNorm > 0 && norm > clipNorm)
            {
                one *= clipNorm / norm;
            }
            expected += samples.weights[static_cast<Eigen::Index>(i)] * one;
        }
        const ModelVector gradient = GradientAt(*task, theta, samples, clipNorm);
        EXPECT_LE((gradient - expected).norm(), 1e-12 * (1 + expected.norm())) << clipNorm;
    }
}

TEST_P(TaskConformance, SampleWithoutFeaturesSurvivesClipping)
{
    m_data->features.col(3).setZero();
    Ptr<Task> task = MakeTask();
    EXPECT_TRUE(GradientAt(*task, MakeModel(), EqualWeights({3}), 0.1).allFinite());
}

TEST_P(TaskConformance, GradientUsesTheClipNormOfTheTask)
{
    Ptr<Task> task = MakeTask(0.1, 0.05);
    const ModelVector theta = MakeModel();
    const WeightedSamples samples = EqualWeights(Range(5, 40));
    ModelVector gradient(theta.size());
    task->Gradient(theta, samples, gradient);
    EXPECT_EQ(gradient, GradientAt(*task, theta, samples, 0.05));
    task->BatchGradient(theta, samples.indices, gradient);
    EXPECT_EQ(gradient, GradientAt(*task, theta, samples, 0.05));
}

TEST_P(TaskConformance, RepeatedSampleCountsAsItsWeights)
{
    Ptr<Task> task = MakeTask(0.1);
    const ModelVector theta = MakeModel();
    const WeightedSamples apart{{4, 9, 4}, Eigen::Vector3d(0.25, 0.5, 0.25)};
    const WeightedSamples together{{9, 4}, Eigen::Vector2d(0.5, 0.5)};
    EXPECT_NEAR(task->GetLoss(theta, apart), task->GetLoss(theta, together), 1e-12);
    EXPECT_LE((GradientAt(*task, theta, apart) - GradientAt(*task, theta, together)).norm(), 1e-12);
}

// Neighbours are read in place and others are gathered: the numbers must not differ.
TEST_P(TaskConformance, OrderOfTheSamplesOnlyMattersByRounding)
{
    Ptr<Task> task = MakeTask(0.1);
    const ModelVector theta = MakeModel();
    SampleIndices indices = Range(0, SAMPLES);
    const ModelVector ordered = GradientAt(*task, theta, EqualWeights(indices));
    const double loss = task->GetLoss(theta, EqualWeights(indices));
    std::shuffle(indices.begin(), indices.end(), m_engine);
    EXPECT_LE((GradientAt(*task, theta, EqualWeights(indices)) - ordered).norm(), 1e-12);
    EXPECT_NEAR(task->GetLoss(theta, EqualWeights(indices)), loss, 1e-12 * loss);
}

TEST_P(TaskConformance, SensitivityBoundsTheDistanceOfTwoGradients)
{
    for (double clipNorm : {0.0, 0.4, 100.0})
    {
        Ptr<Task> task = MakeTask(0.1, clipNorm);
        const double sensitivity = task->GetSensitivity();
        EXPECT_GT(sensitivity, 0);
        EXPECT_LE(sensitivity, clipNorm > 0 ? 2 * clipNorm : INFINITY);
        for (int pair = 0; pair < 300; ++pair)
        {
            const ModelVector theta = MakeModel(std::pow(10.0, pair % 4 - 1));
            const SampleIndices two = MakeSamples(2).indices;
            const double distance = (GradientAt(*task, theta, EqualWeights({two[0]}), clipNorm) -
                                     GradientAt(*task, theta, EqualWeights({two[1]}), clipNorm))
                                        .norm();
            EXPECT_LE(distance, sensitivity * (1 + 1e-12));
        }
    }
}

TEST_P(TaskConformance, HistoryIsTheMeanOfBatchMeans)
{
    const std::vector<SampleIndices> batches{{3, 700 - 1, 3, 8}, {5}, Range(100, 60), {17, 2}};
    for (double clipNorm : {0.0, 0.3})
    {
        Ptr<Task> task = MakeTask(0.2, clipNorm);
        const ModelVector theta = MakeModel();
        for (size_t window : {0, 1, 3, 10})
        {
            std::unique_ptr<GradientHistory> history = CreateHistory(*task, window);
            for (size_t count = 1; count <= batches.size(); ++count)
            {
                history->Add(batches[count - 1]);
                const size_t kept = window == 0 ? count : std::min(window, count);
                ModelVector expected = ModelVector::Zero(theta.size());
                ModelVector gradient(theta.size());
                for (size_t i = count - kept; i < count; ++i)
                {
                    task->BatchGradient(theta, batches[i], gradient);
                    expected += gradient / static_cast<double>(kept);
                }
                history->Gradient(theta, gradient);
                EXPECT_EQ(history->GetBatches(), kept);
                EXPECT_LE((gradient - expected).norm(), 1e-11 * (1 + expected.norm()));
            }
        }
    }
}

TEST_P(TaskConformance, AccuracyIsAShareOfTheTestSamples)
{
    const auto test = RandomData(GetParam().classes, FEATURES, 50, 99);
    Ptr<Task> onTest = CreateTask(GetParam(), 0, 0);
    onTest->SetData(test, nullptr);
    Ptr<Task> both = CreateTask(GetParam(), 0, 0);
    both->SetData(m_data, test);
    const ModelVector theta = MakeModel();
    const double accuracy = both->GetAccuracy(theta);
    if (GetParam().classes == 0)
    {
        EXPECT_TRUE(std::isnan(accuracy));
        return;
    }
    EXPECT_EQ(accuracy, onTest->GetAccuracy(theta));
    EXPECT_NEAR(50 * accuracy, std::round(50 * accuracy), 1e-9);
    EXPECT_GE(accuracy, 0);
    EXPECT_LE(accuracy, 1);
}

TEST_P(TaskConformance, ThreadsShareATask)
{
    Ptr<Task> task = MakeTask(0.1, 0.5);
    const Task& shared = *task;
    const ModelVector theta = MakeModel();
    const WeightedSamples samples = MakeSamples(SAMPLES);
    const ModelVector alone = GradientAt(shared, theta, samples, 0.5);
    std::vector<ModelVector> results(4);
    std::vector<std::thread> threads;
    for (ModelVector& result : results)
    {
        threads.emplace_back([&]() { result = GradientAt(shared, theta, samples, 0.5); });
    }
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    for (const ModelVector& result : results)
    {
        EXPECT_EQ(result, alone);
    }
}

TEST_P(ConvexTaskConformance, HessianIsTheDerivativeOfTheGradient)
{
    constexpr double H = 1e-5;
    constexpr double REGULARIZATION = 0.1;
    Ptr<ConvexTask> task = MakeConvexTask(REGULARIZATION, 0.01);
    const WeightedSamples samples = MakeSamples(SAMPLES);
    for (double scale : {0.0, 0.3, 3.0})
    {
        const ModelVector theta = MakeModel(scale);
        const Eigen::MatrixXd hessian = task->GetHessian(theta, samples);
        for (Eigen::Index i = 0; i < theta.size(); ++i)
        {
            const ModelVector step = H * ModelVector::Unit(theta.size(), i);
            const ModelVector difference = (GradientAt(*task, theta + step, samples) -
                                            GradientAt(*task, theta - step, samples)) /
                                           (2 * H);
            EXPECT_LE((hessian.col(i) - difference).norm(), 1e-6 * difference.norm());
        }
        EXPECT_EQ(hessian, hessian.transpose());
        const Eigen::VectorXd values = hessian.selfadjointView<Eigen::Lower>().eigenvalues();
        EXPECT_GE(values.minCoeff(), task->GetCurvature() * (1 - 1e-12));
    }
}

TEST_P(ConvexTaskConformance, SmoothnessBoundsTheSlopeOfTheGradient)
{
    for (double clipNorm : {0.0, 0.4})
    {
        Ptr<ConvexTask> task = MakeConvexTask(0.1, clipNorm);
        const double smoothness = task->GetSmoothness();
        for (int pair = 0; pair < 300; ++pair)
        {
            const ModelVector from = MakeModel(std::pow(10.0, pair % 3 - 1));
            const ModelVector to = from + MakeModel(std::pow(10.0, pair % 5 - 3));
            const WeightedSamples one = EqualWeights(MakeSamples(1).indices);
            const double distance =
                (GradientAt(*task, from, one, clipNorm) - GradientAt(*task, to, one, clipNorm))
                    .norm();
            // The slack covers rounding in gradients whose difference is small.
            EXPECT_LE(distance, smoothness * (from - to).norm() * (1 + 1e-9));
        }
    }
}

// Strong convexity: F(theta) >= F(theta*) + mu/2 ||theta - theta*||^2 only holds at a minimum.
TEST_P(ConvexTaskConformance, MinimizeFindsTheMinimum)
{
    for (double regularization : {1e-8, 1e-3, 1.0})
    {
        Ptr<ConvexTask> task = MakeConvexTask(regularization, 0.01);
        EXPECT_EQ(task->GetCurvature(), regularization);
        const WeightedSamples samples = MakeSamples(SAMPLES);
        const ModelVector zero = ModelVector::Zero(task->GetDimension());
        const ModelVector minimum = Minimize(*task, samples, zero);
        EXPECT_LE(GradientAt(*task, minimum, samples).norm(), 1e-10 * (1 + minimum.norm()));
        const double loss = task->GetLoss(minimum, samples);
        for (int trial = 0; trial < 30; ++trial)
        {
            const ModelVector move = MakeModel(std::pow(10.0, trial % 6 - 4));
            EXPECT_GE(task->GetLoss(minimum + move, samples),
                      loss + regularization / 2 * move.squaredNorm() - 1e-12 * (1 + loss));
        }
        // Every score of a start like these is saturated; the answer must be the same.
        for (double scale : {1.0, 1e2, 1e4})
        {
            const ModelVector other = Minimize(*task, samples, MakeModel(scale));
            const double allowed = 2e-10 * (1 + minimum.norm()) / regularization;
            EXPECT_LE((other - minimum).norm(), allowed) << scale;
            const ModelVector limit = MinimizeFrom(*task, MakeModel(scale), samples);
            EXPECT_LE((limit - minimum).norm(), allowed) << scale;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Tasks, TaskConformance, testing::ValuesIn(AllTasks()), GetCaseName);
INSTANTIATE_TEST_SUITE_P(Tasks,
                         ConvexTaskConformance,
                         testing::ValuesIn(ConvexTasks()),
                         GetCaseName);

} // namespace
