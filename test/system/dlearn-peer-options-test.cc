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

} // namespace
} // namespace ns3::dlearn
