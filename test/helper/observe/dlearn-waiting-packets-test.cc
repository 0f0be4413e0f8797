/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-device-watch.h"

#include <gtest/gtest.h>
#include <list>
#include <random>
#include <utility>

namespace ns3::dlearn
{
namespace
{

TEST(WaitingPackets, OfOneUidWhoCameFirstLeavesFirst)
{
    WaitingPackets packets;
    EXPECT_EQ(packets.Leave(1), std::nullopt);
    packets.Enter(1, Seconds(1));
    packets.Enter(2, Seconds(2));
    packets.Enter(1, Seconds(3));
    EXPECT_EQ(packets.Leave(2), Seconds(2)) << "out of order";
    EXPECT_EQ(packets.Leave(1), Seconds(1));
    EXPECT_EQ(packets.Leave(1), Seconds(3));
    EXPECT_EQ(packets.Leave(1), std::nullopt);
}

// Queues of all lengths, most often in order, against a list that is searched.
TEST(WaitingPackets, AreThoseOfAList)
{
    std::mt19937 generator(1);
    const auto draw = [&generator](uint32_t below) {
        return std::uniform_int_distribution<uint32_t>(0, below - 1)(generator);
    };
    WaitingPackets packets;
    std::list<std::pair<uint64_t, Time>> list;
    for (uint32_t step = 0; step < 20000; ++step)
    {
        const bool grows = draw(2000) < 1000 + (step / 1000 % 2 == 0 ? 100 : -100);
        if (grows)
        {
            const uint64_t uid = draw(50);
            packets.Enter(uid, NanoSeconds(step));
            list.emplace_back(uid, NanoSeconds(step));
            continue;
        }
        const bool inOrder = draw(4) > 0 && !list.empty();
        const uint64_t uid = inOrder ? list.front().first : draw(60);
        std::optional<Time> wanted;
        for (auto packet = list.begin(); packet != list.end(); ++packet)
        {
            if (packet->first == uid)
            {
                wanted = packet->second;
                list.erase(packet);
                break;
            }
        }
        ASSERT_EQ(packets.Leave(uid), wanted) << "step " << step;
    }
}

} // namespace
} // namespace ns3::dlearn
