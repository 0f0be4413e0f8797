/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-partitioner.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace
{

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

using Shards = std::vector<SampleIndices>;

/** Samples with these labels; partitions do not look at features, so there are none. */
Dataset
MakeLabelled(const std::vector<double>& labels, uint32_t classes)
{
    Dataset data;
    data.name = "labelled";
    data.features.resize(0, labels.size());
    data.labels = Eigen::Map<const Eigen::VectorXd>(labels.data(), labels.size());
    data.classes = classes;
    return data;
}

/** Samples whose labels go round: 0, 1, .., classes - 1, 0, 1, .. */
Dataset
MakeBalanced(uint32_t samples, uint32_t classes)
{
    std::vector<double> labels(samples);
    for (uint32_t k = 0; k < samples; ++k)
    {
        labels[k] = k % classes;
    }
    return MakeLabelled(labels, classes);
}

/** What every partition promises. */
void
CheckPartition(const Shards& shards, const Dataset& data, uint32_t learners)
{
    ASSERT_EQ(shards.size(), learners);
    std::vector<int> owners(data.GetSize());
    for (const auto& shard : shards)
    {
        EXPECT_FALSE(shard.empty());
        EXPECT_TRUE(std::is_sorted(shard.begin(), shard.end()));
        for (const auto sample : shard)
        {
            ++owners.at(sample);
        }
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), data.GetSize());
}

/** Largest minus smallest number of samples. */
size_t
GetSpread(const Shards& shards)
{
    const auto [smallest, largest] =
        std::minmax_element(shards.begin(), shards.end(), [](const auto& a, const auto& b) {
            return a.size() < b.size();
        });
    return largest->size() - smallest->size();
}

TEST(Partitioner, EverySampleHasOneOwnerAndEveryLearnerASample)
{
    const std::vector<Dataset> sets{MakeBalanced(61, 2),
                                    MakeBalanced(200, 10),
                                    MakeLabelled({1, 1, 1, 1, 0, 2, 2, 1, 0, 1, 2, 0}, 3)};
    for (const auto& data : sets)
    {
        for (const uint32_t learners : {1U, 2U, 3U, 5U, 8U, 12U})
        {
            for (int64_t stream = 0; stream < 20; ++stream)
            {
                for (const std::string spec : {"iid",
                                               "sorted",
                                               "dirichlet:0.001",
                                               "dirichlet:0.1",
                                               "dirichlet:1",
                                               "dirichlet:1e6",
                                               "quantity:0.1",
                                               "quantity:1e6"})
                {
                    SCOPED_TRACE(spec + " " + std::to_string(learners));
                    const auto shards = PartitionByName(spec, data, learners, 3 * stream);
                    CheckPartition(shards, data, learners);
                    EXPECT_EQ(shards, PartitionByName(spec, data, learners, 3 * stream));
                    if (spec == "iid" || spec == "sorted")
                    {
                        EXPECT_LE(GetSpread(shards), 1U);
                    }
                }
            }
        }
    }
    EXPECT_NE(PartitionIid(sets[1], 5, 1), PartitionIid(sets[1], 5, 2));
    EXPECT_NE(PartitionDirichlet(sets[1], 5, 1, 0), PartitionDirichlet(sets[1], 5, 1, 3));
    CheckPartition(PartitionIid(sets[1], 5, -1), sets[1], 5); // automatic streams
}

TEST(Partitioner, ByLabelWithMoreLearnersThanClasses)
{
    //                                  0  1  2  3  4  5  6  7  8  9 10 11
    const Dataset data = MakeLabelled({0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1}, 2);
    const Shards expected{{0, 5, 10}, {1, 6}, {3, 9}, {2, 7, 11}, {4, 8}};
    EXPECT_EQ(PartitionByLabel(data, 5), expected);
    EXPECT_EQ(PartitionByName("label", data, 5, 99), expected);
    EXPECT_EQ(PartitionByLabel(data, 2), (Shards{{0, 1, 3, 5, 6, 9, 10}, {2, 4, 7, 8, 11}}));

    for (uint32_t classes = 1; classes <= 10; ++classes)
    {
        for (uint32_t learners = classes; learners <= 20; ++learners)
        {
            const Dataset balanced = MakeBalanced(200, classes);
            const auto shards = PartitionByLabel(balanced, learners);
            CheckPartition(shards, balanced, learners);
            for (uint32_t i = 0; i < learners; ++i)
            {
                for (const auto sample : shards[i])
                {
                    EXPECT_EQ(balanced.labels(sample), i * classes / learners);
                }
            }
        }
    }
}

