/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-compute-pool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <numeric>

namespace ns3::dlearn
{
namespace
{

class ComputePoolTest : public testing::TestWithParam<uint32_t>
{
  protected:
    void SetUp() override { m_pool.SetThreads(GetParam()); }

    void TearDown() override { m_pool.SetThreads(1); }

    ComputePool& m_pool{ComputePool::Get()};
};

TEST_P(ComputePoolTest, DoesAllWorkOnce)
{
    EXPECT_EQ(m_pool.GetThreads(), GetParam());
    std::vector<int> done(500, 0); // each job has its own place
    std::vector<ComputePool::JobPtr> jobs;
    for (int& place : done)
    {
        jobs.push_back(m_pool.Start([&place] { ++place; }));
    }
    for (size_t k = jobs.size(); k-- > 0;) // in another order than they were started
    {
        m_pool.Finish(jobs[k]);
        EXPECT_EQ(done[k], 1);
        EXPECT_EQ(jobs[k], nullptr);
    }
    EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), 500);
}

TEST_P(ComputePoolTest, DroppedWorkIsNotUnderWayAfterwards)
{
    std::atomic<int> running{0};
    std::vector<ComputePool::JobPtr> jobs;
    for (int k = 0; k < 100; ++k)
    {
        auto job = m_pool.Start([&running] {
            ++running;
            std::this_thread::yield();
            --running;
        });
        m_pool.Drop(job);
        EXPECT_EQ(job, nullptr);
        EXPECT_EQ(running, 0);
    }
    ComputePool::JobPtr none;
    m_pool.Drop(none);
}

TEST_P(ComputePoolTest, WorkHasTheInputsOfItsStartAfterSettling)
{
    std::atomic<int> input{1};
    std::vector<int> read(100, 0);
    std::vector<ComputePool::JobPtr> jobs;
    for (int& place : read)
    {
        jobs.push_back(m_pool.Start([&place, &input, this] {
            m_pool.Settle(); // within work: nothing to wait for
            place = input;
        }));
    }
    jobs.push_back(m_pool.Start([] { throw std::invalid_argument("for Finish()"); }));
    {
        // Without an owner.
        const auto lost =
            m_pool.GetThreads() == 1 ? m_pool.Start([&input] { input = 7; }) : nullptr;
    }
    m_pool.Settle();
    EXPECT_EQ(read, std::vector<int>(100, 1));
    input = 2;
    EXPECT_THROW(m_pool.Finish(jobs.back()), std::invalid_argument);
    jobs.pop_back();
    for (auto& job : jobs)
    {
        m_pool.Finish(job);
    }
    EXPECT_EQ(read, std::vector<int>(100, 1));
    m_pool.Settle();
}

TEST_P(ComputePoolTest, GivesExceptionsToTheCallerOfFinish)
{
    auto bad = m_pool.Start([] { throw std::runtime_error("no minimum"); });
    auto good = m_pool.Start([] {});
    ExpectRefused<std::runtime_error>([&] { m_pool.Finish(bad); }, "no minimum");
    m_pool.Finish(good);
    auto dropped = m_pool.Start([] { throw std::runtime_error("ignored"); });
    m_pool.Drop(dropped);
}

INSTANTIATE_TEST_SUITE_P(Threads, ComputePoolTest, testing::Values(1U, 2U, 4U));

} // namespace
} // namespace ns3::dlearn
