/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-learner-attack.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(LearnerAttack, ReadsWhatUsersWrite)
{
    for (const char* text : {"none",
                             "silent",
                             "delay:1.5ms",
                             "Alie:tau=1",
                             "impersonate:1+SignFlipping",
                             "poison+roster+none",
                             "round-jump:7+InnerProduct:tau=1e+1"})
    {
        EXPECT_EQ(LearnerAttack(text).GetPoisoning(), nullptr) << text;
    }
    for (const char* text : {"LabelFlip",
                             "poison+LabelFlip",
                             "Backdoor:7,share=0.1",
                             "Backdoor:7+scale:10",
                             "Backdoor+poison+Alie"})
    {
        EXPECT_NE(LearnerAttack(text).GetPoisoning(), nullptr) << text;
        EXPECT_EQ(LearnerAttack(text).SeesVectors(), text == std::string("Backdoor+poison+Alie"));
    }
}

TEST(LearnerAttack, RefusesWhatItDoesNotKnow)
{
    const std::pair<const char*, const char*> mistakes[] = {
        {"silent:1", "attack silent has no parameters; got '1'"},
        {"none:", "attack must be one of none, Backdoor:TARGET, LabelFlip, Alie:TAU, "},
        {"delay:-1s", "attack delay: delay must be a time with a unit, such as 10ms"},
        {"replay:1.5", "attack replay: age must be a whole number of at least 1, got '1.5'"},
        {"equivocate:inf", "attack equivocate: scale must be a number of at least 0, got 'inf'"},
        {"nope", "delay:DELAY, equivocate:SCALE, flood:COPIES, header-flood:PERIOD, "},
        {"round-jump:4294967296", "attack round-jump: round must be a whole number"},
        {"header-flood:0s", "attack header-flood: period must be a time"},
        {"poison+", "attack must be one of none, Backdoor:TARGET, LabelFlip, "},
        {"Backdoor:7+LabelFlip",
         "attack Backdoor:7+LabelFlip: there must be at most one attack on data"},
        {"Backdoor:7,share=2", "attack Backdoor: share must be a number"},
        {"silent+poison", "got 'silent+poison'"},
    };
    for (const auto& [text, message] : mistakes)
    {
        ExpectRefused([&, what = text] { LearnerAttack attack(what); }, message);
    }
    for (const std::string text :
         {"equivocate:1", "Equivocate:1", "ns3::dlearn::EquivocateBehavior", "Dissensus"})
    {
        ExpectRefused([&] { LearnerAttack(text).Install({}, 0, true, nullptr, 1); },
                      "attack " + text + ": clients send to their server alone; only peers can");
    }
    ExpectRefused([] { LearnerAttack("silent").Install({}, 1, true, nullptr, 1); },
                  "there must be at most as many Byzantine learners as learners, 0, got 1");
}

TEST(LearnerAttack, TriesTheDefenceWhereThereIsOne)
{
    RowMatrix<double> rows(3, 1);
    rows << 1, 2, 9;
    EXPECT_EQ(MakeDefence(nullptr, 5)(rows), ModelVector::Constant(1, 4));
    const auto median = CreateObject<MedianAggregator>();
    EXPECT_EQ(MakeDefence(median, 1)(rows), ModelVector::Constant(1, 2));
    EXPECT_EQ(MakeDefence(median, 2)(rows).size(), 0);
}

TEST(LearnerAttack, PoisonsAShard)
{
    Dataset data;
    data.features.resize(1, 4);
    data.features << 0, 1, 2, 3;
    data.labels.resize(4);
    data.labels << 0, 1, 2, 2;
    data.classes = 3;
    LoadedData loaded;
    loaded.train = std::make_shared<const Dataset>(data);
    loaded.test = loaded.train;
    SampleIndices shard{3, 1};
    const LoadedData flipped = LearnerAttack("LabelFlip").Poison(loaded, shard);
    EXPECT_EQ(shard, (SampleIndices{0, 1}));
    EXPECT_EQ(flipped.train->features, (Eigen::MatrixXd(1, 2) << 3, 1).finished());
    EXPECT_EQ(flipped.train->labels, (Eigen::VectorXd(2) << 0, 1).finished());
    EXPECT_EQ(flipped.test, loaded.test);
}

} // namespace
} // namespace ns3::dlearn