TEST(Partitioner, ByLabelWithFewerLearnersThanClasses)
{
    const Dataset data = MakeBalanced(50, 10);
    const auto shards = PartitionByLabel(data, 3);
    CheckPartition(shards, data, 3);
    // floor(3 c / 10) for c = 0..9
    const std::vector<uint32_t> owners{0, 0, 0, 0, 1, 1, 1, 2, 2, 2};
    for (uint32_t i = 0; i < 3; ++i)
    {
        for (const auto sample : shards[i])
        {
            EXPECT_EQ(owners[sample % 10], i);
        }
    }
    EXPECT_EQ(PartitionByLabel(data, 1)[0].size(), 50U);
}

TEST(Partitioner, SortedCutsAStableOrder)
{
    const Dataset classes = MakeLabelled({2, 0, 1, 0, 2, 1, 0}, 3);
    // Sorted: 1 3 6 | 2 5 | 0 4
    EXPECT_EQ(PartitionSorted(classes, 3), (Shards{{1, 3}, {2, 6}, {0, 4, 5}}));
    const Dataset targets = MakeLabelled({0.5, -3, 7, 0.25}, 0);
    EXPECT_EQ(PartitionSorted(targets, 2), (Shards{{1, 3}, {0, 2}}));
    CheckPartition(PartitionIid(targets, 4, 0), targets, 4);
}

/**
 * The first learner's share of a class has a Beta(alpha, (m-1) alpha) distribution, known in
 * closed form here; so has the last one's. 4000 classes of 100 samples make 4000 independent
 * shares; a count of at most k means a share below (k + 1/2) / 100. By the
 * Dvoretzky-Kiefer-Wolfowitz-Massart inequality each comparison fails with probability of at
 * most 2 exp(-2 x 4000 x 0.045^2) = 2e-7.
 */
TEST(Partitioner, DirichletSharesHaveTheirDistribution)
{
    constexpr uint32_t classes = 4000;
    const Dataset data = MakeBalanced(100 * classes, classes);

    const struct
    {
        double alpha;
        uint32_t learners;
        double (*distribution)(double);
    } cases[] = {
        {0.5, 2, [](double x) { return 2 / M_PI * std::asin(std::sqrt(x)); }},
        {0.5, 3, [](double x) { return std::sqrt(x); }}, // Beta(1/2, 1)
        {1, 2, [](double x) { return x; }},
        {1, 4, [](double x) { return 1 - std::pow(1 - x, 3); }},
        {2, 2, [](double x) { return x * x * (3 - 2 * x); }},
    };

    for (const auto& c : cases)
    {
        const auto shards = PartitionDirichlet(data, c.learners, c.alpha, 20);
        CheckPartition(shards, data, c.learners);
        for (const uint32_t learner : {0U, c.learners - 1})
        {
            std::vector<int> counts(classes);
            for (const auto sample : shards[learner])
            {
                ++counts[sample % classes];
            }
            for (int k = 0; k < 100; ++k)
            {
                const auto below = std::count_if(counts.begin(), counts.end(), [k](int count) {
                    return count <= k;
                });
                EXPECT_NEAR(double(below) / classes, c.distribution((k + 0.5) / 100), 0.045)
                    << "alpha " << c.alpha << ", learner " << learner << ", k " << k;
            }
        }
    }
}

/**
 * For two learners the mean of x (1 - x) is alpha / (2 (2 alpha + 1)); its standard error is
 * at most sqrt(mean / 4 / classes). 6 of them: about 2e-9, plus 1e-4 for whole samples.
 */
TEST(Partitioner, DirichletWithSmallAlphaIsStillRight)
{
    constexpr uint32_t classes = 10000;
    const Dataset data = MakeBalanced(100 * classes, classes);
    for (const double alpha : {0.01, 0.001})
    {
        const auto shards = PartitionDirichlet(data, 2, alpha, 30);
        std::vector<double> shares(classes);
        for (const auto sample : shards[0])
        {
            shares[sample % classes] += 0.01;
        }
        double mean = 0;
        double product = 0;
        for (const double share : shares)
        {
            mean += share / classes;
            product += share * (1 - share) / classes;
        }
        const double expected = alpha / (2 * (2 * alpha + 1));
        EXPECT_NEAR(mean, 0.5, 6 * 0.5 / std::sqrt(classes));
        EXPECT_NEAR(product, expected, 6 * std::sqrt(expected / 4 / classes) + 1e-4);
    }
}

