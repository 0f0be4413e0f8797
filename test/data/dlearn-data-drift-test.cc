/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-data-drift.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

/** @return samples with one feature, 10 times their position */
DatasetPtr
MakeChanging(const std::vector<double>& labels, uint32_t classes)
{
    const auto data = std::make_shared<Dataset>();
    data->name = "changing";
    data->labels = Eigen::Map<const Eigen::VectorXd>(labels.data(), labels.size());
    data->features = Eigen::RowVectorXd::LinSpaced(labels.size(), 0, 10.0 * (labels.size() - 1));
    data->classes = classes;
    return data;
}

/** @return the labels of the samples that a shard has in a round */
std::vector<double>
GetLabels(const DataDrift& drift, const Dataset& data, const SampleIndices& shard, uint32_t round)
{
    const Dataset chosen = Subset(data, drift.Choose(data, shard, round));
    return {chosen.labels.begin(), chosen.labels.end()};
}

using Labels = std::vector<double>;

TEST(LabelDrift, GivesAllSamplesTheNextClassFromItsRoundOn)
{
    const auto drift = CreateObjectWithAttributes<LabelDrift>("Round", UintegerValue(3));
    drift->Setup(4);
    const DatasetPtr data = drift->Prepare(MakeChanging({0, 2, 1, 0}, 3));
    const SampleIndices shard{3, 1, 2};
    EXPECT_EQ(GetLabels(*drift, *data, shard, 0), (Labels{0, 2, 1}));
    EXPECT_EQ(GetLabels(*drift, *data, shard, 2), (Labels{0, 2, 1}));
    EXPECT_EQ(GetLabels(*drift, *data, shard, 3), (Labels{1, 0, 2}));
    EXPECT_EQ(GetLabels(*drift, *data, shard, 9), (Labels{1, 0, 2}));
    const Dataset later = Subset(*data, drift->Choose(*data, shard, 3));
    EXPECT_EQ(later.features, Eigen::RowVector3d(30, 10, 20)) << "features stay";
}

TEST(LabelDrift, IsGradualOverSeveralRounds)
{
    const auto drift = CreateObjectWithAttributes<LabelDrift>("Round",
                                                              UintegerValue(2),
                                                              "Rounds",
                                                              UintegerValue(3));
    const DatasetPtr data = drift->Prepare(MakeChanging(Labels(7, 0), 2));
    const SampleIndices all = FirstSamples(7);
    EXPECT_EQ(GetLabels(*drift, *data, all, 1), Labels(7, 0));
    EXPECT_EQ(GetLabels(*drift, *data, all, 2), (Labels{1, 0, 0, 1, 0, 0, 1}));
    EXPECT_EQ(GetLabels(*drift, *data, all, 3), (Labels{1, 1, 0, 1, 1, 0, 1}));
    EXPECT_EQ(GetLabels(*drift, *data, all, 4), Labels(7, 1));
}

TEST(LabelDrift, NeedsClassesAndARoundForThem)
{
    const auto drift = CreateObject<LabelDrift>();
    ExpectRefused([&] { drift->Setup(10); },
                  "LabelDrift: Round must be less than the rounds of the run, 10, got 10");
    ExpectRefused(
        [&] {
            drift->Prepare(MakeChanging({0.5, 1}, 0));
        },
        "LabelDrift: data must have classes, got 'changing'");
}

TEST(WindowDrift, MovesFromTheFirstSamplesToTheLast)
{
    const auto drift = CreateObjectWithAttributes<WindowDrift>("Share", DoubleValue(0.4));
    drift->Setup(4);
    const DatasetPtr data = drift->Prepare(MakeChanging({1, 0, 1, 0, 1, 0}, 2));
    const SampleIndices shard{5, 4, 2, 1, 0}; // five samples, two of them at a time
    EXPECT_EQ(drift->Choose(*data, shard, 0), (SampleIndices{0, 1}));
    EXPECT_EQ(drift->Choose(*data, shard, 1), (SampleIndices{1, 2}));
    EXPECT_EQ(drift->Choose(*data, shard, 2), (SampleIndices{2, 4}));
    EXPECT_EQ(drift->Choose(*data, shard, 3), (SampleIndices{4, 5}));
    EXPECT_EQ(drift->Choose(*data, shard, 7), (SampleIndices{4, 5}));
    EXPECT_EQ(drift->Choose(*data, {3}, 2), (SampleIndices{3})) << "at least one";

    drift->SetAttribute("ByClass", BooleanValue(true));
    EXPECT_EQ(drift->Choose(*data, shard, 0), (SampleIndices{1, 5}));
    EXPECT_EQ(drift->Choose(*data, shard, 1), (SampleIndices{5, 0}));
    EXPECT_EQ(drift->Choose(*data, shard, 3), (SampleIndices{2, 4}));
    drift->Setup(1);
    EXPECT_EQ(drift->Choose(*data, shard, 0), (SampleIndices{1, 5})) << "a run of one round";
}

} // namespace
