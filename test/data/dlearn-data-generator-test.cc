/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-linear-tasks.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

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

TEST(MakeCategorical, DefaultLooksLikeMushrooms)
{
    double sumOfBayes = 0;
    for (int stream = 0; stream < 20; ++stream)
    {
        const Dataset data = MakeCategorical({}, 3 * stream);
        data.Validate();
        EXPECT_EQ(data.GetSize(), 8000U);
        EXPECT_EQ(data.GetFeatures(), 112U);
        EXPECT_EQ(data.labelNames, (std::vector<std::string>{"0", "1"}));
        EXPECT_TRUE(((data.features.array() == 0) || (data.features.array() == 1)).all());
        EXPECT_EQ(data.features.colwise().sum(), Eigen::RowVectorXd::Constant(8000, 21));
        const double share = data.labels.mean();
        // 6 standard errors of a share of 8000 near 1/2: probability 2e-9 each.
        EXPECT_NEAR(share, 0.5, 6 * 0.5 / std::sqrt(8000.0));
        const Eigen::VectorXd logits = data.features.transpose() * data.truth;
        const double bayes = logits.cwiseAbs().unaryExpr(&Sigmoid).mean();
        sumOfBayes += bayes;
        const auto right = ((logits.array() > 0) == (data.labels.array() > 0.5)).count() / 8000.0;
        // 6 standard errors of a share of 8000 above 0.95: probability 2e-9 each.
        EXPECT_NEAR(right, bayes, 6 * std::sqrt(0.05 * 0.95 / 8000));

        // Ranges of 1000 drawn truths: 0.957 to 1, 0.916 to 1 and 0.207 to 0.979.
        const Eigen::VectorXd mean = data.features.rowwise().mean();
        const Eigen::VectorXd ones = data.features * data.labels / (8000 * share);
        const Eigen::VectorXd zeros = (mean - share * ones) / (1 - share);
        const Eigen::VectorXd step = ones - zeros;
        const Eigen::ArrayXd scores =
            (data.features.transpose() * step).array() - step.dot(ones + zeros) / 2;
        EXPECT_GT(bayes, 0.95);
        EXPECT_GT(((scores > 0) == (data.labels.array() > 0.5)).count() / 8000.0, 0.9);
        const double spread = step.squaredNorm() / mean.squaredNorm();
        EXPECT_GT(spread, 0.15);
        EXPECT_LT(spread, 1.1);
    }
    // 1000 truths: mean 0.990, standard deviation below 0.01, so 0.002 for the mean of 20.
    EXPECT_NEAR(sumOfBayes / 20, 0.99, 0.012);
}

/**
 * The chances of the categories given the label, one column per label, from w* alone: the
 * documented chances do not change when all tilts of an attribute get the same constant
 * more, so the weights of w* can stand for the tilts.
 */
Eigen::MatrixX2d
ClassConditionals(const CategoricalOptions& options, const Eigen::VectorXd& truth)
{
    Eigen::MatrixX2d chances(truth.size(), 2);
    int first = 0;
    for (const int count : options.categories)
    {
        for (const int label : {0, 1})
        {
            double total = 0;
            for (int k = 0; k < count; ++k)
            {
                const double tilt = (label == 1 ? 0.5 : -0.5) * truth(first + k);
                total += chances(first + k, label) =
                    std::pow(k + 1.0, -options.skew) * std::exp(tilt);
            }
            chances.col(label).segment(first, count) /= total;
        }
        first += count;
    }
    return chances;
}

/** All 120 feature vectors, Bayes' rule with products of chances: no logarithm, no sum. */
TEST(MakeCategorical, PosteriorByBayesRuleIsTheLogisticTruth)
{
    CategoricalOptions options;
    options.samples = 1;
    options.categories = {4, 1, 6, 5};
    options.skew = 0.7;
    for (const double separation : {0.0, 0.5, 3.0})
    {
        options.separation = separation;
        const Eigen::VectorXd truth = MakeCategorical(options, 4).truth;
        ASSERT_EQ(truth.size(), 16);
        EXPECT_EQ(truth.isZero(0), separation == 0);
        const auto chances = ClassConditionals(options, truth);
        for (int i = 0; i < 4; ++i)
        {
            for (int j = 5; j < 11; ++j)
            {
                for (int k = 11; k < 16; ++k)
                {
                    const Eigen::Array2d joint = (chances.row(i).array() * chances.row(4).array() *
                                                  chances.row(j).array() * chances.row(k).array())
                                                     .transpose();
                    EXPECT_NEAR(joint(1) / joint.sum(),
                                Sigmoid(truth(i) + truth(4) + truth(j) + truth(k)),
                                1e-14)
                        << "rounding only";
                }
            }
        }
    }
}

