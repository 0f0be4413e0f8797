/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-server-schedule.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using Clients = std::vector<LearnerId>;

TEST(SynchronousSchedule, AsksItsParts)
{
    const auto schedule = CreateObject<SynchronousSchedule>();
    schedule->SetAttribute("Sampling", TypeIdValue(ScheduledSampling::GetTypeId()));
    schedule->SetAttribute("RoundPolicy", TypeIdValue(DeadlinePolicy::GetTypeId()));
    schedule->GetSampling()->SetAttribute("Plan", StringValue("1;2,3"));
    schedule->GetRoundPolicy()->SetAttribute("Deadline", TimeValue(Seconds(2)));
    schedule->Setup({1, 2, 3});
    EXPECT_EQ(schedule->ChooseAtOpening(1, {}), (Clients{2, 3}));
    EXPECT_EQ(schedule->ChooseAfterUpdate({1, 2, 3}, 0), Clients{});
    EXPECT_EQ(schedule->GetDeadline(), Seconds(2));
    EXPECT_TRUE(schedule->IsSynchronous());
    RoundStatus status;
    status.expected = 2;
    status.waitable = 1;
    status.elapsed = Seconds(1);
    EXPECT_FALSE(schedule->ShouldClose(status, 100));
    status.elapsed = Seconds(2);
    EXPECT_TRUE(schedule->ShouldClose(status, 0));
}

TEST(SynchronousSchedule, WaitsUntilAllHaveAnswered)
{
    const auto schedule = CreateObject<SynchronousSchedule>();
    EXPECT_EQ(schedule->AssignStreams(1), 1);
    schedule->Setup({4, 5, 6});
    EXPECT_EQ(schedule->ChooseAtOpening(0, {}), (Clients{4, 5, 6}));
    EXPECT_EQ(schedule->GetDeadline(), Time(0));
    RoundStatus status;
    status.waitable = 1;
    status.elapsed = Seconds(1e6);
    EXPECT_FALSE(schedule->ShouldClose(status, 2));
    status.waitable = 0;
    EXPECT_TRUE(schedule->ShouldClose(status, 3));
}

TEST(SynchronousSchedule, RefusesPartsOfTheWrongKind)
{
    const auto asynchronous = CreateObject<SynchronousSchedule>();
    asynchronous->SetAttribute("RoundPolicy", TypeIdValue(AsynchronousPolicy::GetTypeId()));
    ExpectRefused([&] { asynchronous->Setup({1}); },
                  "SynchronousSchedule: RoundPolicy must not be ns3::dlearn::AsynchronousPolicy, "
                  "which is for peers");
    for (const std::string name : {"RoundPolicy", "Sampling"})
    {
        const auto schedule = CreateObject<SynchronousSchedule>();
        const TypeIdValue wrong(BufferedSchedule::GetTypeId());
        ExpectRefused([&] { schedule->SetAttribute(name, wrong); },
                      "SynchronousSchedule: " + name + " must be a concrete type derived from");
        schedule->Setup({1});
        ExpectRefused([&] { schedule->SetAttribute(name, wrong); },
                      name + " cannot be replaced after set-up");
    }
}

Ptr<BufferedSchedule>
MakeBuffered(uint32_t size, uint32_t concurrency, uint32_t clients)
{
    const auto schedule = CreateObject<BufferedSchedule>();
    schedule->SetAttribute("BufferSize", UintegerValue(size));
    schedule->SetAttribute("Concurrency", UintegerValue(concurrency));
    EXPECT_EQ(schedule->AssignStreams(3), 1);
    Clients all(clients);
    for (uint32_t k = 0; k < clients; ++k)
    {
        all[k] = k + 1;
    }
    schedule->Setup(all);
    return schedule;
}

TEST(BufferedSchedule, KeepsSoManyBusy)
{
    const auto all = MakeBuffered(2, 0, 4);
    EXPECT_EQ(all->ChooseAtOpening(0, {1, 2, 3, 4}), (Clients{1, 2, 3, 4}));
    EXPECT_EQ(all->ChooseAfterUpdate({3}, 3), Clients{3});
    EXPECT_EQ(all->ChooseAfterUpdate({}, 4), Clients{});
    const auto three = MakeBuffered(2, 3, 5);
    EXPECT_EQ(three->ChooseAtOpening(0, {1, 2, 3, 4, 5}).size(), 3U);
    EXPECT_EQ(three->ChooseAfterUpdate({1, 4, 5}, 2).size(), 1U);
    EXPECT_EQ(three->ChooseAfterUpdate({4, 5}, 3).size(), 0U);
    EXPECT_EQ(three->ChooseAfterUpdate({4}, 1), Clients{4}) << "two of the others are done";
    EXPECT_FALSE(three->IsSynchronous());
    EXPECT_EQ(three->GetDeadline(), Time(0));
}

// 4000 times one of four: B(4000, 1/4) each, beyond 6 standard deviations (164) with probability
// 2e-9 each.
TEST(BufferedSchedule, DrawsUniformlyWhoIsNext)
{
    const auto one = MakeBuffered(1, 1, 4);
    std::map<LearnerId, int> counts;
    for (uint32_t k = 0; k < 4000; ++k)
    {
        ++counts[one->ChooseAfterUpdate({1, 2, 3, 4}, 0).at(0)];
    }
    for (LearnerId client = 1; client <= 4; ++client)
    {
        EXPECT_NEAR(counts[client], 1000, 164);
    }
}

TEST(BufferedSchedule, ClosesWhenTheBufferIsFullOrNoClientIsLeft)
{
    const auto schedule = MakeBuffered(3, 0, 4);
    RoundStatus status;
    status.waitable = 2;
    status.elapsed = Seconds(1e6);
    EXPECT_FALSE(schedule->ShouldClose(status, 2));
    EXPECT_TRUE(schedule->ShouldClose(status, 3));
    EXPECT_TRUE(schedule->ShouldClose(status, 4));
    status.waitable = 0;
    EXPECT_TRUE(schedule->ShouldClose(status, 0));
}

TEST(ServerSchedule, KnowsWithHowManyUpdatesARoundCloses)
{
    const auto lockStep = CreateObject<SynchronousSchedule>();
    lockStep->SetAttribute("Sampling", TypeIdValue(ScheduledSampling::GetTypeId()));
    lockStep->SetAttribute("RoundPolicy", TypeIdValue(QuorumPolicy::GetTypeId()));
    lockStep->GetSampling()->SetAttribute("Plan", StringValue("1-3;1-5"));
    lockStep->GetRoundPolicy()->SetAttribute("Fraction", DoubleValue(0.5));
    lockStep->Setup({1, 2, 3, 4, 5});
    EXPECT_EQ(lockStep->CountUpdates().fewest, 2U);
    EXPECT_EQ(lockStep->CountUpdates().most, 3U);
    lockStep->GetRoundPolicy()->SetAttribute("Fraction", DoubleValue(0));
    EXPECT_EQ(lockStep->CountUpdates().fewest, 1U);
    EXPECT_EQ(MakeBuffered(3, 0, 4)->CountUpdates().fewest, 3U);
    EXPECT_EQ(MakeBuffered(3, 0, 4)->CountUpdates().most, 3U);
}

TEST(BufferedSchedule, RefusesMoreThanThereAre)
{
    ExpectRefused([] { MakeBuffered(1, 5, 4); },
                  "BufferedSchedule: Concurrency must be at most the number of clients, 4; got 5");
}

} // namespace
} // namespace ns3::dlearn
