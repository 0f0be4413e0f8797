/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-device-profiles.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using test::TemporaryFile;

/** What profiles hold, in bit/s, seconds, and operations a second. */
std::vector<double>
Sample(const std::vector<DeviceProfile>& profiles, const std::string& name)
{
    std::vector<double> sample;
    for (size_t id = 1; id < profiles.size(); ++id)
    {
        const DeviceProfile& profile = profiles[id];
        sample.push_back(name == "rate"    ? profile.link.rate.value().GetBitRate()
                         : name == "delay" ? profile.link.delay.value().GetSeconds()
                         : name == "loss"  ? profile.link.loss.value()
                                           : profile.flops.value());
    }
    return sample;
}

/**
 * @param sample independent draws
 * @param cdf distribution function they should have
 * @return largest difference between it and that of the sample (Kolmogorov and Smirnov)
 */
double
Discrepancy(std::vector<double> sample, const std::function<double(double)>& cdf)
{
    std::sort(sample.begin(), sample.end());
    double worst = 0;
    for (size_t k = 0; k < sample.size(); ++k)
    {
        const double expected = cdf(sample[k]);
        worst = std::max({worst,
                          std::abs(expected - static_cast<double>(k) / sample.size()),
                          std::abs(expected - (k + 1.0) / sample.size())});
    }
    return worst;
}

/** Same seed and run for every test. */
class DeviceProfilesTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
    }
};

TEST_F(DeviceProfilesTest, DrawsFromTheDistributionsAskedFor)
{
    const auto uniform = [](double low, double high) {
        return [=](double x) { return std::clamp((x - low) / (high - low), 0.0, 1.0); };
    };
    const auto lognormal = [](double median, double sigma) {
        return [=](double x) {
            return 0.5 * std::erfc(-std::log(x / median) / (sigma * std::sqrt(2)));
        };
    };
    const auto exponential = [](double mean) {
        return [=](double x) { return 1 - std::exp(-x / mean); };
    };
    const DeviceDistributions first{"uniform:1Mbps:10Mbps",
                                    "lognormal:20ms:0.5",
                                    "uniform:0:0.1",
                                    "lognormal:1e9:1"};
    const DeviceDistributions second{"exponential:2Gbps",
                                     "exponential:3s",
                                     "uniform:0.25:0.5",
                                     "uniform:1e6:3e6"};
    const uint32_t clients = 4000;
    const auto a = DeviceProfiles::Draw(first, clients, 40);
    const auto b = DeviceProfiles::Draw(second, clients, 40);
    ASSERT_EQ(a.size(), clients + 1);
    EXPECT_EQ(DeviceProfiles::Draw(first, clients, 40, DeviceOwners::PEERS)[7].flops, a[8].flops)
        << "there is no server before peers";
    EXPECT_FALSE(a[0].link.rate || a[0].link.delay || a[0].link.loss || a[0].flops);
    // By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart a sample is as far off with
    // a probability of 2 exp(-2 n d^2) at most: 1e-6 for each of the eight.
    const double bound = std::sqrt(std::log(2e6) / (2 * clients));
    EXPECT_LT(Discrepancy(Sample(a, "rate"), uniform(1e6, 1e7)), bound);
    EXPECT_LT(Discrepancy(Sample(a, "delay"), lognormal(0.02, 0.5)), bound);
    EXPECT_LT(Discrepancy(Sample(a, "loss"), uniform(0, 0.1)), bound);
    EXPECT_LT(Discrepancy(Sample(a, "flops"), lognormal(1e9, 1)), bound);
    EXPECT_LT(Discrepancy(Sample(b, "rate"), exponential(2e9)), bound);
    EXPECT_LT(Discrepancy(Sample(b, "delay"), exponential(3)), bound);
    EXPECT_LT(Discrepancy(Sample(b, "loss"), uniform(0.25, 0.5)), bound);
    EXPECT_LT(Discrepancy(Sample(b, "flops"), uniform(1e6, 3e6)), bound);
}

