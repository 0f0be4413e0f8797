/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TASK_TEST_SUPPORT_H
#define DLEARN_TASK_TEST_SUPPORT_H

/**
 * @file
 * Small data sets and random models, for the tests of model/task.
 */

#include "ns3/dlearn-task.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace ns3::dlearn
{
namespace test
{

/** Random numbers of the tests; a fixed seed, so that a failure comes back. */
using Engine = std::mt19937_64;

/**
 * @param engine random numbers
 * @param size number of entries
 * @param scale standard deviation
 * @return normal entries
 */
inline ModelVector
RandomVector(Engine& engine, Eigen::Index size, double scale = 1)
{
    std::normal_distribution<double> normal;
    return ModelVector::NullaryExpr(size, [&]() { return scale * normal(engine); });
}

/**
 * @param classes number of classes; 0 for a regression
 * @param features number of features
 * @param samples number of samples
 * @param seed of the random numbers
 * @return samples whose labels depend on the features, but not without errors
 */
inline std::shared_ptr<Dataset>
RandomData(uint32_t classes, uint32_t features, uint32_t samples, uint64_t seed = 1)
{
    Engine engine(seed);
    auto data = std::make_shared<Dataset>();
    data->name = "random";
    data->classes = classes;
    data->features.resize(features, samples);
    data->labels.resize(samples);
    const uint32_t scores = std::max(classes, 1U);
    Eigen::MatrixXd model(features, scores);
    model.reshaped() = RandomVector(engine, model.size());
    for (uint32_t i = 0; i < samples; ++i)
    {
        data->features.col(i) = RandomVector(engine, features);
        const ModelVector noisy =
            model.transpose() * data->features.col(i) + RandomVector(engine, scores);
        Eigen::Index best = 0;
        data->labels[i] = noisy.maxCoeff(&best);
        if (classes > 0)
        {
            data->labels[i] = static_cast<double>(best);
        }
    }
    return data;
}

/**
 * @param first the first index
 * @param count how many
 * @return first, first + 1, and so on
 */
inline SampleIndices
Range(uint32_t first, uint32_t count)
{
    SampleIndices indices(count);
    std::iota(indices.begin(), indices.end(), first);
    return indices;
}

/**
 * @param task computes the gradient
 * @param theta where
 * @param samples what to average over
 * @param clipNorm per-sample clipping; 0 for none
 * @return the gradient
 */
inline ModelVector
GradientAt(const Task& task,
           const ModelVector& theta,
           const WeightedSamples& samples,
           double clipNorm = 0)
{
    ModelVector gradient(theta.size());
    task.ClippedGradient(theta, samples, clipNorm, gradient);
    return gradient;
}

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_TASK_TEST_SUPPORT_H
