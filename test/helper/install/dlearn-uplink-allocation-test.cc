/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-uplink-allocation.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace test
{
namespace
{

using Shares = std::vector<double>;

// Seconds of an update with the whole band, and when it is ready.
UplinkNeed
MakeNeed(double seconds, double begin)
{
    return {1e6 * seconds, 1e6, begin};
}

TEST(UplinkAllocation, SharesEquallyOrByNeed)
{
    const std::vector<UplinkNeed> needs{MakeNeed(1, 0), MakeNeed(3, 7)};
    EXPECT_EQ(CreateObject<EqualAllocation>()->Share(needs), (Shares{0.5, 0.5}));
    EXPECT_EQ(CreateObject<ProportionalAllocation>()->Share(needs), (Shares{0.25, 0.75}));
}

// With two clients T is the larger root of (T - b)(T - d) = a (T - d) + c (T - b).
TEST(UplinkAllocation, MinimalTimeIsTheRootOfItsEquation)
{
    const double a = 0.4;
    const double b = 2;
    const double c = 0.1;
    const double d = 1;
    const double half = (a + b + c + d) / 2;
    const double end = half + std::sqrt(half * half - (b * d + a * d + c * b));
    const Shares shares =
        CreateObject<MinimalTimeAllocation>()->Share({MakeNeed(a, b), MakeNeed(c, d)});
    EXPECT_NEAR(shares[0], a / (end - b), 1e-12);
    EXPECT_NEAR(shares[1], c / (end - d), 1e-12);
}

TEST(UplinkAllocation, MinimalEnergyIsTheLeastOfAllSharesThatKeepTheDeadline)
{
    const auto allocation = CreateObject<MinimalEnergyAllocation>();
    for (const double begin : {0.0, 0.5, 0.7})
    {
        const std::vector<UplinkNeed> needs{MakeNeed(0.1, begin), MakeNeed(0.3, 0)};
        const Shares shares = allocation->Share(needs); // deadline: 1 s
        double best = 1e300;
        double first = 0;
        for (double share = 1e-4; share < 1; share += 1e-4)
        {
            const double energy = 0.1 / share + 0.3 / (1 - share);
            if (begin + 0.1 / share <= 1 && 0.3 / (1 - share) <= 1 && energy < best)
            {
                best = energy;
                first = share;
            }
        }
        EXPECT_NEAR(shares[0], first, 1e-4) << begin;
        EXPECT_NEAR(shares[0] + shares[1], 1, 1e-12);
    }
    // A deadline that cannot be kept.
    const std::vector<UplinkNeed> late{MakeNeed(0.9, 0.2), MakeNeed(0.3, 0)};
    EXPECT_EQ(allocation->Share(late), CreateObject<MinimalTimeAllocation>()->Share(late));
}

// Powers by p = (2^(R / B) - 1) N B / g with N B / g = 1 uW, B = 10 MHz. A bit costs least at the
// lowest rate; with half of the band, 1 Mbit in 0.2 s needs 10 Mbit/s.
TEST(UplinkPower, MinimalEnergyIsTheLowestRateThatIsInTime)
{
    std::vector<UplinkMode> modes;
    for (const double rate : {5e6, 10e6, 20e6, 40e6, 80e6})
    {
        modes.push_back({rate, 1e-6 * (std::pow(2, rate / 10e6) - 1)});
    }
    modes.push_back({80e6, 1}); // all power
    const auto power = CreateObject<MinimalEnergyPower>();
    power->SetAttribute("Margin", DoubleValue(0));
    const std::pair<double, double> rates[] =
        {{0.8, 5e6}, {0.699, 10e6}, {0.5, 10e6}, {0.499, 20e6}, {0.326, 80e6}, {0.1, 80e6}};
    for (const auto& [deadline, rate] : rates)
    {
        power->SetAttribute("Deadline", TimeValue(Seconds(deadline + 1e-9)));
        const UplinkMode mode = power->Choose({1e6, 80e6, 0.3}, 0.5, modes);
        EXPECT_EQ(mode.rate, rate) << deadline;
        EXPECT_DOUBLE_EQ(mode.watts, 1e-6 * (std::pow(2, rate / 10e6) - 1)) << deadline;
    }
    const auto highest = CreateObject<HighestRatePower>(); // with a margin of 1 dB
    EXPECT_NEAR(highest->Choose({1e6, 80e6, 0}, 1, modes).watts, 255e-6 * 1.2589254, 1e-11);
    highest->SetAttribute("Margin", DoubleValue(100));
    EXPECT_EQ(highest->Choose({1e6, 80e6, 0}, 1, modes).watts, 1);
}

/** @return the results of three clients with 8, 4 and 1 Mbit/s with the whole band */
RunResults
RunWith(const std::string& allocation)
{
    const std::string path = testing::TempDir() + "uplinks.csv";
    std::ofstream(path) << "client,rate,flops\n1,8Mbps,1e8\n2,4Mbps,3e7\n3,1Mbps,1e9\n";
    RunSpec spec = TwoClients("8Mbps");
    spec.learners = 3;
    spec.rounds = 3;
    spec.devices = path;
    spec.uplinkAllocation = allocation;
    return Execute(spec);
}

double
GetRoundTime(const RunResults& results)
{
    for (const ResultRow& row : results.rows)
    {
        if (row.role == "server" && row.record.round == 2)
        {
            return (row.record.duration - row.record.compute).GetSeconds();
        }
    }
    return 0;
}

// The least time of a round by its equation, of the bytes and times that the run measured.
TEST(UplinkAllocation, RoundsTakeTheTimeOfTheEquation)
{
    const RunResults results = RunWith("minimal-time");
    const double rates[] = {8e6, 4e6, 1e6};
    double seconds[3]{};
    double begins[3]{};
    for (const ResultRow& row : results.rows)
    {
        if (row.role == "client" && row.record.round == 1)
        {
            const double bytes = row.record.txBytes;
            const uint32_t k = row.record.node - 1;
            seconds[k] = 8 * (bytes + 30 * std::ceil(bytes / 1472)) / rates[k];
            begins[k] = seconds[k] + 1e-3 + row.record.compute.GetSeconds();
        }
    }
    double end = 0;
    double sum = 2;
    for (end = *std::max_element(begins, begins + 3); sum > 1; end += 1e-5)
    {
        sum = 0;
        for (uint32_t k = 0; k < 3; ++k)
        {
            sum += end > begins[k] ? seconds[k] / (end - begins[k]) : 2;
        }
    }
    const double least = GetRoundTime(results);
    EXPECT_NEAR(least, end + 1e-3, 0.01 * end);
    EXPECT_LT(least, GetRoundTime(RunWith("proportional")));
    EXPECT_LT(least, GetRoundTime(RunWith("equal")));
}

} // namespace
} // namespace test
} // namespace ns3::dlearn
