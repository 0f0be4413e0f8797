/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-round-tracker.h"

#include <gtest/gtest.h>
#include <optional>

namespace ns3::dlearn
{
namespace
{

/** Peer 0 of peer 1; ten rounds, of which messages may be early by one. */
class RoundTrackerTest : public testing::Test
{
  protected:
    RoundTrackerTest()
        : m_tracker({SOURCE}, MakeSettings())
    {
    }

    static RoundTracker::Settings MakeSettings()
    {
        RoundTracker::Settings settings;
        settings.roundPolicy = CreateObject<AllPolicy>();
        settings.missingPolicy = CreateObject<SkipMissing>();
        settings.rounds = 10;
        settings.ahead = 1;
        return settings;
    }

    /** @return the round of what is left to take; nothing when the message is held */
    std::optional<uint32_t> Hold(uint32_t round)
    {
        std::optional<Arrival> arrival{Arrival{ModelVector::Constant(1, round), round, {}}};
        const bool held = m_tracker.Hold(SOURCE, round, arrival);
        if (held)
        {
            return std::nullopt;
        }
        EXPECT_EQ(arrival->round, round);
        EXPECT_EQ(arrival->values[0], round);
        return round;
    }

    inline static const RoundTracker::Source SOURCE{1, ModelChannel::STATE}; //!< of peer 1
    RoundTracker m_tracker;                                                  //!< under test
};

TEST_F(RoundTrackerTest, HoldsTheNewestOfMessagesThatAreTooEarly)
{
    EXPECT_EQ(Hold(0), 0U) << "not too early";
    EXPECT_EQ(Hold(5), std::nullopt);
    EXPECT_EQ(Hold(6), 5U);
    EXPECT_EQ(Hold(6), 6U) << "sent twice";
    EXPECT_EQ(Hold(4), 4U);
    const auto held = m_tracker.TakeHeld();
    ASSERT_TRUE(held);
    EXPECT_EQ(held->second.round, 6U);
    EXPECT_FALSE(m_tracker.TakeHeld());
}

TEST_F(RoundTrackerTest, CountsWhatIsHeldWhenItIsAbandoned)
{
    Hold(5);
    m_tracker.Abandon();
    EXPECT_EQ(m_tracker.GetWindow().GetTally().tooEarly, 1U);
    EXPECT_FALSE(m_tracker.TakeHeld());
}

} // namespace
} // namespace ns3::dlearn
