/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-message-receiver.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t LENGTH = 100; //!< bytes of the messages

/** @return header of a fragment of learner 3 */
ModelHeader
MakeHeader(uint32_t round, uint32_t begin, uint32_t end)
{
    ModelHeader header;
    header.sender = 3;
    header.channel = ModelChannel::STATE;
    header.round = round;
    header.messageLength = LENGTH;
    header.fragmentOffset = begin;
    header.payloadLength = end - begin;
    return header;
}

// Against one flag for each byte.
TEST(FragmentLog, AMessageIsWholeWhenEachOfItsBytesHasCome)
{
    std::mt19937 random(7);
    uint32_t whole = 0;
    for (uint32_t message = 0; message < 300; ++message)
    {
        FragmentLog log(4);
        std::vector<bool> came(LENGTH);
        for (bool complete = false; !complete;)
        {
            const uint32_t begin = random() % LENGTH;
            const uint32_t end = begin + 1 + random() % std::min(LENGTH - begin, 30U);
            std::fill(came.begin() + begin, came.begin() + end, true);
            complete = std::find(came.begin(), came.end(), false) == came.end();
            ASSERT_EQ(log.Add(MakeHeader(message, begin, end)), complete);
        }
        ++whole;
        EXPECT_FALSE(log.Add(MakeHeader(message, 0, LENGTH - 1))) << "it comes again";
        EXPECT_TRUE(log.Add(MakeHeader(message, LENGTH - 1, LENGTH)));
    }
    EXPECT_EQ(whole, 300U);
}

TEST(FragmentLog, ForgetsTheOldestRoundOfASenderThatBeginsTooMany)
{
    FragmentLog log(2);
    for (const uint32_t round : {5, 6, 7})
    {
        EXPECT_FALSE(log.Add(MakeHeader(round, 0, 60)));
    }
    ModelHeader other = MakeHeader(4, 0, 60);
    other.sender = 2;
    EXPECT_FALSE(log.Add(other));
    EXPECT_TRUE(log.Add(MakeHeader(6, 60, LENGTH))) << "whatever other senders begin";
    EXPECT_TRUE(log.Add(MakeHeader(7, 60, LENGTH)));
    EXPECT_FALSE(log.Add(MakeHeader(5, 60, LENGTH))) << "its first half is forgotten";
    log.Clear();
    EXPECT_FALSE(log.Add(MakeHeader(5, 0, 60)));
}

// A sender that never sends two bytes in a row must not fill the memory.
TEST(FragmentLog, KnowsSoManyStretchesOfAMessageOnly)
{
    FragmentLog log(1);
    ModelHeader header = MakeHeader(0, 0, 1);
    header.messageLength = 20001;
    for (uint32_t odd = 1; odd < header.messageLength; odd += 2)
    {
        header.fragmentOffset = odd;
        EXPECT_FALSE(log.Add(header));
    }
    for (uint32_t even = 0; even < header.messageLength; even += 2)
    {
        header.fragmentOffset = even;
        EXPECT_FALSE(log.Add(header)) << even;
    }
}

} // namespace
} // namespace ns3::dlearn
