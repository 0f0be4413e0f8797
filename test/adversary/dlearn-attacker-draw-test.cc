/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-attacker-draw.h"
#include "ns3/dlearn-message-behaviors.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace ns3::dlearn
{
namespace
{

Ptr<AttackerDraw>
MakeDraw()
{
    const auto draw = CreateObject<AttackerDraw>();
    draw->Setup({1, 2, 3, 4, 5}, 2);
    draw->AssignStreams(7);
    return draw;
}

// Each of the 10 pairs has 1000 +- 30 of 10000 rounds; 6 deviations: probability of failure below
// 10 * 2e-9.
TEST(AttackerDraw, DrawsEachChoiceEquallyOften)
{
    const auto draw = MakeDraw();
    std::map<std::vector<LearnerId>, int> counts;
    for (uint32_t round = 0; round < 10000; ++round)
    {
        std::vector<LearnerId> drawn;
        for (LearnerId learner = 0; learner < 8; ++learner)
        {
            if (draw->IsDrawn(learner, round))
            {
                drawn.push_back(learner);
            }
        }
        ++counts[drawn];
    }
    EXPECT_EQ(counts.size(), 10u);
    for (const auto& [drawn, count] : counts)
    {
        EXPECT_EQ(drawn.size(), 2u);
        EXPECT_NEAR(count, 1000, 180);
    }
}

TEST(AttackerDraw, DependsOnNoOrderOfCalls)
{
    const auto forth = MakeDraw();
    const auto back = MakeDraw();
    for (uint32_t round = 0; round < 100; ++round)
    {
        back->IsDrawn(1, 99 - round);
        for (LearnerId learner = 1; learner <= 5; ++learner)
        {
            EXPECT_EQ(forth->IsDrawn(learner, round), back->IsDrawn(learner, round));
        }
    }
}

int g_sent; //!< messages of the behaviour

void
CountSent(const Outgoing&)
{
    ++g_sent;
}

void
DoNothing()
{
}

TEST(AttackerDraw, AttacksInItsRoundsOnly)
{
    const auto draw = MakeDraw();
    const auto behavior = draw->CreateBehavior(CreateObject<SilentBehavior>());
    for (uint32_t round = 0; round < 50; ++round)
    {
        g_sent = 0;
        AttackContext context;
        context.learner = 3;
        context.round = round;
        context.outbox = {{ModelChannel::UPDATE, {0}, ModelVector::Ones(1), {}}};
        context.port.send = MakeCallback(&CountSent);
        context.port.done = MakeCallback(&DoNothing);
        behavior->Deliver(context);
        EXPECT_EQ(g_sent, draw->IsDrawn(3, round) ? 0 : 1);
    }
    behavior->Dispose();
}

} // namespace
} // namespace ns3::dlearn
