/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-alarm.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** An alarm that notes when it rings. */
class AlarmTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    std::vector<Time> m_rung;                                      //!< when
    Alarm m_alarm{[this] { m_rung.push_back(Simulator::Now()); }}; //!< its own
};

TEST_F(AlarmTest, RingsOnceAtTheTimeThatWasSetLast)
{
    m_alarm.Set(Seconds(1));
    m_alarm.Set(Seconds(2));
    Simulator::Run();
    EXPECT_EQ(m_rung, std::vector<Time>{Seconds(2)});
}

TEST_F(AlarmTest, DoesNotRingWhenItIsCancelled)
{
    m_alarm.Cancel(); // nothing is set
    m_alarm.Set(Seconds(1));
    m_alarm.Cancel();
    Simulator::Run();
    EXPECT_TRUE(m_rung.empty());
}

} // namespace
} // namespace ns3::dlearn