TEST_F(DeviceProfilesTest, PropertiesAndClientsDoNotDisturbEachOther)
{
    const DeviceDistributions all{"uniform:1Mbps:9Mbps", "2ms", "uniform:0:0.1", "uniform:1:9"};
    const DeviceDistributions some{"", "exponential:1s", "uniform:0:0.1", ""};
    const auto a = DeviceProfiles::Draw(all, 50, 7);
    const auto b = DeviceProfiles::Draw(all, 20, 7);
    const auto c = DeviceProfiles::Draw(some, 20, 7);
    for (LearnerId id = 1; id <= 20; ++id)
    {
        EXPECT_EQ(a[id].link.rate->GetBitRate(), b[id].link.rate->GetBitRate());
        EXPECT_EQ(a[id].link.delay, MilliSeconds(2));
        EXPECT_EQ(a[id].link.loss, b[id].link.loss);
        EXPECT_EQ(a[id].flops, b[id].flops);
        EXPECT_EQ(c[id].link.loss, b[id].link.loss);
        EXPECT_FALSE(c[id].link.rate || c[id].flops);
        // Streams of their own: equal uniform draws would make these proportional.
        EXPECT_NE((*a[id].flops - 1) / 8, *a[id].link.loss * 10);
    }
    EXPECT_NE(Sample(a, "loss"), Sample(DeviceProfiles::Draw(all, 50, 11), "loss"));
    RngSeedManager::SetRun(2);
    EXPECT_NE(Sample(a, "loss"), Sample(DeviceProfiles::Draw(all, 50, 7), "loss"));
}

TEST_F(DeviceProfilesTest, RefusesOtherDistributions)
{
    const std::string rateRule = "rate must be a rate of at least 1bps with a unit";
    const std::string lossRule = "loss must stay in [0, 1), and a distribution without upper "
                                 "limit does not, got '";

    const std::pair<DeviceDistributions, std::string> rows[] = {
        {{"fast", "", "", ""}, rateRule + ", such as 500kbps or 5Mbps, got 'fast'"},
        {{"uniform:1Mbps", "", "", ""},
         "rate must have the form uniform:LOW:HIGH, got 'uniform:1Mbps'"},
        {{"uniform:2Mbps:1Mbps", "", "", ""},
         "rate must have LOW <= HIGH in uniform:LOW:HIGH, got 'uniform:2Mbps:1Mbps'"},
        {{"", "20", "", ""}, "delay must be a time of at least 0 with a unit"},
        {{"", "lognormal:20ms", "", ""}, "delay must have the form lognormal:MEDIAN:SIGMA"},
        {{"", "lognormal:0s:1", "", ""},
         "delay must have MEDIAN > 0 and SIGMA >= 0 in lognormal:MEDIAN:SIGMA"},
        {{"", "lognormal:1s:-1", "", ""}, "delay must have MEDIAN > 0 and SIGMA >= 0"},
        {{"", "exponential:1s:2", "", ""}, "delay must have the form exponential:MEAN"},
        {{"", "exponential:0s", "", ""}, "delay must have MEAN > 0 in exponential:MEAN"},
        {{"", "", "uniform:0:1", ""}, "loss must be in [0, 1), got '1'"},
        {{"", "", "exponential:0.1", ""}, lossRule + "exponential:0.1'"},
        {{"", "", "lognormal:0.1:1", ""}, lossRule + "lognormal:0.1:1'"},
        {{"", "", "", "uniform:0.1:9"}, "flops must be a number of at least 1, got '0.1'"},
        // Draws out of range: a rate that rounds to nothing, a number too large for a double.
        {{"lognormal:1bps:9", "", "", ""}, "must be from 1 bit/s to below 1e18 bit/s"},
        {{"", "", "", "lognormal:1e300:99"}, "must be at least 1 and finite"},
    };
    for (const auto& [distributions, message] : rows)
    {
        ExpectRefused([&, all = distributions] { DeviceProfiles::Draw(all, 100, 1); }, message);
    }
}

