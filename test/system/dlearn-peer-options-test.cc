/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Options that peers share with federations: unequal devices, the step, and the norm to which
 * gradients are clipped.
 */

#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-files.h"
#include "ns3/double.h"
#include "ns3/nstime.h"

#include <filesystem>
#include <string>

namespace ns3::dlearn
{
namespace
{

class PeerOptions : public testing::Test
{
  protected:
    ~PeerOptions() override
    {
        std::filesystem::remove(m_table);
        Config::Reset();
    }

    /** @return the name of a table of devices */
    std::string Write(const std::string& text) const
    {
        WriteTextFile(m_table, text);
        return m_table;
    }

  private:
    const std::string m_table{testing::TempDir() + "peer-devices.csv"}; //!< of devices
};

/** @return how long a learner computes in its first round */
Time
GetComputeTime(const RunResults& results, LearnerId learner)
{
    for (const ResultRow& row : results.rows)
    {
        if (row.record.node == learner)
        {
            return row.record.compute;
        }
    }
    ADD_FAILURE() << "no row of learner " << learner;
    return Time(0);
}

// A gradient takes its operations over the speed of the device, without the Overhead.
TEST_F(PeerOptions, DevicesOfPeersHaveSpeedsOfTheirOwn)
{
    Config::SetDefault("ns3::dlearn::FlopsCompute::Overhead", TimeValue(Time(0)));
    RunSpec options = SmallRun("ideal");
    options.devices = Write("learner,flops\n0,1e6\n3,2e6\n4,1e7\n");
    const RunResults results = RunToEnd(options).results;
    const double slowest = GetComputeTime(results, 0).GetSeconds();
    EXPECT_GT(slowest, 0);
    EXPECT_NEAR(GetComputeTime(results, 3).GetSeconds(), slowest / 2, 1e-9);
    EXPECT_NEAR(GetComputeTime(results, 4).GetSeconds(), slowest / 10, 1e-9);
    EXPECT_EQ(GetComputeTime(results, 1), GetComputeTime(results, 2)) << "the common speed";
}

// Learners that go at their own pace are in different rounds when the first of them has ended.
TEST_F(PeerOptions, SpeedsMatterWithoutRounds)
{
    const auto spread = [](const std::string& flops) {
        RunSpec options = SmallRun("ideal");
        options.synchrony = "async:1us";
        options.clientFlops = flops;
        std::map<LearnerId, Time> ends;
        for (const ResultRow& row : RunToEnd(options).results.rows)
        {
            ends[row.record.node] = row.record.closed;
        }
        EXPECT_EQ(ends.size(), 5U);
        Time first = Time::Max();
        Time last;
        for (const auto& [learner, end] : ends)
        {
            first = Min(first, end);
            last = Max(last, end);
        }
        return last.GetSeconds() / first.GetSeconds();
    };
    EXPECT_LT(spread("1e6"), 1.01);
    EXPECT_GT(spread("uniform:1e5:1e7"), 1.5);
}

TEST_F(PeerOptions, LinksOfPeersMayDifferWhereTheyAreTheirs)
{
    RunSpec options = SmallRun("csma");
    options.devices = Write("learner,loss\n2,0.6\n");
    const RunResults results = RunToEnd(options).results;
    uint32_t lost = 0;
    for (const ResultRow& row : results.rows)
    {
        lost += row.record.node == 2 ? row.record.lost : 0;
        EXPECT_TRUE(row.record.node == 2 || row.record.lost == 0) << row.record.node;
    }
    EXPECT_GT(lost, 0U);
    options.network = "p2p";
    ExpectRefused([&] { dlearn::Run run(options); }, "p2p: links of a learner's own (client-rate");
    options.devices = Write("client,flops\n1,1e6\n");
    ExpectRefused([&] { dlearn::Run run(options); },
                  ":1: columns must be learner and any of rate, ");
    options.devices = Write("learner,flops\n5,1e6\n");
    ExpectRefused([&] { dlearn::Run run(options); },
                  ":2: column learner must be a whole number from 0 to 4, got '5'");
}

TEST_F(PeerOptions, StepIsThatOfTheRule)
{
    RunSpec options = SmallRun("ideal");
    options.algorithm = "dsgd";
    options.stepSize = 0.37;
    const Outcome byOption = RunToEnd(options);
    options.stepSize.reset();
    const Outcome usual = RunToEnd(options);
    options.algorithm = "dsgd,StepSize=0.37";
    const Outcome byAttribute = RunToEnd(options);
    EXPECT_EQ(byOption.models, byAttribute.models);
    EXPECT_EQ(byOption.results.epsilon, byAttribute.results.epsilon);
    EXPECT_NE(byOption.models, usual.models);
    options.stepSize = 0.5;
    ExpectRefused([&] { dlearn::Run run(options); },
                  "ns3::dlearn::Dsgd::StepSize is set by the option --step-size");
}

// Of Laplace noise epsilon is the norm of a difference of gradients over the scale, so that half
// the norm costs half as much. Features have norms of at most 1, so that 0.2 clips.
TEST_F(PeerOptions, AccountsFollowTheNormOfClippedGradients)
{
    for (const auto& [preset, algorithm] : {std::make_pair(&LdpOnlinePreset, "ldp-online"),
                                            std::make_pair(&LdpOnlinePreset, "dsgd"),
                                            std::make_pair(&GradientTrackingPreset, "dp-gt")})
    {
        RunSpec options = preset("test");
        options.algorithm = algorithm;
        options.rounds = 10;
        options.unitNorm = true;
        options.smoothness = 0; // Lemma 2 as printed, which is linear in the norm
        const auto epsilon = [&options](double clip) {
            options.clip = clip;
            return RunToEnd(options).results.rows.back().record.epsilon;
        };
        EXPECT_NEAR(epsilon(0.1), epsilon(0.2) / 2, 1e-9 * epsilon(0.2)) << algorithm;
        EXPECT_LT(epsilon(0.2), epsilon(0)) << algorithm;
        options.clip = 0.2;
        const Outcome byOption = RunToEnd(options);
        options.clip = 0;
        Config::SetDefault("ns3::dlearn::Task::ClipNorm", DoubleValue(0.2));
        const Outcome byAttribute = RunToEnd(options);
        EXPECT_EQ(byOption.models, byAttribute.models) << algorithm;
        EXPECT_EQ(byOption.results.epsilon, byAttribute.results.epsilon) << algorithm;
        options.clip = 0.1;
        ExpectRefused([&] { dlearn::Run run(options); },
                      "ns3::dlearn::Task::ClipNorm is set by the option --clip");
        Config::Reset();
    }
}

} // namespace
} // namespace ns3::dlearn