TEST(Partitioner, DirichletLeavesNoLearnerEmpty)
{
    const Dataset data = MakeBalanced(100, 2);
    for (int64_t stream = 0; stream < 50; ++stream)
    {
        const auto shards = PartitionDirichlet(data, 5, 1e-6, stream);
        CheckPartition(shards, data, 5);
        // Each class went to one learner; at least three were then given one sample.
        EXPECT_GE(std::count_if(shards.begin(),
                                shards.end(),
                                [](const auto& s) { return s.size() == 1; }),
                  3);
        CheckPartition(PartitionDirichlet(data, 100, 1e-6, stream), data, 100);
    }
}

// Shares of Dirichlet's distribution have the variance (1/n)(1 - 1/n)/(n alpha + 1).
TEST(Partitioner, QuantityHasSizesOfDirichlet)
{
    const uint32_t learners = 5;
    const double alpha = 0.5;
    const Dataset data = MakeBalanced(10000, 2);
    const int draws = 2000;
    double sum = 0;
    double squares = 0;
    for (int64_t stream = 0; stream < draws; ++stream)
    {
        const auto shards = PartitionQuantity(data, learners, alpha, 3 * stream);
        const double share = shards[0].size() / 10000.0;
        sum += share;
        squares += share * share;
        if (stream == 0)
        {
            CheckPartition(shards, data, learners);
        }
    }
    const double mean = sum / draws;
    const double variance = squares / draws - mean * mean;
    const double expected = 0.2 * 0.8 / (learners * alpha + 1);
    // Five standard deviations of the mean, and as many of the variance, whose deviation is at most
    // that of a share in [0, 1], sqrt(variance): probability of failure below 1e-5. One draw in
    // twenty is repeated because a shard is empty, which moves the variance by less than 0.001.
    const double tolerance = 5 * std::sqrt(expected / draws);
    EXPECT_NEAR(mean, 0.2, tolerance);
    EXPECT_NEAR(variance, expected, tolerance);
}

TEST(Partitioner, ClassesGivesEachLearnerSamplesOfExactlyKClasses)
{
    const Dataset uneven = MakeLabelled({1, 1, 1, 1, 0, 3, 3, 1, 0, 1, 3, 0}, 5); // none of 2, 4

    const struct
    {
        Dataset data;
        uint32_t learners;
        uint32_t classes;
    } cases[] = {{MakeBalanced(600, 10), 100, 2},
                 {MakeBalanced(600, 10), 7, 3},
                 {MakeBalanced(600, 10), 10, 1},
                 {MakeBalanced(600, 10), 4, 10},
                 {uneven, 2, 2},
                 {uneven, 3, 3}};

    for (const auto& [data, learners, classes] : cases)
    {
        for (int64_t stream = 0; stream < 20; ++stream)
        {
            SCOPED_TRACE(std::to_string(learners) + " " + std::to_string(classes));
            const auto shards = PartitionClasses(data, learners, classes, stream);
            CheckPartition(shards, data, learners);
            std::vector<uint32_t> holders(data.classes);
            for (const auto& shard : shards)
            {
                std::set<double> held;
                for (const auto sample : shard)
                {
                    held.insert(data.labels[sample]);
                }
                EXPECT_EQ(held.size(), classes);
                for (const double c : held)
                {
                    ++holders[static_cast<size_t>(c)];
                }
            }
            const uint32_t present = data.classes == 5 ? 3 : 10;
            for (const auto count : holders)
            {
                EXPECT_TRUE(count == 0 || count == learners * classes / present ||
                            count == learners * classes / present + 1);
            }
        }
    }
    // As with McMahan et al.: 100 learners have 2 shards of 3 samples each.
    EXPECT_EQ(GetSpread(PartitionClasses(cases[0].data, 100, 2, 1)), 0U);
    EXPECT_NE(PartitionClasses(cases[0].data, 100, 2, 1),
              PartitionClasses(cases[0].data, 100, 2, 2));
    const Dataset& ten = cases[0].data;
    ExpectRefused([&] { PartitionByName("classes:11", ten, 4, 0); },
                  "partition classes: K must be from 1 to the number of classes in 'labelled', 10; "
                  "got 11");
    ExpectRefused([&] { PartitionByName("classes:2", ten, 4, 0); },
                  "partition classes: 4 learners of 2 classes must have all 10 classes of "
                  "'labelled'");
    ExpectRefused([&] { PartitionByName("classes:3", uneven, 4, 0); },
                  "partition classes: a class of 'labelled' must have a sample for each of its 4 "
                  "learners, got 3");
    ExpectRefused([&] { PartitionByName("classes:two", ten, 5, 0); },
                  "partition: K of classes:K must be a whole number, got 'classes:two'");
}

