/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-generator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace
{

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

double
Sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

/**
 * Each of the 62 figures is off by 6 standard errors with probability 2e-9 (normal
 * approximation), so this fails with probability of at most about 2e-7 for a random seed.
 */
TEST(MakeLinearGaussian, MomentsAreThoseOfTheModel)
{
    constexpr double n = 40000;
    LinearGaussianOptions options;
    options.samples = n;
    options.features = 5;
    options.noiseStd = 0.7;
    options.truth.resize(5);
    options.truth << 1, -2, 0, 0.5, 3;
    const Dataset data = MakeLinearGaussian(options, 100);
    data.Validate();
    EXPECT_EQ(data.classes, 0U);
    EXPECT_EQ(data.truth, options.truth);

    // Features and standardised noise together are 6 independent N(0, 1).
    Eigen::MatrixXd normals(6, data.GetSize());
    normals.topRows(5) = data.features;
    normals.row(5) = (data.labels - data.features.transpose() * data.truth) / options.noiseStd;
    const Eigen::MatrixXd second = normals * normals.transpose() / n;
    // Dependence on the sample before, which has the moments of a cross product.
    const Eigen::MatrixXd lagged = normals.rightCols(data.GetSize() - 1) *
                                   normals.leftCols(data.GetSize() - 1).transpose() / (n - 1);
    for (int i = 0; i < 6; ++i)
    {
        EXPECT_NEAR(normals.row(i).mean(), 0, 6 / std::sqrt(n));
        EXPECT_NEAR(normals.row(i).array().pow(4).mean(), 3, 6 * std::sqrt(96 / n));
        for (int j = 0; j <= i; ++j)
        {
            // Var(z^2) = 2 and Var(z z') = 1.
            EXPECT_NEAR(second(i, j), i == j, 6 * std::sqrt((i == j ? 2 : 1) / n));
        }
        for (int j = 0; j < 6; ++j)
        {
            EXPECT_NEAR(lagged(i, j), 0, 6 / std::sqrt(n));
        }
    }
}

TEST(MakeLinearGaussian, WithoutNoiseTargetsAreExact)
{
    LinearGaussianOptions options;
    options.samples = 50;
    options.noiseStd = 0;
    const Dataset data = MakeLinearGaussian(options, 1);
    EXPECT_EQ(data.truth.size(), 20);
    EXPECT_EQ((data.truth.array() != 0).count(), 20);
    const Eigen::VectorXd exact = data.features.transpose() * data.truth;
    EXPECT_LT((data.labels - exact).cwiseAbs().maxCoeff(), 1e-13) << "order of summation only";
}

/**
 * Places: chi-squared with a bound of 1e-6, see ChiSquareBound() (chosen without replacement
 * they vary less than that). Values: 6 standard errors, 2e-9 each.
 */
TEST(MakeLinearGaussian, SparseTruthHasRandomPlacesAndValues)
{
    LinearGaussianOptions options;
    options.samples = 1;
    options.features = 20;
    options.nonZeros = 5;
    constexpr int repetitions = 2000;
    std::vector<double> places(20);
    double sum = 0;
    double squares = 0;
    for (int k = 0; k < repetitions; ++k)
    {
        const auto truth = MakeLinearGaussian(options, 10 * k).truth;
        ASSERT_EQ((truth.array() != 0).count(), 5);
        for (int i = 0; i < 20; ++i)
        {
            places[i] += truth(i) != 0;
        }
        sum += truth.sum();
        squares += truth.squaredNorm();
    }
    constexpr double draws = 5 * repetitions;
    EXPECT_LT(ChiSquare(places), ChiSquareBound(places.size()));
    EXPECT_NEAR(sum / draws, 0, 6 / std::sqrt(draws));
    EXPECT_NEAR(squares / draws, 1, 6 * std::sqrt(2 / draws));
}

TEST(MakeLinearGaussian, StreamsAreFixedAndSeparate)
{
    LinearGaussianOptions options;
    options.samples = 30;
    options.features = 4;
    const Dataset data = MakeLinearGaussian(options, 8);
    const Dataset again = MakeLinearGaussian(options, 8);
    EXPECT_EQ(data.features, again.features);
    EXPECT_EQ(data.labels, again.labels);
    EXPECT_EQ(data.truth, again.truth);
    EXPECT_NE(data.features, MakeLinearGaussian(options, 12).features);

    LinearGaussianOptions noisy(options);
    noisy.noiseStd = 10;
    EXPECT_EQ(MakeLinearGaussian(noisy, 8).features, data.features);
    EXPECT_EQ(MakeLinearGaussian(noisy, 8).truth, data.truth);

    LinearGaussianOptions longer(options);
    longer.samples = 60;
    const Dataset extended = MakeLinearGaussian(longer, 8);
    EXPECT_EQ(extended.features.leftCols(30), data.features);
    // The product with the truth may be summed in another order.
    EXPECT_LT((extended.labels.head(30) - data.labels).cwiseAbs().maxCoeff(), 1e-13);

    // On one stream, truth, features and noise would be the same numbers.
    LinearGaussianOptions plain;
    plain.features = 1;
    plain.noiseStd = 1;
    EXPECT_NE(MakeLinearGaussian(plain, 8).truth(0), MakeLinearGaussian(plain, 8).features(0, 0));
    plain.truth = ModelVector::Zero(1);
    const Dataset noise = MakeLinearGaussian(plain, 8);
    EXPECT_NEAR(noise.features.row(0).dot(noise.labels) / 8000, 0, 6 / std::sqrt(8000.0))
        << "6 standard errors: probability 2e-9";
}

TEST(MakeLinearGaussian, RefusesWrongOptions)
{
    const auto expectRefused = [](auto change, const std::string& message) {
        LinearGaussianOptions options;
        change(options);
        ExpectRefused([&] { MakeLinearGaussian(options, 0); }, "MakeLinearGaussian: " + message);
    };
    using Options = LinearGaussianOptions;
    expectRefused([](Options& o) { o.samples = 0; }, "samples must be at least 1, got 0");
    expectRefused([](Options& o) { o.features = 0; }, "features must be at least 1, got 0");
    expectRefused([](Options& o) { o.noiseStd = -1; },
                  "noiseStd must be finite and at least 0, got -1");
    expectRefused([](Options& o) { o.noiseStd = NAN; },
                  "noiseStd must be finite and at least 0, got nan");
    expectRefused([](Options& o) { o.nonZeros = 21; },
                  "nonZeros must be at most 20 (features), got 21");
    expectRefused([](Options& o) { o.truth = ModelVector::Zero(3); },
                  "truth must have 20 entries, got 3");
    expectRefused([](Options& o) { o.truth = ModelVector::Constant(20, INFINITY); },
                  "truth must be finite");
    expectRefused(
        [](Options& o) {
            o.truth = ModelVector::Zero(20);
            o.nonZeros = 2;
        },
        "nonZeros must be at most 0 when truth is given, got 2");
    expectRefused([](Options& o) { o.samples = o.features = 1000000; },
                  "1000000 features x 1000000 samples need");
}

TEST(MakeCategorical, DefaultLooksLikeMushrooms)
{
    for (int stream = 0; stream < 20; ++stream)
    {
        const Dataset data = MakeCategorical({}, 3 * stream);
        data.Validate();
        EXPECT_EQ(data.GetSize(), 8000U);
        EXPECT_EQ(data.GetFeatures(), 112U);
        EXPECT_EQ(data.labelNames, (std::vector<std::string>{"0", "1"}));
        EXPECT_TRUE(((data.features.array() == 0) || (data.features.array() == 1)).all());
        EXPECT_EQ(data.features.colwise().sum(), Eigen::RowVectorXd::Constant(8000, 21));
        // Ranges that 1000 drawn truths stay well inside: 0.45 to 0.54 and 0.963 to 0.980.
        EXPECT_NEAR(data.labels.mean(), 0.5, 0.1);
        const Eigen::VectorXd logits = data.features.transpose() * data.truth;
        const double bayes = logits.cwiseAbs().unaryExpr(&Sigmoid).mean();
        EXPECT_GT(bayes, 0.95);
        EXPECT_LT(bayes, 0.99);
        const auto right = ((logits.array() > 0) == (data.labels.array() > 0.5)).count() / 8000.0;
        // 6 standard errors of a share of 8000 near 0.97: probability 2e-9 each.
        EXPECT_NEAR(right, bayes, 6 * std::sqrt(0.05 * 0.95 / 8000));
    }
}

/** Over the product of the documented category probabilities, not over drawn samples. */
TEST(MakeCategorical, TruthHasTheExactMomentsOfTheMargin)
{
    CategoricalOptions options;
    options.samples = 1;
    options.margin = 3;
    options.skew = 0.5;
    const Dataset data = MakeCategorical(options, 4);
    double variance = 0;
    int column = 0;
    for (const auto count : options.categories)
    {
        double total = 0;
        double mean = 0;
        double square = 0;
        for (uint32_t k = 0; k < count; ++k, ++column)
        {
            const double chance = 1 / std::sqrt(k + 1.0);
            total += chance;
            mean += chance * data.truth(column);
            square += chance * std::pow(data.truth(column), 2);
        }
        EXPECT_NEAR(mean, 0, 1e-13);
        variance += square / total;
    }
    EXPECT_EQ(column, data.truth.size());
    EXPECT_NEAR(variance, 9, 1e-12);
}

/** 6 standard errors for each of 11 + 28 figures: fails with probability 1e-7 at most. */
TEST(MakeCategorical, CategoriesHaveTheirProbabilitiesAndAreIndependent)
{
    CategoricalOptions options;
    options.samples = 40000;
    options.categories = {4, 1, 6};
    const double n = options.samples;
    const Dataset data = MakeCategorical(options, 5);
    // Zipf: 1, 1/2, 1/3 ... over their sums 25/12 and 49/20.
    const std::vector<double> chances{12. / 25,
                                      6. / 25,
                                      4. / 25,
                                      3. / 25,
                                      1,
                                      20. / 49,
                                      10. / 49,
                                      20. / 147,
                                      5. / 49,
                                      4. / 49,
                                      10. / 147};
    ASSERT_EQ(data.GetFeatures(), chances.size());
    for (size_t i = 0; i < chances.size(); ++i)
    {
        const double p = chances[i];
        EXPECT_NEAR(data.features.row(i).mean(), p, 6 * std::sqrt(p * (1 - p) / n)) << i;
    }
    for (int i = 0; i < 4; ++i)
    {
        for (int j = 5; j < 11; ++j)
        {
            const double p = chances[i] * chances[j];
            EXPECT_NEAR(data.features.row(i).dot(data.features.row(j)) / n,
                        p,
                        6 * std::sqrt(p * (1 - p) / n));
        }
        // One sample and the next.
        const double p = chances[i] * chances[i];
        const Eigen::VectorXd row = data.features.row(i);
        // Neighbouring products overlap: their covariance at most doubles the variance.
        EXPECT_NEAR(row.head(n - 1).dot(row.tail(n - 1)) / (n - 1),
                    p,
                    6 * std::sqrt(3 * p * (1 - p) / n));
    }
}

/**
 * Given the features, labels are independent coins with the logistic probability: the sums
 * below have mean 0 and known variance. 6 standard errors, 2e-9 for each of 27 figures.
 */
TEST(MakeCategorical, LabelsFollowTheLogisticTruth)
{
    CategoricalOptions options;
    options.samples = 30000;
    options.margin = 1.5; // most samples near the boundary, where probabilities matter
    // One attribute alone would show labels and categories drawn from one stream.
    for (const auto& categories :
         std::vector<std::vector<uint32_t>>{std::vector<uint32_t>{3, 2, 5, 10},
                                            std::vector<uint32_t>(1, 2)})
    {
        options.categories = categories;
        const Dataset data = MakeCategorical(options, 6);
        const Eigen::VectorXd logits = data.features.transpose() * data.truth;
        const Eigen::VectorXd chances = logits.unaryExpr(&Sigmoid);
        const Eigen::VectorXd surplus = data.labels - chances;
        const Eigen::VectorXd variances = chances.array() * (1 - chances.array());
        const auto check = [&](const Eigen::VectorXd& weights) {
            EXPECT_NEAR(weights.dot(surplus), 0, 6 * std::sqrt(weights.cwiseAbs2().dot(variances)));
        };
        check(Eigen::VectorXd::Ones(options.samples));
        check(logits); // a slope of the logit other than 1 would show here
        for (Eigen::Index column = 0; column < data.features.rows(); ++column)
        {
            check(data.features.row(column));
        }
    }

    options.margin = 0; // coins
    EXPECT_NEAR(MakeCategorical(options, 6).labels.mean(), 0.5, 6 * 0.5 / std::sqrt(30000.0));
}

TEST(MakeCategorical, StreamsAreFixedAndSeparate)
{
    CategoricalOptions options;
    options.samples = 200;
    const Dataset data = MakeCategorical(options, 7);
    const Dataset again = MakeCategorical(options, 7);
    EXPECT_EQ(data.features, again.features);
    EXPECT_EQ(data.labels, again.labels);
    EXPECT_EQ(data.truth, again.truth);
    EXPECT_NE(data.features, MakeCategorical(options, 17).features);

    options.margin *= 2;
    options.samples *= 2;
    const Dataset other = MakeCategorical(options, 7);
    EXPECT_EQ(other.features.leftCols(200), data.features);
    EXPECT_TRUE(other.truth.isApprox(2 * data.truth, 1e-15));
}

TEST(MakeCategorical, RefusesWrongOptions)
{
    const auto expectRefused = [](auto change, const std::string& message) {
        CategoricalOptions options;
        change(options);
        ExpectRefused([&] { MakeCategorical(options, 0); }, "MakeCategorical: " + message);
    };
    using Options = CategoricalOptions;
    expectRefused([](Options& o) { o.samples = 0; }, "samples must be at least 1, got 0");
    expectRefused([](Options& o) { o.skew = -0.5; },
                  "skew must be finite and at least 0, got -0.5");
    expectRefused([](Options& o) { o.margin = INFINITY; },
                  "margin must be finite and at least 0, got inf");
    expectRefused([](Options& o) { o.categories.clear(); },
                  "categories must list at least 1 attribute");
    expectRefused(
        [](Options& o) {
            o.categories = {2, 0};
        },
        "categories of an attribute must be at least 1, got 0");
    const std::string choice =
        "at least one attribute must have 2 categories of noticeable probability, got none (skew ";
    expectRefused([](Options& o) { o.categories = {1, 1}; }, choice + "1)");
    expectRefused([](Options& o) { o.skew = 2000; }, choice + "2000)");
    expectRefused([](Options& o) { o.categories.assign(2, 4000000000U); },
                  "8000000000 features x 8000 samples need");
}

} // namespace
