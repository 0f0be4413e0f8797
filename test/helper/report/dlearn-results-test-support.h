/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESULTS_TEST_SUPPORT_H
#define DLEARN_RESULTS_TEST_SUPPORT_H

#include "ns3/dlearn-run-results.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace ns3::dlearn
{
namespace test
{

/** A directory of its own for a test, removed in the end. */
class TemporaryDirectory
{
  public:
    TemporaryDirectory()
    {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        m_path = std::filesystem::path(testing::TempDir()) /
                 (std::string("dlearn-") + info->test_suite_name() + "-" + info->name());
        std::filesystem::remove_all(m_path);
        std::filesystem::create_directories(m_path);
    }

    ~TemporaryDirectory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }

    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    /**
     * @param name of a file
     * @return its path in the directory
     */
    std::string GetPath(const std::string& name) const { return (m_path / name).string(); }

  private:
    std::filesystem::path m_path; //!< the directory
};

/**
 * @param path a file
 * @return its bytes
 */
inline std::string
ReadFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/**
 * @param nodes learners, on a ring
 * @param rounds rounds that each closes
 * @return a run with one lost message in every other round of node 1
 */
inline RunResults
MakeResults(uint32_t nodes, uint32_t rounds)
{
    RunResults results;
    results.program = "dlearn-demo";
    results.seed = 3;
    results.run = 4;
    results.graph = Graph(nodes);
    for (LearnerId node = 0; node < nodes; ++node)
    {
        if (nodes > 1)
        {
            results.graph.AddEdge(node, (node + 1) % nodes);
        }
        results.roles.emplace_back("peer");
    }
    for (uint32_t round = 0; round < rounds; ++round)
    {
        for (LearnerId node = 0; node < nodes; ++node)
        {
            ResultRow row;
            row.record.closed = MilliSeconds(100 * (round + 1) + node);
            row.record.round = round;
            row.record.node = node;
            row.record.epsilon = 0.5 * (round + 1) + 0.25 * node;
            row.record.epsilonNominal = 0.5 * (round + 1);
            row.record.expected = 2;
            row.record.lost = node == 1 ? round % 2 : 0;
            row.record.received = row.record.used = 2 - row.record.lost;
            row.record.txBytes = 200;
            row.record.rxBytes = 100 * row.record.received;
            row.record.compute = MilliSeconds(10);
            row.record.duration = MilliSeconds(100);
            row.evaluation = Evaluation{1.0 / (round + 1), 0.5, 2.0 / (round + 1), 1e-3};
            results.rows.push_back(row);
        }
    }
    results.simulatedSeconds = 0.1 * rounds;
    return results;
}

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_RESULTS_TEST_SUPPORT_H