/**
 * Differences of weights within an attribute are those of its tilts: normal, of variance
 * 2 (separation decay^a)^2. The sums of squared deviations over variance are chi-squared
 * (Laurent and Massart: off by 6 standard deviations with probability 4e-7 at most), the
 * share within the quartiles and the correlation are off by 6 standard errors with
 * probability 2e-9: at most 2e-6 for all.
 */
TEST(MakeCategorical, TiltsHaveTheDecayingSeparation)
{
    constexpr int repetitions = 2000;
    CategoricalOptions options;
    options.samples = 1;
    options.categories = {4, 2, 5};
    options.separation = 3;
    options.decay = 0.5;
    Eigen::Array3d squares = Eigen::Array3d::Zero();
    Eigen::Array3d within = Eigen::Array3d::Zero();
    double product = 0;
    for (int k = 0; k < repetitions; ++k)
    {
        const Eigen::VectorXd truth = MakeCategorical(options, 3 * k).truth;
        int first = 0;
        Eigen::Array3d normals;
        for (int a = 0; a < 3; ++a)
        {
            const double deviation = 3 * std::pow(0.5, a);
            const Eigen::ArrayXd weights = truth.segment(first, options.categories[a]);
            squares(a) += ((weights - weights.mean()) / deviation).square().sum();
            normals(a) = (weights(0) - weights(1)) / (deviation * std::sqrt(2));
            within(a) += std::abs(normals(a)) < 0.6744897501960817; // quartile of N(0, 1)
            first += options.categories[a];
        }
        product += normals(0) * normals(2);
    }
    for (int a = 0; a < 3; ++a)
    {
        const double freedom = repetitions * (options.categories[a] - 1.0);
        EXPECT_NEAR(squares(a), freedom, 6 * std::sqrt(2 * freedom)) << a;
        EXPECT_NEAR(within(a) / repetitions, 0.5, 6 * 0.5 / std::sqrt(repetitions)) << a;
    }
    EXPECT_NEAR(product / repetitions, 0, 6 / std::sqrt(repetitions));

    options.decay = 0;
    const Eigen::VectorXd truth = MakeCategorical(options, 0).truth;
    EXPECT_FALSE(truth.head(4).isZero(0.01));
    EXPECT_TRUE(truth.tail(7).isZero(0));
}

/**
 * 6 standard errors for each of 1 + 2 (11 + 24) + 4 figures, 2e-9 each: fails with
 * probability 2e-7 at most.
 */
TEST(MakeCategorical, CategoriesHaveTheChancesOfTheirClassAndAreIndependentGivenIt)
{
    CategoricalOptions options;
    options.samples = 40000;
    options.categories = {4, 1, 6};
    options.skew = 1;
    options.separation = 1;
    const Dataset data = MakeCategorical(options, 5);
    const auto chances = ClassConditionals(options, data.truth);
    ASSERT_EQ(data.GetFeatures(), 11U);
    const auto bound = [](double p, double n) { return 6 * std::sqrt(p * (1 - p) / n); };
    EXPECT_NEAR(data.labels.mean(), 0.5, bound(0.5, options.samples));
    for (const int label : {0, 1})
    {
        const Eigen::VectorXd members = (data.labels.array() == label).cast<double>();
        const double n = members.sum();
        for (int i = 0; i < 11; ++i)
        {
            const double p = chances(i, label);
            EXPECT_NEAR(data.features.row(i).dot(members) / n, p, bound(p, n)) << i;
        }
        for (int i = 0; i < 4; ++i)
        {
            for (int j = 5; j < 11; ++j)
            {
                const double p = chances(i, label) * chances(j, label);
                const Eigen::VectorXd both =
                    data.features.row(i).cwiseProduct(data.features.row(j));
                EXPECT_NEAR(both.dot(members) / n, p, bound(p, n));
            }
        }
    }
    for (int i = 0; i < 4; ++i)
    {
        // One sample and the next: neighbouring products overlap, and their covariance at most
        // triples the variance.
        const double n = options.samples - 1.0;
        const double p = std::pow(chances.row(i).mean(), 2);
        const Eigen::VectorXd row = data.features.row(i);
        EXPECT_NEAR(row.head(n).dot(row.tail(n)) / n, p, std::sqrt(3) * bound(p, n));
    }
}

} // namespace