TEST(Partitioner, OwnersSayWhoHasASample)
{
    Dataset data = MakeBalanced(5, 2);
    ExpectRefused([&] { PartitionByName("users", data, 2, 0); },
                  "partition users: needs data with users, as LEAF's files have, got 'labelled'");
    const TemporaryFile file("7\n2\n7\n\n7\n2\n");
    data.owners = ReadOwners(file.GetPath(), 5);
    const Shards expected{{1, 4}, {0, 2, 3}};
    EXPECT_EQ(PartitionByName("users", data, 2, 0), expected);
    EXPECT_EQ(PartitionByName("file:x", data, 2, 0), expected);
    EXPECT_EQ(PartitionByOwner(Subset(data, {4, 0}), 2), (Shards{{0}, {1}}));
    ExpectRefused([&] { PartitionByOwner(data, 3); },
                  "partition: users of 'labelled' must be as many as the learners that share it, "
                  "3; got 2");
    ExpectRefused([&] { ReadOwners(file.GetPath(), 6); },
                  file.GetPath() +
                      ": must have one number for each of 6 samples, got 5 lines of 1");
    const TemporaryFile half("0.5\n");
    ExpectRefused([&] { ReadOwners(half.GetPath(), 1); },
                  half.GetPath() +
                      ": the number of a client must be a whole number of 32 bits, got 0.5");
}

// Mean and variance of 20,000 normal numbers each: six standard deviations, which fail with a
// probability of 2e-9 for each of six.
TEST(Partitioner, FeatureNoiseGrowsFromLearnerToLearner)
{
    Dataset data = MakeBalanced(6000, 2);
    data.features = Eigen::MatrixXd::Constant(10, 6000, 5);
    const Shards shards = PartitionIid(data, 3, 0);
    AddFeatureNoise(data, shards, 0.3, 1);
    for (size_t i = 0; i < 3; ++i)
    {
        const Eigen::MatrixXd noise = data.features(Eigen::all, shards[i]).array() - 5;
        const double variance = 0.1 * static_cast<double>(i + 1);
        const auto count = static_cast<double>(noise.size());
        EXPECT_NEAR(noise.mean(), 0, 6 * std::sqrt(variance / count));
        EXPECT_NEAR(noise.squaredNorm() / count, variance, 6 * variance * std::sqrt(2 / count));
    }
    ExpectRefused([&] { AddFeatureNoise(data, shards, -1, 1); }, "sigma must be");
}

// The numbers are those of scipy.ndimage.rotate(image, 30 i, reshape=False, order=1,
// mode="grid-constant", cval=1), version 1.10.1, and of numpy.rot90().
TEST(Partitioner, RotationTurnsEachLearnersImagesFurther)
{
    Dataset data = MakeBalanced(3, 2);
    data.shape = {2, 3, 3};
    data.features = Eigen::MatrixXd::Ones(18, 3);
    Eigen::VectorXd image(9);
    image << 1, 2, 3, 4, 5, 6, 7, 8, 10;
    data.features.topRows(9).colwise() = image;
    Dataset quarter = data;
    RotateImages(data, {{0}, {1}, {}}, 30);
    EXPECT_EQ(data.features.col(0), quarter.features.col(0));
    Eigen::VectorXd turned(9);
    turned << 1.401923788647, 2.901923788647, 3.473720558371, 2.633974596216, 5, 7.799038105677,
        3.598076211353, 7.098076211353, 5.901923788647;
    EXPECT_LT((data.features.col(1).head(9) - turned).norm(), 1e-11);
    EXPECT_TRUE(data.features.bottomRows(9).isOnes(1e-12)) << "the other channel";

    RotateImages(quarter, {{1}, {0}, {2}}, 90);
    turned << 3, 6, 10, 2, 5, 8, 1, 4, 7;
    EXPECT_LT((quarter.features.col(0).head(9) - turned).norm(), 1e-12);
    EXPECT_LT((quarter.features.col(2).head(9) - image.reverse()).norm(), 1e-12);

    Dataset wide = MakeBalanced(2, 2);
    wide.shape = {1, 3, 4};
    wide.features = Eigen::VectorXd::LinSpaced(12, 1, 12).replicate(1, 2);
    RotateImages(wide, {{1}, {0}}, -75);
    turned.resize(12);
    turned << 7.597567221646, 6.301240123328, 2.696355863274, 1.269581911602, 6.021599840073,
        8.302442130027, 4.697557869973, 2.040624026157, 3.945632458501, 10.303644136726,
        6.698759876672, 3.311666140712;
    EXPECT_LT((wide.features.col(0) - turned).norm(), 1e-11);
    ExpectRefused(
        [] {
            Dataset plain = MakeBalanced(2, 2);
            RotateImages(plain, {{0}, {1}}, 1);
        },
        "feature rotation: data must be images, got 'labelled'");
}

