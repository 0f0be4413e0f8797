/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fuzz.h"

#include "ns3/dlearn-device-profiles.h"

#include <cmath>

namespace ns3::dlearn::fuzz
{

std::vector<std::string>
GetSeeds()
{
    const std::string file = std::string(1, '\0') + "client,rate,delay,loss,flops\n";
    return {file + "1,1Mbps,10ms,0.1,1e9\n2,,,,\n",
            "\1uniform:1Mbps:2Mbps;lognormal:10ms:0.5;uniform:0:0.5;lognormal:1e9:1",
            "\1exponential:1Mbps;exponential:1ms;0.1;1e9"};
}

void
Fuzz(Input& input)
{
    const uint32_t clients = 3;
    const bool drawn = input.TakeByte() % 2 == 1;
    const std::string text = input.TakeRest();
    std::vector<DeviceProfile> profiles;
    if (drawn)
    {
        std::string texts[4];
        size_t k = 0;
        for (const char c : text)
        {
            k += c == ';' && k < 3 ? 1 : 0;
            texts[k] += c == ';' ? "" : std::string(1, c);
        }
        profiles = DeviceProfiles::Draw({texts[0], texts[1], texts[2], texts[3]}, clients, 1);
    }
    else
    {
        profiles = DeviceProfiles::Read(WriteFile(text), clients);
    }
    for (const DeviceProfile& profile : profiles)
    {
        const double flops = profile.flops.value_or(1);
        Demand(flops >= 1 && std::isfinite(flops), "a device computes");
        Demand(profile.link.delay.value_or(Time(0)) >= Time(0), "a delay is not negative");
    }
}

} // namespace ns3::dlearn::fuzz