namespace ns3::dlearn
{
namespace
{

/** Images of the shapes as they are, with a pen of width 2. */
GlyphOptions
Plain(uint32_t samples)
{
    GlyphOptions options;
    options.samples = samples;
    options.rotation = 0;
    options.shear = 0;
    options.scale = 0;
    options.translation = 0;
    options.thinnest = 2;
    options.thickest = 2;
    options.jitter = 0;
    options.noiseStd = 0;
    return options;
}

TEST(MakeGlyphs, RepeatsAndExtends)
{
    GlyphOptions options;
    options.samples = 50;
    const Dataset few = MakeGlyphs(options, 7);
    EXPECT_NO_THROW(few.Validate());
    EXPECT_EQ(few.classes, 10U);
    EXPECT_EQ(few.GetFeatures(), 784U);
    EXPECT_EQ(few.shape.GetSize(), 784U);
    EXPECT_GE(few.features.minCoeff(), 0);
    EXPECT_LE(few.features.maxCoeff(), 1);
    EXPECT_EQ(MakeGlyphs(options, 7).features, few.features);
    EXPECT_NE(MakeGlyphs(options, 11).features, few.features);
    options.samples = 80;
    const Dataset more = MakeGlyphs(options, 7);
    EXPECT_EQ(more.features.leftCols(50), few.features);
    EXPECT_EQ(more.labels.head(50), few.labels);
}

// The one, a glyph of straight lines: 18 of 28 pixels high, in the middle.
TEST(MakeGlyphs, ShadesByTheDistanceFromTheNearestLine)
{
    const Dataset data = MakeGlyphs(Plain(60), 1);
    const Eigen::Vector2d corners[] = {{10.4, 8.96}, {15.08, 5}, {15.08, 23}};
    uint32_t ones = 0;
    for (uint32_t k = 0; k < data.GetSize(); ++k)
    {
        ones += data.labels(k) == 1;
        for (int pixel = 0; pixel < 784 && data.labels(k) == 1; ++pixel)
        {
            const Eigen::Vector2d centre(pixel % 28 + 0.5, pixel / 28 + 0.5);
            double distance = HUGE_VAL;
            for (int line = 0; line < 2; ++line)
            {
                const Eigen::Vector2d along = corners[line + 1] - corners[line];
                const double place = (centre - corners[line]).dot(along) / along.squaredNorm();
                const Eigen::Vector2d nearest =
                    corners[line] + std::min(std::max(place, 0.0), 1.0) * along;
                distance = std::min(distance, (centre - nearest).norm());
            }
            const double wanted = std::min(1.0, std::max(0.0, 1.5 - distance));
            EXPECT_NEAR(data.features(pixel, k), wanted, 1e-12);
        }
    }
    EXPECT_GE(ones, 1U);
}

TEST(MakeGlyphs, ShapesAreAsHighAsTheGlyphAndDiffer)
{
    const Dataset data = MakeGlyphs(Plain(200), 1);
    std::map<double, Eigen::VectorXd> shapes;
    for (uint32_t k = 0; k < data.GetSize(); ++k)
    {
        const auto [shape, isNew] = shapes.emplace(data.labels(k), data.features.col(k));
        EXPECT_EQ(shape->second, data.features.col(k));
        // Rows 4 to 23, counted from 0, have ink: 18 pixels and half of the pen at both ends.
        EXPECT_GT(data.features.col(k).segment(4 * 28, 28).maxCoeff(), 0);
        EXPECT_GT(data.features.col(k).segment(23 * 28, 28).maxCoeff(), 0);
        EXPECT_EQ(data.features.col(k).head(3 * 28).maxCoeff(), 0);
        EXPECT_EQ(data.features.col(k).tail(3 * 28).maxCoeff(), 0);
    }
    ASSERT_EQ(shapes.size(), 10U);
    for (const auto& [label, shape] : shapes)
    {
        for (const auto& [other, another] : shapes)
        {
            EXPECT_EQ(shape == another, label == other);
        }
    }
}

TEST(MakeGlyphs, ChoosesClassesUniformly)
{
    const Dataset data = MakeGlyphs(Plain(3000), 2);
    std::vector<double> counts(10);
    for (const double label : data.labels)
    {
        ++counts[static_cast<size_t>(label)];
    }
    EXPECT_LT(test::ChiSquare(counts), test::ChiSquareBound(10)); // fails with 1e-6
}

// The centre of gravity of the ink moves as the shape does; that pixels are no points moves it
// by less than 0.1. A shift is uniform in [-3, 3], of variance 3, and the estimate of that has
// the standard deviation sqrt((81/5 - 9) / 2000) = 0.06; six of them are exceeded with 2e-9.
TEST(MakeGlyphs, ShiftsUniformly)
{
    GlyphOptions options = Plain(2000);
    options.translation = 3;
    const Dataset moved = MakeGlyphs(options, 3);
    const Dataset still = MakeGlyphs(Plain(2000), 3);
    ASSERT_EQ(moved.labels, still.labels);
    Eigen::VectorXd column(784);
    Eigen::VectorXd row(784);
    for (int k = 0; k < 784; ++k)
    {
        column(k) = k % 28;
        row(k) = k / 28;
    }
    for (const Eigen::VectorXd& place : {column, row})
    {
        const auto centres = [&place](const Dataset& data) {
            const Eigen::ArrayXd ink = data.features.colwise().sum().transpose();
            return Eigen::ArrayXd((data.features.transpose() * place).array() / ink);
        };
        const Eigen::ArrayXd shifts = centres(moved) - centres(still);
        EXPECT_LE(shifts.abs().maxCoeff(), 3.1);
        EXPECT_NEAR(shifts.square().mean(), 3, 6 * 0.06);
    }
}

// The first row holds no ink. There, noise of deviation s that is cut at 0 has the mean
// s / sqrt(2 pi), the mean square s^2 / 2, and so a mean over n pixels the deviation
// s sqrt((1/2 - 1/(2 pi)) / n); six of them are exceeded with 2e-9.
TEST(MakeGlyphs, AddsNoiseOfTheDeviationAskedFor)
{
    GlyphOptions options = Plain(1000);
    options.noiseStd = 0.15;
    const Dataset data = MakeGlyphs(options, 4);
    const double pi = std::acos(-1);
    const double deviation = 0.15 * std::sqrt((0.5 - 0.5 / pi) / 28e3);
    EXPECT_NEAR(data.features.topRows(28).mean(), 0.15 / std::sqrt(2 * pi), 6 * deviation);
}

} // namespace
} // namespace ns3::dlearn