TEST(Partitioner, NamesSelectThePartition)
{
    const Dataset data = MakeBalanced(100, 4);
    EXPECT_EQ(PartitionByName("iid", data, 5, 3), PartitionIid(data, 5, 3));
    EXPECT_EQ(PartitionByName("label", data, 5, 3), PartitionByLabel(data, 5));
    EXPECT_EQ(PartitionByName("sorted", data, 5, 3), PartitionSorted(data, 5));
    EXPECT_EQ(PartitionByName("dirichlet:0.25", data, 5, 3), PartitionDirichlet(data, 5, 0.25, 3));
    for (const std::string spec : {"", "IID", "iid ", "dirichlet", "random"})
    {
        ExpectRefused([&] { PartitionByName(spec, data, 5, 3); },
                      "partition must be one of iid, label, sorted, dirichlet:ALPHA, "
                      "quantity:ALPHA, classes:K, users, file:FILE, got '" +
                          spec + "'");
    }
    for (const std::string spec : {"dirichlet:",
                                   "dirichlet:x",
                                   "dirichlet:1,5",
                                   "dirichlet:1 ",
                                   "dirichlet:nan",
                                   "dirichlet:inf"})
    {
        ExpectRefused([&] { PartitionByName(spec, data, 5, 3); },
                      "partition: ALPHA of dirichlet:ALPHA must be a finite number, got '" + spec +
                          "'");
    }
    for (const std::string alpha : {"0", "-1", "1e-07"})
    {
        ExpectRefused([&] { PartitionByName("dirichlet:" + alpha, data, 5, 3); },
                      "partition dirichlet: alpha must be from 1e-6 to 1e6, got " + alpha);
    }
}

TEST(Partitioner, RefusesWhatCanNotBeDone)
{
    const Dataset data = MakeBalanced(4, 2);
    const Dataset targets = MakeLabelled({1, 2, 3, 4}, 0);
    const std::vector<std::pair<std::string, std::string>> names{
        {"iid", "partition iid"},
        {"label", "partition label"},
        {"sorted", "partition sorted"},
        {"dirichlet:1", "partition dirichlet"}};
    for (const auto& [spec, where] : names)
    {
        const auto partition = [&spec = spec](const Dataset& d, uint32_t learners) {
            return [&d, spec, learners] { PartitionByName(spec, d, learners, 0); };
        };
        ExpectRefused(partition(data, 0), where + ": learners must be at least 1, got 0");
        ExpectRefused(partition(data, 5),
                      where + ": 'labelled' must have a sample for each of 5 learners, got 4");
        if (spec == "label" || spec == "dirichlet:1")
        {
            ExpectRefused(partition(targets, 2),
                          where + ": needs samples with classes, got 'labelled', which is a "
                                  "regression (use iid or sorted)");
        }
    }
    // Learners 3 and 4 share class 1, which has one sample.
    ExpectRefused(
        [] {
            PartitionByLabel(MakeLabelled({0, 0, 0, 0, 1}, 2), 5);
        },
        "partition label: 'labelled' must have a sample for each of 5 learners in its "
        "class, got none for learner 4");
    // No sample has class 1, the only class that learner 1 would hold.
    ExpectRefused(
        [] {
            PartitionByLabel(MakeLabelled({0, 0, 2, 2}, 3), 3);
        },
        "partition label: 'labelled' must have a sample for each of 3 learners in its "
        "class, got none for learner 1");
}

} // namespace