TEST_F(DeviceProfilesTest, ReadsATable)
{
    const TemporaryFile file("delay, client ,flops,loss,rate\r\n"
                             "1.5ms,3,2e9,0.25,5Mbps\r\n"
                             "\r\n"
                             " , 1,,,\r\n"
                             "0s,4,,0, 9kbps \n",
                             true);
    const auto profiles = DeviceProfiles::Read(file.GetPath(), 4);
    ASSERT_EQ(profiles.size(), 5U);
    for (const LearnerId id : {0, 1, 2})
    {
        const DeviceProfile& p = profiles[id];
        EXPECT_FALSE(p.link.rate || p.link.delay || p.link.loss || p.flops) << id;
    }
    EXPECT_EQ(profiles[3].link.delay, MicroSeconds(1500));
    EXPECT_EQ(profiles[3].flops, 2e9);
    EXPECT_EQ(profiles[3].link.loss, 0.25);
    EXPECT_EQ(profiles[3].link.rate->GetBitRate(), 5000000U);
    EXPECT_EQ(profiles[4].link.delay, Time(0));
    EXPECT_FALSE(profiles[4].flops);
    EXPECT_EQ(profiles[4].link.loss, 0);
    const auto links = DeviceProfiles::GetLinks(profiles);
    ASSERT_EQ(links.size(), 5U);
    EXPECT_EQ(links[4].rate->GetBitRate(), 9000U);
    EXPECT_TRUE(DeviceProfiles::GetLinks({profiles[0], profiles[1]}).empty()) << "all are equal";

    const TemporaryFile energy("client,joules-per-operation,battery\n2,3e-10,\n1,,7\n");
    const auto devices = DeviceProfiles::Read(energy.GetPath(), 2);
    EXPECT_EQ(devices[1].battery, 7);
    EXPECT_FALSE(devices[1].joulesPerOperation);
    EXPECT_EQ(devices[2].joulesPerOperation, 3e-10);
    EXPECT_FALSE(devices[2].battery);

    const TemporaryFile peers("learner,loss\n0,0.5\n1,0.25");
    const auto equals = DeviceProfiles::Read(peers.GetPath(), 2, DeviceOwners::PEERS);
    ASSERT_EQ(equals.size(), 2U);
    EXPECT_EQ(equals[0].link.loss, 0.5);
    EXPECT_EQ(equals[1].link.loss, 0.25);

    const TemporaryFile one("client,loss\n2,0.5");
    EXPECT_EQ(DeviceProfiles::Read(one.GetPath(), 2)[2].link.loss, 0.5);
}

TEST_F(DeviceProfilesTest, RefusesTablesThatAreWrong)
{
    const std::string columns = ":1: columns must be client and any of rate, delay, loss, flops, "
                                "battery, joules-per-operation, sample-time, got '";
    const std::string range = "column client must be a whole number from 1 to 3, got '";
    const std::pair<std::string, std::string> rows[] = {
        {"", ":1: a first line must name the columns"},
        {"client,speed\n", columns + "speed'"},
        {"client,loss,loss\n", ":1: column loss must not be there twice"},
        {"rate,loss\n", ":1: there must be a column client"},
        {"client,loss\n1\n", ":2: a line must have 2 cells as the first, got 1"},
        {"client\n1\n\n0\n", ":4: " + range + "0'"},
        {"client\n1.0\n", ":2: " + range + "1.0'"},
        {"client,loss\n2,0\n2,1\n", ":3: column client must not name client 2 again, it is in "},
        {"client,delay\n1,\n2,5\n", ":3: column delay must be a time of at least 0 with a unit"},
        {"client,loss\n", ": a line below the first must give a value to a client, and none does"},
        {"client,loss\n1,1\n", ":2: column loss must be in [0, 1), got '1'"},
        {"client,flops\n1,-1\n", ":2: column flops must be a number of at least 1, got '-1'"},
        {"client,battery\n1,0\n",
         ":2: column battery must be a number of joules of at least 1e-09, got '0'"},
        {"client,joules-per-operation\n1,1\n",
         ":2: column joules-per-operation must be in [0, 1), got '1'"},
    };
    for (const auto& [text, message] : rows)
    {
        const TemporaryFile file(text);
        ExpectRefused([&] { DeviceProfiles::Read(file.GetPath(), 3); }, message);
        ExpectRefused([&] { DeviceProfiles::Read(file.GetPath(), 3); }, file.GetPath() + ":");
    }
    ExpectRefused<std::runtime_error>([] { DeviceProfiles::Read("/no/such/table", 3); },
                                      "/no/such/table: cannot open");
}

} // namespace
} // namespace ns3::dlearn