namespace
{

using namespace ns3;

TEST(SineData, LabelsComeInPairs)
{
    for (const uint32_t samples : {1, 6, 7})
    {
        const Dataset data = MakeSineData({samples, 2, 3}, 5);
        EXPECT_NO_THROW(data.Validate());
        EXPECT_EQ(data.classes, 0U);
        EXPECT_EQ(data.truth, ModelVector::Zero(2));
        EXPECT_EQ(data.labels.sum(), 0) << "to the last bit";
        EXPECT_LE(data.labels.cwiseAbs().maxCoeff(), 3);
        EXPECT_EQ(data.labels.norm() > 0, samples > 1);
    }
    EXPECT_EQ(MakeSineData({9, 1, 0}, 5).labels.norm(), 0);
}

// Kolmogorov-Smirnov against Lap(1/2): as in the test of LaplaceMechanism, n = 50,000 draws are
// farther than 0.0147 from their distribution with probability at most 8.3e-10.
TEST(SineData, FeaturesHaveTheLaplaceDistribution)
{
    const Dataset data = MakeSineData({10000, 5, 1}, 6);
    Eigen::VectorXd draws = data.features.reshaped();
    std::sort(draws.begin(), draws.end());
    const double n = draws.size();
    double distance = 0;
    for (Eigen::Index k = 0; k < draws.size(); ++k)
    {
        const double tail = 0.5 * std::exp(-std::abs(draws[k]) / 0.5);
        const double cdf = draws[k] < 0 ? tail : 1 - tail;
        distance = std::max({distance, cdf - k / n, (k + 1) / n - cdf});
    }
    EXPECT_LT(distance, 0.0147);
}

} // namespace
