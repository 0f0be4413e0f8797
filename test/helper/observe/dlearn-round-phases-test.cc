/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-round-phases.h"
#include "ns3/simulator.h"

#include <functional>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** Tells an activity what happens at which second. */
class NodeActivityTest : public testing::Test
{
  protected:
    ~NodeActivityTest() override { Simulator::Destroy(); }

    void At(double seconds, const std::function<void()>& action)
    {
        Simulator::Schedule(Seconds(seconds), action);
    }

    /** @return seconds of the phases, in their order, until a time */
    std::vector<double> GetTimesAt(double seconds)
    {
        Simulator::Stop(Seconds(seconds));
        Simulator::Run();
        std::vector<double> times;
        for (const Time& time : activity.GetTimes())
        {
            times.push_back(time.GetSeconds());
        }
        return times;
    }

    NodeActivity activity; //!< what it does
};

TEST_F(NodeActivityTest, WaitsWhenItDoesNothing)
{
    EXPECT_EQ(GetTimesAt(3), (std::vector<double>{0, 0, 0, 0, 3}));
}

// Computing goes before sending, a new frame before one that is sent again, and that before waiting
// packets; frames end by themselves or are ended.
TEST_F(NodeActivityTest, DoesTheFirstPhaseThatApplies)
{
    At(0, [this] { activity.Compute(Seconds(2)); });
    At(1, [this] { activity.AddWaiting(2); });
    At(1, [this] { activity.BeginSending(false); });
    At(3, [this] { activity.EndSending(false); });
    At(4, [this] { activity.BeginSending(true); });
    At(5, [this] { activity.Send(Seconds(1), false); });
    At(7, [this] { activity.EndSending(true); });
    At(9, [this] { activity.AddWaiting(-2); });
    // 0-2 computing, 2-3 sending, 3-4 queue, 4-5 again, 5-6 sending, 6-7 again, 7-9 queue, 9-10.
    EXPECT_EQ(GetTimesAt(10), (std::vector<double>{2, 2, 2, 3, 1}));
}

TEST_F(NodeActivityTest, ComputingMayEndEarly)
{
    At(1, [this] { activity.Compute(Seconds(5)); });
    At(2, [this] { activity.Compute(Time(0)); });
    EXPECT_EQ(GetTimesAt(4), (std::vector<double>{1, 0, 0, 0, 3}));
}

} // namespace
} // namespace ns3::dlearn
